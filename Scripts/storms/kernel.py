"""What the kernel says of processes, groups and mounts, whatever their names hold."""

import collections
import contextlib
import os
import signal
import time

from storms.files import text


def stat_fields(pid: int) -> list[str]:
    """The fields of /proc/PID/stat from the state on: the name before them may hold anything."""
    return text(f"/proc/{pid}/stat").rpartition(")")[2].split()


def born(pid: int) -> str | None:
    """When the process began, in ticks: with the number it names one process; `None` when it is gone or a zombie."""
    fields = stat_fields(pid)
    return fields[19] if len(fields) > 19 and fields[0] not in "ZX" else None


def pss(pid: int) -> int:
    """Proportional memory in bytes; of a process that is gone, 0."""
    for line in text(f"/proc/{pid}/smaps_rollup").splitlines():
        if line.startswith("Pss:"):
            return int(line.split()[1]) << 10
    return 0


def descriptors(pid: int) -> collections.Counter[str]:
    """What is open, counted by kind; of a file its last name is its kind."""
    kinds: collections.Counter[str] = collections.Counter()
    try:
        for name in os.listdir(f"/proc/{pid}/fd"):
            with contextlib.suppress(OSError):
                target = os.readlink(f"/proc/{pid}/fd/{name}")
                kinds[os.path.basename(target) if target.startswith("/") else target.rstrip("0123456789[]:")] += 1
    except OSError:
        pass
    return kinds


def processor_seconds(pid: int) -> float:
    """Seconds that the process has computed; of a process that is gone, 0."""
    fields = stat_fields(pid)
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK") if len(fields) > 12 else 0.0


def pids() -> list[int]:
    return [int(name) for name in os.listdir("/proc") if name.isdigit()]


# Those that were looked at and are none of the home's, with their birth.
strangers: dict[tuple[str, int], str] = {}


def parent(pid: int) -> int:
    """The parent's pid; 0 if the process is gone."""
    fields = stat_fields(pid)
    return int(fields[1]) if len(fields) > 1 else 0


def of_home(home: str) -> dict[int, str]:
    """Every process that has this home in its command line or environment: pid → birth."""
    found = {}
    word = home.encode()
    for pid in pids():
        birth = born(pid)
        if pid == os.getpid() or birth is None or strangers.get((home, pid)) == birth:
            continue
        for name in ("cmdline", "environ"):
            try:
                with open(f"/proc/{pid}/{name}", "rb") as file:
                    if word in file.read(1 << 20):
                        found[pid] = birth
                        break
            except OSError:
                pass
        else:
            # Between birth and program it may still become one of them.
            if old_enough(birth):
                strangers[home, pid] = birth
    return found


def old_enough(birth: str) -> bool:
    return float(text("/proc/uptime").split()[0]) - int(birth) / os.sysconf("SC_CLK_TCK") > 2


def in_group(name: str) -> dict[int, str]:
    """Every process in a group of this name, in any hierarchy: pid → birth. Kernels name a group that was removed too."""
    found = {}
    for pid in pids():
        if name in text(f"/proc/{pid}/cgroup"):
            birth = born(pid)
            if birth:
                found[pid] = birth
    return found


def groups(name: str) -> list[str]:
    """The folders of all hierarchies that carry this name."""
    found = []
    for folder, names, _ in os.walk("/sys/fs/cgroup"):
        found += [os.path.join(folder, one) for one in names if one == name or one.startswith(name + "-")]
    return found


def mounts(folder: str) -> list[str]:
    return [line.split()[1] for line in text("/proc/self/mounts").splitlines() if folder in line.split()[1]]


def is_alive(pid: int, birth: str | None) -> bool:
    return birth is not None and born(pid) == birth


def kill(pid: int, number: int = signal.SIGKILL) -> None:
    """Sends a signal to a process, which may have ended."""
    with contextlib.suppress(ProcessLookupError):
        os.kill(pid, number)


def sweep(group: str | None, processes: dict[int, str]) -> None:
    """Ends whatever is left of a system that did not clear up itself: thaws, kills, removes the groups."""
    if group:
        for folder in sorted(groups(os.path.basename(group)), key=len):
            for inner, _, files in os.walk(folder):
                for name, word in (("cgroup.freeze", "0"), ("cgroup.kill", "1")):
                    if name in files:
                        with contextlib.suppress(OSError), open(os.path.join(inner, name), "w") as file:
                            file.write(word)
    end = time.monotonic() + 10
    while time.monotonic() < end:
        left = [pid for pid, birth in processes.items() if is_alive(pid, birth)]
        left += list(in_group(os.path.basename(group))) if group else []
        for pid in left:
            kill(pid)
        if not left:
            break
        time.sleep(0.05)
    if group:
        for folder in sorted(groups(os.path.basename(group)), key=len, reverse=True):
            for inner, _, _ in os.walk(folder, topdown=False):
                with contextlib.suppress(OSError):
                    os.rmdir(inner)
