"""Sound: formats, players of other programs, and controls."""

import os
import plistlib
import shutil
import subprocess

from cases.bench import Bench, ask, case, expect, need, text
from storms.audio.ear import Ear
from storms.audio.sound import Sound
from storms.places import ROOT
from storms.waiting import poll, wait_for

TONE = "org.greenroom.fixtures.tone"
NO_TRACK = "/org/mpris/MediaPlayer2/TrackList/NoTrack"
# An app that plays a track and is almost at its end. It prints what the audio service sends.
PLAYER = """#!/usr/bin/python3
import json, sys, threading
sys.dont_write_bytecode = True
from greenroom_app import App

HELLO = {
    "protocol": 1, "session": {"category": "playback"}, "active": True, "streams": [], "running": [],
    "remote": {"commands": ["play", "pause", "skipForward", "next"]},
    "nowPlaying": {"title": "Song", "duration": 100.0, "elapsed": 95.0, "rate": 0.0, "state": "playing"}}


def serve():
    channel = app.connect("audio").makefile("rw")

    def send(message):
        channel.write(json.dumps({"jsonrpc": "2.0", **message}) + "\\n")
        channel.flush()

    send({"id": 1, "method": "hello", "params": HELLO})
    send({"id": 2, "method": "start", "params": {"stream": 1}})
    for line in channel:
        print(line.strip(), flush=True)
        message = json.loads(line)
        if "method" in message and "id" in message:
            send({"id": message["id"], "result": {"status": "success"}})


class Player:
    def didFinishLaunching(self, params):
        threading.Thread(target=serve, daemon=True).start()


app = App(Player(), "case/1")
app.run()
"""
SERVERS = {
    "pipewire-bin": "/usr/bin/pw-cat", "pipewire": "/usr/bin/pipewire", "wireplumber": "/usr/bin/wireplumber",
    "dbus-daemon": "/usr/bin/dbus-daemon", "playerctl": "/usr/bin/playerctl"}


def sound_server(bench: Bench) -> Sound:
    need(SERVERS)
    sound = Sound(bench.folder)
    bench.cleanups.callback(sound.end)
    sound.start()
    bench.system.environment.update(sound.environment)
    return sound


def plays(bench: Bench, path: str, is_loud: bool = True) -> None:
    """An app plays the file. The sink must receive its sound, unless the file is too soft for that."""
    sound = sound_server(bench)
    ear = Ear(sound.environment)
    bench.cleanups.callback(ear.end)
    os.chmod(path, 0o644)
    system = bench.app("Tone")
    system.must("open", f"tone:set?file={path}&category=playback&options=&controls=no")
    system.must("open", "tone:play")
    output = bench.output(TONE, "plays")
    expect("plays\n" in output, f"the app prints {output}")
    players = [one for one in system.json("audio", "status")["players"] if one["app"] == TONE]
    expect(players and players[0]["playing"], f"the app does not play: {players}")
    if is_loud:
        ear.begin()
        expect(poll(lambda: max(ear.record(0.2, 5) or [0.0]) > 0.01, 10), f"silence; the app prints {output}")


def encoded(bench: Bench, codec: str, rate: int) -> str:
    need({"ffmpeg": "/usr/bin/ffmpeg"})
    path = os.path.join(bench.folder, codec + ".caf")
    subprocess.run(
        ["/usr/bin/ffmpeg", "-loglevel", "error", "-f", "lavfi", "-i", "sine=frequency=440:duration=2",
         "-ar", str(rate), "-c:a", codec, path], check=True)
    return path


@case("C1")
def adaptive(bench: Bench) -> None:
    plays(bench, bench.copy("audio/c1-ima4.caf"), is_loud=False)


@case("C1")
def adaptive_and_loud(bench: Bench) -> None:
    plays(bench, encoded(bench, "adpcm_ima_qt", 22_050))


@case("C1")
def opus(bench: Bench) -> None:
    plays(bench, encoded(bench, "libopus", 48_000))


@case("C3")
def player_without_track(bench: Bench) -> None:
    bus = bench.bus()
    system = bench.up()
    log = bench.on_bus("fake_player.py", "case", NO_TRACK, "o", **bus)

    def is_target() -> bool:
        players = system.json("audio", "status")["players"]
        return any(one["target"] and one["app"] is None for one in players)

    wait_for("the player", is_target, 10)
    answer = ask(system, "audio", "command", {"command": "skipForward", "value": 30})
    expect("error" not in answer, str(answer))
    poll(lambda: "Seek" in text(log), 5)
    expect("Seek 30000000\n" in text(log) and "SetPosition" not in text(log), text(log))


@case("C6")
def past_the_end(bench: Bench) -> None:
    sound = sound_server(bench)
    write_player(bench)
    system = bench.up()
    system.must("install", os.path.join(bench.folder, "Player.app"))
    system.must("open", "org.example.player")
    wait_for("the player", lambda: sound.playerctl("greenroom.org_example_player", "status"), 10)
    sound.playerctl("greenroom.org_example_player", "position", "10+")
    output = bench.output("org.example.player", '"command":')
    expect('"command":"next"' in output, f"the app received {output}")


def write_player(bench: Bench) -> None:
    plist = {
        "CFBundleIdentifier": "org.example.player", "CFBundleName": "Player", "CFBundleExecutable": "player",
        "UIBackgroundModes": ["audio"]}
    bench.write("Player.app/Info.plist", plistlib.dumps(plist))
    os.chmod(bench.write("Player.app/player", PLAYER), 0o755)
    shutil.copy(os.path.join(ROOT, "Examples/python/greenroom_app.py"), os.path.join(bench.folder, "Player.app"))
