"""The app on screen: downloads for so many seconds, says how much came in each, and then is quiet.

usage: front.py HOST PORT SECONDS
"""

import json
import socket
import sys
import time


def download(host, port, seconds):
    connection = socket.create_connection((host, port))
    connection.sendall(f"GET /100000000000 HTTP/1.1\r\nHost: {host}\r\n\r\n".encode())
    connection.settimeout(0.5)
    counts = [0] * seconds
    begin = time.monotonic()
    while (second := int(time.monotonic() - begin)) < seconds:
        try:
            counts[second] += len(connection.recv(1 << 16))
        except TimeoutError:
            pass
    connection.close()
    return counts


print(json.dumps({"bytes": download(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]))}), flush=True)
while True:
    time.sleep(3600)
