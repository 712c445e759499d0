"""Runs tests that were built, for cases that no example app can show."""

import json
import os
import re
import subprocess
import tempfile

from cases.bench import Skipped, expect
from storms.places import ROOT

PROGRAM = os.path.join(ROOT, ".build/release/greenroomPackageTests.xctest")


def run_tests(place: str, name: str) -> None:
    """Runs the tests of a module or suite. At least one whose name fits must be among them, and those must pass.

    `place` is a regular expression for the tests to run. `name` is one for what people read: the names of a test and of
    the suites around it."""
    if not os.path.exists(PROGRAM):
        raise Skipped("the tests are not built: swift build --configuration release --build-tests")
    with tempfile.TemporaryDirectory(prefix="greenroom-case-") as folder:
        events = os.path.join(folder, "events")
        done = subprocess.run(
            [PROGRAM, "--testing-library", "swift-testing", "--event-stream-output-path", events,
             "--event-stream-version", "0", "--filter", place],
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=120)
        names: dict[str, str] = {}
        problems: dict[str, str] = {}
        ended: list[str] = []
        for record in read(events):
            payload = record["payload"]
            if record["kind"] == "test":
                names[payload["id"]] = payload.get("displayName") or payload["name"]
            elif payload["kind"] == "issueRecorded":
                problems[payload.get("testID")] = " ".join(one["text"] for one in payload.get("messages", []))
            elif payload["kind"] == "testEnded":
                ended.append(payload["testID"])

    def full_name(test: str) -> str:
        around = [text for one, text in names.items() if test.startswith(one + "/")]
        return ": ".join([*around, names.get(test, "")])

    wanted = [one for one in ended if one in names and re.search(name, full_name(one), re.IGNORECASE)]
    expect(wanted, f"no test in {place} has a name like “{name}”: {done.stdout[-400:] if done.returncode else ''}")
    wrong = [f"{names[one]}: {problems[one]}" for one in wanted if one in problems]
    expect(not wrong, "; ".join(wrong))


def read(path: str) -> list[dict]:
    if not os.path.exists(path):
        return []
    with open(path, encoding="utf-8", errors="replace") as file:
        return [json.loads(line) for line in file if line.endswith("}\n")]
