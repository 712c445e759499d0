"""Names of files that are no UTF-8, hold newlines and quotes, or nest as deep as a path may be long."""
KIND = "application"

import contextlib
import os

from peer import Peer

peer = Peer().hello()
home = os.environb[b"HOME"]
for number in range(1, 256):
    if number in (0x2f,):
        continue
    with contextlib.suppress(OSError):
        os.mkdir(home + b"/Documents/" + bytes([number]) * 20)
        open(home + b"/Documents/" + bytes([number]) * 20 + b"/\xff\xfe\xc0", "w").close()
os.chdir(home + b"/tmp")
with contextlib.suppress(OSError):
    for _ in range(300):
        os.mkdir(b"d\xff" * 100)
        os.chdir(b"d\xff" * 100)
# Nobody but the owner may look into it, and the owner neither.
os.mkdir(home + b"/closed")
open(home + b"/closed/file", "w").close()
os.chmod(home + b"/closed", 0)
peer.serve()
