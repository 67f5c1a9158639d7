"""Inspects a vocabulary token by token: lengths, uses, gains, and tokens that do nothing."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from ..corpus import symbols as sym
from ..corpus.symbols import Token
from ..corpus.word_counts import WordCounts
from ..runtime.arrays import Bools, Int64, keep_arrays, read_only
from ..segmentation.segmentation import segment
from ..vocabulary.merging import merge, ranks
from ..vocabulary.rules import SegmentationRule
from ..vocabulary.vocabulary import Vocabulary
from .metrics import token_uses
from .token_gains import occurrences_and_gains


@dataclass(frozen=True, eq=False)
class Inspection:
    """A vocabulary token by token.

    Attributes
    ----------
    vocabulary : Vocabulary
        The tokens, in order.
    rule : str
        The segmentation rule that `tokens` and `uses` are under.
    lengths : ndarray of int64, shape (tokens,)
        Symbols of each token.
    splits_character : ndarray of bool, shape (tokens,)
        Over bytes: whether the token is not UTF-8, because it begins or ends inside a character.
    parts : ndarray of bool, shape (tokens,)
        Under the rules of merges: whether another token is merged from it.
    uses : ndarray of int64, shape (tokens,), optional
        How often each token is used on the corpus; None without a corpus, as all that follow.
    tokens, single_symbols : int, optional
        Tokens that the corpus needs, and how many of them are single symbols.
    words, total_count : int, optional
        Number of distinct words, and of words counted.
    whole_words : ndarray of bool, shape (tokens,), optional
        Whether the token is a word of the corpus.
    occurrences : ndarray of int64, shape (tokens,), optional
        How often each token stands in the corpus, used or not, overlapping ones included; with
        `gains`.
    gains : ndarray of int64, shape (tokens,), optional
        How many more tokens the corpus needs without that token: the losses of
        `partcover.analysis.token_gains.token_gains`.

    Examples
    --------
    >>> from partcover import Vocabulary
    >>> from partcover.analysis.inspection import Inspection, inspect_vocabulary
    >>> inspection: Inspection = inspect_vocabulary(Vocabulary(["ab", "ba", "bab"]))
    >>> inspection.by_length()
    [{'length': 2, 'tokens': 2}, {'length': 3, 'tokens': 1}]
    """

    vocabulary: Vocabulary
    rule: SegmentationRule
    lengths: Int64
    splits_character: Bools
    parts: Bools
    uses: Int64 | None = None
    tokens: int | None = None
    single_symbols: int | None = None
    words: int | None = None
    total_count: int | None = None
    whole_words: Bools | None = None
    occurrences: Int64 | None = None
    gains: Int64 | None = None

    def __post_init__(self) -> None:
        keep_arrays(self)

    @cached_property
    def intermediate(self) -> Bools:
        """Whether a token serves only to merge others: a part that is never used itself."""
        return read_only(self.parts & (False if self.uses is None else self.uses == 0))

    def rows(self, order: Sequence[int] | npt.NDArray[Any] | None = None) -> list[dict[str, Any]]:
        """Returns a JSON object for each token, or for those at the places `order`."""
        columns: dict[str, npt.NDArray[Any] | None] = {
            "length": self.lengths,
            "occurrences": self.occurrences,
            "uses": self.uses,
            "gain": self.gains,
            "whole_word": self.whole_words,
            "splits_character": self.splits_character,
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
        """Returns for each length how many tokens have it, how many are used, and how often."""
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
        """Returns the inspection as a JSON object; `tokens` asks for a row for each token."""
        data: dict[str, Any] = {
            "method": self.vocabulary.method,
            "rule": self.rule,
            "symbols": self.vocabulary.symbols,
            "pretokenizer": self.vocabulary.pretokenizer,
            "size": len(self.vocabulary),
            "special": len(self.vocabulary.special),
            "split_characters": int(self.splits_character.sum()),
        }
        if self.uses is not None:
            assert self.whole_words is not None
            assert self.occurrences is not None
            assert self.gains is not None
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
                "never_occur": int((self.occurrences == 0).sum()),
                "without_gain": int((self.gains == 0).sum()),
            }
        data["by_length"] = self.by_length()
        if tokens:
            data["vocabulary"] = self.rows()
        return data


def inspect_vocabulary(
    vocabulary: Vocabulary,
    words: WordCounts | None = None,
    rule: SegmentationRule | None = None,
    *,
    threads: int = 1,
) -> Inspection:
    """Inspects a vocabulary, alone or on a corpus.

    Parameters
    ----------
    vocabulary : Vocabulary
        The tokens.
    words : WordCounts, optional
        The corpus; without it only lengths, characters and parts are known.
    rule : str, optional
        The segmentation rule; by default the vocabulary's own.
    threads : int
        Number of threads; the result is the same for any.

    Returns
    -------
    Inspection
        Exact counts, in the time of a segmentation and of `token_gains`, which takes longest.

    Raises
    ------
    InputError
        If the symbols of words and vocabulary differ, or the rule is unknown.

    Examples
    --------
    >>> from partcover import Vocabulary, WordCounts
    >>> from partcover.analysis.inspection import inspect_vocabulary
    >>> words = WordCounts.from_counts({"that": 3, "hat": 2})
    >>> inspection = inspect_vocabulary(Vocabulary(["hat", "at"]), words)
    >>> inspection.uses.tolist(), inspection.gains.tolist(), inspection.tokens
    ([5, 0], [5, 0], 8)
    """
    rule = rule or vocabulary.rule
    tokens = vocabulary.tokens
    size = len(tokens)
    alone = Inspection(
        vocabulary,
        rule,
        lengths=np.fromiter(map(len, tokens), np.int64, size),
        splits_character=np.fromiter(map(_splits_character, tokens), bool, size),
        parts=_parts(vocabulary, rule),
    )
    if words is None:
        return alone
    cut = segment(words, vocabulary, rule, threads=threads)
    uses = token_uses(cut, size)
    whole = set(tokens).intersection(word for word, _ in words)
    occurrences, gains = occurrences_and_gains(words, tokens, threads=threads)
    return replace(
        alone,
        uses=uses,
        tokens=cut.tokens,
        single_symbols=cut.tokens - int(uses.sum()),
        words=len(words),
        total_count=words.total_count,
        whole_words=np.fromiter((token in whole for token in tokens), bool, size),
        occurrences=occurrences,
        gains=gains,
    )


def _splits_character(token: Token) -> bool:
    return isinstance(token, bytes) and sym.text_of(token) is None


def _parts(vocabulary: Vocabulary, rule: SegmentationRule) -> Bools:
    """Whether other tokens are merged from each token, if the rule merges."""
    place = {token: index for index, token in enumerate(vocabulary.tokens)}
    parts: set[Any] = set()
    if rule in ("merges", "character_merges", "superword_merges"):
        if vocabulary.merges is not None:
            parts.update(part for pair in vocabulary.merges for part in pair)
        else:
            rank = ranks(vocabulary)
            for token in vocabulary.tokens:
                parts.update(merge(_pieces(token, rule), rank, 2))
    mask = np.zeros(len(place), bool)
    mask[[place[part] for part in parts if part in place]] = True
    return mask


def _pieces(token: Token, rule: SegmentationRule) -> list[Any]:
    """What merging a token begins with; nothing if it is there from the start, or never made."""
    if rule == "character_merges" and isinstance(token, bytes):
        text = sym.text_of(token) or ""
        return [character.encode("utf-8") for character in text] if len(text) > 1 else []
    return [token[i : i + 1] for i in range(len(token))]
