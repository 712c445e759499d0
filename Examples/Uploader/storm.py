#!/usr/bin/env python3
"""Uploads photos while everything dies: storm.py PROGRAMS [SEEDS] [PHOTOS] [FIRST SEED]. Needs root, as apps have users."""

import hashlib
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
APP = "org.greenroom.examples.uploader"


def profile():
    """A device whose background tasks have two seconds, so that many expire."""
    def span(seconds):
        return {"nanoseconds": int(seconds * 1e9)}

    callbacks = ["willFinishLaunching", "didFinishLaunching", "didBecomeActive", "willResignActive", "didEnterBackground",
                 "willEnterForeground", "willTerminate", "openURL"]
    return {
        "name": "hasty", "hasMultitasking": True, "locking": "sendsToBackground", "expirationThread": "anyThread",
        "launchLimit": span(20), "callbackLimits": {name: span(20) for name in callbacks}, "mainThreadLimit": span(20),
        "checkInterval": span(5), "processLimit": 512, "freezeLimit": span(1), "freezeAttempts": 5,
        "hasSplitScreen": True,
        "tasks": {"limit": span(2), "windowLimit": span(1), "notice": span(1.5), "verdict": "runningBoard",
                  "countLimit": 100},
    }


def run(seed, programs, bundle, count):
    chance = random.Random(seed)
    root = tempfile.mkdtemp(prefix="greenroom-uploads-")
    home, served = os.path.join(root, "home"), os.path.join(root, "served")
    environment = dict(os.environ, GREENROOM_HOME=home)
    server = None

    def tool(*arguments):
        return subprocess.run(
            [os.path.join(programs, "greenroom"), *arguments], env=environment, capture_output=True, text=True)

    def serve():
        # Slow, so that what dies has something to do.
        command = [sys.executable, os.path.join(HERE, "server.py"), served, "8090", "10"]
        return subprocess.Popen(command, stdout=subprocess.DEVNULL)

    def end(pid):
        try:
            os.kill(pid, signal.SIGKILL)
        except (ProcessLookupError, TypeError):
            pass

    def app():
        found = json.loads(tool("apps", "--json").stdout or "[]")
        return next((one for one in found if one["app"] == APP), {})

    kinds = dict.fromkeys(["home", "open", "app", "daemon", "server", "wait"], 0)
    try:
        device = os.path.join(root, "hasty.json")
        with open(device, "w") as file:
            json.dump(profile(), file)
        up = tool("up", "--detach", "--device", device)
        assert up.returncode == 0, up.stderr
        assert tool("install", bundle).returncode == 0, "the app cannot be installed"
        documents = os.path.join(home, "containers", APP, "Documents")
        photos = os.path.join(documents, "Photos")
        owner = os.stat(documents)
        os.mkdir(photos)
        expected = set()
        for _ in range(count):
            data = chance.randbytes(chance.randrange(1_000_000, 5_000_000))
            name = hashlib.sha256(data).hexdigest() + ".jpg"
            expected.add(name)
            with open(os.path.join(photos, name), "wb") as file:
                file.write(data)
            os.chown(file.name, owner.st_uid, owner.st_gid)
        os.chown(photos, owner.st_uid, owner.st_gid)
        server = serve()
        tool("open", "uploader")
        deadline = time.monotonic() + 300
        while os.listdir(photos):
            assert time.monotonic() < deadline, f"{len(os.listdir(photos))} photos are left"
            kind = chance.choices(list(kinds), [4, 6, 2, 1, 2, 6])[0]
            kinds[kind] += 1
            if kind == "home":
                tool("home", "--no-wait")
                if chance.random() < 0.3:
                    # Longer than its background task may take.
                    time.sleep(2.2)
            elif kind == "open":
                tool("open", "--no-wait", "uploader")
            elif kind == "app":
                end(app().get("pid"))
            elif kind == "daemon":
                end(json.loads(tool("status", "--json").stdout or "{}").get("pid"))
            elif kind == "server":
                server.kill()
                server.wait()
                time.sleep(chance.random() * 0.3)
                server = serve()
            time.sleep(chance.random() * 0.4)
        done = os.path.join(served, "done")
        for name in os.listdir(done):
            with open(os.path.join(done, name), "rb") as file:
                assert hashlib.file_digest(file, "sha256").hexdigest() + ".jpg" == name, f"{name} is damaged"
        assert set(os.listdir(done)) == expected, "photos are missing"
        assert not os.path.exists(os.path.join(served, "arrived-again")), "a photo arrived twice"
        assert set(os.listdir(os.path.join(documents, "Uploaded"))) == expected
        expirations = tool("log", "--json", "--app", APP).stdout.count('"tasksExpired"')
        print(f"seed {seed}: {count} photos, once and intact; {kinds}, {expirations} expirations", flush=True)
        return kinds
    finally:
        if server:
            server.kill()
            server.wait()
        tool("down")
        shutil.rmtree(root, ignore_errors=True)


def main():
    programs = os.path.abspath(sys.argv[1])
    seeds, count, first = (int(text) for text in (sys.argv[2:] + ["50", "100", "1"][len(sys.argv) - 2:])[:3])
    bundle = os.path.join(programs, "..", "apps", "Uploader.app")
    kills = 0
    for seed in range(first, first + seeds):
        kinds = run(seed, programs, bundle, count)
        kills += kinds["app"] + kinds["daemon"] + kinds["server"]
    if kills < seeds:
        sys.exit(f"only {kills} kills in {seeds} runs: nothing was tried")


if __name__ == "__main__":
    main()
