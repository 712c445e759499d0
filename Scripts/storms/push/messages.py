"""Messages of the storm: what was sent, how it was answered, and what the apps wrote down of it."""

import concurrent.futures
import random
import threading
import time
import uuid
from collections.abc import Callable, Iterable
from typing import Any

from storms.servers.provider import Provider

# Events, of which one has to reach the app.
Way = tuple[str, ...]

# How an app hears of a message: of an alert it is asked while it is on the screen, or told that the user has tapped it, or
# both, where it leaves the screen while it is asked; of what wakes it, it is told as of a push.
SEEN, PUSHED = ("present", "response"), ("push",)
EVENTS = SEEN + PUSHED
# An app that is killed has so many of its last lines in its hands.
IN_HAND = 8


class Message:
    def __init__(self, number: int, app: str, kind: str, ways: list[Way], is_strict: bool) -> None:
        self.name = f"m{number}"
        self.number = number
        self.app = app
        self.kind = kind
        # The ways by which it has to reach the app.
        self.ways = ways
        self.is_strict = is_strict
        self.sent = time.monotonic()
        self.answer: dict[str, Any] | None = None
        # The processes that heard of it, and their lines about it.
        self.heard: dict[str, list[tuple[int, int]]] = {event: [] for event in EVENTS}

    @property
    def is_accepted(self) -> bool:
        return self.answer is not None and self.answer["status"] == 200

    @property
    def has_arrived(self) -> bool:
        return all(any(self.heard[event] for event in way) for way in self.ways)


class Ledger:
    def __init__(self) -> None:
        self.messages: list[Message] = []
        self.by_name: dict[str, Message] = {}
        self.last_lines: dict[int, list[tuple[str, str]]] = {}
        # When the storm killed which process.
        self.deaths: dict[int, float] = {}
        self.told_again = 0
        self.strangers: list[str] = []
        self.lock = threading.Lock()
        self.latencies: list[float] = []

    def add(self, app: str, kind: str, ways: list[Way], is_strict: bool) -> Message:
        with self.lock:
            message = Message(len(self.messages), app, kind, ways, is_strict)
            self.messages.append(message)
            self.by_name[message.name] = message
            return message

    def read(self, lines: Iterable[dict[str, Any]]) -> bool:
        """Whether anything arrived."""
        news = False
        for line in lines:
            event = line["event"]
            if event not in EVENTS:
                continue
            name = line.get("payload", line).get("message")
            message = self.by_name.get(name)
            if message is None or message.app != line["app"]:
                self.strangers.append(f"{line['app']} heard of {name}")
                continue
            lines_before = self.last_lines.setdefault(line["pid"], [])
            lines_before.append((name, event))
            had_arrived = message.has_arrived
            message.heard[event].append((line["pid"], len(lines_before) - 1))
            if message.has_arrived and not had_arrived:
                self.latencies.append(time.monotonic() - message.sent)
            news = True
        return news

    def waiting(self, seconds: float) -> list[str]:
        """Apps that a message has not reached for so long."""
        with self.lock:
            now = time.monotonic()
            return sorted({
                message.app for message in self.messages[-2000:]
                if message.is_accepted and not message.has_arrived and now - message.sent > seconds
                and (message.is_strict or self.newest(message))})

    def newest(self, message: Message) -> bool:
        return not any(later.app == message.app and later.is_accepted for later in self.messages[message.number + 1:])

    # The oracle

    def was_in_hand(self, pid: int, place: int) -> bool:
        """The storm killed the process while it dealt with this."""
        return pid in self.deaths and place >= len(self.last_lines[pid]) - IN_HAND

    def faults(self) -> list[str]:
        faults = list(self.strangers)
        for message in self.messages:
            if message.answer is None:
                faults.append(f"{message.name} ({message.kind}) was never answered")
            elif not message.is_accepted:
                faults.append(f"{message.name} ({message.kind}) was refused: {message.answer}")
            elif not message.has_arrived and (message.is_strict or (message.kind != "fleeting" and self.newest(message))):
                faults.append(f"{message.name} ({message.kind}, {message.app}) is lost: {message.heard}")
            for event, heard in message.heard.items():
                if heard and not any(event in way for way in message.ways):
                    faults.append(f"{message.name} ({message.kind}) came as {event}: {heard}")
                for (pid, place), (next_pid, _) in zip(heard, heard[1:]):
                    if pid == next_pid or not self.was_in_hand(pid, place):
                        faults.append(f"{message.name} ({message.kind}) was told twice: {heard}")
                    else:
                        self.told_again += 1
        return faults

    def counts(self) -> dict[str, Any]:
        arrived = sum(message.has_arrived for message in self.messages)
        latencies: list[float] = sorted(self.latencies) or [0]
        return {
            "messages": len(self.messages), "arrived": arrived, "superseded": len(self.messages) - arrived,
            "toldAgainToKilledApps": self.told_again,
            "askedAndTapped": sum(all(message.heard[event] for event in SEEN) for message in self.messages),
            "latencies": {
                str(part): round(latencies[min(len(latencies) - 1, int(len(latencies) * part))], 2)
                for part in (0.5, 0.9, 0.99, 1.0)},
        }

    def describe_waiting(self) -> list[str]:
        return [
            f"{message.name} ({message.kind}, {message.app}): {message.answer}" for message in self.messages
            if message.is_strict and not message.has_arrived][:10]


def alert(message: Message) -> dict[str, Any]:
    return {"aps": {"alert": {"title": message.name, "body": "of the storm"}}, "message": message.name}


def silent(message: Message) -> dict[str, Any]:
    return {"aps": {"content-available": 1}, "message": message.name}


def both(message: Message) -> dict[str, Any]:
    return {"aps": {"alert": message.name, "content-available": 1}, "message": message.name}


# Makes what a message carries.
Payload = Callable[[Message], dict[str, Any]]


class Flow:
    """Sends messages of one sort."""

    def __init__(
            self, ledger: Ledger, provider: Provider, tokens: dict[str, str], count: int, chance: random.Random) -> None:
        self.ledger, self.provider, self.tokens, self.chance = ledger, provider, tokens, chance
        self.left = count
        self.sent: list[Message] = []
        self.extends = False

    def go_on(self) -> None:
        """Sends what may be sent now."""
        raise NotImplementedError

    @property
    def is_done(self) -> bool:
        raise NotImplementedError

    def extend(self, extends: bool) -> None:
        self.extends = extends

    @property
    def may_send(self) -> bool:
        return self.left > 0 or self.extends

    def send(
            self, app: str, kind: str, payload: Payload, ways: list[Way], is_strict: bool,
            headers: dict[str, str]) -> Message:
        message = self.ledger.add(app, kind, ways, is_strict)
        self.left -= 1
        self.sent.append(message)
        headers = {"apns-topic": app, "apns-id": str(uuid.uuid4()).upper(), **headers}

        def answered(future: concurrent.futures.Future[dict[str, Any]]) -> None:
            message.answer = future.result()

        self.provider.send(self.tokens[app], payload(message), headers, repeat=True).add_done_callback(answered)
        return message


class Steady(Flow):
    """One message at a time to each app."""

    KINDS: dict[str, tuple[Payload, list[Way], dict[str, str]]] = {
        "alert": (alert, [SEEN], {"apns-push-type": "alert"}),
        "both": (both, [SEEN, PUSHED], {"apns-push-type": "alert"}),
        "background": (silent, [PUSHED], {"apns-push-type": "background", "apns-priority": "5"}),
    }

    def __init__(self, *arguments: Any) -> None:
        super().__init__(*arguments)
        self.present: dict[str, Message] = {}

    def go_on(self) -> None:
        for app in self.tokens:
            message = self.present.get(app)
            if message and not (message.is_accepted and message.has_arrived):
                continue
            if self.may_send:
                kind = self.chance.choices(list(self.KINDS), [4, 4, 1])[0]
                payload, ways, headers = self.KINDS[kind]
                self.present[app] = self.send(app, kind, payload, ways, True, headers)

    @property
    def is_done(self) -> bool:
        return self.left <= 0 and all(
            message.is_accepted and message.has_arrived for message in self.present.values())


class Bursts(Flow):
    """Several at once, of which the newest has to arrive."""

    def __init__(self, *arguments: Any) -> None:
        super().__init__(*arguments)
        self.next = time.monotonic()

    def go_on(self) -> None:
        if not self.tokens or not self.may_send or time.monotonic() < self.next:
            return
        self.next = time.monotonic() + self.chance.uniform(0.3, 1.5)
        app = self.chance.choice(list(self.tokens))
        for _ in range(self.chance.randint(2, 5)):
            kind = self.chance.choice(["plain", "collapsed", "silent", "fleeting"])
            headers = {"apns-push-type": "background" if kind == "silent" else "alert"}
            if kind == "collapsed":
                headers["apns-collapse-id"] = "news"
            elif kind == "silent":
                headers["apns-priority"] = "5"
            elif kind == "fleeting":
                headers["apns-expiration"] = "0"
            self.send(app, kind, silent if kind == "silent" else alert, [PUSHED if kind == "silent" else SEEN], False,
                      headers)
        # The last of a burst is one that is kept.
        self.send(app, "plain", alert, [SEEN], False, {"apns-push-type": "alert"})

    @property
    def is_done(self) -> bool:
        if self.left > 0 or not all(message.is_accepted for message in self.sent):
            return False
        last = {message.app: message for message in self.sent}
        return all(message.has_arrived for message in last.values())
