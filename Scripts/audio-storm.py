#!/usr/bin/env python3
"""Tells random stories of apps that sound, and of what happens to them, on a whole system with a PipeWire of its own. When
a story has come to rest, it is heard in the sink's monitor who sounds, and how loud.

    audio-storm.py [--bin .build/bin] [--apps .build/apps] [--stories 50] [--steps 8] [--seed 1] [--only K] [--spare-server]
                   [--keep] [--json]

In a story apps play, pause, stop, record and speak, are opened and left, locked, called, plugged in and out, commanded by
the tool, a headset and playerctl, closed and killed; and daemon, service, PipeWire and WirePlumber are killed. Nobody may be
silent who should sound, or sound who should be silent; no duck may be left over; no app may run in the background without a
sound; and who plays may have no gap, whoever is frozen meanwhile. A problem is told with its steps; --seed and --only tell
that story again. A PipeWire that crashes by itself is started again, as systemd does, and counted. With --keep the folders
of stories with problems stay. Needs root, as apps have users.
"""

import argparse
import os
import random
import signal
import sys
import time

sys.dont_write_bytecode = True
from storms.audio.sound import NEEDED  # noqa: E402
from storms.audio.story import Story  # noqa: E402
from storms.files import finish  # noqa: E402
from storms.places import APPS, BIN  # noqa: E402


def tell(options, number, result):
    story = Story(options, number, random.Random(f"{options.seed}/{number}"))
    began = time.monotonic()
    problems = []
    try:
        problems = story.run()
        if problems:
            print(f"story {number} (--seed {options.seed} --only {number}): {'; '.join(problems)}", file=sys.stderr)
            print(story.explain(), file=sys.stderr, flush=True)
    finally:
        story.device.end(keeps=bool(problems) and options.keep)
    if options.verbose:
        print(f"story {number}, {time.monotonic() - began:.1f} s: {'; '.join(story.steps)}", file=sys.stderr, flush=True)
    result["stories"] += 1
    result["steps"] += len(story.steps)
    result["weakWindows"] += story.device.dips
    result["serverCrashes"] += story.server_crashes
    for victim, count in story.kills.items():
        result["kills"][victim] = result["kills"].get(victim, 0) + count
    result["problems"] += [f"story {number}: {problem}" for problem in problems]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bin", default=BIN)
    parser.add_argument("--apps", default=APPS)
    parser.add_argument("--stories", default=50, type=int)
    parser.add_argument("--steps", default=8, type=int, help="in each story")
    parser.add_argument("--seed", default=1, type=int)
    parser.add_argument("--only", type=int, metavar="K", help="tell the story of this number alone")
    parser.add_argument("--spare-server", action="store_true", help="kill neither PipeWire nor WirePlumber")
    parser.add_argument("--keep", action="store_true", help="leave the folders of stories with problems")
    parser.add_argument("--verbose", action="store_true", help="print each story's steps")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    missing = [program for program in NEEDED if not os.path.exists(program)]
    if missing:
        sys.exit(f"missing: {' '.join(missing)}")
    # An interrupted storm takes down what it started.
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    began = time.monotonic()
    result = {"seed": options.seed, "stories": 0, "steps": 0, "kills": {}, "serverCrashes": 0, "weakWindows": 0, "problems": []}
    for number in [options.only] if options.only is not None else range(options.stories):
        tell(options, number, result)
    result["seconds"] = round(time.monotonic() - began, 1)
    finish(result, options.json)


if __name__ == "__main__":
    main()
