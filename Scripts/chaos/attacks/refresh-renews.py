"""A refresh request that renews itself in its own handler, for now, for the past and for a time that is no number."""
KIND = "application"
MODES = ["fetch", "processing"]
TASKS = ["org.example.a", "org.example.b"]
STAYS = 0.7
HIDDEN = 4
RUNS = 0.3
WOKEN_AT_MOST = 20

import json

from peer import Peer

peer = Peer().hello()
afters = ["", ',"after":0', ',"after":-5', ',"after":1e300', ',"after":null', ',"after":1e-300', ',"after":-1e999']


def submit():
    for number, after in enumerate(afters):
        name = ("org.example.a", "org.example.b")[number % 2]
        kind = ("refresh", "processing")[number % 2]
        peer.number += 1
        peer.socket.sendall((
            '{"jsonrpc":"2.0","id":%d,"method":"submitTask","params":{"identifier":%s,"kind":"%s"%s}}\n'
            % (peer.number, json.dumps(name), kind, after)).encode())


def launched(message):
    submit()
    peer.answer(message)
    peer.request("complete", window=message["params"]["window"], result="done")
    submit()


peer.request("setFetchInterval", seconds=0)
submit()
peer.serve({"launchBackgroundTask": launched, "performFetch": launched})
