"""Writes until the disk is full, and takes at once whatever becomes free again."""
KIND = "disk"

import os
import threading
import time

from peer import Peer

peer = Peer().hello()


def fill():
    file = os.open(os.path.join(os.environ["HOME"], "Documents", "filler"), os.O_CREAT | os.O_WRONLY | os.O_APPEND)
    end = time.monotonic() + 300
    size = 1 << 20
    while time.monotonic() < end:
        try:
            os.write(file, b"x" * size)
        except OSError:
            size = max(1, size // 2)
            time.sleep(0.01)


threading.Thread(target=fill, daemon=True).start()
peer.serve()
