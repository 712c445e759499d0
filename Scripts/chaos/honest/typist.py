#!/usr/bin/env python3
"""A plain program at a terminal: every line that is typed is on disk before it is confirmed."""

import os
import sys

place = os.path.join(os.environ["HOME"], "Documents", "lines")
with open(place, "a") as file:
    print("ready", flush=True)
    for line in sys.stdin:
        file.write(line)
        file.flush()
        os.fsync(file.fileno())
        print("kept " + line.strip(), flush=True)
