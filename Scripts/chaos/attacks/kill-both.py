"""Keeper and daemon are killed, and four tools at once begin the system anew: one of them may."""
KIND = "outside"

import threading

from storms import kernel


def attack(world, control):
    with world.disturbance():
        # Nobody may ask meanwhile, so that only the four decide who begins.
        for what in ("keeper", "daemon"):
            pid = world.pid(what)
            if pid:
                kernel.kill(pid)
        world.killed["both"] += 1
        answers = []
        threads = [
            threading.Thread(
                target=lambda: answers.append(world.tool("up", "--detach", *world.options.up, within=40)))
            for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    if any(answer.code is None for answer in answers):
        world.breach("parallel-ups: one of four did not end in 40 s")
    if not any(answer.code == 0 for answer in answers):
        world.breach(f"parallel-ups: none of four began the system: {answers[0].output[-200:]}")
    programs = [
        kernel.text(f"/proc/{pid}/cmdline").split("\0")[0].rpartition("/")[2] for pid in kernel.of_home(world.home)]
    for name in ("greenroomd", "greenroom-keeper"):
        # A keeper holds the terminal of each app that has one, in a process of its own.
        found = {
            pid for pid in kernel.of_home(world.home)
            if (words := kernel.text(f"/proc/{pid}/cmdline").split("\0"))[0].rpartition("/")[2] == name
            and "terminal" not in words}
        # A child of the daemon has its command line until it runs its own program. Another daemon has a keeper as parent.
        count = sum(1 for pid in found if kernel.parent(pid) not in found)
        if count != 1:
            world.breach(f"parallel-ups: {count} processes {name} have one home ({', '.join(sorted(programs))})")
    return f"{sum(1 for answer in answers if answer.code == 0)} of 4 began it"
