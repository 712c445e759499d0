"""Fills pipes and socket pairs until no descriptor is left."""
KIND = "application"
RUNS = 0.9
HIDDEN = 1.5

import contextlib
import fcntl
import os
import socket

from peer import Peer

peer = Peer().hello()
kept = []
with contextlib.suppress(OSError):
    for number in range(400):
        reader, writer = os.pipe()
        kept += [reader, writer]
        with contextlib.suppress(OSError):
            fcntl.fcntl(writer, 1031, 1 << 20)
        os.set_blocking(writer, False)
        with contextlib.suppress(BlockingIOError):
            while True:
                os.write(writer, b"x" * 65536)
    while True:
        one, other = socket.socketpair()
        one.setblocking(False)
        kept += [one, other]
        with contextlib.suppress(BlockingIOError):
            while True:
                one.send(b"x" * 65536)
with contextlib.suppress(OSError):
    os.close(kept.pop(0))
peer.serve()
