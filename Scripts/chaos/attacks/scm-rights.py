"""Sends descriptors where none are wanted: eight with each line, sockets within sockets, and more than a line may have."""
KIND = "application"
STAYS = 1.5

import array
import os
import socket
import threading
import time

from peer import Peer

peer = Peer().hello().launched()
files = [os.open("/dev/null", os.O_RDONLY) for _ in range(200)]


def flood():
    line = b'{"jsonrpc":"2.0","id":7,"method":"state","params":{}}\n'
    for number in range(20_000):
        count = (8, 1, 8, 200)[number % 4]
        try:
            peer.socket.sendmsg(
                [line if number % 5 else b" "],
                [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", files[:count]))])
        except OSError:
            return
        if number % 50 == 0:
            time.sleep(0.01)


threading.Thread(target=flood, daemon=True).start()
peer.serve()
