#!/usr/bin/env python3
"""A proxy: prints the port that it listens on, serves until its standard input ends.

    proxy.py http [USER:PASSWORD]   forwards what asks for a whole URL, and is a tunnel for CONNECT
    proxy.py socks                  SOCKS 5 without a password

Names that end in .test are this machine, for whoever asks the proxy and for nobody else. `GET /log` of an HTTP proxy says as
JSON what was asked of it.
"""

import base64
import json
import socket
import socketserver
import sys
import threading
import urllib.parse

LOCK = threading.Lock()
LOG = []
EXPECTED = None


def reach(host, port):
    return socket.create_connection(("127.0.0.1" if host.endswith(".test") else host, port), timeout=30)


def pump(source, target):
    try:
        while data := source.recv(1 << 16):
            target.sendall(data)
    except OSError:
        pass
    try:
        target.shutdown(socket.SHUT_WR)
    except OSError:
        pass


def join(one, other):
    back = threading.Thread(target=pump, args=(other, one), daemon=True)
    back.start()
    pump(one, other)
    back.join()
    other.close()


class HTTP(socketserver.StreamRequestHandler):
    rbufsize = 0

    def handle(self):
        head = b""
        while not head.endswith(b"\r\n\r\n"):
            byte = self.rfile.read(1)
            if not byte:
                return
            head += byte
        lines = head.decode("latin-1").split("\r\n")
        method, target, _ = lines[0].split(" ", 2)
        headers = dict((name.lower(), value.strip()) for name, value in (line.split(":", 1) for line in lines[1:] if line))
        if target.startswith("/"):
            with LOCK:
                body = json.dumps({"requests": LOG}).encode()
            self.answer(b"200 OK", b"", body)
            return
        with LOCK:
            LOG.append({"method": method, "path": target, "headers": headers})
        if EXPECTED is not None and headers.get("proxy-authorization") != EXPECTED:
            self.answer(b"407 Proxy Authentication Required", b'Proxy-Authenticate: Basic realm="gate"\r\n', b"who?")
            return
        if method == "CONNECT":
            host, port = target.rsplit(":", 1)
            other = reach(host, int(port))
            self.connection.sendall(b"HTTP/1.1 200 Connected\r\n\r\n")
        else:
            url = urllib.parse.urlsplit(target)
            other = reach(url.hostname, url.port or 80)
            path = urllib.parse.urlunsplit(("", "", url.path or "/", url.query, ""))
            kept = [line for line in lines[1:] if line and not line.lower().startswith(("proxy-", "connection:"))]
            text = "\r\n".join([f"{method} {path} HTTP/1.1", *kept, "Connection: close", "", ""])
            other.sendall(text.encode("latin-1"))
        join(self.connection, other)

    def answer(self, status, more, body):
        self.connection.sendall(
            b"HTTP/1.1 " + status + b"\r\n" + more + b"Connection: close\r\nContent-Length: %d\r\n\r\n" % len(body) + body)


class Socks(socketserver.StreamRequestHandler):
    rbufsize = 0

    def take(self, count):
        data = b""
        while len(data) < count:
            piece = self.rfile.read(count - len(data))
            if not piece:
                raise ConnectionError
            data += piece
        return data

    def handle(self):
        version, methods = self.take(2)
        if version != 5 or 0 not in self.take(methods):
            self.connection.sendall(b"\x05\xff")
            return
        self.connection.sendall(b"\x05\x00")
        _, command, _, kind = self.take(4)
        if kind == 1:
            host = socket.inet_ntop(socket.AF_INET, self.take(4))
        elif kind == 4:
            host = socket.inet_ntop(socket.AF_INET6, self.take(16))
        else:
            host = self.take(self.take(1)[0]).decode()
        port = int.from_bytes(self.take(2), "big")
        try:
            other = reach(host, port)
        except OSError:
            self.connection.sendall(b"\x05\x05\x00\x01" + bytes(6))
            return
        self.connection.sendall(b"\x05\x00\x00\x01" + bytes(6))
        join(self.connection, other)


class Server(socketserver.ThreadingTCPServer):
    daemon_threads = True
    request_queue_size = 128

    def handle_error(self, request, client_address):
        pass


def main(arguments):
    global EXPECTED
    if len(arguments) > 1:
        EXPECTED = "Basic " + base64.b64encode(arguments[1].encode()).decode()
    server = Server(("127.0.0.1", 0), Socks if arguments[0] == "socks" else HTTP)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    print(server.server_address[1], flush=True)
    sys.stdin.read()


if __name__ == "__main__":
    main(sys.argv[1:])
