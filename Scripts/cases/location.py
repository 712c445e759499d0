"""Places: files of tracks, and what gpsd says."""

import contextlib
import json
import os
import time

from cases.bench import Bench, case, expect, need, text
from storms.location.receiver import GPSD, Receiver
from storms.sockets import free_port, is_open
from storms.system import Result
from storms.waiting import wait_for

FIX = {"class": "TPV", "device": "/dev/x", "mode": 3, "lat": 46.05, "lon": 14.5, "altHAE": 300.0, "eph": 8.0}


def route(bench: Bench, path: str) -> Result:
    return bench.up().run("simulate", "route", path)


@case("E1", "E2", "E3", "E5")
def tracks(bench: Bench) -> None:
    for path in ("e1-gnsslogger.txt", "e2-empty-ele.gpx", "e2-nan-ele.gpx", "e3-latin1.gpx", "e5-talker-II.nmea"):
        result = route(bench, bench.input(f"location/{path}"))
        expect(result.code == 0, f"{path}: {result.output}")
    declared = 'encoding="ISO-8859-1"'
    wide = text(bench.input("location/e3-latin1.gpx")).replace(declared, 'encoding="UTF-16"').encode("utf-16")
    result = route(bench, bench.write("wide.gpx", wide))
    expect(result.code == 0, f"UTF-16: {result.output}")


@case("E4")
def fix_without_time(bench: Bench) -> None:
    port = free_port()
    bench.serve("fake_gpsd.py", port, str(port), json.dumps(FIX))
    follow(bench, port)


class Dateless(Receiver):
    """Sends GGA sentences alone, which have no date."""

    def feed(self) -> None:
        while not self.has_ended:
            clock = time.strftime("%H%M%S", time.gmtime())
            where = f"{self.part(self.place[0], 2, 'NS')},{self.part(self.place[1], 3, 'EW')}"
            with contextlib.suppress(BlockingIOError):
                os.write(self.master, self.sentence(f"GPGGA,{clock}.00,{where},1,08,0.9,300.0,M,45.0,M,,"))
            time.sleep(0.5)


@case("E4")
def receiver_without_date(bench: Bench) -> None:
    need({"gpsd": GPSD})
    receiver = Dateless((46.05, 14.5))
    bench.cleanups.callback(receiver.end)
    receiver.start()
    wait_for("gpsd", lambda: is_open(receiver.port), 20)
    follow(bench, receiver.port)


def follow(bench: Bench, port: int) -> None:
    """An app that follows the device must learn where it is."""
    bench.system.environment["GREENROOM_GPSD"] = f"127.0.0.1:{port}"
    system = bench.app("Wanderer")
    system.must("open", "wanderer:updates")
    system.must("location", "allow", "wanderer")
    found = bench.output("org.greenroom.fixtures.wanderer", "46.05", seconds=15)
    expect("46.05" in found, f"no fix: {found}\n{system.run('location').output}")
