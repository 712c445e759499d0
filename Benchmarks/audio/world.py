"""A sound server of the benchmark's own, a Greenroom on it, and what listens and presses."""

import array
import contextlib
import json
import math
import os
import queue
import select
import shutil
import socket
import subprocess
import threading
import time
import wave

from storms.programs import Talker
from storms.tool import call
from storms.waiting import poll

APP = "org.greenroom.benchmarks.recital"
FACE = "org.mpris.MediaPlayer2.greenroom.org_greenroom_benchmarks_recital"
# Nobody: plain programs run without root's rights, as Greenroom's do.
NOBODY = 65534
REAL_TIME = 20
PATIENCE = 30

# Debian's, without what concerns hardware, and with a sink that plays into nothing. It waits for every stream, as a
# card does.
SERVER = """
context.properties = { core.daemon = true core.name = pipewire-0 }
context.spa-libs = { audio.convert.* = audioconvert/libspa-audioconvert support.* = support/libspa-support }
context.modules = [
    { name = libpipewire-module-protocol-native }
    { name = libpipewire-module-profiler }
    { name = libpipewire-module-metadata }
    { name = libpipewire-module-spa-device-factory }
    { name = libpipewire-module-spa-node-factory }
    { name = libpipewire-module-client-node }
    { name = libpipewire-module-client-device }
    { name = libpipewire-module-access args = { } }
    { name = libpipewire-module-adapter }
    { name = libpipewire-module-link-factory }
    { name = libpipewire-module-session-manager }
]
context.objects = [
    { factory = spa-node-factory args = {
        factory.name = support.node.driver node.name = Dummy-Driver
        node.group = pipewire.dummy priority.driver = 20000 } }
    { factory = adapter args = {
        factory.name = support.null-audio-sink node.name = testsink node.description = "Sink"
        media.class = Audio/Sink object.linger = true audio.position = [ FL FR ]
        node.group = pipewire.dummy priority.session = 2000 } }
]
"""

BUS = """<!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN"
 "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
<busconfig>
  <type>session</type>
  <listen>unix:path={folder}/bus</listen>
  <policy context="default">
    <allow user="*"/>
    <allow send_destination="*" eavesdrop="true"/>
    <allow eavesdrop="true"/>
    <allow own="*"/>
  </policy>
</busconfig>
"""


def until(condition, what):
    """For what has no event of its own."""
    found = poll(condition, PATIENCE)
    if not found:
        raise SystemExit(f"bench: {what} does not come")
    return found


def make_tone(path, seconds=60):
    """A tone that begins with a sample that is heard, and goes on without a break where it is repeated."""
    samples = array.array("h", (int(16383 * math.cos(2 * math.pi * 440 * frame / 48000)) for frame in range(4800)))
    with wave.open(path, "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(2)
        file.setframerate(48000)
        file.writeframes(samples.tobytes() * seconds * 10)
    os.chmod(path, 0o644)


def make_real_time(pid):
    """The thread of a process that makes sound gets what rtkit gives it on a desktop."""
    for task in os.listdir(f"/proc/{pid}/task"):
        with open(f"/proc/{pid}/task/{task}/comm", encoding="utf-8") as file:
            if file.read().startswith("data-loop"):
                os.sched_setscheduler(int(task), os.SCHED_FIFO, os.sched_param(REAL_TIME))


class Tool(Talker):
    """greenroom-bench-audio, with one of its commands."""

    def __init__(self, world, *words):
        super().__init__(world.start(
            world.tool("greenroom-bench-audio"), *words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True))


class Recorder(Tool):
    def __init__(self, world):
        super().__init__(world, "hear", "--server", world.socket)
        # What is heard has to be what was played, also while nobody else gets the processor.
        make_real_time(self.pid)
        os.setpriority(os.PRIO_PROCESS, self.pid, -19)
        for task in os.listdir(f"/proc/{self.pid}/task"):
            os.setpriority(os.PRIO_PROCESS, int(task), -19)

    @contextlib.contextmanager
    def first(self, heard):
        """Appends when the sound began that what is done meanwhile makes, after silence."""
        self.ask("silence")
        self.ask("first")
        yield
        heard.append(self.hear()["heard"])


class World:
    """The bus, PipeWire and WirePlumber, and all that runs beside them. `close` ends it."""

    def __init__(self, options, folder):
        self.options, self.folder, self.running = options, folder, []
        os.makedirs(folder + "/run")
        self.socket = folder + "/run/pipewire-0"
        self.bus = f"unix:path={folder}/bus"
        self.sound = folder + "/tone.wav"
        make_tone(self.sound)
        self.environment = dict(
            os.environ, DBUS_SESSION_BUS_ADDRESS=self.bus, XDG_RUNTIME_DIR=folder + "/run",
            XDG_STATE_HOME=folder + "/state", XDG_CONFIG_HOME=folder + "/config", HOME=folder,
            WIREPLUMBER_CONFIG_DIR="/usr/share/wireplumber", PIPEWIRE_CONFIG_DIR="/usr/share/pipewire",
        )
        self.log = open(folder + "/log", "ab")
        self.begin()

    def tool(self, name):
        return f"{self.options.bin}/{name}"

    def write(self, name, text):
        path = f"{self.folder}/{name}"
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        return path

    def begin(self):
        path = self.write("bus.conf", BUS.format(folder=self.folder))
        bus = self.start("dbus-daemon", f"--config-file={path}", "--nofork", "--nopidfile", "--print-address=1",
                         stdout=subprocess.PIPE)
        # It listens when it has said where.
        bus.stdout.readline()
        self.write("server/pipewire.conf", SERVER)
        self.pipewire = self.start("pipewire", PIPEWIRE_CONFIG_DIR=self.folder + "/server")
        until(lambda: os.path.exists(self.socket), "PipeWire")
        # Apps have users of their own.
        for path in [self.folder, self.folder + "/run", self.socket, self.folder + "/bus"]:
            os.chmod(path, 0o777)
        self.manager = self.start("wireplumber")
        # It is linked when WirePlumber is ready.
        Recorder(self).end()
        make_real_time(self.pipewire.pid)

    def start(self, *words, stdin=subprocess.DEVNULL, stdout=None, text=False, user=None, **environment):
        process = subprocess.Popen(
            words, env={**self.environment, **environment}, stdin=stdin, stdout=stdout or self.log, stderr=self.log,
            text=text, user=user, group=user, extra_groups=[] if user else None, start_new_session=True,
        )
        self.running.append(process)
        return process

    def end(self, process):
        process.kill()
        process.wait()
        self.running.remove(process)

    def close(self):
        for process in reversed(self.running):
            if process.poll() is None:
                process.kill()
                process.wait()
        self.log.close()

    # Players that are not Greenroom's.

    def mpv_words(self, *more):
        return ["mpv", "--no-config", "--no-video", "--really-quiet", "--ao=pipewire", "--loop-file=inf",
                "--gapless-audio=yes", "--script=/usr/lib/mpv-mpris/mpris.so", *more, self.sound]

    def mpv(self, *more):
        """It plays as nobody, and says what it does on a socket."""
        path = f"{self.folder}/run/mpv-{len(self.running)}"
        process = self.start(*self.mpv_words(f"--input-ipc-server={path}", *more), user=NOBODY)
        return MPV(self, process, path)


class MPV:
    NAME = "org.mpris.MediaPlayer2.mpv"

    def __init__(self, world, process, path):
        self.world, self.process, self.pid = world, process, process.pid
        self.stream = socket.socket(socket.AF_UNIX)
        until(lambda: os.path.exists(path) and self.stream.connect_ex(path) == 0, "mpv")
        self.events = queue.SimpleQueue()
        # What it says is heard at once, whatever else is waited for.
        self.reader = threading.Thread(target=self.read, daemon=True)
        self.reader.start()

    def read(self):
        with self.stream.makefile("rb") as lines:
            for line in lines:
                now = time.monotonic_ns()
                event = json.loads(line)
                if event.get("event") == "property-change":
                    self.events.put((event["name"], now))

    def observe(self, name):
        """Its socket says each change, with the present value first."""
        self.stream.sendall(json.dumps({"command": ["observe_property", 1, name]}).encode() + b"\n")
        self.changed(name)

    def changed(self, name):
        """When it said so."""
        while True:
            found, at = self.events.get(timeout=PATIENCE)
            if found == name:
                return at

    def end(self):
        self.world.end(self.process)
        self.reader.join()
        self.stream.close()


class Greenroom:
    """A system in a home of its own."""

    def __init__(self, world):
        self.world, self.home = world, world.folder + "/home"
        self.environment = dict(world.environment, GREENROOM_HOME=self.home)
        self.heard = 0
        self.call("up", "--detach")
        try:
            self.call("install", os.path.join(world.options.bin, "..", "apps", "Recital.app"))
        except SystemExit:
            self.close()
            raise
        self.log = f"{self.home}/containers/{APP}/Documents/log"

    def call(self, *words):
        return call([self.world.tool("greenroom")], words, self.environment)

    def close(self):
        self.call("down")
        # The next one's Recital begins a log of its own.
        shutil.rmtree(self.home, ignore_errors=True)

    def play(self):
        """Opens Recital, which plays."""
        self.call("open", f"recital:play?file={self.world.sound}")
        return self.hears("play")

    def hears(self, event):
        """When Recital next did this."""

        def there():
            try:
                with open(self.log, encoding="utf-8") as file:
                    file.seek(self.heard)
                    text = file.read()
            except FileNotFoundError:
                return None
            for line in text[: text.rfind("\n") + 1].splitlines(keepends=True):
                self.heard += len(line)
                found, at, why = line.rstrip("\n").split(" ", 2)
                if found == "failed":
                    raise SystemExit(f"bench: Recital: {why}")
                if found == event:
                    return int(at)
            return None

        return until(there, f"Recital's “{event}”")

    def app(self, name=APP):
        return next(app for app in json.loads(self.call("apps", "--json")) if app["app"] == name)

    def is_published(self):
        names = subprocess.run(
            ["playerctl", "--list-all"], env=self.environment, capture_output=True, text=True, check=False).stdout
        return FACE.rsplit("MediaPlayer2.", 1)[1] in names

    def service(self):
        services = json.loads(self.call("services", "--json"))["services"]
        return next(service["pid"] for service in services if service["service"] == "audio")

    def install(self, name, words, *lines):
        text = "\n".join(["[Desktop Entry]", "Type=Application", f"Name={name}", f"Exec={words}",
                          "X-Greenroom-Freeze=true", *lines]) + "\n"
        self.call("install", self.world.write(f"{name}.desktop", text))


class Freezer:
    """The cgroup of an app, which says when the kernel has frozen it."""

    def __init__(self, pid):
        with open(f"/proc/{pid}/cgroup", encoding="utf-8") as file:
            path = next(line.rstrip("\n").split(":", 2)[2] for line in file if line.startswith("0::"))
        places = [root + path for root in ["/sys/fs/cgroup", "/sys/fs/cgroup/unified"]]
        self.folder = next((place for place in places if os.path.exists(place + "/cgroup.events")), "")
        while self.folder and not self.is_frozen() and self.count() == 0:
            self.folder = os.path.dirname(self.folder)
        if not self.folder:
            raise SystemExit("bench: the app has no cgroup of version 2")
        self.file = os.open(self.folder + "/cgroup.events", os.O_RDONLY)

    def count(self):
        with open(self.folder + "/cgroup.procs", encoding="utf-8") as file:
            return len(file.read().split())

    def is_frozen(self):
        with open(self.folder + "/cgroup.events", encoding="utf-8") as file:
            return "frozen 1" in file.read()

    def wait(self, frozen=True):
        """When it was."""
        wanted = b"frozen 1" if frozen else b"frozen 0"
        poll = select.poll()
        poll.register(self.file, select.POLLPRI)
        deadline = time.monotonic() + PATIENCE
        while wanted not in os.pread(self.file, 4096, 0):
            if time.monotonic() > deadline:
                raise SystemExit("bench: the app is not suspended")
            poll.poll(1000)
        return time.monotonic_ns()

    def close(self):
        os.close(self.file)


def missing():
    programs = ["dbus-daemon", "pipewire", "wireplumber", "mpv", "playerctl", "pw-play", "pw-top"]
    return [program for program in programs if not shutil.which(program)] + (
        [] if os.path.exists("/usr/lib/mpv-mpris/mpris.so") else ["mpv-mpris"])
