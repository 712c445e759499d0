"""One Greenroom system in a folder of its own, what is measured of it, and what was found."""

import collections
import contextlib
import os
import random
import shutil
import subprocess
import tempfile
import threading
import time

from control import Control, Late, Refused
from storms import kernel
from storms.files import is_socket
from storms.places import SYSTEM_PATH


class Answer:
    def __init__(self, code, output, took, memory=0):
        self.code, self.output, self.took, self.memory = code, output, took, memory


class World:
    """Everything that attacks and honest apps share. What is found goes to `broken`; nothing here waits without a bound."""

    def __init__(self, options, home=None):
        self.options = options
        self.random = random.Random(options.seed)
        self.folder = tempfile.mkdtemp(prefix="greenroom-chaos-")
        # Apps have users of their own and must be able to pass through; the home itself is closed to others.
        os.chmod(self.folder, 0o711)
        self.home = home or os.path.join(self.folder, "home")
        self.group = None
        self.broken: collections.Counter[str] = collections.Counter()
        self.lock = threading.Lock()
        # Held while an `open` is under way: two at once would overtake each other by rule.
        self.screen = threading.Lock()
        self.disturbances = []
        self.deaths = threading.Lock()
        self.groups = set()
        self.seen = {}
        self.running = collections.Counter()
        self.killed = collections.Counter()
        self.over = threading.Event()
        self.victim = os.path.join(self.folder, "victim")
        os.mkdir(self.victim, 0o755)
        self.canary = os.path.join(self.victim, "canary")
        with open(self.canary, "w") as file:
            file.write("untouched")
        # The addresses of a server that lies, and one that does not.
        self.lies, self.good = [], ""
        # Whose what is that attackers would like to have.
        self.owners = {self.victim: os.getuid(), self.canary: os.getuid()}

    # What was found

    def breach(self, sentence):
        with self.lock:
            if not self.broken[sentence]:
                print(f"  ! {self.clock()} {sentence}", flush=True)
            self.broken[sentence] += 1

    began = time.monotonic()

    @classmethod
    def clock(cls):
        return f"{time.monotonic() - cls.began:6.1f} s"

    # The tool

    def environment(self, home=None):
        return {
            "GREENROOM_HOME": home or self.home, "PATH": self.options.bin + ":" + SYSTEM_PATH, "LANG": "C.UTF-8",
            "HOME": self.folder, "TERM": "dumb"}

    def tool(self, *arguments, within=30.0, home=None, memory=None):
        """What `greenroom` said, or an answer with the code `None` when it did not end in time; it is ended then."""
        began = time.monotonic()
        with tempfile.TemporaryFile() as output:
            process = subprocess.Popen(
                [os.path.join(self.options.bin, "greenroom"), *arguments], env=self.environment(home), cwd="/",
                stdin=subprocess.DEVNULL, stdout=output, stderr=subprocess.STDOUT, start_new_session=True)
            code, usage = wait(process, within)
            size = output.seek(0, 2)
            output.seek(max(0, size - (1 << 16)))
            text = output.read().decode(errors="replace")
        return Answer(code, text, time.monotonic() - began, usage)

    def control(self):
        return Control(self.home)

    # The system

    def up(self, *options):
        answer = self.tool("up", "--detach", *options, within=60)
        self.group = kernel.text(os.path.join(self.home, "cgroup")).strip() or None
        self.watch()
        return answer

    def watch(self):
        """Remembers whatever belongs to the system, so that the end can be compared with it."""
        found = kernel.of_home(self.home)
        self.group = kernel.text(os.path.join(self.home, "cgroup")).strip() or self.group
        if self.group:
            self.groups.add(self.group)
            found.update(kernel.in_group(os.path.basename(self.group)))
        with self.lock:
            self.seen.update(found)

    def pid(self, what):
        path = {"daemon": "daemon.pid", "keeper": "keeper.pid", "transfers": "services/transfers/pid"}[what]
        words = kernel.text(os.path.join(self.home, path)).split()
        pid = int(words[0]) if words and words[0].isdigit() else None
        return pid if pid and kernel.born(pid) else None

    def app_group(self, app):
        return os.path.join(self.group, "app-" + app) if self.group else None

    def is_frozen(self, app):
        """What the kernel was told: the switch and not the moment."""
        group = self.app_group(app)
        return bool(group) and kernel.text(os.path.join(group, "cgroup.freeze")).strip() == "1"

    @contextlib.contextmanager
    def disturbance(self):
        """A time in which an `open` may take long, since the daemon dies: until the next one answers."""
        with self.deaths:
            # One death at a time: keeper and daemon dead together wait for a person, by rule.
            yield from self.disturbed()

    def disturbed(self):
        entry = [time.monotonic(), float("inf")]
        self.disturbances.append(entry)
        before = {what: self.pid(what) for what in ("keeper", "daemon")}
        try:
            yield before
            self.await_successors(before)
            control = self.control()
            try:
                control.insist("status", within=30)
            except (Late, Refused) as error:
                self.breach(f"after a kill the system did not answer again: {error}")
            control.close()
        finally:
            entry[1] = time.monotonic() + 0.5

    def await_successors(self, before):
        """Who was killed has a successor; a killed keeper's is the daemon, whose own is another one."""
        end = time.monotonic() + 20
        while time.monotonic() < end:
            now = {what: self.pid(what) for what in before}
            if all(now.values()) and now["daemon"] != before["daemon"]:
                return
            time.sleep(0.02)
        self.breach(f"after a kill there was no successor in 20 s: {before} → {now}")

    def was_disturbed(self, begin, end):
        return any(start < end and begin < over for start, over in self.disturbances)

    def measure(self):
        """Memory and descriptors of the system's own processes."""
        found = {}
        for what in ("daemon", "keeper", "transfers"):
            pid = self.pid(what)
            found[what] = (kernel.pss(pid), kernel.descriptors(pid)) if pid else (0, collections.Counter())
        return found

    # The end

    def leftovers(self, containers=()):
        """What a system that is down should not have left."""
        found = []
        end = time.monotonic() + 3
        while time.monotonic() < end:
            found = [
                f"the process {pid} ({kernel.text(f'/proc/{pid}/comm').strip()!r})"
                for pid, birth in self.seen.items() if kernel.is_alive(pid, birth)]
            found += [f"the process {pid}" for pid in kernel.of_home(self.home)]
            if not found:
                break
            time.sleep(0.05)
        for group in self.groups:
            name = os.path.basename(group)
            found += [f"the process {pid} in a group that was removed" for pid in kernel.in_group(name)]
            found += [f"the group {path}" for path in kernel.groups(name)]
        found += [f"the mount {path}" for path in kernel.mounts(self.home) if path != self.home]
        for folder, wanted in (("containers", containers), ("bundles", containers), ("run", containers), ("staging", ())):
            with contextlib.suppress(OSError):
                found += [
                    f"the folder {folder}/{name}" for name in os.listdir(os.path.join(self.home, folder))
                    if name not in wanted]
        for folder, _, files in os.walk(self.home):
            for file in files:
                if is_socket(os.path.join(folder, file)):
                    found.append(f"the socket {os.path.join(folder, file)}")
        return found

    def sweep(self):
        """Whatever is left, whoever failed: nothing of a run may stay on the machine."""
        self.watch()
        for group in self.groups or {None}:
            kernel.sweep(group, {**self.seen, **kernel.of_home(self.home)})
        for path in sorted(kernel.mounts(self.folder), key=len, reverse=True):
            subprocess.run(["umount", "-l", path], stderr=subprocess.DEVNULL, check=False)

    def remove(self):
        subprocess.run(["rm", "-rf", "--", self.folder], check=False)
        shutil.rmtree(self.folder, ignore_errors=True)


def wait(process, within):
    """The exit status, or `None` after the bound, and the most memory that the process had, in bytes."""
    end = time.monotonic() + within
    while True:
        pid, status, usage = os.wait4(process.pid, os.WNOHANG)
        if pid:
            process.returncode = os.waitstatus_to_exitcode(status)
            return process.returncode, usage.ru_maxrss << 10
        if time.monotonic() > end:
            process.kill()
            process.wait()
            return None, 0
        time.sleep(0.01)
