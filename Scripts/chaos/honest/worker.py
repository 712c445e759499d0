#!/usr/bin/env python3
"""An app with background tasks: each time it leaves the screen it writes a batch of ten lines, and is given the time for it."""

import os
import sys

sys.dont_write_bytecode = True
from greenroom_app import App  # noqa: E402

PIECES = 10


class Worker:
    def __init__(self, home):
        self.place = os.path.join(home, "Documents", "batches")
        self.batch = 0
        self.left = 0
        self.task = 0

    def willFinishLaunching(self, params):
        try:
            with open(self.place) as file:
                self.batch = max((int(line.split()[0]) for line in file), default=0)
        except OSError:
            pass

    def didEnterBackground(self, params):
        if self.left:
            return
        self.batch += 1
        self.left = PIECES
        self.task += 1
        app.request("beginTask", {"task": self.task, "name": "batch"})
        self.write()

    def tick(self):
        if not self.left:
            return
        self.write()
        if not self.left:
            app.request("endTask", {"task": self.task})

    def write(self):
        with open(self.place, "a") as file:
            file.write(f"{self.batch} {PIECES - self.left + 1}\n")
        self.left -= 1


worker = Worker(os.environ["HOME"])
app = App(worker, "worker/1.0")
app.every(0.02, worker.tick)
app.run()
