"""How long a push takes from a provider to the callback of a suspended app: gateway, service, daemon and app are real,
and on this machine.
"""

import json
import os
import time

from storms.tool import call
from storms.waiting import poll

APP = "org.greenroom.fixtures.beacon"
PATIENCE = 30


class System:
    """A Greenroom in a home of its own, with Beacon, which writes down when it hears what."""

    def __init__(self, options, folder):
        self.tool = options.bin + "/greenroom"
        self.home = folder + "/home"
        self.environment = dict(os.environ, GREENROOM_HOME=self.home)
        self.call("up", "--detach")
        self.call("install", os.path.join(options.bin, "..", "apps", "Beacon.app"))
        self.log = f"{self.home}/containers/{APP}/Documents/log"
        self.read = 0

    def call(self, *words):
        return call([self.tool], words, self.environment)

    def state(self):
        return next(app["state"] for app in json.loads(self.call("apps", "--json")) if app["app"] == APP)

    def wait(self, condition, what):
        found = poll(condition, PATIENCE)
        if not found:
            raise SystemExit(f"bench: {what} does not come\n{self.call('push', 'status')}{self.call('log')}")
        return found

    def hears(self, event):
        """The next thing of this kind that the app writes down."""

        def there():
            try:
                with open(self.log, encoding="utf-8") as file:
                    file.seek(self.read)
                    text = file.read()
            except FileNotFoundError:
                return None
            for line in text[: text.rfind("\n") + 1].splitlines(keepends=True):
                self.read += len(line.encode())
                if json.loads(line)["event"] == event:
                    return json.loads(line)
            return None

        return self.wait(there, f"“{event}”")

    def register(self, gateway):
        port = gateway.port(gateway.link)
        self.call("push", "gateway", f"greenroom-push://localhost:{port}", "--ca", gateway.authority)
        self.call("open", "beacon:register")
        token = self.hears("token")["token"]
        self.call("home")
        return token

    def close(self):
        self.call("down")


def measure(options, folder, gateway, count):
    """Seconds from the provider's request, and from its answer, to the callback; and to the answer."""
    # It needs python3-h2, which the other parts do not.
    from storms.servers.provider import Provider

    gateway.start()
    system = System(options, folder)
    facts = {"host": "localhost", "authority": gateway.authority, "keyFile": gateway.key, "key": gateway.key_id,
             "team": gateway.team}
    provider = Provider(facts, int(gateway.port(gateway.address)))
    times = []
    try:
        token = system.register(gateway)
        headers = {"apns-topic": APP, "apns-push-type": "alert", "apns-priority": "10"}
        for number in range(count + 3):
            # Suspended, and not only on its way there.
            system.wait(lambda: system.state() == "suspended", "the app's suspension")
            payload = {"aps": {"alert": "News", "content-available": 1}, "message": str(number)}
            answered = []
            sent = time.time()
            future = provider.send(token, payload, headers)
            future.add_done_callback(lambda _, answered=answered: answered.append(time.time()))
            answer = future.result(PATIENCE)
            if answer["status"] != 200:
                raise SystemExit(f"bench: {answer}")
            heard = system.hears("push")
            if heard["payload"]["message"] != str(number):
                raise SystemExit(f"bench: {heard} instead of {number}")
            # The first ones warm up what is made once.
            if number >= 3:
                times.append((heard["at"] - sent, answered[0] - sent))
    finally:
        provider.close()
        system.close()
        gateway.end()
    return times
