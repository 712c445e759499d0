"""Listens on a thousand abstract names, some of them like those that others use, and connects to itself."""
KIND = "plain"
HIDDEN = 1.5

import contextlib
import os
import socket

import belt

kept = []
with contextlib.suppress(OSError):
    for number in range(1_000):
        one = socket.socket(socket.AF_UNIX)
        one.bind("\0" + (os.environ.get("GREENROOM_APP", "x") if number == 0 else f"chaos-{number}-{os.getpid()}"))
        one.listen(8)
        kept.append(one)
        if number % 10 == 0:
            other = socket.socket(socket.AF_UNIX)
            other.setblocking(False)
            other.connect(one.getsockname())
            kept.append(other)
belt.hold()
