"""A child of vfork that neither begins a program nor ends: its parent sleeps and cannot be interrupted."""
KIND = "plain"
HIDDEN = 2.5

import os
import threading

import belt


def child():
    # A copy of the memory, and a parent that waits for it as after vfork.
    if belt.syscall(56, 0x4000 | 17, None, None, None, None)[0] == 0:
        belt.hold()


for _ in range(5):
    threading.Thread(target=child, daemon=True).start()
if os.fork() == 0:
    child()
belt.hold()
