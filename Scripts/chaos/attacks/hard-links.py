"""Links files that are not its own into its container, where root works."""
KIND = "plain"
RUNS = 1
STAYS = 2
REINSTALL = 2

import os

import belt

for number, target in enumerate(belt.SETTINGS["victimFiles"] + ["/etc/passwd", "/etc/shadow"]):
    for place in ("Documents", "Library/Caches", "tmp"):
        try:
            os.link(target, os.path.join(os.environ["HOME"], place, str(number)))
            if os.getuid() != 0:
                belt.breach("linked", target)
        except OSError:
            pass
belt.say("tried")
belt.hold()
