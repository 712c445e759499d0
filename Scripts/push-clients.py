#!/usr/bin/env python3
"""Sends to the gateway with public libraries for APNs, as they come from PyPI: each has an HTTP/2, tokens and an idea
of an answer of its own (Fixtures/providers). What they are told is compared with docs/PUSH.md, and what a device gets
with what they sent.

    push-clients.py [--bin .build/bin] [--only LIBRARY] [--keep]

The libraries are installed in .build/push-clients, in the versions of Fixtures/providers/requirements.
"""

import argparse
import json
import shutil
import sqlite3
import sys
import tempfile
import threading
import time
import uuid
from typing import Any

sys.dont_write_bytecode = True
from storms.places import BIN  # noqa: E402
from storms.push.check import APP, GONE, OTHER, STATUS, VOIP, Check  # noqa: E402
from storms.push.libraries import LIBRARIES, Failure, Gateway, demand  # noqa: E402

HOUR = 3600
ALERT = {"type": "alert", "alert": ["New", "Ein Gespräch über 鳥 🐦"], "badge": 3, "custom": {"episode": 12}}
SILENT = {"type": "background", "silent": True, "priority": 5, "custom": {"feed": ["a", {"b": None}]}}
CALL = {"type": "voip", "topic": VOIP, "priority": 10, "lasts": 0, "custom": {"caller": "Ann", "video": True}}

TOKENS = ("aioapns", "pyapns-client", "kalyke", "apns2")
CERTIFICATES = ("aioapns", "aapns", "apns2")
EVERY = tuple(LIBRARIES)


def successes(check):
    """Every type, with a token and with a certificate, with each header that a library can send."""
    for library in check.of(TOKENS):
        every_type(check, library, library.open(check.token(), APP))
    for library in check.of(CERTIFICATES):
        client = library.open(check.certificate(), APP)
        every_type(check, library, client, alert=library.name == "aapns")
    for library in check.of(["kalyke"]):
        check.accept(library, library.open(check.certificate()), **CALL)
    for library in check.of(["aapns", "apns2"]):
        # A certificate of one app: the topic may be left out.
        sent, marker = check.marked({**ALERT, "type": "alert"})
        answer = library.send(library.open(check.certificate()), **{k: v for k, v in sent.items() if k != "topic"})
        check.arrived(library, sent, marker, answer)


def every_type(check, library, client, alert=False):
    # aapns sends nothing without an alert.
    more = {"alert": ["A", "B"]} if alert else {}
    check.accept(library, client, **ALERT)
    check.accept(library, client, **SILENT, **more)
    check.accept(library, client, **CALL, **more)
    check.accept(library, client, **{**ALERT, "collapse": "c" * 64, "lasts": HOUR})
    if library.name != "apns2":
        check.accept(library, client, **ALERT, id=str(uuid.uuid4()))
        check.accept(library, client, **ALERT, id=str(uuid.uuid4()).upper())
    check.accept(library, client, **{**ALERT, "priority": 5})
    if library.name == "kalyke":
        check.accept(library, client, **{**ALERT, "priority": 1})


def sizes(check):
    """A payload of just as many bytes as there may be."""
    for library, separators in [("aioapns", (", ", ": ")), ("kalyke", (",", ":"))]:
        for library in check.of([library]):
            client = library.open(check.token(), APP)
            for most, kind, topic in [(4096, "alert", APP), (5120, "voip", VOIP)]:
                payload: dict[str, Any] = {"aps": {"alert": "x"}, "marker": str(uuid.uuid4()), "long": ""}

                def left():
                    text = json.dumps(payload, separators=separators, ensure_ascii=False)
                    return most - len(text.encode())

                payload["long"] = "ü" * (left() // 2)
                payload["long"] += "x" * left()
                check.accept(library, client, type=kind, topic=topic, payload=payload)
                payload["long"] += "x"
                check.refuse(
                    library, "PayloadTooLarge", client, type=kind, topic=topic, token=check.tokens[topic],
                    payload=payload, alert=None,
                )


def bursts(check):
    """Many at once: every answer goes to its request. Each has a topic of its own, so that none supersedes another."""
    topics = [f"com.example.burst.{number}" for number in range(400)]
    for topic in topics:
        check.tokens[topic] = check.device.register(topic)
    for name, count in [("aioapns", 400), ("apns2", 400), ("aapns", 50), ("kalyke", 16)]:
        for library in check.of([name]):
            credentials = check.certificate(topics[0], *topics[:count]) if name == "aapns" else check.token()
            client = library.open(credentials, topics[0])
            sends = [check.marked({"alert": ["A", "B"], "topic": topic}) for topic in topics[:count]]
            for number, (send, _) in enumerate(sends):
                # Every tenth is wrong, so that answers of both kinds cross each other.
                if number % 10 == 0:
                    send["collapse"] = "x" * 65
                if name != "apns2":
                    send["id"] = str(uuid.uuid4())
            answers = library.ask(do="burst", **{"as": client}, sends=[send for send, _ in sends])["answers"]
            for number, ((send, marker), answer) in enumerate(zip(sends, answers)):
                if number % 10:
                    check.arrived(library, send, marker, answer)
                else:
                    check.told(library, "BadCollapseId", answer, send)


def wrong_requests(check):
    """What a provider may write wrong."""
    wrong = {"payload": {}, "alert": None}
    instead = {"custom": {"aps": 5}}
    check.device.unregister(GONE)
    ended = time.time() * 1000
    for library in check.of(EVERY):
        name = library.name
        both = check.certificate(APP, APP, OTHER)
        client = library.open(both if name == "aapns" else check.token(), APP)

        def refuse(reason, **push):
            return check.refuse(library, reason, client, **push)

        refuse("BadCollapseId", collapse="c" * 65)
        refuse("BadDeviceToken", token="0" * 64)
        refuse("BadDeviceToken", token="token")
        refuse("BadPath", token=check.tokens[APP] + "/more")
        refuse("MissingDeviceToken", token="")
        refuse("BadTopic", topic="com.example podcasts")
        refuse("DeviceTokenNotForTopic", topic=OTHER)
        late = {"aioapns": {"lasts": -(10**11)}, "apns2": {"expiration": -5}}
        refuse("BadExpirationDate", **late.get(name, {"expiration": "soon"}))
        refuse("PayloadEmpty", **(wrong if name in ("aioapns", "kalyke") else instead))
        if name != "aapns":
            disallowed = library.open(check.keys["limited"], APP)
        if name in ("aioapns", "pyapns-client"):
            refuse("BadPriority", priority=7)
        if name != "apns2":
            refuse("BadMessageId", id=uuid.uuid4().hex)
        if name == "pyapns-client":
            refuse("InvalidPushType", type="whisper")
            refuse("BadTopic", type="voip")
            refuse("PayloadTooLarge", custom={"long": "x" * 5000})
        if name == "apns2":
            refuse("PayloadTooLarge", alert=["A", "x" * 5000])
        if name != "aioapns":
            refuse("MissingTopic", topic=None)
        if name == "aapns":
            check.refuse(library, "TopicDisallowed", library.open(check.certificate()), topic=OTHER)
        else:
            check.refuse(library, "TopicDisallowed", disallowed)
        told = check.refuse(
            library, "Unregistered", library.open(check.certificate(GONE) if name == "aapns" else check.token(), GONE),
            topic=GONE, token=check.tokens[GONE],
        )
        if name != "aapns":
            since = int(told["timestamp"]) - ended
            demand(-5000 < since < 5000, f"{name}: unregistered {since} ms after it was")
        # None of it has harmed the connection, or it was opened again.
        check.accept(library, client, **{**ALERT, "type": "alert"})


def wrong_credentials(check):
    """Tokens that are too old, too new, of another team, of a key that the gateway does not know; certificates too."""
    for library in check.of(TOKENS):
        for offset, reason in [(-2 * HOUR, "ExpiredProviderToken"), (2 * HOUR, "InvalidProviderToken")]:
            library.ask(do="clock", offset=offset)
            check.refuse(library, reason, library.open(check.token(), APP))
        library.ask(do="clock", offset=0)
        for credentials in (check.stranger["key"], {**check.token(), "team": "ABCDEFGHIJ"}):
            check.refuse(library, "InvalidProviderToken", library.open(credentials, APP))
        check.refuse(library, "Forbidden", library.open(check.keys["suspended"], APP))
    for library in check.of(CERTIFICATES + ("kalyke",)):
        call = {"topic": VOIP, "token": check.tokens[VOIP], "type": "voip"} if library.name == "kalyke" else {}
        development = check.gateway.certificate(APP, "--development")
        for credentials, reason in [
            (check.stranger["certificate"], "BadCertificate"), (development, "BadCertificateEnvironment"),
        ]:
            client = library.open(credentials, APP)
            check.refuse(library, reason, client, **call)
            if library.name == "aapns":
                # It reads GOAWAY, and gives up for good after the second reason.
                closed = library.send(client, token=check.tokens[APP], topic=APP, alert=["A", "B"])
                demand(reason in (closed.get("closed"), closed.get("reason")), f"aapns: {closed} after {reason}")
        if library.name != "kalyke":
            check.refuse(library, "TopicDisallowed", library.open(check.certificate(), APP), topic=OTHER)
    for library in check.of(["aapns"]):
        check.refuse(library, "MissingProviderToken", library.open({}))


def limits(check):
    """Too much of something, with a gateway that has little of it."""
    gateway = check.gateway
    keys = {name: gateway.key() for name in TOKENS}
    gateway.restart(requestBurst=3, requestsPerSecond=0.001, tokensPerKey=2)
    check.connect_again()
    for library in check.of(EVERY):
        topic = "com.example.limit." + library.name
        check.tokens[topic] = check.device.register(topic)
        client = library.open(check.certificate(topic) if library.name == "aapns" else check.token(), topic)
        for _ in range(3):
            check.accept(library, client, alert=["A", "B"], topic=topic)
        check.refuse(library, "TooManyRequests", client, topic=topic, token=check.tokens[topic])
    for library in check.of(TOKENS):
        topic = "com.example.tokens." + library.name
        check.tokens[topic] = check.device.register(topic)
        for offset in (0, -60, -120):
            library.ask(do="clock", offset=offset)
            client = library.open(keys[library.name], topic)
            if offset > -120:
                check.accept(library, client, alert=["A", "B"], topic=topic)
            else:
                check.refuse(
                    library, "TooManyProviderTokenUpdates", client, topic=topic, token=check.tokens[topic]
                )
        library.ask(do="clock", offset=0)


def failures(check):
    """A store that is full, and one that cannot be written."""
    gateway = check.gateway
    # A message that its device has at once needs no store.
    check.device.close()
    gateway.restart(storeLimit=1)
    for library in check.of(EVERY):
        client = library.open(check.certificate() if library.name == "aapns" else check.token(), APP)
        check.refuse(library, "ServiceUnavailable", client)
    gateway.restart()
    lock = sqlite3.connect(gateway.home + "/messages.sqlite", isolation_level=None)
    lock.execute("BEGIN IMMEDIATE")
    # All of them at once: each waits for as long as the gateway waits for the lock.
    problems = []

    def fail(library):
        try:
            client = library.open(check.certificate() if library.name == "aapns" else check.token(), APP)
            check.refuse(library, "InternalServerError", client, lasts=HOUR)
        except Exception as problem:
            problems.append(problem)

    # pyapns-client tries three times.
    threads = [threading.Thread(target=fail, args=[library]) for library in check.of(["aioapns", "apns2", "aapns"])]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    lock.execute("ROLLBACK")
    lock.close()
    if problems:
        raise problems[0]


def gone_devices(check):
    """A device that has not been there for longer than tokens live."""
    check.gateway.restart(deviceLifetime=1)
    check.connect_again()
    check.device.close()
    for library in check.of(["aioapns", "aapns", "apns2"]):
        client = library.open(check.certificate() if library.name == "aapns" else check.token(), APP)
        deadline = time.monotonic() + 20
        while True:
            push = {"token": check.tokens[APP], "topic": APP, "alert": ["A", "B"]}
            answer = library.send(client, **push)
            if answer.get("status") != 200:
                check.told(library, "ExpiredToken", answer, push)
                break
            demand(time.monotonic() < deadline, "the device never counts as gone")
            # No faster than the gateway lets a provider ask: the device is gone by the clock.
            time.sleep(0.1)


def ends(check):
    """A gateway that ends a connection, by its settings or because it ends itself, is connected to again."""
    gateway = check.gateway
    gateway.restart(idle=1)
    check.connect_again()
    before = gateway.ended("IdleTimeout")
    # hyper does not connect again: those who use apns2 make a new client then.
    libraries = check.of(name for name in EVERY if name != "apns2")
    clients = {}
    for library in libraries:
        clients[library.name] = library.open(check.certificate() if library.name == "aapns" else check.token(), APP)
        check.accept(library, clients[library.name], **{**ALERT, "type": "alert"})
    # The others keep no connection.
    keeping = len(check.of(["aioapns", "aapns"]))
    deadline = time.monotonic() + 30
    while gateway.ended("IdleTimeout") < before + keeping:
        demand(time.monotonic() < deadline, "connections that are idle are not closed")
        time.sleep(0.2)
    for library in libraries:
        check.accept(library, clients[library.name], **{**ALERT, "type": "alert"})
    gateway.restart()
    check.connect_again()
    for library in libraries:
        check.accept(library, clients[library.name], **{**ALERT, "type": "alert"})


PARTS = [successes, sizes, bursts, wrong_requests, wrong_credentials, limits, ends, gone_devices, failures]


def report(check):
    print(f"{'':<16}{'accepted':>9}{'refused':>9}  reasons")
    for name in check.libraries:
        refused = check.refused[name]
        reasons = " ".join(sorted(refused))
        print(f"{name:<16}{check.accepted[name]:>9}{sum(refused.values()):>9}  {len(refused)}: {reasons}")
    given = {reason for refused in check.refused.values() for reason in refused}
    if len(check.libraries) == len(LIBRARIES):
        missing = set(STATUS) - given
        demand(not missing, f"no library was told {' '.join(sorted(missing))}")
    total = sum(check.accepted.values()) + sum(sum(refused.values()) for refused in check.refused.values())
    print(f"{len(check.libraries)} public libraries, {total} pushes, {len(given)} reasons: all as they should be")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bin", default=BIN)
    parser.add_argument("--only", action="append", choices=list(LIBRARIES))
    parser.add_argument("--keep", action="store_true", help="keep the folder with the gateway's log")
    options = parser.parse_args()
    folder = tempfile.mkdtemp(prefix="greenroom-push-clients-")
    gateway, check = Gateway(options.bin, folder + "/gateway"), None
    try:
        stranger = Gateway(options.bin, folder + "/stranger")
        limited, suspended = gateway.key("--app", OTHER), gateway.key()
        gateway.suspend(suspended["key"])
        gateway.start()
        check = Check(gateway, stranger, folder, options.only)
        check.keys = {"limited": limited, "suspended": suspended}
        for part in PARTS:
            began = time.monotonic()
            part(check)
            print(f"{part.__name__.replace('_', ' '):<20}{time.monotonic() - began:6.1f} s", flush=True)
        report(check)
    except (Failure, OSError) as problem:
        print(f"FAILED: {problem}", file=sys.stderr)
        options.keep = True
        return 1
    finally:
        for library in check.libraries.values() if check else []:
            library.end()
        if check:
            check.device.close()
        gateway.kill()
        if options.keep:
            print(f"the gateway's log: {gateway.log.name}", file=sys.stderr)
        else:
            shutil.rmtree(folder)
    return 0


if __name__ == "__main__":
    sys.exit(main())
