"""A client of the transfer service."""

import json
import socket
from collections.abc import Sequence
from typing import Any


class Peer:
    """A connection to the service, as docs/TRANSFERS.md describes it."""

    def __init__(self, path: str, hello: dict[str, Any]) -> None:
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.connect(path)
        self.buffer = b""
        self.number = 0
        self.requests: list[dict[str, Any]] = []
        self.ask("hello", dict(hello, protocol=1))

    def receive(self) -> dict[str, Any]:
        while b"\n" not in self.buffer:
            data = self.socket.recv(1 << 16)
            if not data:
                raise ConnectionError
            self.buffer += data
        line, self.buffer = self.buffer.split(b"\n", 1)
        return json.loads(line)

    def send(self, message: dict[str, Any], descriptors: Sequence[int] = ()) -> None:
        data = json.dumps(dict(message, jsonrpc="2.0")).encode() + b"\n"
        sent = socket.send_fds(self.socket, [data], descriptors) if descriptors else 0
        self.socket.sendall(data[sent:])

    def ask(self, method: str, params: dict[str, Any] | None = None, descriptors: Sequence[int] = ()) -> Any:
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

    def request(self) -> dict[str, Any]:
        """The next request of the service; notifications are dropped."""
        while True:
            message = self.requests.pop(0) if self.requests else self.receive()
            if "method" in message and "id" in message:
                return message
