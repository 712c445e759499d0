"""The daemon is killed; its keeper begins another one, and no app notices."""
KIND = "outside"

import kernel


def attack(world, control):
    pid = world.pid("daemon")
    if not pid:
        return "no daemon at this moment"
    with world.disturbance():
        kernel.kill(pid)
        world.killed["daemon"] += 1
    return "another one answered"
