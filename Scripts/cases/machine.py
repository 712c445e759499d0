"""The machine around the apps: its memory, its buses and its screen."""

import ctypes
import os
import subprocess
import time
import uuid

from cases.bench import Bench, Skipped, case, expect, need, text
from storms.kernel import kill
from storms.sockets import listens
from storms.waiting import Failed, poll, wait_for

MEMORY = "/sys/fs/cgroup/memory"
LIMIT = 400 << 20
# Takes memory, page by page, and says how much it has.
TAKER = """
import sys, time
megabytes, taken = int(sys.argv[1]), []
while len(taken) < megabytes:
    taken.append(bytearray(b"x") * (1 << 20))
    if len(taken) % 20 == 0:
        print(len(taken), flush=True)
        time.sleep(0.1)
print("has all", flush=True)
while True:
    time.sleep(1)
"""
# Owns a name on the session bus and answers.
OWNER = """
import dbus, dbus.service, dbus.mainloop.glib
from gi.repository import GLib
dbus.mainloop.glib.DBusGMainLoop(set_as_default=True)
class Owner(dbus.service.Object):
    @dbus.service.method("org.example.Case", out_signature="s")
    def Ask(self):
        return "answered"
bus = dbus.SessionBus()
name = dbus.service.BusName("org.example.Case", bus)
Owner(bus, "/org/example/Case")
print("up", flush=True)
GLib.MainLoop().run()
"""
# Grabs the keyboard, as menus and password prompts do.
GRABBER = """
import ctypes, time
x11 = ctypes.CDLL("libX11.so.6")
x11.XOpenDisplay.restype = ctypes.c_void_p
x11.XDefaultRootWindow.restype = ctypes.c_ulong
display = ctypes.c_void_p(x11.XOpenDisplay(None))
root = ctypes.c_ulong(x11.XDefaultRootWindow(display))
result = x11.XGrabKeyboard(display, root, 1, 1, 1, ctypes.c_ulong(0))
x11.XSync(display, 0)
print("grabbed" if result == 0 else f"refused: {result}", flush=True)
while True:
    time.sleep(1)
"""


@case("F1")
def limited_group(bench: Bench) -> None:
    if not os.path.exists(MEMORY + "/memory.limit_in_bytes"):
        raise Skipped("cgroups of version 1 with the controller memory are not mounted")
    group = f"{MEMORY}/greenroom-case-{uuid.uuid4()}"
    os.mkdir(group)
    bench.cleanups.callback(remove_group, group)
    with open(group + "/memory.limit_in_bytes", "w") as file:
        file.write(str(LIMIT))
    system = bench.system
    bench.is_up = True
    bench.cleanups.callback(system.run, "down")
    up = subprocess.run(
        ["/bin/sh", "-c", f"echo $$ >{group}/cgroup.procs && exec greenroom up --detach"], env=system.environment,
        stdin=subprocess.DEVNULL, capture_output=True, text=True)
    expect(up.returncode == 0, up.stdout + up.stderr)
    program = bench.write("taker.py", TAKER)
    for name, megabytes in (("small", 120), ("large", 280)):
        bench.plain(name, f"/usr/bin/python3 {program} {megabytes}", "Terminal=false\nX-Greenroom-Freeze=true\n")
    available = system.json("memory").get("available", 0)
    system.must("open", "org.example.small")
    expect("has all" in bench.output("org.example.small", "has all", seconds=20), "the first app does not start")
    system.must("open", "org.example.large")
    output = bench.output("org.example.large", "has all", seconds=20)
    states = {name: system.app(f"org.example.{name}")["state"] for name in ("small", "large")}
    why = system.run("why", "org.example.large").output
    expect(
        "has all" in output and states["large"] == "active",
        f"the budget is {available >> 20} MB, and the apps are {states}; {why}")


def remove_group(group: str) -> None:
    """The processes may need a moment to end."""

    def is_removed() -> bool:
        for name in text(group + "/cgroup.procs").split():
            kill(int(name))
        try:
            os.rmdir(group)
        except OSError:
            return False
        return True

    poll(is_removed, 10)


@case("F2")
def owner_of_a_name(bench: Bench) -> None:
    need({
        "dbus-bin": "/usr/bin/dbus-send", "python3-dbus": "/usr/lib/python3/dist-packages/dbus/__init__.py",
        "python3-gi": "/usr/lib/python3/dist-packages/gi/__init__.py"})
    bus = bench.bus()
    # A bus refuses users that the machine does not list, as the users of apps are.
    bench.system.environment["GREENROOM_SHARED_UID"] = "1"
    os.chmod(bus["DBUS_SESSION_BUS_ADDRESS"].partition("=")[2], 0o777)
    program = bench.write("owner.py", OWNER)
    system = bench.plain("owner", f"/usr/bin/python3 {program}", "X-Greenroom-Freeze=true\n")
    system.must("open", "org.example.owner")
    expect("up" in bench.output("org.example.owner", "up"), system.run("output", "org.example.owner").output)
    system.must("home")
    system.await_state("org.example.owner", "suspended", 10)
    began = time.monotonic()
    result = subprocess.run(
        ["/usr/bin/dbus-send", "--session", "--print-reply", "--reply-timeout=8000", "--dest=org.example.Case",
         "/org/example/Case", "org.example.Case.Ask"],
        env={**os.environ, **bus}, capture_output=True, text=True)
    seconds = time.monotonic() - began
    expect(seconds < 5, f"the call took {seconds:.0f} s: {result.stdout}{result.stderr}")


@case("F3")
def grabbed_keyboard(bench: Bench) -> None:
    need({"xvfb": "/usr/bin/Xvfb", "libx11-6": "/usr/lib/*/libX11.so.6"})
    number = 90 + os.getpid() % 400
    name = f":{number}"
    bench.start("/usr/bin/Xvfb", name, "-screen", "0", "640x480x24", "-ac", "-nolisten", "tcp")
    wait_for("the display", lambda: listens(f"/tmp/.X11-unix/X{number}"), 10)
    bench.system.environment["DISPLAY"] = name
    program = bench.write("grabber.py", GRABBER)
    system = bench.plain("grabber", f"/usr/bin/python3 {program}", "X-Greenroom-Freeze=true\n")
    system.must("open", "org.example.grabber")
    output = bench.output("org.example.grabber", "grabbed")
    expect("grabbed" in output, f"the program cannot grab the keyboard: {output}")
    expect(not is_free(name), "the program has grabbed the keyboard, and another one can grab it")
    system.must("home")
    if not poll(lambda: is_free(name), 8, 0.2):
        why = system.run("why", "org.example.grabber").output
        state = system.app("org.example.grabber")["state"]
        expect(state != "suspended" and "keyboard" in why, f"the keyboard stays grabbed by a {state} program: {why}")


def is_free(name: str) -> bool:
    """Whether another program can grab the keyboard of the display."""
    x11 = ctypes.CDLL("libX11.so.6")
    x11.XOpenDisplay.restype = ctypes.c_void_p
    x11.XDefaultRootWindow.restype = ctypes.c_ulong
    display = ctypes.c_void_p(x11.XOpenDisplay(name.encode()))
    if not display:
        raise Failed(f"the display {name} does not open")
    root = ctypes.c_ulong(x11.XDefaultRootWindow(display))
    result = x11.XGrabKeyboard(display, root, 1, 1, 1, ctypes.c_ulong(0))
    x11.XCloseDisplay(display)
    return bool(result == 0)
