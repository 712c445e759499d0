"""An app's side of the wire, as far as an attacker needs it: it answers what it wants, when it wants."""

import json
import os
import socket

from belt import SETTINGS


class Peer:
    def __init__(self, connection=None):
        if connection is None and "GREENROOM_FD" in os.environ:
            connection = socket.socket(fileno=int(os.environ["GREENROOM_FD"]))
        self.socket = connection or self.connected()
        self.buffer = b""
        self.number = 0
        self.answers = {}

    @staticmethod
    def connected():
        connection = socket.socket(socket.AF_UNIX)
        connection.connect(os.environ["GREENROOM_SOCKET"])
        return connection

    def send(self, message):
        self.socket.sendall(json.dumps(dict(message, jsonrpc="2.0")).encode() + b"\n")

    def request(self, method, **params):
        self.number += 1
        self.send({"id": self.number, "method": method, "params": params})
        return self.number

    def hello(self):
        self.request("hello", protocol=1, client="chaos/1.0", executed=None)
        if SETTINGS["runs"]:
            # So that it has time for what it does while others are on screen.
            self.request("beginTask", task=1_000_000, name="attack")
        return self

    def receive(self):
        """The next message; `None` at the end."""
        while b"\n" not in self.buffer:
            data = self.socket.recv(1 << 16)
            if not data:
                return None
            self.buffer += data
        line, self.buffer = self.buffer.split(b"\n", 1)
        return json.loads(line) if line.strip() else self.receive()

    def answer(self, message, result=None):
        self.send({"id": message["id"], "result": result if result is not None else {}})

    def ask(self, method, **params):
        """An answer to a question, with callbacks answered on the way."""
        number = self.request(method, **params)
        while (message := self.receive()) is not None:
            if message.get("id") == number and "method" not in message:
                return message
            self.take(message)
        raise SystemExit(0)

    def launched(self):
        """Behaves well until it is on screen."""
        while (message := self.receive()) is not None:
            self.take(message)
            if message.get("method") == "didBecomeActive":
                return self
        raise SystemExit(0)

    def take(self, message, callbacks={}):
        """Answers a callback as an honest app would, or calls what stands for it."""
        method = message.get("method")
        if method in callbacks:
            callbacks[method](message)
        elif method and "id" in message:
            self.answer(message)

    def serve(self, callbacks={}):
        """Answers until the connection ends."""
        while (message := self.receive()) is not None:
            self.take(message, callbacks)
