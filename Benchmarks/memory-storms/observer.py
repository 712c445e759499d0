"""Sees from outside, from one moment to the next, which app has gone and how much memory is available."""

import os
import re
import select
import threading
import time

MB = 1 << 20
PAGE = os.sysconf("SC_PAGESIZE")
# Between one look at the memory and the next, in milliseconds; that an app has gone is known at once.
INTERVAL = 4
# Below this part of the memory Greenroom ends apps (MemoryRules.terminate).
MARK = 0.05


def read(path):
    with open(path) as file:
        return file.read()


def field(path, name):
    found = re.search(rf"^{name}:?\s+(\d+)", read(path), re.MULTILINE)
    if not found:
        raise LookupError(f"{path} has no {name}")
    return int(found[1])


class Machine:
    """Memory as the kernel counts it."""

    def __init__(self):
        self.total = field("/proc/meminfo", "MemTotal") / 1024

    def available(self, pids):
        return field("/proc/meminfo", "MemAvailable") / 1024


class Budget:
    """Memory as far as the apps have it: what is anonymous, and their share of what is from files."""

    def __init__(self, megabytes):
        self.total = megabytes
        self.had, self.files, self.turn = {}, {}, 0

    def available(self, pids):
        self.turn += 1
        return self.total - sum(self.used(pid, (self.turn + order) % 64 == 0) for order, pid in enumerate(pids))

    def used(self, pid, is_due):
        """Of one that is dying, what it had: nothing has come back before it is gone."""
        try:
            _, resident, mapped, *_ = map(int, read(f"/proc/{pid}/statm").split())
            if resident:
                if is_due or pid not in self.files:
                    # What many map is there once. It takes long to tell, so in between what has changed counts in full.
                    self.files[pid] = field(f"/proc/{pid}/smaps_rollup", "Pss_File") / 1024 - mapped * PAGE / MB
                self.had[pid] = resident * PAGE / MB + self.files[pid]
        except (OSError, LookupError):
            pass
        return self.had.get(pid, 0)


class Death:
    def __init__(self, name, pid, was_visible):
        self.name, self.pid, self.was_visible = name, pid, was_visible


class Observer(threading.Thread):
    def __init__(self, memory):
        super().__init__(daemon=True)
        self.memory = memory
        self.lock = threading.Lock()
        # Processes and not apps: that an old one has gone may be heard of when the new one is on screen.
        self.visible = set()
        self.pids, self.names = {}, {}
        self.poll = select.poll()
        self.deaths, self.crossings, self.lowest = [], [], memory.total
        self.below_since = None
        self.is_over = False

    def run(self):
        while not self.is_over:
            for pidfd, _ in self.poll.poll(INTERVAL):
                self._gone(pidfd)
            self._look()
        if self.below_since is not None:
            self.crossings.append(time.monotonic() - self.below_since)

    def _look(self):
        available = self.memory.available(list(self.names))
        self.lowest = min(self.lowest, available)
        if available < self.memory.total * MARK:
            self.below_since = self.below_since or time.monotonic()
        elif self.below_since is not None:
            self.crossings.append(time.monotonic() - self.below_since)
            self.below_since = None

    def _gone(self, pidfd):
        with self.lock:
            pid = self.pids.pop(pidfd)
            self.poll.unregister(pidfd)
            self.deaths.append(Death(self.names.pop(pid), pid, pid in self.visible))
            self.visible.discard(pid)
        os.close(pidfd)

    def sees(self, pid):
        return pid in self.names

    def begin(self, name, pid):
        """A new process of an app, which is on screen."""
        with self.lock:
            self.visible.add(pid)
            try:
                pidfd = os.pidfd_open(pid)
            except ProcessLookupError:
                self.deaths.append(Death(name, pid, True))
                self.visible.discard(pid)
                return
            self.names[pid], self.pids[pidfd] = name, pid
            self.poll.register(pidfd, select.POLLIN)

    def show(self, pid):
        with self.lock:
            self.visible.add(pid)

    def hide(self, names):
        """They are no longer on screen, or may no longer be."""
        with self.lock:
            self.visible = {pid for pid in self.visible if self.names.get(pid) not in names}

    def end(self):
        """What goes from here on is none of the storm's."""
        self.is_over = True
        self.join()
        for pidfd in self.pids:
            os.close(pidfd)
