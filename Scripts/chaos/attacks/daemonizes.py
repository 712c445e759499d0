"""Goes into the background as servers did: two forks, a session of its own; its first process ends at once."""
KIND = "plain"
STAYS = 1.5

import os

import belt

if os.fork():
    os._exit(0)
os.setsid()
if os.fork():
    os._exit(0)
for number in range(3):
    if os.fork() == 0:
        break
belt.hold()
