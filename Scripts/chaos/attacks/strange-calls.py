"""Calls that few programs need: io_uring, userfaultfd, keyctl, clocks, perf, bpf, mlock, real-time classes."""
KIND = "plain"
HIDDEN = 2

import ctypes
import mmap
import os
import threading
import time

import belt

buffer = ctypes.create_string_buffer(4096)
belt.syscall(425, 64, buffer)
for number in range(200):
    belt.syscall(248, b"user", f"chaos-{number}".encode(), buffer, 4000, ctypes.c_int(-2))
for clock in (0,):
    now = (ctypes.c_long * 2)(int(time.time()), 0)
    if os.getuid() != 0 and belt.syscall(227, clock, now)[0] == 0:
        belt.breach("set the clock")
belt.syscall(321, 0, buffer, 128)
belt.syscall(298, buffer, 0, -1, -1, 0)
belt.libc.mlockall(3)
belt.syscall(144, 0, 1, ctypes.byref(ctypes.c_int(50)))
# A page that nobody ever brings: who touches it waits.
handle, _ = belt.syscall(323, 1)
if handle >= 0:
    import fcntl
    import struct
    fcntl.ioctl(handle, 0xC018AA3F, struct.pack("QQQ", 0xAA, 0, 0))
    memory = mmap.mmap(-1, 1 << 20)
    address = ctypes.addressof(ctypes.c_char.from_buffer(memory))
    fcntl.ioctl(handle, 0xC020AA00, struct.pack("QQQQ", address, 1 << 20, 1, 0))
    for number in range(4):
        threading.Thread(target=memory.__getitem__, args=(number << 13,), daemon=True).start()
belt.hold()
