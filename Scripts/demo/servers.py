"""The servers of the tour: an app of it, and one with episodes to download."""

import os
import subprocess
import sys
import time
import urllib.request

from storms.places import ROOT
from storms.programs import read_line


def fetch(port):
    """What the server answers, nothing if the connection is refused or reset; and how long that took."""
    began = time.monotonic()
    try:
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/", timeout=30) as response:
            answer = response.read().decode()
    except OSError:
        answer = None
    return answer, time.monotonic() - began


def serve_episodes(port, count, size):
    script = os.path.join(ROOT, "Examples/Podcasts/server.py")
    server = subprocess.Popen(
        [sys.executable, script, str(port), str(count), str(size)], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
        text=True)
    # It listens when it has printed a line.
    read_line(server)
    return server
