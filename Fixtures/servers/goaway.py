#!/usr/bin/env python3
"""An HTTP/2 server that asks its clients to leave (GOAWAY) in the middle of things, by seed.

    goaway.py CERTIFICATE KEY

Prints its port, serves until its standard input ends. /file?size=N&seed=S&leave=K: the first K answers end after a
part that the seed chooses, with GOAWAY and the end of the connection; refuse=K: the first K requests are refused by a
GOAWAY that names no stream. /log tells what was asked, as JSON.
"""

import json
import random
import re
import socket
import ssl
import sys
import threading
import urllib.parse

import h2.config
import h2.connection
import h2.events

LOCK = threading.Lock()
COUNTERS = {}
LOG = []


def count(name):
    with LOCK:
        COUNTERS[name] = COUNTERS.get(name, 0) + 1
        return COUNTERS[name]


class Session:
    def __init__(self, connection):
        self.socket = connection
        self.h2 = h2.connection.H2Connection(h2.config.H2Configuration(client_side=False, header_encoding="utf-8"))
        self.windows = threading.Condition()
        self.is_over = False
        # Stream number -> what is still to be sent, and whether GOAWAY follows.
        self.sending = {}

    def flush(self):
        data = self.h2.data_to_send()
        if data:
            self.socket.sendall(data)

    def run(self):
        self.h2.initiate_connection()
        self.flush()
        while not self.is_over:
            data = self.socket.recv(1 << 16)
            if not data:
                return
            for event in self.h2.receive_data(data):
                if isinstance(event, h2.events.RequestReceived):
                    self.answer(event.stream_id, dict(event.headers))
                elif isinstance(event, h2.events.StreamReset):
                    self.sending.pop(event.stream_id, None)
            for stream in list(self.sending):
                self.send(stream)
            self.flush()

    def leave(self, last):
        self.h2.close_connection(error_code=0, last_stream_id=last)
        self.flush()
        self.is_over = True

    def answer(self, stream, headers):
        url = urllib.parse.urlsplit(headers[":path"])
        query = {k: v[0] for k, v in urllib.parse.parse_qs(url.query).items()}
        key = query.get("key", "")
        if url.path == "/log":
            with LOCK:
                body = json.dumps({"requests": LOG}).encode()
            self.h2.send_headers(stream, [(":status", "200"), ("content-length", str(len(body)))])
            self.sending[stream] = [body, False]
            return
        with LOCK:
            LOG.append({"key": key, "path": headers[":path"], "headers": headers, "protocol": "h2"})
        if count(key + ":ask") <= int(query.get("refuse", "0")):
            self.leave(0)
            return
        size, seed = int(query.get("size", "100000")), int(query.get("seed", "1"))
        body = random.Random(seed).randbytes(size)
        fields = [("etag", f'"{seed}-{size}"')]
        status, start = "200", 0
        wanted = re.fullmatch(r"bytes=(\d+)-", headers.get("range", ""))
        if wanted and int(wanted.group(1)) < size:
            start, status = int(wanted.group(1)), "206"
            fields.append(("content-range", f"bytes {start}-{size - 1}/{size}"))
        rest = body[start:]
        number = count(key + ":file")
        leaves = number <= int(query.get("leave", "0"))
        self.h2.send_headers(stream, [(":status", status), ("content-length", str(len(rest))), *fields])
        if leaves:
            rest = rest[:random.Random(f"{seed}:{number}").randrange(1, len(rest))]
        self.sending[stream] = [rest, leaves]

    def send(self, stream):
        body, leaves = self.sending[stream]
        while body:
            room = min(self.h2.local_flow_control_window(stream), self.h2.max_outbound_frame_size)
            if room <= 0:
                break
            self.h2.send_data(stream, body[:room])
            body = body[room:]
        self.sending[stream][0] = body
        if body:
            return
        del self.sending[stream]
        if leaves:
            self.leave(stream)
        else:
            self.h2.end_stream(stream)


def serve(connection, context):
    try:
        with context.wrap_socket(connection, server_side=True) as secure:
            Session(secure).run()
    except (OSError, ssl.SSLError, h2.exceptions.ProtocolError):
        pass


def main(certificate, key):
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, key)
    context.set_alpn_protocols(["h2"])
    listener = socket.create_server(("127.0.0.1", 0))
    print(listener.getsockname()[1], flush=True)

    def accept():
        while True:
            connection, _ = listener.accept()
            threading.Thread(target=serve, args=(connection, context), daemon=True).start()

    threading.Thread(target=accept, daemon=True).start()
    sys.stdin.read()


if __name__ == "__main__":
    main(*sys.argv[1:])
