"""Takes no token at all: single symbols alone, the floor that every method starts from."""

from __future__ import annotations

import time

from ..problem.instance import Instance
from ..problem.solution import Solution
from ..runtime.arguments import Seconds, Seed, Threads, checked
from ..runtime.progress import Progress
from ..vocabulary.vocabulary import Vocabulary
from .trainer import outcome, refuse_unhonoured

__all__ = ["plain_bytes"]


@checked
def plain_bytes(
    instance: Instance,
    *,
    time_limit: Seconds | None = None,
    seed: Seed = 0,
    threads: Threads = 1,
    progress: Progress | None = None,
) -> Solution:
    """No token at all: for text, its bytes.

    Parameters
    ----------
    instance : Instance
        The words; k is not used.
    time_limit, seed, threads, progress
        Accepted as by every trainer; they change nothing.

    Returns
    -------
    Solution
        Method ``bytes``, under the rule ``single_symbols``.

    Raises
    ------
    InputError
        If tokens are required.
    """
    started = time.monotonic()
    refuse_unhonoured(instance, "bytes")
    vocabulary = Vocabulary((), instance.symbols, "bytes", rule="single_symbols")
    return outcome(instance, vocabulary, started, seed=seed, threads=threads)
