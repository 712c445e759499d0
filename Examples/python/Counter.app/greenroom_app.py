"""An app's side of the Greenroom protocol, version 1 (docs/PROTOCOL.md), with nothing but the standard library.

Everything happens on the main thread: App.run() waits for the daemon and for the timers of the app, calls the
delegate's methods one after another, and answers pings. A delegate has methods named like the callbacks
(didFinishLaunching, didBecomeActive, ...) and the notifications (systemChanged, ...), each taking the parameters; those
that it lacks are skipped.
"""

import collections
import json
import os
import queue
import select
import socket
import sys
import threading
import time

CALLBACKS = {
    "willFinishLaunching", "didFinishLaunching", "didBecomeActive", "willResignActive", "didEnterBackground",
    "willEnterForeground", "willTerminate", "openURL", "didReceiveMemoryWarning", "handleServiceEvents",
}
NOTIFICATIONS = {"tasksExpire", "systemChanged", "takeSnapshot"}
WITH_DESCRIPTOR = {"connect"}  # requests whose answers bring one
LONGEST_LINE = 1 << 20
MOST_DESCRIPTORS = 8
KEPT_RESULTS = 16
LONGEST_PAUSE = 1.0


class App:
    def __init__(self, delegate, client, environment=os.environ):
        if "GREENROOM_FD" not in environment or "GREENROOM_SOCKET" not in environment:
            sys.exit("This app is started by Greenroom: greenroom install it, then greenroom open it.")
        self.delegate = delegate
        self.client = client
        self.path = environment["GREENROOM_SOCKET"]
        self.home = environment["HOME"]
        self.info = {}  # the answer to hello: app, name, container, profile, options
        self.connection = None
        self.buffer = b""
        self.inbox = collections.deque()  # messages that were received and not dealt with so far
        self.descriptors = collections.deque()
        self.handed_over = collections.deque()  # functions that other threads want to be called on the main thread
        self.bell, self.ringer = socket.socketpair()
        self.highest = 0  # the highest sequence number that was received
        self.executed = None  # the last callback whose delegate method returned
        self.results = collections.OrderedDict()
        self.requests = {}  # those that wait for an answer: id -> (method, params, handler)
        self.next_id = 0
        self.timers = []  # [due, interval, function]
        self.retry_at = 0.0
        self.pause = 0.0
        first = socket.socket(fileno=int(environment["GREENROOM_FD"]))
        first.set_inheritable(False)
        self._connected(first)

    def every(self, interval, function):
        """Calls function on the main thread every interval seconds; a suspended app misses calls, it never catches up."""
        self.timers.append([time.monotonic() + interval, interval, function])

    def request(self, method, params=None, handler=lambda result, error: None):
        """Asks the daemon for something; handler(result, error) gets the answer, its descriptor as result["socket"]."""
        self.next_id += 1
        self.requests[self.next_id] = (method, params or {}, handler)
        self._send_request(self.next_id)

    def connect(self, service):
        """A socket to the service (docs/SERVICES.md), or ConnectionRefusedError. Any thread may call it."""
        answers = queue.SimpleQueue()

        def ask():
            self.request("connect", {"service": service}, lambda result, error: answers.put((result, error)))

        if threading.current_thread() is threading.main_thread():
            ask()
            while answers.empty():
                self._wait(None)
                self._handle_meanwhile()
        else:
            self.handed_over.append(ask)
            self.ringer.send(b"!")
        result, error = answers.get()
        connection = (result or {}).get("socket")
        if connection is None:
            raise ConnectionRefusedError((error or {}).get("message", "no connection came"))
        return connection

    def run(self):
        """Serves until the process ends."""
        while True:
            self.turn()

    def turn(self):
        """Waits for one thing to happen and deals with it."""
        if not self.inbox:
            self._wait(min((timer[0] for timer in self.timers), default=None))
        while self.inbox:
            self._handle(self.inbox.popleft())
        now = time.monotonic()
        for timer in self.timers:
            if timer[0] <= now:
                timer[0] = now + timer[1]
                timer[2]()

    # The connection

    def _wait(self, until):
        """Waits for something to be received, or until then; nothing is dealt with."""
        if self.connection is None and time.monotonic() >= self.retry_at:
            self._reconnect()
        wakes = ([] if until is None else [until]) + ([self.retry_at] if self.connection is None else [])
        timeout = max(0.0, min(wakes) - time.monotonic()) if wakes else None
        readable, _, _ = select.select(([self.connection] if self.connection else []) + [self.bell], [], [], timeout)
        if self.bell in readable:
            self.bell.recv(4096)
            while self.handed_over:
                self.handed_over.popleft()()
        if self.connection in readable:
            self._receive()

    def _connected(self, connection):
        self.connection = connection
        waiting, self.requests = self.requests, {}
        hello = {"protocol": 1, "client": self.client, "executed": self.executed}
        self.request("hello", hello, self._welcomed)
        # What the daemon did not answer before the connection ended is ours to ask again.
        for identifier, (method, params, handler) in waiting.items():
            if method != "hello":
                self.requests[identifier] = (method, params, handler)
                self._send_request(identifier)

    def _welcomed(self, result, error):
        if error:
            sys.exit("Greenroom refused this app: " + error.get("message", "no reason given"))
        self.info = result
        self.pause = 0.0

    def _disconnected(self):
        if self.connection is not None:
            self.connection.close()
        self.connection = None
        self.buffer = b""
        self.inbox.clear()
        self._close_descriptors()
        self.retry_at = time.monotonic() + self.pause
        self.pause = min(LONGEST_PAUSE, max(0.02, self.pause * 2))

    def _reconnect(self):
        connection = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        try:
            connection.connect(self.path)
        except OSError:
            connection.close()
            self._disconnected()
        else:
            self._connected(connection)

    def _receive(self):
        try:
            data, descriptors, _, _ = socket.recv_fds(self.connection, 65536, MOST_DESCRIPTORS)
        except OSError:
            data, descriptors = b"", []
        for descriptor in descriptors:
            os.set_inheritable(descriptor, False)
        self.descriptors.extend(descriptors)
        if not data:
            self._disconnected()
            return
        self.buffer += data
        while b"\n" in self.buffer:
            line, self.buffer = self.buffer.split(b"\n", 1)
            if line.strip():
                self._received(line)
        if not self.buffer:
            self._close_descriptors()  # those that no message is left to claim
        if len(self.buffer) >= LONGEST_LINE:
            self._disconnected()

    def _close_descriptors(self):
        while self.descriptors:
            os.close(self.descriptors.popleft())

    def _send(self, message):
        if self.connection is None:
            return
        message["jsonrpc"] = "2.0"
        try:
            self.connection.sendall(json.dumps(message).encode() + b"\n")
        except OSError:
            self._disconnected()

    def _send_request(self, identifier):
        method, params, _ = self.requests[identifier]
        self._send({"id": identifier, "method": method, "params": params})

    # Messages

    def _received(self, line):
        try:
            message = json.loads(line)
        except ValueError:
            message = None
        if not isinstance(message, dict):
            return
        # Descriptors come in the order of the answers that bring them; each goes to its own at once.
        result = message.get("result")
        if self._answers(message, WITH_DESCRIPTOR) and isinstance(result, dict) and self.descriptors:
            result["socket"] = socket.socket(fileno=self.descriptors.popleft())
        self.inbox.append(message)

    def _answers(self, message, methods):
        """Whether the message is an answer to a request of one of these methods."""
        return "method" not in message and self.requests.get(message.get("id"), (None,))[0] in methods

    def _handle_meanwhile(self):
        """What cannot wait for a delegate method that waits itself. The rest is dealt with when that has returned."""
        connection, kept = self.connection, collections.deque()
        while self.inbox:
            message = self.inbox.popleft()
            seq = (message.get("params") or {}).get("seq") if message.get("method") in CALLBACKS else None
            repeated = isinstance(seq, int) and seq <= self.highest
            if message.get("method") == "ping" or repeated or self._answers(message, {"hello", "connect"}):
                self._handle(message)
            else:
                kept.append(message)
        if self.connection is connection:
            self.inbox = kept

    def _handle(self, message):
        method, identifier = message.get("method"), message.get("id")
        if method is None:
            _, _, handler = self.requests.pop(identifier, (None, None, None))
            if handler:
                handler(message.get("result"), message.get("error"))
        elif method == "ping":
            self._send({"id": identifier, "result": {}})
        elif method in CALLBACKS:
            self._callback(method, identifier, message.get("params") or {})
        elif method in NOTIFICATIONS and identifier is None:
            function = getattr(self.delegate, method, None)
            if function:
                function(message.get("params") or {})
        elif identifier is not None:
            self._send({"id": identifier, "error": {"code": -32601, "message": "no method " + str(method)}})

    def _callback(self, method, identifier, params):
        seq = params.get("seq", identifier)
        if not isinstance(seq, int):
            self._send({"id": identifier, "error": {"code": -32602, "message": "seq", "data": {"parameter": "seq"}}})
            return
        # Exactly once: a repetition is answered with the result that it had, and the delegate is not called.
        if seq > self.highest:
            self.highest = seq
            function = getattr(self.delegate, method, None)
            returned = function(params) if function else None
            result = {"handled": bool(returned)} if method == "openURL" else {}
            self.results[seq] = result
            self.executed = {"seq": seq, "result": result}
            while len(self.results) > KEPT_RESULTS:
                self.results.popitem(last=False)
        if seq in self.results:
            self._send({"id": seq, "result": self.results[seq]})
