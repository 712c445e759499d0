"""The provider's end of the storm: gateways that are killed and started again at the same ports, and the nats-servers
that they may keep their messages in."""

import json
import os
import random
import shutil
import signal
import subprocess
import time
import urllib.request
from typing import Any, Optional

from storms.push.balancer import Balancer
from storms.sockets import free_port
from storms.waiting import poll


class Gateway:
    """One of them. With `twin` it has the same keys and certificates as another one."""

    def __init__(
            self, tools: str, folder: str, cluster: Optional["Cluster"], name: str = "gateway",
            twin: Optional["Gateway"] = None) -> None:
        self.program = os.path.join(os.path.abspath(tools), "greenroom-pushgate")
        self.home = os.path.join(folder, name)
        self.log = os.path.join(folder, name + ".log")
        self.cluster = cluster
        self.process: subprocess.Popen[str] | None = None
        self.addresses: dict[str, str] = {}
        self.deaths = 0
        if twin:
            shutil.copytree(twin.home, self.home)
            self.instructions: dict[str, Any] = twin.instructions
            return
        made = subprocess.run(
            [self.program, "init", "--home", self.home, "--listen", "127.0.0.1:0", "--link", "127.0.0.1:0", "--json"],
            capture_output=True, text=True, check=True)
        self.instructions = json.loads(made.stdout)

    def port(self, kind: str) -> int:
        return int(self.addresses[kind].rpartition(":")[2])

    def start(self) -> None:
        words = [self.program, "serve", "--home", self.home, "--threads", "1", "--log-level", "info"]
        for kind in ("listen", "link", "metrics"):
            words += ["--" + kind, self.addresses.get(kind, "127.0.0.1:0")]
        if self.cluster:
            words += ["--nats", ",".join(self.cluster.urls)]
        with open(self.log, "a") as log:
            self.process = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=log, text=True)
        line = self.process.stdout.readline() if self.process.stdout else ""
        if not line:
            raise RuntimeError(f"the gateway does not start: {self.log}")
        self.addresses = json.loads(line)

    def kill(self) -> None:
        if self.process:
            self.process.send_signal(signal.SIGKILL)
            self.process.wait()
            if self.process.stdout:
                self.process.stdout.close()
            self.process = None
            self.deaths += 1


class Gateways:
    """One or more that share a store, behind one address for the devices."""

    def __init__(self, tools: str, folder: str, cluster: Optional["Cluster"], count: int) -> None:
        first = Gateway(tools, folder, cluster)
        self.all = [first] + [Gateway(tools, folder, cluster, f"gateway-{number}", first) for number in range(2, count + 1)]
        self.instructions = first.instructions
        self.balancer: Balancer | None = None

    def start(self) -> None:
        for gateway in self.all:
            gateway.start()
        if len(self.all) > 1:
            self.balancer = Balancer([gateway.port("link") for gateway in self.all])

    def ports(self, kind: str) -> list[int]:
        return [gateway.port(kind) for gateway in self.all]

    @property
    def link(self) -> int:
        """The port that devices connect to."""
        return self.balancer.port if self.balancer else self.all[0].port("link")

    def kill(self, chance: random.Random) -> None:
        """Kills one, and starts it again."""
        gateway = chance.choice(self.all)
        gateway.kill()
        time.sleep(chance.random() * 0.5)
        gateway.start()

    def counts(self, answered: dict[int, int]) -> list[dict[str, int]]:
        """How often each was killed, and what each did."""
        links = self.balancer.counts if self.balancer else {}
        return [
            {"killed": gateway.deaths, "answered": answered.get(gateway.port("listen"), 0),
             "connections": links.get(gateway.port("link"), 0)} for gateway in self.all]

    def end(self) -> None:
        for gateway in self.all:
            gateway.kill()
        if self.balancer:
            self.balancer.end()


class Cluster:
    """Three nats-servers, of which one at a time may be dead."""

    def __init__(self, folder: str) -> None:
        self.folder = os.path.join(folder, "nats")
        self.ports = [(free_port(), free_port(), free_port()) for _ in range(3)]
        self.urls = [f"nats://127.0.0.1:{ports[0]}" for ports in self.ports]
        routes = ", ".join(f"nats://127.0.0.1:{ports[1]}" for ports in self.ports)
        self.program = shutil.which("nats-server", path="/usr/sbin:/usr/bin:/usr/local/bin") or "nats-server"
        self.nodes: dict[int, subprocess.Popen[bytes]] = {}
        for number, (client, cluster, monitor) in enumerate(self.ports):
            os.makedirs(f"{self.folder}/{number}")
            with open(f"{self.folder}/{number}.conf", "w") as file:
                file.write(
                    f"server_name: n{number}\nlisten: 127.0.0.1:{client}\nhttp: 127.0.0.1:{monitor}\n"
                    f"jetstream {{ store_dir: {self.folder}/{number} }}\n"
                    f"cluster {{ name: storm, listen: 127.0.0.1:{cluster}, routes: [{routes}] }}\n")
        for number in range(3):
            self.start(number)
        for number in range(3):
            self.await_health(number)

    def start(self, number: int) -> None:
        with open(f"{self.folder}/{number}.log", "a") as log:
            self.nodes[number] = subprocess.Popen(
                [self.program, "-c", f"{self.folder}/{number}.conf"], stdout=log, stderr=log)

    def is_healthy(self, number: int) -> bool:
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{self.ports[number][2]}/healthz", timeout=2) as answer:
                return answer.status == 200
        except OSError:
            return False

    def await_health(self, number: int, limit: float = 60) -> None:
        if not poll(lambda: self.is_healthy(number), limit, 0.05):
            raise RuntimeError(f"nats-server {number} is not healthy: {self.folder}/{number}.log")

    def kill(self, chance: random.Random) -> bool:
        """Kills one, and starts it again. `False`: the one before has not caught up."""
        if not all(self.is_healthy(number) for number in range(3)):
            return False
        number = chance.randrange(3)
        self.nodes[number].kill()
        self.nodes[number].wait()
        time.sleep(chance.random())
        self.start(number)
        return True

    def end(self) -> None:
        for node in self.nodes.values():
            node.kill()
            node.wait()
