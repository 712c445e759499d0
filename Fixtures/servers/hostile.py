#!/usr/bin/env python3
"""A server whose answers are no HTTP, or the worst of it: bytes as they stand, over HTTP/1 or, with a certificate, over
HTTP/2.

    hostile.py [--tls CERTIFICATE KEY]

Prints its port, serves until its standard input ends.

    /cases              how many there are, as text
    /case?n=3           the third of them
    /mutant?n=3         a right answer in which the seed 3 has changed some bytes
    /drip?part=head     a byte of the head every tenth of a second, and never the last; part=body: of the body
    /good               a right answer: `good`

As a proxy for a tunnel to the host `n3` it answers with the third of the cases; with SOCKS, with the third of those of
SOCKS. The host `n` is `localhost` in the tests' eyes: nobody looks it up.
"""

import random
import socket
import ssl
import struct
import sys
import threading
import time
import urllib.parse

PORTS = ["65536", "99999", "4294967376", "-1", "0", "99999999999999999999", "+80", "8 0", ""]
PLACES = [f"http://127.0.0.1:{port}/" for port in PORTS] + [
    "http://[]/", "http://[::1", "http://[::1]:99999/", "http://]/", "http://[/", "//", "http://", "http:///x", "", "?", "#",
    "http://a@b@127.0.0.1:1:2/", "http://%00/", "http://%5B%5D/", "http://" + "a" * 300 + "/", "http://" + "a." * 200 + "x/",
    "http://127.0.0.1:1/" + "x" * 60_000, "file:///etc/passwd", "unix:///tmp/x", "http+unix://%2Ftmp%2Fx/", "https+unix://x/",
    "http://127.0.0.1%3A99999/", "http://127.0.0.1:1\\@x/", "HTTP://127.0.0.1:00000001/", "http://\u00e4\u00f6/", "http://..../",
    "javascript:1", "data:,x", "http://256.256.256.256/", "http://0x7f.1/", "http://xn--/", "http://-/", "http://127.0.0.1:1/%zz%",
]
DATES = [
    "Sun, 06 Nov 99999 08:49:37 GMT", "Sun, 06 Nov 9999 08:49:37 GMT", "Sunday, 06-Nov-94 08:49:37 GMT",
    "Sun Nov  6 08:49:37 0000", "Sun, 31 Feb 2030 23:59:60 GMT", "-1", "99999999999999999999", "9" * 18, "0x10", "1e999",
    "NaN", "", "GMT", ", , ,", "Sun, 06 Nov 1 0:0:0 GMT",
]
LENGTHS = ["-1", "+5", "9" * 20, "9223372036854775807", "999999999999999999", "5, 5", "5, 6", "0x10", "", "5\r\nContent-Length: 6"]
RANGES = [
    "bytes 0-0/0", "bytes -1-5/6", "bytes 5-2/9", "bytes */-1", "bytes 0-999999999999999999/*", "bytes 0-4/5", "bytes", "bytes ",
    "bytes 9223372036854775806-9223372036854775807/*", "bytes */999999999999999999", "none", "/", "-",
]
COOKIES = [
    "a=b; Max-Age=9223372036854775807", "a=b; Max-Age=-9223372036854775808", "a=b; Max-Age=1e999", "=x", "a", ";;;", "a=b;;=;=;",
    "a=b; Domain=.; Path=", "a=b; Domain=1; Path=" + "/x" * 1000, "a=\u00ff; Expires=" + DATES[0], "a=b; Domain=.1; Secure; Max-Age",
]
CHALLENGES = [
    "", ",", "=", "Basic", "Basic realm", 'Basic realm="', 'Basic realm="\\', "Digest", 'Digest nonce="x", qop="', "Digest =,=,=",
    'Digest nonce="' + "n" * 20_000 + '"', "Basic realm=a, Digest nonce=b, Basic, , =", 'Digest nonce="x", algorithm="SHA-256-sess"',
]
DIGESTS = ["sha-256=", "sha-256=:", "sha-256=::", "sha-256=:=:", "sha-256=:" + "A" * 10_000 + ":", "=", ",", "md5=:\u00ff:"]


def answer(status="200 OK", headers=(), body=b"good"):
    lines = [f"HTTP/1.1 {status}", *(f"{k}: {v}" for k, v in headers)]
    if not any(k.lower() in ("content-length", "transfer-encoding") for k, _ in headers):
        lines.append(f"Content-Length: {len(body)}")
    return ("\r\n".join(lines) + "\r\n\r\n").encode("latin-1", "replace") + body


def one():
    """Of HTTP/1."""
    cases = [answer("302 Found", [("Location", place)]) for place in PLACES]
    cases += [b"HTTP/1.1 104 x\r\nLocation: " + place.encode() + b"\r\n\r\n" + answer() for place in PLACES[:12]]
    cases += [answer("503 Busy", [("Retry-After", date)]) for date in DATES]
    cases += [answer(headers=[("Last-Modified", date), ("Date", DATES[i - 1])]) for i, date in enumerate(DATES)]
    cases += [answer(headers=[("Content-Length", length)]) for length in LENGTHS]
    cases += [answer("206 Part", [("Content-Range", text), ("Content-Length", "4")]) for text in RANGES]
    cases += [answer("416 No", [("Content-Range", text)]) for text in RANGES]
    cases += [answer(headers=[("Set-Cookie", text)]) for text in COOKIES]
    cases += [answer("401 Who", [("WWW-Authenticate", text)]) for text in CHALLENGES]
    cases += [answer("407 Who", [("Proxy-Authenticate", text)]) for text in CHALLENGES[:4]]
    cases += [answer(headers=[("Repr-Digest", text), ("Digest", text), ("Content-MD5", text)]) for text in DIGESTS]
    for status in ["", "0", "000", "-5", "99", "100", "101 Switching", "102", "199", "204", "205", "304", "600", "999", "1000",
                   "99999999999999999999", "2 00", "OK", "200" * 10_000, "\0", "200 \0"]:
        cases.append(answer(status))
    chunked = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
    for rest in [b"F" * 17, b"-1", b"zz", b"", b"0", b"7FFFFFFFFFFFFFFF", b"FFFFFFFFFFFFFFFF", b"4;" + b"x" * 100_000, b" 4", b"+4",
                 b"4\r\ngood", b"4\r\ngoodX0", b"0\r\n" + b"t: v\r\n" * 20_000]:
        cases.append(chunked + rest + b"\r\n\r\n")
    cases += [
        answer(headers=[("Transfer-Encoding", "chunked"), ("Content-Length", "4")]), answer(headers=[("Transfer-Encoding", "gzip")]),
        answer(headers=[("Content-Encoding", "gzip, br"), ("Content-Encoding", "x")]), answer(headers=[("X", "y" * 200_000)]),
        answer(headers=[(f"X-{i}", "y") for i in range(5000)]), answer(headers=[("X", "a\r\n b\r\n\tc")]), answer(headers=[("", "x")]),
        answer(headers=[("X", "\0")]), answer(headers=[("X y", "z")]), b"HTTP/1.1 200 OK\r\nno colon\r\n\r\n", b"HTTP/9.9 200 OK\r\n\r\n",
        b"HTTP/1.0 200 OK\r\n\r\ngood", b"HTTP/0.9 200\r\n\r\n", b"ICY 200 OK\r\n\r\n", b"\0" * 1000, b"\r\n" * 1000, b"x" * 300_000,
        b"", b"H", b"HTTP/1.1 200 OK", b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", b"\x16\x03\x01\x02\x00\x01\x00", answer() * 3,
        b"HTTP/1.1 100 Continue\r\n\r\n" * 3000 + answer(), b"HTTP/1.1 103 Hints\r\nLink: </x>\r\n\r\n" * 500 + answer(),
        b"HTTP/1.1 101 Up\r\nUpgrade: h2c\r\nConnection: Upgrade\r\n\r\n" + b"\0" * 100, answer(headers=[("Connection", "Upgrade"), ("Upgrade", "x")]),
        answer("204 None", body=b"something"), answer("304 Same", body=b"something"), answer(headers=[("Content-Length", "0")]),
    ]
    return cases


SOCKS = [
    b"", b"\5", b"\5\0\5", b"\4\0", b"\5\xff", b"\5\2", b"\0\0", b"\xff" * 300, b"\5\0" * 200, b"\5\0\0\1\0\0\0\0\0\0",
    b"\5\0\0\3\0\0\0", b"\5\0\0\3\xff" + b"x" * 10, b"\5\0\0\4" + b"\0" * 18, b"\5\0\0\x63" + b"\0" * 18, b"\5\1\0\1" + b"\0" * 6,
    b"\5\xff\0\1" + b"\0" * 6, b"\5\0\xff\1" + b"\0" * 6, b"\5\0\0\3\3\xff\xfe\xfd\0\0", b"\5\0\0\1" + b"\0" * 6 + b"HTTP/1.1 -5\r\n\r\n",
    b"HTTP/1.1 200 OK\r\n\r\n", b"\5\0\0\1" + b"\0" * 6 + b"\5\0\0\1" * 100,
]


# HTTP/2.


def frame(kind, flags, stream, payload=b"", length=None):
    return struct.pack(">I", len(payload) if length is None else length)[1:] + struct.pack(">BBI", kind, flags, stream) + payload


def literal(name, value):
    """A field without any table or coding."""
    def text(data):
        data = data.encode("latin-1", "replace") if isinstance(data, str) else data
        rest, prefix = len(data), b""
        if rest < 127:
            return bytes([rest]) + data
        prefix, rest = b"\x7f", rest - 127
        while rest >= 128:
            prefix, rest = prefix + bytes([rest % 128 + 128]), rest // 128
        return prefix + bytes([rest]) + data
    return b"\0" + text(name) + text(value)


def head(stream, *fields, flags=4):
    return frame(1, flags, stream, b"".join(literal(k, v) for k, v in fields))


def data(stream, payload=b"good", flags=1):
    return frame(0, flags, stream, payload)


def two(stream):
    """Of HTTP/2: what follows the settings, on that stream."""
    ok = head(stream, (":status", "200"))
    cases = [head(stream, (":status", status)) + data(stream) for status in [
        "-5", "-9223372036854775808", "99999999999999999999", "2147483648", "9223372036854775807", "0", "", "+200", "20", "2000", "OK", " 200",
        "100", "101", "199", "600", "999", "00200", "\u0662\u0660\u0660"]]
    cases += [head(stream, (":status", "302"), ("location", place), flags=5) for place in PLACES if len(place) < 10_000]
    cases += [head(stream, (":status", "200"), ("content-length", length)) + data(stream) for length in LENGTHS[:9]]
    cases += [
        head(stream, ("x", "y")) + data(stream), head(stream, (":status", "200"), (":status", "-1")) + data(stream),
        head(stream, ("x", "y"), (":status", "200")) + data(stream), head(stream, (":status", "200"), (":path", "/")) + data(stream),
        head(stream, (":status", "200"), ("X-Upper", "y")) + data(stream), head(stream, (":status", "200"), ("connection", "close")) + data(stream),
        head(stream, (":status", "200"), ("", "y")) + data(stream), head(stream, (":status", "200"), ("x", b"\0\r\n")) + data(stream),
        data(stream), ok + head(0, (":status", "200")), ok + head(2, (":status", "200")), ok + head(stream + 2, (":status", "200")),
        ok + data(0), ok + data(2), ok + data(stream) + data(stream), ok + head(stream, (":status", "200"), flags=5),
        ok + data(stream, flags=0) + head(stream, ("trailer", "x"), flags=5), ok + data(stream, flags=0) + head(stream, ("trailer", "x")),
        head(stream, (":status", "103")) * 500 + ok + data(stream), head(stream, (":status", "100"), flags=5), frame(1, 4, stream),
        frame(1, 12, stream, b"\xff" + b"x" * 5), frame(0, 9, stream, b"\xff"), ok + frame(0, 9, stream, b"\x05abcde"), ok + frame(0, 8, stream),
        frame(1, 0, stream, literal(":status", "200")) + frame(9, 0, stream, literal("x", "y")) * 2000,
        frame(1, 0, stream, literal(":status", "200")) + data(stream), frame(9, 4, stream, literal(":status", "200")),
        frame(1, 4, stream, b"\xff\xff\xff\xff\xff\xff\xff\xff\xff\x7f"), frame(1, 4, stream, b"\x80"), frame(1, 4, stream, b"\xc0\xff"),
        frame(1, 4, stream, b"\x3f\xff\xff\xff\xff\x0f"), frame(1, 4, stream, b"\x3f\xe1\xff\x03" * 50), frame(1, 4, stream, b"\x00\x81\xff\x81\xff"),
        frame(1, 4, stream, b"\x00\x7f\xff\xff\xff\xff\xff\xff\xff\xff\x7f"), frame(1, 4, stream, literal(":status", "200") + literal("x", "y" * 100_000)[:16_000]),
        frame(1, 0x24, stream, struct.pack(">IB", stream, 0) + literal(":status", "200")) + data(stream),
        frame(2, 0, stream, struct.pack(">IB", stream, 255)), frame(2, 0, stream, b"x"), frame(3, 0, stream, struct.pack(">I", 0)), frame(3, 0, 0, b"\0" * 4),
        frame(3, 0, stream, b""), frame(3, 0, 99, b"\0" * 4), frame(3, 0, stream, b"\xff" * 4) * 1000,
        frame(4, 0, 0, b"\0\4\xff\xff\xff\xff"), frame(4, 0, 0, b"\0\5\0\0\0\0"), frame(4, 0, 0, b"\0\5\xff\xff\xff\xff"), frame(4, 0, 0, b"\0\2\0\0\0\1"),
        frame(4, 0, 0, b"\0\2\0\0\0\7"), frame(4, 0, 0, b"\0\3\0\0\0\0"), frame(4, 0, 0, b"\0\1\xff\xff\xff\xff"), frame(4, 0, 0, b"\0\6\0\0\0\0"),
        frame(4, 0, 0, b"\0\4\0\0\0\0") + ok + data(stream), frame(4, 0, 0, b"\0\4\x7f\xff\xff\xff") + frame(8, 0, stream, b"\x7f\xff\xff\xff"),
        frame(4, 1, 0, b"x"), frame(4, 0, stream, b""), frame(4, 0, 0, b"x"), frame(4, 0, 0, b"\0\7\0\0\0\0" * 100) * 200, frame(4, 1, 0) * 3,
        frame(5, 4, stream, struct.pack(">I", 2) + literal(":path", "/")), frame(5, 4, 0, b"\0" * 4), frame(5, 0, stream, b"x"),
        frame(6, 0, 0, b"12345678") * 3000, frame(6, 0, 0, b"1"), frame(6, 0, stream, b"12345678"), frame(6, 1, 0, b"12345678"),
        frame(7, 0, 0, struct.pack(">II", 0, 0) + b"x" * 10_000), frame(7, 0, 0, b"x"), frame(7, 0, stream, b"\0" * 8), frame(7, 0, 0, b"\xff" * 8),
        frame(7, 0, 0, struct.pack(">II", 0, 0)) + frame(7, 0, 0, struct.pack(">II", 2**31 - 1, 0)) + ok + data(stream),
        frame(8, 0, 0, b"\x7f\xff\xff\xff") * 2, frame(8, 0, stream, b"\x7f\xff\xff\xff") * 2, frame(8, 0, 0, b"\0" * 4), frame(8, 0, stream, b"\0" * 4),
        frame(8, 0, 0, b"x"), frame(8, 0, 99, b"\0\0\0\1"), frame(8, 0, 2, b"\0\0\0\1"), frame(9, 4, 0), frame(10, 0, 0, b"\0\2xx"), frame(12, 0, 0, b"x"),
        frame(0xFE, 0xFF, 2**31 + stream, b"x" * 100), frame(0, 0, stream, b"", length=0xFFFFFF), frame(1, 4, stream, b"\0", length=0xFFFFFF),
        b"HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\ngood", b"\0" * 1000, b"\xff" * 1000, b"", b"\0", ok, ok + data(stream, b"x" * 100, 0),
        ok + data(stream, b"", 0) * 2000, ok + data(stream, b"x" * 16_385, 1), (ok + data(stream)) * 50,
    ]
    return cases


def mutant(right, seed):
    chooser = random.Random(seed)
    text = bytearray(right)
    for _ in range(chooser.randrange(1, 6)):
        place = chooser.randrange(len(text))
        kind = chooser.randrange(4)
        if kind == 0:
            text[place] = chooser.randrange(256)
        elif kind == 1:
            text[place] ^= 1 << chooser.randrange(8)
        elif kind == 2:
            del text[place:place + chooser.randrange(1, 5)]
        else:
            text[place:place] = bytes(chooser.choice(b"\0\xff\r\n0-9:;,=\"") for _ in range(chooser.randrange(1, 5)))
        text = text or bytearray(b"x")
    return bytes(text)


RIGHT = answer(headers=[
    ("ETag", '"x"'), ("Date", DATES[1]), ("Last-Modified", DATES[1]), ("Set-Cookie", "a=b; Max-Age=5"), ("Retry-After", "5"),
    ("Repr-Digest", "sha-256=:AAAA:"), ("Content-Length", "4"), ("Content-Range", "bytes 0-3/4")])


class Client:
    def __init__(self, connection):
        self.socket = connection

    def query(self, target):
        url = urllib.parse.urlsplit(target)
        return url.path, dict(urllib.parse.parse_qsl(url.query))

    def drip(self, text):
        for byte in text:
            self.socket.sendall(bytes([byte]))
            time.sleep(0.1)

    def linger(self):
        """What was sent is read before the connection goes."""
        try:
            self.socket.shutdown(socket.SHUT_WR)
            self.socket.settimeout(0.3)
            while self.socket.recv(1 << 16):
                pass
        except OSError:
            pass


class One(Client):
    def run(self):
        text = b""
        while b"\r\n\r\n" not in text:
            piece = self.socket.recv(1 << 16)
            if not piece:
                return
            text += piece
            if text[0] == 5:
                self.socks()
                return
        if text.startswith(b"CONNECT n"):
            self.socket.sendall(one()[int(text[9:].split(b":")[0])])
            self.linger()
            return
        path, query = self.query(text.split(b" ")[1].decode())
        if path == "/drip":
            if query["part"] == "head":
                self.drip(b"HTTP/1.1 200 OK\r\nX: " + b"y" * 100_000)
            self.socket.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 1000000\r\n\r\n")
            self.drip(b"y" * 100_000)
        elif path == "/cases":
            self.socket.sendall(answer(body=str(len(one())).encode()))
        elif path == "/case":
            self.socket.sendall(one()[int(query["n"])])
        elif path == "/mutant":
            self.socket.sendall(mutant(RIGHT, int(query["n"])))
        else:
            self.socket.sendall(answer())
        self.linger()


    def socks(self):
        self.socket.sendall(b"\5\0")
        request = self.socket.recv(1 << 16)
        number = int(request[6:5 + request[4]])
        self.socket.sendall(SOCKS[number])
        self.linger()


class Two(Client):
    PREFACE = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"

    def run(self):
        import hpack
        decoder = hpack.Decoder()
        text = b""
        self.socket.sendall(frame(4, 0, 0))
        while True:
            piece = self.socket.recv(1 << 16)
            if not piece:
                return
            text += piece
            if text.startswith(self.PREFACE):
                text = text[len(self.PREFACE):]
            while len(text) >= 9 and len(text) >= 9 + int.from_bytes(text[:3], "big"):
                length, kind, flags = int.from_bytes(text[:3], "big"), text[3], text[4]
                stream, payload = int.from_bytes(text[5:9], "big"), text[9:9 + length]
                text = text[9 + length:]
                if kind == 4 and not flags & 1:
                    self.socket.sendall(frame(4, 1, 0))
                elif kind == 1:
                    if flags & 32:
                        payload = payload[5:]
                    self.answer(stream, dict(decoder.decode(payload, raw=False))[":path"])
                    self.linger()
                    return

    def answer(self, stream, target):
        path, query = self.query(target)
        good = head(stream, (":status", "200"), ("content-length", "4")) + data(stream)
        if path == "/cases":
            count = str(len(two(1))).encode()
            self.socket.sendall(head(stream, (":status", "200")) + data(stream, count))
        elif path == "/case":
            self.socket.sendall(two(stream)[int(query["n"])])
        elif path == "/mutant":
            self.socket.sendall(mutant(good, int(query["n"])))
        else:
            self.socket.sendall(good)


def serve(connection, context):
    try:
        with connection:
            if context is None:
                One(connection).run()
            else:
                with context.wrap_socket(connection, server_side=True) as secure:
                    Two(secure).run()
    except (OSError, ssl.SSLError, ValueError, KeyError, IndexError):
        pass


def main(arguments):
    context = None
    if arguments[:1] == ["--tls"]:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(arguments[1], arguments[2])
        context.set_alpn_protocols(["h2"])
    listener = socket.create_server(("127.0.0.1", 0), backlog=256)
    print(listener.getsockname()[1], flush=True)

    def accept():
        while True:
            connection, _ = listener.accept()
            threading.Thread(target=serve, args=(connection, context), daemon=True).start()

    threading.Thread(target=accept, daemon=True).start()
    sys.stdin.read()


if __name__ == "__main__":
    main(sys.argv[1:])
