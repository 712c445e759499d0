"""Sends what is no message: endless lines, deep nesting, numbers beyond all types, bytes that are no text, half of a line."""
KIND = "application"
STAYS = 2

import random
import time

import belt
from peer import Peer

chance = random.Random(belt.SETTINGS["seed"])
peer = Peer().hello().launched()
begin = b'{"jsonrpc":"2.0","id":1,"method":"'
lines = [
    b"[" * 100_000, b'{"a":' * 5_000, b"x" * (2 << 20), b"\xff\xfe\x00" * 100, b"{}" * 1_000, b"[1,2,3]", b"null", b'"',
    begin + b'beginTask","params":{"task":1e400}}', begin + b'beginTask","params":{"task":-9223372036854775809}}',
    begin + b'beginTask","params":{"task":18446744073709551616}}', begin + b'setFetchInterval","params":{"seconds":1e308}}',
    begin + b'setFetchInterval","params":{"seconds":-1e308}}', begin + b'submitTask","params":{"identifier":"","kind":""}}',
    begin + b'complete","params":{"window":-1}}', begin + b'complete","params":{"window":9223372036854775807}}',
    begin + b'snapshot","params":{"number":9223372036854775807,"kind":"png"}}', begin + b'hello","params":{"protocol":1e99}}',
    begin + b'openURL","params":{"url":"' + b"a" * 500_000 + b'"}}', begin + b'endTask","params":{"task":null}}',
    b'{"jsonrpc":"2.0","id":' + b"9" * 400 + b',"method":"state"}', b'{"jsonrpc":"2.0","id":1,"id":2,"method":"state"}',
]
for _ in range(200):
    line = bytearray(chance.choice(lines)[:4096] if chance.random() < 0.7 else chance.choice(lines))
    for _ in range(chance.randrange(3)):
        line[chance.randrange(len(line))] = chance.randrange(256)
    try:
        peer.socket.sendall(bytes(line) + b"\n" * chance.randrange(2))
    except OSError:
        try:
            peer = Peer(Peer.connected()).hello()
        except OSError:
            time.sleep(0.05)
    if chance.random() < 0.1:
        time.sleep(0.02)
belt.hold()
