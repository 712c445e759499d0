"""Begins its own program anew without a pause, also while it is frozen and thawed."""
KIND = "plain"
STAYS = 0.5
HIDDEN = 1

import os
import sys
import time

import belt

begun = float(os.environ.setdefault("CHAOS_BEGUN", str(time.monotonic())))
if time.monotonic() - begun > 120:
    belt.hold()
os.execv(sys.executable, [sys.executable, "-S", "-E", os.path.abspath(__file__)])
