"""Takes memory as fast as it can, in the background too, to a gigabyte."""
KIND = "application"
STAYS = 1.5
HIDDEN = 2

import threading
import time

import belt
from peer import Peer

peer = Peer().hello()
peer.request("beginTask", task=1, name="eat")


def eat():
    kept = []
    for _ in range(32):
        kept.append(belt.touch(32 << 20))
        time.sleep(0.05)
    belt.hold()


threading.Thread(target=eat, daemon=True).start()
peer.serve()
