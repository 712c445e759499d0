"""Two hundred tools ask as fast as they can; half of them never read an answer."""
KIND = "outside"

import contextlib
import socket
import subprocess
import sys
import time


def attack(world, control):
    # A process of its own: its own work must not stand in the way of what is measured.
    seconds = min(4, world.options.seconds / 8)
    process = subprocess.run(
        [sys.executable, "-B", __file__, world.home + "/control", str(seconds)], stdout=subprocess.PIPE, text=True,
        timeout=seconds + 60, check=False)
    return process.stdout.strip()


def flood(path, seconds):
    line = b"".join(
        b'{"jsonrpc":"2.0","id":%d,"method":"%s","params":{}}\n' % (number, method)
        for number, method in enumerate([b"status", b"apps", b"log", b"memory", b"reports", b"timeline", b"nothing"]))
    kept, cut, end = [], 0, time.monotonic() + seconds
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
                cut += 1
        time.sleep(0.01)
    for one in kept:
        with contextlib.suppress(OSError):
            one.close()
    print(f"{cut} connections were cut off")


if __name__ == "__main__":
    flood(sys.argv[1], float(sys.argv[2]))
