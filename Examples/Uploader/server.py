#!/usr/bin/env python3
"""Takes photos, in pieces and each of them once, whatever dies meanwhile.

    python3 server.py FOLDER [PORT [MILLISECONDS]]

    HEAD  /photos/KEY   Upload-Offset: how much of it is here; Upload-Complete: 1 when all of it is
    PATCH /photos/KEY   with Upload-Offset, Upload-Length and Upload-Digest (SHA-256): the bytes from there on

The key is the photo's own, so whoever lost an answer asks again and sends nothing twice. A piece is on disk before it is
acknowledged; one that begins elsewhere than the server's offset is refused with 409 and the offset. A photo whose bytes
have another digest is thrown away, and begins anew. With MILLISECONDS each piece takes at least so long, as by a slow
network.
"""

import hashlib
import http.server
import os
import re
import sys
import threading
import time

LARGEST = 64 << 20


class Store:
    def __init__(self, folder):
        self.parts, self.done = os.path.join(folder, "parts"), os.path.join(folder, "done")
        self.again = os.path.join(folder, "arrived-again")
        for path in (self.parts, self.done):
            os.makedirs(path, exist_ok=True)
        self.guard = threading.Lock()
        self.locks = {}

    def lock(self, key):
        with self.guard:
            return self.locks.setdefault(key, threading.Lock())

    def state(self, key):
        """The offset, and whether it is complete."""
        if os.path.exists(os.path.join(self.done, key)):
            return os.path.getsize(os.path.join(self.done, key)), True
        try:
            return os.path.getsize(os.path.join(self.parts, key)), False
        except FileNotFoundError:
            return 0, False

    def append(self, key, offset, data):
        # Opened for writing at an offset: what a crash left behind the acknowledged bytes is part of the offset.
        with open(os.path.join(self.parts, key), "ab") as file:
            if file.tell() != offset:
                raise ValueError("the offset moved")
            file.write(data)
            file.flush()
            os.fsync(file.fileno())

    def finish(self, key, digest):
        """True when all of it is here and is what it should be."""
        part = os.path.join(self.parts, key)
        with open(part, "rb") as file:
            found = hashlib.file_digest(file, "sha256").hexdigest()
        if found != digest:
            os.unlink(part)
            return False
        try:
            os.link(part, os.path.join(self.done, key))
        except FileExistsError:
            with open(self.again, "a") as file:
                file.write(key + "\n")
        self.synchronize(self.done)
        os.unlink(part)
        return True

    @staticmethod
    def synchronize(folder):
        descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
        os.fsync(descriptor)
        os.close(descriptor)


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def answer(self, status, offset=None, complete=False):
        self.send_response(status)
        if offset is not None:
            self.send_header("Upload-Offset", str(offset))
        if complete:
            self.send_header("Upload-Complete", "1")
        self.send_header("Content-Length", "0")
        self.end_headers()

    def key(self):
        match = re.fullmatch(r"/photos/([A-Za-z0-9][A-Za-z0-9._-]{0,99})", self.path)
        return match and match.group(1)

    def do_HEAD(self):
        key = self.key()
        if not key:
            return self.answer(404)
        with self.server.store.lock(key):
            self.answer(200, *self.server.store.state(key))

    def do_PATCH(self):
        key = self.key()
        try:
            count = int(self.headers["Content-Length"])
            offset, length = int(self.headers["Upload-Offset"]), int(self.headers["Upload-Length"])
            digest = self.headers["Upload-Digest"]
        except (TypeError, ValueError):
            count = -1
        if not key or not 0 <= count <= LARGEST or not 0 < length <= LARGEST or offset + count > length:
            self.close_connection = True
            return self.answer(400)
        data = self.rfile.read(count)
        # The slow network.
        time.sleep(self.server.pause)
        if len(data) < count:
            # Its sender is gone, and will ask for the offset.
            self.close_connection = True
            return
        store = self.server.store
        with store.lock(key):
            have, complete = store.state(key)
            if complete:
                return self.answer(200, have, True)
            if have != offset:
                return self.answer(409, have)
            store.append(key, offset, data)
            if offset + count < length:
                return self.answer(204, offset + count)
            if store.finish(key, digest):
                return self.answer(200, length, True)
            self.answer(409, 0)

    def log_message(self, form, *arguments):
        pass


class Server(http.server.ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 64

    def handle_error(self, request, client_address):
        # Who is killed resets its connection.
        if not isinstance(sys.exc_info()[1], ConnectionError):
            super().handle_error(request, client_address)


def main():
    folder = sys.argv[1]
    port = int(sys.argv[2]) if len(sys.argv) > 2 else 8090
    server = Server(("127.0.0.1", port), Handler)
    server.store = Store(folder)
    server.pause = int(sys.argv[3]) / 1000 if len(sys.argv) > 3 else 0
    print(f"serving at {server.server_address[1]}", flush=True)
    server.serve_forever()


if __name__ == "__main__":
    main()
