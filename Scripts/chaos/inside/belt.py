"""What keeps an attacker from harming the machine outside of its own group, should the system fail: limits, and an end.

Imported first by every attack that runs as an app. What it prints with `breach` is a promise that was broken.
"""

import ctypes
import json
import os
import resource
import signal
import sys
import time

SETTINGS = json.load(open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "settings.json")))
libc = ctypes.CDLL(None, use_errno=True)

for kind, most in (
        (resource.RLIMIT_AS, 2 << 30), (resource.RLIMIT_FSIZE, SETTINGS["fileSize"]), (resource.RLIMIT_CPU, 120),
        (resource.RLIMIT_CORE, 0), (resource.RLIMIT_NPROC, 2_000)):
    soft, hard = resource.getrlimit(kind)
    most = most if hard == resource.RLIM_INFINITY else min(most, hard)
    resource.setrlimit(kind, (most, most))
# Children of children that nobody ends any more end themselves.
signal.alarm(900)
os.register_at_fork(after_in_child=lambda: signal.alarm(900))


def say(*words):
    print(*words, flush=True)


def breach(*words):
    """Tells the chaos test that something went through which should not."""
    say("BREACH:", *words)


def syscall(number, *arguments):
    """The result, and the error's number or 0."""
    ctypes.set_errno(0)
    result = libc.syscall(ctypes.c_long(number), *[ctypes.c_void_p(one) if one is None else one for one in arguments])
    return result, ctypes.get_errno()


def leave_main_thread():
    """The first thread ends by itself and the process goes on: `syscall(SYS_exit)`."""
    syscall(60, 0)


def hold(seconds=600):
    time.sleep(seconds)
    sys.exit(0)


def touch(size):
    """Memory that is really there."""
    block = bytearray(size)
    block[::4096] = b"x" * len(block[::4096])
    return block
