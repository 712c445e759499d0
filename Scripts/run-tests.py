#!/usr/bin/env python3
"""Runs the tests that were built, in parts, and ends with what a reader has to know about the run.

    Scripts/run-tests.py [--part tidy|pure|machine] [--package FOLDER]... [--debug] [--limit SECONDS] [--record FILE]
        [--complete] [--filter REGEX]...

The parts run one after another: the rules for source text, then the pure modules, then the modules that run real
processes, each in a process of its own and LANES of them at once. A process that dies is started once more for the tests
that had not ended. A test that fails runs again by itself. If it passes then, it is flaky: it is listed at the end with
both results, and more than three flaky tests fail the run. With --record FILE, flaky results and counts of several runs
add up. --complete fails if a test was skipped for want of something that this script's machine is to have. Limits of time
in tests grow with GREENROOM_SLOWNESS, which is measured here at the start. The run fails if the tests left files in a
temporary folder. The last line counts the tests.
"""

import argparse
import atexit
import collections
import dataclasses
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time

# The packages with tests, by their folders, and the programs of those that are built.
PACKAGES = {".": "greenroom", "Gateway": "greenroom-gateway"}
CONFIGURATION = "debug" if "--debug" in sys.argv else "release"
PROGRAMS = {folder: path for folder, name in PACKAGES.items() if os.path.exists(
    path := os.path.realpath(f"{folder}/.build/{CONFIGURATION}") + f"/{name}PackageTests.xctest")}
# All at once would have thousands wait for a processor while their limits of time pass.
WIDTH = "SWT_EXPERIMENTAL_MAXIMUM_PARALLELIZATION_WIDTH"
SLOWNESS = "GREENROOM_SLOWNESS"
# How many test processes with real processes run at the same time. A test process has one thread per processor. In a
# single process, tests that block would stop all other tests.
LANES = 3
# The serialized suite of tests with whole systems. Each suite in it runs in a separate process.
SYSTEMS = "SystemTests.SystemTests"
# Parts that take a minute or two, and mostly wait. One lane begins with them: if all lanes did, the processors would have
# nothing to do meanwhile.
LONG = [
    "TransferServiceTests", "PushGatewayTests", "PushGatewayNATSTests", "GreenroomTestingTests", SYSTEMS + "/KeepingTheContract",
    SYSTEMS + "/Location", SYSTEMS + "/ScenariosOnRealProcesses",
]
MAX_FLAKY = 3
# A failure of many has a cause that another run does not help to find.
MAX_REPEATED = 8
# Tests that are named where a process died.
MAX_NAMED = 10
# Rights, devices and recordings that a machine may lack. With --complete, a test that is skipped for any other reason fails the run.
LACKED = re.compile(r"CAP_[A-Z_]+|nothing may be real-time|/dev/uinput|recordings of \w+ in ")
COLOR = re.compile(r"\x1b\[[\d;]*m")
# Places in which tests make folders, and how those are named.
PLACES = {tempfile.gettempdir(), "/tmp", "/var/tmp", "/var/lib", "/dev/shm"}
OURS = re.compile(r"(greenroom|iconreel)-|[0-9A-F]{8}(-[0-9A-F]{4}){3}-[0-9A-F]{12}$")
# This many lines after a failure explain it, and this many before the end of a run that broke off.
FOLLOWING = 6
LAST = 40
# How long what the last test ended may take to go.
MOMENT = 3


@dataclasses.dataclass
class Outcome:
    """What one process of the tests did."""

    names: dict = dataclasses.field(default_factory=dict)
    # Cases of each test that run now.
    running: collections.Counter = dataclasses.field(default_factory=collections.Counter)
    # When each began, in seconds.
    began: dict = dataclasses.field(default_factory=dict)
    ended: set = dataclasses.field(default_factory=set)
    # Tests with an issue, each with its first messages.
    failed: dict = dataclasses.field(default_factory=dict)
    skipped: dict = dataclasses.field(default_factory=dict)
    is_whole: bool = False
    code: int = 0
    last: list = dataclasses.field(default_factory=list)

    @property
    def interrupted(self):
        """Tests that ran when the process ended: first those that say so of each case, then those that have none."""
        cases = sorted(test for test, cases in self.running.items() if cases > 0)
        others = set(self.began) - self.ended - set(self.running)
        return cases + sorted(others, key=lambda test: -self.began[test])

    @property
    def is_late(self):
        """Whether `timeout` ended the process."""
        return self.code in (124, 137)

    def read(self, path):
        """The stream of events that the tests wrote."""
        with open(path, encoding="utf-8", errors="replace") as file:
            for line in file:
                try:
                    record = json.loads(line)
                except ValueError:
                    # The last line of a process that died.
                    continue
                payload = record["payload"]
                if record["kind"] == "test" and payload["kind"] == "function":
                    self.names[payload["id"]] = payload.get("displayName") or payload["name"]
                elif record["kind"] == "event":
                    self.note(payload)

    def note(self, event):
        kind, test = event["kind"], event.get("testID")
        words = " ".join(message["text"] for message in event.get("messages", []))
        if kind == "issueRecorded":
            if not event.get("issue", {}).get("isKnown") and event.get("issue", {}).get("isFailure", True):
                self.failed.setdefault(test, []).append(words)
        elif kind in ("testCaseStarted", "testCaseEnded") and test in self.names:
            self.running[test] += 1 if kind == "testCaseStarted" else -1
        elif kind == "testStarted" and test in self.names:
            self.began[test] = event["instant"]["absolute"]
        elif kind == "testEnded" and test in self.names:
            self.ended.add(test)
        elif kind == "testSkipped" and test in self.names:
            self.skipped[test] = words
        elif kind == "runEnded":
            self.is_whole = True


@dataclasses.dataclass
class Total:
    """The result of all parts."""

    passed: set = dataclasses.field(default_factory=set)
    failed: dict = dataclasses.field(default_factory=dict)
    skipped: dict = dataclasses.field(default_factory=dict)
    flaky: list = dataclasses.field(default_factory=list)
    names: dict = dataclasses.field(default_factory=dict)


def slowness():
    """How much slower this machine is now than a quiet one: computing and starting processes, at least 1."""
    began = time.perf_counter()
    sum(number * number for number in range(3_000_000))
    computing = (time.perf_counter() - began) / 0.25
    began = time.perf_counter()
    for _ in range(100):
        subprocess.run(["/bin/true"], check=True)
    starting = (time.perf_counter() - began) / 0.25
    return round(min(8.0, max(1.0, computing, starting)), 1)


def early_parts():
    """The parts that the manifest can build by themselves, each with its modules."""
    with open("Package.swift", encoding="utf-8") as file:
        text = re.findall(r"^let parts: .*? = \[\n(.*?)^\]", file.read(), re.DOTALL | re.MULTILINE)[0]
    return {name: re.findall(r'"(\w+)"', modules) for name, modules in re.findall(r'"(\w+)": \[(.*?)\]', text, re.DOTALL)}


class Runner:
    def __init__(self, options):
        self.options = options
        self.end = time.monotonic() + options.limit if options.limit else None
        self.folder = tempfile.mkdtemp(prefix="run-tests-")
        atexit.register(shutil.rmtree, self.folder, ignore_errors=True)
        self.processes = set()
        # The program of each module that ran.
        self.programs = {}
        self.lock = threading.Lock()
        self.count = 0
        # The test processes have separate process groups, so Ctrl-C is forwarded.
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, self.interrupt)

    def interrupt(self, *_):
        self.end = time.monotonic()
        for process in list(self.processes):
            process.terminate()

    def run(self, *arguments, say=None, program=PROGRAMS.get(".")):
        """Runs one process of the tests and says what it prints, except for what begins and passes."""
        say = say or (lambda line: print(line, end="", flush=True))
        with self.lock:
            self.count += 1
            events = os.path.join(self.folder, f"events-{self.count}.jsonl")
        left = max(1, int(self.end - time.monotonic())) if self.end else 0
        process = subprocess.Popen(
            ["timeout", "--kill-after=30", str(left), program, "--testing-library", "swift-testing",
             "--event-stream-output-path", events, "--event-stream-version", "0", *arguments],
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace",
            env={WIDTH: "64", **os.environ})
        self.processes.add(process)
        outcome, last = Outcome(), collections.deque(maxlen=LAST)
        for line in process.stdout or ():
            # Into a pipe Swift Testing writes as on a terminal.
            line = COLOR.sub("", line)
            if not line.startswith(("◇", "✔")):
                last.append(line)
            if not line.startswith(("◇", "✔", "➜")) or line[2:].startswith("Test run"):
                say(line)
        # `timeout` reports a signal as 128 and its number.
        code = process.wait()
        self.processes.discard(process)
        outcome.code, outcome.last = 128 - code if code > 128 and code != 137 else code, list(last)
        if os.path.exists(events):
            outcome.read(events)
            os.remove(events)
        self.programs.update((test.partition(".")[0], program) for test in outcome.names)
        return outcome

    def alone(self, test):
        """Runs one test by itself."""
        print(f"\nAgain, by itself: {test}", flush=True)
        return self.run("--filter", "^" + re.escape(test) + "$", program=self.programs[test.partition(".")[0]])


def died(outcome):
    code, running = outcome.code, outcome.interrupted
    how = "at its limit of time" if outcome.is_late else f"by signal {-code}" if code < 0 else f"with exit code {code}"
    more = f" and {len(running) - MAX_NAMED} more" if len(running) > MAX_NAMED else ""
    return f"the process ended {how} while these ran: {', '.join(running[:MAX_NAMED]) or 'none'}{more}"


def run_part(runner, name, arguments, total, say=None, program=PROGRAMS.get(".")):
    say = say or (lambda text: print(text, end="", flush=True))
    say(f"\nThe part {name}\n")
    outcome = runner.run(*arguments, say=say, program=program)
    with runner.lock:
        merge(outcome, total)
    if outcome.is_whole:
        return
    say(f"The part {name}: {died(outcome)}. Its last lines:\n{''.join(outcome.last)}\n")
    if outcome.is_late or not outcome.names:
        total.failed[f"(the part {name})"] = [died(outcome)]
        return
    left = sorted(set(outcome.names) - outcome.ended - set(outcome.skipped))
    total.flaky.append((f"(the part {name})", died(outcome), "started once more for the tests that had not ended"))
    say(f"Started once more, for {len(left)} tests\n")
    again = runner.run(*filters(left), say=say, program=program)
    with runner.lock:
        merge(again, total)
    if not again.is_whole:
        total.failed[f"(the part {name})"] = [died(again)]
        say(f"Its last lines:\n{''.join(again.last)}\n")


def machine_parts():
    """Returns the parts that run in separate processes, each with its program and its filter: modules, and the suites of
    SYSTEMS."""
    early = {module for modules in early_parts().values() for module in modules}
    parts: dict[str, tuple[str, str | None]] = {}
    for program in PROGRAMS.values():
        listed = subprocess.run(
            [program, "--testing-library", "swift-testing", "--list-tests"], capture_output=True, text=True, check=True)
        for test in listed.stdout.splitlines():
            module = test.partition(".")[0]
            if not re.fullmatch(r"\w+Tests", module) or module in early:
                continue
            # The name of a test may contain a slash, so only its suite counts.
            name = "/".join(test.split("/")[:2]) if test.startswith(SYSTEMS + "/") and test.count("/") > 1 else module
            parts[name] = program, f"^{re.escape(name)}/" if "/" in name else f"^{re.escape(name)}\\."
    if (whole := SYSTEMS.partition(".")[0]) in parts:
        parts[whole] = parts[whole][0], None
    return parts


def run_machine(runner, total):
    """Runs all parts with real processes in LANES lanes. The output of a part is printed when the part ends."""
    parts = machine_parts()
    if not parts:
        sys.exit("No program of tests is built, or it lists none.")
    waiting = [part for part in LONG if part in parts]
    busy = sorted(part for part in parts if part not in LONG)
    troubles = []

    def work(first, second):
        while True:
            with runner.lock:
                if troubles or not (queue := first or second):
                    return
                name = queue.pop(0)
                program, regex = parts[name]
                if out_of_time(runner):
                    total.failed[f"(the part {name})"] = ["it was not started before the time limit"]
                    continue
            lines, began = [], time.monotonic()
            try:
                if regex:
                    arguments = ["--filter", regex]
                else:
                    arguments = ["--filter", rf"^{re.escape(name)}\.", "--skip", rf"^{re.escape(SYSTEMS)}/[^/]*/[^/]*\("]
                run_part(runner, name, arguments, total, lines.append, program)
            except BaseException as error:
                troubles.append(error)
                raise
            lines.append(f"{time.monotonic() - began:.0f} s\n")
            with runner.lock:
                print("".join(lines), end="", flush=True)

    # The lanes share the processors, so time limits grow with their number.
    alone = os.environ[SLOWNESS]
    os.environ[SLOWNESS] = str(LANES * float(alone))
    workers = [threading.Thread(target=work, args=(waiting, busy))]
    workers += [threading.Thread(target=work, args=(busy, waiting)) for _ in range(LANES - 1)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    os.environ[SLOWNESS] = alone
    if troubles:
        raise troubles[0]


def out_of_time(runner):
    return runner.end is not None and time.monotonic() >= runner.end


def filters(tests):
    """Arguments that choose these tests, by their suites: all names would not fit."""
    suites = sorted({"/".join(test.split("/")[:-2]) for test in tests})
    arguments = []
    for start in range(0, len(suites), 100):
        arguments += ["--filter", "^(" + "|".join(re.escape(suite) for suite in suites[start:start + 100]) + ")/"]
    return arguments


def merge(outcome, total):
    total.names.update(outcome.names)
    total.skipped.update(outcome.skipped)
    for test, words in outcome.failed.items():
        total.failed.setdefault(test or "(no test)", []).extend(words)
    total.passed |= outcome.ended - set(outcome.failed)


def repeat_failures(runner, total):
    tests = [test for test in total.failed if test in total.names]
    for test in tests[:MAX_REPEATED]:
        if out_of_time(runner):
            return
        again = runner.alone(test)
        if again.is_whole and again.ended == {test} and not again.failed:
            first = total.failed.pop(test)[0] if total.failed[test] else "failed"
            total.flaky.append((test, "failed: " + first, "passed by itself"))
            total.passed.add(test)


def entries():
    found = set()
    for place in PLACES:
        try:
            found.update(os.path.join(place, name) for name in os.listdir(place) if OURS.match(name))
        except OSError:
            continue
    return found


def leftovers(before):
    end = time.monotonic() + MOMENT
    while (left := entries() - before) and time.monotonic() < end:
        time.sleep(0.1)
    return sorted(left)


def say_skipped(total):
    """A run without rights must not look like a full one. Returns the reasons that the machine should not have had."""
    if not total.skipped:
        print("No test was skipped.")
        return []
    reasons = collections.Counter(
        re.sub(r'^.*skipped(: "(.*)")?\.?$', lambda match: match[2] or "no reason given", words) for words in total.skipped.values())
    is_full = not any(reason.startswith("NOT TESTED") for reason in reasons)
    print(f"{'Skipped' if is_full else 'NOT A FULL RUN. Skipped'}: {len(total.skipped)} of {len(total.names)} tests, because:")
    print("\n".join(f"{number:6}  {reason}" for reason, number in reasons.most_common()))
    return [reason for reason in reasons if reason.startswith("NOT TESTED") and not LACKED.search(reason)]


def recorded(path, entry):
    """Adds an entry to the record, and returns all entries in it."""
    if not path:
        return [entry]
    with open(path, "a", encoding="utf-8") as file:
        file.write(json.dumps(entry) + "\n")
    with open(path, encoding="utf-8") as file:
        return [json.loads(line) for line in file]


def say_flaky(total, path):
    """Prints the list with that of earlier runs, and returns how many are on it."""
    entries = []
    for entry in [*map(list, total.flaky), {}]:
        entries = recorded(path, entry) if path else [*entries, entry]
    flaky = [entry for entry in entries if isinstance(entry, list)]
    if flaky:
        print("Flaky:")
        for test, first, then in flaky:
            print(f"  {test}\n      first: {first}\n      then:  {then}")
    return len(flaky)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--part", choices=[*early_parts(), "machine"], help="only this part (default: all)")
    parser.add_argument("--package", action="append", choices=PACKAGES,
                        help="fail if the tests of this package are not built (default: run those that are)")
    parser.add_argument("--only", choices=PACKAGES, help="only the tests of this package")
    parser.add_argument("--debug", action="store_true", help="run the tests of a debug build")
    parser.add_argument("--limit", type=int, default=0, help="end the tests after this many seconds (default: never)")
    parser.add_argument("--record", metavar="FILE", help="add flaky tests and counts to those of earlier runs in it")
    parser.add_argument("--complete", action="store_true", help="fail if a test was skipped that this machine should run")
    parser.add_argument("--filter", action="append", default=[], help="only tests whose names match")
    options = parser.parse_args()
    os.environ.setdefault(SLOWNESS, str(slowness()))
    print(f"This machine is {os.environ[SLOWNESS]} times as slow as a quiet one: limits of time grow by that.", flush=True)
    before, total, runner = entries(), Total(), Runner(options)
    for folder in [folder for folder in PROGRAMS if options.only not in (None, folder)]:
        del PROGRAMS[folder]
    for folder in [*(options.package or []), *filter(None, [options.only])]:
        if folder not in PROGRAMS:
            sys.exit(f"The tests of {folder} are not built.")
    # A filter and the choice of a part do not combine.
    parts = {name: ["--filter", "^(" + "|".join(modules) + ")\\."] for name, modules in early_parts().items()}
    parts["machine"] = []
    if options.filter:
        parts = {"filtered": [word for regex in options.filter for word in ("--filter", regex)]}
    elif options.part:
        parts = {options.part: parts[options.part]}
    for name, arguments in parts.items():
        if name == "machine":
            run_machine(runner, total)
            continue
        for program in PROGRAMS.values() if name == "filtered" else [PROGRAMS["."]]:
            run_part(runner, name, arguments, total, program=program)
    repeat_failures(runner, total)
    left = leftovers(before)
    if left:
        print("The tests left these behind:\n  " + "\n  ".join(left))
    unexpected = say_skipped(total)
    flaky = say_flaky(total, options.record)
    troubles = [f"More than {MAX_FLAKY} flaky tests: {flaky}"] if flaky > MAX_FLAKY else []
    if options.complete:
        troubles += [f"This machine should have run what was skipped: {reason}" for reason in unexpected]
    for test, words in total.failed.items():
        print(f"✘ {test}: {(words or ['failed'])[0]}")
    print("".join(trouble + "\n" for trouble in troubles), end="")
    failures = len(total.failed) + len(troubles) + bool(left)
    counts = {"passed": len(total.passed), "failed": failures, "skipped": len(total.skipped)}
    sums = collections.Counter()
    for entry in recorded(options.record, counts):
        if isinstance(entry, dict):
            sums.update(entry)
    print(", ".join(f"{sums[word]} {word}" for word in counts), flush=True)
    sys.exit(1 if failures or not total.passed else 0)


if __name__ == "__main__":
    main()
