"""Asks for a connection to the transfer service again and again, and keeps them all."""
KIND = "application"
RUNS = 1
STAYS = 2

import contextlib
import socket

import belt
from peer import Peer

app = Peer().hello().launched()
kept = []
app.socket.settimeout(0.05)
with contextlib.suppress(OSError):
    for number in range(3_000):
        app.request("connect", service="transfers")
        while True:
            try:
                data, descriptors, _, _ = socket.recv_fds(app.socket, 1 << 16, 8)
            except TimeoutError:
                break
            for descriptor in descriptors:
                kept.append(socket.socket(fileno=descriptor))
                with contextlib.suppress(OSError):
                    kept[-1].send(b'{"jsonrpc":"2.0","id":1,"method":"hello","params":{"protocol":1,"client":"x"}}\n')
            if len(data) < 1 << 12:
                break
belt.say("kept", len(kept))
belt.hold()
