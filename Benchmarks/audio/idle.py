"""Memory and wakeups of the service while nobody plays, and while one app plays."""

import time

from latency import system
from storms.usage import memory, more_wakeups, processor_seconds, wakeups
from world import Recorder

# Seconds until it is quiet: WirePlumber suspends a sink after five, the service and a player rest after five and ten.
CALM = 20


def watch(bench, title, processes, seconds):
    bench.title(f"idle: {title}, for {seconds} s")
    before = {name: (wakeups(pid), processor_seconds(pid)) for name, pid in processes.items()}
    time.sleep(seconds)
    for name, pid in processes.items():
        counts, used = before[name]
        more = more_wakeups(pid, counts)
        used = processor_seconds(pid) - used
        sizes = memory(pid)
        pss, private = sizes["Pss"], sizes["Private_Clean"] + sizes["Private_Dirty"]
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
