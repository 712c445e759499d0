#!/usr/bin/env python3
"""Runs what the README says: every console block, in one shell, and compares what is printed. Swift blocks must compile.

In a block, a line that begins with "$ " is a command, and the lines after it are what it prints. Numbers and the width of
gaps may differ, as may bars, and … stands for anything. A command without lines after it may print what it likes.
"""

import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
END = "the end of a command's output"
PATIENCE = 1800
# What these say may become true a moment later: an app freezes after home has returned.
READING = re.compile(r"greenroom (why|apps|log|output|reports|memory|timeline)\b|cat ")


def commands(text):
    """Pairs of a command and what it should print."""
    for block in re.findall(r"^```console\n(.*?)^```", text, re.MULTILINE | re.DOTALL):
        for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
            command, _, printed = part.partition("\n")
            yield command, printed


def compiles(number, source):
    """Whether a Swift file of its own with this text compiles against what was built."""
    products = subprocess.run(
        ["swift", "build", "--configuration", "release", "--show-bin-path"], cwd=ROOT, capture_output=True, text=True,
        check=True).stdout.strip()
    with tempfile.NamedTemporaryFile("w", prefix=f"readme{number}-", suffix=".swift") as file:
        file.write(source)
        file.flush()
        shims = [
            word for name in ("CUIKit", "CBackgroundTransfer")
            for word in ("-Xcc", f"-fmodule-map-file={products}/{name}.build/module.modulemap")]
        return subprocess.run(
            ["swiftc", "-typecheck", "-parse-as-library", "-swift-version", "6", "-I", f"{products}/Modules", *shims,
             file.name]).returncode == 0


def pattern(printed):
    """What is printed, where every number stands for any number, every gap for any gap and every bar for any bar."""
    words = re.split(r"(\d+(?:\.\d+)?|\s*[░▒▓▁-█━]{2}[\s░▒▓▁-█━]*|\s+|…)", printed.strip())
    kinds = [(r"\d", r"\d+(?:\.\d+)?"), (r"\s*[░▒▓▁-█━]", r"[\s░▒▓▁-█━]+"), (r"\s", r"\s+"), ("…", ".*?")]
    return "".join(
        next((kind for first, kind in kinds if re.match(first, word)), re.escape(word)) for word in words if word)


def says(printed, expected):
    return not expected.strip() or bool(re.fullmatch(pattern(expected), printed.strip(), re.DOTALL))


class Shell:
    def __init__(self, recording):
        self.process = subprocess.Popen(
            ["bash"], cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
            errors="replace", start_new_session=True, env=dict(os.environ, RECORD=recording))

    def run(self, command):
        self.process.stdin.write(f"{command}\nprintf '\\n%s %d\\n' {END!r} $?\n")
        self.process.stdin.flush()
        printed = []
        for line in self.process.stdout:
            if line.startswith(END):
                return "".join(printed), int(line.split()[-1])
            printed.append(line)
            print("    " + line, end="", flush=True)
        return "".join(printed), self.process.wait()

    def end(self):
        """Whatever happened, no system stays."""
        if self.process.poll() is None:
            self.run('[ -z "${GREENROOM_HOME:-}" ] || greenroom down --force >/dev/null 2>&1')
            self.process.stdin.close()
            self.process.wait()


def main():
    with open(os.path.join(ROOT, "README.md")) as file:
        text = file.read()
    todo = list(commands(text))
    if not todo:
        sys.exit("README.md has no console block")
    signal.alarm(PATIENCE)
    failures = 0
    # What the demo records has to replay, wherever it is copied to.
    recording = tempfile.mkdtemp(prefix="readme-recording-")
    shell = Shell(recording)
    try:
        for command, expected in todo:
            print("$ " + command, flush=True)
            printed, code = shell.run(command)
            for _ in range(10):
                if says(printed, expected) or not READING.match(command):
                    break
                time.sleep(0.3)
                printed, code = shell.run(command)
            if code != 0:
                failures += 1
                print(f"README.md: this command ended with exit code {code}: {command}")
            if not says(printed, expected):
                failures += 1
                print(f"README.md says that this command prints something else: {command}\n{expected}")
        if os.listdir(recording):
            printed, code = shell.run(f".build/bin/greenroom replay {recording}")
            if code != 0 or "every effect is equal" not in printed:
                failures += 1
                print("README.md: the recording of the demo does not replay")
            files = " ".join(f"{recording}/{name}" for name in ("trace.json", "log.jsonl", "apps.json"))
            printed, code = shell.run(f"/usr/bin/python3 Tests/TraceEvents/reader.py {files}")
            if code != 0:
                failures += 1
                print("README.md: the timeline of the demo is not what its log says")
    finally:
        shell.end()
        shutil.rmtree(recording, ignore_errors=True)
    for number, source in enumerate(re.findall(r"^```swift\n(.*?)^```", text, re.MULTILINE | re.DOTALL)):
        if not compiles(number, source):
            failures += 1
            print(f"README.md: this does not compile:\n{source}")
    print(f"README.md: {len(todo)} commands, {failures} failures")
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()
