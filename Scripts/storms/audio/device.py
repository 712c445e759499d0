"""The device of one story: a whole system, its apps, and what is heard of them."""

import json
import os
import shutil
import statistics
import time
from collections.abc import Sequence
from typing import Any

from storms.audio.ear import Ear, Tone, levels
from storms.audio.model import App
from storms.audio.sound import Sound, write_tone
from storms.kernel import kill
from storms.places import folder_for_apps
from storms.system import System
from storms.waiting import wait_for

AMPLITUDE = 0.15
# Longer than this nobody who plays may be silent: a client that is frozen stops a device for good.
LONGEST_GAP = 0.2


class Device:
    def __init__(self, tools: str, bundles: str, apps: list[App]) -> None:
        self.folder = folder_for_apps("greenroom-storm-")
        self.sound = Sound(self.folder)
        self.ear = Ear(self.sound.environment)
        self.system = System(tools)
        self.system.environment.update(self.sound.environment)
        self.bundles, self.apps = os.path.abspath(bundles), apps
        self.tones = {app.name: Tone(app.frequency) for app in apps}
        # Windows of 20 ms in which one who plays was not heard.
        self.dips = 0

    def begin(self) -> None:
        self.sound.start()
        self.must("up", "--detach")
        self.must("install", f"{self.bundles}/Navigator.app")
        for app in self.apps:
            self.install(app)
        self.must("home")
        self.listen()

    def listen(self) -> None:
        def is_heard() -> bool:
            self.ear.begin()
            return bool(self.ear.record(0.1, 2))

        wait_for("the ear", is_heard, 20)

    def install(self, app: App) -> None:
        file, bundle = f"{self.folder}/{app.name}.wav", f"{self.folder}/{app.name}.app"
        write_tone(file, self.tones[app.name], AMPLITUDE)
        shutil.copytree(f"{self.bundles}/Tone.app", bundle)
        with open(f"{bundle}/Info.plist") as opened:
            plist = opened.read()
        plist = plist.replace("org.greenroom.fixtures.tone", app.identifier)
        plist = plist.replace("<string>tone</string>", f"<string>{app.identifier}</string>")
        if not app.key:
            plist = plist.replace("<string>audio</string>", "")
        with open(f"{bundle}/Info.plist", "w") as opened:
            opened.write(plist)
        self.must("install", bundle)
        controls = "yes" if app.controls else "no"
        self.open(app, f"set?file={file}&category={app.category}&options={app.options}&controls={controls}")
        if app.category == "record":
            self.must("audio", "allow", app.identifier)

    def end(self, keeps: bool) -> None:
        self.system.run("down")
        self.ear.end()
        self.sound.end()
        if not keeps:
            shutil.rmtree(self.folder, ignore_errors=True)
            self.system.remove()

    # The person

    def must(self, *words: str) -> str:
        """A service that has just died is asked again: it does not know the first question any more."""
        end = time.monotonic() + 10
        while True:
            result = self.system.run(*words)
            if result.code == 0:
                return result.output
            if time.monotonic() > end:
                raise Refused(f"greenroom {' '.join(words)}: {result.output.strip()}")
            time.sleep(0.1)

    def open(self, app: App, words: str = "") -> None:
        self.must("open", f"{app.identifier}:{words}" if words else app.identifier)

    def player(self, app: App) -> str:
        return "greenroom." + app.identifier.replace(".", "_")

    # Whom to kill

    def pid(self, app: App) -> int | None:
        return self.system.app(app.identifier)["pid"]

    def kill_app(self, app: App) -> None:
        pid = self.pid(app)
        if pid:
            kill(pid)
            wait_for(f"the end of {app.name}", lambda: self.pid(app) != pid, 10)

    def kill_daemon(self) -> None:
        before = self.system.json("status")["pid"]
        kill(before)
        wait_for("another daemon", lambda: self.system.daemon() not in (None, before), 30)

    def service(self) -> int | None:
        result = self.system.run("services", "--json")
        if result.code != 0:
            return None
        return next((one["pid"] for one in json.loads(result.output)["services"] if one["service"] == "audio"), None)

    def kill_service(self) -> None:
        before = self.service()
        if before:
            kill(before)
            wait_for("another service", lambda: self.service() not in (None, before), 30)
            wait_for("its sound server", lambda: self.status().get("engine"), 10)

    def kill_server(self) -> None:
        self.sound.kill("pipewire")
        self.sound.kill("wireplumber")
        self.sound.start_server()
        self.sound.start_manager()
        wait_for("the sound server", lambda: self.status().get("engine"), 20)
        self.listen()

    def kill_manager(self) -> None:
        self.sound.kill("wireplumber")
        self.sound.start_manager()
        # It may leave a recorder alone that it finds.
        self.listen()

    # What is seen and heard

    def status(self) -> dict[str, Any]:
        result = self.system.run("audio", "status", "--json")
        return json.loads(result.output) if result.code == 0 else {}

    def seen(self) -> dict[str, dict[str, Any]]:
        """Of each app its state, and what the service says of it."""
        states = {one["app"]: one["state"] for one in self.system.json("apps")}
        players = {one["app"]: one for one in self.status().get("players", [])}
        return {
            app.name: {**players.get(app.identifier, {}), "state": states.get(app.identifier)} for app in self.apps}

    def heard(self, seconds: float) -> dict[str, list[float]] | None:
        """How loud each is in each window of 20 ms, where 1 is as loud as it plays."""
        samples = self.ear.record(seconds)
        if samples is None:
            return None
        return {
            name: [level / AMPLITUDE for level in windows] for name, windows in levels(samples, self.tones).items()}


class Refused(Exception):
    """A command that should have been carried out."""


def middle(windows: Sequence[float]) -> float:
    return statistics.median(windows)


def longest_gap(windows: Sequence[float], level: float) -> tuple[float, int]:
    """Seconds without it, and windows in which it was weaker than half."""
    longest = current = weak = 0
    for window in windows:
        is_weak = window < level / 2
        current = current + 1 if is_weak else 0
        weak += is_weak
        longest = max(longest, current)
    return longest * 0.02, weak
