"""The daemon is killed; its keeper begins another one, and no app notices."""
KIND = "outside"

from storms import kernel


def attack(world, control):
    with world.disturbance() as before:
        if not before["daemon"]:
            return "no daemon at this moment"
        kernel.kill(before["daemon"])
        world.killed["daemon"] += 1
    return "another one answered"
