"""A server on the loopback that lies in every way that a path names, and one way that is honest."""

import contextlib
import socket
import threading
import time

GOOD = b"x" * 100_000
HEAD = b"HTTP/1.1 200 OK\r\n"
ANSWERS = {
    "port": b"HTTP/1.1 302 Found\r\nLocation: http://127.0.0.1:99999/\r\nContent-Length: 0\r\n\r\n",
    "port0": b"HTTP/1.1 302 Found\r\nLocation: http://127.0.0.1:0/\r\nContent-Length: 0\r\n\r\n",
    "negative": b"HTTP/1.1 302 Found\r\nLocation: http://127.0.0.1:-1/\r\nContent-Length: 0\r\n\r\n",
    "nohost": b"HTTP/1.1 302 Found\r\nLocation: http://\r\nContent-Length: 0\r\n\r\n",
    "scheme": b"HTTP/1.1 302 Found\r\nLocation: file:///etc/passwd\r\nContent-Length: 0\r\n\r\n",
    "bytes": b"HTTP/1.1 302 Found\r\nLocation: http://\xff\xfe%zz\x00/\r\nContent-Length: 0\r\n\r\n",
    "length": HEAD + b"Content-Length: 99999999999999999999\r\n\r\nx",
    "negativelength": HEAD + b"Content-Length: -5\r\n\r\nx",
    "lengths": HEAD + b"Content-Length: 5\r\nContent-Length: 7\r\n\r\nxxxxx",
    "largest": HEAD + b"Content-Length: 9223372036854775807\r\nAccept-Ranges: bytes\r\n\r\nx",
    "chunk": HEAD + b"Transfer-Encoding: chunked\r\n\r\nffffffffffffffffff\r\nx",
    "chunks": HEAD + b"Transfer-Encoding: chunked\r\n\r\n" + b"1\r\nx\r\n" * 1000 + b"zz\r\n",
    "range": b"HTTP/1.1 206 Partial\r\nContent-Range: bytes 9223372036854775807-9223372036854775806/1\r\nContent-Length: 1\r\n\r\nx",
    "range2": b"HTTP/1.1 206 Partial\r\nContent-Range: bytes 0-0/99999999999999999999999\r\nContent-Length: 1\r\n\r\nx",
    "416": b"HTTP/1.1 416 No\r\nContent-Range: bytes */18446744073709551615\r\nContent-Length: 0\r\n\r\n",
    "retry": b"HTTP/1.1 503 No\r\nRetry-After: 99999999999999999999999\r\nContent-Length: 0\r\n\r\n",
    "retry2": b"HTTP/1.1 429 No\r\nRetry-After: Thu, 99 Foo 99999 99:99:99 GMT\r\nContent-Length: 0\r\n\r\n",
    "retry3": b"HTTP/1.1 503 No\r\nRetry-After: -1\r\nContent-Length: 0\r\n\r\n",
    "date": HEAD + b"Last-Modified: Thu, 31 Feb 999999999999 25:61:61 GMT\r\nDate: x\r\nContent-Length: 1\r\n\r\nx",
    "status": b"HTTP/1.1 99999 What\r\nContent-Length: 0\r\n\r\n",
    "status0": b"HTTP/1.1 000 What\r\nContent-Length: 0\r\n\r\n",
    "early": b"HTTP/1.1 100 Continue\r\n\r\n" * 2000 + HEAD + b"Content-Length: 1\r\n\r\nx",
    "upgrade": b"HTTP/1.1 101 Switching\r\nUpgrade: h2c\r\nConnection: Upgrade\r\n\r\n\x00\x00\x00",
    "cookies": HEAD + b"".join(b"Set-Cookie: a%d=%s; expires=9e99; max-age=1e99\r\n" % (n, b"b" * 200) for n in range(100))
    + b"Content-Length: 1\r\n\r\nx",
    "digest": HEAD + b"Repr-Digest: sha-256=:" + b"=" * 500 + b":\r\nContent-MD5: \xff\r\nContent-Length: 1\r\n\r\nx",
    "nothing": b"", "garbage": bytes(range(256)) * 40, "h2": b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + b"\xff" * 100,
    "endless": HEAD, "slow": HEAD + b"Content-Length: 1000000\r\n\r\n", "circle": b"", "good": b"",
}


class Liar:
    def __init__(self):
        self.listener = socket.create_server(("127.0.0.1", 0), backlog=256)
        self.port = self.listener.getsockname()[1]
        self.served = 0
        # More at once than this wait.
        self.places = threading.Semaphore(64)
        threading.Thread(target=self.accept, daemon=True).start()

    def url(self, path):
        return f"http://127.0.0.1:{self.port}/{path}"

    @property
    def lies(self):
        return [self.url(path) for path in ANSWERS if path != "good"]

    def accept(self):
        while True:
            try:
                connection, _ = self.listener.accept()
            except OSError:
                return
            self.places.acquire()
            threading.Thread(target=self.serve, args=(connection,), daemon=True).start()

    def serve(self, connection):
        try:
            with contextlib.suppress(OSError, IndexError):
                connection.settimeout(5)
                path = connection.recv(1 << 16).split()[1].decode(errors="replace")
                self.served += 1
                self.answer(connection, path.strip("/").split("?")[0])
        finally:
            connection.close()
            self.places.release()

    def answer(self, connection, path):
        if path == "good":
            connection.sendall(HEAD + b"Content-Length: %d\r\n\r\n" % len(GOOD) + GOOD)
        elif path == "circle":
            location = f"Location: /circle?{time.monotonic_ns()}\r\n".encode()
            connection.sendall(b"HTTP/1.1 302 Found\r\nContent-Length: 0\r\n" + location + b"\r\n")
        else:
            connection.sendall(ANSWERS.get(path, b"HTTP/1.1 404 No\r\nContent-Length: 0\r\n\r\n"))
            end = time.monotonic() + 5
            while path in ("endless", "slow") and time.monotonic() < end:
                connection.sendall(b"X-More: more\r\n" * 50 if path == "endless" else b"x")
                time.sleep(0.01 if path == "endless" else 0.5)
