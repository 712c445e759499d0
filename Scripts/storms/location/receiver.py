"""A receiver that sees its satellites, on a serial line, and the gpsd that listens to it."""

import math
import os
import signal
import subprocess
import threading
import time

from storms.sockets import free_port

GPSD = "/usr/sbin/gpsd"


# Degrees of latitude and longitude.
Place = tuple[float, float]


def moved(place: Place, east: float, north: float) -> Place:
    return place[0] + north / 111195, place[1] + east / (111195 * math.cos(math.radians(place[0])))


class Receiver:
    """A serial line with a receiver on it that sees its satellites, and the gpsd that listens to it."""

    def __init__(self, place: Place) -> None:
        self.place = place
        self.master, slave = os.openpty()
        self.device = os.ttyname(slave)
        self.slave = slave
        os.chmod(self.device, 0o666)
        self.port = free_port()
        self.process: subprocess.Popen[bytes] | None = None
        self.has_ended = False
        # When the last sentence of each fix went out: of all, and by its latitude. The device goes north by `step` each second.
        self.history: list[int] = []
        self.written: dict[str, int] = {}
        self.step = 0.0
        os.set_blocking(self.master, False)
        threading.Thread(target=self.feed, daemon=True).start()

    def start(self) -> None:
        """Begins a gpsd, and another one whenever that ends, as systemd does for its clients."""
        threading.Thread(target=self.keep, daemon=True).start()
        while self.process is None:
            time.sleep(0.01)

    def keep(self) -> None:
        while not self.has_ended:
            self.process = subprocess.Popen(
                [GPSD, "-N", "-S", str(self.port), self.device], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            self.process.wait()

    def kill(self) -> None:
        if self.process:
            self.process.send_signal(signal.SIGKILL)

    def end(self) -> None:
        self.has_ended = True
        if self.process:
            self.process.send_signal(signal.SIGKILL)
            self.process.wait()

    @staticmethod
    def part(value: float, digits: int, letters: str) -> str:
        """Degrees and minutes."""
        degrees = int(abs(value))
        return f"{degrees:0{digits}d}{(abs(value) - degrees) * 60:07.4f},{letters[value < 0]}"

    @staticmethod
    def sentence(text: str) -> bytes:
        sum_ = 0
        for byte in text.encode():
            sum_ ^= byte
        return f"${text}*{sum_:02X}\r\n".encode()

    def feed(self) -> None:
        before = self.place
        while not self.has_ended:
            now = time.gmtime()
            clock, day = time.strftime("%H%M%S", now), time.strftime("%d%m%y", now)
            latitude, longitude = self.place
            east = (longitude - before[1]) * 111195 * math.cos(math.radians(latitude))
            north = (latitude - before[0]) * 111195
            before = self.place
            # Since the second before, in knots and degrees.
            motion = f"{min(math.hypot(east, north) / 0.514444, 999):05.1f},{math.degrees(math.atan2(east, north)) % 360:05.1f}"
            where = f"{self.part(latitude, 2, 'NS')},{self.part(longitude, 3, 'EW')}"
            lines = [
                f"GPGGA,{clock}.00,{where},1,08,0.9,300.0,M,45.0,M,,", "GPGSA,A,3,04,05,09,12,24,25,29,31,,,,,1.8,0.9,1.5",
                f"GPRMC,{clock}.00,A,{where},{motion},{day},,,A"]
            for line in lines:
                try:
                    os.write(self.master, self.sentence(line))
                except BlockingIOError:
                    pass
            self.written[f"{latitude:.4f}"] = time.monotonic_ns()
            self.history.append(time.monotonic_ns())
            if self.step:
                self.place = (latitude + self.step, longitude)
            try:
                while os.read(self.master, 4096):
                    pass
            except OSError:
                pass
            time.sleep(1 - time.time() % 1)
