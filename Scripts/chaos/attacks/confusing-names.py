"""Processes whose names look like the rest of a line of /proc: parentheses, newlines, fifteen bytes, no UTF-8."""
KIND = "application"
HIDDEN = 2

import ctypes
import os
import time

import belt
from peer import Peer

peer = Peer().hello()
for name in (b") R 1 1", b"x) Z 0 0 0", b"\n\n\n(", b"123456789012345", b"\xff\xfe\xfd", b") S 1 1 1 1 1", b" ", b"0::/ (deleted)"):
    if os.fork() == 0:
        peer.socket.close()
        belt.libc.prctl(15, ctypes.c_char_p(name), 0, 0, 0)
        if os.fork() == 0:
            belt.libc.prctl(15, ctypes.c_char_p(name), 0, 0, 0)
        time.sleep(600)
        os._exit(0)
belt.libc.prctl(15, ctypes.c_char_p(b") D 0 0"), 0, 0, 0)
peer.serve()
