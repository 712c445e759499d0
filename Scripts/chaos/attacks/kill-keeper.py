"""The keeper is killed; the daemon takes its place."""
KIND = "outside"

import kernel


def attack(world, control):
    pid = world.pid("keeper")
    if not pid:
        return "no keeper at this moment"
    with world.disturbance():
        kernel.kill(pid)
        world.killed["keeper"] += 1
    return "another one answered"
