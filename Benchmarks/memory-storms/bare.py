"""The apps of a storm as bare processes, with nothing but the kernel, or beside a program that watches the memory."""

import os
import select
import shutil
import subprocess
import sys
import time
from typing import Any

PATIENCE = 60
# With Debian's settings; nohang's are those of its service.
GUARDS = {"kernel": None, "earlyoom": ["earlyoom", "-r", "3600"],
          "nohang": ["nohang", "--monitor", "--config", "/etc/nohang/nohang.conf"]}


# oom_score_adj of what is on screen, if that is marked, and of everything else.
VISIBLE, HIDDEN = -900, 0


def mark(pid, score):
    try:
        with open(f"/proc/{pid}/oom_score_adj", "w") as file:
            file.write(str(score))
    except OSError:
        # It has gone.
        pass


class BareApp:
    def __init__(self, plan, bundle, home):
        self.plan, self.bundle, self.home = plan, bundle, home
        # None until it is launched.
        self.process: Any = None
        os.makedirs(home)

    @property
    def is_alive(self):
        return self.process is not None and self.process.poll() is None

    def launch(self, score):
        self.heard = b""
        self.process = subprocess.Popen([sys.executable, os.path.join(self.bundle, self.plan.name)],
                                        env={**os.environ, "HOME": self.home}, stdout=subprocess.PIPE)
        mark(self.process.pid, score)

    def order(self, words):
        """Whether there is somebody who reads it."""
        try:
            pipe = os.open(os.path.join(self.home, "orders"), os.O_WRONLY | os.O_NONBLOCK)
        except OSError:
            return False
        os.write(pipe, f"{words}\n".encode())
        os.close(pipe)
        return True

    def hears(self, word):
        """Whether it says so before it is gone."""
        end = time.monotonic() + PATIENCE
        while select.select([self.process.stdout], [], [], max(0, end - time.monotonic()))[0]:
            data = os.read(self.process.stdout.fileno(), 4096)
            if not data:
                return False
            *lines, self.heard = (self.heard + data).split(b"\n")
            if word.encode() in lines:
                return True
        raise TimeoutError(f"{self.plan.name} does not answer")

    def end(self):
        if self.process:
            self.process.kill()
            self.process.wait()
            self.process.stdout.close()


class Bare:
    """`marks`: the kernel and who asks it know by oom_score_adj what is on screen."""

    def __init__(self, guard, marks, storm, bundles, folder, observer):
        self.observer, self.visible = observer, VISIBLE if marks else HIDDEN
        self.apps = {plan.name: BareApp(plan, bundles[plan.name], os.path.join(folder, "home", plan.name))
                     for plan in storm.apps}
        self.screen = {}
        self.problems = []
        self.guard = self._start(GUARDS[guard])

    def _start(self, command):
        if command is None:
            return None
        guard = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        # What it is started by cannot be chosen; it can, as its service could.
        mark(guard.pid, HIDDEN)
        # Both lock themselves into memory at the start, and then read this: they are ready when they have.
        end = time.monotonic() + PATIENCE
        while not any(line.split()[1] != "0" for line in open(f"/proc/{guard.pid}/status") if line.startswith("VmLck")):
            if guard.poll() is not None or time.monotonic() > end:
                sys.exit(f"{command[0]} does not start")
            time.sleep(0.02)
        return guard

    def open(self, name, role):
        """Whether it had to be launched."""
        app = self.apps[name]
        for other in [key for key, held in self.screen.items() if held == name]:
            del self.screen[other]
        self._leave(role)
        self.screen[role] = name
        if app.is_alive:
            mark(app.process.pid, self.visible)
            if app.order("show") and app.hears("show"):
                self.observer.show(app.process.pid)
                return False
        app.end()
        app.launch(self.visible)
        self.observer.begin(name, app.process.pid)
        app.hears("ready")
        return True

    def _leave(self, role):
        name = self.screen.pop(role, None)
        if name is None:
            return
        self.observer.hide([name])
        app = self.apps[name]
        if app.is_alive:
            mark(app.process.pid, HIDDEN)
            if not app.plan.runs_in_background:
                app.order("hide")

    def home(self):
        for role in list(self.screen):
            self._leave(role)

    def order(self, name, words):
        if self.apps[name].is_alive:
            self.apps[name].order(words)

    def own_limit(self):
        return []

    def check(self):
        if self.guard and self.guard.poll() is not None:
            self.problems.append(f"its guard has ended with {self.guard.returncode}")

    def end(self):
        for app in self.apps.values():
            app.end()
            shutil.rmtree(app.home, ignore_errors=True)
        if self.guard:
            self.guard.kill()
            self.guard.wait()
