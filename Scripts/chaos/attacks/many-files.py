"""Makes so many files that uninstalling it takes long."""
KIND = "application"
RUNS = 1
STAYS = 3

import os

import belt
from peer import Peer

peer = Peer().hello()
if os.fork() == 0:
    peer.socket.close()
    for number in range(belt.SETTINGS["files"]):
        if number % 1000 == 0:
            folder = os.path.join(os.environ["HOME"], "Documents", str(number // 1000))
            os.makedirs(folder, exist_ok=True)
        os.close(os.open(f"{folder}/{number}", os.O_CREAT | os.O_WRONLY))
    os._exit(0)
peer.serve()
