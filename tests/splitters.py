"""Pre-tokenizers given as functions, which worker processes import."""

from __future__ import annotations

import sys
import time


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
