"""Computes the reference counts of corpora, the divisors of their ratios."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from ..analysis.metrics import text_bytes
from ..corpus.counting.head_and_tail import HeadAndTail, WordShard
from ..corpus.word_counts import WordCounts
from ..errors import InputError
from ..problem.corpora import checked_corpora
from ..problem.instance import Instance
from ..runtime.arguments import Budget, Threads, checked, closest, shown
from .greedy import greedtok

REFERENCES = ("own", "bytes", "words")

#: The conditions on vocabularies besides the budget, by the names of an `Instance`.
CONDITIONS = (
    "candidates",
    "max_length",
    "required",
    "forbidden",
    "prefix",
    "protected",
    "groups",
)


@checked
def reference_counts(
    corpora: Iterable[WordCounts | HeadAndTail],
    how: str,
    k: Budget,
    *,
    conditions: Mapping[str, Any] | None = None,
    threads: Threads = 1,
) -> tuple[int, ...]:
    """Returns a reference count for each corpus.

    Parameters
    ----------
    corpora : iterable of WordCounts or HeadAndTail
        The corpora.
    how : {"own", "bytes", "words"}
        ``own``: the tokens that the corpus needs with the vocabulary that GreedTok chooses for it
        alone, so the ratio is the cost of sharing.  ``bytes``: the number of bytes of its words.
        ``words``: the number of its words.
    k : int
        The vocabulary size for ``own``.
    conditions : mapping, optional
        The conditions of an `Instance` by their names, for ``own``: the same as for all corpora
        together.
    threads : int
        Number of threads; the result is the same for any number.

    Raises
    ------
    InputError
        For another name, bytes of words that are integers, or ``own`` of heads and tails.

    Examples
    --------
    >>> from partcover import WordCounts, reference_counts
    >>> corpora = [WordCounts.from_counts({"that": 3}), WordCounts.from_counts({"haha": 1})]
    >>> [reference_counts(corpora, how, 1) for how in ("own", "bytes", "words")]
    [(3, 1), (12, 4), (3, 1)]
    """
    if how not in REFERENCES:
        hint = closest(how, REFERENCES, f"use {', '.join(REFERENCES)}, or numbers")
        raise InputError(f"unknown reference {how!r}: {hint}")
    parts = list(corpora)
    tails = [part for part in parts if isinstance(part, HeadAndTail)]
    given = () if tails and len(tails) == len(parts) else checked_corpora(parts)
    if how == "words":
        return tuple(words.total_count for words in tails or given)
    if how == "own":
        if tails:
            raise InputError(
                "own references need all words in memory: with a head and a tail, use bytes, words "
                "or numbers"
            )
        limits = dict(conditions or {})
        unknown = [name for name in limits if name not in CONDITIONS]
        if unknown:
            hint = closest(unknown[0], CONDITIONS)
            raise InputError(f"unknown condition {shown(unknown[0])}: {hint}")
        runs = (greedtok(Instance(words, k, **limits), threads=threads) for words in given)
        return tuple(int(run.extra["tokens_shortest_path"]) for run in runs)
    sizes = [text_bytes(words) for words in given] or [_bytes_of(part) for part in tails]
    if None in sizes:
        raise InputError("words of integers have no bytes: use own, words or numbers")
    return tuple(size for size in sizes if size is not None)


def _bytes_of(words: HeadAndTail) -> int | None:
    """Returns the bytes of all words; None for integers."""
    if text_bytes(words.head) is None:
        return None
    return sum(words.map(_bytes_of_shard))


def _bytes_of_shard(shard: WordShard) -> int:
    return sum(text_bytes(block) or 0 for block in shard.blocks())
