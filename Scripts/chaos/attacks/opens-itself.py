"""Opens its own URL again and again, so that it would stay on screen or fill the log."""
KIND = "application"
SCHEMES = ["chaos-itself"]
RUNS = 1

import threading
import time

from peer import Peer

peer = Peer().hello().launched()


def insist():
    try:
        for number in range(5_000):
            peer.request("openURL", url=f"chaos-itself://{number}")
            if number % 20 == 0:
                time.sleep(0.01)
    except OSError:
        pass


threading.Thread(target=insist, daemon=True).start()
peer.serve({"openURL": lambda message: peer.answer(message, {"handled": True})})
