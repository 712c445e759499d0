"""The kernel's means against a shortage of memory, as thin as Python allows; and processes to try them on."""

import ctypes
import os
import re
import select
import signal
import subprocess
import sys
import time

MB = 1 << 20
LIBC = ctypes.CDLL(None, use_errno=True)
PROCESS_MADVISE, PROCESS_MRELEASE = 440, 448
MADV_FREE, MADV_COLD, MADV_PAGEOUT = 8, 20, 21
ROOT = "/sys/fs/cgroup/pressure"


def read(path):
    with open(path) as file:
        return file.read()


def write(path, text):
    with open(path, "w") as file:
        file.write(text)


def now():
    """In milliseconds."""
    return time.monotonic_ns() / 1e6


def checked(result):
    if result < 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number))
    return result


def fields(text):
    """Numbers in kB or plain, by the word before them."""
    return {name: int(value) for name, value in re.findall(r"^(\w+):?\s+(\d+)", text, re.MULTILINE)}


def available():
    """MemAvailable, in MB."""
    return fields(read("/proc/meminfo"))["MemAvailable"] / 1024


class Group:
    """A cgroup for an app."""

    def __init__(self, name):
        os.makedirs(ROOT, exist_ok=True)
        write(f"{ROOT}/cgroup.subtree_control", "+memory +pids")
        self.path = f"{ROOT}/{name}"
        os.mkdir(self.path)

    def write(self, file, text):
        write(f"{self.path}/{file}", text)

    def events(self, file="memory.events"):
        return fields(read(f"{self.path}/{file}"))

    def freeze(self, is_frozen=True):
        """Returns when the kernel says so."""
        with open(f"{self.path}/cgroup.events") as file:
            poll = select.poll()
            poll.register(file, select.POLLPRI)
            self.write("cgroup.freeze", str(int(is_frozen)))
            while True:
                file.seek(0)
                if fields(file.read())["frozen"] == is_frozen:
                    return
                poll.poll()

    def remove(self):
        self.write("cgroup.kill", "1")
        while True:
            try:
                return os.rmdir(self.path)
            except OSError:
                # Its last process is still going; nothing tells of the end of a dying one's memory.
                time.sleep(0.01)


class App:
    """A process in a group of its own that holds so many megabytes of each kind, or goes on taking more."""

    def __init__(self, name, *order):
        self.group = Group(name)
        self.process = subprocess.Popen([sys.executable, os.path.join(os.path.dirname(__file__), "holder.py"),
                                         f"{self.group.path}/cgroup.procs", *map(str, order)],
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.pid = self.process.pid
        assert self.process.stdout.readline() == "ready\n"
        self.pidfd = os.pidfd_open(self.pid)

    def go(self):
        self.process.stdin.write("go\n")
        self.process.stdin.flush()

    def memory(self):
        """Written, purgeable, and clean memory, in MB."""
        kilobytes = fields(read(f"/proc/{self.pid}/smaps_rollup"))
        lazy = kilobytes["LazyFree"]
        return {"dirty": kilobytes["Private_Dirty"] / 1024, "purgeable": lazy / 1024,
                "clean": (kilobytes["Rss"] - kilobytes["Private_Dirty"] - lazy) / 1024}

    def ranges(self):
        """Everything that is mapped and can be advised on."""
        for line in read(f"/proc/{self.pid}/maps").splitlines():
            if "[v" not in line:
                begin, end = (int(word, 16) for word in line.split()[0].split("-"))
                yield begin, end - begin

    def advise(self, advice):
        """process_madvise on all of it, in calls of many ranges; how many bytes it went over."""
        class Range(ctypes.Structure):
            _fields_ = [("base", ctypes.c_void_p), ("length", ctypes.c_size_t)]

        ranges = list(self.ranges())
        array = (Range * len(ranges))(*ranges)
        return checked(LIBC.syscall(PROCESS_MADVISE, self.pidfd, array, ctypes.c_size_t(len(ranges)), advice, 0))

    def kill(self):
        signal.pidfd_send_signal(self.pidfd, signal.SIGKILL)

    def release(self):
        checked(LIBC.syscall(PROCESS_MRELEASE, self.pidfd, 0))

    def end(self):
        self.group.remove()
        self.process.wait()
        os.close(self.pidfd)


class Trigger:
    """A PSI trigger: tells when tasks have waited for memory for so long within a window."""

    def __init__(self, line, path="/proc/pressure/memory"):
        self.name = line
        self.file = os.open(path, os.O_RDWR | os.O_NONBLOCK)
        try:
            os.write(self.file, line.encode() + b"\0")
        except OSError:
            os.close(self.file)
            raise

    def fileno(self):
        return self.file


def lock():
    """Nothing that this process uses goes, and it is not chosen."""
    write("/proc/self/oom_score_adj", "-1000")
    # What is there, and what comes when it is touched.
    checked(LIBC.mlockall(1 | 2 | 4))


def drop_resource():
    """Without CAP_SYS_RESOURCE from the next execve on, as in many containers."""
    checked(LIBC.prctl(24, 24, 0, 0, 0))
