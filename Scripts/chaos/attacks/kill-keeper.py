"""The keeper is killed; the daemon takes its place."""
KIND = "outside"

from storms import kernel


def attack(world, control):
    with world.disturbance() as before:
        if not before["keeper"]:
            return "no keeper at this moment"
        kernel.kill(before["keeper"])
        world.killed["keeper"] += 1
    return "another one answered"
