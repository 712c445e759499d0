"""Tries to leave its group, to thaw it, to raise its limits, and to freeze what is not its own."""
KIND = "plain"
RUNS = 1
STAYS = 2

import contextlib
import os

import belt

for folder, _, files in os.walk("/sys/fs/cgroup"):
    for name, word in (
            ("cgroup.procs", str(os.getpid())), ("cgroup.freeze", "1"), ("cgroup.kill", "1"), ("tasks", "0"),
            ("pids.max", "max"), ("cgroup.subtree_control", "+memory")):
        if name in files and os.getuid() != 0:
            with contextlib.suppress(OSError), open(os.path.join(folder, name), "w") as file:
                file.write(word)
                file.flush()
                belt.breach("wrote", word, "to", file.name)
    with contextlib.suppress(OSError):
        if os.getuid() != 0:
            os.mkdir(os.path.join(folder, "chaos"))
            belt.breach("made a group in", folder)
belt.say("tried")
belt.hold()
