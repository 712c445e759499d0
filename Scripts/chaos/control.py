"""The control socket (docs/PROTOCOL.md, section 3), spoken by one Python process: no tool is started for an answer."""

import json
import os
import socket
import time
from typing import Any


class Refused(Exception):
    """The system answered, and said no."""

    def __init__(self, error):
        super().__init__(error.get("message", "no reason given"))
        self.code = error.get("code")


class Gone(Exception):
    """The connection ended before the answer came: the daemon died, or closed it."""


class Late(Exception):
    """No answer within the bound: a finding."""


OVERTAKEN = -32006


class Control:
    """One connection. It is made again when it broke; a request that was under way then raises `Gone`."""

    def __init__(self, home):
        self.path = os.path.join(home, "control")
        # None while there is no connection.
        self.socket: Any = None
        self.number = 0

    def close(self):
        if self.socket:
            self.socket.close()
        self.socket = None

    def _connect(self, end):
        while True:
            attempt = socket.socket(socket.AF_UNIX)
            attempt.settimeout(max(0.05, end - time.monotonic()))
            try:
                attempt.connect(self.path)
                self.socket, self.buffer = attempt, b""
                return
            except OSError as error:
                attempt.close()
                if time.monotonic() > end:
                    raise Late(f"nobody listens at the control socket: {error}") from error
                time.sleep(0.02)

    def ask(self, method, within=20.0, **params):
        """The result; raises one of the above."""
        end = time.monotonic() + within
        if self.socket is None:
            self._connect(end)
        self.number += 1
        line = json.dumps({"jsonrpc": "2.0", "id": self.number, "method": method, "params": params}).encode() + b"\n"
        try:
            self.socket.settimeout(max(0.05, end - time.monotonic()))
            self.socket.sendall(line)
            while True:
                message = self._receive(end)
                if message.get("id") == self.number:
                    break
        except TimeoutError:
            self.close()
            raise Late(f"{method} was not answered within {within:g} s") from None
        except OSError as error:
            self.close()
            raise Gone(str(error)) from None
        if "error" in message:
            raise Refused(message["error"])
        return message["result"]

    def _receive(self, end):
        while b"\n" not in self.buffer:
            left = end - time.monotonic()
            if left <= 0:
                raise TimeoutError
            self.socket.settimeout(left)
            data = self.socket.recv(1 << 16)
            if not data:
                raise OSError("the daemon closed the connection")
            self.buffer += data
        line, self.buffer = self.buffer.split(b"\n", 1)
        return json.loads(line)

    def insist(self, method, within=30.0, **params):
        """Asks again when the daemon died meanwhile. For what may be asked twice."""
        end = time.monotonic() + within
        while True:
            try:
                return self.ask(method, within=max(0.1, end - time.monotonic()), **params)
            except Gone:
                if time.monotonic() > end:
                    raise Late(f"{method}: the daemon died again and again for {within:g} s") from None
                time.sleep(0.02)
                # The daemon before may have done it, and died before it could say so.
                params["retry"] = True
