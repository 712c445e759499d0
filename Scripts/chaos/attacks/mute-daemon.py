"""A daemon that accepts and never answers: no tool may wait for ever."""
KIND = "outside"

import os
import socket
import time


def attack(world, control):
    home = os.path.join(world.folder, f"mute-{time.monotonic_ns()}")
    os.mkdir(home, 0o700)
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(os.path.join(home, "control"))
    listener.listen(64)
    # It looks alive: this process is.
    for name in ("keeper.pid", "daemon.pid"):
        with open(os.path.join(home, name), "w") as file:
            file.write(f"{os.getpid()} {open('/proc/self/stat').read().rpartition(')')[2].split()[19]}\n")
    verb = world.random.choice([["status"], ["apps"], ["log"], ["why", "x"], ["memory"], ["reports"]])
    answer = world.tool(*verb, within=40, home=home)
    listener.close()
    if answer.code is None:
        world.breach(f"mute-daemon: greenroom {verb[0]} waits for a daemon that never answers")
        return "hung"
    return f"greenroom {verb[0]} gave up after {answer.took:.0f} s"
