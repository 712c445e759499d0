"""Attaches to an honest app's terminal forty times, reads nothing, and sends frames that are none."""
KIND = "outside"

import contextlib
import socket
import struct
import time

import honest


def attack(world, control):
    path = control.insist("attach", app=honest.TYPIST, within=20)["path"]
    kept = []
    for number in range(40):
        one = socket.socket(socket.AF_UNIX)
        one.settimeout(0.2)
        with contextlib.suppress(OSError):
            one.connect(path)
            kept.append(one)
            # Never input: that would be a person typing.
            one.send((b"w" + struct.pack(">HHH", 4, 65_535, 0), b"z\xff\xff" + b"\0" * 100, b"w", b"w\0\0" * 200,
                      b"d\0\0")[number % 5])
    time.sleep(min(2, world.options.seconds / 15))
    for one in kept:
        one.close()
    return f"{len(kept)} attached"
