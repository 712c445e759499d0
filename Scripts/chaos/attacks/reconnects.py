"""Connects again and again, with and without a word, from its first process and from a child that may not."""
KIND = "application"
STAYS = 2

import os
import socket
import threading
import time

from peer import Peer

peer = Peer().hello()


def connect():
    end = time.monotonic() + 120
    while time.monotonic() < end:
        try:
            one = Peer(Peer.connected())
            one.hello()
            if int(time.monotonic() * 10) % 2:
                one.socket.settimeout(0.2)
                one.receive()
            one.socket.close()
        except (OSError, TimeoutError):
            time.sleep(0.01)


if os.fork() == 0:
    connect()
    os._exit(0)
threading.Thread(target=connect, daemon=True).start()
while True:
    try:
        peer.serve()
        peer = Peer(Peer.connected()).hello()
    except OSError:
        time.sleep(0.05)
