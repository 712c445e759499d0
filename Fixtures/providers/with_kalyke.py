"""kalyke-apns: httpx2. Its `iat` is a string, and it makes a token and a connection for every push."""

import datetime
import time
import warnings

import kalyke
import kalyke.clients.apns
from kalyke.exceptions import ApnsProviderException
from provider import Cannot, Provider, expiration, payload, serve


class Clock(datetime.datetime):
    """It takes the time from `datetime`, which is not Python's `time`."""

    @classmethod
    def now(cls, tz=None):
        return datetime.datetime.fromtimestamp(time.time(), tz)


kalyke.clients.apns.datetime = Clock


class Kalyke(Provider):
    takes = {"topic", "type", "priority", "collapse", "id", "lasts", "expiration", "alert", "badge", "silent", "custom"}
    takes |= {"payload"}

    def open(self, to):
        def at(client_type):
            # It trusts what SSL_CERT_FILE names.
            url = f"https://{to['host']}:{to['port']}"
            return type("Gateway", (client_type,), {"_base_url": property(lambda self: url)})

        if "certificate" in to:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", DeprecationWarning)
                client = at(kalyke.VoIPCertificateClient)(use_sandbox=False, auth_key_filepath=to["certificate"])
            return {"voip": client}
        key = {"team_id": to["team"], "auth_key_id": to["key"], "auth_key_filepath": to["keyFile"]}
        return {
            "voip": at(kalyke.VoIPClient)(use_sandbox=False, **key),
            "other": at(kalyke.ApnsClient)(use_sandbox=False, **key),
        }

    async def send(self, client, push):
        options = {"topic": push.get("topic"), "identifier": push.get("id"), "collapse_id": push.get("collapse")}
        if (ends := expiration(push)) is not None:
            options["expiration"] = ends
        if "priority" in push:
            options["priority"] = kalyke.ApnsPriority(push["priority"])
        if push.get("type") == "voip":
            kind, config = "voip", kalyke.VoIPApnsConfig(**options)
        else:
            push_type = {"push_type": kalyke.models.ApnsPushType(push["type"])} if "type" in push else {}
            kind, config = "other", kalyke.ApnsConfig(**options, **push_type)
        if kind not in client:
            raise Cannot("sends " + push.get("type", "alert") + " with a certificate")
        try:
            made = await client[kind].send_message(
                device_token=push["token"], payload=self.content(push), apns_config=config
            )
        except ApnsProviderException as error:
            return {"reason": type(error).__name__, "timestamp": error.error.get("timestamp")}
        return {"status": 200, "id": made}

    @staticmethod
    def content(push):
        if push.get("type") == "voip" or "payload" in push:
            return payload(push)
        alert = kalyke.PayloadAlert(title=push["alert"][0], body=push["alert"][1]) if "alert" in push else None
        return kalyke.Payload(
            alert=alert,
            badge=push.get("badge"),
            content_available=push.get("silent", False),
            custom=push.get("custom"),
        )


serve(Kalyke)
