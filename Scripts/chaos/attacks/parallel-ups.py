"""Four tools begin a system of their own home at once; one keeper and one daemon may come of it, and down ends all."""
KIND = "outside"

import os
import threading
import time

from storms import kernel


def programs(home):
    found = {}
    for pid, birth in kernel.of_home(home).items():
        name = kernel.text(f"/proc/{pid}/cmdline").split("\0")[0].rpartition("/")[2]
        found.setdefault(name, []).append((pid, birth))
    return found


def attack(world, control):
    home = os.path.join(world.folder, f"parallel-{time.monotonic_ns()}")
    answers = []

    def up():
        answers.append(world.tool("up", "--detach", within=40, home=home))

    threads = [threading.Thread(target=up) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    time.sleep(0.3)
    found = programs(home)
    group = kernel.text(home + "/cgroup").strip()
    for name in ("greenroomd", "greenroom-keeper"):
        if len(found.get(name, [])) != 1:
            world.breach(f"parallel-ups: {len(found.get(name, []))} processes {name} on a fresh home")
    if any(answer.code is None for answer in answers):
        world.breach("parallel-ups: one of four did not end in 40 s")
    down = world.tool("down", within=40, home=home)
    if down.code != 0:
        world.breach(f"parallel-ups: down ended with {down.code}: {down.output[-200:]}")
    left = kernel.of_home(home)
    if left:
        world.breach(f"parallel-ups: {len(left)} processes are left after down")
    kernel.sweep(group or None, left)
    return f"{sum(1 for answer in answers if answer.code == 0)} of 4 began it"
