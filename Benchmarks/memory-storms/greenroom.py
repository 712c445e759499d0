"""The apps of a storm on a Greenroom system of their own."""

import json
import os
import shutil
import socket
import subprocess
import sys
import time

PATIENCE = 60


class Refused(RuntimeError):
    pass


class Control:
    """The control socket (docs/PROTOCOL.md)."""

    def __init__(self, path):
        self.socket = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.socket.settimeout(PATIENCE)
        self.socket.connect(path)
        self.lines = self.socket.makefile("rb")
        self.number = 0

    def request(self, method, **params):
        self.number += 1
        message = {"jsonrpc": "2.0", "id": self.number, "method": method, "params": params}
        self.socket.sendall(json.dumps(message).encode() + b"\n")
        answer = json.loads(self.lines.readline() or b'{"error": {"message": "the daemon is gone"}}')
        if "error" in answer:
            raise Refused(f"{method} {params}: {answer['error']['message']}")
        return answer["result"]

    def close(self):
        self.lines.close()
        self.socket.close()


class Greenroom:
    def __init__(self, budget, storm, bundles, folder, observer):
        self.observer, self.storm = observer, storm
        self.home_folder = os.path.join(folder, "system")
        os.makedirs(self.home_folder, mode=0o700)
        self.environment = {**os.environ, "GREENROOM_HOME": self.home_folder}
        self.problems = []
        self.tool("up", "--detach", *(["--memory", f"{budget}M"] if budget else []))
        if self.problems:
            sys.exit(f"storms: {self.problems[0]}")
        self.control = Control(os.path.join(self.home_folder, "control"))
        self.daemon = self.control.request("status")["pid"]
        for plan in storm.apps:
            self.control.request("install", path=bundles[plan.name])
            if plan.runs_in_background:
                self.control.request("exempt", app=plan.name, exempt=True)
        self.screen = {}

    def tool(self, *words):
        # Who watches cannot be chosen by the kernel, what it starts can.
        outcome = subprocess.run(["sh", "-c", 'echo 0 2>&- >/proc/self/oom_score_adj; exec greenroom "$@"', "sh", *words],
                                 env=self.environment, capture_output=True, text=True, timeout=PATIENCE)
        if outcome.returncode:
            self.problems.append(f"greenroom {' '.join(words)}: {outcome.stdout}{outcome.stderr}".strip())
        return outcome.stdout

    # What a person does

    def open(self, name, role):
        """Whether it had to be launched."""
        left = [key for key, held in self.screen.items() if key == role or held == name]
        # From here on it may be hidden.
        self.observer.hide([self.screen.pop(key) for key in left])
        self.screen[role] = name
        try:
            pid = self.control.request("open", app=name, **{"as": role})["pid"]
        except Refused as refusal:
            self.problems.append(f"{name} cannot be opened: {refusal}")
            return True
        if self.observer.sees(pid):
            self.observer.show(pid)
            return False
        self.observer.begin(name, pid)
        return True

    def home(self):
        self.observer.hide(list(self.screen.values()))
        self.screen = {}
        self.control.request("home")

    def order(self, name, words):
        try:
            pipe = os.open(os.path.join(self.home_folder, "containers", name, "orders"), os.O_WRONLY | os.O_NONBLOCK)
        except OSError:
            # Nobody reads it: the app has ended.
            return
        try:
            os.write(pipe, f"{words}\n".encode())
        except BlockingIOError:
            self.problems.append(f"{name} does not read its orders")
        os.close(pipe)

    # What is to be so

    def own_limit(self):
        """Those that ended for having more than one app may have: not for the device's shortage."""
        return [one["app"] for one in self.reports if (one["namespace"], one["code"]) == ("JETSAM", 7)]

    def check(self):
        """At home, after the storm: everything has come to rest, and everything works."""
        try:
            self.home()
            self._rest()
            # What each report says was true of the app when it was chosen.
            self.reports = self.control.request("reports")
            for one in self.reports:
                # No storm plans an app that has more than it may have.
                if one["namespace"] != "JETSAM" or one["code"] == 7:
                    self.problems.append(f"{one['app']} has a report: {one['reason']}")
                elif one["code"] == 4 and (" while active" in one["reason"] or "on screen was left" in one["reason"]):
                    self.problems.append(f"{one['app']} was ended on screen: {one['reason']}")
            for app in self.control.request("apps"):
                if app["state"] != "not-running":
                    pid = self.control.request("open", app=app["app"])["pid"]
                    # In a shortage it may have been ended to make room for the one before.
                    if pid != app["pid"] and not self.control.request("reports", app=app["app"]):
                        self.problems.append(f"{app['app']} came back as another process")
            if self.control.request("status")["pid"] != self.daemon:
                self.problems.append("the daemon is another one")
        except (Refused, OSError, ValueError) as error:
            self.problems.append(f"the end of the storm: {error!r}")
            self.reports = getattr(self, "reports", [])

    def _rest(self):
        """Waits until nothing is on its way any more, and memory is no shorter than can be explained."""
        end = time.monotonic() + 20
        while True:
            wrong = self._unrest()
            if not wrong:
                return
            if time.monotonic() > end:
                self.problems.append(f"20 s after the storm: {wrong}")
                return
            # There is nothing to wait for that would tell of all of this.
            time.sleep(0.05)

    def _unrest(self):
        runners = {plan.name for plan in self.storm.apps if plan.runs_in_background}
        for app in self.control.request("apps"):
            expected = ["not-running", "background" if app["app"] in runners else "suspended"]
            if app["state"] not in expected:
                return f"{app['app']} is {app['state']}"
            if app["state"] == "suspended" and not self._is_frozen(app["app"]):
                return f"{app['app']} is suspended, and not frozen"
        memory = self.control.request("memory")
        part = memory["available"] / memory["budget"]
        # Between two marks the level stays as it was, and warnings alone do not bring it back.
        if memory["level"] == "critical" or (memory["level"] == "warning" and part > 0.21):
            return f"the level is {memory['level']} with {part:.0%} available"
        return None

    def _is_frozen(self, name):
        with open(os.path.join(self.home_folder, "cgroup")) as file:
            group = file.read().strip()
        # Where no group can be written, signals stop the apps, and the daemon's word has to do.
        if not group:
            return True
        try:
            with open(os.path.join(group, f"app-{name}", "cgroup.events")) as file:
                return "frozen 1" in file.read()
        except FileNotFoundError:
            return False

    def story(self):
        return "".join(self.tool("log").splitlines(keepends=True)[-60:]) + self.tool("memory")

    def end(self):
        # What the daemon decided, decided again from what it recorded.
        self.tool("replay", self.home_folder)
        group = os.path.join(self.home_folder, "cgroup")
        place = open(group).read().strip() if os.path.exists(group) else ""
        self.control.close()
        self.tool("down")
        if place and os.path.exists(place):
            self.problems.append(f"a cgroup is left: {place}")
        shutil.rmtree(self.home_folder, ignore_errors=True)
