"""Plays the daemon for the Counter app: hello, callbacks, repetition, ping, reconnection, errors."""

import json
import os
import pathlib
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import unittest

BUNDLE = pathlib.Path(__file__).resolve().parent / "Counter.app"
PATIENCE = 20


class Daemon:
    """One app process, and the connection that it has at the moment."""

    def __init__(self, home):
        self.home = home
        self.path = os.path.join(home, "app.sock")
        ours, theirs = socket.socketpair()
        environment = dict(
            os.environ, HOME=home, GREENROOM_FD=str(theirs.fileno()), GREENROOM_SOCKET=self.path,
            GREENROOM_APP="org.greenroom.examples.counter")
        self.listener = None
        self.process = subprocess.Popen(
            [sys.executable, str(BUNDLE / "counter")], env=environment, cwd=home, pass_fds=[theirs.fileno()],
            stdout=subprocess.PIPE, text=True)
        theirs.close()
        self.use(ours)

    def use(self, connection):
        self.connection = connection
        self.connection.settimeout(PATIENCE)
        self.lines = connection.makefile("rb")

    def listen(self):
        self.listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.listener.settimeout(PATIENCE)
        self.listener.bind(self.path)
        self.listener.listen()

    def accept(self):
        connection, _ = self.listener.accept()
        self.lines.close()
        self.connection.close()
        self.use(connection)

    def crash(self):
        self.lines.close()
        self.connection.close()
        if self.listener:
            self.listener.close()
            self.listener = None
            os.unlink(self.path)

    def send(self, message):
        self.connection.sendall(json.dumps(message).encode() + b"\n")

    def receive(self):
        return json.loads(self.lines.readline())

    def welcome(self):
        hello = self.receive()
        result = {
            "protocol": 1, "app": "org.greenroom.examples.counter", "name": "Counter", "container": self.home,
            "profile": "linux", "options": {}}
        self.send({"jsonrpc": "2.0", "id": hello["id"], "result": result})
        return hello

    def ask(self, seq, method, **params):
        self.send({"jsonrpc": "2.0", "id": seq, "method": method, "params": dict(params, seq=seq)})

    def call(self, seq, method, **params):
        self.ask(seq, method, **params)
        return self.receive()

    def printed(self):
        """The next thing that the app says, without its time and apart from the ticks of its clock."""
        while True:
            words = self.process.stdout.readline().split(" ", 1)
            if len(words) < 2:
                return ""
            if not words[1].startswith("tick"):
                return words[1].strip()

    def end(self):
        self.process.kill()
        self.process.wait()
        self.process.stdout.close()
        self.crash()


def answer(seq, **result):
    return {"jsonrpc": "2.0", "id": seq, "result": result}


class CounterTests(unittest.TestCase):
    def setUp(self):
        self.home = tempfile.mkdtemp()
        self.addCleanup(shutil.rmtree, self.home)
        self.daemon = self.start()

    def start(self):
        daemon = Daemon(self.home)
        self.addCleanup(daemon.end)
        return daemon

    def launch(self):
        self.daemon.welcome()
        self.daemon.call(1, "willFinishLaunching", options={}, state="inactive")
        self.daemon.call(2, "didFinishLaunching", options={}, state="inactive")
        self.daemon.printed()
        self.daemon.printed()

    def count(self):
        return json.loads(pathlib.Path(self.home, "Documents", "count.json").read_text())["count"]

    def test_says_hello_first(self):
        hello = self.daemon.welcome()
        self.assertEqual(hello["jsonrpc"], "2.0")
        self.assertEqual(hello["method"], "hello")
        self.assertEqual(hello["params"], {"protocol": 1, "client": "counter/1.0", "executed": None})

    def test_refusal_of_hello_ends_it(self):
        hello = self.daemon.receive()
        error = {"code": -32600, "message": "version", "data": {"supported": [2]}}
        self.daemon.send({"jsonrpc": "2.0", "id": hello["id"], "error": error})
        self.assertEqual(self.daemon.process.wait(PATIENCE), 1)

    def test_answers_callbacks_that_came_in_one_write_in_their_order(self):
        self.launch()
        methods = ["didBecomeActive", "willResignActive", "didEnterBackground", "willEnterForeground"]
        lines = [
            json.dumps({"jsonrpc": "2.0", "id": seq, "method": method, "params": {"seq": seq}})
            for seq, method in enumerate(methods, 3)]
        self.daemon.connection.sendall(("\n\n".join(lines) + "\n").encode())
        for seq, method in enumerate(methods, 3):
            self.assertEqual(self.daemon.receive(), answer(seq))
            self.assertTrue(self.daemon.printed().startswith(method + " count"))

    def test_a_message_may_arrive_in_pieces(self):
        self.launch()
        line = json.dumps({"jsonrpc": "2.0", "id": 3, "method": "didBecomeActive", "params": {"seq": 3}}).encode()
        for byte in line + b"\n":
            self.daemon.connection.sendall(bytes([byte]))
        self.assertEqual(self.daemon.receive(), answer(3))

    def test_answers_a_ping_and_refuses_what_it_does_not_know(self):
        self.launch()
        self.daemon.send({"jsonrpc": "2.0", "id": "ping-7", "method": "ping"})
        self.assertEqual(self.daemon.receive(), answer("ping-7"))
        self.daemon.send({"jsonrpc": "2.0", "method": "news", "params": {}})
        self.daemon.send({"jsonrpc": "2.0", "id": "x", "method": "dance", "params": {}})
        self.assertEqual(self.daemon.receive()["error"]["code"], -32601)

    def test_hears_a_memory_warning_and_says_how_grave_it_is(self):
        self.launch()
        for seq, level in enumerate(["warning", "critical"], 3):
            self.assertEqual(self.daemon.call(seq, "didReceiveMemoryWarning", level=level), answer(seq))
            self.assertTrue(self.daemon.printed().startswith("didReceiveMemoryWarning level " + level))

    def test_acts_on_urls_of_its_own(self):
        self.launch()
        url = "counter://add?n=3"
        self.assertEqual(self.daemon.call(3, "openURL", url=url, sourceApplication=None), answer(3, handled=True))
        self.assertEqual(self.count(), 3)
        for seq, url in enumerate(["counter://add?n=many", "counter://other", "http://add?n=1", ""], 4):
            self.assertEqual(self.daemon.call(seq, "openURL", url=url), answer(seq, handled=False))
        self.assertEqual(self.count(), 3)

    def test_a_repetition_is_answered_again_and_not_executed_again(self):
        self.launch()
        for _ in range(3):
            self.assertEqual(self.daemon.call(3, "openURL", url="counter://add?n=5"), answer(3, handled=True))
        for seq in range(4, 18):
            self.daemon.call(seq, "openURL", url="counter://none")
        self.assertEqual(self.daemon.call(3, "openURL", url="counter://add?n=5"), answer(3, handled=True))
        self.assertEqual(self.count(), 5)

    def test_counts_only_while_it_is_active(self):
        self.launch()
        self.daemon.call(3, "didBecomeActive")
        self.daemon.process.stdout.readline()
        tick = self.daemon.process.stdout.readline().split(" ", 1)[1]
        self.assertTrue(tick.startswith("tick count "), tick)
        self.daemon.call(4, "willResignActive")
        resigned = self.daemon.printed()
        self.assertEqual(resigned, "willResignActive count " + str(self.count()))

    def test_comes_back_to_a_restarted_daemon_and_says_what_it_executed(self):
        self.launch()
        self.daemon.call(3, "openURL", url="counter://add?n=2")
        self.daemon.ask(4, "openURL", url="counter://add?n=3")
        self.daemon.printed()
        self.daemon.printed()
        # It has executed the fourth, and the daemon dies without having read the answer.
        self.daemon.crash()
        self.daemon.listen()
        self.daemon.accept()
        hello = self.daemon.welcome()
        self.assertEqual(hello["params"]["executed"], {"seq": 4, "result": {"handled": True}})
        self.assertEqual(self.daemon.call(4, "openURL", url="counter://add?n=3"), answer(4, handled=True))
        self.assertEqual(self.daemon.call(5, "openURL", url="counter://add?n=4"), answer(5, handled=True))
        self.assertEqual(self.count(), 9)

    def test_comes_back_again_and_again(self):
        self.launch()
        for seq in range(3, 8):
            self.daemon.crash()
            self.daemon.listen()
            self.daemon.accept()
            self.daemon.welcome()
            self.assertEqual(self.daemon.call(seq, "openURL", url="counter://add"), answer(seq, handled=True))
        self.assertEqual(self.count(), 5)

    def test_a_daemon_that_dies_before_its_welcome_is_greeted_again(self):
        self.daemon.receive()
        self.daemon.crash()
        self.daemon.listen()
        self.daemon.accept()
        self.assertIsNone(self.daemon.welcome()["params"]["executed"])
        self.assertEqual(self.daemon.call(1, "willFinishLaunching", options={}, state="inactive"), answer(1))

    def test_a_line_without_end_costs_the_connection_and_nothing_else(self):
        self.launch()
        self.daemon.listen()
        self.daemon.connection.settimeout(PATIENCE)
        try:
            for _ in range(64):
                self.daemon.connection.sendall(b"x" * 65536)
        except OSError:
            pass
        self.daemon.accept()
        self.daemon.welcome()
        self.assertEqual(self.daemon.call(3, "openURL", url="counter://add"), answer(3, handled=True))

    def test_remembers_its_count_after_being_killed(self):
        self.launch()
        self.daemon.call(3, "openURL", url="counter://add?n=7")
        self.daemon.process.send_signal(signal.SIGKILL)
        self.daemon.process.wait()
        self.daemon = self.start()
        self.daemon.welcome()
        self.daemon.call(1, "willFinishLaunching", options={}, state="inactive")
        self.assertEqual(self.daemon.printed(), "willFinishLaunching count 7")

    def test_without_greenroom_it_says_so(self):
        environment = {key: value for key, value in os.environ.items() if not key.startswith("GREENROOM_")}
        run = subprocess.run([sys.executable, str(BUNDLE / "counter")], env=environment, capture_output=True, text=True)
        self.assertEqual(run.returncode, 1)
        self.assertIn("greenroom open", run.stderr)


if __name__ == "__main__":
    unittest.main()
