"""Prints as fast as it can: lines without an end, control characters, and holes."""
KIND = "plain"
LOOKS_AT_OUTPUT = True

import os
import time

end = time.monotonic() + 60
import contextlib

import belt

with contextlib.suppress(OSError):
    while time.monotonic() < end:
        os.write(1, b"\x1b[2J\xff\x00" * 10_000)
        time.sleep(0.005)
belt.hold()
