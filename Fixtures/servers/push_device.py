"""A device of the push link (docs/PUSH.md, "The link") for tests: it connects, proves its key, registers topics,
acknowledges what comes and keeps it. It needs nothing but Python and openssl, so nothing in it is Greenroom's.
"""

import base64
import json
import os
import socket
import ssl
import subprocess
import threading
import time

PROTOCOL = "greenroom-push/1"


def integers(signature):
    """The two integers of a DER signature, 32 bytes each."""
    place, parts = 2, []
    for _ in range(2):
        length = signature[place + 1]
        parts.append(signature[place + 2 : place + 2 + length].lstrip(b"\0").rjust(32, b"\0"))
        place += 2 + length
    return b"".join(parts)


class Key:
    """A key of P-256, made and used by openssl."""

    def __init__(self, folder, name="device"):
        self.file = os.path.join(folder, name + ".key")
        make = ["openssl", "ecparam", "-name", "prime256v1", "-genkey", "-noout", "-out", self.file]
        subprocess.run(make, check=True, capture_output=True)
        show = ["openssl", "ec", "-in", self.file, "-pubout", "-outform", "DER"]
        self.point = subprocess.run(show, check=True, capture_output=True).stdout[-65:]

    def sign(self, message):
        sign = ["openssl", "dgst", "-sha256", "-sign", self.file]
        return integers(subprocess.run(sign, input=message, check=True, capture_output=True).stdout)


class Device:
    """One device. `connect` may be called again after `close`: messages that were kept come then."""

    def __init__(self, host, port, authority, folder):
        self.host, self.port = host, port
        self.context = ssl.create_default_context(cafile=authority)
        self.context.set_alpn_protocols([PROTOCOL])
        self.key = Key(folder)
        self.changed = threading.Condition()
        self.answers = []
        # In the order in which they came, and by their identifiers.
        self.pushes = []
        self.by_id = {}
        self.closed = True
        self.stream = None

    def connect(self):
        plain = socket.create_connection((self.host, self.port), timeout=10)
        self.stream = self.context.wrap_socket(plain, server_hostname=self.host)
        self.stream.settimeout(None)
        self.closed = False
        threading.Thread(target=self._read, args=[self.stream], daemon=True).start()
        self._send({"t": "hello", "v": 1, "key": base64.b64encode(self.key.point).decode()})
        nonce = base64.b64decode(self._answer("challenge")["nonce"])
        signature = self.key.sign(PROTOCOL.encode() + nonce + self.host.lower().encode())
        self._send({"t": "prove", "signature": base64.b64encode(signature).decode()})
        return self._answer("welcome")

    def register(self, topic):
        self._send({"t": "register", "topic": topic})
        return self._answer("token", topic)["token"]

    def unregister(self, topic):
        self._send({"t": "unregister", "topic": topic})
        self._answer("unregistered", topic)

    def push(self, identifier, seconds=10):
        """The push of this identifier, as soon as it is there."""
        self.wait(lambda: identifier in self.by_id, f"the push {identifier}", seconds)
        return self.by_id[identifier]

    def wait(self, condition, what, seconds=10):
        deadline = time.monotonic() + seconds
        with self.changed:
            while not condition():
                if not self.changed.wait(deadline - time.monotonic()):
                    raise TimeoutError(f"{what} did not come within {seconds} s")

    def close(self):
        stream, self.stream = self.stream, None
        if stream is None:
            return
        try:
            stream.shutdown(socket.SHUT_RDWR)
        except OSError:
            pass
        self.wait(lambda: self.closed, "the end of the connection")
        stream.close()

    def _send(self, record):
        stream = self.stream
        if stream is None:
            raise ConnectionError("the connection was closed")
        stream.sendall(json.dumps(record).encode() + b"\n")

    def _answer(self, kind, topic=None):
        def there():
            return [r for r in self.answers if r["t"] == kind and r.get("topic") == topic]

        self.wait(lambda: there() or self.closed, f"{kind} of {topic or 'the gateway'}")
        if not there():
            raise ConnectionError(f"the gateway closed the connection before {kind}: {self.answers[-1:]}")
        record = there()[0]
        self.answers.remove(record)
        return record

    def _read(self, stream):
        pending = b""
        try:
            while data := stream.recv(65_536):
                *lines, pending = (pending + data).split(b"\n")
                for line in lines:
                    self._take(json.loads(line))
        except OSError:
            pass
        with self.changed:
            self.closed = True
            self.changed.notify_all()

    def _take(self, record):
        with self.changed:
            if record["t"] == "push":
                # One that comes again after a connection was lost is the same push.
                if record["id"] not in self.by_id:
                    self.pushes.append(record)
                    self.by_id[record["id"]] = record
            else:
                self.answers.append(record)
            self.changed.notify_all()
        if record["t"] == "push":
            self._send({"t": "ack", "n": record["n"]})
