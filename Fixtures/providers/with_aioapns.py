"""aioapns: HTTP/2 of its own on asyncio and h2. It sends no :authority, names no protocol when TLS is set up, and finds
a request by the apns-id of its answer.
"""

from aioapns import APNs, NotificationRequest, PushType
from aioapns.connection import APNsTLSClientProtocol
from provider import Provider, payload, serve


class Aioapns(Provider):
    takes = {"topic", "type", "priority", "collapse", "id", "lasts", "alert", "badge", "silent", "custom", "payload"}

    async def open(self, to):
        # It trusts what SSL_CERT_FILE names.
        if "certificate" in to:
            client = APNs(client_cert=to["certificate"], topic=to.get("topic"), max_connections=1)
        else:
            with open(to["keyFile"], encoding="utf-8") as file:
                key = file.read()
            client = APNs(key=key, key_id=to["key"], team_id=to["team"], topic=to["topic"], max_connections=1)
        server = {"APNS_SERVER": to["host"], "APNS_PORT": to["port"]}
        client.pool.protocol_class = type("Gateway", (APNsTLSClientProtocol,), server)
        return client

    async def send(self, client, push):
        answer = await client.send_notification(
            NotificationRequest(
                device_token=push["token"],
                message=payload(push),
                notification_id=push.get("id"),
                time_to_live=push.get("lasts"),
                priority=push.get("priority"),
                collapse_key=push.get("collapse"),
                push_type=PushType(push["type"]) if "type" in push else None,
                apns_topic=push.get("topic"),
            )
        )
        return {
            "status": int(answer.status),
            "reason": answer.description,
            "id": answer.notification_id,
            "timestamp": answer.timestamp,
        }


serve(Aioapns)
