"""Plays the daemon for the service `steps`, and for an app in Python that connects to a service."""

import json
import os
import pathlib
import shutil
import socket
import subprocess
import sys
import tempfile
import unittest

PROGRAM = pathlib.Path(__file__).resolve().parent / "steps.py"
PATIENCE = 20
APP, PROCESS = "org.example.walk", 41
HOLD = {"app": APP, "process": PROCESS, "hold": "counting"}


class Peer:
    """Lines of JSON over a stream."""

    def __init__(self, stream):
        self.stream = stream
        self.stream.settimeout(PATIENCE)
        self.lines = stream.makefile("rb")

    def send(self, message):
        self.stream.sendall(json.dumps(message).encode() + b"\n")

    def receive(self):
        line = self.lines.readline()
        return json.loads(line) if line else None

    def ask(self, message):
        self.send(message)
        return self.receive()

    def has_something(self):
        self.stream.settimeout(0)
        try:
            return bool(self.lines.peek(1))
        except BlockingIOError:
            return False
        finally:
            self.stream.settimeout(PATIENCE)

    def close(self):
        self.lines.close()
        self.stream.close()


class StepsTests(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp()
        self.addCleanup(shutil.rmtree, self.folder)
        self.path = os.path.join(self.folder, "services.sock")
        self.process = self.daemon = None
        self.number = 0
        self.peers = []
        self.addCleanup(self.tear_down)
        self.walk(100)
        self.listen()
        self.start()

    def tear_down(self):
        self.kill()
        self.listener.close()
        for peer in self.peers:
            peer.close()

    # The daemon

    def listen(self):
        self.listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.listener.settimeout(PATIENCE)
        self.listener.bind(self.path)
        self.listener.listen()

    def start(self):
        environment = dict(os.environ, GREENROOM_SERVICE="steps", GREENROOM_SERVICE_SOCKET=self.path,
                           GREENROOM_SERVICE_FOLDER=self.folder)
        self.process = subprocess.Popen([sys.executable, str(PROGRAM)], env=environment, cwd=self.folder)

    def kill(self):
        self.process.kill()
        self.process.wait()

    def peer(self, stream):
        self.peers.append(Peer(stream))
        return self.peers[-1]

    def hello(self):
        self.daemon = self.peer(self.listener.accept()[0])
        message = self.expect("hello")
        self.assertEqual((message["params"]["protocol"], message["params"]["service"]), (1, "steps"))
        self.asked = message
        return [{key: hold[key] for key in HOLD} for hold in message["params"]["holds"]]

    def welcome(self, *apps):
        holds = self.hello()
        self.answer(self.asked, {"apps": list(apps)})
        return holds

    def crash(self):
        self.daemon.close()
        self.listener.close()
        os.unlink(self.path)

    def expect(self, method):
        message = self.daemon.receive()
        self.assertEqual(message.get("method"), method, message)
        return message

    def answer(self, request, result=None):
        self.daemon.send({"jsonrpc": "2.0", "id": request["id"], "result": result or {}})

    def refuse(self, request, code, message):
        self.daemon.send({"jsonrpc": "2.0", "id": request["id"], "error": {"code": code, "message": message}})

    def grant(self, method):
        request = self.expect(method)
        self.assertEqual(request["params"], HOLD)
        self.answer(request)

    def call(self, method, **params):
        """A request to the service; nothing else comes from it before the answer."""
        self.number += 1
        message = {"jsonrpc": "2.0", "id": self.number, "method": method, "params": params}
        reply = self.daemon.ask(message)
        self.assertEqual(reply.get("id"), self.number, reply)
        self.assertNotIn("method", reply)
        return reply

    def quiet(self, *apps):
        """The service has dealt with everything so far, and has said nothing."""
        self.assertEqual(self.call("dance")["error"]["code"], -32601)
        for app in apps:
            self.assertFalse(app.has_something())

    def notify(self, method, **params):
        self.daemon.send({"jsonrpc": "2.0", "method": method, "params": params})

    def changed(self, state, visible=False, process=PROCESS):
        self.notify("app", app=APP, process=process, state=state, visible=visible)

    def offer(self, app=APP, process=PROCESS):
        ours, theirs = socket.socketpair()
        self.number += 1
        params = {"app": app, "process": process, "container": "/", "user": os.getuid()}
        line = json.dumps({"jsonrpc": "2.0", "id": self.number, "method": "attach", "params": params}).encode() + b"\n"
        # The descriptor rides with the first byte, and the rest may come later.
        socket.send_fds(self.daemon.stream, [line[:1]], [theirs.fileno()])
        theirs.close()
        self.daemon.stream.sendall(line[1:])
        return self.peer(ours), self.daemon.receive()

    def attach(self, app=APP, process=PROCESS):
        ours, answer = self.offer(app, process)
        self.assertEqual(answer, {"jsonrpc": "2.0", "id": self.number, "result": {}})
        return ours

    # What happens

    def walk(self, steps):
        path = os.path.join(self.folder, "sensor")
        with open(path + ".new", "w") as file:
            file.write(str(steps))
        os.replace(path + ".new", path)

    def state(self):
        return json.loads(pathlib.Path(self.folder, "state.json").read_text())[APP]

    def counting(self, goal=1000):
        self.welcome()
        app = self.attach()
        app.send({"start": {"goal": goal}})
        self.grant("hold")
        self.assertEqual(app.receive(), {"counting": True, "steps": 0})
        return app

    def test_says_hello_with_nothing(self):
        self.assertEqual(self.welcome(), [])
        self.quiet()

    def test_an_app_hears_that_it_counts_after_the_daemon_has_granted_it(self):
        self.welcome()
        app = self.attach()
        app.send({"start": {"goal": 1000}})
        request = self.expect("hold")
        self.assertEqual(request["params"], HOLD)
        self.quiet(app)
        self.answer(request)
        self.assertEqual(app.receive(), {"counting": True, "steps": 0})
        self.assertTrue(self.state()["counting"])
        self.walk(130)
        self.assertEqual(app.ask({"steps": True}), {"steps": 30})

    def test_counts_only_while_it_is_told_to(self):
        app = self.counting()
        self.walk(110)
        app.send({"stop": True})
        request = self.expect("drop")
        self.assertEqual(request["params"], HOLD)
        self.quiet(app)
        self.answer(request)
        self.assertEqual(app.receive(), {"counting": False, "steps": 10})
        self.walk(200)
        self.assertEqual(app.ask({"steps": True}), {"steps": 10})
        app.send({"start": {"goal": 1000}})
        self.grant("hold")
        self.assertEqual(app.receive(), {"counting": True, "steps": 10})
        self.walk(205)
        self.assertEqual(app.ask({"steps": True}), {"steps": 15})

    def test_a_refused_hold_reaches_the_app(self):
        self.welcome()
        app = self.attach()
        app.send({"start": {"goal": 1000}})
        self.refuse(self.expect("hold"), -32001, "not now")
        self.assertEqual(app.receive(), {"error": "not now"})
        self.walk(150)
        self.assertEqual(app.ask({"steps": True}), {"steps": 0})
        app.send({"start": {"goal": 1000}})
        self.grant("hold")
        self.assertEqual(app.receive(), {"counting": True, "steps": 0})

    def test_requests_in_one_write_are_dealt_with_one_after_another(self):
        self.welcome()
        app = self.attach()
        app.stream.sendall(b'{"start":{"goal":5}}\n\n{"stop":true}\n{"steps":true}\n')
        request = self.expect("hold")
        self.quiet(app)
        self.answer(request)
        self.grant("drop")
        self.assertEqual([app.receive() for _ in range(3)],
                         [{"counting": True, "steps": 0}, {"counting": False, "steps": 0}, {"steps": 0}])

    def test_states_its_holds_after_its_own_death(self):
        app = self.counting()
        self.walk(110)
        self.kill()
        self.assertIsNone(app.receive())
        self.walk(120)
        self.start()
        background = {"app": APP, "process": PROCESS, "state": "background", "visible": False}
        self.assertEqual(self.welcome(background), [HOLD])
        self.assertEqual(self.attach().ask({"steps": True}), {"steps": 20})

    def test_does_not_state_what_was_not_granted(self):
        self.welcome()
        self.attach().send({"start": {"goal": 5}})
        self.expect("hold")
        self.kill()
        self.start()
        self.assertEqual(self.welcome(), [])

    def test_comes_back_to_another_daemon_and_keeps_its_apps(self):
        app = self.counting()
        for steps in (10, 20, 30):
            self.crash()
            self.walk(100 + steps)
            self.assertEqual(app.ask({"steps": True}), {"steps": steps})
            self.listen()
            self.assertEqual(self.welcome(), [HOLD])
            self.assertEqual(app.ask({"steps": True}), {"steps": steps})

    def test_asks_the_next_daemon_for_what_the_last_one_did_not_answer(self):
        self.welcome()
        app = self.attach()
        app.send({"start": {"goal": 5}})
        self.expect("hold")
        other = self.attach("org.example.other", 42)
        self.crash()
        # While there is none an app is served as far as it goes.
        other.send({"steps": True})
        other.send({"stop": True})
        self.assertEqual(other.receive(), {"steps": 0})
        self.listen()
        self.assertEqual(self.hello(), [])
        self.quiet(app, other)
        self.answer(self.asked, {"apps": []})
        self.grant("hold")
        self.assertEqual(app.receive(), {"counting": True, "steps": 0})
        self.answer(self.expect("drop"))
        self.assertEqual(other.receive(), {"counting": False, "steps": 0})

    def test_greets_again_when_a_daemon_dies_before_its_welcome(self):
        self.counting()
        for _ in range(3):
            self.crash()
            self.listen()
            self.assertEqual(self.hello(), [HOLD])
        self.answer(self.asked, {"apps": []})
        self.quiet()

    def test_ends_when_it_is_refused(self):
        self.hello()
        self.refuse(self.asked, -32001, "there is one")
        self.assertEqual(self.process.wait(PATIENCE), 1)

    def reach(self, app, steps=50):
        self.walk(100 + steps)
        request = self.expect("wake")
        self.assertEqual(request["params"], {
            "app": APP, "window": "goal", "because": f"{steps} steps were reached",
            "payload": json.dumps({"steps": steps})})
        if app:
            self.assertEqual(app.receive(), {"goal": steps})
        return request

    def test_a_goal_is_told_and_wakes_the_app_once(self):
        app = self.counting(goal=50)
        self.walk(149)
        self.assertEqual(app.ask({"steps": True}), {"steps": 49})
        self.answer(self.reach(app))
        self.walk(160)
        self.assertEqual(app.ask({"steps": True}), {"steps": 60})
        self.changed("suspended")
        self.quiet(app)
        # The same goal is none any more, another one is.
        for goal in (50, 61):
            app.send({"start": {"goal": goal}})
            self.grant("hold")
            self.assertEqual(app.receive(), {"counting": True, "steps": 60})
            self.quiet(app)
        self.answer(self.reach(app, 61))
        self.quiet(app)

    def test_a_sensor_that_is_written_in_place_is_noticed(self):
        app = self.counting(goal=50)
        self.quiet()
        pathlib.Path(self.folder, "sensor").write_text("150\n")
        self.assertEqual(app.receive(), {"goal": 50})
        self.expect("wake")

    def test_an_app_on_screen_is_not_woken_later(self):
        app = self.counting(goal=50)
        self.changed("active", visible=True)
        self.refuse(self.reach(app), -32001, "it is on screen")
        self.changed("background")
        self.quiet()
        self.assertTrue(self.state()["told"])

    def test_a_refused_wake_is_tried_again_when_the_app_changes(self):
        app = self.counting(goal=50)
        self.refuse(self.reach(app), -32001, "not now")
        self.quiet()
        self.changed("suspended")
        self.refuse(self.expect("wake"), -32001, "not now")
        # Also by the next process of the service.
        self.quiet()
        self.kill()
        self.start()
        self.welcome({"app": APP, "process": PROCESS, "state": "suspended", "visible": False})
        self.answer(self.expect("wake"))
        self.changed("background")
        self.quiet()

    def test_answers_stop_when_it_will_not_forget_it(self):
        app = self.counting()
        self.walk(107)
        self.assertTrue(self.state()["counting"])
        self.assertEqual(self.call("stop", **HOLD)["result"], {})
        self.assertEqual((self.state()["counting"], self.state()["steps"]), (False, 7))
        self.assertEqual(app.ask({"steps": True}), {"steps": 7})
        self.kill()
        self.start()
        self.assertEqual(self.welcome(), [])

    def test_what_is_over_is_not_counted(self):
        for end in (lambda: self.notify("ended", **HOLD), lambda: self.changed("not-running"),
                    lambda: self.notify("closedByUser", app=APP),
                    lambda: self.changed("inactive", process=PROCESS + 1)):
            with self.subTest():
                app = self.counting()
                self.walk(107)
                end()
                self.quiet(app)
                self.walk(120)
                self.assertEqual(app.ask({"steps": True}), {"steps": 7})
                self.kill()
                os.unlink(os.path.join(self.folder, "state.json"))
                self.walk(100)
                self.start()

    def test_what_ended_for_another_process_goes_on(self):
        app = self.counting()
        self.notify("ended", **dict(HOLD, process=PROCESS - 1))
        self.quiet()
        self.walk(107)
        self.assertEqual(app.ask({"steps": True}), {"steps": 7})

    def test_the_next_process_of_an_app_finds_its_steps(self):
        self.counting()
        self.walk(107)
        app = self.attach(process=PROCESS + 1)
        self.walk(120)
        self.assertEqual(app.ask({"steps": True}), {"steps": 7})

    def test_forgets(self):
        app = self.counting()
        self.walk(107)
        self.notify("forget", app=APP)
        self.assertIsNone(app.receive())
        self.quiet()
        self.assertEqual(json.loads(pathlib.Path(self.folder, "state.json").read_text()), {})
        self.assertEqual(self.attach().ask({"steps": True}), {"steps": 0})

    def test_rubbish_costs_one_app_its_connection(self):
        app = self.counting()
        rubbish = [b"walk\n", b"[]\n", b'{"run":true}\n', b'{"start":{"goal":0}}\n', b'{"start":{"goal":true}}\n',
                   b"\xff\n", b"[" * 100000 + b"\n", b"1" * 10000 + b"\n"]
        for line in rubbish:
            other = self.attach("org.example.other", 42)
            other.stream.sendall(line)
            self.assertIsNone(other.receive(), line[:40])
            self.assertEqual(app.ask({"steps": True}), {"steps": 0})

    def test_an_app_that_keeps_all_connections_takes_none_of_another(self):
        self.welcome()
        apps = [self.attach() for _ in range(8)]
        refused, answer = self.offer()
        self.assertEqual(answer["error"]["code"], -32005)
        self.assertIsNone(refused.receive())
        self.attach(app="another")
        apps[0].close()
        # What is read of the first one's end comes before what the daemon asks next, or after it.
        while "error" in self.offer()[1]:
            self.quiet()

    def test_a_line_has_an_end(self):
        app = self.counting()
        other = self.attach("org.example.other", 42)
        other.stream.sendall(b'{"steps":true}'.rjust((1 << 20) - 1) + b"\n")
        self.assertEqual(other.receive(), {"steps": 0})
        with self.assertRaises(OSError):
            for _ in range(64):
                other.stream.sendall(b"x" * 65536)
        self.assertEqual(app.ask({"steps": True}), {"steps": 0})

    def test_an_app_that_does_not_read_is_not_waited_for(self):
        app = self.counting()
        other = self.attach("org.example.other", 42)
        with self.assertRaises(OSError):
            while True:
                other.stream.sendall(b'{"steps":true}\n' * 1000)
        self.assertEqual(app.ask({"steps": True}), {"steps": 0})

    def test_is_patient_with_what_it_does_not_know(self):
        self.welcome()
        self.notify("news", text="none")
        self.notify("windowEnded", app=APP, window="goal", result="done")
        self.notify("ended")
        self.daemon.stream.sendall(b"\nrubbish\n[]\n")
        self.assertEqual(self.call("attach", app=APP, process=PROCESS)["error"]["code"], -32602)
        self.quiet()


# Connects wherever it is told to, and says the service's line and what it did, in order.
WALKER = """
import sys, threading
sys.dont_write_bytecode = True
from greenroom_app import App

class Walker:
    def connect(self, thread):
        try:
            with app.connect("steps") as service:
                print(thread, service.makefile().readline().strip(), service.get_inheritable(), flush=True)
        except ConnectionRefusedError as error:
            print(thread, error, flush=True)

    def didBecomeActive(self, params):
        self.connect("main")

    def willResignActive(self, params):
        print("willResignActive", flush=True)

    def didEnterBackground(self, params):
        threading.Thread(target=self.connect, args=["other"], daemon=True).start()

    def willEnterForeground(self, params):
        app.timers.append([0, 3600, lambda: self.connect("timer")])

    def handleServiceEvents(self, params):
        print(params["service"], params["kind"], params["payload"], flush=True)
        app.request("complete", {"window": params["window"]})

app = App(Walker(), "walker/1.0")
app.run()
"""


class ClientTests(unittest.TestCase):
    def setUp(self):
        self.home = tempfile.mkdtemp()
        self.addCleanup(shutil.rmtree, self.home)
        self.listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.addCleanup(self.listener.close)
        self.listener.settimeout(PATIENCE)
        self.listener.bind(os.path.join(self.home, "app.sock"))
        self.listener.listen()
        ours, theirs = socket.socketpair()
        environment = dict(
            os.environ, HOME=self.home, GREENROOM_FD=str(theirs.fileno()), GREENROOM_SOCKET="app.sock",
            PYTHONPATH=str(PROGRAM.parent.parent / "python"))
        self.process = subprocess.Popen([sys.executable, "-c", WALKER], env=environment, cwd=self.home,
                                        pass_fds=[theirs.fileno()], stdout=subprocess.PIPE, text=True)
        self.addCleanup(self.end)
        theirs.close()
        self.use(ours)
        self.welcome()

    def end(self):
        self.process.kill()
        self.process.wait()
        self.process.stdout.close()

    def use(self, stream):
        self.daemon = Peer(stream)
        self.addCleanup(self.daemon.close)

    def welcome(self):
        hello = self.expect("hello")
        self.daemon.send({"jsonrpc": "2.0", "id": hello["id"], "result": {}})
        return hello

    def expect(self, method):
        message = self.daemon.receive()
        self.assertEqual(message.get("method"), method, message)
        return message

    def callback(self, seq, method, **params):
        self.daemon.send({"jsonrpc": "2.0", "id": seq, "method": method, "params": dict(params, seq=seq)})

    def returned(self, *seqs):
        for seq in seqs:
            self.assertEqual(self.daemon.receive(), {"jsonrpc": "2.0", "id": seq, "result": {}})

    def printed(self):
        return self.process.stdout.readline().strip()

    def hand(self, request, word):
        """Answers with a connection on which the service says a word."""
        ours, theirs = socket.socketpair()
        with ours, theirs:
            ours.sendall(word.encode() + b"\n")
            line = json.dumps({"jsonrpc": "2.0", "id": request["id"], "result": {}}).encode() + b"\n"
            socket.send_fds(self.daemon.stream, [line], [theirs.fileno()])

    def connect(self):
        request = self.expect("connect")
        self.assertEqual(request["params"], {"service": "steps"})
        return request

    def test_connects_in_a_callback_while_others_wait(self):
        self.callback(1, "didBecomeActive")
        request = self.connect()
        self.callback(2, "willResignActive")
        self.callback(1, "didBecomeActive")
        pong = self.daemon.ask({"jsonrpc": "2.0", "id": "ping-1", "method": "ping"})
        self.assertEqual(pong, {"jsonrpc": "2.0", "id": "ping-1", "result": {}})
        self.hand(request, "hello")
        self.returned(1, 2)
        self.assertEqual([self.printed(), self.printed()], ["main hello False", "willResignActive"])

    def test_connects_in_a_timer_while_callbacks_wait(self):
        self.callback(1, "willEnterForeground")
        self.returned(1)
        request = self.connect()
        self.callback(2, "willResignActive")
        self.daemon.ask({"jsonrpc": "2.0", "id": "ping-1", "method": "ping"})
        self.hand(request, "hello")
        self.returned(2)
        self.assertEqual([self.printed(), self.printed()], ["timer hello False", "willResignActive"])

    def test_connects_from_another_thread(self):
        self.callback(1, "didEnterBackground")
        self.returned(1)
        self.hand(self.connect(), "hello")
        self.assertEqual(self.printed(), "other hello False")

    def test_each_thread_gets_its_own(self):
        self.callback(1, "didEnterBackground")
        self.returned(1)
        other = self.connect()
        self.callback(2, "didBecomeActive")
        main = self.connect()
        self.hand(main, "one")
        self.assertEqual(self.printed(), "main one False")
        self.returned(2)
        self.hand(other, "two")
        self.assertEqual(self.printed(), "other two False")

    def test_hears_why_it_is_refused(self):
        for seq, method, thread in [(1, "didBecomeActive", "main"), (2, "didEnterBackground", "other")]:
            self.callback(seq, method)
            if thread == "other":
                self.returned(seq)
            error = {"code": -32004, "message": "no service steps"}
            self.daemon.send({"jsonrpc": "2.0", "id": self.connect()["id"], "error": error})
            self.assertEqual(self.printed(), thread + " no service steps")
            if thread == "main":
                self.returned(seq)

    def test_asks_the_next_daemon_and_runs_nothing_twice(self):
        self.callback(1, "didBecomeActive")
        self.connect()
        self.callback(2, "willResignActive")
        self.daemon.close()
        self.use(self.listener.accept()[0])
        self.assertIsNone(self.welcome()["params"]["executed"])
        request = self.connect()
        self.callback(1, "didBecomeActive")
        self.callback(2, "willResignActive")
        self.hand(request, "hello")
        self.returned(1, 2)
        self.callback(3, "willResignActive")
        self.returned(3)
        printed = [self.printed() for _ in range(3)]
        self.assertEqual(printed, ["main hello False", "willResignActive", "willResignActive"])

    def test_is_woken_by_a_service(self):
        self.callback(1, "handleServiceEvents", service="steps", kind="goal", payload='{"steps": 50}', window=17)
        self.assertEqual(self.expect("complete")["params"], {"window": 17})
        self.returned(1)
        self.assertEqual(self.printed(), 'steps goal {"steps": 50}')


if __name__ == "__main__":
    unittest.main()
