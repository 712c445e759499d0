"""Looks for what belongs to others: signals, ptrace, process_vm_writev, priorities, groups and files of every process that it sees."""
KIND = "plain"
RUNS = 1
STAYS = 2

import contextlib
import ctypes
import os

import belt

mine = os.getuid()
for name in os.listdir("/proc"):
    if not name.isdigit():
        continue
    pid = int(name)
    try:
        if os.stat(f"/proc/{pid}").st_uid == mine and mine != 0:
            continue
        with open(f"/proc/{pid}/cgroup") as file:
            group = file.read()
    except OSError:
        continue
    if pid == os.getpid() or group == open("/proc/self/cgroup").read():
        continue
    if mine == 0:
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
    with contextlib.suppress(OSError):
        os.setpriority(os.PRIO_PROCESS, pid, 19)
        belt.breach("priority of", pid)
    for name in ("mem", "environ", "fd", "oom_score_adj"):
        with contextlib.suppress(OSError):
            if name == "fd":
                os.listdir(f"/proc/{pid}/fd")
            else:
                os.close(os.open(f"/proc/{pid}/{name}", os.O_RDWR if name != "environ" else os.O_RDONLY))
            belt.breach(name, "of", pid)
for name in os.listdir("/proc/self/fd"):
    with contextlib.suppress(OSError):
        target = os.readlink(f"/proc/self/fd/{name}")
        if int(name) > 2 and not target.startswith("/proc/"):
            belt.breach("inherited", target)
belt.say("looked")
belt.hold()
