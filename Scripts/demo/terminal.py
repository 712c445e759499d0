"""A person at `greenroom attach`: a terminal, typing, looking."""

import fcntl
import os
import pty
import re
import select
import struct
import termios
import time

from storms.waiting import Failed

CONTROL = re.compile(rb"\x1b(\[[0-9;?]*[A-Za-z@]|\][^\x07]*\x07|[()][A-Z0-9]|[=>])|\x0f")


class Attached:
    def __init__(self, system, app):
        self.app = app
        self.seen = b""
        self.pid, self.terminal = pty.fork()
        if self.pid == 0:
            os.execvpe("greenroom", ["greenroom", "attach", app], dict(system.environment, TERM="xterm-256color"))
        fcntl.ioctl(self.terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))

    def type(self, keys):
        os.write(self.terminal, keys)

    def look_for(self, words, limit=10.0):
        """Waits until the terminal has shown these words."""
        end = time.monotonic() + limit
        while words not in CONTROL.sub(b"", self.seen):
            if not self.read(end - time.monotonic()):
                screen = CONTROL.sub(b"", self.seen)[-400:]
                raise Failed(f"the terminal of {self.app} never showed {words!r}, but ends with {screen!r}")

    def read(self, patience):
        ready, _, _ = select.select([self.terminal], [], [], max(0.0, patience))
        try:
            new = os.read(self.terminal, 65536) if ready else b""
        except OSError:
            new = b""
        self.seen += new
        return bool(new)

    def detach(self):
        self.type(b"\x1d")
        while self.read(5.0):
            pass
        os.close(self.terminal)
        _, status = os.waitpid(self.pid, 0)
        if status != 0:
            raise Failed(f"greenroom attach {self.app} ended with status {status}")
