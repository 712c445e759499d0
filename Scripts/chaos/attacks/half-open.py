"""Connections that say half of a word, and stay, or end in the middle of it."""
KIND = "outside"

import contextlib
import socket
import time


def attack(world, control):
    kept = []
    for path in ("control", "app", "control", "app", "transfers/control"):
        for number in range(100):
            one = socket.socket(socket.AF_UNIX)
            one.settimeout(0.2)
            try:
                one.connect(f"{world.home}/{path}")
                one.send((b'{"jsonrpc":"2.0","id":1,"meth', b"", b"\n\n\n", b"{" * 1000)[number % 4])
                if number % 3 == 0:
                    one.shutdown(socket.SHUT_WR)
                kept.append(one)
            except OSError:
                one.close()
    time.sleep(min(2, world.options.seconds / 15))
    for number, one in enumerate(kept):
        with contextlib.suppress(OSError):
            if number % 2:
                # Ends in the middle of what it says.
                one.send(b'od":"status"')
        one.close()
    return f"{len(kept)} connections"
