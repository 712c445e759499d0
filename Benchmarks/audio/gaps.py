"""Breaks in a tone while other programs burn the processor."""

import json
import os
import subprocess
import sys
import time

from latency import system
from world import NOBODY, Recorder, make_real_time, until

BURNERS = 32
BURN = "while True: pass"


def burn_words(world):
    return [sys.executable if os.access(sys.executable, os.X_OK) and not shadowed() else "/usr/bin/python3",
            world.write("burn.py", BURN + "\n")]


def shadowed():
    """Whether this Python lies where other users may not look."""
    return sys.executable.startswith("/root/")


def xruns(world):
    """Of each node, by its name, as PipeWire counts them: a client that was not done when the period was over."""
    done = subprocess.run(
        ["timeout", "4", "pw-top", "-b"], env=world.environment, capture_output=True, text=True, check=False)
    counts, column = {}, None
    for line in done.stdout.splitlines():
        words = line.split()
        if "ERR" in words:
            column = words.index("ERR")
        elif column and len(words) > column and words[column].isdigit():
            counts[words[-1]] = int(words[column])
    return counts


def listen(bench, recorder, name, player, seconds):
    world = bench.world
    # What is heard has begun, and goes on.
    recorder.ask("tone 2")
    before = xruns(world)
    result = recorder.ask(f"tone {seconds}")
    after = xruns(world)
    if result["lost"]:
        raise SystemExit(f"bench: the recorder was too slow: {result}")
    missed = {node: count - before.get(node, 0) for node, count in after.items()}
    result["xruns"] = sum(count for node, count in missed.items() if player in node)
    result["recorder"] = missed.get("bench-recorder", 0)
    minutes = result["seconds"] / 60
    bench.row(
        "gaps", name, result,
        f"{result['breaks'] / minutes:>6.0f} breaks a minute, {result['silent'] / minutes:>8.0f} ms of silence a "
        f"minute, longest {result['longest']:>7.1f} ms ({result['seconds']:.0f} s, peak {result['peak']:.2f}; xruns: "
        f"player {result['xruns']}, recorder {result['recorder']})")
    return result


def plain(bench, recorder, seconds):
    """Linux as a desktop starts programs, each in a session of its own; the same players, as nobody."""
    world = bench.world
    burners = []
    try:
        for beside in [0, BURNERS]:
            burners = [world.start(*burn_words(world), user=NOBODY) for _ in range(beside)]
            time.sleep(2 if beside else 0)
            for name in ["mpv", "mpv, with a real-time thread"]:
                player = world.mpv()
                time.sleep(2)
                if "real-time" in name:
                    make_real_time(player.pid)
                try:
                    listen(bench, recorder, f"plain Linux, {beside} beside: {name}", "mpv", seconds)
                finally:
                    player.end()
                recorder.ask("silence")
    finally:
        for process in burners:
            world.end(process)


def greenroom(bench, recorder, seconds):
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
                recorder.ask("first")
                recorder.hear()
                there.call("home")
                results.append(listen(
                    bench, recorder, f"Greenroom, {beside} beside: {title}", "mpv" if app == "mpv" else "Recital",
                    seconds))
                there.call("close", app)
                recorder.ask("silence")
        check(there, names)
    return results


def check(there, names):
    """The burners have burnt."""
    states = {app["name"]: app["state"] for app in json.loads(there.call("apps", "--json"))}
    if any(states[name] != "background" for name in names):
        raise SystemExit(f"bench: the burners do not run: {states}")


def measure(bench):
    seconds = 5 if bench.options.quick else 40
    recorder = Recorder(bench.world)
    bench.title(f"gaps: a tone goes on for {seconds} s beside {BURNERS} programs that burn the processor; PipeWire and "
                "the recorder have real-time threads")
    plain(bench, recorder, seconds)
    results = greenroom(bench, recorder, seconds)
    recorder.end()
    breaks = sum(result["breaks"] for result in results)
    bench.found["gaps"]["passed"] = breaks == 0
    print(f"  With Greenroom there are {breaks} breaks; none is what is asked for.", flush=True)
