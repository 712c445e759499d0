#!/usr/bin/env python3
"""Kills the transfer service and its client at random moments until so many kills have hit, and demands that the file
arrives intact, under its final name only when it is whole, that what had been written is not fetched again, and that
each event is told once.

    transfer-storm.py [--bin .build/bin] [--size 64M] [--kills 20] [--seed 1] [--mode app|tool|upload] [--json]

Downloads come from nginx, throttled so that all kills fall into the transfer. Uploads go to a server that speaks the
IETF draft of resumable uploads (Fixtures/servers/misbehaving.py).
"""

import argparse
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import urllib.request
from typing import Any

from storms.files import finish
from storms.places import BIN, ROOT
from storms.programs import read_line
from storms.transfers.files import ONE_CHUNK, fetched_again, has_digest, part_length, size_of, write_random
from storms.transfers.nginx import Nginx
from storms.transfers.peer import Peer


def client(home, container, url, place, upload):
    """An app: creates its task if there is none, and takes what it is told. Every line that it writes is on disk."""
    told = open(place + ".told", "a")

    def tell(*words):
        print(*words, file=told, flush=True)
        os.fsync(told.fileno())

    while True:
        try:
            peer = Peer(home + "/client", {"client": "storm/1", "app": "org.example.storm", "container": container})
            opened = peer.ask("open", {"session": "storm", "configuration": {}})
            if opened["nextTask"] == 1:
                request = {"url": url, "method": "POST" if upload else "GET", "headers": []}
                descriptors = [os.open(upload, os.O_RDONLY)] if upload else []
                peer.ask(
                    "create", {
                        "session": "storm", "task": 1, "kind": "upload" if upload else "download", "request": request,
                    }, descriptors)
            elif not opened["tasks"]:
                # Killed after it had answered and before it wrote that down: then it had been told.
                was_told = "completed" in open(place + ".told").read()
                tell(*(["error", "null"] if was_told else ["refused", "the task is gone, and nobody was told"]))
                return
            if opened["nextTask"] == 1 or any(t["state"] == "suspended" for t in opened["tasks"]):
                peer.ask("resume", {"session": "storm", "task": 1})
            while True:
                message = peer.request()
                event = message["params"]
                tell("told", event["number"], event["kind"])
                if event["kind"] == "finished" and not os.path.exists(place):
                    os.rename(event["path"], place)
                peer.send({"id": message["id"], "result": {}})
                # A round trip: what is answered after it has been acknowledged.
                peer.ask("change", {"session": "storm", "task": 1}) if event["kind"] != "completed" else None
                tell("acknowledged", event["number"], event["kind"])
                if event["kind"] == "completed":
                    tell("error", json.dumps(event["error"]))
                    return
        except (ConnectionError, FileNotFoundError, ConnectionRefusedError):
            time.sleep(0.02)
        except RuntimeError as error:
            if "session with this identifier" not in str(error):
                tell("refused", error)
                return
            time.sleep(0.02)


class Storm:
    def __init__(self, options):
        self.options = options
        self.random = random.Random(options.seed)
        self.folder = tempfile.mkdtemp(prefix="greenroom-storm-")
        os.chmod(self.folder, 0o755)
        self.home = self.folder + "/home"
        self.container = self.folder + "/container"
        self.place = self.folder + "/arrived"
        os.makedirs(self.home)
        os.makedirs(self.container)
        # Processes, once they run.
        self.service: Any = None
        self.client: Any = None
        self.problems = []
        self.kills = {"service": 0, "client": 0}
        self.lost = []

    # Processes.

    def start_service(self):
        self.service = subprocess.Popen(
            [self.options.bin + "/greenroom-transferd", "--home", self.home, "--idle-exit", "600"],
            stdin=subprocess.DEVNULL, stderr=open(self.folder + "/log", "a"), start_new_session=True)

    def start_client(self):
        if self.options.mode == "tool":
            return
        arguments = [self.home, self.container, self.url, self.place, self.file if self.uploads else ""]
        self.client = subprocess.Popen([sys.executable, __file__, "--client", *arguments])

    @property
    def uploads(self):
        return self.options.mode == "upload"

    def is_over(self):
        if self.options.mode == "tool":
            return os.path.exists(self.place)
        return "error" in self.told()

    def told(self):
        try:
            return open(self.place + ".told").read()
        except OSError:
            return ""

    # The storm.

    def kill(self):
        if self.options.mode != "tool" and self.random.random() < 0.4:
            self.client.send_signal(signal.SIGKILL)
            self.client.wait()
            self.kills["client"] += 1
            self.check_name()
            self.start_client()
            return
        self.service.send_signal(signal.SIGKILL)
        self.service.wait()
        self.kills["service"] += 1
        self.check_name()
        if not self.uploads:
            self.lengths.append(part_length(self.home + "/files"))
        self.start_service()

    def check_name(self):
        if os.path.exists(self.place) and os.stat(self.place).st_size != self.options.size:
            self.problems.append("the final name was there before the file was whole")

    def run(self):
        options = self.options
        # All kills fall into the transfer, with room for starts.
        seconds = max(2.0, options.kills * options.interval * 1.3)
        rate = max(100_000, int(options.size / seconds))
        self.lengths = []
        self.make_server(rate)
        self.start_service()
        if options.mode == "tool":
            self.add()
        else:
            self.start_client()
        began = time.monotonic()
        while sum(self.kills.values()) < options.kills and not self.is_over():
            time.sleep(self.random.uniform(0.5, 1.5) * options.interval)
            if not self.is_over():
                self.kill()
        limit = time.monotonic() + 4 * seconds + 60
        while not self.is_over():
            if time.monotonic() > limit:
                self.problems.append("it did not end: " + open(self.folder + "/log").read()[-2000:])
                break
            time.sleep(0.05)
        self.seconds = time.monotonic() - began
        return self.report()

    def make_server(self, rate):
        self.file = self.folder + "/source"
        self.digest = write_random(self.file, self.options.size, self.random)
        if self.uploads:
            self.server = subprocess.Popen(
                [sys.executable, ROOT + "/Fixtures/servers/misbehaving.py"], stdin=subprocess.PIPE,
                stdout=subprocess.PIPE, text=True)
            port = int(read_line(self.server))
            self.url = f"http://127.0.0.1:{port}/resumable?key=storm&rate={rate}"
            self.log = f"http://127.0.0.1:{port}/log?key=storm"
            return
        os.makedirs(self.folder + "/nginx")
        self.nginx = Nginx(self.folder + "/nginx", rate)
        os.link(self.file, self.folder + "/nginx/www/file")
        os.chmod(self.file, 0o644)
        self.nginx.start()
        self.url = f"http://127.0.0.1:{self.nginx.port}/file"

    def add(self):
        for _ in range(500):
            try:
                peer = Peer(self.home + "/control", {"role": "tool"})
                break
            except OSError:
                time.sleep(0.02)
        descriptor = os.open(self.folder, os.O_RDONLY | os.O_DIRECTORY)
        peer.ask("add", {"url": self.url, "path": self.place, "discretionary": False, "headers": []}, [descriptor])

    # What it came to.

    def report(self):
        for process in (self.client, self.service):
            if process and process.poll() is None:
                process.kill()
                process.wait()
        result = {
            "mode": self.options.mode, "size": self.options.size, "seed": self.options.seed, "kills": self.kills,
            "seconds": round(self.seconds, 1),
        }
        self.check_told()
        if self.uploads:
            self.check_upload(result)
        else:
            self.check_download(result)
        result["problems"] = self.problems
        if not self.problems:
            shutil.rmtree(self.folder, ignore_errors=True)
        else:
            result["folder"] = self.folder
        return result

    def check_told(self):
        if self.options.mode == "tool":
            return
        acknowledged = set()
        for line in self.told().splitlines():
            word, *rest = line.split()
            if word == "acknowledged":
                acknowledged.add(rest[0])
            elif word == "told" and rest[0] in acknowledged:
                self.problems.append(f"event {rest[0]} was told again after it had been acknowledged")
            elif word == "refused" or (word == "error" and rest != ["null"]):
                self.problems.append(line)

    def check_download(self, result):
        self.nginx.stop()
        try:
            if not has_digest(self.place, self.digest):
                self.problems.append("the file is not the one that was sent")
        except OSError as error:
            self.problems.append(str(error))
        requests = self.nginx.requests()
        again = fetched_again(self.lengths, [start for _, _, start in requests])
        result["requests"] = len(requests)
        result["writtenAndFetchedAgain"] = sum(again)
        result["mostFetchedAgain"] = max(again, default=0)
        result["sentTwiceByServer"] = sum(sent for _, sent, _ in requests) - self.options.size
        if max(again, default=0) > ONE_CHUNK:
            self.problems.append(f"{max(again)} bytes that had been written were fetched again")
        if self.kills["service"] and result["sentTwiceByServer"] / self.kills["service"] > 2 * ONE_CHUNK:
            # The rest of it was in the sockets when the service died.
            self.problems.append("the server sent far too much twice")

    def check_upload(self, result):
        log = json.load(urllib.request.urlopen(self.log))
        self.server.kill()
        upload = log["uploads"].get("storm", {})
        if upload.get("sha256") != self.digest:
            self.problems.append(f"the server has another file: {upload}")
        received = sum(request["received"] for request in log["requests"])
        result["requests"] = len(log["requests"])
        result["receivedTwiceByServer"] = received - self.options.size
        if received - self.options.size > ONE_CHUNK * max(1, self.kills["service"]):
            self.problems.append("too much was sent twice")


def main():
    if sys.argv[1:2] == ["--client"]:
        client(*sys.argv[2:])
        return
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bin", default=BIN)
    parser.add_argument("--size", default="64M", type=size_of)
    parser.add_argument("--kills", default=20, type=int)
    parser.add_argument("--interval", default=0.5, type=float, help="seconds from kill to kill, on average")
    parser.add_argument("--seed", default=1, type=int)
    parser.add_argument("--mode", default="app", choices=["app", "tool", "upload"])
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    finish(Storm(options).run(), options.json)


if __name__ == "__main__":
    main()
