#!/usr/bin/env python3
"""An app of a storm: takes memory as its parameters and its orders say, on Greenroom or as a bare process.

Parameters are in parameters.json beside this file. Orders come through the pipe HOME/orders, a line each: grow MB RATE
and, of all that was taken so, free; for a bare process, which nobody freezes, hide and show.
"""

import ctypes
import json
import mmap
import os
import select
import sys
import threading
import time

sys.dont_write_bytecode = True
MB = 1 << 20
MADV_FREE = 8
LIBC = ctypes.CDLL(None, use_errno=True)
LIBC.mmap.restype = ctypes.c_void_p
LIBC.mmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int, ctypes.c_int, ctypes.c_int, ctypes.c_long]
LIBC.munmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t]
LIBC.madvise.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int]


def fill(megabytes):
    """Written memory; the kernel touches the pages itself."""
    flags = mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | mmap.MAP_POPULATE
    address = LIBC.mmap(None, megabytes * MB, mmap.PROT_READ | mmap.PROT_WRITE, flags, -1, 0)
    if address in (None, ctypes.c_void_p(-1).value):
        raise MemoryError(f"no {megabytes} MB")
    return address


class Hoard:
    """What the app has, and the thread that takes more."""

    def __init__(self, parameters, home):
        self.parameters = parameters
        self.taken = []
        self.lock = threading.Lock()
        self.is_hidden = False
        path = os.path.join(home, "orders")
        if not os.path.exists(path):
            os.mkfifo(path)
        # Open for writing as well: the pipe has no end when a writer goes.
        self.orders = os.open(path, os.O_RDWR | os.O_NONBLOCK)

    def begin(self):
        """What it has from its launch on."""
        if self.parameters["dirty"]:
            fill(self.parameters["dirty"])
        if self.parameters["purgeable"]:
            size = self.parameters["purgeable"]
            LIBC.madvise(fill(size), size * MB, MADV_FREE)
        if self.parameters["clean"]:
            size = self.parameters["clean"] * MB
            with open(self.parameters["file"], "rb") as file:
                self.clean = mmap.mmap(file.fileno(), size, flags=mmap.MAP_PRIVATE, prot=mmap.PROT_READ,
                                       offset=self.parameters["offset"] * MB)
            sum(self.clean[offset] for offset in range(0, size, mmap.PAGESIZE))
        threading.Thread(target=self.serve, daemon=True).start()

    def free(self, share):
        with self.lock:
            count = round(len(self.taken) * share)
            freed, self.taken = self.taken[:count], self.taken[count:]
        for address, size in freed:
            LIBC.munmap(address, size * MB)

    def serve(self):
        """Orders one after another; a pause is a pause, and nothing is made up for after it."""
        waiting, rest, due, text = [], 0, 0.0, ""
        while True:
            is_growing = (rest or waiting) and not self.is_hidden
            timeout = max(0, due - time.monotonic()) if is_growing else None
            if select.select([self.orders], [], [], timeout)[0]:
                text += os.read(self.orders, 4096).decode()
                *lines, text = text.split("\n")
                for words in map(str.split, lines):
                    if words[0] == "grow":
                        waiting.append((int(words[1]), float(words[2])))
                    elif words[0] == "free":
                        waiting, rest = [], 0
                        self.free(1)
                    else:
                        self.is_hidden = words[0] == "hide"
                        print(words[0], flush=True)
                continue
            if not is_growing:
                continue
            if not rest:
                rest, rate = waiting.pop(0)
            size = min(rest, 4 if rate > 0.5 else 1)
            began = time.monotonic()
            block = (fill(size), size)
            with self.lock:
                self.taken.append(block)
            rest -= size
            due = began + size / rate / 1000


def on_greenroom(hoard):
    from greenroom_app import App

    class Delegate:
        def didFinishLaunching(self, params):
            hoard.begin()

        def didReceiveMemoryWarning(self, params):
            hoard.free(hoard.parameters["frees"])

    App(Delegate(), "storm/1.0").run()


def bare(hoard):
    hoard.begin()
    print("ready", flush=True)
    threading.Event().wait()


def main():
    with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "parameters.json")) as file:
        parameters = json.load(file)
    hoard = Hoard(parameters, os.environ["HOME"])
    if "GREENROOM_FD" in os.environ:
        on_greenroom(hoard)
    else:
        bare(hoard)


if __name__ == "__main__":
    main()
