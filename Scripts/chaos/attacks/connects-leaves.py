"""Connects to the transfer service and leaves, again and again: what a connection needs has to end with it."""
KIND = "application"
RUNS = 1
STAYS = 3

import contextlib
import socket
import time

import belt
from peer import Peer

app = Peer().hello().launched()
app.socket.settimeout(1)
made = 0
end = time.monotonic() + 2.5
with contextlib.suppress(OSError):
    while time.monotonic() < end:
        app.request("connect", service="transfers")
        _, descriptors, _, _ = socket.recv_fds(app.socket, 1 << 16, 8)
        for descriptor in descriptors:
            with socket.socket(fileno=descriptor) as connection:
                made += 1
                if made % 2:
                    connection.send(b'{"jsonrpc":"2.0","id":1,"method":"hello","params":{"protocol":1}}\n')
app.socket.settimeout(None)
belt.say("made", made)
belt.hold()
