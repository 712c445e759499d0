"""Starts a gateway, and the public libraries of Fixtures/providers that send to it."""

import hashlib
import json
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Sequence
from typing import Any

from storms.places import ROOT

PROVIDERS = os.path.join(ROOT, "Fixtures/providers")

# Each library and what it needs.
LIBRARIES = {
    "aioapns": "h2-4",
    "pyapns-client": "h2-4",
    "kalyke": "h2-4",
    "aapns": "h2-3",
    "apns2": "hyper",
}


class Failure(Exception):
    pass


def demand(condition: Any, text: str) -> None:
    if not condition:
        raise Failure(text)


def environment(name: str) -> str:
    """The folder of a virtual environment with these requirements: made once, and again when they change."""
    file = os.path.join(PROVIDERS, "requirements", name + ".txt")
    with open(file, "rb") as requirements:
        digest = hashlib.sha256(requirements.read() + sys.version.encode()).hexdigest()[:12]
    folder = os.path.join(ROOT, ".build/push-clients", f"{name}-{digest}")
    if not os.path.exists(folder + "/complete"):
        shutil.rmtree(folder, ignore_errors=True)
        subprocess.run([sys.executable, "-m", "venv", folder], check=True)
        install = [folder + "/bin/pip", "install", "--quiet", "--no-deps", "--requirement", file]
        subprocess.run([*install, "--disable-pip-version-check"], check=True)
        with open(folder + "/complete", "w", encoding="utf-8"):
            pass
    return folder


class Gateway:
    """greenroom-pushgate in a folder of its own."""

    process: subprocess.Popen[str] | None = None

    def __init__(self, binaries: str, folder: str, names: Sequence[str] = ("localhost",)) -> None:
        self.program, self.home = os.path.join(binaries, "greenroom-pushgate"), folder
        arguments = [f"--name={name}" for name in names] + ["--listen=127.0.0.1:0", "--link=127.0.0.1:0", "--json"]
        self.facts = json.loads(self.tool("init", *arguments))
        self.log = open(folder + ".log", "ab")

    def tool(self, verb: str, *arguments: str) -> str:
        command = [self.program, verb, "--home", self.home, *arguments]
        return subprocess.run(command, check=True, capture_output=True, text=True).stdout

    def key(self, *arguments: str) -> dict[str, str]:
        return self.credentials(json.loads(self.tool("key", "--json", *arguments)))

    def credentials(self, facts: dict[str, str] | None = None) -> dict[str, str]:
        facts = facts or self.facts
        return {"team": facts["team"], "key": facts["key"], "keyFile": facts["keyFile"]}

    def certificate(self, app: str, *arguments: str) -> dict[str, str]:
        return {"certificate": self.tool("certificate", "--app", app, *arguments).strip()}

    def suspend(self, key: str) -> None:
        file = self.home + "/providers.json"
        with open(file, encoding="utf-8") as before:
            directory = json.load(before)
        for entry in directory["keys"]:
            entry["suspended"] = entry["suspended"] or entry["id"] == key
        with open(file, "w", encoding="utf-8") as after:
            json.dump(directory, after)

    def start(self, **settings: Any) -> None:
        """Serves, with settings that differ from the usual ones; on the same ports as before."""
        file = self.home + "/gateway.json"
        if self.process is None:
            with open(file, encoding="utf-8") as usual:
                self.settings = json.load(usual)
        with open(file, "w", encoding="utf-8") as changed:
            json.dump({**self.settings, "metrics": "127.0.0.1:0", **settings}, changed)
        self.process = subprocess.Popen(
            [self.program, "serve", "--home", self.home, "--log-level", "debug"],
            stdout=subprocess.PIPE, stderr=self.log, text=True,
        )
        line = self.process.stdout.readline() if self.process.stdout else ""
        demand(line, f"the gateway does not serve; see {self.log.name}")
        addresses = json.loads(line)
        self.port, self.link = (int(addresses[key].rsplit(":", 1)[1]) for key in ("listen", "link"))
        self.settings.update(listen=addresses["listen"], link=addresses["link"])
        self.metrics = addresses["metrics"]

    def end(self) -> None:
        if self.process and self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
            demand(self.process.wait(20) == 0, "the gateway does not end in order")
            close(self.process)

    def restart(self, **settings: Any) -> None:
        self.end()
        self.start(**settings)

    def kill(self) -> None:
        if self.process and self.process.poll() is None:
            self.process.kill()
            self.process.wait()
            close(self.process)
        self.log.close()

    def ended(self, reason: str) -> int:
        """How many connections it has ended for this reason, by its log."""
        with open(self.log.name, encoding="utf-8") as file:
            return sum(f"reason={reason}" in line for line in file)


def close(process: subprocess.Popen[str]) -> None:
    for stream in (process.stdin, process.stdout):
        if stream:
            stream.close()


class Library:
    """A provider that runs: one of Fixtures/providers."""

    def __init__(self, name: str, gateway: Gateway) -> None:
        self.name, self.gateway = name, gateway
        python = environment(LIBRARIES[name]) + "/bin/python"
        program = os.path.join(PROVIDERS, "with_" + name.replace("-", "_") + ".py")
        self.process = subprocess.Popen(
            [python, "-B", program], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
            stderr=gateway.log, env={**os.environ, "SSL_CERT_FILE": gateway.facts["authority"]},
        )
        self.opened = 0

    def ask(self, **command: Any) -> dict[str, Any]:
        assert self.process.stdin and self.process.stdout
        self.process.stdin.write(json.dumps(command) + "\n")
        self.process.stdin.flush()
        line = self.process.stdout.readline()
        demand(line, f"{self.name} ended")
        answer: dict[str, Any] = json.loads(line)
        demand("broke" not in answer, f"{self.name} broke: {answer.get('broke')}")
        demand("cannot" not in answer, f"{self.name} cannot do what this test says that it can: {answer.get('cannot')}")
        return answer

    def open(self, credentials: dict[str, str], topic: str | None = None) -> str:
        self.opened += 1
        name = f"client {self.opened}"
        where = {"host": "localhost", "port": self.gateway.port, "ca": self.gateway.facts["authority"], "topic": topic}
        self.ask(do="open", **{"as": name}, **where, **credentials)
        return name

    def send(self, client: str, **push: Any) -> dict[str, Any]:
        return self.ask(do="send", **{"as": client}, **push)

    def end(self) -> None:
        # Each ends with its standard input.
        if self.process.stdin:
            self.process.stdin.close()
        self.process.wait(10)
        close(self.process)
