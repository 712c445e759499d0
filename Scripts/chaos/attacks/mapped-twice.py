"""Maps the same 200 MB of shared memory four times: each map has its part, none has it all."""
KIND = "application"
RUNS = 0.9
HIDDEN = 2
HAS_MEGABYTES = 150

import mmap
import os

import belt
from peer import Peer

peer = Peer().hello()
file = os.memfd_create("twice")
os.ftruncate(file, 200 << 20)
maps = [mmap.mmap(file, 200 << 20) for _ in range(4)]
for one in maps:
    one[::4096] = b"x" * (len(one) // 4096)
peer.serve()
