#!/usr/bin/env python3
"""Kills the transfer service and its client at random moments until so many kills have hit, and demands that the file
arrives intact, under its final name only when it is whole, that what had been written is not fetched again, and that
each event is told once.

    transfer-storm.py [--bin .build/bin] [--size 64M] [--kills 20] [--seed 1] [--mode app|tool|upload] [--json]

Downloads come from nginx, throttled so that all kills fall into the transfer. Uploads go to a server that speaks the
IETF draft of resumable uploads (Fixtures/servers/misbehaving.py).
"""

import argparse
import hashlib
import json
import os
import random
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
ONE_CHUNK = 1 << 20


def size_of(text):
    return int(float(text.rstrip("kMG")) * {"k": 1 << 10, "M": 1 << 20, "G": 1 << 30}.get(text[-1], 1))


class Peer:
    """A connection to the service, as docs/TRANSFERS.md describes it."""

    def __init__(self, path, hello):
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.connect(path)
        self.buffer = b""
        self.number = 0
        self.requests = []
        self.ask("hello", dict(hello, protocol=1))

    def receive(self):
        while b"\n" not in self.buffer:
            data = self.socket.recv(1 << 16)
            if not data:
                raise ConnectionError
            self.buffer += data
        line, self.buffer = self.buffer.split(b"\n", 1)
        return json.loads(line)

    def send(self, message, descriptors=()):
        data = json.dumps(dict(message, jsonrpc="2.0")).encode() + b"\n"
        sent = socket.send_fds(self.socket, [data], descriptors) if descriptors else 0
        self.socket.sendall(data[sent:])

    def ask(self, method, params=None, descriptors=()):
        self.number += 1
        number = self.number
        self.send({"id": number, "method": method, "params": params or {}}, descriptors)
        while True:
            message = self.receive()
            if "method" in message:
                self.requests.append(message)
            elif message.get("id") == number:
                if "error" in message:
                    raise RuntimeError(message["error"])
                return message["result"]

    def request(self):
        """The next request of the service; notifications are dropped."""
        while True:
            message = self.requests.pop(0) if self.requests else self.receive()
            if "method" in message and "id" in message:
                return message


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


class Nginx:
    def __init__(self, folder, rate):
        self.folder = folder
        with socket.create_server(("127.0.0.1", 0)) as free:
            self.port = free.getsockname()[1]
        self.log = folder + "/access.log"
        with open(folder + "/nginx.conf", "w") as conf:
            conf.write(f"""
                daemon off; worker_processes 1; pid {folder}/pid; error_log {folder}/error.log;
                events {{ worker_connections 512; }}
                http {{
                    access_log {folder}/access.log own;
                    log_format own '$status $body_bytes_sent "$http_range" "$http_if_range"';
                    sendfile on; limit_rate {rate}; client_body_temp_path {folder}; proxy_temp_path {folder};
                    fastcgi_temp_path {folder}; uwsgi_temp_path {folder}; scgi_temp_path {folder};
                    server {{ listen 127.0.0.1:{self.port} sndbuf=64k; root {folder}/www; }}
                }}""".replace("access_log " + folder + "/access.log own;", "").replace(
                    "sendfile on;", f"access_log {folder}/access.log own; sendfile on;"))
        os.makedirs(folder + "/www", exist_ok=True)
        self.process = None

    def start(self):
        os.chmod(self.folder, 0o755)
        self.process = subprocess.Popen(
            ["/usr/sbin/nginx", "-e", self.folder + "/error.log", "-c", self.folder + "/nginx.conf"],
            stderr=subprocess.DEVNULL)
        for _ in range(200):
            try:
                socket.create_connection(("127.0.0.1", self.port)).close()
                return
            except OSError:
                time.sleep(0.02)
        raise SystemExit(open(self.folder + "/error.log").read())

    def stop(self):
        self.process.terminate()
        self.process.wait()

    def requests(self):
        """(status, bytes sent, first byte asked for) of each request that is over."""
        found = []
        for line in open(self.log):
            status, sent, asked = re.match(r'(\d+) (\d+) "([^"]*)"', line).groups()
            start = re.search(r"bytes=(\d+)-", asked)
            found.append((int(status), int(sent), int(start.group(1)) if start else 0))
        return found


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
        self.service = self.client = None
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

    def part(self):
        """How long the file under way is; `None` if there is none."""
        try:
            parts = [n for n in os.listdir(self.home + "/files") if n.endswith(".part")]
            return max(os.stat(f"{self.home}/files/{n}").st_size for n in parts)
        except (OSError, ValueError):
            return None

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
            self.lengths.append(self.part())
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
        size = self.options.size
        self.file = self.folder + "/source"
        digest = hashlib.sha256()
        with open(self.file, "wb") as file:
            left = size
            while left:
                piece = self.random.randbytes(min(left, 1 << 20))
                digest.update(piece)
                file.write(piece)
                left -= len(piece)
        self.digest = digest.hexdigest()
        if self.uploads:
            self.server = subprocess.Popen(
                [sys.executable, HERE + "/Fixtures/servers/misbehaving.py"], stdin=subprocess.PIPE,
                stdout=subprocess.PIPE, text=True)
            port = int(self.server.stdout.readline())
            self.url = f"http://127.0.0.1:{port}/resumable?key=storm&rate={rate}"
            self.log = f"http://127.0.0.1:{port}/log?key=storm"
            return
        self.nginx = Nginx(self.folder + "/nginx", rate) if os.makedirs(self.folder + "/nginx") is None else None
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
            with open(self.place, "rb") as file:
                if hashlib.file_digest(file, "sha256").hexdigest() != self.digest:
                    self.problems.append("the file is not the one that was sent")
        except OSError as error:
            self.problems.append(str(error))
        requests = self.nginx.requests()
        starts = [start for _, _, start in requests]
        # After each kill of the service: what had been written, and where the next request began.
        again = []
        for length, start in zip([l for l in self.lengths if l is not None], starts[1:]):
            again.append(max(0, length - start))
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
        import urllib.request
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
    parser.add_argument("--bin", default=HERE + "/.build/bin")
    parser.add_argument("--size", default="64M", type=size_of)
    parser.add_argument("--kills", default=20, type=int)
    parser.add_argument("--interval", default=0.5, type=float, help="seconds from kill to kill, on average")
    parser.add_argument("--seed", default=1, type=int)
    parser.add_argument("--mode", default="app", choices=["app", "tool", "upload"])
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    result = Storm(options).run()
    if options.json:
        print(json.dumps(result))
    else:
        for key, value in result.items():
            print(f"{key}: {value}")
    sys.exit(1 if result["problems"] else 0)


if __name__ == "__main__":
    main()
