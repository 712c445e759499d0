"""aapns: HTTP/2 of its own on asyncio and an older h2, with certificates only. It reads in GOAWAY why it comes."""

from aapns.api import APNS, Server
from aapns.config import Priority
from aapns.connection import create_ssl_context
from aapns.errors import APNSError, ResponseError
from aapns.models import Alert, Notification, PushType
from aapns.pool import Pool
from provider import Provider, expiration, serve


class Aapns(Provider):
    takes = {"topic", "type", "priority", "collapse", "id", "lasts", "expiration", "alert", "badge", "silent", "custom"}
    opens = {"certificate", "nothing"}

    async def open(self, to):
        if "certificate" in to:
            server = Server(
                client_cert_path=to["certificate"], host=to["host"], port=to["port"], ca_file=to["ca"], pool_size=1
            )
            return await server.create_client()
        context = create_ssl_context()
        context.load_verify_locations(cafile=to["ca"])
        return APNS(await Pool.create(f"https://{to['host']}:{to['port']}", size=1, ssl=context))

    async def send(self, client, push):
        notification = Notification(
            alert=Alert(body=push["alert"][1], title=push["alert"][0]),
            push_type=PushType(push.get("type", "alert")),
            badge=push.get("badge"),
            content_available=push.get("silent", False),
            extra=push.get("custom"),
        )
        try:
            made = await client.send_notification(
                push["token"],
                notification,
                apns_id=push.get("id"),
                expiration=expiration(push),
                priority=Priority(push.get("priority", 10)),
                topic=push.get("topic"),
                collapse_id=push.get("collapse"),
            )
        except ResponseError as error:
            return {"reason": error.reason, "id": error.apns_id}
        except APNSError as error:
            return {"closed": str(error)}
        return {"status": 200, "id": made}


serve(Aapns)
