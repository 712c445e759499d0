"""A Greenroom system of its own in a temporary home, and what the kernel says about its apps."""

import datetime
import json
import os
import shutil
import subprocess
import tempfile
import time
from typing import Any

from storms import kernel
from storms.files import is_socket, text, write
from storms.places import SYSTEM_PATH
from storms.waiting import Failed, wait_for

CALLBACKS = {
    "willFinishLaunching", "didFinishLaunching", "didBecomeActive", "willResignActive", "didEnterBackground",
    "willEnterForeground", "willTerminate", "performFetch", "handleEventsForBackgroundURLSession"}


class Result:
    def __init__(self, output: str, code: int, took: float) -> None:
        self.output = output
        self.code = code
        self.took = took


class System:
    def __init__(self, tools: str) -> None:
        self.tools = os.path.abspath(tools)
        self.folder = tempfile.mkdtemp(prefix="greenroom-demo-")
        # Apps have users of their own and must be able to pass through; the home itself is closed to others.
        os.chmod(self.folder, 0o711)
        self.home = os.path.join(self.folder, "home")
        self.environment = dict(os.environ, GREENROOM_HOME=self.home, PATH=self.tools + ":" + SYSTEM_PATH)
        self.timeline: list[dict[str, Any]] = []
        self.pids: set[int] = set()
        self.group: str | None = None

    # The tool

    def run(self, *arguments: str) -> Result:
        began, at = time.monotonic(), time.time()
        process = subprocess.run(
            ["greenroom", *arguments], env=self.environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT, text=True, errors="replace", timeout=60)
        result = Result(process.stdout, process.returncode, time.monotonic() - began)
        self.timeline.append({"at": stamp(at), "command": list(arguments), "exit": result.code, "took": result.took})
        return result

    def must(self, *arguments: str) -> str:
        """Returns the output of a command that has to succeed."""
        result = self.run(*arguments)
        if result.code != 0:
            raise Failed(f"greenroom {' '.join(arguments)}: {result.output.strip()}")
        return result.output

    def json(self, *arguments: str) -> Any:
        result = self.run(*arguments, "--json")
        if result.code != 0:
            raise Failed(f"greenroom {' '.join(arguments)} --json failed: {result.output.strip()}")
        return json.loads(result.output)

    def log(self, app: str | None = None, after: int = 0) -> list[dict[str, Any]]:
        result = self.run("log", "--json", *(["--app", app] if app else []))
        if result.code != 0:
            raise Failed(f"greenroom log failed: {result.output.strip()}")
        entries = [json.loads(line) for line in result.output.splitlines() if line]
        return [entry for entry in entries if entry["seq"] > after]

    def last(self) -> int:
        return max((entry["seq"] for entry in self.log()), default=0)

    def callbacks(self, app: str, after: int) -> list[str]:
        return [entry["event"] for entry in self.log(app, after) if entry["event"] in CALLBACKS]

    def app(self, identifier: str) -> dict[str, Any]:
        for app in self.json("apps"):
            if app["app"] == identifier:
                self.pids.update(app["pids"])
                return app
        raise Failed(f"{identifier} is not installed")

    def await_state(self, identifier: str, state: str, limit: float = 3.0) -> dict[str, Any]:
        def look() -> dict[str, Any] | None:
            app = self.app(identifier)
            return app if app["state"] == state else None

        return wait_for(f"{identifier} to be {state}", look, limit)

    def daemon(self) -> int | None:
        """The daemon's process; `None` while no daemon answers."""
        result = self.run("status", "--json")
        return json.loads(result.output)["pid"] if result.code == 0 else None

    # The kernel

    def up(self) -> Result:
        result = self.run("up", "--detach")
        if result.code == 0:
            self.pids.add(self.json("status")["pid"])
            self.pids.add(int(text(os.path.join(self.home, "keeper.pid")).split()[0]))
        self.group = text(os.path.join(self.home, "cgroup")).strip() or None
        return result

    def group_of(self, identifier: str) -> str | None:
        return os.path.join(self.group, "app-" + identifier) if self.group else None

    def is_frozen(self, identifier: str, pid: int) -> bool:
        """Whether the kernel says so: in the app's cgroup, or, where there is none, in the process's state."""
        group = self.group_of(identifier)
        if group:
            return "frozen 1" in text(os.path.join(group, "cgroup.events")).splitlines()
        return kernel.stat_fields(pid)[:1] in (["T"], ["t"])

    def processor_time(self, identifier: str, pid: int) -> int:
        """Microseconds that the app's processes have computed so far."""
        group = self.group_of(identifier)
        if group:
            for line in text(os.path.join(group, "cpu.stat")).splitlines():
                if line.startswith("usage_usec "):
                    return int(line.split()[1])
        return round(kernel.processor_seconds(pid) * 1_000_000)

    # The end

    def record(self, folder: str) -> None:
        """Keeps what can be looked at later, while the system still answers."""
        os.makedirs(os.path.join(folder, "reports"), exist_ok=True)
        for name, arguments in (
                ("log.jsonl", ["log", "--json"]), ("apps.json", ["apps", "--json"]),
                ("reports.json", ["reports", "--json"]), ("doctor.json", ["doctor", "--json"])):
            write(os.path.join(folder, name), self.run(*arguments).output)
        # Behind the log, so that whatever is there is here too.
        trace = self.run("timeline", "--export", os.path.join(folder, "trace.json"))
        if trace.code != 0:
            raise Failed(f"greenroom timeline: {trace.output.strip()}")
        for report in self.json("reports"):
            name = os.path.join(folder, "reports", report["id"] + ".ips")
            write(name, self.run("reports", "show", report["id"]).output)
        write(
            os.path.join(folder, "timeline.jsonl"), "".join(json.dumps(entry) + "\n" for entry in self.timeline))
        # Segments of an earlier recording would be taken for a part of this one.
        shutil.rmtree(os.path.join(folder, "journal"), ignore_errors=True)
        shutil.copytree(os.path.join(self.home, "journal"), os.path.join(folder, "journal"))
        replay = self.run("replay", folder)
        write(os.path.join(folder, "replay.txt"), replay.output)
        if replay.code != 0:
            raise Failed(f"greenroom replay {folder}: {replay.output.strip()}")
        daemon_log = os.path.join(self.home, "daemon.log")
        if os.path.exists(daemon_log):
            shutil.copy(daemon_log, folder)

    def down(self, *options: str) -> Result:
        return self.run("down", *options)

    def leftovers(self) -> list[str]:
        """What a system that is down should not have left."""
        found = [f"process {pid}" for pid in sorted(self.pids) if pid and self.is_ours(pid)]
        if self.group:
            name = os.path.basename(self.group)
            found += [path for path in [self.group, "/sys/fs/cgroup/pids/" + name] if os.path.exists(path)]
        for folder, _, files in os.walk(self.home):
            for file in files:
                path = os.path.join(folder, file)
                if not os.path.islink(path) and is_socket(path):
                    found.append(path)
        with open("/proc/self/mounts") as mounts:
            found += [line.split()[1] for line in mounts if self.folder in line]
        return found

    def is_ours(self, pid: int) -> bool:
        """The kernel may have given the number to another process since."""
        try:
            with open(f"/proc/{pid}/environ", "rb") as file:
                return self.home.encode() in file.read()
        except OSError:
            return False

    def remove(self) -> None:
        shutil.rmtree(self.folder, ignore_errors=True)


def stamp(seconds: float) -> str:
    whole = time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(seconds))
    return f"{whole}.{int(seconds % 1 * 1e6):06d}Z"


def moment(iso: str) -> float:
    """Seconds of a time in the log."""
    return datetime.datetime.strptime(iso, "%Y-%m-%dT%H:%M:%S.%f%z").timestamp()
