"""A file of the journal has the largest number that there is, others are empty, folders, or not even numbers."""
KIND = "outside"

import os
import time

from storms import kernel


def attack(world, control):
    home = os.path.join(world.folder, f"journal-{time.monotonic_ns()}")
    journal = os.path.join(home, "journal")
    os.makedirs(journal, mode=0o700)
    chance = world.random
    for number in (2 ** 64 - 1, 2 ** 63 - 1, 2 ** 63, 0, -1, 10 ** 30, 7):
        for kind in ("events", "checkpoint"):
            path = os.path.join(journal, f"{number}.{kind}")
            if number == 7:
                os.mkdir(path)
                continue
            with open(path, "wb") as file:
                file.write(chance.randbytes(chance.choice([0, 1, 40, 5000])))
    answer = world.tool("up", "--detach", within=30, home=home)
    group = kernel.text(home + "/cgroup").strip() or None
    if answer.code is None:
        world.breach("largest-journal: up did not end in 30 s")
    pid = kernel.text(home + "/daemon.pid").split()[:1]
    time.sleep(1)
    if answer.code == 0 and kernel.text(home + "/daemon.pid").split()[:1] != pid:
        world.breach("largest-journal: the daemon dies again and again")
    down = world.tool("down", within=40, home=home)
    left = kernel.of_home(home)
    if left or down.code is None:
        world.breach(f"largest-journal: after down ({down.code}) {len(left)} processes are left")
    kernel.sweep(group, left)
    return f"up ended with {answer.code}, down with {down.code}"
