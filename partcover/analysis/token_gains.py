"""Shows what a vocabulary is made of, what each token saves, and what is obviously missing."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt

from ..corpus import symbols as sym
from ..corpus.symbols import Token
from ..corpus.word_counts import WordCounts
from ..kernels._local_search import State
from ..problem.occurrences import arcs_of
from ..problem.word_index import WordIndex
from ..segmentation.segmentation import segment
from ..vocabulary.rules import SegmentationRule
from ..vocabulary.vocabulary import Vocabulary

__all__ = ["Anatomy", "Audit", "Difference", "Missing", "anatomy", "audit", "difference", "gains"]

Int64 = npt.NDArray[np.int64]
Flags = npt.NDArray[np.bool_]

_SLICE = 1 << 23  # symbols of words that are indexed at a time


@dataclass(frozen=True, eq=False)
class Anatomy:
    """A vocabulary token by token.

    Attributes
    ----------
    vocabulary : Vocabulary
        The tokens, in order.
    rule : str
        The segmentation rule that `tokens` and `uses` are under.
    lengths : ndarray of int64, shape (tokens,)
        Symbols of each.
    cuts_character : ndarray of bool, shape (tokens,)
        Over bytes: those that are not UTF-8, because they begin or end inside a character.
    parts : ndarray of bool, shape (tokens,)
        Under ``merges`` and ``character_merges``: those that another token is merged from.
    uses : ndarray of int64, shape (tokens,), optional
        How often each is used on the corpus; None without a corpus, as all that follow.
    tokens, single_symbols : int, optional
        Tokens needed, and how many of them are single symbols.
    words, total_count : int, optional
        Distinct words and words counted.
    whole_words : ndarray of bool, shape (tokens,), optional
        Those that are words of the corpus.
    occurrences : ndarray of int64, shape (tokens,), optional
        How often each stands in the corpus, used or not, overlapping ones included; with
        `gains`.
    gains : ndarray of int64, shape (tokens,), optional
        See `gains`.
    """

    vocabulary: Vocabulary
    rule: SegmentationRule
    lengths: Int64
    cuts_character: Flags
    parts: Flags
    uses: Int64 | None = None
    tokens: int | None = None
    single_symbols: int | None = None
    words: int | None = None
    total_count: int | None = None
    whole_words: Flags | None = None
    occurrences: Int64 | None = None
    gains: Int64 | None = None

    @cached_property
    def intermediate(self) -> Flags:
        """Tokens that serve only to merge others: parts that are never used themselves."""
        return self.parts & (self.uses == 0) if self.uses is not None else self.parts & False

    def rows(self, order: Sequence[int] | npt.NDArray[Any] | None = None) -> list[dict[str, Any]]:
        """What is known of each token, as JSON; of those at the places `order`."""
        columns: dict[str, npt.NDArray[Any] | None] = {
            "length": self.lengths,
            "occurrences": self.occurrences,
            "uses": self.uses,
            "gain": self.gains,
            "whole_word": self.whole_words,
            "cuts_character": self.cuts_character,
            "intermediate": None if self.uses is None else self.intermediate,
        }
        listed = {name: values.tolist() for name, values in columns.items() if values is not None}
        places = range(len(self.lengths)) if order is None else [int(place) for place in order]
        return [
            {
                "order": place,
                "token": sym.to_json(self.vocabulary.tokens[place]),
                **{name: values[place] for name, values in listed.items()},
            }
            for place in places
        ]

    def by_length(self) -> list[dict[str, int]]:
        """For each length: how many tokens have it, are used, and how often."""
        rows = []
        for length in np.unique(self.lengths).tolist():
            mask = self.lengths == length
            row = {"length": length, "tokens": int(mask.sum())}
            if self.uses is not None:
                row["used"] = int((self.uses[mask] > 0).sum())
                row["uses"] = int(self.uses[mask].sum())
            rows.append(row)
        return rows

    def to_json(self, *, tokens: bool = True) -> dict[str, Any]:
        """All of it as a JSON object; `tokens`: with a row for each token."""
        data: dict[str, Any] = {
            "method": self.vocabulary.method,
            "rule": self.rule,
            "symbols": self.vocabulary.symbols,
            "pretokenizer": self.vocabulary.pretokenizer,
            "size": len(self.vocabulary),
            "special": len(self.vocabulary.special),
            "cut_characters": int(self.cuts_character.sum()),
        }
        if self.uses is not None and self.whole_words is not None:
            data |= {
                "words": self.words,
                "total_count": self.total_count,
                "tokens": self.tokens,
                "tokens_per_word": (self.tokens or 0) / self.total_count
                if self.total_count
                else None,
                "single_symbols": self.single_symbols,
                "never_used": int((self.uses == 0).sum()),
                "intermediate": int(self.intermediate.sum()),
                "whole_words": int(self.whole_words.sum()),
            }
            if self.gains is not None and self.occurrences is not None:
                data["never_occur"] = int((self.occurrences == 0).sum())
                data["without_gain"] = int((self.gains == 0).sum())
        data["by_length"] = self.by_length()
        if tokens:
            data["vocabulary"] = self.rows()
        return data


def anatomy(
    vocabulary: Vocabulary,
    words: WordCounts | None = None,
    rule: SegmentationRule | None = None,
    *,
    with_gains: bool = True,
    threads: int = 1,
) -> Anatomy:
    """Take a vocabulary apart.

    Parameters
    ----------
    vocabulary : Vocabulary
        The tokens.
    words : WordCounts, optional
        The corpus; without it only lengths, characters and parts are told.
    rule : str, optional
        How words are cut; by default the vocabulary's own rule.
    with_gains : bool
        Whether to find what each token gains, which takes the most time.
    threads : int
        The result is the same.

    Returns
    -------
    Anatomy
        Exact counts; a segmentation and `gains` in time.

    Raises
    ------
    InputError
        If the symbols of words and vocabulary differ, or the rule is unknown.
    """
    rule = rule or vocabulary.rule
    tokens = vocabulary.tokens
    size = len(tokens)
    found = Anatomy(
        vocabulary,
        rule,
        lengths=np.fromiter(map(len, tokens), np.int64, size),
        cuts_character=np.fromiter(map(_cuts_character, tokens), bool, size),
        parts=_parts(vocabulary, rule),
    )
    if words is None:
        return found
    cut = segment(words, vocabulary, rule, threads=threads)
    weights = np.repeat(words.counts, np.diff(words.offsets))
    uses = _uses(cut.which, weights, size)
    whole = {token: place for place, token in enumerate(tokens)}
    is_word = np.zeros(size, bool)
    for word, _ in words:
        if (place := whole.get(word)) is not None:
            is_word[place] = True
    occurrences, worth = _worths(words, tokens, (), threads) if with_gains else (None, None)
    return replace(
        found,
        uses=uses,
        tokens=cut.tokens,
        single_symbols=cut.tokens - int(uses.sum()),
        words=len(words),
        total_count=words.total_count,
        whole_words=is_word,
        occurrences=occurrences,
        gains=worth,
    )


def _uses(which: npt.NDArray[np.int32], weights: Int64, size: int) -> Int64:
    """Σ of the weights at each token; integers throughout, where `bincount` has floats."""
    ends = which >= 0
    uses = np.zeros(size, np.int64)
    np.add.at(uses, which[ends], weights[ends])
    return uses


def _cuts_character(token: Token) -> bool:
    return isinstance(token, bytes) and sym.text_of(token) is None


def _parts(vocabulary: Vocabulary, rule: SegmentationRule) -> Flags:
    """Tokens that others are merged from, if the rule merges."""
    place = {token: index for index, token in enumerate(vocabulary.tokens)}
    parts: set[Any] = set()
    if rule in ("merges", "character_merges"):
        if vocabulary.merges is not None:
            parts.update(part for pair in vocabulary.merges for part in pair)
        else:
            for token in vocabulary.tokens:
                parts.update(_merged(_pieces(token, rule), place))
    found = np.zeros(len(place), bool)
    found[[place[part] for part in parts if part in place]] = True
    return found


def _pieces(token: Token, rule: SegmentationRule) -> list[Any]:
    """What merging a token begins with; nothing where it is there from the start, or never."""
    if rule == "character_merges" and isinstance(token, bytes):
        text = sym.text_of(token) or ""
        return [character.encode("utf-8") for character in text] if len(text) > 1 else []
    return [token[i : i + 1] for i in range(len(token))]


def _merged(pieces: list[Any], rank: dict[Any, int]) -> list[Any]:
    """The pieces of a token just before it is whole, from those that merging it begins with.

    As tiktoken merges without pairs: again and again the neighbours that together come first
    in the vocabulary, leftmost first.
    """
    while len(pieces) > 2:
        found = [rank.get(a + b, len(rank)) for a, b in pairwise(pieces)]
        least = min(found)
        if least == len(rank):  # no merge leads to it
            break
        i = found.index(least)
        pieces[i : i + 2] = [pieces[i] + pieces[i + 1]]
    return pieces


def gains(
    words: WordCounts,
    tokens: Sequence[Token],
    others: Sequence[Token] = (),
    *,
    threads: int = 1,
) -> tuple[Int64, Int64]:
    """What each token is worth under the shortest path, each one on its own.

    Parameters
    ----------
    words : WordCounts
        The corpus.
    tokens : sequence of token
        The vocabulary.
    others : sequence of token
        Tokens that are not in it.
    threads : int
        The result is the same.

    Returns
    -------
    losses : ndarray of int64, shape (tokens,)
        How many more tokens the corpus needs when that one token is left out.  Leaving out
        several costs at least the largest of theirs, and may cost more than their sum.
    gains : ndarray of int64, shape (others,)
        How many fewer it needs when that one token is added.

    Notes
    -----
    Exact under the shortest path, whatever rule the vocabulary is meant for.  In each word,
    O(tokens on its path · occurrences in it) time; words are looked at some 8 million symbols
    at a time, and memory follows the occurrences in those.
    """
    worth = _worths(words, tokens, others, threads)[1]
    return worth[: len(tokens)], worth[len(tokens) :]


def _worths(
    words: WordCounts, tokens: Sequence[Token], others: Sequence[Token], threads: int
) -> tuple[Int64, Int64]:
    """Occurrences of tokens and others, and what `gains` says of them."""
    all_tokens = (*tokens, *others)
    chosen = np.arange(len(tokens), dtype=np.int32)
    cuts = np.searchsorted(words.offsets, np.arange(0, words.offsets[-1], _SLICE)).tolist()
    bounds = sorted({0, *cuts, len(words)})
    lots = list(pairwise(bounds))

    def look(lot: tuple[int, int]) -> tuple[Int64, Int64]:
        first, last = lot
        offsets = words.offsets[first : last + 1]
        data = words.data[offsets[0] : offsets[-1]]
        index = WordIndex(
            WordCounts(data, offsets - offsets[0], words.counts[first:last], words.symbols)
        )
        intervals = index.find_tokens(all_tokens)
        size = len(all_tokens)
        state = State(
            *arcs_of(index, intervals),
            np.zeros(size, np.uint8),
            np.zeros(size, np.uint64),
            np.zeros(0, np.int64),
        )
        state.load(chosen)
        return index.weight_of(intervals), state.worths()

    occurrences, worth = np.zeros((2, len(all_tokens)), np.int64)
    with ThreadPoolExecutor(max(1, min(threads, len(lots)))) as pool:
        for more in pool.map(look, lots):
            occurrences += more[0]
            worth += more[1]
    return occurrences, worth


@dataclass(frozen=True)
class Missing:
    """A word that a vocabulary should hold by the criterion of `audit`.

    Attributes
    ----------
    word : token
        The word.
    count : int
        How often it occurs.
    pieces : int
        How many tokens it takes as it is, under the shortest path.
    saves : int
        count · (pieces − 1): what holding it saves in that word alone.
    gain : int
        What holding it saves on the whole corpus, the words that contain it included.
    """

    word: Token
    count: int
    pieces: int
    saves: int
    gain: int

    def to_json(self) -> dict[str, Any]:
        """The fields as a JSON object."""
        return {**vars(self), "word": sym.to_json(self.word)}


@dataclass(frozen=True)
class Audit:
    """What a vocabulary of its size should obviously hold.

    Attributes
    ----------
    tokens : int
        Needed under the shortest path as it is.
    total : int
        Words that meet the criterion.
    missing : tuple of Missing
        The first of them, those that save the most first.
    """

    tokens: int
    total: int
    missing: tuple[Missing, ...]

    def to_json(self) -> dict[str, Any]:
        """As a JSON object."""
        return {
            "tokens_shortest_path": self.tokens,
            "total": self.total,
            "missing": [word.to_json() for word in self.missing],
        }


def audit(
    vocabulary: Vocabulary,
    words: WordCounts,
    *,
    most: int = 20,
    losses: Int64 | None = None,
    threads: int = 1,
) -> Audit:
    """Find frequent words that a vocabulary lacks although its weakest tokens save less.

    The criterion: words that take more than one token are ranked by what holding them saves,
    count · (tokens − 1); tokens held by what leaving out that one token costs (`gains`), the
    cheapest first.  The word in place j is listed while it saves more than the token in place
    j costs, as if they were exchanged one for one.  So a word that every vocabulary of this
    size holds stands at the top if a slip, such as an overflow of its count, has left it out.

    Parameters
    ----------
    vocabulary : Vocabulary
        The tokens.
    words : WordCounts
        The corpus, cut with the vocabulary's own pre-tokenizer.
    most : int
        How many words to list.
    losses : ndarray of int64, shape (tokens,), optional
        From `gains`, if they are known.
    threads : int
        The result is the same.

    Returns
    -------
    Audit
        Exact counts under the shortest path, whatever the vocabulary's rule; of words that save
        the same the smaller first.

    Raises
    ------
    InputError
        If the symbols of words and vocabulary differ.
    """
    cut = segment(words, vocabulary, "shortest_path", threads=threads)
    if losses is None:
        losses = gains(words, vocabulary.tokens, threads=threads)[0]
    saves = words.counts * (cut.pieces - 1)
    lacking = np.flatnonzero(saves > 0)
    lacking = lacking[np.argsort(-saves[lacking], kind="stable")]
    cheapest = np.sort(losses)
    pairs = min(len(lacking), len(cheapest))
    better = saves[lacking[:pairs]] > cheapest[:pairs]
    total = pairs if better.all() else int(np.argmin(better))
    shown = min(total, most)
    # ties at the end of the list are broken by the word: all that save as much are looked at
    listed = lacking[saves[lacking] >= saves[lacking[shown - 1]]] if shown else lacking[:0]
    named = sorted((-int(saves[w]), words.word(w), int(w)) for w in listed)[:shown]
    added = gains(words, vocabulary.tokens, [word for _, word, _ in named], threads=threads)[1]
    return Audit(
        cut.tokens,
        total,
        tuple(
            Missing(word, int(words.counts[w]), int(cut.pieces[w]), -less, int(gain))
            for (less, word, w), gain in zip(named, added, strict=True)
        ),
    )


@dataclass(frozen=True)
class Difference:
    """Two vocabularies side by side.

    Attributes
    ----------
    shared : int
        Tokens in both.
    only_here, only_there : tuple of (token, uses)
        Tokens of one alone, those used most first, then in its order; uses is None without a
        corpus.
    tokens_here, tokens_there : int, optional
        Needed on the corpus, each under its own rule.
    rule_here, rule_there : str
        The rules.
    """

    shared: int
    only_here: tuple[tuple[Token, int | None], ...]
    only_there: tuple[tuple[Token, int | None], ...]
    tokens_here: int | None
    tokens_there: int | None
    rule_here: SegmentationRule
    rule_there: SegmentationRule

    def to_json(self) -> dict[str, Any]:
        """The fields as a JSON object."""
        return {
            **vars(self),
            "only_here": [{"token": sym.to_json(t), "uses": n} for t, n in self.only_here],
            "only_there": [{"token": sym.to_json(t), "uses": n} for t, n in self.only_there],
        }


def difference(here: Anatomy, there: Anatomy) -> Difference:
    """Compare two vocabularies that were taken apart, on the same corpus if on one.

    Parameters
    ----------
    here, there : Anatomy
        The two.

    Returns
    -------
    Difference
        O(tokens · log(tokens)) time.
    """
    mine, others = set(here.vocabulary.tokens), set(there.vocabulary.tokens)

    def only(of: Anatomy, known: set[Token]) -> tuple[tuple[Token, int | None], ...]:
        uses = [None] * len(of.vocabulary) if of.uses is None else of.uses.tolist()
        rows = [
            (token, use)
            for token, use in zip(of.vocabulary.tokens, uses, strict=True)
            if token not in known
        ]
        return tuple(sorted(rows, key=lambda row: -(row[1] or 0)))

    return Difference(
        shared=len(mine & others),
        only_here=only(here, others),
        only_there=only(there, mine),
        tokens_here=here.tokens,
        tokens_there=there.tokens,
        rule_here=here.rule,
        rule_there=there.rule,
    )
