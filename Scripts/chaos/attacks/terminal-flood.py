"""A program at a terminal that prints without a pause, in colours and half characters, and never reads what is typed."""
KIND = "plain"
TERMINAL = True
RUNS = 1

import contextlib
import os
import time

import belt

end = time.monotonic() + 60
with contextlib.suppress(OSError):
    while time.monotonic() < end:
        os.write(1, b"\x1b[31m\xc3\x1b]0;" + b"x" * 4000)
belt.hold()
