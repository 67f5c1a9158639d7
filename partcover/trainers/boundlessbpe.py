"""Trains BoundlessBPE: merges within words, and merges of two whole words."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Any

from ..corpus import symbols as sym
from ..corpus.pretokenizers.words_within import WordsWithin, words_within
from ..corpus.symbols import Token
from ..corpus.word_counts import WordCounts
from ..problem.instance import Instance
from ..problem.solution import Solution
from ..runtime.arguments import Seconds, Threads
from ..runtime.arrays import np
from ..runtime.limits import Deadline
from ..runtime.progress import Progress
from ..segmentation.cutters import cutter
from ..segmentation.superword_cutter import rows_of_whole_words
from ..vocabulary.vocabulary import Vocabulary
from .shared.merge_training import MergeResult, ordered_symbols, train_merges
from .trainer import LIMITED_MERGES, solution_of, trainer


@trainer(
    "boundlessbpe",
    about="BoundlessBPE: BPE that also merges adjacent words that are tokens",
    supports=LIMITED_MERGES - {"prefix", "max_length", "forbidden"},
    nested=True,
    phrases=True,
    work="merges",
)
def boundlessbpe(
    instance: Instance,
    *,
    time_limit: Seconds | None = None,
    threads: Threads = 1,
    progress: Progress | None = None,
) -> Solution:
    """Trains BoundlessBPE: the most frequent pair within words, or of words that are tokens.

    The words of the instance are phrases, as ``count --phrases`` makes them.  A merge joins two
    neighbours within a word, as `bpe` does, or two words of a phrase that are one token each (a
    *supermerge*); what it makes is such a word again.  Words of several tokens are borders.  Where
    the words of the instance are no phrases, the result is `bpe`'s.

    Parameters
    ----------
    instance : Instance
        The phrases, and k.  Keeps to `min_count`.
    time_limit, threads, progress
        As for `bpe`.

    Returns
    -------
    Solution
        Method ``boundlessbpe``, under the rule ``superword_merges``; the vocabulary's merges are
        of both kinds, in one order.  ``extra["superwords"]`` is the number of tokens that
        supermerges made.  ``extra["nothing_left_to_gain"]``: there are no more pairs to merge, and
        fewer than k tokens.

    Raises
    ------
    InputError
        For an option of the instance that it cannot keep to.

    Examples
    --------
    >>> from partcover import Instance, WordCounts, trainers
    >>> text = ["one of the ways", "one of the days", "some of the ways"]
    >>> words = WordCounts.from_texts(text, pretokenizer="gpt2+phrases")
    >>> solution = trainers.boundlessbpe(Instance(words, 10))
    >>> solution.vocabulary.tokens[-4:]
    (b'ays', b' of the', b'ne', b'one')

    Notes
    -----
    Exact.  As in the authors' faster method, merges within words are made first, with the words by
    themselves, and then supermerges, with words as symbols, which is `bpe` again.  Both are put
    into one order by the pairs that each joins, the larger number first; of equal ones the merge
    within words.  A word is made by a merge that joins at least one pair in each of its
    occurrences, so that a supermerge never comes before its parts.  Ties of supermerges go to the
    older first token, then to the older second one, where tokens of merges within words are older
    than those of supermerges.

    What may be joined says the rule of ``--phrases``; with ``gpt2+phrases`` these are all words
    with a letter, as by the authors' ``SIMPLE_MERGE_PATTERN``.  Deletions (PickyBPE), which the
    authors' trainers take as an option, are left out.

    References
    ----------
    Schmidt, Reddy, Tanner and Pinter 2025, Boundless Byte Pair Encoding: Breaking the
    Pre-tokenization Barrier, Section 3; Schmidt, Tanner and Pinter 2026, Faster Superword
    Tokenization.
    """
    deadline = Deadline(time_limit)
    progress = progress or Progress()
    empty = Vocabulary((), instance.symbols, "boundlessbpe", rule="merges", merges=())
    words = words_within(instance.words)
    subwords = train_merges(
        replace(instance, corpus=words),
        empty,
        scored=False,
        deadline=deadline,
        threads=threads,
        progress=progress,
    )
    superwords = None
    if subwords.termination == "completed" and words is not instance.words:
        rows, spelled = _rows_of_words(instance, subwords)
        # after the last merge within words, nothing is taken that joins no more pairs
        full = subwords.joined and len(subwords.tokens) == instance.k
        least = max(instance.min_count, subwords.joined[-1] + 1 if full else 1)
        trained = train_merges(
            Instance(rows, instance.k, min_count=least),
            Vocabulary((), "ints"),
            scored=False,
            deadline=deadline,
            threads=threads,
            progress=progress,
        )
        superwords = _spelled(trained, spelled)
    merges, tokens = _in_order(subwords, superwords, instance.k)
    termination = (superwords or subwords).termination
    return solution_of(
        instance,
        empty.with_(tokens=tokens, merges=merges, rule="superword_merges"),
        deadline.seconds,
        termination=termination,
        threads=threads,
        extra={
            "size": len(tokens),
            "superwords": len(set(tokens).difference(subwords.tokens)),
            "nothing_left_to_gain": termination == "completed" and len(tokens) < instance.k,
        },
    )


def _rows_of_words(instance: Instance, subwords: MergeResult) -> tuple[WordCounts, list[Token]]:
    """Returns rows of words that are one token each, as numbers, and what these spell."""
    phrases = instance.words
    vocabulary = Vocabulary(
        subwords.tokens, instance.symbols, rule="merges", merges=subwords.merges
    )
    symbols = ordered_symbols(instance)
    spelled = [*symbols, *subwords.tokens]
    number = {symbol: i for i, symbol in enumerate(symbols)}
    borders = WordsWithin.joined_by(phrases.pretokenizer).starts(phrases.data, phrases.offsets)
    which = np.empty(len(phrases.data), np.int32)
    cutter(vocabulary)(phrases.data, borders, 0, len(borders) - 1, which)
    ends, rows = rows_of_whole_words(which, borders, phrases.offsets)
    numbers = [
        len(symbols) + token
        if token >= 0
        else number[sym.from_array(phrases.data[end : end + 1], phrases.symbols)]
        for end, token in zip(ends.tolist(), which[ends].tolist(), strict=True)
    ]
    of = np.searchsorted(phrases.offsets, ends[rows[:-1]], "right") - 1
    counts: Counter[Token] = Counter()
    places = pairwise(rows.tolist())
    for (begin, end), count in zip(places, phrases.counts[of].tolist(), strict=True):
        if end - begin > 1:
            counts[tuple(numbers[begin:end])] += count
    return WordCounts.from_counts(counts, "ints"), spelled


def _spelled(superwords: MergeResult, spelled: Sequence[Token]) -> MergeResult:
    """Returns merges of numbers as merges of what the numbers spell."""
    empty: Any = spelled[0][:0] if spelled else b""

    def text(numbers: Any) -> Token:
        joined: Token = empty.join(spelled[number] for number in numbers)
        return joined

    merges = tuple((text(left), text(right)) for left, right in superwords.merges)
    return replace(superwords, merges=merges, tokens=tuple(map(text, superwords.tokens)))


def _in_order(
    subwords: MergeResult, superwords: MergeResult | None, k: int
) -> tuple[list[tuple[Token, Token]], list[Token]]:
    """Puts merges into one order by the pairs they join, up to the one that makes token k.

    Of equal numbers the merge within words comes first.  Where another merge of the same kind that
    joins more comes later, which two merges of one token can bring about, a merge within words
    comes as soon as that one, and a supermerge not before that one could.
    """
    ahead = np.maximum.accumulate(np.array(subwords.joined, np.int64)[::-1])[::-1]
    listed = [*zip((-ahead).tolist(), subwords.merges, strict=True)]
    if superwords is not None:
        behind = np.minimum.accumulate(np.array(superwords.joined, np.int64))
        listed += zip((-behind).tolist(), superwords.merges, strict=True)
    tokens: dict[Token, None] = {}
    merges: dict[tuple[Token, Token], None] = {}
    for _, pair in sorted(listed, key=lambda merge: merge[0]):  # which leaves equal ones in order
        if len(tokens) == k:
            break
        merges[pair] = None
        tokens[pair[0] + pair[1]] = None  # type: ignore[operator]
    return list(merges), list(tokens)
