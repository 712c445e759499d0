#!/usr/bin/env python3
"""A provider of pushes, which knows only what Apple's documentation says of its service: HTTP/2 over TLS, a token.

    provider.py INSTRUCTIONS

prints a token (JWT) for those who send by other means. INSTRUCTIONS is a file with what `greenroom pushgate init --json`
prints.
"""

import base64
import concurrent.futures
import json
import select
import socket
import ssl
import subprocess
import sys
import threading
import time
import uuid

import h2.config
import h2.connection
import h2.events
import h2.exceptions


def text64(data):
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def bearer(key_file, key, team, now):
    """A JWT as Apple wants it, signed by openssl."""
    head = text64(json.dumps({"alg": "ES256", "kid": key}).encode())
    body = text64(json.dumps({"iss": team, "iat": int(now)}).encode())
    signed = f"{head}.{body}".encode()
    der = subprocess.run(
        ["openssl", "dgst", "-sha256", "-sign", key_file], input=signed, capture_output=True, check=True).stdout
    # SEQUENCE { INTEGER r, INTEGER s } becomes r and s of 32 bytes each.
    place, numbers = 2, b""
    for _ in range(2):
        length = der[place + 1]
        numbers += der[place + 2:place + 2 + length].lstrip(b"\0").rjust(32, b"\0")
        place += 2 + length
    return f"{head}.{body}.{text64(numbers)}"


class Unanswered(Exception):
    """The connection ended: nobody knows whether the gateway has the message."""


class Connection:
    """One connection, used by one thread."""

    def __init__(self, host, port, authority):
        context = ssl.create_default_context(cafile=authority)
        context.set_alpn_protocols(["h2"])
        plain = socket.create_connection(("127.0.0.1", port), timeout=10)
        self.socket = context.wrap_socket(plain, server_hostname=host)
        self.socket.setblocking(False)
        self.h2 = h2.connection.H2Connection(h2.config.H2Configuration(header_encoding="utf-8"))
        self.h2.initiate_connection()
        self.answers = {}
        self.is_over = False
        self.unsent = b""

    def send(self, path, headers, payload):
        stream = self.h2.get_next_available_stream_id()
        self.h2.send_headers(stream, [
            (":method", "POST"), (":scheme", "https"), (":path", path), (":authority", "gateway"), *headers])
        self.h2.send_data(stream, payload, end_stream=True)
        self.answers[stream] = {"headers": {}, "body": b""}
        return stream

    @property
    def has_room(self):
        return not self.is_over and self.h2.open_outbound_streams < min(
            100, self.h2.remote_settings.max_concurrent_streams) and self.h2.outbound_flow_control_window > 8192

    def step(self, waker, seconds):
        """Moves what can be moved; what was answered completely, by its stream."""
        self.unsent += self.h2.data_to_send()
        try:
            if self.unsent:
                self.unsent = self.unsent[self.socket.send(self.unsent):]
        except (ssl.SSLWantWriteError, ssl.SSLWantReadError):
            pass
        if not self.socket.pending():
            select.select([self.socket, waker], [self.socket] if self.unsent else [], [], seconds)
        try:
            data = self.socket.recv(65536)
        except (ssl.SSLWantReadError, ssl.SSLWantWriteError):
            return []
        if not data:
            raise ConnectionError("the gateway closed the connection")
        return self.hear(self.h2.receive_data(data))

    def hear(self, events):
        done = []
        for event in events:
            if isinstance(event, h2.events.ResponseReceived):
                self.answers[event.stream_id]["headers"] = dict(event.headers)
            elif isinstance(event, h2.events.DataReceived):
                self.answers[event.stream_id]["body"] += event.data
                self.h2.acknowledge_received_data(event.flow_controlled_length, event.stream_id)
            elif isinstance(event, h2.events.StreamEnded):
                done.append((event.stream_id, self.answers.pop(event.stream_id)))
            elif isinstance(event, h2.events.ConnectionTerminated):
                self.is_over = True
        return done


class Provider:
    """Sends from a thread of its own, to a gateway that comes and goes; or to several in turn, and past those that are
    down."""

    # Requests to one of several gateways, before it is another one's turn.
    TURN = 20

    def __init__(self, instructions, *ports):
        self.instructions = instructions
        self.ports = list(ports) or [instructions["port"]]
        self.port = self.ports[0]
        # Requests that were answered, by port.
        self.answered = {}
        self.token, self.token_time = None, 0.0
        self.waiting, self.lock = [], threading.Lock()
        self.waker, self.wake_end = socket.socketpair()
        self.is_closed = False
        self.pause_until = 0.0
        self.thread = threading.Thread(target=self.run, daemon=True)
        self.thread.start()

    def close(self):
        self.is_closed = True
        self.wake_end.send(b".")
        self.thread.join(10)

    def send(self, token, payload, headers=None, repeat=False):
        """A future of the answer: a dictionary with status, id and perhaps reason and timestamp.

        With `repeat` it is sent again, under the same apns-id, if its connection ends before it is answered, or if the
        gateway cannot take it just now."""
        future = concurrent.futures.Future()
        headers = dict(headers or {})
        headers.setdefault("apns-id", str(uuid.uuid4()).upper())
        body = payload if isinstance(payload, bytes) else json.dumps(payload).encode()
        with self.lock:
            self.waiting.append((future, f"/3/device/{token}", headers, body, repeat))
        self.wake_end.send(b".")
        return future

    def authorization(self):
        # Apple wants it refreshed between every 20 and every 60 minutes.
        if time.time() - self.token_time > 1800:
            self.token_time = time.time()
            self.token = bearer(
                self.instructions["keyFile"], self.instructions["key"], self.instructions["team"], self.token_time)
        return f"bearer {self.token}"

    def run(self):
        while not self.is_closed:
            with self.lock:
                is_idle = not self.waiting
            if is_idle:
                self.waker.recv(4096)
                continue
            open_requests = {}
            self.port = self.ports[(self.ports.index(self.port) + 1) % len(self.ports)]
            try:
                connection = Connection(self.instructions["host"], self.port, self.instructions["authority"])
                self.serve(connection, open_requests)
            except (OSError, ssl.SSLError, h2.exceptions.ProtocolError) as error:
                self.lost(open_requests, error)

    def serve(self, connection, open_requests):
        sent = 0
        while not self.is_closed:
            if len(self.ports) > 1 and sent >= self.TURN:
                connection.is_over = True
            while connection.has_room and time.monotonic() >= self.pause_until:
                with self.lock:
                    request = self.waiting.pop(0) if self.waiting else None
                if request is None:
                    break
                headers = [("authorization", self.authorization()), *request[2].items()]
                open_requests[connection.send(request[1], headers, request[3])] = request
                sent += 1
            for stream, answer in connection.step(self.waker, 0.2):
                self.answer(open_requests.pop(stream), answer)
            if select.select([self.waker], [], [], 0)[0]:
                self.waker.recv(4096)
            if connection.is_over and not open_requests:
                return connection.socket.close()

    def answer(self, request, answer):
        body = json.loads(answer["body"]) if answer["body"] else {}
        if request[4] and int(answer["headers"][":status"]) >= 500:
            with self.lock:
                self.waiting.insert(0, request)
            self.pause_until = time.monotonic() + 0.2
            return
        self.answered[self.port] = self.answered.get(self.port, 0) + 1
        result = {"status": int(answer["headers"][":status"]), "id": answer["headers"].get("apns-id"), **body}
        request[0].set_result(result)

    def lost(self, open_requests, error):
        again = [request for request in open_requests.values() if request[4]]
        with self.lock:
            self.waiting = again + self.waiting
        for request in open_requests.values():
            if not request[4]:
                request[0].set_exception(Unanswered(str(error)))
        # It is down, perhaps.
        time.sleep(0.1)


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        instructions = json.load(file)
    print(bearer(instructions["keyFile"], instructions["key"], instructions["team"], time.time()))


if __name__ == "__main__":
    main()
