"""Asks without an end and never reads an answer."""
KIND = "application"
STAYS = 1.5
CLOSES_WITHIN = 30

import belt
from peer import Peer

peer = Peer().hello().launched()
try:
    while True:
        peer.request("pendingTasks")
except OSError:
    belt.hold()
