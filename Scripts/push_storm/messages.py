"""Messages of the storm: what was sent, how it was answered, and what the apps wrote down of it."""

import threading
import time
import uuid

# How an app hears of a message: of an alert it is asked while it is on the screen, or told that the user has tapped it, or
# both, where it leaves the screen while it is asked; of what wakes it, it is told as of a push.
SEEN, PUSHED = ("present", "response"), ("push",)
EVENTS = SEEN + PUSHED
# An app that is killed has so many of its last lines in its hands.
IN_HAND = 8


class Message:
    def __init__(self, number, app, kind, ways, is_strict):
        self.name = f"m{number}"
        self.number = number
        self.app = app
        self.kind = kind
        # The ways by which it has to reach the app.
        self.ways = ways
        self.is_strict = is_strict
        self.sent = time.monotonic()
        self.answer = None
        self.heard = {event: [] for event in EVENTS}

    @property
    def is_accepted(self):
        return self.answer is not None and self.answer["status"] == 200

    @property
    def has_arrived(self):
        return all(any(self.heard[event] for event in way) for way in self.ways)


class Ledger:
    def __init__(self):
        self.messages = []
        self.by_name = {}
        self.last_lines = {}
        # When the storm killed which process.
        self.deaths = {}
        self.told_again = 0
        self.strangers = []
        self.lock = threading.Lock()
        self.latencies = []

    def add(self, app, kind, ways, is_strict):
        with self.lock:
            message = Message(len(self.messages), app, kind, ways, is_strict)
            self.messages.append(message)
            self.by_name[message.name] = message
            return message

    def read(self, lines):
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

    def waiting(self, seconds):
        """Apps that a message has not reached for so long."""
        with self.lock:
            now = time.monotonic()
            return sorted({
                message.app for message in self.messages[-2000:]
                if message.is_accepted and not message.has_arrived and now - message.sent > seconds
                and (message.is_strict or self.newest(message))})

    def newest(self, message):
        return not any(later.app == message.app and later.is_accepted for later in self.messages[message.number + 1:])

    # The oracle

    def was_in_hand(self, pid, place):
        """The storm killed the process while it dealt with this."""
        return pid in self.deaths and place >= len(self.last_lines[pid]) - IN_HAND

    def faults(self):
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

    def counts(self):
        arrived = sum(message.has_arrived for message in self.messages)
        latencies = sorted(self.latencies) or [0]
        return {
            "messages": len(self.messages), "arrived": arrived, "superseded": len(self.messages) - arrived,
            "toldAgainToKilledApps": self.told_again,
            "askedAndTapped": sum(all(message.heard[event] for event in SEEN) for message in self.messages),
            "latencies": {
                str(part): round(latencies[min(len(latencies) - 1, int(len(latencies) * part))], 2)
                for part in (0.5, 0.9, 0.99, 1.0)},
        }

    def describe_waiting(self):
        return [
            f"{message.name} ({message.kind}, {message.app}): {message.answer}" for message in self.messages
            if message.is_strict and not message.has_arrived][:10]


def alert(message):
    return {"aps": {"alert": {"title": message.name, "body": "of the storm"}}, "message": message.name}


def silent(message):
    return {"aps": {"content-available": 1}, "message": message.name}


def both(message):
    return {"aps": {"alert": message.name, "content-available": 1}, "message": message.name}


class Flow:
    """Sends messages of one sort."""

    def __init__(self, ledger, provider, tokens, count, chance):
        self.ledger, self.provider, self.tokens, self.chance = ledger, provider, tokens, chance
        self.left = count
        self.sent = []
        self.extends = False

    def extend(self, extends):
        self.extends = extends

    @property
    def may_send(self):
        return self.left > 0 or self.extends

    def send(self, app, kind, payload, ways, is_strict, headers):
        message = self.ledger.add(app, kind, ways, is_strict)
        self.left -= 1
        self.sent.append(message)
        headers = {"apns-topic": app, "apns-id": str(uuid.uuid4()).upper(), **headers}

        def answered(future):
            message.answer = future.result()

        self.provider.send(self.tokens[app], payload(message), headers, repeat=True).add_done_callback(answered)
        return message


class Steady(Flow):
    """One message at a time to each app."""

    KINDS = {
        "alert": (alert, [SEEN], {"apns-push-type": "alert"}),
        "both": (both, [SEEN, PUSHED], {"apns-push-type": "alert"}),
        "background": (silent, [PUSHED], {"apns-push-type": "background", "apns-priority": "5"}),
    }

    def __init__(self, *arguments):
        super().__init__(*arguments)
        self.present = {}

    def go_on(self):
        for app in self.tokens:
            message = self.present.get(app)
            if message and not (message.is_accepted and message.has_arrived):
                continue
            if self.may_send:
                kind = self.chance.choices(list(self.KINDS), [4, 4, 1])[0]
                payload, ways, headers = self.KINDS[kind]
                self.present[app] = self.send(app, kind, payload, ways, True, headers)

    @property
    def is_done(self):
        return self.left <= 0 and all(
            message.is_accepted and message.has_arrived for message in self.present.values())


class Bursts(Flow):
    """Several at once, of which the newest has to arrive."""

    def __init__(self, *arguments):
        super().__init__(*arguments)
        self.next = time.monotonic()

    def go_on(self):
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
    def is_done(self):
        if self.left > 0 or not all(message.is_accepted for message in self.sent):
            return False
        last = {message.app: message for message in self.sent}
        return all(message.has_arrived for message in last.values())
