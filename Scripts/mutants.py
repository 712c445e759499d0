#!/usr/bin/env python3
"""Plants bugs, one after another, and sees that the tests catch each.

usage: mutants.py [NAME...] [--storms N]
       mutants.py --in-place SEED

A test of the tests: a mutant that nothing catches is a bug that the tests would let through. Each file in Mutants/ says
what is wrong, names a source file, and holds a piece of it as it is and as it is with the bug. Bugs in the Core are for
storms, scenarios or the contract suite to catch. A third line, for bugs in other modules, names the suite of unit tests
that must catch it, as MODULE.SUITE. Everything happens in a copy of the tree below .build/mutants.

--in-place plants one of the bugs that name a suite, another one with each seed, where the tests have been built already
(with --configuration release --build-tests): little has to be built. The tree itself is not touched. It needs root, which
may lay a file system over the tree that this program alone sees.
"""

import argparse
import functools
import json
import os
import shlex
import shutil
import subprocess
import sys
import tempfile
import time

from storms.files import write
from storms.places import ROOT

PLACE = os.path.join(ROOT, ".build", "mutants")
TREE = os.path.join(PLACE, "tree")
PRODUCT = "greenroom-simulator"


class Mutant:
    def __init__(self, path):
        self.name = os.path.splitext(os.path.basename(path))[0]
        with open(path) as file:
            head, _, rest = file.read().partition("\n--- right\n")
        self.what, self.file, *suite = head.split("\n")
        self.suite = suite[0] if suite else None
        right, _, wrong = rest.partition("\n--- wrong\n")
        self.right, self.wrong = right, wrong.rstrip("\n")

    def plant(self, tree):
        """The file as it was, to be put back."""
        path = os.path.join(tree, self.file)
        with open(path) as file:
            text = file.read()
        if text.count(self.right) != 1:
            sys.exit(f"Mutants/{self.name}.mutant: {self.file} holds its piece {text.count(self.right)} times, not once: "
                     "the code has changed, change the mutant with it")
        write(path, text.replace(self.right, self.wrong))
        return text

    def mend(self, text):
        write(os.path.join(TREE, self.file), text)


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
        with open(target, "wb") as copy:
            copy.write(data)
    for folder, _, names in os.walk(os.path.join(TREE, "Sources")):
        for name in names:
            path = os.path.join(folder, name)
            if not os.path.exists(os.path.join(ROOT, os.path.relpath(path, TREE))):
                os.remove(path)


def environment(tree):
    """A copy of the tree is built below itself, wherever the tree's own products are."""
    return os.environ if tree == ROOT else {**os.environ, "SWIFTPM_BUILD_DIR": os.path.join(tree, ".build")}


def build(*arguments, tree=TREE):
    return subprocess.run(["swift", "build", "--configuration", "release", *arguments], cwd=tree, capture_output=True,
                          env=environment(tree),
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
    return "the contract suite" if fails("SimulationTests", TREE) else None


def fails(suite, tree):
    """The first test of the suite that fails; it is an error if there is none at all."""
    result = subprocess.run(
        ["swift", "test", "--configuration", "release", "--skip-build", "--disable-xctest", "--filter", suite], cwd=tree,
        env=environment(tree),
        capture_output=True, text=True)
    lines = (result.stdout + result.stderr).splitlines()
    if not any(line.startswith("◇") and line.endswith("started.") and " run " not in line for line in lines):
        sys.exit(f"no test of {suite} ran: name the suite that must catch the mutant\n" + "\n".join(lines[-5:]))
    if result.returncode == 0:
        return None
    return next((line for line in lines if line.startswith("✘")), f"{suite} ends with {result.returncode}")


def caught_by_suite(mutant, tree):
    """A bug outside the Core: the tests are built with it."""
    built = build("--build-tests", tree=tree)
    if built.returncode != 0:
        sys.exit(f"Mutants/{mutant.name}.mutant does not compile:\n{built.stdout}{built.stderr}")
    found = fails(mutant.suite, tree)
    return f"{mutant.suite}: {found[:120]}" if found else None


def say(mutant, verdict):
    print(f"{'caught ' if verdict else 'ALIVE  '} {mutant.name}: {verdict or mutant.what}", flush=True)


def caught_in_core(mutant, storms):
    built = build("--product", PRODUCT)
    if built.returncode != 0:
        sys.exit(f"Mutants/{mutant.name}.mutant does not compile:\n{built.stdout}{built.stderr}")
    found = os.path.join(PLACE, "found", mutant.name)
    os.makedirs(found)
    return caught_by_storms(storms, found) or caught_by_scenarios() or caught_by_contracts()


def check_healthy(mutants, storms):
    """A test that fails anyway catches nothing."""
    checks = []
    if any(not mutant.suite for mutant in mutants):
        checks += [lambda: caught_by_storms(storms, PLACE), caught_by_scenarios]
    suites = sorted({mutant.suite for mutant in mutants if mutant.suite})
    if suites:
        built = build("--build-tests")
        if built.returncode != 0:
            sys.exit(built.stdout + built.stderr)
        checks += [functools.partial(fails, suite, TREE) for suite in suites]
    for check in checks:
        found = check()
        if found:
            sys.exit(f"without any bug, this fails: {found}")


# In place.

def plant_in_place(mutants, seed):
    """One mutant in a tree that was built, below a file system that goes with this process."""
    if os.geteuid() != 0:
        sys.exit("planting a mutant in place needs root: run Scripts/mutants.py without --in-place")
    mutant = sorted((mutant for mutant in mutants if mutant.suite), key=lambda one: one.name)
    mutant = mutant[seed % len(mutant)]
    # Next to the tree, since a file system in memory would be too small, and one below the tree is not allowed. What was
    # built may be elsewhere (Scripts/build-cache.sh).
    trees = [ROOT, *filter(None, [os.environ.get("SWIFTPM_BUILD_DIR")])]
    with tempfile.TemporaryDirectory(prefix="greenroom-mutant-", dir="/var/tmp") as place:
        mounts = []
        for number, tree in enumerate(trees):
            above, work = (os.path.join(place, f"{name}{number}") for name in ("above", "work"))
            os.mkdir(above)
            os.mkdir(work)
            layers = f"lowerdir={tree},upperdir={above},workdir={work}"
            mounts.append(shlex.join(["mount", "-t", "overlay", "overlay", "-o", layers, tree]))
        inside = shlex.join([sys.executable, "Scripts/mutants.py", "--planted", mutant.name])
        script = " && ".join([*mounts, f"cd {shlex.quote(ROOT)}", f"exec {inside}"])
        code = subprocess.run(["unshare", "--mount", "--propagation", "private", "bash", "-c", script]).returncode
    sys.exit(code)


def planted(mutant):
    """Behind the file system: whatever is written here is gone afterwards."""
    began = time.monotonic()
    mutant.plant(ROOT)
    verdict = caught_by_suite(mutant, ROOT)
    say(mutant, verdict)
    print(f"{time.monotonic() - began:.0f} s")
    sys.exit(0 if verdict else 1)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", metavar="NAME")
    parser.add_argument("--storms", type=int, default=100)
    parser.add_argument("--in-place", type=int, metavar="SEED")
    parser.add_argument("--planted", metavar="NAME", help=argparse.SUPPRESS)
    chosen = parser.parse_args()
    folder = os.path.join(ROOT, "Mutants")
    mutants = [Mutant(os.path.join(folder, name)) for name in sorted(os.listdir(folder)) if name.endswith(".mutant")]
    if chosen.planted:
        planted(next(mutant for mutant in mutants if mutant.name == chosen.planted))
    if chosen.in_place is not None:
        plant_in_place(mutants, chosen.in_place)
    if chosen.names:
        mutants = [mutant for mutant in mutants if mutant.name in chosen.names]
    print("Building without a bug …", flush=True)
    copy_tree()
    healthy = build("--product", PRODUCT)
    if healthy.returncode != 0:
        sys.exit(healthy.stdout + healthy.stderr)
    shutil.rmtree(os.path.join(PLACE, "found"), ignore_errors=True)
    check_healthy(mutants, chosen.storms)
    survivors = []
    for mutant in mutants:
        text = mutant.plant(TREE)
        try:
            verdict = caught_by_suite(mutant, TREE) if mutant.suite else caught_in_core(mutant, chosen.storms)
        finally:
            mutant.mend(text)
        say(mutant, verdict)
        if not verdict:
            survivors.append(mutant.name)
    print(f"{len(mutants)} mutants, {len(mutants) - len(survivors)} caught, {len(survivors)} alive; the smallest "
          f"scenarios that catch them are in {os.path.relpath(os.path.join(PLACE, 'found'), os.getcwd())}")
    sys.exit(1 if survivors else 0)


if __name__ == "__main__":
    main()
