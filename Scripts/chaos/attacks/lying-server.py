"""Has the transfer service fetch from a server that lies: ports that are none, endless headers, wrong lengths, circles."""
KIND = "application"
STAYS = 2.5

import json
import socket

import belt
from peer import Peer

app = Peer().hello()
app.ask("state")
number = app.request("transfers")
descriptors = []
while True:
    data, fds, _, _ = socket.recv_fds(app.socket, 1 << 16, 8)
    descriptors += fds
    if descriptors or not data:
        break
    for line in data.splitlines():
        message = json.loads(line)
        if "method" in message and "id" in message:
            app.answer(message)
service = Peer(socket.socket(fileno=descriptors[0]))
service.request("hello", protocol=1, client="chaos/1.0")
service.request("open", session="lies", configuration={})
first = None
while first is None and (message := service.receive()) is not None:
    if isinstance(message.get("result"), dict) and "nextTask" in message["result"]:
        first = message["result"]["nextTask"]
for offset, url in enumerate(belt.SETTINGS["lies"]):
    request = {"url": url, "method": "GET", "headers": []}
    service.request("create", session="lies", task=first + offset, kind="download", request=request)
    service.request("resume", session="lies", task=first + offset)
if service.socket.fileno() >= 0:
    import threading
    threading.Thread(target=service.serve, daemon=True).start()
app.serve()
