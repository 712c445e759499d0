"""Runs `greenroom` for a benchmark, which cannot continue if a command fails."""

import subprocess
from collections.abc import Mapping, Sequence


def call(program: Sequence[str], words: Sequence[str], environment: Mapping[str, str]) -> str:
    """Returns the output of a command. `program` is the tool, and in front of it any program that runs it."""
    done = subprocess.run(
        [*program, *words], env=environment, stdin=subprocess.DEVNULL, capture_output=True, text=True)
    if done.returncode != 0:
        raise SystemExit(f"bench: greenroom {' '.join(words)}: {done.stdout}{done.stderr}")
    return done.stdout
