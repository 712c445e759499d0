#!/usr/bin/env python3
"""Kills gateway, push agent, daemon and apps at random moments until so many kills have hit, while messages flow from a
provider through all of them, and demands that each message that was answered 200 reaches its app exactly once.

    push-storm.py [--bin .build/bin] [--apps .build/apps] [--messages 200] [--kills 10] [--seed 1] [--nats]
                  [--gateways 2] [--json]

Each app writes what it hears to the disk before it does anything else. Most apps have one message under way at a time:
nothing may take the place of those, so each of them has to arrive. A few get bursts, of which the newest has to arrive, and
none twice. An app that is killed while it deals with a message is told of it again when it is back: that is counted, and
is a fault for any other message. With --nats the messages are kept in a cluster of three nats-servers, and one of
those is killed as well; two gateways share it then. The provider sends to them in turn, and devices reach either of them by
one address. Each is killed by itself. Needs root, as apps have users, and python3-h2.
"""

import argparse
import os
import random
import signal
import threading
import time

from storms.files import finish
from storms.places import APPS, BIN
from storms.push.apps import Device
from storms.push.gateway import Cluster, Gateways
from storms.push.messages import Bursts, Ledger, Steady
from storms.servers.provider import Provider

# How long a message may take to arrive once everything is there again.
PATIENCE = float(os.environ.get("PATIENCE", "120"))


class Storm:
    def __init__(self, options):
        self.options = options
        self.random = random.Random(options.seed)
        self.device = Device(options.bin, options.apps)
        self.cluster = Cluster(self.device.system.folder) if options.nats else None
        self.gateways = Gateways(options.bin, self.device.system.folder, self.cluster, options.gateways)
        self.kills = dict.fromkeys(["gateway", "agent", "daemon", "app"] + (["nats"] if options.nats else []), 0)
        self.problems = []
        self.is_over = threading.Event()
        self.ledger = Ledger()

    # What is killed

    def kill(self):
        kinds = {"gateway": 2, "agent": 3, "daemon": 2, "app": 3, "nats": 2}
        kind = self.random.choices(list(self.kills), [kinds[kind] for kind in self.kills])[0]
        if kind == "gateway":
            self.gateways.kill(self.random)
        elif kind == "nats":
            if not self.cluster or not self.cluster.kill(self.random):
                return
        else:
            pid = self.device.victim(kind, self.random)
            if pid is None:
                return
            self.ledger.deaths[pid] = time.time()
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                self.ledger.deaths.pop(pid)
                return
        self.kills[kind] += 1

    def keep_killing(self):
        try:
            while sum(self.kills.values()) < self.options.kills and not self.is_over.is_set():
                self.is_over.wait(self.random.uniform(0.3, 1.7) * self.options.interval)
                self.kill()
        except Exception as error:  # noqa: BLE001
            self.problems.append(f"the killer failed: {error!r}")

    def person(self):
        """Taps what is shown, opens apps and leaves them, and those most of all that have something waiting."""
        chance = random.Random(self.options.seed + 1)
        while not self.is_over.is_set():
            try:
                self.device.tap_all()
                waiting = self.ledger.waiting(3)
                if waiting:
                    self.device.open(chance.choice(waiting))
                elif chance.random() < 0.3:
                    self.device.open(chance.choice(self.device.apps))
                elif chance.random() < 0.2:
                    self.device.home()
                if chance.random() < 0.05:
                    self.device.wake_network()
            except (OSError, ValueError):
                # The service is dead just now.
                pass
            self.is_over.wait(0.15)

    # The storm

    def begin(self):
        self.gateways.start()
        self.device.begin(self.gateways, self.options.tokens + self.options.bursty)
        self.provider = Provider(self.gateways.instructions, *self.gateways.ports("listen"))
        loose = self.options.messages // 10
        names = list(self.device.tokens.items())
        steady = dict(names[:self.options.tokens])
        self.flows = [
            Steady(self.ledger, self.provider, steady, self.options.messages - loose, random.Random(self.options.seed + 2)),
            Bursts(self.ledger, self.provider, dict(names[self.options.tokens:]), loose,
                   random.Random(self.options.seed + 3))]

    def flow(self):
        """Until all is sent and has arrived, or nothing has for long."""
        progress = time.monotonic()
        while True:
            if self.ledger.read(self.device.news()):
                progress = time.monotonic()
            for flow in self.flows:
                flow.go_on()
            kills_left = self.options.kills - sum(self.kills.values())
            if all(flow.is_done for flow in self.flows) and kills_left <= 0:
                return
            for flow in self.flows:
                # Messages flow for as long as there are processes left to kill.
                flow.extend(kills_left > 0)
            if time.monotonic() - progress > PATIENCE:
                self.problems.append(f"nothing has arrived for {PATIENCE} s: {self.ledger.describe_waiting()}")
                return
            time.sleep(0.02)

    def run(self):
        began = time.monotonic()
        threads = []
        try:
            self.begin()
            threads = [threading.Thread(target=body) for body in (self.keep_killing, self.person)]
            for thread in threads:
                thread.start()
            self.flow()
            # What was told twice would come now.
            time.sleep(2)
            self.ledger.read(self.device.news())
            return self.report(time.monotonic() - began)
        finally:
            self.is_over.set()
            for thread in threads:
                thread.join()
            self.gateways.end()
            if self.cluster:
                self.cluster.end()
            self.device.end(keeps=bool(self.problems))

    def report(self, seconds):
        self.problems += self.ledger.faults()
        result = {
            "seed": self.options.seed, "kills": self.kills, "seconds": round(seconds, 1), **self.ledger.counts(),
            "gateways": self.gateways.counts(self.provider.answered),
            "problems": self.problems[:20],
        }
        if self.problems:
            result["folder"] = self.device.system.folder
        return result


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bin", default=BIN)
    parser.add_argument("--apps", default=APPS)
    parser.add_argument("--messages", default=200, type=int)
    parser.add_argument("--kills", default=10, type=int)
    parser.add_argument("--interval", default=1.5, type=float, help="seconds from kill to kill, on average")
    parser.add_argument("--tokens", default=6, type=int, help="apps that have one message under way at a time")
    parser.add_argument("--bursty", default=2, type=int, help="apps that get bursts")
    parser.add_argument("--seed", default=1, type=int)
    parser.add_argument("--nats", action="store_true")
    parser.add_argument("--gateways", type=int, help="with --nats: so many share the servers (2)")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    options.gateways = options.gateways or (2 if options.nats else 1)
    if options.gateways > 1 and not options.nats:
        parser.error("several gateways need a store that they share: --nats")
    finish(Storm(options).run(), options.json)


if __name__ == "__main__":
    main()
