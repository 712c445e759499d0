"""Five honest apps, what is done with them, and what they must still have at the end."""

import collections
import contextlib
import json
import os
import re
import shutil
import socket
import struct
import subprocess
import time
import urllib.request

from control import OVERTAKEN, Gone, Late, Refused
from storms.files import text
from storms.places import ROOT
from storms.sockets import free_port

JOURNAL, COUNTER = "org.greenroom.examples.journal", "org.greenroom.examples.counter"
SERVER, TYPIST, WORKER = "org.greenroom.chaos.server", "org.greenroom.chaos.typist", "org.greenroom.chaos.worker"
ALL = (JOURNAL, COUNTER, SERVER, TYPIST, WORKER)
PLIST = """<?xml version="1.0" encoding="UTF-8"?>
<plist version="1.0"><dict>
<key>CFBundleIdentifier</key><string>{app}</string><key>CFBundleName</key><string>{name}</string>
<key>CFBundleExecutable</key><string>{program}</string><key>CFBundleShortVersionString</key><string>1.0</string>
{more}</dict></plist>
"""


def array(key, words):
    return f"<key>{key}</key><array>" + "".join(f"<string>{one}</string>" for one in words) + "</array>" if words else ""


def desktop(place, app, script, modes=(), terminal=False, argument=""):
    """A plain program; its identifier is the name of the file."""
    folder = os.path.join(place, app)
    os.makedirs(folder, exist_ok=True)
    shutil.copy(script, folder)
    path = os.path.join(folder, app + ".desktop")
    with open(path, "w") as file:
        file.write(
            f"[Desktop Entry]\nType=Application\nName={app.rpartition('.')[2]}\n"
            f"Exec=python3 ./{os.path.basename(script)} {argument}\nTryExec=python3\nPath=.\n"
            f"Terminal={str(terminal).lower()}\nX-Greenroom-Freeze=true\n"
            + (f"X-Greenroom-BackgroundModes={';'.join(modes)};\n" if modes else ""))
    return path


def bundle(place, app, program, scripts, more=""):
    folder = os.path.join(place, app + ".app")
    os.makedirs(folder, exist_ok=True)
    for script in scripts:
        shutil.copy(script, folder)
    target = os.path.join(folder, program)
    os.chmod(target, 0o755)
    with open(os.path.join(folder, "Info.plist"), "w") as file:
        file.write(PLIST.format(app=app, name=app.rpartition(".")[2], program=program, more=more))
    return folder


class Sample(collections.namedtuple("Sample", "app milliseconds kind at")):
    """An `open`: warm, cold (a process had to begin) or disturbed (the daemon died meanwhile)."""


class Honest:
    def __init__(self, world):
        self.world = world
        self.control = world.control()
        self.samples = []
        self.pids = {}
        self.front = None
        self.number = 0
        self.titles, self.additions, self.lines = {}, {}, {}
        self.requests, self.slowest, self.last = 0, 0.0, (0, 0)
        self.terminal = None
        self.port = free_port()

    def install(self, apps=ALL):
        place = os.path.join(self.world.folder, "honest")
        os.makedirs(place, exist_ok=True)
        here = os.path.join(os.path.dirname(os.path.abspath(__file__)), "honest")
        python = os.path.join(ROOT, "Examples/python/Counter.app")
        for app in apps:
            if app == JOURNAL:
                path = self.journal(place)
            elif app == COUNTER:
                path = os.path.join(place, "Counter.app")
                shutil.copytree(python, path, ignore=shutil.ignore_patterns("__pycache__"))
            elif app == WORKER:
                path = bundle(place, app, "worker.py", [here + "/worker.py", python + "/greenroom_app.py"])
            elif app == SERVER:
                path = desktop(
                    place, app, os.path.join(ROOT, "Examples/plain/server.py"), ["listen"], argument=str(self.port))
            else:
                path = desktop(place, app, here + "/typist.py", terminal=True)
            self.control.ask("install", path=path, within=30)
            for folder in ("", "/Documents", "/Library", "/Library/Caches", "/tmp"):
                own = os.path.join(self.world.home, "containers", app) + folder
                self.world.owners[own] = os.lstat(own).st_uid

    def journal(self, place):
        folder = os.path.join(place, "Journal.app")
        os.makedirs(folder)
        for program in (self.world.options.bin, os.path.join(os.path.dirname(self.world.options.bin), "apps/Journal.app")):
            if os.path.exists(os.path.join(program, "Journal")):
                shutil.copy(os.path.join(program, "Journal"), folder)
                # What was built for debugging is larger than a bundle may be.
                subprocess.run(["strip", os.path.join(folder, "Journal")], check=False)
                break
        shutil.copy(os.path.join(ROOT, "Examples/Journal/Info.plist"), folder)
        return folder

    # What a user does

    def turn(self):
        """Opens another app, and does something in it."""
        chance = self.world.random.random()
        app = self.world.random.choice([one for one in ALL if one != self.front])
        if chance < 0.06:
            self.quietly("home", wait=True)
            self.front = None
        elif chance < 0.09:
            self.quietly("lock", wait=True)
            self.quietly("unlock", wait=True)
        if self.open(app) and self.world.random.random() < 0.5:
            self.use(app)

    def quietly(self, method, **params):
        with self.world.screen, contextlib.suppress(Gone):
            try:
                self.control.ask(method, within=30, **params)
            except Refused as error:
                if error.code != OVERTAKEN:
                    self.world.breach(f"{method} was refused: {error}")
            except Late as error:
                self.world.breach(f"{error}")

    def open(self, app, url=None):
        """Whether the system said that it is open. Measures."""
        target = {"url": url} if url else {"app": app}
        with self.world.screen:
            begin = time.monotonic()
            try:
                answer = self.control.ask("open", wait=True, within=25, **target)
            except Gone:
                if not self.world.was_disturbed(begin, time.monotonic()):
                    self.world.breach("the daemon closed an honest connection while nobody had killed it")
                return False
            except Refused as error:
                if error.code != OVERTAKEN and not self.world.was_disturbed(begin, time.monotonic()):
                    self.world.breach(f"open {app} was refused: {error}")
                return False
            except Late as error:
                self.world.breach(f"open {app}: {error}")
                return False
            end = time.monotonic()
            if self.world.is_frozen(app) and not self.world.was_disturbed(begin, time.monotonic()):
                self.world.breach(f"{app} is on screen, and its group is frozen")
        self.front = app
        kind = "warm" if answer.get("pid") == self.pids.get(app) else "cold"
        self.pids[app] = answer.get("pid")
        if self.world.was_disturbed(begin, end):
            kind = "disturbed"
        if not url:
            self.samples.append(Sample(app, (end - begin) * 1000, kind, begin))
        return True

    def use(self, app):
        self.number += 1
        name = f"{self.world.options.seed}-{self.number}"
        if app == JOURNAL:
            self.titles[name] = self.open(app, f"journal://new?title={name}&text=x")
        elif app == COUNTER:
            self.additions[name] = self.open(app, f"counter://add?n={self.number % 9 + 1}&u={name}")
        elif app == TYPIST:
            self.lines[name] = self.type(name)
        elif app == WORKER:
            self.quietly("home", wait=True)
            self.front = None

    def type(self, line):
        """Whether the program confirmed the line; once it is sent it must not be lost, confirmed or not."""
        try:
            if self.terminal is None:
                path = self.control.ask("attach", app=TYPIST)["path"]
                self.terminal = socket.socket(socket.AF_UNIX)
                self.terminal.settimeout(5)
                self.terminal.connect(path)
            data = line.encode() + b"\n"
            self.terminal.sendall(b"d" + struct.pack(">H", len(data)) + data)
            seen, end = b"", time.monotonic() + 1
            self.terminal.settimeout(0.5)
            while f"kept {line}".encode() not in seen and time.monotonic() < end:
                data = self.terminal.recv(65536)
                if not data:
                    raise OSError
                seen += data
            return True
        except TimeoutError:
            return True
        except (OSError, Gone, Refused, Late):
            if self.terminal:
                self.terminal.close()
            self.terminal = None
            return False

    def fetch(self):
        """A peer of the server that sleeps: every request is answered, and counted once."""
        begin = time.monotonic()
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{self.port}/", timeout=12) as answer:
                number, pid = map(int, re.findall(rb"^request (\d+) of process (\d+)", answer.read())[0])
        except OSError as error:
            # Between its processes nobody listens: that is so when it was ended for memory, or begins anew.
            if not self.world.was_disturbed(begin, time.monotonic()) and kernel_alive(self.last[1]):
                self.world.breach(f"the server with mode listen did not answer: {type(error).__name__}")
            return
        self.requests += 1
        self.slowest = max(self.slowest, time.monotonic() - begin)
        if pid == self.last[1] and number != self.last[0] + 1:
            self.world.breach(f"the server counted from {self.last[0]} to {number}")
        self.last = number, pid

    # What must be there at the end

    def place(self, app, name):
        return os.path.join(self.world.home, "containers", app, "Documents", name)

    def settle(self):
        """Opens each once more, so that what waits for its turn has it, and gives the last batch its time."""
        for app in ALL:
            for _ in range(3):
                if self.open(app):
                    break
                time.sleep(0.2)
            else:
                self.world.breach(f"{app} could not be opened at the end")
            time.sleep(0.3)
        self.quietly("home", wait=True)
        time.sleep(1.5)

    def verify(self):
        ended = self.ended()
        self.verify_journal()
        self.verify_counter()
        self.verify_lines()
        self.verify_batches(ended[WORKER])
        return ended

    def ended(self):
        """How often each ended for memory; any other end is none by rule."""
        count = collections.Counter()
        for report in self.control.insist("reports", within=20):
            app = report["app"]
            if app not in ALL:
                continue
            if report["namespace"] == "JETSAM":
                count[app] += 1
            else:
                self.world.breach(f"{app} has a report {report['namespace']} {report['code']}: {report['reason']}")
        return count

    def verify_journal(self):
        found = collections.Counter()
        folder = self.place(JOURNAL, "Entries")
        for name in os.listdir(folder) if os.path.isdir(folder) else []:
            with open(os.path.join(folder, name)) as file:
                found[json.load(file)["title"]] += 1
        self.compare("Journal's entry", self.titles, found)

    def verify_counter(self):
        found, count = collections.Counter(), 0
        path = os.path.join(self.world.home, "run", COUNTER, "output")
        begun = True
        for line in open(path, errors="replace") if os.path.exists(path) else []:
            words = line.split()
            if len(words) < 4 or words[-2] != "count" or not words[-1].isdigit():
                continue
            step = 1 if words[1] == "tick" else 0
            if words[1] == "openURL" and "handled" in words and "not" not in words:
                step = int(re.findall(r"n=(\d+)", words[2])[0])
                found[re.findall(r"u=([\w-]+)", words[2])[0]] += 1
            now = int(words[-1])
            # Between saving and saying it may have been ended for memory.
            if now != count + step and not (words[1] == "willFinishLaunching" and count <= now <= count + 9) and not begun:
                self.world.breach(f"Counter went from {count} to {now} in {line.strip()!r}")
            count, begun = now, False
        saved = json.loads(text(self.place(COUNTER, "count.json")) or '{"count":0}')["count"]
        if saved != count:
            self.world.breach(f"Counter said {count}, and kept {saved}")
        self.compare("Counter's addition", self.additions, found)

    def verify_lines(self):
        self.compare("the typist's line", self.lines, collections.Counter(
            text(self.place(TYPIST, "lines")).split()))

    def verify_batches(self, ended):
        batches = collections.defaultdict(list)
        for line in text(self.place(WORKER, "batches")).splitlines():
            batch, piece = line.split()
            batches[int(batch)].append(int(piece))
        torn = [number for number, pieces in batches.items() if pieces != list(range(1, 11))]
        if len(torn) > ended:
            self.world.breach(f"of the worker's {len(batches)} batches {len(torn)} were not finished: {torn[:5]}")

    def compare(self, what, known, found):
        lost = [name for name, acknowledged in known.items() if acknowledged and not found[name]]
        twice = [name for name in known if found[name] > 1]
        if lost:
            self.world.breach(f"{what} was acknowledged and lost: {', '.join(lost[:5])} ({len(lost)})")
        if twice:
            self.world.breach(f"{what} is there twice: {', '.join(twice[:5])} ({len(twice)})")


def kernel_alive(pid):
    return bool(pid) and os.path.exists(f"/proc/{pid}/exe")
