"""The transfer service stops in the middle of its work, as one that hangs does. Another process has to take its place."""
KIND = "outside"

import contextlib
import os
import signal
import time

LIMIT = 90


def attack(world, control):
    pid = world.pid("transfers")
    if not pid:
        return "no service at this moment"
    with contextlib.suppress(ProcessLookupError):
        os.kill(pid, signal.SIGSTOP)
    # The daemon asks it after the next news of its apps, and honest apps make news all the time.
    end = time.monotonic() + LIMIT
    while time.monotonic() < end:
        if world.pid("transfers") != pid:
            world.killed["transfers"] += 1
            return "it was replaced"
        time.sleep(0.5)
    with contextlib.suppress(ProcessLookupError):
        os.kill(pid, signal.SIGCONT)
    world.breach(f"stops-services: the transfer service hung for {LIMIT} seconds, and nothing took its place")
    return "it went on hanging"
