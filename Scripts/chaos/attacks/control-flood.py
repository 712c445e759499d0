"""Two hundred tools ask as fast as they can; half of them never read an answer."""
KIND = "outside"

import socket
import time


def attack(world, control):
    path = world.home + "/control"
    line = b"".join(
        b'{"jsonrpc":"2.0","id":%d,"method":"%s","params":{}}\n' % (number, method)
        for number, method in enumerate([b"status", b"apps", b"log", b"memory", b"reports", b"timeline", b"nothing"]))
    kept = []
    end = time.monotonic() + min(4, world.options.seconds / 8)
    while time.monotonic() < end:
        if len(kept) < 200:
            one = socket.socket(socket.AF_UNIX)
            one.settimeout(0.05)
            try:
                one.connect(path)
                kept.append(one)
            except OSError:
                one.close()
        for number, one in enumerate(list(kept)):
            try:
                one.send(line * 20, socket.MSG_DONTWAIT)
                if number % 2:
                    one.recv(1 << 20, socket.MSG_DONTWAIT)
            except BlockingIOError:
                pass
            except OSError:
                kept.remove(one)
                one.close()
        time.sleep(0.01)
    for one in kept:
        one.close()
    return f"{len(kept)} of 200 connections stood at the end"
