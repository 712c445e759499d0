"""The first process exits, and its children flood the socket that they inherited: a loop that drains it never finds it empty."""
KIND = "application"
STAYS = 2
RUNS = 1
CLOSES_WITHIN = 20

import os
import time

import belt
from peer import Peer

peer = Peer().hello().launched()
line = (b'{"jsonrpc":"2.0","method":"nothing"}\n', b'{"jsonrpc":"2.0","id":1,"method":"state","params":{}}\n', b"\n")[
    belt.SETTINGS["seed"] % 3]
parent = os.getpid()
for _ in range(2):
    if os.fork() == 0:
        end = time.monotonic() + 120
        try:
            while time.monotonic() < end:
                peer.socket.send(line * (65_536 // len(line)))
        except OSError:
            belt.hold(300)
time.sleep(0.2)
os._exit(0)
