"""What the providers here have in common. Each is a program around a public library for APNs, and does what
Scripts/push-clients.py tells it, a line of JSON each:

    {"do": "open", "as": "a", "host": …, "port": …, "ca": …, "topic": …, and
        "team": …, "key": …, "keyFile": …   or   "certificate": FILE   or neither}
    {"do": "send", "as": "a", "token": …, "topic": …, "type": …, "priority": …, "collapse": …, "id": …,
        "lasts": SECONDS from now (0: now or never)   or   "expiration": whatever the header shall say,
        "alert": [TITLE, BODY], "badge": …, "silent": true, "custom": {…}   or   "payload": the whole of it}
    {"do": "burst", "as": "a", "sends": [{…}]}      at once, on one connection where the library keeps one
    {"do": "clock", "offset": SECONDS}              the provider's clock is wrong by so much

It answers each with a line: what the library says of the answer, as far as it does.

    {"status": 410, "reason": "Unregistered", "id": …, "timestamp": …}

`cannot`: the library has no way to send that. `broke`: it failed where it should have said what the answer was.
"""

import asyncio
import json
import sys
import time
import traceback

_time = time.time


class Cannot(Exception):
    pass


class Provider:
    # What a send may have besides a token.
    takes = frozenset()
    # How its clients may be opened.
    opens = frozenset({"keyFile", "certificate"})

    def __init__(self):
        self.clients = {}

    def open(self, to):
        raise NotImplementedError

    async def send(self, client, push):
        raise NotImplementedError

    async def burst(self, client, sends):
        return await asyncio.gather(*(self.send(client, send) for send in sends))

    def set_clock(self, offset):
        time.time = lambda: _time() + offset

    async def do(self, command):
        kind = command.pop("do")
        if kind == "clock":
            self.set_clock(command["offset"])
            return {}
        name = command.pop("as")
        if kind == "open":
            how = {"keyFile", "certificate"} & set(command) or {"nothing"}
            if not how <= self.opens:
                raise Cannot("opens with " + ", ".join(how))
            client = self.open(command)
            self.clients[name] = await client if asyncio.iscoroutine(client) else client
            return {}
        sends = command["sends"] if kind == "burst" else [command]
        for send in sends:
            if unknown := set(send) - self.takes - {"token"}:
                raise Cannot("sends " + ", ".join(sorted(unknown)))
        if kind == "burst":
            return {"answers": await self.burst(self.clients[name], sends)}
        return await self.send(self.clients[name], command)


async def _answer(provider, line):
    try:
        return await provider.do(json.loads(line))
    except Cannot as error:
        return {"cannot": str(error)}
    except Exception as error:
        traceback.print_exc()
        return {"broke": f"{type(error).__name__}: {error}"}


async def _serve(provider):
    loop = asyncio.get_running_loop()
    # Between two commands the loop runs on: a library hears then that the gateway closes its connection.
    while line := await loop.run_in_executor(None, sys.stdin.readline):
        answer = await _answer(provider, line)
        print(json.dumps(answer), flush=True)


def serve(provider_type):
    async def run():
        await _serve(provider_type())

    asyncio.run(run())


def payload(push):
    """The payload as a dictionary, for libraries that take one."""
    if "payload" in push:
        return push["payload"]
    aps = {}
    if "alert" in push:
        aps["alert"] = {"title": push["alert"][0], "body": push["alert"][1]}
    if "badge" in push:
        aps["badge"] = push["badge"]
    if push.get("silent"):
        aps["content-available"] = 1
    return {"aps": aps, **push.get("custom", {})}


def expiration(push):
    """The header's number, for libraries that take one."""
    if "expiration" in push:
        return push["expiration"]
    if "lasts" not in push:
        return None
    return int(_time()) + push["lasts"] if push["lasts"] else 0
