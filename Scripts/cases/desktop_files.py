"""Installs the .desktop files of Tests/DesktopFiles one after another, and compares the answers with its table."""

import csv
import json
import os
import shutil

from cases.bench import Bench, case, expect
from storms.places import ROOT, SYSTEM_PATH

FOLDER = os.path.join(ROOT, "Tests/DesktopFiles")


def table() -> list[dict[str, str]]:
    """The lines of the table, by the names of its columns.

    A file without expected `words` must be installed without a warning. The machine may lack what a file `needs`."""
    with open(os.path.join(FOLDER, "expected.tsv"), encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE))


def problem(bench: Bench, folder: str, row: dict[str, str]) -> str | None:
    result = bench.up().run("install", os.path.join(folder, row["file"]))
    is_there = row["needs"] == "-" or shutil.which(row["needs"], path=SYSTEM_PATH)
    wanted, words = (row["result"], row["words"]) if is_there else ("refused", row["needs"])
    found = "installed" if result.code == 0 else "refused"
    is_silent = result.output.startswith("installed ") and result.output.count("\n") == 1
    fits = is_silent if words == "-" else words in result.output
    if found == wanted and fits:
        return None
    return f"{row['file']} ({row['kind']}): {wanted} was expected, and the answer is: {result.output.strip()}"


@case("DESKTOP")
def files(bench: Bench) -> None:
    folder = os.path.join(bench.folder, "DesktopFiles")
    shutil.copytree(FOLDER, folder)
    rows = table()
    listed = {row["file"] for row in rows}
    present = {name for name in os.listdir(folder) if name.endswith(".desktop")}
    expect(listed == present and len(rows) >= 60, f"not in both, table and folder: {listed ^ present}")
    problems = [words for row in rows if (words := problem(bench, folder, row))]
    expect(not problems, "\n".join(problems))
    # Each app is listed under the name that it should have, and a program gets its arguments as they were meant.
    names = {one["name"] for one in bench.system.json("apps")}
    missing = [row["name"] for row in rows if row["result"] == "installed" and row["needs"] == "-"]
    expect(set(missing) <= names, f"not listed: {set(missing) - names}")
    quotes = next(row for row in rows if row["file"] == "org.example.Quotes.desktop")
    bench.system.run("open", "org.example.Quotes")
    lines = "\n".join(json.loads(quotes["command"])[2:])
    output = bench.output("org.example.Quotes", lines)
    expect(output.strip("\n") == lines, f"the program printed {output}, and not {lines}")
