#!/usr/bin/env python3
"""Kills app, daemon and transfer service of a whole system at random moments until so many kills have hit, while
Podcasts downloads one large episode from nginx, and demands that the episode arrives intact, under its name only when it
is whole, that what had been written is not fetched again, and that the app is told once.

    transfer-system-storm.py [--bin .build/bin] [--apps .build/apps] [--size 64M] [--kills 20] [--seed 1] [--json]
"""

import argparse
import os
import random
import signal
import time

from storms.files import finish
from storms.places import APPS, BIN
from storms.system import System
from storms.transfers.files import ONE_CHUNK, fetched_again, has_digest, part_length, size_of, write_random
from storms.transfers.nginx import Nginx
from storms.waiting import wait_for

APP = "org.greenroom.examples.podcasts"


class Storm:
    def __init__(self, options):
        self.options = options
        self.random = random.Random(options.seed)
        self.system = System(options.bin)
        self.kills = {"app": 0, "daemon": 0, "service": 0}
        self.problems = []
        self.lengths = []

    # What is there.

    @property
    def transfers(self):
        return self.system.home + "/services/transfers"

    @property
    def episode(self):
        return f"{self.system.home}/containers/{APP}/Documents/episode-1.mp3"

    def service(self):
        return int(open(self.transfers + "/pid").read().split()[0])

    def printed(self, words):
        return self.system.run("output", "podcasts").output.count(words)

    def part(self):
        return part_length(self.transfers + "/files")

    def is_under_way(self):
        length = self.part()
        return length is not None and length < self.options.size

    # The storm.

    def serve(self):
        folder = self.system.folder + "/nginx"
        os.makedirs(folder)
        seconds = max(2.0, self.options.kills * self.options.interval * 1.3)
        self.nginx = Nginx(folder, max(100_000, int(self.options.size / seconds)))
        self.digest = write_random(folder + "/www/episode.mp3", self.options.size, self.random)
        with open(folder + "/www/feed.xml", "w") as feed:
            self.feed_length = feed.write(
                '<rss version="2.0"><channel><title>Storm</title><item><title>Episode 1</title><guid>episode-1</guid>'
                f'<enclosure url="http://127.0.0.1:{self.nginx.port}/episode.mp3" length="{self.options.size}" '
                'type="audio/mpeg"/></item></channel></rss>')
        self.nginx.start()
        return f"http://127.0.0.1:{self.nginx.port}/feed.xml"

    def must(self, *words):
        result = self.system.run(*words)
        if result.code != 0:
            raise SystemExit(f"greenroom {' '.join(words)}: {result.output}")

    def begin(self):
        feed = self.serve()
        up = self.system.up()
        if up.code != 0:
            raise SystemExit(up.output)
        self.must("install", os.path.join(self.options.apps, "Podcasts.app"))
        self.must("open", f"podcasts://subscribe?feed={feed}")
        self.must("home")
        # Refused if the system has come upon it by itself.
        self.system.run("simulate", "fetch", "podcasts")
        wait_for("the download", self.is_under_way, 30)

    def kill(self):
        target = self.random.choice(["app", "app", "daemon", "service"])
        if target == "app":
            # It need not run; then it is launched first, and killed wherever it is by then.
            if not self.system.app(APP)["pid"]:
                self.must("open", "podcasts")
                if self.random.random() < 0.5:
                    self.must("home")
            pid = self.system.app(APP)["pid"]
        elif target == "daemon":
            pid = self.system.json("status")["pid"]
        else:
            pid = self.service()
        if not pid or not self.is_under_way():
            return
        try:
            os.kill(pid, signal.SIGKILL)
        except ProcessLookupError:
            return
        self.kills[target] += 1
        if target == "service":
            self.lengths.append(self.part())
        if target == "daemon":
            wait_for("another daemon", lambda: self.system.daemon() not in (None, pid), 30)
        if os.path.exists(self.episode):
            self.problems.append("the episode's name was there before it was whole")

    def run(self):
        began = time.monotonic()
        try:
            self.begin()
            while sum(self.kills.values()) < self.options.kills and self.is_under_way():
                time.sleep(self.random.uniform(0.5, 1.5) * self.options.interval)
                if self.is_under_way():
                    self.kill()
            try:
                wait_for("the app to hear of it", lambda: self.printed("finished the events"), 300)
            except Exception as error:  # noqa: BLE001
                self.problems.append(f"{error}: {self.system.run('transfers').output}")
            return self.report(time.monotonic() - began)
        finally:
            self.system.run("down")
            self.nginx.stop()
            if not self.problems:
                self.system.remove()

    # What it came to.

    def report(self, seconds):
        try:
            if not has_digest(self.episode, self.digest):
                self.problems.append("the episode is not the one that was sent")
        except OSError as error:
            self.problems.append(str(error))
        told = self.printed("downloaded episode-1")
        if told != 1:
            self.problems.append(f"the app was told {told} times")
        self.nginx.stop()
        # Not those of the feed.
        starts = [start for _, sent, start in self.nginx.requests() if start or sent != self.feed_length]
        again = fetched_again(self.lengths, starts)
        if max(again, default=0) > ONE_CHUNK:
            self.problems.append(f"{max(again)} bytes that had been written were fetched again")
        result = {
            "size": self.options.size, "seed": self.options.seed, "kills": self.kills, "seconds": round(seconds, 1),
            "requests": len(starts), "mostFetchedAgain": max(again, default=0), "problems": self.problems,
        }
        if self.problems:
            result["folder"] = self.system.folder
        return result


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bin", default=BIN)
    parser.add_argument("--apps", default=APPS)
    parser.add_argument("--size", default="64M", type=size_of)
    parser.add_argument("--kills", default=20, type=int)
    parser.add_argument("--interval", default=0.7, type=float, help="seconds from kill to kill, on average")
    parser.add_argument("--seed", default=1, type=int)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    finish(Storm(options).run(), options.json)


if __name__ == "__main__":
    main()
