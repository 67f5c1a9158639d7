"""Trains GreedyPhrase: frequent runs of words and spaces, pairs of them, BPE on the rest."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from itertools import groupby, islice
from typing import Any, Literal

from ..corpus import symbols as sym
from ..corpus.symbols import Token
from ..corpus.word_counts import WordCounts
from ..errors import InputError
from ..kernels.segmentation._segment import INSIDE, SINGLE
from ..problem.instance import Instance
from ..problem.solution import Solution, Termination
from ..runtime.arguments import Seconds, Threads
from ..runtime.arrays import Int32, Int64, np
from ..runtime.limits import Deadline
from ..runtime.progress import Progress
from ..segmentation.segmentation import segment
from ..vocabulary.vocabulary import Vocabulary
from .bpe import bpe
from .trainer import LIMITED_MERGES, solution_of, trainer

Score = Literal["symbols", "count"]

_SLOTS = 65_536 - 260  # of the published vocabulary, without bytes and special tokens
_WORD, _SPACE, _OTHER = 1, 2, 3
_KINDS = bytes(
    _WORD if c.isalnum() or c == "_" else _SPACE if c in " \t\n\r\f\v" else _OTHER
    for c in map(chr, range(128))
)


@trainer(
    "greedyphrase",
    about="GreedyPhrase: frequent phrases, pairs of phrases, and BPE",
    supports=LIMITED_MERGES,
    work="phrases",
)
def greedyphrase(
    instance: Instance,
    *,
    time_limit: Seconds | None = None,
    threads: Threads = 1,
    progress: Progress | None = None,
    score: Score = "symbols",
    atoms: int = 7,
    passes: int = 2,
    compound_share: float = 5_000 / _SLOTS,
    bpe_share: float = 3_000 / _SLOTS,
) -> Solution:
    """Trains GreedyPhrase: phrases by their frequency, in three steps, for longest match.

    1. Words are split into atoms: longest runs of ASCII letters, digits and ``_``, of ASCII
       white space, or of anything else (over ``ints`` each symbol is an atom).  The *primitives*
       are the most frequent sequences of 1 to `atoms` neighbouring atoms.
    2. In each of `passes`, words are segmented by longest match with the tokens so far (single
       symbols count as tokens), and the pairs of neighbours of highest `score` become
       *compounds*.
    3. Words are segmented once more; on the runs of two or more single symbols that are left, BPE
       chooses as many tokens as are missing.

    Ties go to more symbols, then to the lexicographically first.  No phrase crosses the end of a
    word, and none that occurs only once is chosen.

    Parameters
    ----------
    instance : Instance
        The words and budget.  Keeps to `max_length`, `min_count` and `forbidden`, and to
        `prefix`: these tokens come first, and there are so many primitives fewer.  Phrases
        cross spaces, so words should be lines or documents (pre-tokenizer ``none``).  A word
        that is a single atom has only itself as a phrase: then the primitives are the most
        frequent words, and the rest is BPE within rare ones.
    time_limit : float, optional
        Seconds; looked at between the steps, after the sequences of each length, and by BPE.
    threads : int
        Threads that segment words; the result is the same for any number.
    progress : Progress, optional
        Gets the tokens chosen so far, k, and the name of the step.
    score : {"symbols", "count"}
        What ranks compounds: occurrences times the length in symbols, or occurrences alone, as
        the repository's code has it.
    atoms : int
        The longest primitive, in atoms.
    passes : int
        Number of passes that add compounds.
    compound_share : float
        Compounds of each pass, as a share of k (rounded down).
    bpe_share : float
        Tokens of BPE, as a share of k (rounded down); primitives get what is left of k, and BPE
        what the other steps leave free.

    Returns
    -------
    Solution
        Method ``greedyphrase``, rule ``longest_match``; primitives first, then compounds, then
        BPE's tokens.  ``extra`` holds how many ``primitives``, ``compounds`` and ``bpe_tokens``
        there are, and the ``score``.

    Raises
    ------
    InputError
        For options that it does not support, an unknown score, a bad number of atoms or passes,
        shares that add up to more than 1, or counts that add up to 2^59 symbols or more.

    Examples
    --------
    >>> from partcover import Instance, trainers
    >>> lines = {"the cat": 5, "the dog": 3, "a cat": 2}
    >>> solution = trainers.greedyphrase(Instance(lines, 3))
    >>> solution.vocabulary.tokens, solution.rule
    ((b'the ', b'the', b' cat'), 'longest_match')

    Notes
    -----
    R. Rezel (2026), "GreedyPhrase Tokenizer: Maximizing Effective Context via Greedy Phrase
    Compression", with the split of the 65,276 slots as its repository gives it: about 52,000
    primitives, two passes of 5,000 compounds, 3,000 of BPE.  There what occurs fewer than 50
    times (75 and 100 in the passes) is not counted, ties follow hash order, and later versions
    add templates and rank all together.  O(atoms of text · `atoms`) sorted keys.
    """
    deadline = Deadline(time_limit)
    if atoms < 1 or passes < 0:
        raise InputError(f"atoms is {atoms}, passes {passes}: they must be at least 1 and 0")
    if not (compound_share >= 0 and bpe_share >= 0 and passes * compound_share + bpe_share <= 1):
        raise InputError(
            f"{passes} passes of {compound_share:.4g} and BPE's {bpe_share:.4g} of k: shares are "
            "not negative and add up to at most 1"
        )
    if instance.words.total_symbols >= 2**59:
        raise InputError("the counted words have 2^59 symbols or more: scale the counts down")

    progress = progress or Progress()

    compounds, reserved = (
        int(Fraction(share).limit_denominator(10**6) * instance.k)  # exact, so that 0.1 of 10 is 1
        for share in (compound_share, bpe_share)
    )
    given = len(instance.prefix)
    sizes = [max(0, instance.k - given - passes * compounds - reserved)]
    sizes += [compounds] * min(passes, instance.k)
    text = _Text(instance)
    tokens: dict[Token, None] = dict.fromkeys(instance.prefix)
    n_new: list[int] = []
    termination: Termination = "completed"
    try:
        for step, size in enumerate(sizes):
            if deadline.is_over:
                termination = "time_limit"
                break
            if not size:
                ranked: Iterator[Token] = iter(())
            elif step:
                ranked = text.pairs(list(tokens), threads, score)
            else:
                ranked = text.sequences(atoms, deadline)
            size = min(size, instance.k - len(tokens))
            new = list(
                islice((token for token in ranked if token not in tokens), min(size, sys.maxsize))
            )
            n_new.append(len(new))
            tokens |= dict.fromkeys(new)
            remark = "compounds" if step else "primitives"
            progress.advance(len(tokens), instance.k, remark)
            if not step and deadline.is_over:  # there may be longer sequences
                termination = "time_limit"
                break
        if termination == "completed" and len(tokens) < instance.k:
            rest = text.rest(list(tokens), threads)
            if len(rest):
                trained = bpe(
                    Instance(
                        rest,
                        instance.k - len(tokens),
                        max_length=instance.max_length,
                        min_count=max(2, instance.min_count),
                        forbidden=instance.forbidden,
                    ),
                    time_limit=deadline.left,
                    threads=threads,
                )
                tokens |= dict.fromkeys(trained.vocabulary)
                termination = trained.termination
            progress.advance(len(tokens), instance.k, "BPE")
    except KeyboardInterrupt:  # the steps that are done are kept
        termination = "interrupted"
    return solution_of(
        instance,
        Vocabulary(tokens, instance.symbols, "greedyphrase", rule="longest_match"),
        deadline.seconds,
        termination=termination,
        threads=threads,
        extra={
            "size": len(tokens),
            "score": score,
            "primitives": n_new[0] if n_new else 0,
            "compounds": sum(n_new[1:]),
            "bpe_tokens": len(tokens) - given - sum(n_new),
            "nothing_left_to_gain": termination == "completed" and len(tokens) < instance.k,
        },
    )


@dataclass(frozen=True)
class _Groups:
    """Keys grouped by their value.

    Attributes
    ----------
    number : ndarray of int64
        The group of each key.
    first : ndarray of int64
        The first place of each group's key.
    total : ndarray of int64
        The sum of the weights in each group.
    """

    number: Int64
    first: Int64
    total: Int64

    @classmethod
    def of(cls, keys: Int64, weights: Int64) -> _Groups:
        order = np.argsort(keys, kind="stable")
        ordered = keys[order]
        new = np.ones(len(keys), bool)
        new[1:] = ordered[1:] != ordered[:-1]
        begins = np.flatnonzero(new)
        number = np.empty(len(keys), np.int64)
        number[order] = np.cumsum(new) - 1
        total = np.add.reduceat(weights[order], begins) if len(keys) else weights
        return cls(number, order[begins], total)


class _Text:
    """The words as one text, and the phrases in it."""

    def __init__(self, instance: Instance) -> None:
        words = instance.words
        self.words = words
        self.min_count = max(2, instance.min_count)
        self.max_length = instance.max_length
        self.forbidden = set(instance.forbidden)
        self.text: Any = sym.from_array(words.data, words.symbols)
        self.word_of = np.repeat(np.arange(len(words)), np.diff(words.offsets))

    def sequences(self, atoms: int, deadline: Deadline) -> Iterator[Token]:
        """Returns the sequences of up to so many atoms, the most frequent first.

        At the deadline, only shorter ones are returned.
        """
        data, offsets = self.words.data, self.words.offsets
        begins = np.ones(len(data), bool)
        if self.words.symbols != "ints":
            # the last kind is that of all symbols that are not ASCII
            kinds = np.array([*_KINDS, _OTHER], np.uint8)[np.minimum(data, 128)]
            begins[1:] = kinds[1:] != kinds[:-1]
            begins[offsets[:-1]] = True
        start = np.flatnonzero(begins)
        end = np.append(start, len(data))[1:]
        atom, n_atoms = self._numbered(start, end)
        word = self.word_of[start]
        parts = []
        # a frequent sequence begins and ends with a shorter one that is as frequent
        places, inside = np.arange(len(start)), atom
        for size in range(1, atoms + 1):
            groups = _Groups.of(inside, self.words.counts[word[places]])
            kept = groups.total >= self.min_count
            first = places[groups.first[kept]]
            parts.append((groups.total[kept], start[first], end[first + size - 1]))
            alive = kept[groups.number]
            number = np.full(len(start) + 1, -1)
            number[places[alive]] = groups.number[alive]
            places = np.flatnonzero((number[:-1] >= 0) & (number[1:] >= 0))
            places = places[places + size < len(start)]
            places = places[word[places] == word[places + size]]
            inside = number[places] * n_atoms + atom[places + size]
            if not len(places) or deadline.is_over:
                break
        return self._best("count", *(np.concatenate(part) for part in zip(*parts, strict=True)))

    def _numbered(self, start: Int64, end: Int64) -> tuple[Int64, int]:
        """Returns the numbers of atoms, and how many distinct ones there are."""
        if self.words.symbols == "ints":
            alphabet = sym.distinct(self.words.data)
            return sym.numbered(self.words.data, alphabet).astype(np.int64), len(alphabet)
        numbers: dict[Token, int] = {}
        spelled = sym.slices(self.words.data, start, end, self.words.symbols)
        atoms = (numbers.setdefault(atom, len(numbers)) for atom in spelled)
        return np.fromiter(atoms, np.int64, len(start)), len(numbers)

    def pairs(self, tokens: list[Token], threads: int, score: Score) -> Iterator[Token]:
        """Returns the pairs of neighbours under longest match, those of highest score first."""
        which = self._which(tokens, threads)
        last = np.flatnonzero(which != INSIDE)
        begin = np.append(0, last + 1)[:-1]  # a word's last symbol ends a token
        alphabet, symbol = np.unique(self.words.data[last], return_inverse=True)
        piece = np.where(which[last] == SINGLE, len(tokens) + symbol, which[last])
        word = self.word_of[last]
        left = np.flatnonzero(word[1:] == word[:-1])
        keys = piece[left] * np.int64(len(tokens) + len(alphabet)) + piece[left + 1]
        groups = _Groups.of(keys, self.words.counts[word[left]])
        kept = groups.total >= self.min_count
        first = left[groups.first[kept]]
        return self._best(score, groups.total[kept], begin[first], last[first + 1] + 1)

    def rest(self, tokens: list[Token], threads: int) -> WordCounts:
        """Counts the runs of two or more single symbols under longest match."""
        single = self._which(tokens, threads) == SINGLE
        before = np.zeros(
            len(single), bool
        )  # whether the symbol before, in the same word, is single
        before[1:] = single[:-1]
        before[self.words.offsets[:-1]] = False
        after = np.append(before[1:] & single[1:], False)
        first = np.flatnonzero(single & ~before & after)
        last = np.flatnonzero(single & before & ~after)
        runs: Counter[Token] = Counter()
        weights = self.words.counts[self.word_of[first]].tolist()
        for a, b, weight in zip(first.tolist(), last.tolist(), weights, strict=True):
            runs[self.text[a : b + 1]] += weight
        return WordCounts.from_counts(runs, self.words.symbols)

    def _which(self, tokens: list[Token], threads: int) -> Int32:
        vocabulary = Vocabulary(tokens, self.words.symbols)
        return segment(self.words, vocabulary, "longest_match", threads=threads).which

    def _best(self, by: Score, total: Int64, start: Int64, end: Int64) -> Iterator[Token]:
        length = end - start
        fits = (length >= 2) & (length <= (self.max_length or len(self.text)))
        total, start, length = total[fits], start[fits], length[fits]
        score = total * length if by == "symbols" else total
        order = np.lexsort((-length, -score))
        ranked = zip(*(a[order].tolist() for a in (score, length, start)), strict=True)
        seen = self.forbidden.copy()  # other pairs may spell the same token
        for (_, size), tied in groupby(ranked, key=lambda entry: entry[:2]):
            for token in sorted({self.text[at : at + size] for _, _, at in tied} - seen):
                seen.add(token)
                yield token
