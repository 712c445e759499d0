"""Looks for what belongs to others: signals, ptrace, process_vm_writev, priorities, groups and files of every process that it
sees, and modes, times, locks and sockets of the home."""
KIND = "plain"
RUNS = 1
STAYS = 2

import contextlib
import ctypes
import fcntl
import os
import socket

import belt


def is_own(pid):
    """Each app has a session. Where apps share a user, its processes are told apart by that."""
    try:
        return os.getsid(pid) == os.getsid(0)
    except OSError:
        return False


mine = os.getuid()
for name in os.listdir("/proc"):
    if not name.isdigit() or mine == 0:
        continue
    pid = int(name)
    try:
        shares_user = os.stat(f"/proc/{pid}").st_uid == mine
    except OSError:
        continue
    if is_own(pid):
        continue
    for number in (0, 18):
        with contextlib.suppress(OSError):
            os.kill(pid, number)
            belt.breach("signal", number, "to", pid)
    result, _ = belt.syscall(101, 0x4206, pid, None, None)
    if result == 0:
        belt.breach("ptrace of", pid)
    buffer = ctypes.create_string_buffer(8)
    vector = (ctypes.c_ulong * 2)(ctypes.addressof(buffer), 8)
    far = (ctypes.c_ulong * 2)(0x400000, 8)
    if belt.syscall(311, pid, ctypes.byref(vector), 1, ctypes.byref(far), 1, 0)[0] > 0:
        belt.breach("process_vm_writev into", pid)
    # Between processes of one user the kernel allows it.
    if not shares_user:
        with contextlib.suppress(OSError):
            os.setpriority(os.PRIO_PROCESS, pid, 19)
            belt.breach("priority of", pid)
    for name in ("mem", "environ", "fd", "oom_score_adj"):
        with contextlib.suppress(OSError):
            if name == "fd":
                # Their numbers a process of the same user may list.
                os.readlink(f"/proc/{pid}/fd/0") if shares_user else os.listdir(f"/proc/{pid}/fd")
            else:
                os.close(os.open(f"/proc/{pid}/{name}", os.O_RDWR if name != "environ" else os.O_RDONLY))
            belt.breach(name, "of", pid)
for name in os.listdir("/proc/self/fd"):
    with contextlib.suppress(OSError):
        target = os.readlink(f"/proc/self/fd/{name}")
        if int(name) > 2 and not target.startswith("/proc/"):
            belt.breach("inherited", target)
container = os.environ["HOME"]
home = os.path.dirname(os.path.dirname(container))
for path in (home, home + "/state.sqlite", home + "/state.sqlite-shm", home + "/containers", home + "/wire"):
    with contextlib.suppress(OSError):
        os.chmod(path, 0)
        belt.breach("mode of", path)
    with contextlib.suppress(OSError):
        os.utime(path, (0, 0))
        belt.breach("times of", path)
    with contextlib.suppress(OSError):
        os.setxattr(path, "user.chaos", b"x")
        belt.breach("attribute of", path)
with contextlib.suppress(OSError):
    with open(home + "/state.sqlite-shm", "rb") as file:
        fcntl.lockf(file, fcntl.LOCK_SH | fcntl.LOCK_NB, 8, 120)
    belt.breach("lock of the database")
for name in ("control", "service"):
    with contextlib.suppress(OSError):
        socket.socket(socket.AF_UNIX).connect(home + "/" + name)
        belt.breach("tools' socket", name)
for name in os.listdir(home + "/containers"):
    if name != os.path.basename(container):
        belt.breach("container of", name)
belt.say("looked")
belt.hold()
