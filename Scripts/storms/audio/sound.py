"""PipeWire of the storm's own: a real daemon with a sink and a microphone that are none, a bus, and WirePlumber."""

import json
import os
import signal
import struct
import subprocess

from storms.audio.ear import Tone
from storms.sockets import listens
from storms.waiting import wait_for

# As Debian's, without what concerns hardware. Another node drives the devices, so that they wait for every stream, as a
# card does.
CONFIGURATION = """
context.properties = { core.daemon = true core.name = pipewire-0 default.clock.min-quantum = 16 }
context.spa-libs = { audio.convert.* = audioconvert/libspa-audioconvert support.* = support/libspa-support }
context.modules = [
    { name = libpipewire-module-protocol-native } { name = libpipewire-module-profiler }
    { name = libpipewire-module-metadata } { name = libpipewire-module-spa-device-factory }
    { name = libpipewire-module-spa-node-factory } { name = libpipewire-module-client-node }
    { name = libpipewire-module-client-device } { name = libpipewire-module-access args = { } }
    { name = libpipewire-module-adapter } { name = libpipewire-module-link-factory }
    { name = libpipewire-module-session-manager }
]
context.objects = [
    { factory = spa-node-factory args = {
        factory.name = support.node.driver node.name = Dummy-Driver
        node.group = pipewire.dummy priority.driver = 20000 } }
    { factory = adapter args = {
        factory.name = support.null-audio-sink node.name = testsink node.description = "Test sink"
        media.class = Audio/Sink object.linger = true audio.position = [ FL FR ]
        node.group = pipewire.dummy priority.session = 2000 } }
    { factory = adapter args = {
        factory.name = support.null-audio-sink node.name = testsource node.description = "Test source"
        media.class = Audio/Source/Virtual object.linger = true audio.position = [ MONO ]
        node.group = pipewire.dummy priority.session = 1000 } }
]
"""

BUS = """<!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN"
 "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
<busconfig><type>session</type><listen>unix:path={}/bus</listen>
<policy context="default"><allow user="*"/><allow send_destination="*" eavesdrop="true"/><allow eavesdrop="true"/>
<allow own="*"/></policy></busconfig>
"""

NEEDED = ["/usr/bin/pipewire", "/usr/bin/wireplumber", "/usr/bin/dbus-daemon", "/usr/bin/pw-cat", "/usr/bin/playerctl"]


class Sound:
    def __init__(self, folder: str) -> None:
        self.folder = folder
        self.programs: dict[str, subprocess.Popen[bytes]] = {}
        for name in ("run", "state", "config"):
            os.makedirs(f"{folder}/{name}")
            os.chmod(f"{folder}/{name}", 0o777)
        with open(f"{folder}/config/pipewire.conf", "w") as file:
            file.write(CONFIGURATION)
        with open(f"{folder}/bus.conf", "w") as file:
            file.write(BUS.format(folder))
        self.environment = {
            "DBUS_SESSION_BUS_ADDRESS": f"unix:path={folder}/bus", "XDG_RUNTIME_DIR": f"{folder}/run",
            "XDG_STATE_HOME": f"{folder}/state", "XDG_CONFIG_HOME": f"{folder}/config",
            "PIPEWIRE_CONFIG_DIR": "/usr/share/pipewire", "WIREPLUMBER_CONFIG_DIR": "/usr/share/wireplumber",
        }

    def launch(self, name: str, *command: str, **extra: str) -> None:
        with open(f"{self.folder}/{name}.log", "ab") as log:
            self.programs[name] = subprocess.Popen(
                command, env={**os.environ, **self.environment, **extra}, stdin=subprocess.DEVNULL, stdout=log, stderr=log)

    def start(self) -> None:
        self.launch("bus", "/usr/bin/dbus-daemon", f"--config-file={self.folder}/bus.conf", "--nofork", "--nopidfile")
        wait_for("the bus", lambda: listens(f"{self.folder}/bus"), 10)
        self.start_server()
        self.start_manager()

    def start_server(self) -> None:
        self.launch("pipewire", "/usr/bin/pipewire", PIPEWIRE_CONFIG_DIR=f"{self.folder}/config")
        path = f"{self.folder}/run/pipewire-0"
        wait_for("PipeWire", lambda: listens(path), 10)
        # Apps have users of their own.
        os.chmod(path, 0o777)

    def start_manager(self) -> None:
        self.launch("wireplumber", "/usr/bin/wireplumber")

    def kill(self, name: str) -> None:
        program = self.programs.pop(name, None)
        if program:
            program.send_signal(signal.SIGKILL)
            program.wait()

    def has_crashed(self) -> bool:
        """Whether PipeWire has ended though nobody has killed it."""
        server = self.programs.get("pipewire")
        return server is not None and server.poll() is not None

    def end(self) -> None:
        for name in reversed(list(self.programs)):
            self.kill(name)

    def graph(self) -> list[str]:
        """What the server knows: nodes, whose they are, how they are, and which links lead where."""
        try:
            dump = subprocess.run(
                ["/usr/bin/pw-dump"], env={**os.environ, **self.environment}, capture_output=True, text=True, timeout=5)
            objects = json.loads(dump.stdout)
        except (subprocess.TimeoutExpired, ValueError) as error:
            return [f"pw-dump: {error}"]
        lines, names = [], {}
        for one in objects:
            if one["type"] == "PipeWire:Interface:Node":
                info = one["info"]
                props = info["props"]
                names[one["id"]] = f"{props.get('node.name')} {one['id']}"
                lines.append(
                    f"{names[one['id']]}: {info['state']}, {props.get('media.class')}, pid "
                    f"{props.get('application.process.id')}")
        for one in objects:
            if one["type"] == "PipeWire:Interface:Link":
                info = one["info"]
                start, end = (names.get(info[f"{way}-node-id"]) for way in ("output", "input"))
                lines.append(f"{start} -> {end}: {info['state']}")
        return lines

    def playerctl(self, player: str, *words: str) -> str | None:
        result = subprocess.run(
            ["/usr/bin/playerctl", "--player", player, *words], env={**os.environ, **self.environment},
            stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=20)
        return result.stdout.strip() if result.returncode == 0 else None


def write_tone(path: str, tone: Tone, amplitude: float, seconds: int = 4) -> None:
    """A file that can be repeated without a step: 48 kHz, one channel, 16 bits."""
    samples = [int(amplitude * 32767 * value) for value in tone.wave]
    data = struct.pack(f"<{len(samples)}h", *samples) * (seconds * 48_000 // len(samples))
    with open(path, "wb") as file:
        file.write(b"RIFF" + struct.pack("<I", 36 + len(data)) + b"WAVEfmt ")
        file.write(struct.pack("<IHHIIHH", 16, 1, 1, 48_000, 96_000, 2, 16) + b"data" + struct.pack("<I", len(data)))
        file.write(data)
    os.chmod(path, 0o644)
