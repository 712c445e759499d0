"""An app in the background that uses all it can get: one process computes, one writes to the disk and waits for it."""

import os
import signal

BLOCK = b"\xa5" * (1 << 20)
BLOCKS = 32


def compute():
    while True:
        pass


def write():
    path = f"burn-{os.getpid()}"
    file = os.open(path, os.O_CREAT | os.O_WRONLY | os.O_TRUNC, 0o600)
    # Whatever becomes of this process, nothing stays on the disk.
    os.unlink(path)
    while True:
        for _ in range(BLOCKS):
            os.write(file, BLOCK)
        os.fsync(file)
        os.lseek(file, 0, os.SEEK_SET)


if __name__ == "__main__":
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    if os.fork() == 0:
        write()
    compute()
