"""The chaos test as an ordinary user, with a branch of the cgroup tree as systemd gives one to each user's session."""

import os
import sys


def v2_root():
    """Where the hierarchy of version 2 is mounted."""
    with open("/proc/self/mounts") as file:
        for line in file:
            fields = line.split()
            if fields[2] == "cgroup2":
                return fields[1]
    return None


def become(uid):
    """Returns in a child that is this user. The parent waits for it, removes the branch, and ends as the child ended."""
    root = v2_root()
    branch = os.path.join(root, f"greenroom-chaos-{os.getpid()}") if root else ""
    inside = os.path.join(branch, "session") if branch else ""
    if inside:
        os.makedirs(inside)
        for folder, _, files in os.walk(branch):
            for path in [folder, *(os.path.join(folder, name) for name in files)]:
                os.chown(path, uid, uid)
    child = os.fork()
    if child == 0:
        if inside:
            with open(os.path.join(inside, "cgroup.procs"), "w") as file:
                file.write("0")
        os.setgroups([])
        os.setresgid(uid, uid, uid)
        os.setresuid(uid, uid, uid)
        os.environ["HOME"] = "/"
        return
    status = os.waitpid(child, 0)[1]
    if branch:
        for folder, _, _ in os.walk(branch, topdown=False):
            os.rmdir(folder)
    sys.exit(os.waitstatus_to_exitcode(status) if os.WIFEXITED(status) else 1)
