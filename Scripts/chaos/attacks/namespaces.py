"""A user namespace of its own, mounts in it over everything, and a process that lives on in it."""
KIND = "plain"

import os

import belt

if belt.libc.unshare(0x10000000 | 0x20000 | 0x20000000):
    belt.say("no namespaces")
else:
    if os.fork() == 0:
        belt.hold()
    for place in (b"/proc", b"/sys/fs/cgroup", b"/tmp", os.environb[b"HOME"]):
        belt.libc.mount(b"none", place, b"tmpfs", 0, b"size=1m")
belt.hold()
