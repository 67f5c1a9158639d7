"""Chooses one vocabulary for several languages or domains, from candidates of each."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import chain
from math import ceil
from typing import Any

from ..corpus.alike import refuse_unlike
from ..corpus.symbols import Token
from ..corpus.word_counts import WordCounts
from ..errors import InputError
from ..heuristics.greedy import greedtok
from ..problem.instance import Instance
from ..problem.solution import Solution
from ..segmentation.segmentation import segment


def joined(domains: Sequence[WordCounts]) -> WordCounts:
    """Adds up the counts of the words of all domains, in the order of their first occurrence.

    Parameters
    ----------
    domains : sequence of WordCounts
        The counted words of each domain.

    Raises
    ------
    InputError
        For no domains, or domains over different symbols or of different pre-tokenizers.

    Examples
    --------
    >>> from partcover import WordCounts
    >>> from partcover.studies.domains import joined
    >>> domains = [WordCounts.from_counts({"a": 1, "b": 2}), WordCounts.from_counts({"b": 3})]
    >>> joined(domains).to_dict()
    {b'a': 1, b'b': 5}
    """
    if not domains:
        raise InputError("there are no domains: give the counted words of at least one")
    refuse_unlike(domains, "domains")
    names = {words.pretokenizer for words in domains}
    return WordCounts.from_counts(
        chain.from_iterable(domains),
        domains[0].symbols,
        pretokenizer=domains[0].pretokenizer if len(names) == 1 else None,
        normalizer=domains[0].normalizer,
    )


def by_domain(
    domains: Sequence[WordCounts],
    k: int,
    share: float = 1.0,
    *,
    threads: int = 1,
) -> Solution:
    """Runs GreedTok on each domain, then on all with the tokens chosen there as candidates.

    Parameters
    ----------
    domains : sequence of WordCounts
        The counted words of each domain, over the same symbols.
    k : int
        The budget.
    share : float
        The tokens chosen for each domain, as a part of k (rounded up), above 0.  A smaller share
        makes fewer candidates; below 1 / domains there may be fewer than k of them.
    threads : int
        Threads of the final segmentation; the result is the same for any number.

    Returns
    -------
    Solution
        The solution of `greedtok` for the joined words with these candidates (its policy says
        ``list``), with the method ``greedtok-by-domain``.  ``extra["domain_tokens"]`` has the
        number of tokens chosen for each domain.

    Raises
    ------
    InputError
        For no domains, different symbols, a bad k, or a share that is not above 0.

    Notes
    -----
    Lim, Choo and Lauw (2025) reach corpora too large for one run in this way: occurrences of
    candidates that no domain chose are never visited.  Where all tokens that `greedtok` chooses on
    the joined words are among the candidates, the two choose alike; else either may be better.
    All domains are in memory here, so that only the last step is quicker.

    Examples
    --------
    >>> from partcover import WordCounts
    >>> from partcover.studies.domains import by_domain
    >>> fruit = WordCounts.from_counts({"banana": 3, "ananas": 2})
    >>> music = WordCounts.from_counts({"band": 4, "bandana": 1})
    >>> solution = by_domain([fruit, music], 2, 0.5)
    >>> solution.extra["domain_tokens"]
    [1, 1]
    """
    started = time.monotonic()
    if not 0 < share < float("inf"):
        raise InputError(f"share is {share}: it must be a number above 0")
    whole = Instance(joined(domains), k)
    size = ceil(Fraction(str(share)) * k)  # 0.1 as it is written, not as it is stored
    union: dict[Token, None] = {}
    sizes = []
    for words in domains:
        chosen = greedtok(Instance(words, size), threads=threads).vocabulary
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
        extra={**solution.extra, "share": share, "domain_tokens": sizes},
    )


def compare_domains(
    domains: Sequence[WordCounts],
    k: int,
    share: float = 1.0,
    *,
    names: Sequence[str] | None = None,
    threads: int = 1,
) -> list[dict[str, Any]]:
    """Compares `by_domain` with GreedTok on the joined words, over all words and each domain.

    Parameters
    ----------
    domains, k, share, threads
        As for `by_domain`.
    names : sequence of str, optional
        Distinct names of the domains; by default ``1``, ``2``, …

    Returns
    -------
    list of dict
        Two rows with ``method``, ``rule`` (``priority``), ``k``, ``size``, ``candidates``,
        ``tokens``, ``tokens_shortest_path``, ``tokens_per_word``, ``seconds``, and ``domains``:
        the tokens that each domain needs under ``shortest_path``, by name.

    Raises
    ------
    InputError
        As `by_domain` does, and for names that are not as many or not distinct.

    Examples
    --------
    >>> from partcover import WordCounts
    >>> from partcover.studies.domains import compare_domains
    >>> fruit = WordCounts.from_counts({"banana": 3, "ananas": 2})
    >>> music = WordCounts.from_counts({"band": 4, "bandana": 1})
    >>> rows = compare_domains([fruit, music], 2, 0.5, names=["fruit", "music"])
    >>> [row["method"] for row in rows]
    ['greedtok', 'greedtok-by-domain']
    >>> sorted(rows[0]["domains"])
    ['fruit', 'music']
    """
    names = [str(i + 1) for i in range(len(domains))] if names is None else list(names)
    if len(set(names)) != len(domains):
        raise InputError(
            f"names are {', '.join(names)}: each of the {len(domains)} domains needs a name of its "
            "own"
        )
    by_domains = by_domain(domains, k, share, threads=threads)
    whole = greedtok(Instance(joined(domains), k), threads=threads)
    rows = []
    for run in (whole, by_domains):
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
