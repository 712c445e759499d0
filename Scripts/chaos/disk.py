"""The variant with a full disk: a system on a small file system, an app that fills it, and what must go on."""

import os
import subprocess
import time

import honest
from attacker import PREFIX, Attack, Lane
from control import Gone, Late, Refused
from storms import kernel
from storms.waiting import poll
from world import World

HERE = os.path.dirname(os.path.abspath(__file__))


def full(path):
    status = os.statvfs(path)
    return status.f_bavail * status.f_frsize < 256 << 10


def step(world, what, within, work):
    """One thing that must end within its bound and must not be refused."""
    begin = time.monotonic()
    try:
        work()
        return f"{what} took {time.monotonic() - begin:.2f} s"
    except (Gone, Late, Refused) as error:
        world.breach(f"full disk: {what}: {error}")
        return f"{what} failed"


def run(options, tell):
    """A system of its own. Returns the promises that were broken."""
    world = World(options)
    disk = os.path.join(world.folder, "disk")
    os.mkdir(disk, 0o711)
    world.home = os.path.join(disk, "home")
    subprocess.run(["mount", "-t", "tmpfs", "-o", "size=96m,mode=711", "none", disk], check=True)
    attack = Attack(os.path.join(HERE, "attacks", "fills-disk.py"))
    began = time.monotonic()
    told = []
    try:
        answer = world.up()
        if answer.code != 0:
            world.breach(f"full disk: up failed before it was full: {answer.output}")
            return world
        told = carry_out(world, attack, disk)
    finally:
        answer = world.tool("down", within=70)
        if answer.code != 0:
            world.breach(f"full disk: down ended with {answer.code}: {answer.output[-200:]}")
        for one in world.leftovers(containers=(honest.COUNTER, honest.TYPIST)):
            world.breach(f"full disk: left after down: {one.replace(world.folder, '')}")
        tell(attack, "; ".join(told), time.monotonic() - began)
        world.sweep()
        if not options.keep:
            world.remove()
    return world


def carry_out(world, attack, disk):
    apps = honest.Honest(world)
    control = apps.control
    apps.install((honest.COUNTER, honest.TYPIST))
    apps.open(honest.COUNTER)
    apps.open(honest.TYPIST)
    apps.lines["before"] = apps.type("before")
    app = PREFIX + attack.name
    attack.kind = "application"
    control.ask("install", path=Lane(world, 0, None).make(attack, app), within=20)
    control.ask("open", app=app, wait=True, within=20)
    told = ["filled" if poll(lambda: full(disk), 20, 0.05) else "never full: the system saw to that"]
    for other in (honest.COUNTER, honest.TYPIST, app, honest.TYPIST):
        told.append(step(world, f"open {other.rpartition('.')[2]}", 15, lambda other=other: control.ask(
            "open", app=other, wait=True, within=15)))
    pid = world.pid("daemon")
    if pid:
        kernel.kill(pid)
        # The connection is gone with it.
        control.close()
        told.append(step(world, "another daemon after kill -9", 20, lambda: control.insist("status", within=20)))
    told.append(step(world, "uninstall", 20, lambda: control.insist("uninstall", app=app, within=20)))
    apps.additions["after"] = apps.open(honest.COUNTER, "counter://add?n=1&u=after")
    if not apps.additions["after"]:
        world.breach("full disk: Counter cannot be opened after the filler is gone")
    apps.open(honest.TYPIST)
    apps.lines["behind"] = apps.type("behind")
    time.sleep(0.5)
    apps.verify_lines()
    apps.compare("Counter's addition", apps.additions, {"after": kernel.text(
        os.path.join(world.home, "run", honest.COUNTER, "output")).count("u=after handled")})
    return told
