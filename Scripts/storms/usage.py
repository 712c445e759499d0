"""Measures what a running process costs, for benchmarks: a process that has ended is an error."""

import os

TICKS = os.sysconf("SC_CLK_TCK")


def processor_seconds(pid: int) -> float:
    with open(f"/proc/{pid}/stat", encoding="utf-8") as file:
        fields = file.read().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / TICKS


def memory(pid: int) -> dict[str, int]:
    """The kinds of memory in /proc/PID/smaps_rollup, in bytes: `Pss` is its own and its part of what it shares."""
    with open(f"/proc/{pid}/smaps_rollup", encoding="utf-8") as file:
        lines = [line.split() for line in file]
    return {words[0].rstrip(":"): int(words[1]) << 10 for words in lines if words[-1] == "kB"}


def peak_memory(pid: int) -> int:
    """The most bytes that the process had in memory."""
    with open(f"/proc/{pid}/status", encoding="utf-8") as file:
        return next((int(line.split()[1]) << 10 for line in file if line.startswith("VmHWM")), 0)


def wakeups(pid: int) -> dict[str, int]:
    """How often each of its threads went to sleep by itself, since it began."""
    counts = {}
    for task in os.listdir(f"/proc/{pid}/task"):
        try:
            with open(f"/proc/{pid}/task/{task}/status", encoding="utf-8") as file:
                counts[task] = next(int(line.split()[1]) for line in file if line.startswith("voluntary_ctxt_switches"))
        except FileNotFoundError:
            # The worker thread of a queue has ended, because the queue was empty.
            pass
    return counts


def more_wakeups(pid: int, before: dict[str, int]) -> int:
    return sum(count - before.get(task, 0) for task, count in wakeups(pid).items())
