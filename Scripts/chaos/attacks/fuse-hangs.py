"""A file system of its own that never answers, and threads that wait for it."""
KIND = "plain"
HIDDEN = 2.5

import os
import threading

import belt

CLONE_NEWUSER, CLONE_NEWNS = 0x10000000, 0x20000
uid, gid = os.getuid(), os.getgid()
if belt.libc.unshare(CLONE_NEWUSER | CLONE_NEWNS):
    belt.say("no namespace of its own")
    belt.hold()
for name, words in (("setgroups", "deny"), ("uid_map", f"0 {uid} 1"), ("gid_map", f"0 {gid} 1")):
    with open(f"/proc/self/{name}", "w") as file:
        file.write(words)
try:
    device = os.open("/dev/fuse", os.O_RDWR)
except OSError as error:
    belt.say("no FUSE:", error)
    belt.hold()
place = os.path.join(os.environ["HOME"], "tmp", "fuse")
os.makedirs(place, exist_ok=True)
options = f"fd={device},rootmode=40000,user_id=0,group_id=0".encode()
if belt.libc.mount(b"fuse", place.encode(), b"fuse", 0, options):
    belt.say("no mount")
    belt.hold()
for _ in range(4):
    threading.Thread(target=os.listdir, args=(place,), daemon=True).start()
belt.say("mounted")
belt.hold()
