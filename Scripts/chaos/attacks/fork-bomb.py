"""Forks as long as it may, at most 1,500 times; each child forks too."""
KIND = "application"
STAYS = 1.5
CLOSES_WITHIN = 25

import contextlib
import os
import time

from peer import Peer

peer = Peer().hello().launched()
counter, count = os.pipe()
os.write(count, b"x" * 1_500)
if os.fork() == 0:
    peer.socket.close()
    os.set_blocking(counter, False)
    end = time.monotonic() + 30
    while time.monotonic() < end:
        try:
            os.read(counter, 1)
            os.fork()
        except BlockingIOError:
            break
        except OSError:
            time.sleep(0.05)
    time.sleep(600)
    os._exit(0)
with contextlib.suppress(OSError):
    peer.serve()
