"""apns2 on hyper, which speaks HTTP/2 with an h2 of 2017. Its `iat` has a fraction. Both were made for Python 3.9 at the
latest: what `collections` had until then is put back, and nothing else is changed.
"""

import collections
import collections.abc

for _name in ("Iterable", "Mapping", "MutableMapping", "MutableSet", "MutableSequence", "Sequence"):
    setattr(collections, _name, getattr(collections.abc, _name))

from apns2.client import APNsClient, NotificationPriority, NotificationType  # noqa: E402
from apns2.credentials import Credentials, TokenCredentials  # noqa: E402
from apns2.payload import Payload, PayloadAlert  # noqa: E402
from hyper.tls import init_context  # noqa: E402
from provider import Provider, expiration, serve  # noqa: E402


class Token(TokenCredentials):
    """The library's own, with a context that trusts the gateway's authority."""

    def __init__(self, authority, *key):
        super().__init__(*key)
        Credentials.__init__(self, init_context(cert_path=authority))


class Apns2(Provider):
    takes = {"topic", "type", "priority", "collapse", "lasts", "expiration", "alert", "badge", "silent", "custom"}

    def open(self, to):
        class Client(APNsClient):
            LIVE_SERVER, DEFAULT_PORT = to["host"], to["port"]

        if "certificate" in to:
            credentials = Credentials(init_context(cert_path=to["ca"], cert=to["certificate"]))
        else:
            credentials = Token(to["ca"], to["keyFile"], to["key"], to["team"])
        return Client(credentials)

    async def send(self, client, push):
        return (await self.burst(client, [push]))[0]

    async def burst(self, client, sends):
        streams = [
            client.send_notification_async(
                push["token"],
                self.content(push),
                push.get("topic"),
                priority=NotificationPriority(str(push.get("priority", 10))),
                expiration=expiration(push),
                collapse_id=push.get("collapse"),
                push_type=NotificationType(push["type"]) if "type" in push else None,
            )
            for push in sends
        ]
        return [self.answer(client.get_notification_result(stream)) for stream in streams]

    @staticmethod
    def answer(result):
        if result == "Success":
            return {"status": 200}
        reason, timestamp = result if isinstance(result, tuple) else (result, None)
        return {"reason": reason, "timestamp": timestamp}

    @staticmethod
    def content(push):
        alert = PayloadAlert(title=push["alert"][0], body=push["alert"][1]) if "alert" in push else None
        return Payload(
            alert=alert,
            badge=push.get("badge"),
            custom=push.get("custom"),
            content_available=push.get("silent", False),
        )


serve(Apns2)
