"""Cuts words into tokens of a vocabulary, under a written rule.

A word of one symbol, and every symbol that no token takes, stands alone: single symbols are part of
every vocabulary.

================  ================================================================================
rule              the tokens of a word, and its ties
================  ================================================================================
shortest_path     The fewest tokens.  At each end position the token with the earliest start: what
                  Hugging Face's Unigram gives with equal scores, and PathPieceL of Schmidt et al.
                  2024.
random_path       PathPieceR: one of all segmentations into the fewest tokens, each with the same
                  probability; it depends on the seed and the word alone.  (Schmidt et al. 2024
                  print a walk from the end that chooses evenly among the tokens that tie at each
                  position, which is not even over segmentations: with ``abc``, ``bcd`` and
                  ``cde``, the word ``abcde`` has three of three tokens; it ends in ``cde`` half
                  the time, and each of the other two has a quarter.)
priority          Tokens in the vocabulary's order, each from left to right wherever the pairs just
                  before and just after it are not yet inside a token; a token may swallow others
                  whole (Lim, Choo and Lauw 2025, Algorithm 4).
longest_match     From the left, the longest token that begins there.
merges            Byte pair encoding.  With `Vocabulary.merges`: the neighbouring pair that is
                  first among them is merged, leftmost first, one at a time, until none is left
                  (Sennrich et al. 2016, as in Hugging Face's BPE).  Without: the neighbouring pair
                  whose concatenation is the token earliest in the vocabulary, leftmost first, and
                  a word that is a token stays whole (as in tiktoken).
character_merges  The same over bytes, but from characters on (as in sentencepiece's BPE, and in
                  Hugging Face's with byte fallback): the pieces are the word's UTF-8 characters,
                  whether they are tokens or not; a word that is a token has no precedence; in the
                  end characters that are no tokens are single bytes.  Bytes that are no character
                  stand alone, and what holds such is never used.  Over other symbols it is
                  ``merges`` without precedence.
likelihood        The largest sum of scores (float64, added up from the left).  At each end
                  position the earliest start.  A symbol without a score is worth the least of all
                  scores − 10 (Kudo 2018, as in Hugging Face's Unigram).
single_symbols    Every symbol alone.
================  ================================================================================
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cached_property, partial
from itertools import pairwise
from math import inf, isinf, log
from numbers import Real
from typing import Any, Protocol, TypeAlias

import numpy as np
import numpy.typing as npt

from ..corpus import symbols as sym
from ..corpus.symbols import Token
from ..corpus.word_counts import WordCounts
from ..errors import InputError
from ..kernels._characters import characters, to_bytes
from ..kernels._merge_segmentation import Merger
from ..kernels._segment import INSIDE, SHORT_WORD, Segmenter
from ..runtime.arguments import Threads, checked
from ..vocabulary.vocabulary import RULES, Rule, Vocabulary

__all__ = ["Cut", "Draw", "Segmentation", "cutter", "sampler", "segment"]


class Cut(Protocol):
    """Cuts words `first` to `last` − 1 of a flat array.

    Writes to `which` (int32, as long as `data`), at the last symbol of each token, the token's
    index in the vocabulary, or −1 for a single symbol, and −2 elsewhere.  Runs without the
    interpreter lock.
    """

    def __call__(
        self,
        data: npt.NDArray[Any],
        offsets: npt.NDArray[np.int64],
        first: int,
        last: int,
        which: npt.NDArray[np.int32],
    ) -> None:
        """Cut."""


class Draw(Protocol):
    """A `Cut` at random: `draws` (int64) tells draws of one word apart.

    Its entry `w` goes with word `w`; where it is empty, all words have the number 0.  What is
    drawn depends on the seed, the word's symbols and its number alone, not on where it stands.
    `seed`, from 0 to 2^64 − 1, takes the place of the one that `sampler` was given.
    """

    def __call__(
        self,
        data: npt.NDArray[Any],
        offsets: npt.NDArray[np.int64],
        first: int,
        last: int,
        which: npt.NDArray[np.int32],
        draws: npt.NDArray[np.int64],
        *,
        seed: int = ...,
    ) -> None:
        """Cut."""


@dataclass(frozen=True, eq=False)
class Segmentation:
    """Every word of a corpus as tokens.

    Attributes
    ----------
    words : WordCounts
        The words.
    rule : str
        How they were cut; see `segment`.
    which : ndarray of int32, shape (total symbols,)
        At the last symbol of each token, as `words.data` lies, its index in the vocabulary, or
        −1 for a single symbol; −2 elsewhere.
    """

    words: WordCounts
    rule: Rule
    which: npt.NDArray[np.int32]

    @cached_property
    def ends(self) -> npt.NDArray[np.bool_]:
        """Whether a token ends at each symbol, shape (total symbols,)."""
        return np.not_equal(self.which, INSIDE)

    @cached_property
    def pieces(self) -> npt.NDArray[np.int64]:
        """Tokens of each word, shape (words,)."""
        if not len(self.words):
            return np.zeros(0, np.int64)
        return np.add.reduceat(self.ends, self.words.offsets[:-1], dtype=np.int64)

    @property
    def tokens(self) -> int:
        """Σ c(W)·(tokens of W)."""
        return int(np.dot(self.words.counts, self.pieces))

    @property
    def cover(self) -> int:
        """Σ c(W)·(adjacent pairs of W inside one token)."""
        return self.words.total_symbols - self.tokens

    def of(self, index: int) -> list[Token]:
        """The tokens of the word at `index`."""
        begin, end = self.words.offsets[index : index + 2].tolist()
        cuts = [begin, *(begin + 1 + np.flatnonzero(self.ends[begin:end])).tolist()]
        return [sym.from_array(self.words.data[a:b], self.words.symbols) for a, b in pairwise(cuts)]


@checked
def segment(
    words: WordCounts,
    vocabulary: Vocabulary,
    rule: Rule | None = None,
    *,
    seed: int = 0,
    threads: Threads = 1,
) -> Segmentation:
    """Cut every word into tokens of a vocabulary and single symbols.

    Parameters
    ----------
    words : WordCounts
        The words.
    vocabulary : Vocabulary
        The tokens, over the same symbols.
    rule : str, optional
        By default the vocabulary's own; see `cutter`.
    seed : int
        For ``random_path``; equal words are cut equally, wherever they stand.
    threads : int
        Words are shared among this many threads; the result is the same.

    Returns
    -------
    Segmentation
        O(symbols · longest token) time and O(longest word) memory beside the result; see `cutter`.

    Raises
    ------
    InputError
        If the symbols differ, the vocabulary is of words with an end-of-word mark that these
        have not, the rule is unknown or lacks its scores, or a word has 2^31 symbols
        or more.
    """
    rule = rule or vocabulary.rule
    if vocabulary.symbols != words.symbols:
        raise InputError(
            f"the vocabulary is over {vocabulary.symbols}, the words are over {words.symbols}: "
            f"read them with --symbols {vocabulary.symbols} (symbols={vocabulary.symbols!r})"
        )
    if vocabulary.end_of_word is not None:
        words.refuse_without(vocabulary.end_of_word)
    if len(words) and int(np.diff(words.offsets).max()) >= 2**31 - 1:
        raise InputError("a word has 2^31 symbols or more: cut it with a pre-tokenizer")
    data, names = words.data, None
    if words.symbols == "ints":
        names, data = np.unique(data, return_inverse=True)
        data = data.astype(np.int32)
    cut = cutter(vocabulary, rule, names=names, seed=seed)
    which = np.empty(len(data), np.int32)
    shards = max(1, min(threads, len(words)))
    cuts = [len(words) * i // shards for i in range(shards + 1)]

    def work(shard: int) -> None:
        cut(data, words.offsets, cuts[shard], cuts[shard + 1], which)

    if shards == 1:
        work(0)
    else:
        with ThreadPoolExecutor(shards) as pool:
            list(pool.map(work, range(shards)))
    return Segmentation(words, rule, which)


@checked
def cutter(
    vocabulary: Vocabulary,
    rule: Rule | None = None,
    *,
    names: npt.NDArray[np.int64] | None = None,
    seed: int = 0,
) -> Cut:
    """The kernel that cuts words under a rule, made ready for a vocabulary.

    Parameters
    ----------
    vocabulary : Vocabulary
        The tokens.
    rule : str, optional
        By default the vocabulary's own; the table above says what each does.
    names : ndarray of int64, optional
        For integer symbols: those of the words, sorted; the data then holds their places.
    seed : int
        For ``random_path``.

    Returns
    -------
    Cut
        A call that takes words as uint8 (bytes) or int32 (characters, and places in `names`).
        O(symbols · longest token) time and O(longest word) memory; a factor of log(word) more
        time for ``priority``, and for the words that both merges give to a queue (those where
        they looked at more than 64 pairs a symbol).  ``shortest_path`` takes O(symbols) where a
        longer beginning of a word never needs fewer tokens, as in a run of one symbol with tokens
        of every length; ``likelihood`` and ``random_path`` look at every occurrence of a token
        there.

    Raises
    ------
    InputError
        If the rule is unknown, or is ``likelihood`` and the vocabulary has no scores.
    """
    rule = rule or vocabulary.rule
    if rule == "random_path":
        return partial(sampler(vocabulary, rule, names=names, seed=seed), draws=_NONE)
    if rule == "merges":
        return partial(_merges(_Trie(vocabulary, names), 0.0, seed, whole=True), draws=_NONE)
    if rule == "character_merges":
        return partial(_character_merges(vocabulary, names, 0.0, seed), draws=_NONE)
    if rule == "longest_match":
        return partial(_longest_match(_Trie(vocabulary, names), 0.0, seed), draws=_NONE)
    if rule == "single_symbols":
        vocabulary = Vocabulary((), vocabulary.symbols, rule=rule)
    trie = _Trie(vocabulary, names)
    if rule in ("shortest_path", "single_symbols"):
        return trie.segmenter.shortest_path
    if rule == "priority":
        return trie.priority
    if rule == "likelihood":
        scores, singles = trie.scores()
        links, listed = trie.listed(score=scores)
        return partial(trie.segmenter.likelihood, links=links, scores=listed, singles=singles)
    raise InputError(f"unknown rule {rule!r}: use one of {', '.join(RULES)}")


@checked
def sampler(
    vocabulary: Vocabulary,
    rule: Rule | None = None,
    *,
    names: npt.NDArray[np.int64] | None = None,
    seed: int = 0,
    dropout: float | None = None,
    alpha: float | None = None,
) -> Draw:
    """The kernel that cuts words at random around a rule, for subword regularization.

    Parameters
    ----------
    vocabulary : Vocabulary
        The tokens.
    rule : str, optional
        By default the vocabulary's own.

        ``merges`` and ``character_merges`` with `dropout` p: each time the next merge is looked
        for, every possible one is left out with probability p; the word is finished when all are
        (BPE-dropout, Provilkov et al. 2020, Algorithm 1, one merge at a time as in Hugging Face's
        BPE).  With p > 0 a word that is a token has no precedence.

        ``longest_match`` with `dropout` p: each token that begins at a position is left out with
        probability p, then the longest is taken (MaxMatch-dropout, Hiraoka 2022).

        ``likelihood`` with `alpha`: a segmentation has a probability in proportion to
        exp(alpha · its sum of scores) (Kudo 2018, section 3.2, over all segmentations).

        ``shortest_path`` with `alpha`: in proportion to exp(−alpha · its tokens).

        ``random_path``: evenly among those of fewest tokens, ``shortest_path`` with an `alpha`
        of infinity.
    names : ndarray of int64, optional
        As in `cutter`.
    seed : int
        Any integer; it counts modulo 2^64.
    dropout : float
        From 0, which is the rule itself, to 1, which leaves single symbols.
    alpha : float
        From 0, at which all segmentations are equally likely, to infinity (``shortest_path``).

    Returns
    -------
    Draw
        Time and memory as of `cutter`; O(symbols · log(word) / (1 − p)) time for merges.  Draws
        are made by a number of 53 bits; sums of weights are kept with 53 bits and an exponent of
        their own, so that the probability of a segmentation is right but for a relative error of
        about 2^-52 · symbols · longest token, however many segmentations there are.

    Raises
    ------
    InputError
        If the rule is unknown or cannot be drawn from, scores are missing, or `dropout` or
        `alpha` is missing, out of range, or of another rule.
    """
    rule = rule or vocabulary.rule
    if rule not in RULES:
        raise InputError(f"unknown rule {rule!r}: use one of {', '.join(RULES)}")
    takes = _DRAWN.get(rule)
    if takes is None:
        raise InputError(
            f"rule {rule} cannot be drawn from: use one of {', '.join(sorted(_DRAWN))}"
        )
    for name, value in (("dropout", dropout), ("alpha", alpha)):
        if value is not None and (isinstance(value, bool) or not isinstance(value, Real)):
            raise InputError(f"{name} is {value!r}: a number is expected")
        if (value is None) == (name == takes):
            raise InputError(f"rule {rule} {'needs' if name == takes else 'takes no'} {name}")
    if takes == "dropout":
        assert dropout is not None
        if not 0 <= dropout <= 1:
            raise InputError(f"dropout is {dropout}: a probability from 0 to 1 is expected")
        share = float(dropout)
        if rule == "character_merges":
            return _character_merges(vocabulary, names, share, seed)
        if rule == "merges":
            return _merges(_Trie(vocabulary, names), share, seed, whole=not share)
        return _longest_match(_Trie(vocabulary, names), share, seed)
    if alpha is not None and not 0 <= float(alpha) <= (inf if rule == "shortest_path" else 1e300):
        raise InputError(f"alpha is {alpha}: a number from 0 is expected")
    return _paths(_Trie(vocabulary, names), rule, inf if alpha is None else float(alpha), seed)


Listed: TypeAlias = npt.NDArray[np.void]

_NONE = np.zeros(0, np.int64)
# which of sampler's parameters a rule takes
_DRAWN: dict[str, str] = {
    "merges": "dropout",
    "character_merges": "dropout",
    "longest_match": "dropout",
    "likelihood": "alpha",
    "shortest_path": "alpha",
    "random_path": "",
}
# 2^-this is next to nothing even times all segmentations of a word of 2^31 symbols; and 2^31
# times it fits into 64 bits
_STEP = 2**31 + 2**12


class _Trie:
    """Tokens as the kernels take them, and the Segmenter of them."""

    def __init__(self, vocabulary: Vocabulary, names: npt.NDArray[np.int64] | None) -> None:
        self.vocabulary = vocabulary
        self.names = _NONE if names is None else names
        self._placed = names is not None
        lengths = np.fromiter((len(token) for token in vocabulary), np.int64, len(vocabulary))
        self.offsets = np.zeros(len(vocabulary) + 1, np.int64)
        np.cumsum(lengths, out=self.offsets[1:])
        parts = [sym.to_array(token) for token in vocabulary]
        flat = np.concatenate([np.zeros(0, sym.DTYPES[vocabulary.symbols]), *parts])
        self.flat = self.place(flat)
        self.segmenter = Segmenter(self.flat, self.offsets)

    @cached_property
    def backward(self) -> Segmenter:
        """Of the same tokens, each from its end to its begin."""
        lengths = np.diff(self.offsets)
        mirror = np.repeat(self.offsets[:-1] + self.offsets[1:] - 1, lengths)
        return Segmenter(self.flat[mirror - np.arange(len(self.flat))], self.offsets)

    def priority(
        self,
        data: npt.NDArray[Any],
        offsets: npt.NDArray[np.int64],
        first: int,
        last: int,
        which: npt.NDArray[np.int32],
    ) -> None:
        """The `Cut` of that rule."""
        long = int(np.diff(offsets[first : last + 1]).max(initial=0)) > SHORT_WORD
        backward = self.backward if long else None
        self.segmenter.priority(data, offsets, first, last, which, backward)

    def place(self, symbols: npt.NDArray[Any]) -> npt.NDArray[np.int32]:
        """Symbols as the data has them; one that is in no word: past all that are."""
        if self._placed:
            names = self.names
            places = np.searchsorted(names, symbols)
            known = names[np.minimum(places, len(names) - 1)] == symbols if len(names) else False
            symbols = np.where(known, places, len(names))
        return symbols.astype(np.int32)

    def listed(self, **columns: npt.NDArray[Any]) -> tuple[npt.NDArray[np.int64], Listed]:
        """The tokens of `Segmenter.endings`, each with what `columns` say of it."""
        links, tokens = self.segmenter.endings()
        lengths = np.diff(self.offsets).astype(np.int32)
        columns = {**columns, "length": lengths, "token": np.arange(len(lengths), dtype=np.int32)}
        return links, _rows(**{name: column[tokens] for name, column in columns.items()})

    def scores(self) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
        """Scores of tokens, and of single symbols: the last is of all that lie beyond."""
        vocabulary = self.vocabulary
        if vocabulary.scores is None:
            raise InputError(
                "the rule likelihood needs scores, and this vocabulary has none: choose another "
                "rule"
            )
        given = vocabulary.symbol_scores
        least = min((*vocabulary.scores, *given.values()), default=0.0) - 10
        flat = [sym.to_array(symbol) for symbol in given]
        places = self.place(np.concatenate([np.zeros(0, np.int64), *flat]))
        singles = np.full(max(places.tolist(), default=-1) + 2, least)
        singles[places] = list(given.values())
        return np.array(vocabulary.scores), singles


def _merges(trie: _Trie, dropout: float, seed: int, *, whole: bool) -> Draw:
    """`whole`: without pairs, a word that is a token stays whole."""
    vocabulary = trie.vocabulary
    whole &= vocabulary.merges is None
    if vocabulary.merges is None:
        left, right, token = trie.segmenter.splits(trie.flat, trie.offsets)
        rank = token
    else:
        merges = vocabulary.merges
        index = {token: i for i, token in enumerate(vocabulary)}
        sides = [part for pair in merges for part in pair]
        flat = [sym.to_array(part[:1]) for part in sides]
        first = trie.place(np.concatenate([np.zeros(0, np.int64), *flat]))
        numbers = np.fromiter((index.get(part, -1) for part in sides), np.int32, len(sides))
        numbers = np.where(numbers < 0, -2 - first, numbers).astype(np.int32)
        left, right = numbers[::2].copy(), numbers[1::2].copy()
        made = (index[a + b] for a, b in merges)  # type: ignore[operator]
        token = np.fromiter(made, np.int32, len(merges))
        rank = np.arange(len(merges), dtype=np.int32)
    merger = Merger(left, right, rank, token, trie.names)
    if not dropout:
        trie.segmenter.join(*merger.last_pairs(trie.flat, trie.offsets), trie.flat, trie.offsets)

    def draw(
        data: npt.NDArray[Any],
        offsets: npt.NDArray[np.int64],
        first: int,
        last: int,
        which: npt.NDArray[np.int32],
        draws: npt.NDArray[np.int64],
        *,
        seed: int = seed % 2**64,
    ) -> None:
        if dropout:
            merger.merge(data, offsets, first, last, which, dropout, seed, draws)
            return
        for word in trie.segmenter.merges(data, offsets, first, last, which, whole).tolist():
            merger.merge(data, offsets, word, word + 1, which, 0.0, 0, _NONE)

    return draw


def _character_merges(
    vocabulary: Vocabulary, names: npt.NDArray[np.int64] | None, dropout: float, seed: int
) -> Draw:
    if vocabulary.symbols != "bytes":
        return _merges(_Trie(vocabulary, names), dropout, seed, whole=False)
    texts = [sym.text_of(token) for token in vocabulary]
    long = [(text, place) for place, text in enumerate(texts) if text and len(text) > 1]
    short = {ord(text): place for place, text in enumerate(texts) if text and len(text) == 1}
    merges = None
    if vocabulary.merges is not None:
        pairs = [(sym.text_of(a), sym.text_of(b)) for a, b in vocabulary.merges]
        merges = [(a, b) for a, b in pairs if a and b]
    merge = _merges(
        _Trie(Vocabulary((text for text, _ in long), "chars", merges=merges), None),
        dropout,
        seed,
        whole=False,
    )
    tokens = np.array([place for _, place in long], np.int32)
    singles = np.full(max(short, default=-1) + 2, -1, np.int32)
    singles[list(short)] = list(short.values())

    def draw(
        data: npt.NDArray[Any],
        offsets: npt.NDArray[np.int64],
        first: int,
        last: int,
        which: npt.NDArray[np.int32],
        draws: npt.NDArray[np.int64],
        *,
        seed: int = seed % 2**64,
    ) -> None:
        codes, starts = characters(data, offsets, first, last)
        chosen = np.empty(len(codes), np.int32)
        merge(codes, starts, 0, last - first, chosen, draws[first:last], seed=seed)
        to_bytes(codes, chosen, tokens, singles, which[offsets[first] : offsets[last]])

    return draw


def _longest_match(trie: _Trie, dropout: float, seed: int) -> Draw:
    return partial(
        trie.segmenter.longest_match, dropout=dropout, seed=seed % 2**64, names=trie.names
    )


def _paths(trie: _Trie, rule: Rule, alpha: float, seed: int) -> Draw:
    if rule == "likelihood":
        scores, singles = trie.scores()
    else:
        scores, singles = np.full(len(trie.vocabulary), -1.0), np.full(1, -1.0)

    def weights(scores: npt.NDArray[np.float64]) -> dict[str, npt.NDArray[Any]]:
        if isinf(alpha):
            return {"part": np.ones(len(scores)), "power": np.full(len(scores), -_STEP)}
        bits = scores * (alpha / log(2))
        if len(bits) and np.abs(bits).max() > 2**31:
            raise InputError(f"alpha is {alpha}: times the scores that is more than 2^31 bits")
        powers = np.floor(bits)
        return {"part": np.exp2(bits - powers), "power": powers.astype(np.int64)}

    links, listed = trie.listed(**weights(scores))
    return partial(
        trie.segmenter.paths,
        links=links,
        weights=listed,
        singles=_rows(**weights(singles)),
        seed=seed % 2**64,
        names=trie.names,
    )


def _rows(**columns: npt.NDArray[Any]) -> Listed:
    """Columns as one array of structures."""
    kinds = [(name, column.dtype) for name, column in columns.items()]
    rows = np.empty(len(next(iter(columns.values()))), kinds)
    for name, column in columns.items():
        rows[name] = column
    return rows
