"""Answers callbacks twice, in the wrong order, before they are asked, with numbers that nobody used, and not at all."""
KIND = "application"
STAYS = 1.5

from peer import Peer

peer = Peer().hello()
waiting = []


def wrongly(message):
    waiting.append(message)
    for guess in (message["id"] + 1, message["id"] + 7, -1, 2 ** 53, "no", None, message["id"]):
        peer.send({"id": guess, "result": {}})
    for old in reversed(waiting[-8:]):
        peer.answer(old)
        peer.send({"id": old["id"], "error": {"code": -1, "message": "\u2028" * 50}})


peer.serve({name: wrongly for name in (
    "willFinishLaunching", "didFinishLaunching", "didBecomeActive", "willResignActive", "didEnterBackground",
    "willEnterForeground", "willTerminate", "openURL", "ping")})
