"""pyapns-client: httpx without asyncio. Its `iat` has a fraction, and it tries again after an error of the server."""

from provider import Provider, expiration, serve
from pyapns_client import APNSClient, APNSException, IOSNotification, IOSPayload, IOSPayloadAlert, UnregisteredException


class PyapnsClient(Provider):
    takes = {"topic", "type", "priority", "collapse", "id", "lasts", "expiration", "alert", "badge", "silent", "custom"}
    opens = {"keyFile"}

    def open(self, to):
        class Client(APNSClient):
            BASE_URLS = {"gateway": f"https://{to['host']}:{to['port']}"}

        return Client(
            mode="gateway",
            root_cert_path=to["ca"],
            auth_key_path=to["keyFile"],
            auth_key_id=to["key"],
            team_id=to["team"],
        )

    async def send(self, client, push):
        alert = IOSPayloadAlert(title=push["alert"][0], body=push["alert"][1]) if "alert" in push else None
        content = IOSPayload(
            alert=alert,
            badge=push.get("badge"),
            custom=push.get("custom"),
            content_available=push.get("silent", False),
        )
        ends = expiration(push)
        priority = push.get("priority")
        notification = IOSNotification(
            payload=content,
            topic=push.get("topic"),
            apns_id=push.get("id"),
            collapse_id=push.get("collapse"),
            # httpx takes texts only.
            expiration=None if ends is None else str(ends),
            priority=None if priority is None else str(priority),
            push_type=push.get("type"),
        )
        try:
            client.push(notification, push["token"])
        except APNSException as error:
            answer = {"status": error.status_code, "id": error.apns_id}
            answer["reason"] = type(error).__name__.removesuffix("Exception")
            if isinstance(error, UnregisteredException):
                answer["timestamp"] = error.timestamp
            return answer
        return {"status": 200, "id": push.get("id")}


serve(PyapnsClient)
