#!/usr/bin/env python3
"""Knows where each player of a game is.

    python3 server.py [PORT [NAME=LATITUDE,LONGITUDE ...]]

    GET    /players        all players
    PUT    /players/NAME   a player is there: latitude, longitude and accuracy, in metres
    DELETE /players/NAME   a player has left the game

Each answer has all players, as JSON. It prints its port (0: any that is free), and each word of a player. Those that are named
at the start stand where they are.
"""

import http.server
import json
import re
import sys
import threading

LARGEST = 1 << 12
MOST_PLAYERS = 100
PATH = re.compile(r"/players(?:/([\w-]{1,40}))?")


class Handler(http.server.BaseHTTPRequestHandler):
    players = {}
    lock = threading.Lock()

    def do_GET(self):
        self.act(None)

    def do_PUT(self):
        self.act(self.put)

    def do_DELETE(self):
        self.act(self.delete)

    def act(self, change):
        match = PATH.fullmatch(self.path)
        if match is None or (change is None) != (match[1] is None):
            return self.answer(404, [])
        with self.lock:
            if change is not None and not change(match[1]):
                return self.answer(400, [])
            players = [self.players[name] for name in sorted(self.players)]
        self.answer(200, players)

    def put(self, name):
        try:
            length = int(self.headers.get("Content-Length", 0))
            given = json.loads(self.rfile.read(length)) if length <= LARGEST else {}
            place = {key: float(given[key]) for key in ("latitude", "longitude", "accuracy")}
        except (ValueError, KeyError, TypeError):
            return False
        if name not in self.players and len(self.players) >= MOST_PLAYERS:
            return False
        self.players[name] = {"name": name} | place
        print(f"{name} {place['latitude']} {place['longitude']} within {place['accuracy']:.0f}", flush=True)
        return True

    def delete(self, name):
        self.players.pop(name, None)
        print(f"{name} left", flush=True)
        return True

    def answer(self, status, players):
        body = json.dumps(players).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format, *args):
        pass


def main():
    port = int(sys.argv[1]) if len(sys.argv) > 1 else 8091
    for word in sys.argv[2:]:
        name, _, place = word.partition("=")
        latitude, longitude = map(float, place.split(","))
        Handler.players[name] = {"name": name, "latitude": latitude, "longitude": longitude, "accuracy": 1000.0}
    server = http.server.ThreadingHTTPServer(("127.0.0.1", port), Handler)
    print(f"listens at http://127.0.0.1:{server.server_address[1]}", flush=True)
    server.serve_forever()


if __name__ == "__main__":
    try:
        main()
    except KeyboardInterrupt:
        pass
