#!/usr/bin/env python3
"""Carries out all attacks beside five honest apps, and demands that these never notice: that `open` stays quick, that nothing
is lost, that nothing is left after `down`, and that memory and descriptors return to where they were.

    Scripts/chaos [--bin .build/bin] [--seconds 30] [--seed 1] [--only NAME,NAME] [--lanes 3] [--keep]

What happens when is decided by the seed. Ends with 1 and a sentence for each promise that was broken. Touches nothing but the
loopback, its own folder and its own groups. `--user 65534` tries the system of an ordinary user: root prepares what a session
of such a user has.
"""

import argparse
import collections
import os
import random
import signal
import sys
import threading
import time

sys.dont_write_bytecode = True
import disk  # noqa: E402
import honest  # noqa: E402
import ordinary  # noqa: E402
from attacker import Lane, all_attacks  # noqa: E402
from control import Gone, Late, Refused  # noqa: E402
from liar import Liar  # noqa: E402
from storms import kernel  # noqa: E402
from storms.places import BIN  # noqa: E402
from world import World  # noqa: E402

KILLS = {"kill-daemon", "kill-keeper", "kill-both", "kill-transfers"}


class Chaos:
    def __init__(self, options):
        self.options = options
        self.world = World(options)
        liar = Liar()
        self.world.lies, self.world.good = liar.lies, liar.url("good")
        self.outcomes = collections.defaultdict(collections.Counter)
        self.sentences = {}
        self.daemons, self.services = set(), set()
        self.busiest, self.largest = 0.0, 0
        self.attacks = [one for one in all_attacks() if not options.only or one.name in options.only]

    def tell(self, attack, outcome, took):
        if attack.kind == "disk":
            print(f"{attack.name}: {attack.sentence}\n    {outcome} ({took:.1f} s)", flush=True)
        with self.world.lock:
            self.sentences[attack.name] = attack.sentence
            self.outcomes[attack.name][outcome] += 1
        if self.options.verbose:
            print(f"    {self.world.clock()} {attack.name}: {outcome} ({took:.1f} s)", flush=True)

    # What goes on beside each other

    def deck(self):
        """Every attack once, in an order of the seed's, and then anew. Kills come in the first half of the time only, so that
        what the last daemon took and kept is its own."""
        order = random.Random(self.options.seed)
        while True:
            attacks = list(self.attacks)
            order.shuffle(attacks)
            for attack in attacks:
                if attack.kind == "disk" or (attack.name in KILLS and time.monotonic() > self.half):
                    continue
                yield attack

    def lane(self, number, deck, lock):
        lane = Lane(self.world, number, self.tell)
        while not self.world.over.is_set():
            with lock:
                attack = next(deck)
            lane.carry_out(attack)

    def use(self):
        while not self.world.over.is_set():
            self.apps.turn()
            self.world.over.wait(self.world.random.uniform(0.01, 0.15))

    def visit(self):
        while not self.world.over.is_set():
            self.apps.fetch()
            self.world.over.wait(0.25)

    def look(self):
        """The system's own processes twice a second, and whether a hidden switch holds an honest app."""
        seen, frozen = {}, collections.Counter()
        control = self.world.control()
        watched = 0.0
        while not self.world.over.wait(0.5):
            if time.monotonic() > watched + 2:
                self.world.watch()
                watched = time.monotonic()
            pid, now = self.world.pid("daemon"), time.monotonic()
            if pid:
                self.daemons.add(pid)
                seen[now] = (pid, kernel.processor_seconds(pid))
                for past in [one for one in seen if one < now - 10 or seen[one][0] != pid]:
                    del seen[past]
                first = min(seen)
                if now - first > 8:
                    share = (seen[now][1] - seen[first][1]) / (now - first)
                    self.busiest = max(self.busiest, share)
                    if share > 0.9:
                        names = ", ".join(sorted(name for name, count in self.world.running.items() if count > 0))
                        self.world.breach(f"the daemon used {share:.0%} of a processor for {now - first:.0f} s beside {names}")
                self.largest = max(self.largest, kernel.pss(pid))
            service = self.world.pid("transfers")
            if service:
                self.services.add((service, kernel.born(service)))
            self.look_for_stuck(control, frozen)

    def look_for_stuck(self, control, frozen):
        begin = time.monotonic()
        try:
            states = {one["app"]: one["state"] for one in control.insist("apps", within=20)}
        except (Late, Refused) as error:
            self.world.breach(f"apps: {error}")
            return
        if self.world.was_disturbed(begin, time.monotonic()):
            frozen.clear()
            return
        for app in honest.ALL:
            # Between two looks it may be on its way; four times in a row it is stuck.
            wrong = self.world.is_frozen(app) and states.get(app) not in ("suspended", "background")
            frozen[app] = frozen[app] + 1 if wrong else 0
            if frozen[app] == 4:
                self.world.breach(f"{app} is {states.get(app)}, and its group has been frozen for two seconds")

    # The course of it

    def run(self):
        world, options = self.world, self.options
        answer = world.up(*options.up)
        if answer.code != 0:
            raise SystemExit(f"greenroom up: {answer.output}")
        self.apps = honest.Honest(world)
        self.apps.install()
        calm = min(10, options.seconds / 6)
        self.be_calm(calm)
        begin = time.monotonic()
        self.half = begin + options.seconds * 0.5
        print(f"{world.clock()} calm is over, {len(self.attacks)} attacks begin", flush=True)
        lock, deck = threading.Lock(), self.deck()
        threads = [threading.Thread(target=self.lane, args=(number, deck, lock)) for number in range(options.lanes)]
        threads += [threading.Thread(target=work) for work in (self.use, self.visit, self.look)]
        for thread in threads:
            thread.daemon = True
            thread.start()
        time.sleep(options.seconds)
        world.over.set()
        for thread in threads:
            thread.join(120)
            if thread.is_alive():
                world.breach("a part of the test did not end: something waits without a bound")
        print(f"{world.clock()} the attacks are over", flush=True)
        self.attacked = (begin, time.monotonic())
        self.settle()

    def be_calm(self, seconds):
        """The honest apps alone: what an `open` and the system cost without attacks."""
        end = time.monotonic() + seconds
        for app in honest.ALL:
            self.apps.open(app)
        while time.monotonic() < end:
            self.apps.turn()
            time.sleep(0.02)
        # The service begins with the first transfer, which is none of the attacks' doing.
        self.world.tool("transfer", self.world.good, "-o", self.world.folder + "/first", "--wait", within=30)
        self.apps.quietly("home", wait=True)
        time.sleep(1.5)
        self.before = self.world.measure()
        self.calm = list(self.apps.samples)
        self.apps.samples.clear()

    def settle(self):
        """All attackers are gone: the honest apps have what they acknowledged, and the system what it had."""
        world = self.world
        control = world.control()
        try:
            for app in control.insist("apps", within=30):
                if app["app"] not in honest.ALL:
                    control.insist("uninstall", app=app["app"], within=40)
        except (Late, Refused, Gone) as error:
            world.breach(f"the attackers could not be uninstalled: {error}")
        self.attacks_samples = list(self.apps.samples)
        self.apps.settle()
        end = time.monotonic() + min(20, max(5, self.options.seconds / 10))
        while True:
            self.after = world.measure()
            if not self.excess() or time.monotonic() > end:
                break
            time.sleep(0.5)
        for sentence in self.excess():
            world.breach(sentence)
        self.ended = self.apps.verify()

    def excess(self):
        """What did not return to where it was."""
        found = []
        for what, (memory, kinds) in self.after.items():
            memory_before, kinds_before = self.before[what]
            if not memory or not memory_before:
                continue
            most = memory_before + max(24 << 20, memory_before // 2)
            if memory > most:
                found.append(f"the {what} has {memory >> 20} MB, and had {memory_before >> 20} MB before")
            count, count_before = kinds.total(), kinds_before.total()
            if count > count_before + 6:
                found.append(f"the {what} has {count} descriptors open, and had {count_before} before{more_of(kinds, kinds_before)}")
        return found

    def end(self):
        world = self.world
        world.watch()
        answer = world.tool("down", within=70)
        if answer.code != 0:
            world.breach(f"down ended with {answer.code}: {answer.output.strip()[-200:]}")
        elif "left and killed" in answer.output:
            world.breach(f"down: {answer.output.splitlines()[0]}")
        for one in world.leftovers(containers=honest.ALL):
            world.breach(f"left after down: {one.replace(world.home, '')}")
        self.down = answer.took

    # What it came to

    def judge(self):
        warm = sorted(one.milliseconds for one in self.attacks_samples if one.kind == "warm")
        if len(warm) < 10:
            self.world.breach(f"only {len(warm)} honest opens went through")
        elif percentile(warm, 99) > self.options.limit:
            self.world.breach(
                f"the honest apps' open took {percentile(warm, 99):.0f} ms at p99, and {self.options.limit:g} are promised")
        started = len(self.services)
        # It also ends by itself when nothing is left to do, and begins anew with the next transfer.
        if started > 2 + self.world.killed["transfers"] + self.options.seconds / 30:
            self.world.breach(f"the transfer service began {started} times, and was killed {self.world.killed['transfers']} times")

    def report(self):
        print(f"\nseed {self.options.seed}\n")
        for name in sorted(self.outcomes):
            counter = self.outcomes[name]
            print(f"{name} × {sum(counter.values())}: {self.sentences[name]}")
            for outcome, count in counter.most_common(6):
                print(f"    {count} × {outcome[:300]}")
        print("\nhonest opens, ms          count    p50    p99    max")
        rows = [("before the attacks", [one for one in self.calm if one.kind == "warm"])]
        rows += [(f"beside them, {kind}", [one for one in self.attacks_samples if one.kind == kind])
                 for kind in ("warm", "cold", "disturbed")]
        rows += [(f"  {app.rpartition('.')[2]}", [one for one in self.attacks_samples if one.kind == "warm" and one.app == app])
                 for app in honest.ALL]
        for what, samples in rows:
            times = sorted(one.milliseconds for one in samples)
            if times:
                print(f"{what:24} {len(times):6} {percentile(times, 50):6.1f} {percentile(times, 99):6.1f} {times[-1]:6.1f}")
        for kind in ("warm", "cold"):
            samples = [one for one in self.attacks_samples if one.kind == kind]
            for one in sorted(samples, key=lambda one: -one.milliseconds)[:3]:
                name, when = one.app.rpartition(".")[2], one.at - World.began
                print(f"    slowest {kind}: {name} {one.milliseconds:.0f} ms, at {when:.1f} s")
        print(f"the server answered {self.apps.requests} requests, the slowest after {self.apps.slowest * 1000:.0f} ms")
        print(f"ended for memory: {dict(self.ended) or 'none'}; killed: {dict(self.world.killed)}; "
              f"daemons: {len(self.daemons)}, services: {len(self.services)}")
        for what in self.before:
            (memory, kinds), (memory_after, kinds_after) = self.before[what], self.after[what]
            print(f"{what:10} {memory / 1e6:6.1f} MB → {memory_after / 1e6:6.1f} MB, "
                  f"{kinds.total()} → {kinds_after.total()} descriptors{more_of(kinds_after, kinds)}")
        print(f"the daemon at most {self.largest / 1e6:.0f} MB, and {self.busiest:.0%} of a processor over ten seconds; "
              f"down took {self.down:.1f} s")


def more_of(kinds, kinds_before):
    more = (kinds - kinds_before).most_common(9)
    return " (more: " + ", ".join(f"{number} {kind}" for kind, number in more) + ")" if more else ""


def percentile(ordered, part):
    return ordered[min(len(ordered) - 1, int(len(ordered) * part / 100))]


def parse():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bin", default=BIN, type=os.path.abspath)
    parser.add_argument("--seconds", default=30.0, type=float, help="of attacks")
    parser.add_argument("--seed", default=1, type=int)
    parser.add_argument("--only", default="", help="attacks, by name and comma")
    parser.add_argument("--lanes", default=3, type=int, help="attacks beside each other")
    parser.add_argument("--limit", default=50.0, type=float, help="milliseconds that an open may take at p99")
    parser.add_argument("--files", default=0, type=int, help="that an app makes before it is uninstalled")
    parser.add_argument("--memory", default="1536M", help="what all apps have together")
    parser.add_argument("--user", type=int, help="run as the ordinary user of this number; needs root to become it")
    parser.add_argument("--keep", action="store_true", help="leave the folder for a look")
    parser.add_argument("--verbose", action="store_true")
    options = parser.parse_args()
    options.only = set(filter(None, options.only.split(",")))
    unknown = options.only - {one.name for one in all_attacks()}
    if unknown:
        parser.error(f"there is no attack {', '.join(sorted(unknown))}")
    # What is short has room for every attack once, if none takes its time.
    options.pace = 1.0 if options.seconds >= 120 else 0.6
    options.up = ["--memory", options.memory]
    options.files = options.files or (300_000 if options.seconds >= 300 else 20_000)
    return options


# What needs root: namespaces, mounts, disks of its own.
NEEDS_ROOT = {"failed-up", "fuse-hangs", "mounted-container", "fills-disk", "group-moves"}


def left_out(options):
    """An ordinary user's apps are kept apart by user namespaces and Landlock 6."""
    named = options.only or {one.name for one in all_attacks()}
    options.only = named - NEEDS_ROOT
    print(f"NOT TESTED without root: {', '.join(sorted(named & NEEDS_ROOT))}", flush=True)


def main():
    options = parse()
    if options.user:
        ordinary.become(options.user)
    if os.getuid() != 0:
        left_out(options)
    # A thread that waits for an answer measures it, and not how long another one of these kept it waiting.
    sys.setswitchinterval(0.0005)
    chaos = Chaos(options)
    print(f"seed {options.seed}, {options.seconds:g} s, home {chaos.world.home}", flush=True)

    def stop(number, frame):
        raise SystemExit(f"signal {number}")

    signal.signal(signal.SIGTERM, stop)
    broken = collections.Counter()
    try:
        if any(one.kind != "disk" for one in chaos.attacks):
            chaos.run()
            chaos.end()
            chaos.judge()
            chaos.report()
        if not options.only or "fills-disk" in options.only:
            print(f"\n{chaos.world.clock()} a full disk", flush=True)
            broken += disk.run(options, chaos.tell).broken
    finally:
        chaos.world.over.set()
        chaos.world.sweep()
        if not options.keep:
            chaos.world.remove()
    broken += chaos.world.broken
    if broken:
        print("\nbroken:")
        for sentence, count in broken.most_common():
            print(f"  {count} × {sentence}")
        sys.stdout.flush()
        os._exit(1)
    print("\nevery promise was kept", flush=True)
    os._exit(0)


if __name__ == "__main__":
    main()
