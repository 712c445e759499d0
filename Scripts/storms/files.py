"""Reads and writes files, and prints the result of a storm."""

import json
import os
import stat
import sys
from typing import Any, NoReturn


def text(path: str) -> str:
    """The content of a file; nothing if it cannot be read."""
    try:
        with open(path, errors="replace") as file:
            return file.read()
    except OSError:
        return ""


def write(path: str, content: str) -> None:
    with open(path, "w") as file:
        file.write(content)


def is_socket(path: str) -> bool:
    try:
        return stat.S_ISSOCK(os.lstat(path).st_mode)
    except OSError:
        return False


def finish(result: dict[str, Any], as_json: bool) -> NoReturn:
    """Prints the result of a storm and ends the program. The exit code is 1 if the result has problems."""
    print(json.dumps(result) if as_json else "\n".join(f"{key}: {value}" for key, value in result.items()))
    sys.exit(1 if result["problems"] else 0)
