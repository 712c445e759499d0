"""600 MB in files of memory that nobody has mapped: they belong to no process."""
KIND = "application"
RUNS = 0.9
HIDDEN = 2
HAS_MEGABYTES = 300

import os

from peer import Peer

peer = Peer().hello()
files = [os.memfd_create("hoard") for _ in range(6)]
for file in files:
    for _ in range(100):
        os.write(file, b"x" * (1 << 20))
peer.serve()
