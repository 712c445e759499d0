"""A home that cannot be one: its disk is full, its path too long, a file stands in its place. Nothing may go on trying."""
KIND = "outside"

import os
import subprocess
import time

from storms import kernel


def attack(world, control):
    place = os.path.join(world.folder, f"failed-{time.monotonic_ns()}")
    os.mkdir(place)
    full = os.path.join(place, "full")
    os.mkdir(full)
    subprocess.run(["mount", "-t", "tmpfs", "-o", "size=64k", "none", full], check=True)
    with open(os.path.join(place, "file"), "w"):
        pass
    homes = {
        "full disk": full + "/home", "long path": os.path.join(place, *["x" * 200] * 5),
        "longest path": os.path.join(place, *["x" * 240] * 16), "file": os.path.join(place, "file"),
        "below a file": os.path.join(place, "file", "home")}
    outcomes = []
    try:
        for what, home in homes.items():
            answer = world.tool("up", "--detach", within=25, home=home)
            outcomes.append(f"{what}: {answer.code}")
            if answer.code is None:
                world.breach(f"failed-up ({what}): up did not end in 25 s")
            if answer.code == 0:
                down = world.tool("down", within=40, home=home)
                if down.code != 0:
                    world.breach(f"failed-up ({what}): up succeeded, down ended with {down.code}: {down.output[-200:]}")
            time.sleep(0.3)
            left = kernel.of_home(home)
            if left:
                world.breach(f"failed-up ({what}): {len(left)} processes go on trying")
                down = world.tool("down", within=25, home=home)
                if down.code is None:
                    world.breach(f"failed-up ({what}): down hangs")
            kernel.sweep(kernel.text(home + "/cgroup").strip() or None, kernel.of_home(home))
    finally:
        subprocess.run(["umount", "-l", full], check=False)
        subprocess.run(["rm", "-rf", place], check=False)
    return ", ".join(outcomes)
