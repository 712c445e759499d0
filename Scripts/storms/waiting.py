"""Waits for conditions that have no event of their own."""

import time
from collections.abc import Callable
from typing import TypeVar

Found = TypeVar("Found")


class Failed(Exception):
    """The system did not do what the storm or the tour expects."""


def poll(look: Callable[[], Found], limit: float, pause: float = 0.02) -> Found:
    """Returns what `look` returns as soon as that is true. After the limit it returns the last result, which is false."""
    end = time.monotonic() + limit
    while True:
        found = look()
        if found or time.monotonic() > end:
            return found
        time.sleep(pause)


def wait_for(what: str, look: Callable[[], Found | None], limit: float) -> Found:
    """Returns what `look` returns as soon as that is true. It raises `Failed` after the limit."""
    found = poll(look, limit, 0.005)
    if not found:
        raise Failed(f"waited {limit:g} s for {what}, which did not happen")
    return found
