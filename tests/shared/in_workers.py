"""What worker processes import: work on shards of words, and pre-tokenizers that are functions."""

from __future__ import annotations

import os
import sys
import time
from pathlib import Path


def count_slowly(shard, folder):
    """Sums counts, slowly, and leaves a file for each shard that is begun."""
    total = sum(block.total_count for block in shard.blocks())
    (Path(folder) / f"{os.getpid()}-{total}").touch()
    time.sleep(0.2)
    return total


def end(shard):
    """Ends its process."""
    os._exit(1)


def slow(text: str) -> list[str]:
    """Splits at white space, slowly."""
    time.sleep(0.1)
    return text.split()


def hungry(text: str) -> list[str]:
    """Takes more memory than its process may have."""
    if sys.platform != "win32":
        import resource

        used = 1 << 32
        resource.setrlimit(resource.RLIMIT_AS, (used, resource.getrlimit(resource.RLIMIT_AS)[1]))
    return [str(bytes(1 << 34)[:1])]
