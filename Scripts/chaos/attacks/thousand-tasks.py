"""Begins a thousand background tasks, and a thousand more, without an end."""
KIND = "application"
STAYS = 1.5
HIDDEN = 1.5

import threading

import time

from peer import Peer

peer = Peer().hello().launched()


def begin():
    try:
        for number in range(1, 60_001):
            peer.request("beginTask", task=number, name="x" * 200)
            if number % 1000 == 0:
                time.sleep(0.05)
    except OSError:
        pass


threading.Thread(target=begin, daemon=True).start()
peer.serve()
