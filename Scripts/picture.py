#!/usr/bin/env python3
"""Draws what the demo printed as a picture of a terminal.

    make demo RECORD=/tmp/record
    Scripts/picture.py /tmp/record/transcript.txt docs/images/demo.svg "Home, and the freeze" "Back at once"

The names are those of the steps to draw; without any, all of them are drawn.
"""

import html
import sys

FONT, LINE, CELL, MARGIN, BAR = 13, 18, 7.83, 18, 34
INK = {"plain": "#d7dae0", "dim": "#7f8794", "bold": "#ffffff", "cyan": "#6cc7e6", "green": "#8ccf7e"}


def steps(text):
    """The transcript, cut at its headings."""
    found = []
    for line in text.splitlines():
        if line.startswith("── "):
            found.append([])
        if found:
            found[-1].append(line)
    return found


def title(step):
    return step[0].strip("─ ").partition(". ")[2] or step[0].strip("─ ")


def pieces(line):
    """A line in the inks of the demo."""
    if line.startswith("── "):
        name = line.rstrip("─")
        return [(name, "bold"), (line[len(name):], "dim")]
    if line.startswith("   $ "):
        return [(line, "cyan")]
    if line.startswith("   ✓"):
        return [("   ✓", "green"), (line[4:], "plain")]
    return [(line, "plain" if line.startswith("     ") else "dim")]


def draw(lines):
    width = max(len(line) for line in lines) * CELL + 2 * MARGIN
    height = len(lines) * LINE + BAR + MARGIN
    out = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:.0f} {height:.0f}" width="{width:.0f}"'
        f' font-family="ui-monospace, SFMono-Regular, Menlo, DejaVu Sans Mono, monospace" font-size="{FONT}">',
        f'<rect width="{width:.0f}" height="{height:.0f}" rx="8" fill="#1b1e24"/>',
    ]
    out += [f'<circle cx="{MARGIN + 16 * n}" cy="17" r="5" fill="#3a3f4a"/>' for n in range(3)]
    for number, line in enumerate(lines):
        column, y = 0, BAR + LINE * (number + 0.75)
        for words, ink in pieces(line):
            if words.strip():
                # The length is given, so that columns line up whatever the font.
                out.append(
                    f'<text x="{MARGIN + column * CELL:.1f}" y="{y:.1f}" fill="{INK[ink]}" xml:space="preserve"'
                    f' textLength="{len(words) * CELL:.1f}"{WEIGHT[ink == "bold"]}>{html.escape(words)}</text>')
            column += len(words)
    return "\n".join(out + ["</svg>", ""])


WEIGHT = {True: ' font-weight="bold"', False: ""}


def main():
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    with open(sys.argv[1]) as file:
        found = steps(file.read())
    wanted = sys.argv[3:]
    missing = set(wanted) - {title(step) for step in found}
    if missing:
        sys.exit(f"the transcript has no step {', '.join(sorted(missing))}")
    chosen = [step for step in found if not wanted or title(step) in wanted]
    lines = [line for step in chosen for line in step]
    while lines and not lines[-1].strip():
        lines.pop()
    with open(sys.argv[2], "w") as file:
        file.write(draw(lines))


if __name__ == "__main__":
    main()
