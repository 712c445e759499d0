#!/usr/bin/env python3
"""A feed and its episodes: server.py [PORT [EPISODES [BYTES A SECOND]]]. Ranges, ETags, and as slow as it is told."""

import hashlib
import http.server
import re
import sys
import time

PORT, EPISODES, RATE = (int(word) for word in (sys.argv[1:] + ["8091", "2", "4000000"][len(sys.argv) - 1:])[:3])
SIZE = 2_000_000
PIECE = 1 << 16


def episode(number):
    """The same bytes each time, and others for each episode."""
    seed = hashlib.sha256(b"episode %d" % number).digest()
    return (seed * (SIZE // len(seed) + 1))[:SIZE]


def feed(host):
    items = "".join(
        f"<item><title>Episode {number}</title><guid>episode-{number}</guid>"
        f'<enclosure url="http://{host}/episode-{number}.mp3" length="{SIZE}" type="audio/mpeg"/></item>'
        for number in range(1, EPISODES + 1))
    return f'<rss version="2.0"><channel><title>Greenroom</title>{items}</channel></rss>'.encode()


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self):
        found = re.fullmatch(r"/episode-(\d+)\.mp3", self.path)
        if self.path == "/feed.xml":
            return self.answer(feed(self.headers["Host"] or f"127.0.0.1:{PORT}"), "application/rss+xml")
        if not found or not 1 <= int(found.group(1)) <= EPISODES:
            return self.send_error(404)
        self.answer(episode(int(found.group(1))), "audio/mpeg")

    def answer(self, body, kind):
        tag = '"' + hashlib.sha256(body).hexdigest()[:16] + '"'
        asked = re.fullmatch(r"bytes=(\d+)-", self.headers.get("Range", ""))
        start = 0
        if asked and self.headers.get("If-Range", tag) == tag and int(asked.group(1)) < len(body):
            start = int(asked.group(1))
            self.send_response(206)
            self.send_header("Content-Range", f"bytes {start}-{len(body) - 1}/{len(body)}")
        else:
            self.send_response(200)
        for name, value in [("Content-Type", kind), ("Content-Length", str(len(body) - start)), ("ETag", tag),
                            ("Accept-Ranges", "bytes")]:
            self.send_header(name, value)
        self.end_headers()
        for place in range(start, len(body), PIECE):
            piece = body[place:place + PIECE]
            self.wfile.write(piece)
            # What a line of this rate would take.
            time.sleep(len(piece) / RATE)

    def log_message(self, *words):
        pass


if __name__ == "__main__":
    server = http.server.ThreadingHTTPServer(("127.0.0.1", PORT), Handler)
    print(f"http://127.0.0.1:{PORT}/feed.xml", flush=True)
    server.serve_forever()
