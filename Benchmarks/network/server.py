"""An HTTP server of zeros: /SIZE answers with so many bytes. It listens on the address and port that it is given."""

import http.server
import re
import sys

PIECE = bytes(1 << 16)


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self):
        size = int(self.path.strip("/"))
        ranged = re.match(r"bytes=(\d+)-$", self.headers.get("Range", ""))
        start = int(ranged[1]) if ranged else 0
        self.send_response(206 if ranged else 200)
        if ranged:
            self.send_header("Content-Range", f"bytes {start}-{size - 1}/{size}")
        self.send_header("Content-Length", str(size - start))
        self.send_header("ETag", f'"{size}"')
        self.end_headers()
        left = size - start
        try:
            while left > 0:
                left -= self.wfile.write(PIECE[:left])
        except OSError:
            self.close_connection = True

    def log_message(self, *_):
        pass


server = http.server.ThreadingHTTPServer((sys.argv[1], int(sys.argv[2])), Handler)
print("ready", flush=True)
server.serve_forever()
