#!/usr/bin/env python3
"""An HTTP server that misbehaves as its URLs ask for, by seed, so that every run is the same.

    misbehaving.py [--tls CERTIFICATE KEY]

Prints the port that it listens on, serves until its standard input ends. What a URL asks for stands in its query:

    /file?size=1000000&seed=1     so many bytes, the same for the same seed
      etag=x, weak=1, date=1      validators: a strong tag, a weak one, Last-Modified (default: a strong tag);
                                  If-None-Match with that tag is answered by a 304 that names the length
      rate=100000                 bytes a second
      cut=3                       the first 3 answers end early, where the seed says; reset=1: what is not read is lost
      short=2                     the first 2 answers promise more than they have, and end in order
      stall=2                     the first 2 answers stop in the middle and stay connected
      norange=1                   every answer is the whole
      wrongrange=1                the first ranged answer is another part than the one asked for
      changes=2                   the thing is another one (tag and bytes) from the third request on
      chunked=1                   no length is said
      status=503&times=2          the first 2 answers are that error; after=1 adds Retry-After: 1, date=… a date
      hops=5                      that many redirects first; code=301; to=URL leads elsewhere; loop=1 never ends
      auth=basic | digest         user `ada`, password `love`; fickle=1: the first nonce is stale
      name=../../evil             Content-Disposition
      digest=right | wrong        Repr-Digest
      cookie=1                    sets a cookie and redirects to what demands it
      coded=gzip | deflate        the answer is coded although nobody asked for that; coded=wrong: it says so only;
                                  coded=unknown: in a way that nobody knows
      unsized=1                   no length is said: the answer ends with the connection; unsized=rude: with TLS,
                                  nothing says that it ends (the first answer only)
      lines=N                     that many fields more in the head
      unended=1                   the first answer is chunked, and its last chunk never comes; behind the end there is
                                  an empty 206
    /upload?…                     PUT and POST: keeps what comes; cut, status, auth as above; answer=9: its length;
                                  hasty=1: answers when it has read a little, and closes; hasty=reset: and resets
    /cookie?set=…                 sets that cookie, and answers with those that came
    /resumable?…                  POST: the IETF draft, answers 104 with a place; cut=2: that many pieces are cut off
    held=2                        the first 2 answers are given one by one, when /release?key=K is asked
    /log                          what happened so far, as JSON; /log?key=K only requests with that key
Different `key`s have different counters.
"""

import base64
import email.utils
import gzip
import hashlib
import http.server
import json
import random
import re
import socket
import ssl
import sys
import threading
import time
import urllib.parse
import zlib

LOCK = threading.Lock()
COUNTERS = {}
LOG = []
UPLOADS = {}
BODIES = {}
NONCES = {}
TURNS = {}
HELD = {}


def content(seed, size):
    with LOCK:
        known = BODIES.get((seed, size))
    if known is None:
        known = random.Random(seed).randbytes(size)
        with LOCK:
            BODIES[(seed, size)] = known
    return known


def count(name):
    with LOCK:
        COUNTERS[name] = COUNTERS.get(name, 0) + 1
        return COUNTERS[name]


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server_version = "Misbehaving/1"
    wbufsize = 0

    def log_message(self, *_):
        pass

    # What is asked for.

    def parse(self):
        url = urllib.parse.urlsplit(self.path)
        self.name = url.path
        self.query = {k: v[0] for k, v in urllib.parse.parse_qs(url.query, keep_blank_values=True).items()}
        self.key = self.query.get("key", "") + ":" + self.name
        self.seed = int(self.query.get("seed", "1"))
        self.entry = {
            "method": self.command, "path": self.path, "name": self.name, "key": self.query.get("key", ""),
            "headers": {k.lower(): v for k, v in self.headers.items()}, "status": None, "sent": 0, "received": 0,
            "at": time.time(),
        }
        if self.name != "/log":
            with LOCK:
                LOG.append(self.entry)

    def asks(self, name):
        return int(self.query.get(name, "0") or "0")

    def begin(self, status, headers=()):
        self.entry["status"] = status
        self.send_response(status)
        for key, value in headers:
            self.send_header(key, value)
        self.end_headers()

    def plain(self, status, text="", headers=()):
        body = text.encode()
        self.begin(status, [("Content-Length", str(len(body))), *headers])
        if self.command != "HEAD":
            self.write(body)

    def write(self, data):
        self.wfile.write(data)
        self.entry["sent"] += len(data)

    def hang_up(self):
        """Ends the connection without a word."""
        self.close_connection = True
        try:
            self.connection.shutdown(socket.SHUT_RDWR)
        except OSError:
            pass

    def do_GET(self):
        self.parse()
        if self.name == "/log":
            self.log()
            return
        if self.name == "/release":
            self.gate().release()
            self.plain(200)
            return
        if self.name == "/cookie":
            headers = [("Set-Cookie", self.query["set"])] if "set" in self.query else []
            self.plain(200, self.headers.get("Cookie", "none"), headers)
            return
        if count(self.key + ":held") <= self.asks("held"):
            self.gate().acquire()
        if not self.hurdles():
            self.file()

    do_HEAD = do_GET

    def log(self):
        with LOCK:
            entries = [e for e in LOG if "key" not in self.query or e["key"] == self.query["key"]]
            text = json.dumps({"requests": entries, "uploads": {
                k: {"size": len(v), "sha256": hashlib.sha256(v).hexdigest()} for k, v in UPLOADS.items()}})
        self.plain(200, text)

    def gate(self):
        with LOCK:
            return HELD.setdefault(self.query.get("key", ""), threading.Semaphore(0))

    # What stands in the way of an answer.

    def hurdles(self):
        """Whether the answer was another one."""
        query = self.query
        if "to" in query:
            self.plain(int(query.get("code", "302")), headers=[("Location", query["to"])])
            return True
        if "loop" in query:
            self.plain(301, headers=[("Location", self.path)])
            return True
        if self.asks("hops") > 0:
            query = dict(query, hops=str(self.asks("hops") - 1))
            place = self.name + "?" + urllib.parse.urlencode(query)
            self.plain(int(query.get("code", "301")), "moved", [("Location", place)])
            return True
        if "cookie" in query and "flavour=oat" not in self.headers.get("Cookie", ""):
            if count(self.key + ":cookie") > 1:
                self.plain(403, "no cookie")
            else:
                self.plain(302, headers=[("Location", self.path), ("Set-Cookie", "flavour=oat; Path=/")])
            return True
        if "status" in query and count(self.key + ":status") <= int(query.get("times", "1000000")):
            headers = []
            if "after" in query:
                headers.append(("Retry-After", query["after"]))
            if "afterdate" in query:
                moment = time.time() + int(query["afterdate"])
                headers.append(("Retry-After", email.utils.formatdate(moment, usegmt=True)))
            self.plain(int(query["status"]), f"error {query['status']}", headers)
            return True
        return "auth" in query and not self.is_authorized(query["auth"])

    def is_authorized(self, scheme):
        given = self.headers.get("Authorization", "")
        if scheme == "basic":
            if given == "Basic " + base64.b64encode(b"ada:love").decode():
                return True
            self.plain(401, "who?", [("WWW-Authenticate", 'Basic realm="Engine, \\"Analytical\\""')])
            return False
        fields = dict(re.findall(r'(\w+)="?([^",]*)"?', given))
        nonce = fields.get("nonce", "")
        with LOCK:
            uses = NONCES.get(nonce)
        is_stale = uses is not None and "fickle" in self.query and nonce == "first"
        algorithm = hashlib.sha256 if self.query.get("algorithm") == "SHA-256" else hashlib.md5

        def digest(text):
            return algorithm(text.encode()).hexdigest()

        if given.startswith("Digest ") and uses is not None:
            first = digest("ada:machine:love")
            second = digest(f"{self.command}:{self.path}")
            middle = f"{nonce}:{fields.get('nc')}:{fields.get('cnonce')}:auth"
            right = digest(f"{first}:{middle}:{second}") == fields.get("response") and fields.get("uri") == self.path
            with LOCK:
                is_fresh = int(fields.get("nc", "0"), 16) > NONCES[nonce]
                NONCES[nonce] = int(fields.get("nc", "0"), 16)
            if right and is_fresh and not is_stale:
                return True
        with LOCK:
            nonce = "first" if not NONCES and "fickle" in self.query else f"n{len(NONCES)}-{self.seed}"
            NONCES[nonce] = 0
        more = f", algorithm={self.query['algorithm']}" if "algorithm" in self.query else ""
        self.plain(401, "who?", [(
            "WWW-Authenticate",
            f'Digest realm="machine", nonce="{nonce}", qop="auth,auth-int", opaque="o"{more}'
            + (", stale=true" if is_stale else ""))])
        return False

    # The file.

    def file(self):
        number = count(self.key + ":file")
        size = int(self.query.get("size", "100000"))
        generation = 1 if "changes" in self.query and number > self.asks("changes") else 0
        body = content(self.seed + 1000 * generation, size)
        tag = self.query.get("etag", f"{self.seed}-{size}") + f"-{generation}"
        headers = [("Accept-Ranges", "none" if "norange" in self.query else "bytes")]
        validator = f'"{tag}"'
        if "date" in self.query:
            validator = email.utils.formatdate(1_000_000_000 + self.seed + generation, usegmt=True)
            headers.append(("Last-Modified", validator))
        elif "weak" in self.query:
            headers.append(("ETag", "W/" + validator))
        else:
            headers.append(("ETag", validator))
        if self.headers.get("If-None-Match") == validator:
            self.begin(304, [("Content-Length", str(size)), *headers])
            return
        start, status = 0, 200
        wanted = re.fullmatch(r"bytes=(\d+)-", self.headers.get("Range", ""))
        holds = self.headers.get("If-Range") in (None, validator) and "weak" not in self.query
        if wanted and holds and "norange" not in self.query:
            start = int(wanted.group(1))
            if start >= size and "unended" in self.query:
                self.plain(206, headers=headers)
                return
            if start >= size:
                self.plain(416, headers=[("Content-Range", f"bytes */{size}"), *headers])
                return
            status = 206
            if "wrongrange" in self.query and count(self.key + ":wrong") == 1:
                start = max(0, start - 1000)
            headers.append(("Content-Range", f"bytes {start}-{size - 1}/{size}"))
        if "name" in self.query:
            headers.append(("Content-Disposition", f'attachment; filename="{self.query["name"]}"'))
        if "digest" in self.query:
            text = body if self.query["digest"] == "right" else body + b"!"
            value = base64.b64encode(hashlib.sha256(text).digest()).decode()
            headers.append(("Repr-Digest", f"sha-256=:{value}:"))
        body = body[start:]
        if "coded" in self.query:
            coding = self.query["coded"]
            coders = {"gzip": gzip.compress, "deflate": zlib.compress}
            body = coders.get(coding, bytes)(body)
            headers.append(("Content-Encoding", "gzip" if coding == "wrong" else coding))
        self.answer(status, headers, body, number)

    def answer(self, status, headers, body, number):
        promised = len(body)
        chooser = random.Random(f"{self.seed}:{number}")
        end = len(body)
        fate = None
        for name in ("cut", "short", "stall"):
            if number <= self.asks(name):
                fate = name
                end = chooser.randrange(max(1, len(body) // 8), max(2, len(body)))
        headers = [*headers, *((f"X-{number}", "x") for number in range(self.asks("lines")))]
        if "chunked" in self.query:
            headers = [*headers, ("Transfer-Encoding", "chunked")]
        elif "unsized" in self.query:
            headers = [*headers, ("Connection", "close")]
        else:
            headers = [*headers, ("Content-Length", str(promised))]
        self.begin(status, headers)
        if self.command == "HEAD":
            return
        self.stream(body[:end])
        if "unsized" in self.query:
            self.close_connection = True
            is_rude = self.query["unsized"] == "rude" and number == 1
            if isinstance(self.connection, ssl.SSLSocket) and not is_rude:
                self.connection = self.connection.unwrap()
            self.connection.shutdown(socket.SHUT_RDWR)
        if fate == "stall":
            # Until the other side has had enough.
            self.connection.settimeout(30)
            try:
                self.connection.recv(1)
            except OSError:
                pass
        if fate == "cut" and "reset" in self.query:
            self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")
        if fate:
            self.hang_up()
        elif number <= self.asks("unended"):
            self.hang_up()
        elif "chunked" in self.query:
            self.wfile.write(b"0\r\n\r\n")

    def stream(self, body):
        rate = self.asks("rate")
        piece = max(1, min(1 << 16, rate // 20)) if rate else 1 << 18
        began = time.monotonic()
        for start in range(0, len(body), piece):
            part = body[start:start + piece]
            if "chunked" in self.query:
                self.wfile.write(b"%x\r\n" % len(part))
            self.write(part)
            if "chunked" in self.query:
                self.wfile.write(b"\r\n")
            if rate:
                ahead = (start + len(part)) / rate - (time.monotonic() - began)
                if ahead > 0:
                    time.sleep(ahead)

    # Uploads.

    def body(self, most=None, data=None, holds=lambda: True):
        """What comes, up to `most` bytes, then nothing more is read; piece by piece into `data`, while that holds."""
        data = bytearray() if data is None else data
        kept = len(data)
        length = int(self.headers.get("Content-Length", "0"))
        length = length if most is None else min(length, most)
        rate = self.asks("rate")
        began = time.monotonic()
        while len(data) - kept < length:
            piece = self.rfile.read1(min(1 << 16, length - len(data) + kept))
            if not piece:
                break
            with LOCK:
                if not holds():
                    break
                data += piece
            received = self.entry["received"] = len(data) - kept
            if rate:
                time.sleep(max(0, received / rate - (time.monotonic() - began)))
        return data

    def do_PUT(self):
        self.parse()
        if self.headers.get("Expect", "").lower() == "100-continue":
            self.send_response_only(100)
            self.end_headers()
        number = count(self.key + ":upload")
        length = int(self.headers.get("Content-Length", "0"))
        if self.name == "/resumable":
            self.resumable(number, length)
            return
        if "hasty" in self.query:
            self.rfile.read1(1024)
            # In one piece: what the kernel has not sent when the connection is closed is lost.
            self.entry["status"] = 200
            self.write(b"HTTP/1.1 200 OK\r\nContent-Length: 6\r\nConnection: close\r\n\r\nenough")
            if self.query["hasty"] == "reset":
                self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")
            self.close_connection = True
            self.connection.close()
            return
        if number <= self.asks("cut"):
            self.body(random.Random(f"{self.seed}:{number}").randrange(1, max(2, length)))
            self.hang_up()
            return
        data = self.body()
        if self.hurdles():
            return
        with LOCK:
            UPLOADS[self.query.get("key", "")] = data
        self.plain(201, "x" * self.asks("answer") or hashlib.sha256(data).hexdigest())

    do_POST = do_PUT

    def resumable(self, number, length):
        if "Upload-Complete" not in self.headers:
            self.plain(400, "not resumable")
            return
        key = self.query.get("key", "")
        place = "/resource?" + urllib.parse.urlencode(dict(self.query, length=str(length)))
        with LOCK:
            UPLOADS[key] = bytearray()
        self.wfile.write(
            b"HTTP/1.1 104 Upload Resumption Supported\r\nUpload-Draft-Interop-Version: 6\r\nLocation: "
            + place.encode() + b"\r\n\r\n")
        self.append(key, number, length)

    def take_over(self, key):
        """Whoever speaks of an upload last has it: what an earlier request still sends is dropped."""
        with LOCK:
            TURNS[key] = TURNS.get(key, 0) + 1
            return TURNS[key]

    def append(self, key, number, length):
        is_cut = number <= self.asks("cut")
        most = random.Random(f"{self.seed}:{number}").randrange(1, max(2, length)) if is_cut else None
        number = self.take_over(key)
        with LOCK:
            whole = UPLOADS[key]
        before = len(whole)
        self.body(most, whole, lambda: TURNS[key] == number)
        if is_cut or len(whole) - before < length:
            self.hang_up()
        else:
            self.plain(200, hashlib.sha256(whole).hexdigest(), [("Upload-Complete", "?1")])

    def do_PATCH(self):
        self.parse()
        key = self.query.get("key", "")
        number = count(f"{key}:/resumable:upload")
        with LOCK:
            here = len(UPLOADS.get(key, b""))
        if int(self.headers.get("Upload-Offset", "-1")) != here:
            self.body()
            self.plain(409, headers=[("Upload-Offset", str(here))])
            return
        if self.headers.get("Content-Type") != "application/partial-upload":
            self.plain(415)
            return
        self.append(key, number, int(self.headers.get("Content-Length", "0")))


class Resource(Handler):
    """HEAD of a place that was made for an upload says how far it has come."""

    def do_HEAD(self):
        if not self.path.startswith("/resource"):
            self.do_GET()
            return
        self.parse()
        self.take_over(self.query.get("key", ""))
        with LOCK:
            here = len(UPLOADS.get(self.query.get("key", ""), b""))
        self.begin(204, [("Upload-Offset", str(here)), ("Upload-Complete", "?0"), ("Cache-Control", "no-store")])


class Server(http.server.ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 128

    def handle_error(self, request, client_address):
        pass


def main(arguments):
    server = Server(("127.0.0.1", 0), Resource)
    if arguments[:1] == ["--tls"]:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(arguments[1], arguments[2])
        context.set_alpn_protocols(["http/1.1"])
        server.socket = context.wrap_socket(server.socket, server_side=True, do_handshake_on_connect=False)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    print(server.server_address[1], flush=True)
    sys.stdin.read()


if __name__ == "__main__":
    main(sys.argv[1:])
