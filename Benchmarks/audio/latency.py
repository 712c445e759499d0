"""How long it takes: pause → suspended, command → handler, play() → first sample."""

import contextlib
import os
import random
import subprocess
import time

from world import FACE, MPV, Freezer, Greenroom, Recorder, Tool, until

# So that what came before is over, and no rhythm of timers shows.
SHORTEST, LONGEST = 0.05, 0.15


def settle():
    time.sleep(random.uniform(SHORTEST, LONGEST))


@contextlib.contextmanager
def system(world):
    greenroom = Greenroom(world)
    try:
        yield greenroom
    finally:
        greenroom.close()


@contextlib.contextmanager
def presser(world):
    press = Tool(world, "press", "--bus", world.bus)
    try:
        yield press
    finally:
        press.end()


def pressed(press, words):
    answer = press.ask(words)
    if "error" in answer or "answered" not in answer:
        raise SystemExit(f"bench: {words}: {answer}")
    return answer


# pause → suspended


def frozen_floor(world, count):
    """A player's cgroup is frozen, and nothing else is done."""
    player, times = world.mpv(), []
    root = "/sys/fs/cgroup/unified" if os.path.isdir("/sys/fs/cgroup/unified") else "/sys/fs/cgroup"
    folder = f"{root}/greenroom-audio-bench-{os.getpid()}"
    os.mkdir(folder)
    try:
        with open(folder + "/cgroup.procs", "w", encoding="utf-8") as file:
            file.write(str(player.pid))
        freezer = Freezer(player.pid)
        for _ in range(count):
            for state in ["1", "0"]:
                settle()
                began = time.monotonic_ns()
                with open(folder + "/cgroup.freeze", "w", encoding="utf-8") as file:
                    file.write(state)
                done = freezer.wait(state == "1")
                if state == "1":
                    times.append(done - began)
        freezer.close()
    finally:
        player.end()
        until(lambda: remove_group(folder), "the end of mpv's cgroup")
    return times


def remove_group(folder):
    try:
        os.rmdir(folder)
    except OSError:
        return False
    return True


def pause(bench):
    count = 5 if bench.options.quick else 50
    heard, frozen, answered = [], [], []
    with system(bench.world) as greenroom:
        greenroom.play()
        greenroom.call("home")
        freezer = Freezer(greenroom.app()["pid"])
        for _ in range(count):
            settle()
            began = time.monotonic_ns()
            greenroom.call("audio", "pause")
            answered.append(time.monotonic_ns() - began)
            stopped = greenroom.hears("pause")
            heard.append(stopped - began)
            frozen.append(freezer.wait() - stopped)
            greenroom.call("audio", "play")
            greenroom.hears("play")
        freezer.close()
    bench.title("pause → suspended: an app in the background plays, and `greenroom audio pause` is called")
    floor = "the kernel alone: cgroup.freeze → frozen (mpv)"
    bench.times("pause", floor, frozen_floor(bench.world, count))
    bench.times("pause", "`greenroom audio pause` begins → the app's handler", heard)
    bench.times("pause", "the app's handler, which pauses → frozen", frozen, floor)
    bench.times("pause", "`greenroom audio pause`, until it has ended", answered)


# command → handler


def commands_to_app(greenroom, press, count, freezer=None):
    """To the handler; to its answer; to the news on the bus. Of an app that is suspended, or on screen."""
    times = {"handler": [], "answered": [], "changed": []}
    for number in range(count + 3):
        if freezer:
            freezer.wait()
        settle()
        if freezer and not freezer.is_frozen():
            raise SystemExit("bench: the app is not suspended when the command is sent")
        answer = pressed(press, FACE + " Next")
        answer["handler"] = greenroom.hears("next")
        # The first ones warm up what is made once.
        if number >= 3:
            for key, values in times.items():
                values.append(answer[key] - answer["sent"])
    return times


def commands_to_mpv(world, press, count):
    """To its word on its own socket; to the answer; to the news on the bus."""
    times = {"handler": [], "answered": [], "changed": []}
    player = world.mpv()
    try:
        player.observe("pause")
        until(lambda: owns(world, MPV.NAME), "mpv's player")
        for number in range(count + 3):
            settle()
            answer = pressed(press, MPV.NAME + " PlayPause")
            answer["handler"] = player.changed("pause")
            if number >= 3:
                for key, values in times.items():
                    if key in answer:
                        values.append(answer[key] - answer["sent"])
    finally:
        player.end()
    return times


def owns(world, name):
    short = name.removeprefix("org.mpris.MediaPlayer2.")
    done = subprocess.run(
        ["playerctl", "--list-all"], env=world.environment, capture_output=True, text=True, check=False)
    return short in done.stdout.split()


def playerctl(world, name, verb, done, count, before=lambda: None):
    """From the start of playerctl until the player has done it."""
    times = []
    for _ in range(count):
        before()
        settle()
        began = time.monotonic_ns()
        subprocess.run(
            ["playerctl", "--player", name.removeprefix("org.mpris.MediaPlayer2."), verb], env=world.environment,
            check=True, stdout=subprocess.DEVNULL)
        times.append(done() - began)
    return times


def command(bench):
    world, count = bench.world, 10 if bench.options.quick else 300
    few = max(5, count // 6)
    with presser(world) as press:
        mpv = commands_to_mpv(world, press, count)
        with system(world) as greenroom:
            greenroom.play()
            until(lambda: owns(world, FACE), "the app's player")
            shown = commands_to_app(greenroom, press, count)
            greenroom.call("home")
            freezer = Freezer(greenroom.app()["pid"])
            greenroom.call("audio", "pause")
            asleep = commands_to_app(greenroom, press, count, freezer)
            tool = playerctl(world, FACE, "next", lambda: greenroom.hears("next"), few, freezer.wait)
            freezer.close()
    player = world.mpv()
    try:
        player.observe("pause")
        until(lambda: owns(world, MPV.NAME), "mpv's player")
        plain = playerctl(world, MPV.NAME, "play-pause", lambda: player.changed("pause"), few)
    finally:
        player.end()
    bench.title(
        "command → handler: a call over MPRIS; mpv was left running, and its own socket says that it has obeyed")
    report(bench, mpv, "mpv")
    report(bench, shown, "an app on screen")
    report(bench, asleep, "a suspended app, thaw included")
    bench.times("command", "mpv: playerctl begins → it has obeyed", plain)
    bench.times(
        "command", "a suspended app: playerctl begins → handler", tool, "mpv: playerctl begins → it has obeyed")


def report(bench, times, who):
    names = [("handler", "it has obeyed" if who == "mpv" else "handler"), ("answered", "the call's answer"),
             ("changed", "the news on the bus")]
    for key, what in names:
        other = f"mpv: call → {'it has obeyed' if key == 'handler' else what}"
        name = f"{who}: call → {what}"
        if times[key]:
            than = other if who != "mpv" and other in bench.found["command"] else None
            bench.times("command", name, times[key], than)


# play() → first sample


def bare(world, recorder, count):
    """Streams of libpipewire in a process that is connected: new ones, and such as were paused."""
    opened, started = [], []
    tone = Tool(world, "tone", "--server", world.socket)
    for _ in range(count):
        for word, times in [("open", opened), ("start", started)]:
            settle()
            heard = []
            with recorder.first(heard):
                settle()
                began = tone.ask(word)["at"]
            times.append(heard[0] - began)
            tone.ask("pause")
        tone.ask("close")
    tone.end()
    return opened, started


def pw_play(world, recorder, count):
    times = []
    for _ in range(count):
        heard = []
        with recorder.first(heard):
            settle()
            began = time.monotonic_ns()
            process = world.start("pw-play", world.sound)
        times.append(heard[0] - began)
        world.end(process)
    return times


def played(greenroom, recorder, press, count):
    """Of an app on screen that runs: with a player that is new, and with one that was paused."""
    new, again = [], []
    for _ in range(count):
        for before, times in [("Stop", new), ("Pause", again)]:
            pressed(press, f"{FACE} {before}")
            heard = []
            with recorder.first(heard):
                settle()
                pressed(press, FACE + " Play")
            times.append(heard[0] - greenroom.hears("play"))
    return new, again


def thawed(greenroom, recorder, press, count):
    """From the command to a suspended app until it sounds."""
    times, freezer = [], Freezer(greenroom.app()["pid"])
    for _ in range(count):
        pressed(press, FACE + " Pause")
        freezer.wait()
        heard = []
        with recorder.first(heard):
            settle()
            answer = pressed(press, FACE + " Play")
        times.append(heard[0] - answer["sent"])
        greenroom.hears("play")
    freezer.close()
    return times


def cold(greenroom, recorder, count):
    """Of an app that does not run: from the command, and from its play()."""
    whole, part = [], []
    for _ in range(count):
        greenroom.call("close", "Recital")
        heard = []
        with recorder.first(heard):
            settle()
            began = time.monotonic_ns()
            asked = greenroom.play()
        whole.append(heard[0] - began)
        part.append(heard[0] - asked)
    return whole, part


def start(bench):
    world, count = bench.world, 5 if bench.options.quick else 40
    recorder = Recorder(world)
    opened, started = bare(world, recorder, count)
    plain = pw_play(world, recorder, count)
    with system(world) as greenroom, presser(world) as press:
        greenroom.play()
        until(lambda: owns(world, FACE), "the app's player")
        new, again = played(greenroom, recorder, press, count)
        greenroom.call("home")
        woken = thawed(greenroom, recorder, press, count)
        whole, part = cold(greenroom, recorder, max(3, count // 4))
    recorder.end()
    bench.title("play → first sample at the sink's monitor; the sink is running, a period of it is "
                f"{period(world)}")
    floor_new, floor_again = "a bare stream: opened and started", "a bare stream: started again after a pause"
    bench.times("start", floor_new, opened)
    bench.times("start", "AVAudioPlayer: play() of a new player", new, floor_new)
    bench.times("start", floor_again, started)
    bench.times("start", "AVAudioPlayer: play() after pause()", again, floor_again)
    bench.times("start", "pw-play: from its exec", plain)
    bench.times("start", "a suspended app: “play” over MPRIS, thaw included", woken, "pw-play: from its exec")
    bench.times("start", "an app that did not run: from `greenroom open URL`", whole, "pw-play: from its exec")
    bench.times("start", "the same, from its play()", part, floor_new)


def period(world):
    """As PipeWire's settings say."""
    done = subprocess.run(
        ["pw-metadata", "-n", "settings", "0", "clock.quantum"], env=world.environment, capture_output=True, text=True,
        check=False)
    words = done.stdout.split("value:'")
    return f"{int(words[1].split(chr(39))[0]) / 48:.1f} ms" if len(words) > 1 else "unknown length"
