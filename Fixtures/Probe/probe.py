#!/usr/bin/env python3
"""A service that stands for those that play, locate or call (docs/SERVICES.md): it holds an app as long as that says so.

An app says {"use": HOLD} or {"leave": HOLD} and hears {"ok": HOLD} or {"refused": SENTENCE}. A test says `wake APP`,
`stall` or `go on` on the socket `control` and hears one line. What it holds is in state.json before anybody is answered,
so that it may be killed at any moment.
"""
import json
import os
import selectors
import socket
import time


class Stream:
    def __init__(self, stream, app=None, process=None):
        self.stream, self.app, self.process, self.buffer, self.descriptors = stream, app, process, b"", []

    def lines(self):
        """Those that have come; `None` at the end."""
        try:
            data, descriptors, _, _ = socket.recv_fds(self.stream, 65536, 8)
        except OSError:
            return None
        self.descriptors += descriptors
        if not data:
            return None
        *lines, self.buffer = (self.buffer + data).split(b"\n")
        return [line for line in lines if line]

    def send(self, message):
        try:
            self.stream.sendall(json.dumps(message).encode() + b"\n")
        except OSError:
            pass  # its end is an event of its own


class Probe:
    def __init__(self):
        self.folder = os.environ["GREENROOM_SERVICE_FOLDER"]
        self.state = os.path.join(self.folder, "state.json")
        try:
            with open(self.state) as file:
                self.held = [tuple(hold) for hold in json.load(file)]  # app, process, hold
        except FileNotFoundError:
            self.held = []
        self.selector, self.requests, self.number, self.isStalled = selectors.DefaultSelector(), {}, 0, False
        control = os.path.join(self.folder, "control")
        if os.path.exists(control):
            os.unlink(control)
        self.listener = socket.socket(socket.AF_UNIX)
        self.listener.bind(control)
        self.listener.listen()
        self.selector.register(self.listener, selectors.EVENT_READ, self.accept)
        self.reach()

    def save(self):
        with open(self.state + ".new", "w") as file:
            json.dump(self.held, file)
        os.replace(self.state + ".new", self.state)

    def run(self):
        while True:
            for key, _ in self.selector.select():
                key.data()

    def watch(self, stream, heard, ended):
        def ready():
            lines = stream.lines()
            if lines is None:
                self.selector.unregister(stream.stream)
                stream.stream.close()
                return ended()
            for line in lines:
                heard(stream, json.loads(line) if line[:1] == b"{" else line.decode())
        self.selector.register(stream.stream, selectors.EVENT_READ, ready)

    # The daemon

    def reach(self):
        for _ in range(1200):
            stream = socket.socket(socket.AF_UNIX)
            try:
                stream.connect(os.environ["GREENROOM_SERVICE_SOCKET"])
                break
            except OSError:
                stream.close()
                time.sleep(0.05)  # nobody says when the next daemon listens
        else:
            raise SystemExit("no daemon came back")
        self.daemon, self.requests = Stream(stream), {}
        self.watch(self.daemon, self.told, self.reach)
        holds = [{"app": app, "process": process, "hold": hold} for app, process, hold in self.held]
        self.ask("hello", {"protocol": 1, "service": os.environ["GREENROOM_SERVICE"], "holds": holds}, lambda *_: None)

    def ask(self, method, params, answered):
        self.number += 1
        self.requests[self.number] = answered
        self.daemon.send({"jsonrpc": "2.0", "id": self.number, "method": method, "params": params})

    def told(self, daemon, message):
        method, params = message.get("method"), message.get("params", {})
        if method is None:
            answered = self.requests.pop(message["id"], None)
            if answered:
                answered(message.get("result"), message.get("error"))
        elif method == "attach":
            client = Stream(socket.socket(fileno=daemon.descriptors.pop(0)), params["app"], params["process"])
            self.watch(client, self.asked, lambda: None)
            self.answer(message)
        elif method == "stop":
            self.forget(params["app"], params["process"], params["hold"])
            if not self.isStalled:
                self.answer(message)
        elif method == "ended":
            self.forget(params["app"], params["process"], params["hold"])
        elif method == "app" and params["state"] == "not-running":
            self.held = [hold for hold in self.held if hold[0] != params["app"]]
            self.save()

    def answer(self, message):
        self.daemon.send({"jsonrpc": "2.0", "id": message["id"], "result": {}})

    def forget(self, *hold):
        if hold in self.held:
            self.held.remove(hold)
            self.save()

    # Apps and tests

    def asked(self, client, message):
        verb, kind = next(iter(message.items()))
        hold = (client.app, client.process, kind)

        def done(result, error):
            if error:
                return client.send({"refused": error["message"]})
            if verb == "use" and hold not in self.held:
                self.held.append(hold)
                self.save()
            client.send({"ok": kind})

        if verb == "leave":
            self.forget(*hold)
        params = {"app": client.app, "process": client.process, "hold": kind}
        self.ask("hold" if verb == "use" else "drop", params, done)

    def accept(self):
        self.watch(Stream(self.listener.accept()[0]), self.ordered, lambda: None)

    def ordered(self, tool, line):
        words = line.split()
        if words[0] == "wake":
            params = {"app": words[1], "window": "news", "payload": "extra"}
            self.ask("wake", params, lambda result, error: tool.send(error["message"] if error else "ok"))
        else:
            self.isStalled = words[0] == "stall"
            tool.send("ok")


if __name__ == "__main__":
    Probe().run()
