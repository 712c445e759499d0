"""Transfers: what servers answer that is odd, and what a background session makes of it."""

import os
import urllib.parse

from cases.bench import Bench, case, expect, text
from cases.swift_tests import run_tests
from storms.sockets import free_port
from storms.system import Result

# Dates of the past as servers write them to remove a cookie. Browsers read them all.
PAST = [
    "Thu, 01-Jan-70 00:00:01 GMT", "Mon, 01 Jan 1601 00:00:00 GMT", "Thu, 01 Jan 1970 00:00:00 UTC",
    "Thursday, 01-Jan-1970 00:00:00 GMT", "Thu Jan  1 00:00:00 1970"]


def transfer(bench: Bench, url: str, *arguments: str) -> Result:
    return bench.up().run("transfer", url, *arguments, "--wait")


def odd_server(bench: Bench) -> str:
    port = free_port()
    bench.serve("odd_server.py", port, str(port))
    return f"http://127.0.0.1:{port}"


@case("A1")
def own_range(bench: Bench) -> None:
    server, target = odd_server(bench), os.path.join(bench.folder, "part")
    result = transfer(bench, server + "/ranged", "-o", target, "--header", "Range: bytes=1000-1999")
    expect(result.code == 0, result.output)
    expect(os.path.getsize(target) == 1000, f"{os.path.getsize(target)} bytes came")
    with open(target, "rb") as file:
        expect(file.read() == (bytes(range(256)) * 4000)[1000:2000], "other bytes came")


@case("A2")
def whole_part(bench: Bench) -> None:
    server, target = odd_server(bench), os.path.join(bench.folder, "all")
    result = transfer(bench, server + "/always206", "-o", target)
    expect(result.code == 0 and os.path.getsize(target) == 1_024_000, result.output)


@case("A3")
def coded(bench: Bench) -> None:
    server, target = odd_server(bench), os.path.join(bench.folder, "text")
    result = transfer(bench, server + "/gzip", "-o", target)
    expect(result.code == 0 and os.path.getsize(target) == 95_000, result.output)


@case("A4")
def removed_cookie(bench: Bench) -> None:
    server = odd_server(bench)

    def get(path: str) -> str:
        target = os.path.join(bench.folder, "answer")
        result = transfer(bench, server + path, "-o", target)
        expect(result.code == 0, f"{path}: {result.output}")
        answer = text(target)
        os.remove(target)
        return answer

    for date in PAST:
        get("/login")
        expect(get("/whoami") == "sid=abc", "the cookie is not sent")
        get("/logout?d=" + urllib.parse.quote(date))
        expect(get("/whoami") == "nobody", f"the cookie that ended at {date} is still sent")


@case("A5")
def refused_upload(bench: Bench) -> None:
    # Ten answers take minutes, because each waits twice as long as the previous one. This test has its own clock.
    run_tests("TransferCoreTests.RetryTests", "hears the last of so many answers")


@case("A7")
def early_answer(bench: Bench) -> None:
    log = bench.serve("hasty_server.py", 8098)
    upload = bench.write("upload", bytes(30_000_000))
    for path in ("/close", "/rst"):
        result = transfer(bench, f"http://127.0.0.1:8098{path}", "--upload", upload)
        expect(result.code == 0, f"{path}: {result.output}")
        count = text(log).count(f"('PUT', '{path}')")
        expect(count == 1, f"{path}: {count} requests")


@case("A9")
def lost_end(bench: Bench) -> None:
    log = bench.serve("hasty_server.py", 8098)
    target = os.path.join(bench.folder, "all")
    result = transfer(bench, "http://127.0.0.1:8098/chunkend", "-o", target)
    expect(result.code == 0 and os.path.getsize(target) == 1_024_000, result.output)
    whole = text(log).count("('/chunkend', None")
    expect(whole == 1, f"all of it was asked for {whole} times")
