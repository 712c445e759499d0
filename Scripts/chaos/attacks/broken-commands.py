"""Lines on the control socket that are no commands, with bytes changed at random."""
KIND = "outside"

import json
import socket

METHODS = ["status", "apps", "log", "why", "reports", "report", "output", "memory", "energy", "timeline", "snapshot", "fetch",
           "simulate", "switcher", "exempt", "refresh", "install", "attach", "open", "close", "restart", "uninstall"]
VALUES = [None, True, -1, 2 ** 53, 2 ** 64, 1e308, "", "x" * 5000, "\u0000", "../../etc", [], {}, [[[]]], {"app": "x"}, "org.example.none"]
KEYS = ["app", "url", "path", "event", "after", "limit", "id", "action", "exempt", "wait", "since", "value", "level", "as"]


def attack(world, control):
    chance = world.random
    closed = 0
    one = None
    for number in range(300):
        if one is None:
            one = socket.socket(socket.AF_UNIX)
            one.settimeout(5)
            try:
                one.connect(world.home + "/control")
            except OSError:
                one = None
                continue
        # None of them names an app that is there, so that whatever comes of it is a refusal.
        params = {chance.choice(KEYS): chance.choice(VALUES) for _ in range(chance.randrange(4))}
        if chance.random() < 0.3 and "app" not in params:
            params["app"] = "org.example.none"
        method = chance.choice(METHODS)
        if method in ("open", "close", "restart", "uninstall", "exempt", "refresh"):
            params["app"] = chance.choice([one for one in VALUES if one not in (None,)])
            params.pop("url", None)
        if method in ("switcher", "simulate"):
            params = {"action": chance.choice(VALUES[:-1]), "event": chance.choice(VALUES)}
        line = bytearray(json.dumps({"jsonrpc": "2.0", "id": number, "method": method, "params": params}).encode())
        if chance.random() < 0.4:
            # Behind the name of the method, so that it becomes no other one.
            line[chance.randrange(len(line) // 2, len(line))] = chance.randrange(256)
        try:
            one.sendall(bytes(line) + b"\n")
            if chance.random() < 0.2:
                one.recv(1 << 16)
        except TimeoutError:
            pass
        except OSError:
            one.close()
            one, closed = None, closed + 1
    if one:
        one.close()
    return f"300 lines, {closed} connections closed"
