"""Downloads to a folder, to a name that none may have, to a place that is not there; and one that is right."""
KIND = "outside"

import os
import time


def attack(world, control):
    place = os.path.join(world.folder, f"transfers-{time.monotonic_ns()}")
    os.makedirs(place + "/folder")
    outcomes = []
    for target in ("folder", "folder/", ".", "..", "x" * 300, "missing/file", "folder/../folder"):
        answer = world.tool("transfer", world.good, "-o", f"{place}/{target}", "--wait", within=15)
        outcomes.append(str(answer.code))
        if answer.code is None:
            world.breach(f"transfer -o {target[:20]} waits instead of being refused")
    return "ended with " + ", ".join(outcomes)
