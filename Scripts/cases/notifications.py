"""Notifications on a desktop: what its daemon does that is odd, and what it must not be told."""

import json
import os
import shutil
import subprocess
from typing import Any

from cases.bench import Bench, case, expect, text
from storms.system import System
from storms.waiting import poll, wait_for

BEACON = "org.greenroom.fixtures.beacon"


class Desktop:
    """A session bus with the daemon among the inputs, which prints what it is asked to show."""

    def __init__(self, bench: Bench) -> None:
        self.bus = bench.bus()
        self.log = bench.on_bus("fake_notifications.py", **self.bus)
        self.system = bench.up()

    def shown(self) -> list[dict[str, Any]]:
        lines = [json.loads(line) for line in text(self.log).splitlines() if line.startswith("{")]
        return [line for line in lines if "notify" in line]

    def first(self) -> dict[str, Any]:
        """The first notification, as soon as it is shown."""
        return wait_for("a notification", self.shown, 10)[0]


def lines_of(system: System, app: str) -> list[dict[str, Any]]:
    """What the app Beacon has written about its notifications."""
    path = f"{system.home}/containers/{app}/Documents/log"
    return [json.loads(line) for line in text(path).splitlines()] if os.path.exists(path) else []


# Calls the daemon of the inputs: it says that a notification was closed, and then which action was chosen.
TAP = """
import sys, time, dbus
bus = dbus.SessionBus()
daemon = bus.get_object("org.freedesktop.Notifications", "/org/freedesktop/Notifications", introspect=False)
number, pause = int(sys.argv[1]), float(sys.argv[2])
daemon.Closed(dbus.UInt32(number), dbus.UInt32(2), dbus_interface="x.Ctl", ignore_reply=True)
if pause:
    bus.flush()
    time.sleep(pause)
daemon.Act(dbus.UInt32(number), "action-0", dbus_interface="x.Ctl", ignore_reply=True)
bus.flush()
"""


def closed_and_acted(bench: Bench, pause: float) -> None:
    desktop = Desktop(bench)
    system = bench.app("Beacon")
    system.must("open", "beacon:register")
    system.must("notifications", "allow", "beacon")
    system.must("home")
    system.must("notifications", "show", "beacon", "--title", "Tea", "--category", "task")
    shown = desktop.first()
    expect("action-0" in shown["actions"], f"no action is offered: {shown}")
    subprocess.run(
        ["/usr/bin/python3", bench.write("tap.py", TAP), str(shown["notify"]), str(pause)],
        env={**os.environ, **desktop.bus}, check=True, capture_output=True)

    def responses() -> list[str]:
        return [line["action"] for line in lines_of(system, BEACON) if line["event"] == "response"]

    poll(responses, 5)
    expect(responses() == ["done"], f"the action came {pause} s after the end, and the app received {responses()}")


@case("D1")
def action_with_end(bench: Bench) -> None:
    """As daemons do it: both signals go out together."""
    closed_and_acted(bench, 0)


@case("D1")
def action_after_end(bench: Bench) -> None:
    """As somebody does it who calls the daemon of the inputs by hand."""
    closed_and_acted(bench, 0.05)


@case("D3")
def marks_before_signs(bench: Bench) -> None:
    desktop = Desktop(bench)
    system = bench.app("Beacon")
    system.must("open", "beacon:register")
    system.must("notifications", "allow", "beacon")
    bodies = {"a <\u0338 b &\u0301 c": "a &lt;\u0338 b &amp;\u0301 c", "<\u20d2b>x</b>": "&lt;\u20d2b>x&lt;/b>"}
    for number, (body, wanted) in enumerate(bodies.items()):
        system.must("notifications", "show", "beacon", "--title", "x", "--body", body)
        wait_for("the notification", lambda: len(desktop.shown()) > number, 10)
        found = desktop.shown()[number]["body"]
        expect(found.replace("&gt;", ">") == wanted, f"the desktop received {found!r}")


@case("D4")
def sound_of_a_bundle(bench: Bench) -> None:
    """Desktops play what libcanberra reads: WAV and Ogg."""
    source = bench.input("audio/c1-ima4.caf")
    bundle = os.path.join(bench.folder, "Beacon.app")
    shutil.copytree(os.path.join(bench.apps, "Beacon.app"), bundle)
    shutil.copy(source, os.path.join(bundle, "chime.caf"))
    desktop = Desktop(bench)
    system = bench.up()
    system.must("install", bundle)
    system.must("open", "beacon:register")
    system.must("notifications", "allow", "beacon")
    system.must("home")
    system.must("notifications", "show", "beacon", "--title", "x", "--sound", "chime.caf")
    hints = desktop.first()["hints"]
    path = hints.get("sound-file", "")
    expect(os.path.isfile(path), f"no sound file: {hints}")
    with open(path, "rb") as file:
        start = file.read(4)
    expect(start in (b"RIFF", b"OggS"), f"{path} begins with {start!r}, which desktops do not play")
