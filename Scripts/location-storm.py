#!/usr/bin/env python3
"""Carries a device in and out of regions, with a real gpsd, and kills -9 app, service, daemon and gpsd at seeded moments. Each
crossing has to be told once, to whichever process of the app there is then.

    location-storm.py [--bin .build/bin] [--apps .build/apps] [--kills 200] [--seed 1] [--json] [--keep]

The device stays in each place until the app has written down that it was told, for five minutes at most. Needs root, as apps
have users, and gpsd.
"""

import argparse
import os
import random
import signal
import sys
import time

sys.dont_write_bytecode = True
from storms.files import finish  # noqa: E402
from storms.location.receiver import GPSD, Receiver, moved  # noqa: E402
from storms.places import APPS, BIN  # noqa: E402
from storms.system import System  # noqa: E402
from storms.waiting import Failed  # noqa: E402

APP = "org.greenroom.fixtures.wanderer"
HOME = (46.05, 14.50)
PATIENCE = 300


class Storm:
    def __init__(self, options):
        self.options = options
        self.chance = random.Random(options.seed)
        self.receiver = Receiver(HOME)
        self.system = System(options.bin)
        self.system.environment["GREENROOM_GPSD"] = f"127.0.0.1:{self.receiver.port}"
        self.kills = {}
        self.cells = 0
        self.expected = []
        self.delays = []

    def begin(self):
        self.receiver.start()
        self.system.must("up", "--detach")
        self.system.must("install", f"{os.path.abspath(self.options.apps)}/Wanderer.app")
        self.container = f"{self.system.home}/apps/{APP}/container"
        # The first fix decides on which side of them the device is.
        self.system.must("open", f"wanderer:monitor?name=a&at={HOME[0]},{HOME[1]}&radius=150")
        b = moved(HOME, 1200, 0)
        self.system.must("open", f"wanderer:monitor?name=b&at={b[0]},{b[1]}&radius=150")
        self.system.must("home")
        self.until("the first fix", lambda: self.states() == {"a": "inside", "b": "outside"})

    def states(self):
        try:
            status = self.system.json("location")
        except (Failed, ValueError):
            return {}
        apps = [app for app in status["apps"] if app["app"] == APP]
        return {region["identifier"]: region["state"] for region in apps[0]["regions"]} if apps else {}

    def told(self):
        for folder, _, names in os.walk(self.system.folder):
            if "told.txt" in names:
                with open(os.path.join(folder, "told.txt"), encoding="utf-8") as file:
                    return file.read().split("\n")[:-1]
        return []

    def until(self, what, holds, limit=PATIENCE):
        end = time.monotonic() + limit
        while not holds():
            if time.monotonic() > end:
                raise Failed(f"{what} did not come within {limit} s")
            self.maybe_kill()
            time.sleep(0.2)

    # Killing

    next_kill: float | None = None

    def maybe_kill(self):
        now = time.monotonic()
        if self.next_kill is None or now < self.next_kill or sum(self.kills.values()) >= self.options.kills:
            return
        self.next_kill = now + self.chance.uniform(1, 8)
        victim = self.chance.choice(["app", "service", "daemon", "gpsd"])
        if victim == "gpsd":
            self.receiver.kill()
        elif not self.kill_process(victim):
            return
        self.kills[victim] = self.kills.get(victim, 0) + 1

    def kill_process(self, victim):
        name = {"service": "greenroom-locationd", "daemon": "greenroomd", "app": "Wanderer"}[victim]
        for pid in filter(str.isdigit, os.listdir("/proc")):
            try:
                with open(f"/proc/{pid}/cmdline", "rb") as file:
                    words = file.read().split(b"\0")
                with open(f"/proc/{pid}/environ", "rb") as file:
                    environment = file.read()
            except OSError:
                continue
            if os.path.basename(words[0].decode(errors="replace")) != name:
                continue
            if victim != "app" and self.system.home.encode() not in environment:
                continue
            if victim == "app" and self.system.folder.encode() not in environment + words[0]:
                continue
            try:
                os.kill(int(pid), signal.SIGKILL)
                return True
            except OSError:
                continue
        return False

    # Going

    def go(self, east, crossing):
        """The device is in another cell, goes on, and stays until the app was told."""
        self.cells += 1
        start, goal = self.receiver.place, moved(HOME, east, 0)
        # There may be no daemon at this moment.
        self.until("a daemon", lambda: self.system.run("simulate", "cell", f"storm-{self.cells}").code == 0)
        for step in range(1, 11):
            share = step / 10
            self.receiver.place = (start[0] + (goal[0] - start[0]) * share, start[1] + (goal[1] - start[1]) * share)
            self.maybe_kill()
            time.sleep(1)
        self.expected.append(crossing)
        began = time.monotonic()
        self.until(f"“{crossing}”", lambda: len(self.told()) >= len(self.expected))
        self.delays.append(time.monotonic() - began)

    def run(self):
        self.begin()
        self.next_kill = time.monotonic()
        while sum(self.kills.values()) < self.options.kills:
            for east, crossing in [(600, "left a"), (1200, "entered b"), (600, "left b"), (0, "entered a")]:
                self.go(east, crossing)
                if sum(self.kills.values()) >= self.options.kills:
                    break
        self.next_kill = None
        time.sleep(5)
        if self.told() != self.expected:
            raise Failed(f"told: {self.told()[-12:]}, and it should be {self.expected[-12:]}")

    def end(self):
        self.system.run("down")
        self.receiver.end()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bin", default=BIN)
    parser.add_argument("--apps", default=APPS)
    parser.add_argument("--kills", default=200, type=int)
    parser.add_argument("--seed", default=1, type=int)
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--keep", action="store_true", help="leave the folder of a storm with a problem")
    options = parser.parse_args()
    if not os.path.exists(GPSD):
        sys.exit("missing: gpsd")
    began = time.monotonic()
    storm = Storm(options)
    problem = None
    try:
        storm.run()
    except (Failed, KeyboardInterrupt) as failure:
        problem = str(failure) or "interrupted"
        print(storm.system.run("location").output, storm.system.run("location", "why", APP).output, file=sys.stderr)
        print("\n".join(storm.system.run("log").output.split("\n")[-30:]), file=sys.stderr)
    finally:
        storm.end()
        if not (problem and options.keep):
            storm.system.remove()
    delays = sorted(storm.delays)
    result = {
        "seed": options.seed, "crossings": len(storm.expected), "kills": storm.kills,
        "secondsUntilTold": {"p50": round(delays[len(delays) // 2], 1), "longest": round(delays[-1], 1)} if delays else {},
        "problems": [problem] if problem else [], "seconds": round(time.monotonic() - began, 1)}
    finish(result, options.json)


if __name__ == "__main__":
    main()
