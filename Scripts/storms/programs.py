"""Programs that answer lines with lines."""

import json
import subprocess
from typing import Any


def read_line(process: subprocess.Popen[str]) -> str:
    """Returns the next line that the program prints. It is empty if the program has ended."""
    assert process.stdout
    return process.stdout.readline()


def write_line(process: subprocess.Popen[str], line: str) -> None:
    assert process.stdin
    process.stdin.write(line + "\n")
    process.stdin.flush()


def close(process: subprocess.Popen[str]) -> None:
    for stream in (process.stdin, process.stdout):
        if stream:
            stream.close()


class Talker:
    """A program that answers lines with lines of JSON, and prints one when it is ready."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self.process = process
        self.pid = process.pid
        self.ready = self.hear()

    def hear(self) -> Any:
        line = read_line(self.process)
        if not line:
            words = self.process.args
            name = " ".join(map(str, words[:3])) if isinstance(words, (list, tuple)) else str(words)
            raise SystemExit(f"bench: {name} ended with {self.process.wait()}")
        return json.loads(line)

    def say(self, line: str) -> None:
        write_line(self.process, line)

    def ask(self, line: str) -> Any:
        self.say(line)
        return self.hear()

    def end(self, number: int | None = None, limit: float = 60) -> None:
        """Closes its standard input, and sends it a signal if one is given. It ends then."""
        if self.process.stdin:
            self.process.stdin.close()
        if number is not None:
            self.process.send_signal(number)
        self.process.wait(limit)
        close(self.process)
