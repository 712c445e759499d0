"""Pushes: what providers write that is odd, at the gateway and at the device."""

import json
import os
import time
import uuid
from typing import Any

from cases.bench import Bench, Skipped, case, expect, need, text
from storms.push.apps import Device as System
from storms.push.gateway import Gateways
from storms.system import Result
from storms.waiting import poll

APP = "org.greenroom.storm.a0"


def push(bench: Bench, path: str) -> Result:
    system = bench.app("Reminder")
    system.must("open", "reminder")
    return system.run("push", "reminder", bench.input(path))


class Fleet:
    """A gateway, a provider that sends to it, and a device that knows only what the documentation says."""

    def __init__(self, bench: Bench) -> None:
        need({"python3-h2": "/usr/lib/python3/dist-packages/h2/__init__.py", "openssl": "/usr/bin/openssl"})
        if not os.path.exists(os.path.join(bench.bin, "greenroom-pushgate")):
            raise Skipped("the gateway is not built: make gateway")
        from storms.servers.provider import Provider
        from storms.servers.push_device import Device

        self.bench = bench
        self.gateways = Gateways(bench.bin, bench.folder, None, 1)
        bench.cleanups.callback(self.gateways.end)
        self.gateways.start()
        facts = self.gateways.instructions
        self.provider = Provider(facts, *self.gateways.ports("listen"))
        bench.cleanups.callback(self.provider.close)
        self.device = Device("localhost", self.gateways.link, facts["authority"], bench.folder)

    def register(self, topic: str) -> str:
        if self.device.closed:
            self.device.connect()
            self.bench.cleanups.callback(self.device.close)
        token: str = self.device.register(topic)
        return token

    def send(self, token: str, payload: Any, **headers: str) -> dict[str, Any]:
        answer: dict[str, Any] = self.provider.send(
            token, payload, {name.replace("_", "-"): value for name, value in headers.items()}).result(20)
        return answer


@case("B1")
def odd_side_fields(bench: Bench) -> None:
    for path in ("push/b1-badge-string.apns", "push/b1-thread-number.apns"):
        result = push(bench, path)
        expect(result.code == 0 and "aps." in result.output, f"{path}: {result.output}")


@case("B1")
def odd_side_fields_at_gateway(bench: Bench) -> None:
    fleet = Fleet(bench)
    token = fleet.register("com.example.case")
    for path in ("b1-badge-string.apns", "b1-thread-number.apns"):
        payload = json.loads(text(bench.input("push/" + path)))
        payload.pop("Simulator Target Bundle", None)
        answer = fleet.send(token, payload, apns_topic="com.example.case", apns_push_type="alert")
        expect(answer["status"] == 200, f"{path}: {answer}")


@case("B2")
def flag_as_text(bench: Bench) -> None:
    result = push(bench, "push/b2-content-available-string.apns")
    # The app lacks the key for pushes that wake it, and is on the screen.
    expect("cannot be used" not in result.output and "counts as 1" in result.output, result.output)


@case("B2")
def flag_as_text_at_gateway(bench: Bench) -> None:
    fleet = Fleet(bench)
    token = fleet.register("com.example.case")
    payload = json.loads(text(bench.input("push/b2-content-available-string.apns")))
    payload.pop("Simulator Target Bundle", None)
    answer = fleet.send(
        token, payload, apns_topic="com.example.case", apns_push_type="background", apns_priority="5")
    expect(answer["status"] == 200, str(answer))


@case("B3")
def device_management(bench: Bench) -> None:
    fleet = Fleet(bench)
    topic = f"com.apple.mgmt.External.{uuid.uuid4()}"
    payload = json.loads(text(bench.input("push/b3-mdm.json")))
    answer = fleet.send(fleet.register(topic), payload, apns_topic=topic)
    expect(answer["status"] == 200, str(answer))
    came = json.loads(fleet.device.push(answer["id"])["payload"])
    expect(came == payload, f"the device received {came}")


@case("B4")
def one_identifier_twice(bench: Bench) -> None:
    fleet = Fleet(bench)
    device = System(bench.bin, bench.apps)
    bench.cleanups.callback(device.end, False)
    device.begin(fleet.gateways, 1)
    identifier = str(uuid.uuid4()).upper()
    for body in ("first", "second"):
        payload = {"aps": {"alert": body}, "message": body}
        answer = fleet.send(
            device.tokens[APP], payload, apns_topic=APP, apns_push_type="alert", apns_id=identifier)
        expect(answer["status"] == 200, str(answer))
        time.sleep(1)

    def shown() -> list[str]:
        listed = device.system.json("notifications")
        return [one["request"]["content"].get("body", "") for one in listed if one["place"] == "delivered"]

    poll(lambda: {"first", "second"} <= set(shown()), 10)
    expect({"first", "second"} <= set(shown()), f"only these are shown: {shown()}")


@case("B5")
def urgent_and_silent(bench: Bench) -> None:
    fleet = Fleet(bench)
    answer = fleet.send(
        fleet.register("com.example.case"), {"aps": {"content-available": 1}}, apns_topic="com.example.case",
        apns_push_type="background", apns_priority="10")
    # Apple: “Specifying a priority of 10 for a background notification is an error.”
    expect((answer["status"], answer.get("reason")) == (400, "BadPriority"), str(answer))
