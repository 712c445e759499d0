"""300 MB in /dev/shm and as much in /tmp, which the machine shares."""
KIND = "application"
RUNS = 0.9
HIDDEN = 2

import contextlib
import os

import belt
from peer import Peer

peer = Peer().hello()
for folder in ("/dev/shm", "/tmp"):
    place = os.path.join(folder, f"chaos-hoard-{belt.SETTINGS['seed']}")
    with contextlib.suppress(OSError), open(place, "wb", buffering=0) as file:
        for _ in range(300 if folder == "/dev/shm" else 20):
            file.write(b"x" * (1 << 20))
peer.serve()
