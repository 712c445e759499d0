#!/usr/bin/env python3
"""The service `steps`: counts the steps of the user for apps, also while they are not on screen (docs/SERVICES.md).

One thread waits for the daemon, the apps and the sensor. What must not be forgotten is in state.json before an app
hears of it, so it may be killed at any moment. The sensor is a file with one growing integer; a device has a pedometer.
"""
import collections
import ctypes
import functools
import json
import os
import selectors
import socket
import sys
import time

LONGEST_LINE = 1 << 20
MOST_DESCRIPTORS = 8
MOST_CONNECTIONS = 8  # of an app; one that keeps all would take the descriptors of the others
PAUSE, PATIENCE = 0.05, 60.0  # between attempts to reach a daemon, and for all of them
IN_CLOSE_WRITE, IN_MOVED_TO = 0x08, 0x80
SENTENCE = "it counts the steps of its user"


class Connection:
    """Lines of JSON, and the descriptors that came with them in their order."""

    def __init__(self, stream, app=None, process=None):
        self.stream, self.app, self.process = stream, app, process
        self.buffer, self.descriptors = b"", collections.deque()
        self.waiting = False  # for the daemon, on behalf of this app: its next line is not read meanwhile

    def fill(self):
        """Whether it goes on: the peer is there, and its line is not too long."""
        try:
            data, descriptors, _, _ = socket.recv_fds(self.stream, 65536, MOST_DESCRIPTORS)
        except OSError:
            return False
        self.buffer += data
        self.descriptors.extend(descriptors)
        return bool(data) and len(self.buffer.partition(b"\n")[0]) < LONGEST_LINE

    def line(self):
        line, end, rest = self.buffer.partition(b"\n")
        if end:
            self.buffer = rest
        return line if end else None

    def send(self, message):
        try:
            self.stream.sendall(json.dumps(message).encode() + b"\n")
            return True
        except OSError:
            return False


class Steps:
    def __init__(self, environment):
        self.name, self.path = environment["GREENROOM_SERVICE"], environment["GREENROOM_SERVICE_SOCKET"]
        self.folder = environment["GREENROOM_SERVICE_FOLDER"]
        self.directory = os.open(self.folder, os.O_RDONLY | os.O_DIRECTORY)
        try:
            with open(os.path.join(self.folder, "state.json")) as file:
                self.apps = json.load(file)
        except FileNotFoundError:
            self.apps = {}  # app -> process, counting, base (of the sensor), steps, goal, reached, told
        self.visible, self.waking = set(), set()
        self.clients = set()
        self.daemon, self.greeted = None, False
        self.requests, self.number = {}, 0  # without an answer so far: id -> (method, params, handler)
        self.retry, self.deadline = 0.0, time.monotonic() + PATIENCE
        self.sensor = 0
        self.selector = selectors.DefaultSelector()
        self.watch()
        self.look()

    def run(self):
        while True:
            if self.daemon is None and time.monotonic() >= self.retry:
                self.reach()
            for key, _ in self.selector.select(PAUSE if self.daemon is None else None):
                key.data()

    def save(self):
        path = os.path.join(self.folder, "state.json")
        with open(path + ".new", "w") as file:
            json.dump(self.apps, file)
            file.flush()
            os.fsync(file.fileno())
        os.replace(path + ".new", path)
        os.fsync(self.directory)  # the new name, too, outlives a loss of power

    # The sensor

    def watch(self):
        libc = ctypes.CDLL(None, use_errno=True)
        notifier = libc.inotify_init1(os.O_CLOEXEC | os.O_NONBLOCK)
        # The folder, not the file: it may be made later, and be replaced.
        if notifier < 0 or libc.inotify_add_watch(notifier, os.fsencode(self.folder), IN_CLOSE_WRITE | IN_MOVED_TO) < 0:
            sys.exit("The sensor cannot be watched: " + os.strerror(ctypes.get_errno()))
        self.selector.register(notifier, selectors.EVENT_READ, functools.partial(self.moved, notifier))

    def moved(self, notifier):
        os.read(notifier, 65536)  # that something has changed is all that it has to say
        self.look()

    def look(self):
        try:
            with open(os.path.join(self.folder, "sensor")) as file:
                self.sensor = int(file.read())
        except (OSError, ValueError):
            pass  # not there yet, or being written: the end of that is an event of its own
        for app, record in self.apps.items():
            if record["counting"] and not record["reached"] and self.count(record) >= record["goal"]:
                record["reached"] = True
                self.save()
                for client in [client for client in self.clients if client.app == app]:
                    self.tell(client, {"goal": self.count(record)})
                self.wake(app)

    def count(self, record):
        return record["steps"] + (max(0, self.sensor - record["base"]) if record["counting"] else 0)

    def end(self, app, process):
        """The app counts no longer; its steps are kept."""
        self.look()
        record = self.apps.get(app)
        if record and record["counting"] and record["process"] == process:
            record.update(steps=self.count(record), counting=False)
            self.save()

    # The daemon

    def reach(self):
        if time.monotonic() > self.deadline:
            sys.exit("No daemon came back.")
        stream = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.retry = time.monotonic() + PAUSE
        try:
            stream.connect(self.path)
        except OSError:
            return stream.close()
        self.daemon = Connection(stream)
        self.selector.register(stream, selectors.EVENT_READ, self.heed)
        holds = [{"app": app, "process": record["process"], "hold": "counting", "because": SENTENCE}
                 for app, record in self.apps.items() if record["counting"]]
        self.ask("hello", {"protocol": 1, "service": self.name, "holds": holds}, self.welcomed)

    def welcomed(self, result, error):
        if error:
            sys.exit("The daemon refused this service: " + str(error.get("message")))
        self.greeted = True
        # What the daemon before this one did not answer is asked again.
        for number, (method, params, _) in self.requests.items():
            self.daemon.send({"jsonrpc": "2.0", "id": number, "method": method, "params": params})
        for app in result.get("apps", []):
            self.changed(app)

    def lost(self):
        self.selector.unregister(self.daemon.stream)
        self.daemon.stream.close()
        for descriptor in self.daemon.descriptors:
            os.close(descriptor)
        if self.greeted:
            self.retry, self.deadline = 0.0, time.monotonic() + PATIENCE
        self.daemon, self.greeted = None, False
        self.requests = {number: asked for number, asked in self.requests.items() if asked[0] != "hello"}

    def ask(self, method, params, handler):
        self.number += 1
        self.requests[self.number] = (method, params, handler)
        if self.greeted or method == "hello":
            self.daemon.send({"jsonrpc": "2.0", "id": self.number, "method": method, "params": params})

    def heed(self):
        if not self.daemon.fill():
            return self.lost()
        while (line := self.daemon.line()) is not None:
            try:
                message = json.loads(line)
            except ValueError:
                continue
            if not isinstance(message, dict):
                continue
            number, method = message.get("id"), message.get("method")
            if method is None:
                _, _, handler = self.requests.pop(number, (None, None, None))
                if handler:
                    handler(message.get("result"), message.get("error"))
                continue
            try:
                answer = self.told(method, number is not None, message.get("params") or {})
            except (KeyError, TypeError, IndexError):
                answer = {"error": {"code": -32602, "message": "a parameter, or the descriptor, is missing"}}
            if number is not None:
                self.daemon.send({"jsonrpc": "2.0", "id": number, **answer})

    def told(self, method, request, params):
        if request and method == "attach":
            descriptor = self.daemon.descriptors.popleft()
            if sum(client.app == params["app"] for client in self.clients) >= MOST_CONNECTIONS:
                os.close(descriptor)
                return {"error": {"code": -32005, "message": f"an app has at most {MOST_CONNECTIONS} connections"}}
            self.attach(descriptor, params["app"], params["process"])
        elif request and method == "stop":
            self.end(params["app"], params["process"])
        elif request:
            return {"error": {"code": -32601, "message": "no method " + str(method)}}
        elif method == "app":
            self.changed(params)
        elif method == "ended":
            self.end(params["app"], params["process"])
        elif method == "closedByUser":
            self.end(params["app"], self.apps.get(params["app"], {}).get("process"))
        elif method == "forget" and self.apps.pop(params["app"], None):
            self.save()
            for client in [client for client in self.clients if client.app == params["app"]]:
                self.close(client)
        return {"result": {}}

    def attach(self, descriptor, app, process):
        stream = socket.socket(fileno=descriptor)
        stream.setblocking(False)  # an app that does not read its answers is not waited for
        record = self.apps.setdefault(app, {"process": process, "counting": False, "base": 0, "steps": 0, "goal": None,
                                            "reached": False, "told": False})
        if record["process"] != process:
            self.end(app, record["process"])
            record["process"] = process
        self.save()
        client = Connection(stream, app, process)
        self.clients.add(client)
        self.selector.register(stream, selectors.EVENT_READ, functools.partial(self.serve, client))

    def changed(self, params):
        app, record = params["app"], self.apps.get(params["app"])
        (self.visible.add if params.get("visible") else self.visible.discard)(app)
        if record and (params["state"] == "not-running" or params.get("process") != record["process"]):
            self.end(app, record["process"])
        if record and record["reached"] and not record["told"]:
            self.wake(app)

    def wake(self, app):
        record = self.apps[app]
        goal, steps = record["goal"], self.count(record)
        if (app, goal) in self.waking:
            return
        self.waking.add((app, goal))

        def answered(result, error):
            self.waking.discard((app, goal))
            # An app on screen need not be woken. Any other refusal holds until the app's state changes.
            if self.apps.get(app) is record and record["goal"] == goal and (error is None or app in self.visible):
                record["told"] = True
                self.save()

        self.ask("wake", {"app": app, "window": "goal", "because": f"{steps} steps were reached",
                          "payload": json.dumps({"steps": steps})}, answered)

    # The apps

    def serve(self, client):
        if client in self.clients:
            self.go_on(client) if client.fill() else self.close(client)

    def go_on(self, client):
        while client in self.clients and not client.waiting and (line := client.line()) is not None:
            if not line.strip():
                continue
            try:
                request = json.loads(line)
            except (ValueError, RecursionError):
                request = None
            self.look()  # a step just taken counts, whichever of the two is heard of first
            match request:
                case {"start": {"goal": int(goal)}} if goal is not True and 0 < goal < 1 << 53:
                    self.ask_for(client, "hold", functools.partial(self.start, client, goal))
                case {"stop": True}:
                    self.ask_for(client, "drop", functools.partial(self.stop, client))
                case {"steps": True}:
                    self.tell(client, {"steps": self.count(self.apps[client.app])})
                case _:
                    self.close(client)

    def ask_for(self, client, method, then):
        """An app has one request with the daemon at a time, so what it sends does not pile up there."""
        client.waiting = True
        self.selector.unregister(client.stream)

        def answered(result, error):
            client.waiting = False
            if client.app in self.apps:
                then(error)
            if client in self.clients:
                self.selector.register(client.stream, selectors.EVENT_READ, functools.partial(self.serve, client))
                self.go_on(client)

        self.ask(method, {"app": client.app, "process": client.process, "hold": "counting"}, answered)

    def start(self, client, goal, error):
        record = self.apps[client.app]
        if error:
            return self.tell(client, {"error": str(error.get("message"))})
        if not record["counting"]:
            record.update(counting=True, base=self.sensor)
        if record["goal"] != goal:
            record.update(goal=goal, reached=False, told=False)
        self.save()
        self.tell(client, {"counting": True, "steps": self.count(record)})
        self.look()  # the goal may lie behind it

    def stop(self, client, error):
        # Whatever the daemon says: what is not stated at the next hello is dropped anyhow.
        self.end(client.app, client.process)
        self.tell(client, {"counting": False, "steps": self.count(self.apps[client.app])})

    def tell(self, client, message):
        if client in self.clients and not client.send(message):
            self.close(client)

    def close(self, client):
        self.clients.discard(client)
        if not client.waiting:
            self.selector.unregister(client.stream)
        client.stream.close()


if __name__ == "__main__":
    Steps(os.environ).run()
