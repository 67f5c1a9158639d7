"""Chooses one vocabulary for several languages or domains, with candidates from each."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import chain
from math import ceil
from typing import Any

from ..corpus.symbols import Token
from ..corpus.word_counts import WordCounts
from ..errors import InputError
from ..heuristics.greedy import greedtok
from ..problem.instance import Instance
from ..problem.solution import Solution
from ..segmentation.segmentation import segment

__all__ = ["by_domain", "compare_domains", "joined"]


def joined(domains: Sequence[WordCounts]) -> WordCounts:
    """The words of all domains, counts added up; words in the order they are first met.

    Raises
    ------
    InputError
        For no domains, or domains over different symbols or of different pre-tokenizers.
    """
    if not domains:
        raise InputError("no domains: give the counted words of at least one")
    alphabets = sorted({words.symbols for words in domains})
    if len(alphabets) > 1:
        raise InputError(f"the domains are over different symbols: {', '.join(alphabets)}")
    names = {words.pretokenizer for words in domains}
    if len(names - {None}) > 1:
        known = ", ".join(sorted(name for name in names if name is not None))
        raise InputError(f"the domains were counted with different pre-tokenizers: {known}")
    return WordCounts.from_counts(
        chain.from_iterable(domains),
        domains[0].symbols,
        pretokenizer=domains[0].pretokenizer if len(names) == 1 else None,
    )


def by_domain(
    domains: Sequence[WordCounts],
    k: int,
    share: float = 1.0,
    *,
    seed: int = 0,
    threads: int = 1,
) -> Solution:
    """GreedTok on each domain, then on all with the tokens it chose as candidates.

    Parameters
    ----------
    domains : sequence of WordCounts
        The counted words of each, over the same symbols.
    k : int
        The budget.
    share : float
        Tokens chosen for each domain, as a part of k (rounded up), above 0.  The smaller, the
        fewer candidates; with less than 1 / domains there can be fewer than k.
    seed : int
        Recorded; nothing here is random.
    threads : int
        Threads of the final segmentation; the result is the same for any number.

    Returns
    -------
    Solution
        As `greedtok` gives it for the joined words with these candidates (its policy says
        ``list``), and method ``greedtok-by-domain``.  ``extra["domain_tokens"]`` is how many
        tokens each domain gave.

    Raises
    ------
    InputError
        For no domains, different symbols, a bad k, or a share that is not above 0.

    Notes
    -----
    The way of Lim, Choo and Lauw (2025) to corpora too large for one run: no occurrence of a
    candidate that no domain wants is looked at.  Where each token that `greedtok` chooses on the
    whole is one of the candidates, the two choose alike; else neither is always the better.  As
    all domains of a run are in memory here, what is saved is time in the last step alone.
    """
    started = time.monotonic()
    if not 0 < share < float("inf"):
        raise InputError(f"share is {share}: a number above 0 is expected")
    whole = Instance(joined(domains), k)
    most = ceil(Fraction(str(share)) * k)  # of 0.1 as it is written, not as it is stored
    union: dict[Token, None] = {}
    sizes = []
    for words in domains:
        chosen = greedtok(Instance(words, most), threads=threads).vocabulary
        assert chosen is not None
        sizes.append(len(chosen))
        union.update(dict.fromkeys(chosen))
    solution = greedtok(replace(whole, candidates=tuple(union)), threads=threads)
    method = "greedtok-by-domain"
    return replace(
        solution,
        method=method,
        vocabulary=solution.vocabulary.with_(method=method),
        seconds=time.monotonic() - started,
        seed=seed,
        extra={**solution.extra, "share": share, "domain_tokens": sizes},
    )


def compare_domains(
    domains: Sequence[WordCounts],
    k: int,
    share: float = 1.0,
    *,
    names: Sequence[str] | None = None,
    seed: int = 0,
    threads: int = 1,
) -> list[dict[str, Any]]:
    """GreedTok on the whole beside `by_domain`, over all words and over each domain.

    Parameters
    ----------
    domains, k, share, seed, threads
        As for `by_domain`.
    names : sequence of str, optional
        Of the domains, all distinct; by default ``1``, ``2``, …

    Returns
    -------
    list of dict
        Two rows, of keys ``method``, ``rule`` (``priority``), ``k``, ``size``, ``candidates``,
        ``tokens``, ``tokens_shortest_path``, ``tokens_per_word``, ``seconds``, and ``domains``:
        what each domain needs under ``shortest_path``, by name.

    Raises
    ------
    InputError
        As `by_domain` does; for names that do not fit.
    """
    names = [str(i + 1) for i in range(len(domains))] if names is None else list(names)
    if len(set(names)) != len(domains):
        raise InputError(f"{len(domains)} domains need as many different names: {', '.join(names)}")
    split = by_domain(domains, k, share, seed=seed, threads=threads)
    whole = greedtok(Instance(joined(domains), k), threads=threads)
    rows = []
    for run in (whole, split):
        vocabulary = run.vocabulary
        assert vocabulary is not None
        rows.append(
            {
                "method": run.method,
                "rule": run.rule,
                "k": k,
                "size": len(vocabulary),
                "candidates": run.candidates,
                "tokens": run.tokens,
                "tokens_shortest_path": run.extra["tokens_shortest_path"],
                "tokens_per_word": run.tokens_per_word,
                "seconds": run.seconds,
                "domains": {
                    name: segment(words, vocabulary, "shortest_path", threads=threads).tokens
                    for name, words in zip(names, domains, strict=True)
                },
            }
        )
    return rows
