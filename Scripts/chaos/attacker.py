"""Reads the attacks, and carries each out within its bounds: what the system did is an outcome or a broken promise."""

import ast
import contextlib
import importlib.util
import json
import os
import time
import traceback

import honest
from control import Gone, Late, Refused
from storms import kernel

HERE = os.path.dirname(os.path.abspath(__file__))
PREFIX = "org.greenroom.chaos.attack."


class Attack:
    """A file in `attacks`: a sentence at its head, constants that say how it is carried out, and what it does."""

    def __init__(self, path):
        self.path = path
        self.name = os.path.basename(path)[:-3]
        tree = ast.parse(open(path).read())
        self.sentence = (ast.get_docstring(tree) or "").split("\n")[0]
        self.constants = {}
        for node in tree.body:
            if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name) and node.targets[0].id.isupper():
                with contextlib.suppress(ValueError):
                    self.constants[node.targets[0].id] = ast.literal_eval(node.value)
        self.kind = self.constants["KIND"]

    def get(self, name, otherwise):
        return self.constants.get(name, otherwise)


def all_attacks():
    folder = os.path.join(HERE, "attacks")
    return [Attack(os.path.join(folder, name)) for name in sorted(os.listdir(folder)) if name.endswith(".py")]


class Lane:
    """Carries out attacks, one after another; several lanes run beside each other."""

    def __init__(self, world, number, tell):
        self.world = world
        self.number = number
        self.control = world.control()
        self.tell = tell
        self.count = 0

    def carry_out(self, attack):
        self.count += 1
        self.world.running[attack.name] += 1
        began = time.monotonic()
        outcome = "?"
        try:
            outcome = self.from_outside(attack) if attack.kind == "outside" else self.as_app(attack)
        except Late as error:
            self.world.breach(f"{attack.name}: {error}")
            outcome = "the system hung"
        except Gone:
            outcome = "the daemon died meanwhile"
            if not self.world.was_disturbed(began, time.monotonic()):
                self.world.breach(f"{attack.name}: the daemon closed the connection, and nobody had killed it")
        except Refused as error:
            outcome = f"refused: {error}"
        except Exception as error:  # noqa: BLE001
            self.world.breach(f"{attack.name}: the test itself failed: {type(error).__name__} {error}")
            traceback.print_exc()
        finally:
            self.world.running[attack.name] -= 1
            self.tell(attack, outcome, time.monotonic() - began)
            self.check_victims(attack)

    def from_outside(self, attack):
        specification = importlib.util.spec_from_file_location("attack", attack.path)
        assert specification and specification.loader
        module = importlib.util.module_from_spec(specification)
        specification.loader.exec_module(module)
        return module.attack(self.world, self.control) or "held"

    # Attacks that are apps

    def make(self, attack, app, runs=True):
        place = os.path.join(self.world.folder, "attackers")
        os.makedirs(place, exist_ok=True)
        scripts = [os.path.join(HERE, "inside", name) for name in ("belt.py", "peer.py")]
        if attack.kind == "plain":
            path = honest.desktop(place, app, attack.path, attack.get("MODES", []), attack.get("TERMINAL", False))
            folder = os.path.dirname(path)
            for script in scripts:
                os.system(f"cp {script} {folder}")
        else:
            more = honest.array("UIBackgroundModes", attack.get("MODES", []))
            more += honest.array("BGTaskSchedulerPermittedIdentifiers", attack.get("TASKS", []))
            if schemes := attack.get("SCHEMES", []):
                more += "<key>CFBundleURLTypes</key><array><dict>" + honest.array("CFBundleURLSchemes", schemes)
                more += f"<key>CFBundleURLName</key><string>{app}</string></dict></array>"
            path = folder = honest.bundle(place, app, attack.name + ".py", [attack.path, *scripts], more)
            program = os.path.join(folder, attack.name + ".py")
            text = open(program).read()
            with open(program, "w") as file:
                file.write("#!/usr/bin/python3 -B\n" + text)
        options = self.world.options
        counter = os.path.join(self.world.home, "containers", honest.COUNTER)
        with open(os.path.join(folder, "settings.json"), "w") as file:
            json.dump({
                "seed": options.seed, "files": options.files, "fileSize": 1 << 31,
                "victims": [self.world.victim, counter + "/Documents", counter], "victimFiles": [self.world.canary],
                "lies": self.world.lies, "runs": runs,
            }, file)
        return path

    def as_app(self, attack):
        world, chance, options = self.world, self.world.random, self.world.options
        app = f"{PREFIX}{attack.name}-{self.number}"
        # What runs has its time beside others, and what is suspended shows how it stands still.
        runs = chance.random() < attack.get("RUNS", 0.6)
        path = self.make(attack, app, runs)
        self.control.insist("install", path=path, within=30)
        try:
            if runs and attack.kind == "plain":
                self.control.insist("exempt", app=app, exempt=True, within=20)
            with world.screen:
                self.open(app)
            self.pause(options.pace * attack.get("STAYS", 0.8) * chance.uniform(0.7, 1.3))
            if chance.random() < 0.7:
                with world.screen:
                    self.home()
            self.pause(options.pace * attack.get("HIDDEN", 1.0) * chance.uniform(0.7, 1.3))
            for _ in range(attack.get("REINSTALL", 0)):
                try:
                    self.control.insist("install", path=path, within=30)
                except Refused as error:
                    if world.options.verbose:
                        print(f"      {attack.name}: install anew: {error}", flush=True)
            self.look(attack, app)
            world.watch()
        finally:
            outcome = self.end(attack, app)
        return outcome

    def pause(self, seconds):
        self.world.over.wait(seconds)

    def open(self, app):
        with contextlib.suppress(Gone, Refused):
            self.control.ask("open", app=app, wait=False, within=20)

    def home(self):
        with contextlib.suppress(Gone, Refused):
            self.control.ask("home", wait=False, within=20)

    def look(self, attack, app):
        """What the system knows of it, and what it printed."""
        if least := attack.get("HAS_MEGABYTES", 0) << 20:
            # What runs is not looked at all the time.
            end = time.monotonic() + 6
            found = self.memory(app)
            while found is not None and found < least and time.monotonic() < end:
                self.pause(0.3)
                found = self.memory(app)
            if self.world.options.verbose:
                print(f"      {attack.name} has {(found or 0) >> 20} MB of {least >> 20}", flush=True)
            if found is not None and found < least:
                self.world.breach(f"{attack.name}: at least {least >> 20} MB are its own, and {found >> 20} are seen")
        if most := attack.get("WOKEN_AT_MOST", 0):
            entries = self.control.insist("log", app=app, limit=1000, within=20)
            woken = sum(1 for one in entries if one["event"] in ("launchBackgroundTask", "performFetch"))
            if woken > most:
                self.world.breach(f"{attack.name}: it was woken {woken} times within seconds")
        output = os.path.join(self.world.home, "run", app, "output")
        with contextlib.suppress(OSError), open(output, "rb") as file:
            lines = file.read(1 << 20).splitlines()
            for line in lines:
                if line.startswith(b"BREACH:"):
                    self.world.breach(f"{attack.name}: {line[8:80].decode(errors='replace')}")
            if b"Traceback" in b"".join(lines[:20]) or self.world.options.verbose:
                print(f"      {attack.name} printed {b' | '.join(lines)[-200:].strip(bytes(1)).decode(errors='replace')!r}", flush=True)
        if attack.get("LOOKS_AT_OUTPUT", False):
            answer = self.world.tool("output", app, "--lines", "3", within=15)
            if answer.code is None:
                self.world.breach(f"{attack.name}: greenroom output --lines 3 did not end in 15 s")
            elif answer.memory > 300 << 20:
                self.world.breach(f"{attack.name}: greenroom output took {answer.memory >> 20} MB")

    def memory(self, app):
        apps = self.control.insist("memory", within=20)["apps"]
        return next((one["dirty"] + one["purgeable"] for one in apps if one["app"] == app), None)

    def end(self, attack, app):
        """Closes or uninstalls it; nothing of it may be left then."""
        within = attack.get("CLOSES_WITHIN", 15)
        how = self.world.random.choice(["close", "uninstall", "restart"])
        began = time.monotonic()
        try:
            if how == "restart":
                with self.world.screen, contextlib.suppress(Refused):
                    self.control.insist("restart", app=app, wait=False, within=within)
                how = "close"
            if how == "close":
                with contextlib.suppress(Refused):
                    try:
                        self.control.insist("close", app=app, wait=True, within=within)
                    except Late:
                        # What an app may take begins anew with a daemon that comes back.
                        if not self.world.was_disturbed(began, time.monotonic()):
                            raise
                        self.control.insist("close", app=app, wait=True, within=within)
            self.control.insist("uninstall", app=app, within=within + attack.get("UNINSTALLS_WITHIN", 30))
            took = time.monotonic() - began
        except Late as error:
            self.world.breach(f"{attack.name}: {error}")
            self.rescue(app)
            return "could not be ended"
        except Refused as error:
            self.world.breach(f"{attack.name}: it could not be removed: {error}")
            self.rescue(app)
            return f"not removed: {error}"
        self.check_gone(attack, app)
        codes = {
            f"{one['namespace']} {one['code']}" for one in self.control.insist("reports", within=20)
            if one["app"] == app}
        return f"ended in {took:.1f} s" + (f" ({', '.join(sorted(codes))})" if codes else "")

    def rescue(self, app):
        """Ends what the system could not, so that one fault does not hide the others."""
        group = self.world.app_group(app)
        for pid in kernel.text(f"{group}/cgroup.procs").split() if group else []:
            kernel.kill(int(pid))
        with contextlib.suppress(Late, Gone, Refused):
            self.control.insist("uninstall", app=app, within=15)

    def check_gone(self, attack, app):
        group = self.world.app_group(app)
        if group and os.path.exists(group) and kernel.text(group + "/cgroup.procs").split():
            self.world.breach(f"{attack.name}: processes are left after uninstall")
        for folder in ("containers", "bundles", "run"):
            if os.path.lexists(os.path.join(self.world.home, folder, app)):
                self.world.breach(f"{attack.name}: the folder {folder} is left after uninstall")
        for folder in ("/dev/shm", "/tmp"):
            place = os.path.join(folder, f"chaos-hoard-{self.world.options.seed}")
            with contextlib.suppress(OSError):
                os.unlink(place)
                self.world.breach(f"{attack.name}: its file in {folder} outlives it")

    def check_victims(self, attack):
        """What is not an app's must be whose it was, and hold what it held."""
        for path, owner in self.world.owners.items():
            with contextlib.suppress(FileNotFoundError):
                if os.lstat(path).st_uid != owner:
                    self.world.breach(f"{attack.name}: {os.path.relpath(path, self.world.folder)} belongs to another now")
                    os.lchown(path, owner, owner)
                added = set(os.listdir(path)) & {"Caches", "Documents", "tmp"} if path.endswith(("victim", "Documents")) else ()
                for name in added:
                    self.world.breach(f"{attack.name}: {name} was made in {os.path.relpath(path, self.world.folder)}")
                    os.rmdir(os.path.join(path, name))
        if kernel.text(self.world.canary) != "untouched":
            self.world.breach(f"{attack.name}: a file outside was written to")
