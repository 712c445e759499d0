"""Gives as its picture a pipe, a link, a folder, a device, and a file that grows while it is read."""
KIND = "application"
STAYS = 0.5
HIDDEN = 1

import contextlib
import os

import belt
from peer import Peer

peer = Peer().hello()
peer.request("provideSnapshots", provides=True)
count = 0


def lie(message):
    global count
    path, number = message["params"]["path"], message["params"]["number"]
    kinds = [
        lambda: os.mkfifo(path), lambda: os.symlink(belt.SETTINGS["victims"][0] + "/canary", path),
        lambda: os.mkdir(path), lambda: os.symlink("/dev/zero", path), lambda: open(path, "wb").truncate(1 << 30),
        lambda: open(path, "wb").write(b"\x89PNG\r\n\x1a\n" + b"\xff" * 64),
        lambda: open(path, "w").write("<svg width='1e99' height='-1'>" + "<g>" * 50_000),
    ]
    with contextlib.suppress(OSError):
        kinds[(belt.SETTINGS["seed"] + count) % len(kinds)]()
    count += 1
    peer.request("snapshot", number=number, kind="png" if count % 2 else "svg")
    peer.request("snapshot", number=number, kind="png")


while (message := peer.receive()) is not None:
    if message.get("method") == "takeSnapshot":
        lie(message)
    else:
        peer.take(message)
        if message.get("method") == "didBecomeActive":
            peer.request("refreshSnapshot")
