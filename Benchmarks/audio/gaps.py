"""Gaps in a tone while other programs burn the processor."""

import json
import time

from latency import system
from world import NOBODY, Recorder, make_real_time

BURNERS = 32
BURN = "while :; do :; done\n"
# Seconds from a player's start, or from what it leaves the screen for, until it counts.
START = 2
# Two recorders hear of the same moment within so many nanoseconds.
TOGETHER = 50_000_000
# Milliseconds: half of the shortest period that players here ask for.
LATE = 5
# A tone that is played has a higher peak.
QUIETEST = 0.1


def burn_words(world):
    return ["/bin/sh", world.write("burn", BURN)]


class Ears:
    """Two recorders: what only one of them hears is its own, and was not played."""

    def __init__(self, world):
        self.recorders = [Recorder(world) for _ in range(2)]

    def silence(self):
        self.recorders[0].ask("silence")

    def begun(self):
        self.recorders[0].ask("first")
        self.recorders[0].hear()

    def listen(self, seconds):
        for recorder in self.recorders:
            recorder.say(f"tone {seconds}")
        one, other = [recorder.hear() for recorder in self.recorders]
        if one["lost"] or other["lost"]:
            raise SystemExit(f"bench: a recorder was too slow: {one} {other}")
        both = [at for at in one["at"] if any(abs(at - there) < TOGETHER for there in other["at"])]
        stalls = stalled([min(pair) for pair in zip(one["late"], other["late"])])
        silent = min(one["silent"], other["silent"])
        return {
            "gaps": max(len(stalls), len(both)), "missing": sum(stalls) + silent,
            "longest": max(stalls + [min(one["longest"], other["longest"])]),
            "breaks": len(both), "seconds": one["seconds"], "peak": min(one["peak"], other["peak"]),
        }

    def end(self):
        for recorder in self.recorders:
            recorder.end()


def stalled(late):
    """By how many milliseconds the sound fell behind each time. The sink waits for a player that is late, where a card
    would play nothing, and goes on with what it had."""
    found, most = [], late[0]
    for value in late[1:]:
        if value - most > LATE:
            found.append(value - most)
        most = max(most, value)
    return found


def listen(bench, ears, name, seconds):
    result = ears.listen(seconds)
    if result["peak"] < QUIETEST:
        raise SystemExit(f"bench: {name}: it does not play: {result}")
    minutes = result["seconds"] / 60
    bench.row(
        "gaps", name, result,
        f"{result['gaps'] / minutes:>6.1f} gaps and {result['missing'] / minutes:>7.0f} ms missing a minute, the "
        f"longest {result['longest']:>6.1f} ms   ({result['seconds']:.0f} s)")
    return result


def plain(bench, ears, seconds):
    """Linux as a desktop starts programs, each in a session of its own; the same players, as nobody."""
    world = bench.world
    burners = []
    try:
        for beside in [0, BURNERS]:
            burners = [world.start(*burn_words(world), user=NOBODY) for _ in range(beside)]
            time.sleep(2 if beside else 0)
            for name in ["mpv", "mpv, with a real-time thread"]:
                player = world.mpv()
                time.sleep(START)
                if "real-time" in name:
                    make_real_time(player.pid)
                try:
                    listen(bench, ears, f"plain Linux, {beside} beside: {name}", seconds)
                finally:
                    player.end()
                ears.silence()
    finally:
        for process in burners:
            world.end(process)


def greenroom(bench, ears, seconds):
    """Players and burners are apps in the background; burners are exempted from suspension."""
    world, results = bench.world, []
    with system(world) as there:
        names = [f"burn{number}" for number in range(BURNERS)]
        words = " ".join(burn_words(world))
        for name in names:
            there.install(name, words)
            there.call("exempt", name)
        there.install("mpv", " ".join(world.mpv_words()), "X-Greenroom-BackgroundModes=audio;")
        for beside in [0, BURNERS]:
            for name in names[:beside]:
                there.call("open", name)
            there.call("home")
            time.sleep(2 if beside else 0)
            for app, title in [("mpv", "mpv"), ("Recital", "an app with AVAudioPlayer")]:
                if app == "mpv":
                    there.call("open", app)
                else:
                    there.play()
                ears.begun()
                there.call("home")
                time.sleep(START)
                results.append(listen(bench, ears, f"Greenroom, {beside} beside: {title}", seconds))
                there.call("close", app)
                ears.silence()
        check(there, names)
    return results


def check(there, names):
    """The burners have burnt."""
    states = {app["name"]: app["state"] for app in json.loads(there.call("apps", "--json"))}
    if any(states[name] != "background" for name in names):
        raise SystemExit(f"bench: the burners do not run: {states}")


def measure(bench):
    seconds = 5 if bench.options.quick else 40
    ears = Ears(bench.world)
    bench.title(f"gaps: a tone goes on for {seconds} s beside {BURNERS} programs that burn the processor; PipeWire and "
                "the recorders have real-time threads")
    plain(bench, ears, seconds)
    results = greenroom(bench, ears, seconds)
    ears.end()
    count = sum(result["gaps"] for result in results)
    bench.found["gaps"]["passed"] = count == 0
    print(f"  With Greenroom there are {count} gaps; none is what is asked for.", flush=True)
