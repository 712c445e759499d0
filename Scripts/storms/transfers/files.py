"""Makes the files that storms transfer, and counts the bytes that were fetched twice."""

import hashlib
import os
import random
from collections.abc import Sequence

# What a transfer may lose when its service is killed.
ONE_CHUNK = 1 << 20


def size_of(text: str) -> int:
    return int(float(text.rstrip("kMG")) * {"k": 1 << 10, "M": 1 << 20, "G": 1 << 30}.get(text[-1], 1))


def write_random(path: str, size: int, chance: random.Random) -> str:
    """Makes a file of random bytes, and returns their SHA-256."""
    digest = hashlib.sha256()
    with open(path, "wb") as file:
        left = size
        while left:
            piece = chance.randbytes(min(left, 1 << 20))
            digest.update(piece)
            file.write(piece)
            left -= len(piece)
    return digest.hexdigest()


def has_digest(path: str, digest: str) -> bool:
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest() == digest


def part_length(folder: str) -> int | None:
    """How long the unfinished file in the service's folder is; `None` if the folder has none."""
    try:
        parts = [name for name in os.listdir(folder) if name.endswith(".part")]
        return max(os.stat(f"{folder}/{name}").st_size for name in parts)
    except (OSError, ValueError):
        return None


def fetched_again(lengths: Sequence[int | None], starts: Sequence[int]) -> list[int]:
    """For each kill of the service, the bytes that had been written and that the next request asked for again."""
    known = [length for length in lengths if length is not None]
    return [max(0, length - start) for length, start in zip(known, starts[1:])]
