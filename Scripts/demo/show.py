"""What the tour prints: for people on a terminal, plain everywhere else."""

import os
import re
import shutil
import sys
import textwrap
import time

INKS = {"dim": "2", "bold": "1", "green": "32", "red": "31", "cyan": "36"}
COLOR = re.compile(r"\x1b\[\d+m")


class Show:
    def __init__(self, pause):
        self.is_terminal = sys.stdout.isatty()
        self.colors = self.is_terminal and "NO_COLOR" not in os.environ and os.environ.get("TERM") != "dumb"
        self.width = max(60, min(100, shutil.get_terminal_size((92, 24)).columns))
        self.pause = pause if self.is_terminal else 0
        self.steps = 0
        self.transcript = []

    def ink(self, name, words):
        return f"\x1b[{INKS[name]}m{words}\x1b[0m" if self.colors and name else words

    def line(self, words=""):
        self.transcript.append(COLOR.sub("", words))
        print(words, flush=True)

    def rest(self, share=1.0):
        time.sleep(self.pause * share)

    def heading(self, title, explanation):
        if self.steps:
            self.rest()
        self.steps += 1
        head = f"── {self.steps}. {title} "
        self.line()
        self.line(self.ink("bold", head) + self.ink("dim", "─" * max(0, self.width - len(head))))
        for line in textwrap.wrap(explanation, self.width - 3):
            self.line("   " + line)
        self.line()
        self.rest(0.5)

    def command(self, words):
        self.line("   " + self.ink("cyan", "$ " + words))

    def output(self, words, most=8):
        lines = words.rstrip("\n").splitlines()
        for line in lines[:most]:
            for piece in self.folded(line):
                self.line("     " + piece)
        if len(lines) > most:
            self.line(self.ink("dim", f"     … {len(lines) - most} more lines"))

    def folded(self, line):
        room = self.width - 5
        if len(line) <= room:
            return [line]
        indent = " " * (len(line) - len(line.lstrip()) + 2)
        return textwrap.wrap(line, room, subsequent_indent=indent, drop_whitespace=True) or [""]

    def note(self, words):
        for line in textwrap.wrap(words, self.width - 5):
            self.line("   " + self.ink("dim", line))

    def good(self, words):
        lines = textwrap.wrap(words, self.width - 5)
        self.line("   " + self.ink("green", "✓") + " " + lines[0])
        for line in lines[1:]:
            self.line("     " + line)

    def bad(self, words):
        self.line("   " + self.ink("red", "✗ " + words))

    def table(self, rows):
        """Rows of what happened and what was measured, with the measures right-aligned."""
        right = max(len(measure) for _, measure in rows)
        room = self.width - right - 8
        for what, measure in rows:
            lines = textwrap.wrap(what, room)
            self.line("   " + self.ink("green", "✓") + f" {lines[0]:<{room}}  {measure:>{right}}")
            for line in lines[1:]:
                self.line("     " + line)


def duration(seconds):
    if seconds < 0.001:
        return f"{seconds * 1e6:.0f} µs"
    if seconds < 1:
        return f"{seconds * 1e3:.1f} ms"
    return f"{seconds:.2f} s"
