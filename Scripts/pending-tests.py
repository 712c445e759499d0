#!/usr/bin/env python3
"""Which tests a log of `swift test` shows as started and not as ended: where a run hung."""
import re
import sys

STARTED = re.compile(r"◇ (Test|Suite) (?!case )(.*) started\.$")
ENDED = re.compile(r"[✔✘] (Test|Suite) (.*?)(?: with \d+ test cases?)? (?:passed|failed) after")


def main():
    pending = {}
    with open(sys.argv[1], errors="replace") as log:
        for line in log:
            if started := STARTED.match(line):
                pending[started.groups()] = None
            elif ended := ENDED.match(line):
                pending.pop(ended.groups(), None)
    for kind, name in pending:
        print(f"  {kind} {name}")


main()
