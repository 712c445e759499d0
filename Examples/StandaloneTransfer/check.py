#!/usr/bin/env python3
"""Downloads a file with standalone-transfer, which is killed again and again: check.py PROGRAM TRANSFERD [KILLS].

A server on loopback gives the file slowly. The program is killed by SIGKILL while its download runs, also once together
with the transfer service. Then: the file is whole, it appeared under its name only when it was, the download was begun
once, went on while no program was there, and the program was told of it.
"""
import hashlib
import http.server
import os
import pathlib
import random
import signal
import subprocess
import sys
import tempfile
import threading
import time

SIZE = 8 << 20
CHUNK = 64 << 10


class Files(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    content = random.Random(7).randbytes(SIZE)
    sent = 0
    requests = 0
    tempo = 0.02

    def do_GET(self):
        Files.requests += 1
        start = 0
        wanted = self.headers.get("Range", "")
        if wanted.startswith("bytes="):
            start = int(wanted[6:].split("-")[0])
            self.send_response(206)
            self.send_header("Content-Range", f"bytes {start}-{SIZE - 1}/{SIZE}")
        else:
            self.send_response(200)
        self.send_header("Content-Length", str(SIZE - start))
        self.send_header("ETag", '"one"')
        self.send_header("Accept-Ranges", "bytes")
        self.end_headers()
        for offset in range(start, SIZE, CHUNK):
            try:
                self.wfile.write(Files.content[offset:offset + CHUNK])
            except OSError:
                return
            Files.sent += min(CHUNK, SIZE - offset)
            # The link's speed, not a margin: 64 KiB every 20 ms.
            time.sleep(Files.tempo)

    def log_message(self, *_):
        pass


def until(what, condition, process=None, seconds=60):
    """Waits for something that another process does."""
    end = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > end:
            sys.exit(f"FAILED: {what} did not happen within {seconds} s")
        if process is not None and process.poll() not in (None, 0, -9):
            sys.exit(f"FAILED: the program ended with {process.returncode} before {what}")
        time.sleep(0.01)


def service_of(home):
    """The pid of the transfer service of a home, found by its arguments; None if there is none."""
    for entry in pathlib.Path("/proc").iterdir():
        try:
            words = (entry / "cmdline").read_bytes().split(b"\0")
        except OSError:
            continue
        if entry.name.isdigit() and b"--home" in words and os.fsencode(str(home)) in words:
            return int(entry.name)
    return None


def main():
    program, transferd = (os.path.abspath(path) for path in sys.argv[1:3])
    kills = int(sys.argv[3]) if len(sys.argv) > 3 else 4
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Files)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    url = f"http://127.0.0.1:{server.server_port}/episode.mp3"

    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        home, target, log = folder / "home", folder / "episode.mp3", folder / "log"
        environment = dict(os.environ, GREENROOM_TRANSFERS=str(home), GREENROOM_TRANSFERD=transferd)
        for name in ("GREENROOM_APP", "GREENROOM_SOCKET"):
            environment.pop(name, None)

        def start():
            return subprocess.Popen(
                [program, url, str(target)], env=environment, stdout=log.open("ab"), stderr=subprocess.STDOUT)

        try:
            for kill in range(kills):
                process = start()
                goal = (kill + 1) * SIZE // (kills + 3)
                until(f"kill {kill + 1}", lambda: Files.sent >= goal, process)
                process.kill()
                process.wait()
                if target.exists():
                    sys.exit("FAILED: the file has its name and is not whole")
                if kill == kills // 2:
                    os.kill(service_of(home), signal.SIGKILL)
                    continue
                before = Files.sent
                until("progress without a program", lambda: Files.sent > before + CHUNK)
            # While nobody is there the rest comes; the program hears of it at its next start.
            if kills and service_of(home):
                until("the end without a program", lambda: Files.sent >= SIZE)
            process = start()
            until("the end", lambda: process.poll() is not None, seconds=90)
            words = log.read_text()
            again = Files.sent - SIZE
            if process.returncode != 0:
                sys.exit(f"FAILED: the program ended with {process.returncode}\n{words}")
            if hashlib.sha256(target.read_bytes()).digest() != hashlib.sha256(Files.content).digest():
                sys.exit("FAILED: the file is not what the server gave")
            if words.count("began task") != 1 or words.count("moved task") != 1:
                sys.exit(f"FAILED: begun and told once each\n{words}")
            if again > (1 << 20) + 2 * CHUNK:
                sys.exit(f"FAILED: {again} bytes came twice")
        finally:
            service = service_of(home)
            if service:
                os.kill(service, signal.SIGKILL)
            if len(sys.argv) > 4:
                print(log.read_text())
        print(f"{SIZE >> 20} MiB, {kills} kills, {Files.requests} requests, {again} bytes twice: the file is whole")


main()
