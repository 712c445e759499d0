"""The same as an application, after a proper launch: nobody answers its callbacks any more."""
KIND = "application"
CLOSES_WITHIN = 30

import threading
import time

import belt
from peer import Peer

peer = Peer().hello().launched()


def serve():
    peer.serve()


threading.Thread(target=serve).start()
time.sleep(0.4)
belt.leave_main_thread()
