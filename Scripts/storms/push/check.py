"""Compares what public libraries for APNs and a device are told with docs/PUSH.md."""

import collections
import json
import time
import uuid
from collections.abc import Iterable, Sequence
from typing import Any

from storms.push.libraries import LIBRARIES, Gateway, Library, demand
from storms.servers.push_device import Device

APP, OTHER, GONE = "com.example.podcasts", "com.example.other", "com.example.gone"
VOIP = APP + ".voip"
REASONS = {
    400: "BadCollapseId BadDeviceToken BadExpirationDate BadMessageId BadPriority BadTopic DeviceTokenNotForTopic"
    " InvalidPushType MissingDeviceToken MissingTopic PayloadEmpty TopicDisallowed",
    403: "BadCertificate BadCertificateEnvironment ExpiredProviderToken Forbidden InvalidProviderToken"
    " MissingProviderToken",
    404: "BadPath",
    410: "Unregistered ExpiredToken",
    413: "PayloadTooLarge",
    429: "TooManyRequests TooManyProviderTokenUpdates",
    500: "InternalServerError",
    503: "ServiceUnavailable",
}
STATUS = {reason: status for status, reasons in REASONS.items() for reason in reasons.split()}


class Check:
    def __init__(self, gateway: Gateway, stranger: Gateway, folder: str, only: Sequence[str] | None) -> None:
        self.gateway, self.folder = gateway, folder
        self.device = Device("localhost", gateway.link, gateway.facts["authority"], folder)
        self.device.connect()
        self.tokens = {topic: self.device.register(topic) for topic in (APP, VOIP, OTHER, GONE)}
        self.libraries = {name: Library(name, gateway) for name in only or LIBRARIES}
        self.stranger = {"key": stranger.credentials(), "certificate": stranger.certificate(APP)}
        # Keys of the gateway that may not send everything.
        self.keys: dict[str, dict[str, str]] = {}
        self.accepted: collections.Counter[str] = collections.Counter()
        self.refused: dict[str, collections.Counter[str]] = collections.defaultdict(collections.Counter)

    def of(self, names: Iterable[str]) -> list[Library]:
        return [self.libraries[name] for name in names if name in self.libraries]

    def connect_again(self) -> None:
        self.device.close()
        self.device.port = self.gateway.link
        self.device.connect()

    def token(self) -> dict[str, str]:
        return self.gateway.credentials()

    def certificate(self, app: str = APP, *topics: str) -> dict[str, str]:
        return self.gateway.certificate(app, *(word for topic in topics for word in ("--topic", topic)))

    # What is accepted reaches the device as it was sent.

    def accept(self, library: Library, client: str, **push: Any) -> dict[str, Any]:
        """Sends one, which must arrive."""
        sent, marker = self.marked(push)
        answer = library.send(client, **sent)
        self.arrived(library, sent, marker, answer)
        return answer

    def marked(self, push: dict[str, Any]) -> tuple[dict[str, Any], str]:
        """Adds something by which the device finds it, because some libraries do not report its identifier."""
        marker = str(uuid.uuid4())
        topic = push.get("topic", APP)
        push = {"token": self.tokens[topic], "topic": topic, **push}
        if "payload" not in push:
            push["custom"] = {**push.get("custom", {}), "marker": marker}
        else:
            marker = push["payload"]["marker"]
        return push, marker

    def arrived(self, library: Library, sent: dict[str, Any], marker: str, answer: dict[str, Any]) -> None:
        demand(answer.get("status") == 200, f"{library.name}: {answer} instead of 200 for {sent}")
        pushes: list[dict[str, Any]] = []
        device = self.device

        def there() -> list[dict[str, Any]]:
            pushes[:] = [push for push in device.pushes if json.loads(push["payload"]).get("marker") == marker]
            return pushes

        device.wait(there, f"what {library.name} sent")
        demand(len(pushes) == 1, f"{library.name}: {sent} came {len(pushes)} times")
        push = pushes[0]
        if answer.get("id"):
            demand(push["id"] == answer["id"], f"{library.name}: the push has the identifier {push['id']}: {answer}")
        if sent.get("id"):
            demand(push["id"] == sent["id"], f"{library.name}: the push has another identifier: {push}")
        kind = sent.get("type", "alert")
        for member, wanted in {
            "topic": sent["topic"], "type": kind, "collapse": sent.get("collapse"),
            "priority": min(sent.get("priority", 10), 5) if kind == "background" else sent.get("priority", 10),
        }.items():
            demand(push.get(member) == wanted, f"{library.name}: {member} is {push.get(member)}, not {wanted}")
        if sent.get("lasts"):
            late = push["expires"] - time.time() - sent["lasts"]
            demand(-5 < late < 5, f"{library.name}: it expires {late} s later than it should")
        demand(json.loads(push["payload"]) == self.payload(library, sent), f"{library.name}: {push} for {sent}")
        self.accepted[library.name] += 1

    @staticmethod
    def payload(library: Library, sent: dict[str, Any]) -> Any:
        if "payload" in sent:
            return sent["payload"]
        aps: dict[str, Any] = {"content-available": 1} if sent.get("silent") else {}
        if "alert" in sent:
            aps["alert"] = {"title": sent["alert"][0], "body": sent["alert"][1]}
        if "badge" in sent:
            aps["badge"] = sent["badge"]
        return {"aps": aps, **sent.get("custom", {})}

    # What is refused is refused with its reason.

    def refuse(self, library: Library, reason: str, client: str, **push: Any) -> dict[str, Any]:
        push = {"token": self.tokens[APP], "topic": APP, "alert": ["A", "B"], **push}
        push = {name: value for name, value in push.items() if value is not None}
        answer = library.send(client, **push)
        self.told(library, reason, answer, push)
        return answer

    def told(self, library: Library, reason: str, answer: dict[str, Any], push: dict[str, Any]) -> None:
        wrong = f"{library.name}: {answer} instead of {reason} for {push}"
        demand(answer.get("reason") == reason, wrong)
        demand(answer.get("status") in (None, STATUS[reason]), wrong)
        # pyapns-client and aapns say the identifier of an answer, aioapns finds its request by it.
        if push.get("id") and "id" in answer:
            demand(answer["id"] == push["id"], wrong)
        if "id" in answer:
            demand(answer["id"], f"{library.name}: an answer without an apns-id: {answer}")
        self.refused[library.name][reason] += 1
