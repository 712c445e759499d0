"""The device of the storm: a whole system, and a person who uses it."""

import json
import os
import random
import shutil
import socket
import time
from typing import Any

from storms.files import text
from storms.push.gateway import Gateways
from storms.system import System
from storms.waiting import wait_for

APP = "org.greenroom.fixtures.beacon"


class Device:
    def __init__(self, tools: str, apps: str) -> None:
        self.system = System(tools)
        self.bundle = os.path.join(os.path.abspath(apps), "Beacon.app")
        self.apps: list[str] = []
        self.tokens: dict[str, str] = {}
        self.read: dict[str, int] = {}

    def must(self, *words: str) -> str:
        result = self.system.run(*words)
        if result.code != 0:
            raise SystemExit(f"greenroom {' '.join(words)}: {result.output}")
        return result.output

    def begin(self, gateway: Gateways, count: int) -> None:
        up = self.system.up()
        if up.code != 0:
            raise SystemExit(up.output)
        # Whatever this machine is connected by.
        self.must("simulate", "network", "wifi")
        self.must(
            "push", "gateway", f"greenroom-push://localhost:{gateway.link}", "--ca",
            gateway.instructions["authority"])
        for number in range(count):
            app = f"org.greenroom.storm.a{number}"
            self.install(app, number)
            self.must("open", f"{app}:present?as=none")
            self.must("open", f"{app}:register")
            self.apps.append(app)
        wait_for("the tokens", lambda: self.has_tokens() and len(self.tokens) == count, 60)
        self.home()

    def install(self, app: str, number: int) -> None:
        bundle = f"{self.system.folder}/a{number}.app"
        shutil.copytree(self.bundle, bundle)
        with open(bundle + "/Info.plist") as file:
            plist = file.read()
        with open(bundle + "/Info.plist", "w") as file:
            file.write(plist.replace(APP, app).replace("<string>beacon</string>", f"<string>{app}</string>").replace(
                "<string>Beacon</string>\n    <key>CFBundleExecutable", f"<string>Storm {number}</string>\n    <key>"
                "CFBundleExecutable"))
        self.must("install", bundle)

    # What the apps heard

    def news(self) -> list[dict[str, Any]]:
        """What the apps have written since."""
        lines: list[dict[str, Any]] = []
        for app in self.apps:
            try:
                with open(f"{self.system.home}/containers/{app}/Documents/log") as file:
                    file.seek(self.read.get(app, 0))
                    added = file.read()
            except FileNotFoundError:
                continue
            # The last line may not be whole yet.
            whole = added[:added.rfind("\n") + 1]
            self.read[app] = self.read.get(app, 0) + len(whole.encode())
            lines += [{"app": app, **json.loads(line)} for line in whole.splitlines()]
        return lines

    def has_tokens(self) -> bool:
        for line in self.news():
            if line["event"] == "token":
                self.tokens[line["app"]] = line["token"]
        return True

    # Whom to kill

    def victim(self, kind: str, chance: random.Random) -> int | None:
        if kind == "agent":
            return self.number_in("services/notifications/pid")
        if kind == "daemon":
            return self.number_in("daemon.pid")
        result = self.system.run("apps", "--json")
        if result.code != 0:
            return None
        running = [app for app in json.loads(result.output) if app["pid"] and app["app"] in self.apps]
        awake = [app for app in running if app["state"] != "suspended"]
        if awake and chance.random() < 0.7:
            running = awake
        return chance.choice(running)["pid"] if running else None

    def number_in(self, file: str) -> int | None:
        words = text(f"{self.system.home}/{file}").split()
        return int(words[0]) if words else None

    # The person

    def open(self, app: str) -> None:
        self.system.run("open", "--no-wait", app)

    def home(self) -> None:
        self.system.run("home", "--no-wait")

    def tap_all(self) -> None:
        """Opens the apps of what is shown, by the socket that tools have: a tool for each would take too long."""
        with socket.socket(socket.AF_UNIX) as peer:
            peer.settimeout(5)
            peer.connect(f"{self.system.home}/services/notifications/control")
            lines = peer.makefile("rw")

            def ask(number: int, method: str, params: dict[str, Any]) -> Any:
                lines.write(json.dumps({"jsonrpc": "2.0", "id": number, "method": method, "params": params}) + "\n")
                lines.flush()
                answer = json.loads(lines.readline() or "null")
                return answer.get("result") if answer else None

            ask(1, "hello", {"protocol": 1, "role": "tool"})
            listed = ask(2, "list", {}) or {"notifications": []}
            shown = [entry["id"] for entry in listed["notifications"] if entry["place"] == "delivered"]
            for number, entry in enumerate(shown[:4]):
                ask(3 + number, "act", {"id": entry})

    def wake_network(self) -> None:
        """As a person who switches it off and on, since nothing comes: the agent tries at once."""
        result = self.system.run("push", "status", "--json")
        if result.code == 0 and json.loads(result.output)["link"]["state"] == "waiting":
            self.system.run("simulate", "network", "off")
            time.sleep(0.6)
            self.system.run("simulate", "network", "wifi")

    def end(self, keeps: bool) -> None:
        if keeps:
            # What the system knows is gone when it is down.
            os.makedirs(self.system.folder + "/record", exist_ok=True)
            self.system.record(self.system.folder + "/record")
        self.system.run("down")
        if not keeps:
            self.system.remove()
