#!/usr/bin/env python3
"""Plants bugs in the Core, one after another, and sees that storms, scenarios or the contract suite catch each.

usage: mutants.py [NAME...] [--storms N]

A test of the tests: a mutant that nothing catches is a bug that the tests would let through. Each file in Mutants/ says
what is wrong, names a source file, and holds a piece of it as it is and as it is with the bug. Everything happens in a
copy of the tree below .build/mutants.
"""

import argparse
import json
import os
import shutil
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
PLACE = os.path.join(ROOT, ".build", "mutants")
TREE = os.path.join(PLACE, "tree")
PRODUCT = "greenroom-simulator"


class Mutant:
    def __init__(self, path):
        self.name = os.path.splitext(os.path.basename(path))[0]
        with open(path) as file:
            head, _, rest = file.read().partition("\n--- right\n")
        self.what, self.file = head.split("\n")
        right, _, wrong = rest.partition("\n--- wrong\n")
        self.right, self.wrong = right, wrong.rstrip("\n")

    def plant(self):
        """The file as it was, to be put back."""
        path = os.path.join(TREE, self.file)
        with open(path) as file:
            text = file.read()
        if text.count(self.right) != 1:
            sys.exit(f"Mutants/{self.name}.mutant: {self.file} holds its piece {text.count(self.right)} times, not once: "
                     "the Core has changed, change the mutant with it")
        with open(path, "w") as file:
            file.write(text.replace(self.right, self.wrong))
        return text

    def mend(self, text):
        with open(os.path.join(TREE, self.file), "w") as file:
            file.write(text)


def copy_tree():
    """What git knows, as it is now, without touching what has not changed: so that little is built anew."""
    names = subprocess.run(["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"], cwd=ROOT,
                           check=True, capture_output=True, text=True).stdout.split("\0")
    for name in filter(None, names):
        source, target = os.path.join(ROOT, name), os.path.join(TREE, name)
        if not os.path.isfile(source):
            continue
        with open(source, "rb") as file:
            data = file.read()
        if os.path.isfile(target):
            with open(target, "rb") as file:
                if file.read() == data:
                    continue
        os.makedirs(os.path.dirname(target), exist_ok=True)
        with open(target, "wb") as file:
            file.write(data)
    for folder, _, files in os.walk(os.path.join(TREE, "Sources")):
        for file in files:
            path = os.path.join(folder, file)
            if not os.path.exists(os.path.join(ROOT, os.path.relpath(path, TREE))):
                os.remove(path)


def build(*arguments):
    return subprocess.run(["swift", "build", "--configuration", "release", *arguments], cwd=TREE, capture_output=True,
                          text=True)


def simulator(*arguments):
    program = os.path.join(TREE, ".build", "release", PRODUCT)
    try:
        result = subprocess.run([program, *arguments], cwd=TREE, capture_output=True, text=True, timeout=600)
    except subprocess.TimeoutExpired:
        return 124, "it never ends"
    return result.returncode, result.stdout or result.stderr


def caught_by_storms(count, folder):
    code, output = simulator("run", "--storm", str(count), "--seed", "1", "--out", folder, "--json")
    if code == 0:
        return None
    try:
        failed = json.loads(output)["failed"]
    except (ValueError, KeyError):
        return f"storms: {output.strip()[:120]}"
    first = failed[0]
    return f"storms ({len(failed)} of {count}): {first['text']}"


def caught_by_scenarios():
    code, output = simulator("run", "Scenarios", "--json")
    if code == 0:
        return None
    try:
        failed = [one for one in json.loads(output)["scenarios"] if not one["passed"]]
    except (ValueError, KeyError):
        return f"scenarios: {output.strip()[:120]}"
    return f"scenarios ({len(failed)}): {failed[0]['file']}"


def caught_by_contracts():
    """The contract suite's simulated half; slow to build, so it is asked last."""
    if build("--build-tests").returncode != 0:
        return None
    result = subprocess.run(
        ["swift", "test", "--configuration", "release", "--skip-build", "--disable-xctest", "--filter",
         "SimulationTests"], cwd=TREE, capture_output=True, text=True)
    return "the contract suite" if result.returncode != 0 else None


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", metavar="NAME")
    parser.add_argument("--storms", type=int, default=100)
    chosen = parser.parse_args()
    folder = os.path.join(ROOT, "Mutants")
    mutants = [Mutant(os.path.join(folder, name)) for name in sorted(os.listdir(folder)) if name.endswith(".mutant")]
    if chosen.names:
        mutants = [mutant for mutant in mutants if mutant.name in chosen.names]
    print("Building without a bug …", flush=True)
    copy_tree()
    healthy = build("--product", PRODUCT)
    if healthy.returncode != 0:
        sys.exit(healthy.stdout + healthy.stderr)
    shutil.rmtree(os.path.join(PLACE, "found"), ignore_errors=True)
    for check in (lambda: caught_by_storms(chosen.storms, PLACE), caught_by_scenarios):
        found = check()
        if found:
            sys.exit(f"without any bug, this fails: {found}")
    survivors = []
    for mutant in mutants:
        text = mutant.plant()
        try:
            built = build("--product", PRODUCT)
            if built.returncode != 0:
                sys.exit(f"Mutants/{mutant.name}.mutant does not compile:\n{built.stdout}{built.stderr}")
            found = os.path.join(PLACE, "found", mutant.name)
            os.makedirs(found)
            verdict = caught_by_storms(chosen.storms, found) or caught_by_scenarios() or caught_by_contracts()
        finally:
            mutant.mend(text)
        print(f"{'caught ' if verdict else 'ALIVE  '} {mutant.name}: {verdict or mutant.what}", flush=True)
        if not verdict:
            survivors.append(mutant.name)
    print(f"{len(mutants)} mutants, {len(mutants) - len(survivors)} caught, {len(survivors)} alive; the smallest "
          f"scenarios that catch them are in {os.path.relpath(os.path.join(PLACE, 'found'), os.getcwd())}")
    sys.exit(1 if survivors else 0)


if __name__ == "__main__":
    main()
