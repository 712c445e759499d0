"""Crashes again and again in its children, by every signal that ends a process, and at last itself."""
KIND = "application"
STAYS = 1.5

import os
import signal
import time

from peer import Peer

peer = Peer().hello()
for number in (signal.SIGSEGV, signal.SIGABRT, signal.SIGBUS, signal.SIGILL, signal.SIGSYS, signal.SIGXCPU) * 10:
    child = os.fork()
    if child == 0:
        os.kill(os.getpid(), number)
        os._exit(1)
    os.waitpid(child, 0)
peer.ask("state")
time.sleep(0.2)
os.kill(os.getpid(), signal.SIGSEGV)
