"""A Greenroom system of its own in a temporary home, and what the kernel says about its apps."""

import json
import os
import shutil
import signal
import socket
import subprocess
import tempfile
import time

# Apps run under users of their own, who cannot enter every folder that may be in this user's PATH.
SYSTEM_PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
CALLBACKS = {
    "willFinishLaunching", "didFinishLaunching", "didBecomeActive", "willResignActive", "didEnterBackground",
    "willEnterForeground", "willTerminate", "performFetch", "handleEventsForBackgroundURLSession"}


class Failed(Exception):
    """The tour saw something else than it should."""


class Result:
    def __init__(self, output, code, took):
        self.output = output
        self.code = code
        self.took = took


class System:
    def __init__(self, tools):
        self.tools = os.path.abspath(tools)
        self.folder = tempfile.mkdtemp(prefix="greenroom-demo-")
        # Apps have users of their own and must be able to pass through; the home itself is closed to others.
        os.chmod(self.folder, 0o711)
        self.home = os.path.join(self.folder, "home")
        self.environment = dict(os.environ, GREENROOM_HOME=self.home, PATH=self.tools + ":" + SYSTEM_PATH)
        self.timeline = []
        self.pids = set()
        self.group = None

    # The tool

    def run(self, *arguments):
        began, at = time.monotonic(), time.time()
        process = subprocess.run(
            ["greenroom", *arguments], env=self.environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT, text=True, errors="replace", timeout=60)
        result = Result(process.stdout, process.returncode, time.monotonic() - began)
        self.timeline.append({"at": stamp(at), "command": list(arguments), "exit": result.code, "took": result.took})
        return result

    def json(self, *arguments):
        result = self.run(*arguments, "--json")
        if result.code != 0:
            raise Failed(f"greenroom {' '.join(arguments)} --json failed: {result.output.strip()}")
        return json.loads(result.output)

    def log(self, app=None, after=0):
        result = self.run("log", "--json", *(["--app", app] if app else []))
        if result.code != 0:
            raise Failed(f"greenroom log failed: {result.output.strip()}")
        entries = [json.loads(line) for line in result.output.splitlines() if line]
        return [entry for entry in entries if entry["seq"] > after]

    def last(self):
        return max((entry["seq"] for entry in self.log()), default=0)

    def callbacks(self, app, after):
        return [entry["event"] for entry in self.log(app, after) if entry["event"] in CALLBACKS]

    def app(self, identifier):
        for app in self.json("apps"):
            if app["app"] == identifier:
                self.pids.update(app["pids"])
                return app
        raise Failed(f"{identifier} is not installed")

    def await_state(self, identifier, state, limit=3.0):
        return wait_for(
            f"{identifier} to be {state}", lambda: (lambda app: app if app["state"] == state else None)(
                self.app(identifier)), limit)

    # The kernel

    def up(self):
        result = self.run("up", "--detach")
        if result.code == 0:
            self.pids.add(self.json("status")["pid"])
            self.pids.add(int(text(os.path.join(self.home, "keeper.pid")).split()[0]))
        self.group = text(os.path.join(self.home, "cgroup")).strip() or None
        return result

    def group_of(self, identifier):
        return os.path.join(self.group, "app-" + identifier) if self.group else None

    def is_frozen(self, identifier, pid):
        """Whether the kernel says so: in the app's cgroup, or, where there is none, in the process's state."""
        group = self.group_of(identifier)
        if group:
            return "frozen 1" in text(os.path.join(group, "cgroup.events")).splitlines()
        return stat_fields(pid)[0] in "Tt"

    def processor_time(self, identifier, pid):
        """Microseconds that the app's processes have computed so far."""
        group = self.group_of(identifier)
        if group:
            for line in text(os.path.join(group, "cpu.stat")).splitlines():
                if line.startswith("usage_usec "):
                    return int(line.split()[1])
        fields = stat_fields(pid)
        return (int(fields[11]) + int(fields[12])) * 1_000_000 // os.sysconf("SC_CLK_TCK")

    # The end

    def record(self, folder):
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

    def down(self, *options):
        return self.run("down", *options)

    def leftovers(self):
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

    def is_ours(self, pid):
        """A number that was given to somebody else since is not ours."""
        try:
            with open(f"/proc/{pid}/environ", "rb") as file:
                return self.home.encode() in file.read()
        except OSError:
            return False

    def remove(self):
        shutil.rmtree(self.folder, ignore_errors=True)


def wait_for(what, look, limit):
    """What `look` returns, as soon as it is true."""
    end = time.monotonic() + limit
    while True:
        found = look()
        if found:
            return found
        if time.monotonic() > end:
            raise Failed(f"waited {limit:g} s for {what}, which did not happen")
        time.sleep(0.005)


def text(path):
    try:
        with open(path, errors="replace") as file:
            return file.read()
    except OSError:
        return ""


def write(path, content):
    with open(path, "w") as file:
        file.write(content)


def is_socket(path):
    try:
        return (os.lstat(path).st_mode & 0o170000) == 0o140000
    except OSError:
        return False


def stat_fields(pid):
    """The fields of /proc/PID/stat from the state on: the name before them may hold anything."""
    return text(f"/proc/{pid}/stat").rpartition(")")[2].split() or ["?"] * 20


def free_port():
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


def stamp(seconds):
    whole = time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(seconds))
    return f"{whole}.{int(seconds % 1 * 1e6):06d}Z"


def moment(iso):
    """Seconds of a time in the log."""
    import datetime
    return datetime.datetime.strptime(iso, "%Y-%m-%dT%H:%M:%S.%f%z").timestamp()


def kill(pid):
    os.kill(pid, signal.SIGKILL)
