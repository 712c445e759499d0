"""A folder, a system and programs for one case."""

import contextlib
import dataclasses
import glob
import json
import os
import shutil
import socket
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable
from typing import Any, TypeVar

from storms.sockets import is_open, listens
from storms.system import Result, System
from storms.waiting import Failed, poll, wait_for

Body = TypeVar("Body", bound=Callable[..., None])


@dataclasses.dataclass
class Try:
    """Tries one case or several. A case may have several tries, and is right if all of them are."""

    cases: tuple[str, ...]
    body: Callable[["Bench"], None]


TRIES: list[Try] = []
# A session bus. It lets in users that the machine does not list, because each app has its own user.
BUS = """<!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN"
 "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
<busconfig><type>session</type><listen>unix:path={}</listen>
<policy context="default"><allow user="*"/><allow send_destination="*" eavesdrop="true"/><allow eavesdrop="true"/>
<allow own="*"/></policy></busconfig>
"""
# Some inputs are servers with a fixed port, so two cases with the same port wait for each other.
ports: dict[int, threading.Lock] = {}


class Skipped(Exception):
    """The machine lacks something that the case needs."""


def case(*identifiers: str) -> Callable[[Body], Body]:
    def register(body: Body) -> Body:
        TRIES.append(Try(identifiers, body))
        return body

    return register


def expect(holds: Any, what: str) -> None:
    if not holds:
        raise Failed(what)


def text(path: str) -> str:
    with open(path, errors="replace") as file:
        return file.read()


def need(packages: dict[str, str]) -> None:
    """Skips the case if a file is missing. The names of the Debian packages are the keys, and the files the values."""
    missing = [package for package, path in packages.items() if not glob.glob(path)]
    if missing:
        raise Skipped(f"install {' '.join(missing)}")


class Bench:
    """What one case uses. `end` stops and removes it all."""

    def __init__(self, folder: str, bin: str, apps: str) -> None:
        self.inputs, self.bin, self.apps = folder, bin, apps
        # Apps have users of their own, and a /tmp of their own.
        self.folder = tempfile.mkdtemp(prefix="greenroom-case-", dir="/var/lib")
        os.chmod(self.folder, 0o755)
        self.system = System(bin)
        self.cleanups = contextlib.ExitStack()
        self.count = 0

    def end(self) -> None:
        self.cleanups.close()
        shutil.rmtree(self.folder, ignore_errors=True)
        self.system.remove()

    # The system

    is_up = False

    def up(self) -> System:
        """Starts the daemon, if it is not running."""
        if not self.is_up:
            self.is_up = True
            self.cleanups.callback(self.system.run, "down")
            result = self.system.up()
            expect(result.code == 0, result.output)
        return self.system

    def app(self, name: str) -> System:
        """Installs one of the example apps."""
        system = self.up()
        system.must("install", os.path.join(self.apps, name + ".app"))
        return system

    def install(self, path: str, name: str | None = None) -> Result:
        """Installs a copy of an input."""
        target = self.copy(path, name)
        if os.path.isdir(target):
            os.chmod(os.path.join(target, "Case"), 0o755)
        return self.up().run("install", target)

    def plain(self, name: str, command: str, lines: str = "") -> System:
        """Installs a program that does not know Greenroom."""
        entry = f"[Desktop Entry]\nType=Application\nName={name}\nExec={command}\n{lines}"
        system = self.up()
        system.must("install", self.write(f"org.example.{name}.desktop", entry))
        return system

    def output(self, app: str, *words: str, seconds: float = 10) -> str:
        """Waits until an app has printed all the words, or has ended. Returns all that it has printed."""

        def is_done() -> bool:
            output = self.system.run("output", app).output
            return all(word in output for word in words) or self.system.app(app)["state"] == "not-running"

        poll(is_done, seconds, 0.1)
        return self.system.run("output", app).output

    # Files

    def input(self, path: str) -> str:
        found = os.path.join(self.inputs, path)
        if not os.path.exists(found):
            raise Skipped(f"the input {path} is missing")
        return found

    def copy(self, path: str, name: str | None = None) -> str:
        source, target = self.input(path), os.path.join(self.folder, name or os.path.basename(path))
        (shutil.copytree if os.path.isdir(source) else shutil.copy)(source, target)
        return target

    def write(self, name: str, content: str | bytes) -> str:
        path = os.path.join(self.folder, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "wb") as file:
            file.write(content if isinstance(content, bytes) else content.encode())
        return path

    # Programs

    def start(self, *command: str, **variables: str) -> str:
        """Starts a program that runs until the case ends. Returns the file with its output."""
        self.count += 1
        log = os.path.join(self.folder, f"log-{self.count}")
        with open(log, "w") as output:
            program = subprocess.Popen(
                command, cwd=self.folder, stdin=subprocess.DEVNULL, stdout=output, stderr=output,
                env={**os.environ, **variables})
        self.cleanups.callback(end, program)
        return log

    def serve(self, script: str, port: int, *arguments: str) -> str:
        """Starts one of the servers among the inputs. Returns the file with its output."""
        lock = ports.setdefault(port, threading.Lock())
        lock.acquire()
        self.cleanups.callback(lock.release)
        log = self.start(sys.executable, "-u", self.input(f"servers/{script}"), *arguments)
        wait_for(script, lambda: is_open(port), 20)
        return log

    def bus(self) -> dict[str, str]:
        """Starts a session bus. Returns the variable with its address, which the system gets as well."""
        need({"dbus-daemon": "/usr/bin/dbus-daemon"})
        path = os.path.join(self.folder, "bus")
        configuration = self.write("bus.conf", BUS.format(path))
        self.start("/usr/bin/dbus-daemon", f"--config-file={configuration}", "--nofork", "--nopidfile")
        wait_for("the bus", lambda: listens(path), 10)
        variables = {"DBUS_SESSION_BUS_ADDRESS": f"unix:path={path}"}
        self.system.environment.update(variables)
        return variables

    def on_bus(self, script: str, *arguments: str, **variables: str) -> str:
        """Starts one of the inputs that are servers on the session bus."""
        need({
            "python3-dbus": "/usr/lib/python3/dist-packages/dbus/__init__.py",
            "python3-gi": "/usr/lib/python3/dist-packages/gi/__init__.py"})
        log = self.start("/usr/bin/python3", "-u", self.input(f"servers/{script}"), *arguments, **variables)
        wait_for(script, lambda: "up\n" in text(log), 20)
        return log



def end(program: subprocess.Popen[bytes]) -> None:
    """Ends a program. Some end others, or remove files, when they are asked to end."""
    program.terminate()
    try:
        program.wait(5)
    except subprocess.TimeoutExpired:
        program.kill()
        program.wait()


def ask(system: System, service: str, method: str, params: dict[str, Any]) -> dict[str, Any]:
    """Sends one request to a service, by the socket that it has for tools."""
    with socket.socket(socket.AF_UNIX) as peer:
        peer.settimeout(20)
        peer.connect(f"{system.home}/services/{service}/control")
        lines = peer.makefile("rw")
        answer: dict[str, Any] = {}
        for number, (name, values) in enumerate([("hello", {"protocol": 1, "role": "tool"}), (method, params)]):
            lines.write(json.dumps({"jsonrpc": "2.0", "id": number, "method": name, "params": values}) + "\n")
            lines.flush()
            answer = json.loads(lines.readline() or "{}")
        return answer
