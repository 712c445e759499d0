#!/usr/bin/env python3
"""What the kernel's means against a shortage of memory do on this device: reclaim, release, pressure; printed as tables.

usage: pressure.py reclaim|release|triggers|rescue|leak MB MS [LIMIT]
"""

import errno
import os
import select
import subprocess
import sys

from kernel import (MADV_COLD, MADV_FREE, MADV_PAGEOUT, MB, App, Trigger, available, drop_resource, fields, lock, now,
                    read)

FILE = "/tmp/clean"


def make_file(megabytes):
    """A file that is on the disk and not in memory: its pages count for the group that reads them first."""
    with open(FILE, "ab") as file:
        while file.tell() < megabytes * MB:
            file.write(os.urandom(4096) * (MB // 4096))
        os.fsync(file.fileno())
        os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)


def row(*cells):
    print("| " + " | ".join(str(cell) for cell in cells) + " |", flush=True)


def hold(is_so, what):
    """What Greenroom relies on."""
    if not is_so:
        sys.exit(f"pressure: it is not so that {what}")


def table(*heads):
    print()
    row(*heads)
    row(*("---" for _ in heads))


def named(error):
    return errno.errorcode[error.errno]


# MARK: Reclaim

def madvise(advice):
    return lambda app: f"{app.advise(advice) / MB:.0f} MB advised"


def reclaim(app):
    """memory.reclaim of everything, again while it brings something."""
    size = fields(read(f"{app.group.path}/memory.stat"))
    try:
        app.group.write("memory.reclaim", str(size["anon"] + size["file"]))
        return "all"
    except OSError as error:
        return named(error)


def high(app):
    """A limit below what it has, taken back at once."""
    app.group.write("memory.high", "0")
    app.group.write("memory.high", "max")
    return "set and taken back"


TAKING = ["process_madvise(MADV_PAGEOUT)", "memory.reclaim"]
MEANS = {"process_madvise(MADV_PAGEOUT)": madvise(MADV_PAGEOUT), "process_madvise(MADV_COLD)": madvise(MADV_COLD),
         "process_madvise(MADV_FREE)": madvise(MADV_FREE), "memory.reclaim": reclaim, "memory.high": high}


def reclaiming(size=50):
    """Of an app that has a file for itself, and of one that is the first of two to have it."""
    for others in [0, 1]:
        table(f"a frozen app of {size} MB dirty, purgeable, clean each, and {others} that map the file as well", "answer",
              "ms", "dirty", "purgeable", "clean", "MemAvailable", "MemFree")
        for name, means in MEANS.items():
            reclaim_by(name, means, size, others)


def reclaim_by(name, means, size, others):
    make_file(size)
    app = App("reclaim", "hold", size, size, FILE)
    sharing = [App(f"sharing-{number}", "hold", 0, 0, FILE) for number in range(others)]
    for one in [app, *sharing]:
        one.group.freeze()
    before, had = app.memory(), fields(read("/proc/meminfo"))
    begin = now()
    try:
        answer = means(app)
    except OSError as error:
        answer = named(error)
    took, after, has = now() - begin, app.memory(), fields(read("/proc/meminfo"))
    if name in TAKING and not others:
        hold(after["purgeable"] < 1 and after["clean"] < before["clean"] / 4 and after["dirty"] > size,
             f"{name} takes what is purgeable and clean, and nothing else")
    row(name, answer, f"{took:.0f}", *(f"{before[kind]:.0f} → {after[kind]:.0f}" for kind in before),
        *(f"{(has[kind] - had[kind]) / 1024:+.0f} MB" for kind in ["MemAvailable", "MemFree"]))
    for one in [app, *sharing]:
        one.end()


# MARK: Release

def back(start, least, limit=5000):
    """Milliseconds until so much is available again; looking costs less than a tenth of one."""
    while available() < least:
        if now() - start > limit:
            return "never"
    return f"{now() - start:.0f}"


def releasing(size=200):
    table(f"an app of {size} MB dirty", "state", "kill returned, ms", "process_mrelease returned, ms",
          "memory back, ms", "process collected, ms")
    for means in ["SIGKILL", "SIGKILL and process_mrelease", "cgroup.kill", "cgroup.kill and process_mrelease"]:
        for is_frozen in [False, True]:
            app = App("release", "hold", size, 0, "-")
            if is_frozen:
                app.group.freeze()
            least = available() + size * 0.9
            begin = now()
            if means.startswith("cgroup.kill"):
                app.group.write("cgroup.kill", "1")
            else:
                app.kill()
            killed, released = now() - begin, ""
            if "mrelease" in means:
                try:
                    app.release()
                    released = f"{now() - begin:.0f}"
                except OSError as error:
                    released = named(error)
            returned = back(begin, least)
            app.process.wait()
            row(means, "frozen" if is_frozen else "runs", f"{killed:.1f}", released, returned, f"{now() - begin:.0f}")
            app.end()


# MARK: Triggers

def accepted(line, path):
    try:
        os.close(Trigger(line, path).fileno())
        return "yes"
    except OSError as error:
        return named(error)


def triggering():
    table("trigger", "system, root", "system, root without CAP_SYS_RESOURCE", "system, nobody", "a group, root")
    app = App("triggers", "hold", 1, 0, "-")
    lines = [f"some {window // 10} {window}" for window in
             [100_000, 499_000, 500_000, 1_000_000, 1_500_000, 2_000_000, 10_000_000, 11_000_000]]
    less = {}
    for user, means in {"without": {"preexec_fn": drop_resource}, "nobody": {"user": 65534}}.items():
        less[user] = subprocess.run([sys.executable, os.path.abspath(__file__), "try", *lines], stdout=subprocess.PIPE,
                                    check=True, text=True, **means).stdout.split("\n")
    for index, line in enumerate(lines):
        row(line, accepted(line, "/proc/pressure/memory"), less["without"][index], less["nobody"][index],
            accepted(line, f"{app.group.path}/memory.pressure"))
    app.end()


# MARK: A leak

def watching(app):
    """What could tell of a shortage, each with the file that tells."""
    signs = {}
    for scope, path in {"system": "/proc/pressure/memory", "group": f"{app.group.path}/memory.pressure"}.items():
        for kind, stall in [("some", 5), ("some", 50), ("full", 5), ("full", 50)]:
            line = f"{kind} {stall * 1000} 500000"
            signs[f"PSI, {scope}: {kind} {stall} ms in 500 ms"] = Trigger(line, path).fileno()
    signs["memory.events of the group"] = os.open(f"{app.group.path}/memory.events", os.O_RDONLY)
    # What has not been read yet is news.
    os.read(signs["memory.events of the group"], 4096)
    return signs


def ends_within(app, milliseconds):
    poll = select.poll()
    poll.register(app.pidfd, select.POLLIN)
    return bool(poll.poll(milliseconds))


def leaking(megabytes=1, milliseconds=1.0, limit=None):
    """A leak from nothing to the end, with what told of it, and when."""
    make_file(50)
    # A second app, whose pages are clean: what the kernel has to take first.
    other = App("other", "hold", 20, 20, FILE)
    app = App("leak", "grow", megabytes, milliseconds)
    app.group.write("memory.oom.group", "1")
    if limit:
        app.group.write("memory.high", limit)
    # Only the leak is to be chosen.
    with open(f"/proc/{app.pid}/oom_score_adj", "w") as file:
        file.write("1000")
    signs = watching(app)
    poll = select.poll()
    for file in signs.values():
        poll.register(file, select.POLLPRI)
    poll.register(app.pidfd, select.POLLIN)
    names = {file: name for name, file in signs.items()}
    total, floors = available(), [0.5, 0.25, 0.15, 0.10, 0.05, 0.03, 0.02]
    told, start, is_over = [], now(), False
    app.go()
    while not is_over:
        for file, _ in poll.poll(1):
            if file == app.pidfd:
                is_over = True
            else:
                told.append((now() - start, names[file], available()))
                poll.unregister(file)
                if limit and names[file].startswith("memory.events"):
                    # What it can still take, slowed down as it is from here on.
                    ends_within(app, 3000)
                    is_over = True
        left = available()
        while floors and left < total * floors[0]:
            told.append((now() - start, f"MemAvailable below {floors.pop(0) * 100:.0f} %", left))
    end = now() - start
    app.kill()
    lines = app.process.stdout.read().split()
    table(f"a leak of {megabytes} MB in {milliseconds:g} ms{' above ' + limit if limit else ''}", "after, ms",
          "before the end, ms", "MemAvailable, MB")
    for moment, name, left in told:
        row(name, f"{moment:.0f}", f"{end - moment:.0f}", f"{left:.0f}")
    row("the limit holds it" if limit else "it is ended", f"{end:.0f}", "0", f"{available():.0f}")
    kept = {key: round(value) for key, value in other.memory().items()}
    print(f"\nIt had {lines[-1] if lines else 0} MB: {float(lines[-1]) / end:.2f} MB per ms. Its memory.events: "
          f"{app.group.events()}. The other app, of 20 MB dirty, 20 MB purgeable, 50 MB clean, keeps {kept}.")
    print("PSI: " + "; ".join(read("/proc/pressure/memory").splitlines()))
    app.end()
    other.end()


# MARK: Rescue

def rescuing(megabytes=2, milliseconds=2.0):
    """A leak that is ended when so little is available: whether that is in time, and when the memory is back."""
    table("ended when MemAvailable is below, looked at every 10 ms", "available then, MB", "leak's speed, MB per ms",
          "process_mrelease returned, ms", "memory back, ms", "OOM kills")
    for percent in [20, 15, 10, 5, 3]:
        make_file(50)
        other = App("other", "hold", 20, 20, FILE)
        app = App("leak", "grow", megabytes, milliseconds)
        kills, total, start = fields(read("/proc/vmstat"))["oom_kill"], available(), now()
        app.go()
        while available() > total * percent / 100 and not ends_within(app, 10):
            pass
        then, begin = available(), now()
        speed = (total - then) / (begin - start)
        app.kill()
        try:
            app.release()
        except ProcessLookupError:
            # The kernel was quicker.
            pass
        released = now() - begin
        returned = back(begin, total * 0.9)
        kills = fields(read("/proc/vmstat"))["oom_kill"] - kills
        hold(kills == 0 and returned != "never", f"a leak that is ended at {percent} % is ended in time")
        row(f"{percent} %", f"{then:.0f}", f"{speed:.2f}", f"{released:.0f}", returned, kills)
        app.end()
        other.end()


def main():
    what, rest = sys.argv[1], sys.argv[2:]
    if what == "try":
        print("\n".join(accepted(line, "/proc/pressure/memory") for line in rest))
        return
    lock()
    if what == "leak":
        leaking(int(rest[0]), float(rest[1]), *rest[2:])
    else:
        {"reclaim": reclaiming, "release": releasing, "triggers": triggering, "rescue": rescuing}[what]()


if __name__ == "__main__":
    main()
