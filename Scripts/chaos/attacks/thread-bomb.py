"""Starts 2,000 threads, and takes them down and starts them anew."""
KIND = "application"
STAYS = 1.5
CLOSES_WITHIN = 25

import threading
import time

from peer import Peer

threading.stack_size(64 << 10)
peer = Peer().hello()


def bomb():
    alive = []
    for number in range(20_000):
        thread = threading.Thread(target=time.sleep, args=(1,), daemon=True)
        try:
            thread.start()
            alive.append(thread)
        except RuntimeError:
            time.sleep(0.1)
        if len(alive) > 2_000:
            time.sleep(0.2)
            alive = [one for one in alive if one.is_alive()]
        if number % 100 == 0:
            time.sleep(0.01)


threading.Thread(target=bomb, daemon=True).start()
peer.serve()
