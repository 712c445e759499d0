"""Shares 200 MB of dirty memory with its children, so that it belongs to none of them."""
KIND = "application"
RUNS = 0.9
HIDDEN = 2
HAS_MEGABYTES = 150

import os

import belt
from peer import Peer

peer = Peer().hello()
memory = belt.touch(200 << 20)
for _ in range(4):
    if os.fork() == 0:
        peer.socket.close()
        belt.hold()
peer.serve()
