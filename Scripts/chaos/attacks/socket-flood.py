"""The first process exits, and a child floods the socket that it inherited: a loop that drains it never finds it empty."""
KIND = "application"
STAYS = 2
CLOSES_WITHIN = 20

import os
import time

import belt
from peer import Peer

peer = Peer().hello().launched()
if os.fork():
    os._exit(0)
line = b'{"jsonrpc":"2.0","id":1,"method":"state","params":{}}\n' * 200
end = time.monotonic() + 300
try:
    while time.monotonic() < end:
        peer.socket.send(line)
except OSError:
    belt.hold(300)
