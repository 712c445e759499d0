#!/usr/bin/env python3
"""Runs what the README and the tour say: every console block, one shell for each page, and compares what is printed.

    Scripts/check-readme.py [--bare [--in-place] | --rest]

With --bare, the README's first sections alone run, on a bare Debian, from a clean clone of the last commit
(Scripts/bare-machine.sh): what they need and do not install is missing there. This needs root. With --in-place, this
checkout is that clone, so that what is built there need not be built again; then it must have no changes. --rest runs
everything but these sections.

In a block, a line that begins with "$ " is a command, and the lines after it are what it prints. Numbers and the width of
gaps may differ, as may bars, and … stands for anything. A command without lines after it may print what it likes.

Swift listings must compile. Those after a comment with the name of a file make up a package, in which `swift test` runs.
The demo's recording must replay, and the picture in the README must be one of this demo: it is drawn anew each time.
"""

import argparse
import glob
import html
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from typing import Any

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
PAGES = ["README.md", "docs/TOUR.md"]
# What a reader tries first, with nothing but Swift installed.
FIRST = ["Test your app", "See it run"]
END = "the end of a command's output"
PATIENCE = 2700
# What these say may become true a moment later: an app freezes after home has returned.
READING = re.compile(r"greenroom (why|apps|log|output|reports|memory|timeline)\b|cat ")
LISTING = re.compile(r"(?:^<!-- (\S+) -->\n)?^```swift\n(.*?)^```", re.MULTILINE | re.DOTALL)
# The package of a reader, who has it beside the clone.
PACKAGE = os.path.join(ROOT, ".build", "readme-package")
# Where builds may go (Scripts/build-cache.sh): that of this checkout, and that of the reader's package.
BUILD_FOLDERS = ["SWIFTPM_BUILD_DIR", "GREENROOM_READER_BUILD_DIR"]
PICTURE = (os.path.join(ROOT, "docs/images/demo.svg"), os.path.join(ROOT, ".build/demo.svg"))
DRAWN = ["Home, and the freeze", "Back at once"]


def commands(text):
    """Pairs of a command and what it should print."""
    for block in re.findall(r"^```console\n(.*?)^```", text, re.MULTILINE | re.DOTALL):
        for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
            command, _, printed = part.partition("\n")
            yield command, printed


def sections(text):
    """Pairs of a section's title and its text."""
    parts = re.split(r"^## (.*)\n", text, flags=re.MULTILINE)
    return [("", parts[0]), *zip(parts[1::2], parts[2::2])]


def compiles(number, source):
    """Whether a Swift file of its own with this text compiles against what was built."""
    products = subprocess.run(
        ["swift", "build", "--configuration", "release", "--show-bin-path"], cwd=ROOT, capture_output=True, text=True,
        check=True).stdout.strip()
    with tempfile.NamedTemporaryFile("w", prefix=f"readme{number}-", suffix=".swift") as file:
        file.write(source)
        file.flush()
        shims = [
            word for name in sorted(glob.glob(f"{products}/*.build/module.modulemap"))
            for word in ("-Xcc", f"-fmodule-map-file={name}")]
        return subprocess.run(
            ["swiftc", "-typecheck", "-parse-as-library", "-swift-version", "6", "-I", f"{products}/Modules", *shims,
             file.name]).returncode == 0


def write_package(text, folder, clone=None):
    """The package that a page describes, as files in a folder; without a clone beside it, the reader's clone is this."""
    for name, source in LISTING.findall(text):
        if not name:
            continue
        path = os.path.join(folder, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        if name == "Package.swift" and clone is None:
            source, count = re.subn(r'\(path: "\.\./greenroom"\)', f'(name: "greenroom", path: "{ROOT}")', source)
            if count != 1:
                sys.exit("README.md: the package does not depend on ../greenroom")
        with open(path, "w") as file:
            file.write(source)
    # The same versions of what Greenroom needs, so that nothing has to be looked for.
    if clone is None and os.path.exists(os.path.join(ROOT, "Package.resolved")):
        shutil.copy(os.path.join(ROOT, "Package.resolved"), folder)


def pattern(printed):
    """What is printed, where every number stands for any number, every gap for any gap and every bar for any bar."""
    words = re.split(r"(\d+(?:\.\d+)?|\s*[░▒▓▁-█━]{2}[\s░▒▓▁-█━]*|\s+|…)", printed.strip())
    kinds = [(r"\d", r"\d+(?:\.\d+)?"), (r"\s*[░▒▓▁-█━]", r"[\s░▒▓▁-█━]+"), (r"\s", r"\s+"), ("…", ".*?")]
    return "".join(
        next((kind for first, kind in kinds if re.match(first, word)), re.escape(word)) for word in words if word)


def says(printed, expected):
    return not expected.strip() or bool(re.fullmatch(pattern(expected), printed.strip(), re.DOTALL))


def words_of(picture):
    """What a picture says, without what differs from one demo and machine to the next."""
    with open(picture) as file:
        text = html.unescape(" ".join(re.findall(r"<text [^>]*>(.*?)</text>", file.read(), re.DOTALL)))
    # The folder of a cgroup and the units of times are the machine's, as are the lines that are broken for them.
    text = re.sub(r"/\S+/cgroup\.events", "cgroup.events", text)
    text = re.sub(r"\d+(\.\d+)?(:\d\d)*( (µs|ms|s)\b)?", "0", text)
    return re.sub(r"[\s─]+", " ", text).strip()


class Shell:
    def __init__(self, arguments, environment):
        self.process: Any = subprocess.Popen(
            arguments, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
            errors="replace", start_new_session=True, env={**os.environ, **environment})

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
            self.run('[ ! -d "${GREENROOM_HOME:-}" ] || greenroom down --force >/dev/null 2>&1')
            self.process.stdin.close()
            self.process.wait()


class Here:
    """This machine, with everything that was built."""

    def __init__(self, folder):
        self.package = PACKAGE
        self.recording = os.path.join(folder, "recording")
        self.environment = {"RECORD": self.recording, "TMPDIR": folder}

    def prepare(self, text):
        write_package(text, self.package)

    def shell(self):
        return Shell(["bash"], self.environment)

    def replay(self):
        return [os.path.join(ROOT, ".build/bin/greenroom"), "replay", self.recording]


class BareMachine:
    """A Debian with Swift, git and make, a clean clone of the last commit, and the reader's package beside it."""

    SCRIPT = os.path.join(ROOT, "Scripts/bare-machine.sh")
    BESIDE = "/root/greenroom"
    package = "/root/draft"

    def __init__(self, in_place):
        self.in_place = in_place
        self.clone = ROOT if in_place else self.BESIDE
        self.folder = tempfile.mkdtemp(prefix="greenroom-bare-", dir="/var/tmp")
        self.root = os.path.join(self.folder, "root")
        self.recording = os.path.join(self.root, "root/recording")
        self.environment = {}
        if in_place:
            # At its own place, where compilers are given the same paths as elsewhere, and beside the reader's package.
            shared = [ROOT, f"{ROOT}:{self.BESIDE}", *filter(None, map(os.environ.get, BUILD_FOLDERS))]
            self.environment["BARE_SHARED"] = " ".join(shared)

    def prepare(self, text):
        if self.in_place:
            changes = subprocess.run(
                ["git", "status", "--porcelain"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
            if changes:
                sys.exit(f"this checkout is no clean clone:\n{changes}")
        subprocess.run([self.SCRIPT, "make", self.root], check=True)
        if not self.in_place:
            clone = self.root + self.clone
            subprocess.run(["git", "clone", "--quiet", "--no-hardlinks", ROOT, clone], check=True)
        write_package(text, os.path.join(self.root, self.package.lstrip("/")), self.clone)

    def shell(self):
        command = f"export RECORD=/root/recording; cd '{self.clone}'; exec bash"
        return Shell([self.SCRIPT, "run", self.root, command], self.environment)

    def replay(self):
        command = f"cd '{self.clone}' && .build/bin/greenroom replay /root/recording"
        return ["env", *(f"{name}={value}" for name, value in self.environment.items()), self.SCRIPT, "run", self.root,
                command]

    def end(self):
        subprocess.run(["rm", "--recursive", "--force", "--one-file-system", self.folder], check=True)


class Check:
    def __init__(self, bare, rest):
        self.commands = 0
        self.failures = 0
        self.bare = bare
        self.rest = rest
        # Temporary files of what runs; the apps of a system have users of their own, who must be able to pass.
        self.folder = tempfile.mkdtemp(prefix="readme-")
        os.chmod(self.folder, 0o711)
        self.here = Here(self.folder)

    def fail(self, sentence):
        self.failures += 1
        print(sentence, flush=True)

    def page(self, name):
        """Runs a page's commands: the first sections of the README, or the others, or all."""
        with open(os.path.join(ROOT, name)) as file:
            text = file.read()
        if not any(commands(text)):
            sys.exit(f"{name} has no console block")
        parts = sections(text)
        if self.bare or self.rest:
            parts = [(title, part) for title, part in parts if (title in FIRST) == bool(self.bare)]
        if parts:
            self.run(name, self.bare or self.here, text, [part for _, part in parts])
        if self.bare:
            return
        for number, (file, source) in enumerate(LISTING.findall(text)):
            if not file and not compiles(number, source):
                self.fail(f"{name}: this does not compile:\n{source}")

    def run(self, name, place, text, parts):
        place.prepare(text)
        shell = place.shell()
        try:
            for part in parts:
                for command, expected in commands(part):
                    self.commands += 1
                    self.command(name, place, shell, command, expected)
        finally:
            shell.end()

    def command(self, page, place, shell, command, expected):
        print("$ " + command, flush=True)
        line = command
        if command == "swift test":
            folder = os.environ.get("GREENROOM_READER_BUILD_DIR")
            build = f"SWIFTPM_BUILD_DIR='{folder}'" if folder else "-u SWIFTPM_BUILD_DIR"
            line = f"(cd '{place.package}' && env {build} {command})"
        printed, code = shell.run(line)
        for _ in range(10):
            if says(printed, expected) or not READING.match(command):
                break
            time.sleep(0.3)
            printed, code = shell.run(line)
        if code != 0:
            self.fail(f"{page}: this command ended with exit code {code}: {command}")
        if not says(printed, expected):
            self.fail(f"{page} says that this command prints something else: {command}\n{expected}")

    def demo(self):
        """What the demo recorded has to replay, wherever it is copied to, and its picture is the README's."""
        place = self.bare or self.here
        recording = place.recording
        replay = subprocess.run(place.replay(), capture_output=True, text=True)
        if replay.returncode != 0 or "every effect is equal" not in replay.stdout:
            self.fail(f"README.md: the recording of the demo does not replay\n{replay.stdout}{replay.stderr}")
        files = [os.path.join(recording, name) for name in ("trace.json", "log.jsonl", "apps.json")]
        reader = os.path.join(ROOT, "Tests/TraceEvents/reader.py")
        if subprocess.run(["/usr/bin/python3", reader, *files]).returncode != 0:
            self.fail("README.md: the timeline of the demo is not what its log says")
        kept, drawn = PICTURE
        script = os.path.join(ROOT, "Scripts/picture.py")
        subprocess.run(
            [sys.executable, script, os.path.join(recording, "transcript.txt"), drawn, *DRAWN], check=True)
        print(f"The picture of this demo is {os.path.relpath(drawn, ROOT)}", flush=True)
        if words_of(kept) != words_of(drawn):
            self.fail(
                f"README.md: its picture is not one of this demo. cp {os.path.relpath(drawn, ROOT)} "
                f"{os.path.relpath(kept, ROOT)} makes it one\n  {words_of(kept)}\n  {words_of(drawn)}")

    def end(self):
        shutil.rmtree(self.folder, ignore_errors=True)


def late(number, frame):
    sys.exit(f"the commands of {' and '.join(PAGES)} took longer than {PATIENCE} s")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bare", action="store_true", help="run the README's first sections, on a bare Debian")
    parser.add_argument("--in-place", action="store_true", help="with --bare: this checkout is the clone")
    parser.add_argument("--rest", action="store_true", help="run everything but these sections")
    options = parser.parse_args()
    if options.bare and options.rest or options.in_place and not options.bare:
        parser.error("it is --bare, with --in-place or without, or --rest")
    signal.signal(signal.SIGALRM, late)
    signal.alarm(PATIENCE)
    bare = BareMachine(options.in_place) if options.bare else None
    check = Check(bare, options.rest)
    try:
        for page in PAGES:
            check.page(page)
        if not options.rest:
            check.demo()
    finally:
        check.end()
        if bare:
            bare.end()
    print(f"{' and '.join(PAGES)}: {check.commands} commands, {check.failures} failures")
    sys.exit(1 if check.failures else 0)


if __name__ == "__main__":
    main()
