"""Makes its own output a terabyte long, of nothing."""
KIND = "plain"
LOOKS_AT_OUTPUT = True

import contextlib
import os
import sys

import belt

print("before")
sys.stdout.flush()
import resource
with contextlib.suppress(OSError, ValueError):
    resource.setrlimit(resource.RLIMIT_FSIZE, (2 << 40, resource.getrlimit(resource.RLIMIT_FSIZE)[1]))
with contextlib.suppress(OSError):
    os.ftruncate(1, 1 << 40)
print("after", flush=True)
belt.hold()
