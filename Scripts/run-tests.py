#!/usr/bin/env python3
"""Runs the tests that were built, and ends with what a reader has to know about the run.

    Scripts/run-tests.py [--limit SECONDS] [ARGUMENT OF swift test ...]

It begins the program that swift test would begin, as swift test keeps to itself by which signal that ended. It prints what
the tests print, except for the start of each. After a failure it says which tests had started and not
ended, and repeats what failed. It fails if the tests left files or folders in a temporary folder. Then it counts the skipped
tests and says why they were skipped. The last line is the summary of Swift Testing.
"""

import argparse
import collections
import os
import re
import signal
import subprocess
import sys
import tempfile
import time

COMMAND = [
    os.path.realpath(".build/release") + "/greenroomPackageTests.xctest", "--testing-library", "swift-testing"]
# All at once would have thousands wait for a processor while their limits of time pass.
WIDTH = "SWT_EXPERIMENTAL_MAXIMUM_PARALLELIZATION_WIDTH"
COLOR = re.compile(r"\x1b\[[\d;]*m")
STARTED = re.compile(r"◇ +(Test|Suite) (?!case |run )(.*) started\.$")
ENDED = re.compile(r"[✔✘] +(Test|Suite) (.*?)(?: with \d+ test cases?)? (?:passed|failed) after")
SKIPPED = re.compile(r'➜ +Test (?!case )(.*?) skipped(?:: "(.*)")?\.?$')
SUMMARY = re.compile(r". +Test run with (\d+) tests?\b")
# Places in which tests make folders, and how those are named.
PLACES = {tempfile.gettempdir(), "/tmp", "/var/tmp", "/var/lib", "/dev/shm"}
OURS = re.compile(r"(greenroom|iconreel)-|[0-9A-F]{8}(-[0-9A-F]{4}){3}-[0-9A-F]{12}$")
# So many lines behind a failure explain it, and so many before the end of a run that broke off.
FOLLOWING = 6
LAST = 40
# How long what the last test ended may take to go.
MOMENT = 3


class Run:
    """What the lines of a run say."""

    def __init__(self):
        self.pending = {}
        self.skipped = collections.Counter()
        self.failed = []
        self.last = collections.deque(maxlen=LAST)
        self.summary = None
        self.tests = 0
        self.following = 0

    def read(self, line):
        """Whether the line is to be printed now."""
        plain = line.rstrip("\n")
        if not plain.startswith(("✔", "◇")):
            self.last.append(line)
        if started := STARTED.match(plain):
            self.pending[started.groups()] = None
        elif ended := ENDED.match(plain):
            self.pending.pop(ended.groups(), None)
        elif skipped := SKIPPED.match(plain):
            self.skipped[skipped[2] or "no reason given"] += 1
        if plain.startswith("✘"):
            self.following = FOLLOWING
            self.failed.append(line)
        elif self.following > 0 and not plain.startswith("◇"):
            self.following -= 1
            self.failed.append(line)
        if summary := SUMMARY.match(plain):
            self.summary, self.tests = line, int(summary[1])
            return False
        return not plain.startswith("◇")

    def says_skipped(self):
        """A run without rights must not look like a full one."""
        if self.summary is None:
            return "NOT A FULL RUN: it did not come to its end."
        if not self.skipped:
            return "No test was skipped."
        count = sum(self.skipped.values())
        is_full = not any(reason.startswith("NOT TESTED") for reason in self.skipped)
        lines = [f"{'Skipped' if is_full else 'NOT A FULL RUN. Skipped'}: {count} of {self.tests} tests, because:"]
        lines += [f"{number:6}  {reason}" for reason, number in self.skipped.most_common()]
        return "\n".join(lines)


def entries():
    found = set()
    for place in PLACES:
        try:
            found.update(os.path.join(place, name) for name in os.listdir(place) if OURS.match(name))
        except OSError:
            continue
    return found


def leftovers(before):
    end = time.monotonic() + MOMENT
    while (left := entries() - before) and time.monotonic() < end:
        time.sleep(0.1)
    return sorted(left)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--limit", type=int, default=0, help="end the tests after so many seconds (default: never)")
    options, others = parser.parse_known_args()
    before = entries()
    run = Run()
    process = subprocess.Popen(
        ["timeout", "--kill-after=30", str(options.limit), *COMMAND, *others], stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace", env={WIDTH: "64", **os.environ})
    # It has a process group of its own, so Ctrl-C has to be handed on.
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: process.terminate())
    for line in process.stdout:
        # Into a pipe Swift Testing writes as on a terminal.
        line = COLOR.sub("", line)
        if run.read(line):
            print(line, end="", flush=True)
    code = process.wait()
    left = leftovers(before)
    if code != 0:
        print("Started and not ended:")
        print("\n".join(f"  {kind} {name}" for kind, name in run.pending))
        # Where only the end of the output is kept, the failures must be in it.
        print("What failed:")
        print("".join(run.failed[-200:]), end="")
        if run.summary is None:
            # What a process says when it crashes stands beside no test's name.
            print("What was printed last, without the tests that passed:")
            print("".join(run.last), end="")
    if left:
        print("The tests left these behind:\n  " + "\n  ".join(left))
    if code != 0:
        # Long explanations may have pushed the first of them out of what was kept.
        print("In one line each:")
        print("".join(line for line in run.failed if line.startswith("✘"))[-6000:], end="")
    print(run.says_skipped())
    end = f"by signal {-code} ({signal.strsignal(-code)})" if code < 0 else f"with exit code {code}"
    print(run.summary or f"The tests were ended {end}, without a summary.", end="" if run.summary else "\n")
    sys.exit(code or (1 if left else 0))


if __name__ == "__main__":
    main()
