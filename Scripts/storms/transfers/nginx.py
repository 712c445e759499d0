"""nginx in a folder of its own, with a bound on its rate."""

import os
import re
import subprocess

from storms.files import text
from storms.sockets import free_port, is_open
from storms.waiting import poll


class Nginx:
    process: subprocess.Popen[bytes]

    def __init__(self, folder: str, rate: int) -> None:
        self.folder = folder
        self.port = free_port()
        self.log = folder + "/access.log"
        with open(folder + "/nginx.conf", "w") as conf:
            conf.write(f"""
                daemon off; worker_processes 1; pid {folder}/pid; error_log {folder}/error.log;
                events {{ worker_connections 512; }}
                http {{
                    log_format own '$status $body_bytes_sent "$http_range" "$http_if_range"';
                    access_log {folder}/access.log own; sendfile on; limit_rate {rate};
                    client_body_temp_path {folder}; proxy_temp_path {folder};
                    fastcgi_temp_path {folder}; uwsgi_temp_path {folder}; scgi_temp_path {folder};
                    server {{ listen 127.0.0.1:{self.port} sndbuf=64k; root {folder}/www; }}
                }}""")
        os.makedirs(folder + "/www", exist_ok=True)

    def start(self) -> None:
        os.chmod(self.folder, 0o755)
        self.process = subprocess.Popen(
            ["/usr/sbin/nginx", "-e", self.folder + "/error.log", "-c", self.folder + "/nginx.conf"],
            stderr=subprocess.DEVNULL)
        if not poll(lambda: is_open(self.port), 4):
            raise SystemExit(text(self.folder + "/error.log"))

    def stop(self) -> None:
        self.process.terminate()
        self.process.wait()

    def requests(self) -> list[tuple[int, int, int]]:
        """(status, bytes sent, first byte asked for) of each request that is over."""
        found = []
        for line in open(self.log):
            request = re.match(r'(\d+) (\d+) "([^"]*)"', line)
            assert request, line
            start = re.search(r"bytes=(\d+)-", request[3])
            found.append((int(request[1]), int(request[2]), int(start[1]) if start else 0))
        return found
