"""Locks what others may want, by every call that there is, in the moment in which it is suspended."""
KIND = "plain"
HIDDEN = 2

import fcntl
import os

import belt

kept = []
for number in range(300):
    file = open(os.path.join(os.environ["HOME"], "Documents", f"lock-{number}"), "w")
    (fcntl.flock if number % 2 else fcntl.lockf)(file, fcntl.LOCK_EX)
    kept.append(file)
if os.fork() == 0:
    fcntl.lockf(open(os.path.join(os.environ["HOME"], "Documents", "lock-0"), "w"), fcntl.LOCK_EX)
belt.hold()
