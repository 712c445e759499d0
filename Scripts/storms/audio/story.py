"""One story: steps that chance chooses, and what must hold when it has come to rest."""

import argparse
import random
import time
from collections.abc import Callable, Iterator
from typing import Any

from storms.audio.device import LONGEST_GAP, Device, Refused, longest_gap, middle
from storms.audio.model import App, Model
from storms.waiting import Failed

# How long it may take to come to rest. An app that is told something may run for ten seconds.
PATIENCE = 20
ROOM = 0.05


def make_apps() -> list[App]:
    return [
        App("music", 450, controls=True), App("book", 650, controls=True), App("voice", 850, options="mix,duck"),
        App("game", 1050, category="ambient", key=False), App("memo", 1250, category="record")]


class Story:
    def __init__(self, options: argparse.Namespace, number: int, chance: random.Random) -> None:
        self.number, self.chance = number, chance
        self.model = Model(make_apps())
        self.apps = list(self.model.apps.values())
        self.device = Device(options.bin, options.apps, self.apps)
        self.steps: list[str] = []
        self.problems: list[str] = []
        self.kills: dict[str, int] = {}
        self.server_crashes = 0
        self.is_settled = True
        self.length = options.steps
        self.spared = ["pipewire", "wireplumber"] if options.spare_server else []

    # Steps: each returns what it is called, or nothing where it does not fit.

    def play(self) -> Iterator[str]:
        if self.model.call:
            return None
        app = self.chance.choice([app for app in self.apps if app.category != "record"])
        yield f"play {app.name}"
        self.unlock()
        # Who presses play sees the app before.
        self.device.open(app)
        self.device.open(app, "play")
        self.model.play(app)

    def record(self) -> Iterator[str]:
        memo = self.model.apps["memo"]
        if self.model.call or memo.records:
            return None
        yield "record"
        self.unlock()
        self.device.open(memo)
        self.device.open(memo, "record")
        self.model.record(memo)

    def stop(self) -> Iterator[str]:
        fit = [app for app in self.apps if app.is_on]
        if self.model.call or not fit:
            return None
        app = self.chance.choice(fit)
        yield f"stop {app.name}"
        self.unlock()
        self.device.open(app, "stop")
        self.model.stop(app)

    def pause(self) -> Iterator[str]:
        fit = [app for app in self.apps if app.plays]
        if self.model.call or not fit:
            return None
        app = self.chance.choice(fit)
        yield f"pause {app.name}"
        self.unlock()
        self.device.open(app, "pause")
        self.model.front = app.name
        self.model.pause(app)

    def visit(self) -> Iterator[str]:
        app = self.chance.choice(self.apps)
        if self.model.call:
            return None
        yield f"open {app.name}"
        self.unlock()
        self.device.open(app)
        self.model.front = app.name

    def home(self) -> Iterator[str]:
        if self.model.call or self.model.is_locked:
            return None
        yield "home"
        self.device.must("home")
        self.model.front = None

    def lock(self) -> Iterator[str]:
        if self.model.call:
            return None
        yield "unlock" if self.model.is_locked else "lock"
        if self.model.is_locked:
            self.unlock()
        else:
            self.device.must("lock")
            self.model.is_locked = True

    def unlock(self) -> None:
        if self.model.is_locked:
            self.device.must("unlock")
            self.model.is_locked = False

    def speak(self) -> Iterator[str]:
        if self.model.call:
            return None
        yield "speak"
        self.unlock()
        self.device.must("open", "navigator:say?text=Turn%20left")
        self.model.front = None

    def telephone(self) -> Iterator[str]:
        """One step of a call, whichever comes next."""
        steps: dict[str | None, list[tuple[list[str], str | None]]] = {
            None: [(["simulate", "call"], "ringing")],
            "ringing": [(["simulate", "call", "--accept"], "accepted"), (["simulate", "call", "--decline"], None)],
            "accepted": [(["simulate", "call", "--end"], None)],
        }
        words, call = steps[self.model.call][self.chance.randrange(2) if self.model.call == "ringing" else 0]
        yield " ".join(words[1:])
        self.device.must(*words)
        self.model.call = call
        if call is None:
            self.model.call_ended()

    def control(self) -> Iterator[str]:
        """A command to the app that the controls belong to, in one of the ways there are."""
        app = self.model.apps.get(self.model.target or "")
        if self.model.call or not app or not self.model.knows_target or not self.is_settled:
            return None
        word = self.chance.choice(["play", "pause", "toggle"])
        way = self.chance.choice(["audio", "playerctl", "headset"])
        if way == "headset":
            word = "toggle"
        yield f"{way}: {word} {app.name}"
        sounds = self.model.should_sound(app)
        if way == "audio":
            self.device.must("audio", word)
        elif way == "headset":
            self.device.must("simulate", "headset", "press")
        else:
            words = "play-pause" if word == "toggle" else word
            if self.device.sound.playerctl(self.device.player(app), words) is None:
                raise Refused(f"playerctl {words}")
        if word == "toggle" and not sounds and app.plays is not False:
            self.model.may_play(app)
        elif word == "play" or (word == "toggle" and not sounds):
            self.model.command(app)
        else:
            self.model.pause(app)

    def ringer(self) -> Iterator[str]:
        self.model.is_silent = not self.model.is_silent
        word = "silent" if self.model.is_silent else "on"
        yield f"ringer {word}"
        self.device.must("simulate", "ringer", word)

    def headset(self) -> Iterator[str]:
        word = "unplug" if self.model.is_plugged else "plug"
        yield word
        self.device.must("simulate", "headset", word)
        if self.model.is_plugged:
            self.model.unplugged()
        self.model.is_plugged = not self.model.is_plugged

    def kill_app(self) -> Iterator[str]:
        fit = [app for app in self.apps if app.is_on]
        if not fit:
            return None
        app = self.chance.choice(fit)
        yield f"kill {app.name}"
        self.device.kill_app(app)
        self.model.died(app)

    def close(self) -> Iterator[str]:
        fit = [app for app in self.apps if app.is_on]
        if not fit or self.model.call:
            return None
        app = self.chance.choice(fit)
        yield f"close {app.name}"
        self.device.must("close", app.identifier)
        self.model.died(app)

    def kill_system(self) -> Iterator[str]:
        victims = {"daemon": self.device.kill_daemon, "service": self.device.kill_service,
                   "pipewire": self.device.kill_server, "wireplumber": self.device.kill_manager}
        victim = self.chance.choice([victim for victim in victims if victim not in self.spared])
        yield f"kill {victim}"
        victims[victim]()
        if victim == "pipewire":
            self.server_died()

    def server_died(self) -> None:
        memo = self.model.apps["memo"]
        if memo.records:
            # Players go on by themselves; nothing says so of a recorder.
            memo.records = None

    def restart_crashed_server(self) -> bool:
        """PipeWire 0.3.65 may crash when a link goes (mended in 0.3.72). systemd starts it again; here this does."""
        if not self.device.sound.has_crashed():
            return False
        self.server_crashes += 1
        self.steps.append(f"{time.strftime('%H:%M:%S')} (PipeWire crashed)")
        self.device.kill_server()
        self.server_died()
        return True

    WEIGHTS: dict[Callable[["Story"], Iterator[str]], int] = {
        play: 9, record: 2, stop: 3, pause: 1, visit: 2, home: 3, lock: 2, speak: 2, telephone: 2, control: 5, ringer: 1,
        headset: 1, kill_app: 3, close: 1, kill_system: 4,
    }

    def step(self) -> None:
        """Begins and finishes one that fits."""
        while True:
            # An accepted call ends soon, so that more happens than that.
            kinds = list(self.WEIGHTS)
            weights = [self.WEIGHTS[kind] + (8 if self.model.call and kind is Story.telephone else 0) for kind in kinds]
            # Something is to be heard from the beginning.
            kind = self.chance.choices(kinds, weights)[0] if self.steps else Story.play
            steps = kind(self)
            name = next(steps, None)
            if name is None:
                continue
            self.steps.append(f"{time.strftime('%H:%M:%S')} {name}")
            if name.startswith("kill"):
                victim = name.split()[1]
                victim = victim if victim in ("daemon", "service", "pipewire", "wireplumber") else "app"
                self.kills[victim] = self.kills.get(victim, 0) + 1
            next(steps, None)
            return

    # What must hold

    def wrong(self, heard: dict[str, list[float]], seen: dict[str, dict[str, Any]]) -> Iterator[str]:
        """What does not hold now, one sentence each."""
        frozen = [name for name, one in seen.items() if one.get("state") == "suspended"]
        for app in self.apps:
            level, factor = middle(heard[app.name]), self.model.factor(app, frozen)
            should = self.model.should_sound(app)
            state, is_heard = seen[app.name].get("state"), level > 0.02
            if should and not is_heard:
                yield f"{app.name} is silent, and should sound"
            elif should is False and is_heard:
                yield f"{app.name} sounds, and should be silent"
            elif is_heard and not any(
                    abs(level - wanted) < ROOM for wanted in ([0.3, 1.0] if factor is None else [factor])):
                yield f"{app.name} is {level:.2f} as loud as it plays instead of {factor}"
            records = seen[app.name].get("recording") is True
            if self.model.should_record(app) is not None and records != self.model.should_record(app):
                yield f"{app.name} {'records' if records else 'does not record'}, and should {'not' if records else ''}"
            # While others ring or speak it is muted, and runs on.
            if state == "background" and not (is_heard or records or seen[app.name].get("muted")):
                yield f"{app.name} runs in the background without a sound"

    def settle(self) -> bool:
        """Waits until everything is as it should be."""
        end = time.monotonic() + PATIENCE
        while True:
            heard = self.device.heard(0.2)
            wrong = list(self.wrong(heard, self.device.seen())) if heard else ["the monitor gives nothing"]
            if not wrong:
                break
            if self.restart_crashed_server():
                end = time.monotonic() + PATIENCE
            elif time.monotonic() > end:
                self.problems += wrong
                return False
        self.model.settled()
        self.is_settled = True
        return True

    def hear_out(self) -> None:
        """Checks that no app that plays has a gap, also while another app is frozen."""
        heard = self.device.heard(1.5)
        if self.restart_crashed_server():
            if self.settle():
                self.hear_out()
            return
        for app in self.apps:
            if heard and self.model.should_sound(app):
                gap, weak = longest_gap(heard[app.name], self.model.factor(app) or 0.3)
                self.device.dips += weak
                if gap > LONGEST_GAP:
                    self.problems.append(f"{app.name} had a gap of {gap:.2f} s")

    def run(self) -> list[str]:
        """What was wrong."""
        try:
            self.device.begin()
            for _ in range(self.length):
                self.step()
                self.is_settled = False
                if self.chance.random() < 0.6:
                    if not self.settle():
                        return self.problems
                else:
                    pause = self.chance.uniform(0, 0.4)
                    self.steps[-1] += f" (and after {pause:.2f} s)"
                    time.sleep(pause)
            if self.settle():
                self.hear_out()
        except (Failed, Refused) as failure:
            self.problems.append(str(failure))
        return self.problems

    def explain(self) -> str:
        """What the service and the apps say of themselves."""
        lines = [f"steps: {'; '.join(self.steps)}"]
        for app in self.apps:
            lines.append(f"{app.name}: " + " | ".join(self.device.system.run("output", app.identifier).output.split("\n")))
        lines.append(self.device.system.run("audio").output)
        lines.append(self.device.system.run("apps").output)
        lines += self.device.sound.graph()
        lines += self.device.system.run("log").output.split("\n")[-40:]
        return "\n".join(lines)
