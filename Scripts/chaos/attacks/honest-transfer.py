"""No attack: a download from an honest server, beside all that the others do, arrives whole."""
KIND = "outside"

import os
import time


def attack(world, control):
    target = os.path.join(world.folder, f"good-{time.monotonic_ns()}")
    begin = time.monotonic()
    answer = world.tool("transfer", world.good, "-o", target, "--wait", within=60)
    if answer.code is None:
        world.breach("an honest transfer of 100 kB did not end in 60 s")
    elif not os.path.exists(target) or os.path.getsize(target) != 100_000:
        # The service may die under the tool that waits, but not under the transfer.
        end = time.monotonic() + 30
        while time.monotonic() < end and not os.path.exists(target):
            time.sleep(0.1)
        if not os.path.exists(target) or os.path.getsize(target) != 100_000:
            world.breach(f"an honest transfer ended with {answer.code}: {answer.output.strip()[-200:]}")
    return f"arrived after {time.monotonic() - begin:.1f} s"
