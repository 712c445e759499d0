"""Holds memory: holder.py CGROUP.PROCS hold DIRTY PURGEABLE FILE, or … grow MB MS. Says ready, then waits to be told."""

import ctypes
import mmap
import sys
import time

MB = 1 << 20
LIBC = ctypes.CDLL(None)
LIBC.mmap.restype = ctypes.c_void_p
LIBC.mmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int, ctypes.c_int, ctypes.c_int, ctypes.c_long]
LIBC.madvise.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int]


def fill(size):
    """Written memory. The kernel touches the pages itself: a fault for each costs ten times as much on the device."""
    flags = mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | mmap.MAP_POPULATE
    return LIBC.mmap(None, size, mmap.PROT_READ | mmap.PROT_WRITE, flags, -1, 0)


def hold(dirty, purgeable, path):
    if dirty:
        fill(dirty * MB)
    if purgeable:
        LIBC.madvise(fill(purgeable * MB), purgeable * MB, mmap.MADV_FREE)
    if path != "-":
        with open(path, "rb") as file:
            clean = mmap.mmap(file.fileno(), 0, prot=mmap.PROT_READ, flags=mmap.MAP_PRIVATE)
        sum(clean[offset] for offset in range(0, len(clean), mmap.PAGESIZE))
    print("ready", flush=True)
    sys.stdin.readline()


def grow(megabytes, milliseconds):
    """So many megabytes in so many milliseconds, or as fast as it goes, for ever."""
    print("ready", flush=True)
    sys.stdin.readline()
    begin, steps = time.monotonic(), 0
    while True:
        fill(megabytes * MB)
        steps += 1
        print(steps * megabytes, flush=True)
        # This is the pace itself: what it is early, it waits.
        time.sleep(max(0, begin + steps * milliseconds / 1000 - time.monotonic()))


with open(sys.argv[1], "w") as procs:
    procs.write("0")
if sys.argv[2] == "hold":
    hold(int(sys.argv[3]), int(sys.argv[4]), sys.argv[5])
else:
    grow(int(sys.argv[3]), float(sys.argv[4]))
