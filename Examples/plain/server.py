#!/usr/bin/env python3
"""A small HTTP server that knows nothing of Greenroom. Its port: the argument, else $PORT, else 8137."""

import http.server
import os
import sys
import threading


class Handler(http.server.BaseHTTPRequestHandler):
    lock = threading.Lock()
    answered = 0

    def do_GET(self):
        with Handler.lock:
            Handler.answered += 1
            number = Handler.answered
        body = f"request {number} of process {os.getpid()}\n".encode()
        self.send_response(200)
        self.send_header("Content-Type", "text/plain; charset=utf-8")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format, *arguments):
        print(self.log_date_time_string(), self.client_address[0], format % arguments, flush=True)


def main():
    text = sys.argv[1] if len(sys.argv) > 1 else os.environ.get("PORT", "8137")
    if not text.isdecimal() or int(text) > 65535:
        sys.exit(f"{text!r} is not a port: give a number from 0 to 65535, 0 for any free one.")
    try:
        server = http.server.ThreadingHTTPServer(("127.0.0.1", int(text)), Handler)
    except OSError as error:
        sys.exit(f"Port {text} cannot be used ({error.strerror}): set PORT to another one.")
    print(f"listening on http://127.0.0.1:{server.server_port}/", flush=True)
    server.serve_forever()


if __name__ == "__main__":
    main()
