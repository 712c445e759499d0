#!/usr/bin/env python3
"""The gateway's end of the push link (docs/PUSH.md), as a test says: it speaks TLS, checks who asks, and then does what
it is told, right or wrong.

    push_link.py CERTIFICATE KEY [--silent]

Prints the port that it listens on, then a line of JSON for each thing that happens:

    {"connected": 1}            TLS is up; connections are numbered from 1
    {"said": {...}, "on": 1}    a record of the agent
    {"proof": true, "on": 1}    whether the signature is that of the key
    {"closed": 1}

By itself it answers hello, prove, register, unregister and ping as a gateway does; with --silent it answers nothing.
Commands, a line of JSON each, on standard input ("on" is the last connection where it is left out):

    {"send": {...}, "on": 1}    a record
    {"raw": "text"}             bytes as they are, with a newline
    {"flood": 1000, "send": {}} the record so many times, or until the agent does not read for 5 s
    {"close": true}             ends the connection; {"reset": true} without TLS's word of it
    {"mute": true}              pings are not answered any more; false: they are
    {"deaf": true}              nothing more is read
    {"refuse": true}            connections are closed as they come; false: they are served
    {"after": 0.5}              what follows waits so long

It ends with its standard input.
"""

import base64
import hashlib
import json
import os
import socket
import ssl
import struct
import subprocess
import sys
import tempfile
import threading
import time

PROTOCOL = "greenroom-push/1"
# What stands before an uncompressed point of P-256 in a SubjectPublicKeyInfo.
SPKI = bytes.fromhex("3059301306072a8648ce3d020106082a8648ce3d030107034200")

output = threading.Lock()


def say(thing):
    with output:
        sys.stdout.write(json.dumps(thing) + "\n")
        sys.stdout.flush()


def integer(raw):
    raw = raw.lstrip(b"\0") or b"\0"
    raw = b"\0" + raw if raw[0] & 0x80 else raw
    return b"\x02" + bytes([len(raw)]) + raw


def is_signed(key, signature, message):
    """By openssl, so that nothing here is what the agent uses."""
    parts = integer(signature[:32]) + integer(signature[32:])
    with tempfile.TemporaryDirectory() as folder:
        pem = base64.b64encode(SPKI + key).decode()
        with open(folder + "/key", "w") as file:
            file.write(f"-----BEGIN PUBLIC KEY-----\n{pem}\n-----END PUBLIC KEY-----\n")
        with open(folder + "/signature", "wb") as file:
            file.write(b"\x30" + bytes([len(parts)]) + parts)
        check = ["openssl", "dgst", "-sha256", "-verify", folder + "/key", "-signature", folder + "/signature"]
        return subprocess.run(check, input=message, capture_output=True).returncode == 0


class Connection(threading.Thread):
    def __init__(self, gateway, number, stream, host):
        super().__init__(daemon=True)
        self.gateway, self.number, self.stream, self.host = gateway, number, stream, host
        self.lock = threading.Lock()
        self.key = self.nonce = b""

    def send(self, record):
        self.write(json.dumps(record).encode() + b"\n")

    def write(self, data):
        try:
            with self.lock:
                self.stream.sendall(data)
        except OSError:
            pass

    def run(self):
        pending = b""
        try:
            while True:
                while self.gateway.deaf:
                    time.sleep(0.05)
                data = self.stream.recv(16384)
                if not data:
                    break
                *lines, pending = (pending + data).split(b"\n")
                for line in lines:
                    self.hear(json.loads(line))
        except (OSError, ValueError):
            pass
        say({"closed": self.number})

    def hear(self, record):
        say({"said": record, "on": self.number})
        if not self.gateway.silent:
            self.answer(record)
        # Behind the welcome, so that what a test sends then comes after it.
        if record.get("t") == "prove":
            message = PROTOCOL.encode() + self.nonce + self.host.encode()
            say({"proof": is_signed(self.key, base64.b64decode(record["signature"]), message), "on": self.number})

    def answer(self, record):
        kind = record.get("t")
        if kind == "hello":
            self.key, self.nonce = base64.b64decode(record["key"]), os.urandom(32)
            self.send({"t": "challenge", "nonce": base64.b64encode(self.nonce).decode()})
        elif kind == "prove":
            device = hashlib.sha256(self.key).hexdigest()[:24]
            self.send({"t": "welcome", "device": device, "keepAlive": 1800, "server": "push-link"})
        elif kind == "register":
            token = hashlib.sha256(self.key + record["topic"].encode()).hexdigest()
            self.send({"t": "token", "topic": record["topic"], "token": token})
        elif kind == "unregister":
            self.send({"t": "unregistered", "topic": record["topic"]})
        elif kind == "ping" and not self.gateway.mute:
            self.send({"t": "pong"})


class Gateway:
    def __init__(self, certificate, key, silent):
        self.silent, self.mute, self.deaf, self.refuse = silent, False, False, False
        self.context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        self.context.load_cert_chain(certificate, key)
        self.context.set_alpn_protocols([PROTOCOL])
        self.connections = {}
        self.listener = socket.create_server(("127.0.0.1", 0))

    def serve(self):
        while True:
            plain, _ = self.listener.accept()
            if self.refuse:
                plain.close()
                continue
            names = []
            self.context.sni_callback = lambda _, name, __: names.append(name)
            try:
                stream = self.context.wrap_socket(plain, server_side=True)
            except OSError as error:
                say({"failed": str(error)})
                continue
            number = len(self.connections) + 1
            # An address has no name for TLS.
            host = names[0] if names and names[0] else "127.0.0.1"
            self.connections[number] = Connection(self, number, stream, host)
            say({"connected": number})
            self.connections[number].start()

    def obey(self, command):
        time.sleep(command.get("after", 0))
        for switch in ("mute", "deaf", "refuse", "silent"):
            if switch in command:
                setattr(self, switch, command[switch])
        connection = self.connections.get(command.get("on", len(self.connections)))
        if connection is None:
            return
        if "flood" in command:
            connection.stream.settimeout(5)
            sent = 0
            try:
                for sent in range(command["flood"]):
                    record = dict(command["send"])
                    if "n" in record:
                        record["n"] += sent
                    if "id" in record:
                        record["id"] = f"{record['id'][:24]}{sent:012X}"
                    connection.stream.sendall(json.dumps(record).encode() + b"\n")
                sent += 1
            except OSError:
                pass
            say({"flooded": sent})
        elif "send" in command:
            connection.send(command["send"])
        if "raw" in command:
            connection.write(command["raw"].encode("latin-1") + b"\n")
        if command.get("reset"):
            linger = struct.pack("ii", 1, 0)
            connection.stream.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, linger)
            os.close(connection.stream.detach())
        elif command.get("close"):
            try:
                connection.stream.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass
            connection.stream.close()


def main():
    arguments = [argument for argument in sys.argv[1:] if argument != "--silent"]
    gateway = Gateway(arguments[0], arguments[1], "--silent" in sys.argv)
    say(gateway.listener.getsockname()[1])
    threading.Thread(target=gateway.serve, daemon=True).start()
    for line in sys.stdin:
        gateway.obey(json.loads(line))


if __name__ == "__main__":
    main()
