"""The other tokenizers of the literature, each trained from the same counted words."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from ..solution import Solution
from .bpe import bpe as bpe
from .frequent import frequent as frequent
from .plain import plain_bytes as plain_bytes
from .wordpiece import wordpiece as wordpiece

__all__ = ["TRAINERS", "Trainer", "bpe", "frequent", "plain_bytes", "wordpiece"]


@dataclass(frozen=True)
class Trainer:
    """A way to train a vocabulary.

    Attributes
    ----------
    run : callable
        ``run(instance, *, time_limit=None, seed=0, threads=1, progress=None)`` returns a
        Solution; further keyword-only parameters are options of the method.  `progress` is
        called with (done, of, remark).
    nested : bool
        Whether the first j tokens of a run for k (with the merges up to the one that makes the
        last of them) are its answer for every budget j ≤ k.
    about : str
        One line for people.
    """

    run: Callable[..., Solution]
    nested: bool
    about: str


TRAINERS: dict[str, Trainer] = {
    "bpe": Trainer(bpe, True, "byte-pair encoding: merge the most frequent pair"),
    "frequent": Trainer(frequent, True, "the most frequent words"),
    "wordpiece": Trainer(wordpiece, True, "merge the pair that its parts explain least"),
}
