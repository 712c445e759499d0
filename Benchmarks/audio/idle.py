"""Memory and wakeups of the service while nobody plays, and while one app plays."""

import os
import time

from latency import system
from world import Recorder

# Seconds until it is quiet: WirePlumber suspends a sink after five, the service and a player rest after five and ten.
CALM = 20
TICKS = os.sysconf("SC_CLK_TCK")


def memory(pid):
    """Its part of what it shares, and what it alone has; in bytes."""
    with open(f"/proc/{pid}/smaps_rollup", encoding="utf-8") as file:
        sizes = {words[0]: int(words[1]) << 10 for words in (line.split() for line in file) if words[-1] == "kB"}
    return sizes["Pss:"], sizes["Private_Clean:"] + sizes["Private_Dirty:"]


def wakeups(pid):
    """How often each of its threads went to sleep by itself."""
    counts = {}
    for task in os.listdir(f"/proc/{pid}/task"):
        try:
            with open(f"/proc/{pid}/task/{task}/status", encoding="utf-8") as file:
                counts[task] = next(int(line.split()[1]) for line in file if line.startswith("voluntary_ctxt"))
        except FileNotFoundError:
            # A worker of a queue that had nothing to do any more.
            pass
    return counts


def processor(pid):
    with open(f"/proc/{pid}/stat", encoding="utf-8") as file:
        fields = file.read().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / TICKS


def watch(bench, title, processes, seconds):
    bench.title(f"idle: {title}, for {seconds} s")
    before = {name: (wakeups(pid), processor(pid)) for name, pid in processes.items()}
    time.sleep(seconds)
    for name, pid in processes.items():
        counts, used = before[name]
        more = sum(count - counts.get(task, 0) for task, count in wakeups(pid).items())
        used = processor(pid) - used
        pss, private = memory(pid)
        figures = {"pss": pss, "private": private, "wakeups a minute": more * 60 / seconds,
                   "processor a minute": used * 60 / seconds}
        bench.row(
            "idle", f"{title}: {name}", figures,
            f"PSS {pss / 2**20:6.1f} MiB, private {private / 2**20:6.1f} MiB, "
            f"{figures['wakeups a minute']:>7.1f} wakeups and {used * 60e3 / seconds:>6.0f} ms of processor a minute")


def measure(bench):
    world, seconds = bench.world, 10 if bench.options.quick else 60
    with system(world) as greenroom:
        greenroom.play()
        recorder = Recorder(world)
        recorder.ask("tone 1")
        recorder.end()
        processes = {"greenroom-audiod": greenroom.service(), "pipewire": world.pipewire.pid,
                     "wireplumber": world.manager.pid}
        greenroom.call("home")
        time.sleep(CALM)
        watch(bench, "an app plays in the background", {**processes, "the app": greenroom.app()["pid"]}, seconds)
        greenroom.call("audio", "pause")
        time.sleep(CALM)
        watch(bench, "nobody plays, the app is suspended", processes, seconds)
        greenroom.call("close", "Recital")
        time.sleep(CALM)
        watch(bench, "nobody plays, no app is there", processes, seconds)
