"""The transfer service is killed while it works."""
KIND = "outside"

from storms import kernel


def attack(world, control):
    pid = world.pid("transfers")
    if not pid:
        return "no service at this moment"
    kernel.kill(pid)
    world.killed["transfers"] += 1
    return "killed"
