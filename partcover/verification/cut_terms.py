"""Checks the pairs and cuts of a leaf, in plain Python, and sums what they change in its bound."""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from itertools import accumulate, combinations, pairwise
from math import comb

from ..corpus import symbols as sym
from ..corpus.symbols import Token
from ..errors import InputError
from ..problem.certificates.cuts import Cut, PairPrices
from .sorted_words import SortedWords

__all__ = ["CutTerms"]

_LIMIT = 1 << 63  # numbers have at most 63 bits, and a sign

Pair = tuple[Token, Token]


class CutTerms:
    """What the pairs and cuts of a leaf change in its bound.

    Parameters
    ----------
    tokens_of : sequence of (token, token)
        The two tokens of each pair.
    cuts : sequence of Cut
        The cuts over these.
    words : SortedWords
        The words.

    Attributes
    ----------
    limits : list of int
        How many multipliers each pair may have: one for each symbol where its tokens overlap.
    paying : dict of token to two lists of int
        For each token of a pair the symbols where it pays, ascending, and what it pays at the
        first n of them, for each n from 0.
    bonus : dict of token to int
        What the cuts add to the reward of each token: Σ μ·coef.
    loss : int
        What the bound is less: Σ max(0, ρ − Σ μ) over pairs, and Σ μ·rhs over cuts.
    n_entries : int
        How many numbers are kept of the multipliers.

    Raises
    ------
    InputError
        For a cut that is not valid, one over a pair without multipliers, and multipliers that
        are not positive, or stand where the two tokens do not overlap.
    """

    def __init__(self, tokens_of: Sequence[Pair], cuts: Sequence[Cut], words: SortedWords) -> None:
        self._words, self._given = words, cuts
        self._starts_of = words.starts_of({token for pair in tokens_of for token in pair})
        self.limits = [len(_overlap(pair, self._starts_of)) for pair in tokens_of]
        self.paying: dict[Token, tuple[list[int], list[int]]] = {}
        self.bonus: Counter[Token] = Counter()
        self.n_entries = self.loss = 0

    def take(self, pairs: Sequence[PairPrices]) -> None:
        """Takes the multipliers of the pairs, and checks them and the cuts over them."""
        paid: dict[Token, dict[int, int]] = defaultdict(lambda: defaultdict(int))
        totals: dict[Pair, int] = {}  # ρ of each pair
        count_at = self._words.count_at
        for pair in pairs:
            tokens = pair.first, pair.second
            positions, multipliers = _checked_multipliers(pair, self._starts_of)
            at = list(zip(positions, multipliers, strict=True))
            totals[tokens] = sum(count_at[position] * m for position, m in at)
            for token in tokens:
                own = paid[token]
                for position, multiplier in at:
                    own[position] += multiplier
        for token, own in paid.items():
            places = sorted(own)
            self.paying[token] = places, list(accumulate((own[p] for p in places), initial=0))
        self.n_entries = sum(len(own) for own in paid.values())
        covered: Counter[Pair] = Counter()  # Σ μ of the cuts over each pair
        for cut in self._given:
            _check_cut(cut)
            if cut.kind == "clique" and comb(len(cut.tokens), 2) > len(totals):
                raise InputError(
                    f"a clique of {len(cut.tokens)} tokens has edges that are not pairs of the leaf"
                )
            for first, second in _edges(cut):
                edge = (first, second) if (first, second) in totals else (second, first)
                if edge not in totals:
                    raise InputError(
                        f"a cut has the edge {_names((first, second))}, of which the leaf has "
                        "no multipliers"
                    )
                covered[edge] += cut.multiplier
            for token in cut.tokens:
                self.bonus[token] += cut.multiplier * cut.coef
            self.loss += cut.multiplier * cut.rhs
        self.loss += sum(max(0, total - covered[pair]) for pair, total in totals.items())

    def pays(self, token: Token) -> bool:
        """Whether a token is in a pair."""
        return token in self.paying

    def paid_before(self, token: Token, position: int) -> int:
        """What a token in a pair pays for lying over all symbols before a position."""
        positions, before = self.paying[token]
        return before[bisect_left(positions, position)]


def _overlap(pair: Pair, starts_of: Mapping[Token, Sequence[int]]) -> set[int]:
    """The symbols over which occurrences of both tokens lie."""
    for token in pair:
        if len(token) < 2:
            raise InputError(f"a pair has {sym.glance(token)!r}, which is not a token")
        if token not in starts_of:
            raise InputError(f"a pair has {sym.glance(token)!r}, which occurs nowhere")
    if not pair[0] < pair[1]:  # type: ignore[operator]  # both occur: they are of one type
        raise InputError(f"the tokens of a pair, {_names(pair)}, do not ascend")
    first, second = (
        {start + n for start in starts_of[token] for n in range(len(token))} for token in pair
    )
    overlap = first & second
    if not overlap:
        raise InputError(f"a pair has {_names(pair)}, which never overlap")
    return overlap


def _checked_multipliers(
    pair: PairPrices, starts_of: Mapping[Token, Sequence[int]]
) -> tuple[list[int], list[int]]:
    """The positions and multipliers of a pair, if they are what they must be."""
    tokens = pair.first, pair.second
    positions: list[int] = pair.positions.tolist()
    multipliers: list[int] = pair.multipliers.tolist()
    if not positions:
        raise InputError(f"the pair {_names(tokens)} has no multipliers")
    if any(here >= there for here, there in pairwise(positions)):
        raise InputError(f"the positions of the pair {_names(tokens)} do not ascend")
    elsewhere = set(positions) - _overlap(tokens, starts_of)
    if elsewhere:
        raise InputError(
            f"the pair {_names(tokens)} has a multiplier at symbol {min(elsewhere)}, where they do "
            "not overlap"
        )
    if not 0 < min(multipliers) <= max(multipliers) < _LIMIT:
        raise InputError(f"the pair {_names(tokens)} has a multiplier that is not 1 to 2^63 − 1")
    return positions, multipliers


def _check_cut(cut: Cut) -> None:
    """Refuses what is no valid inequality: with s tokens chosen, more edges may be touched."""
    n = len(cut.tokens)
    if cut.kind not in ("cycle", "clique"):
        raise InputError(f"a cut is of the kind {cut.kind!r}: it must be 'cycle' or 'clique'")
    if n < 3:
        raise InputError(f"a {cut.kind} has {n} tokens: it must have at least 3")
    if cut.kind == "cycle" and n % 2 == 0:
        raise InputError(f"a cycle has {n} tokens: the number must be odd")
    if len(set(cut.tokens)) < n:
        raise InputError(f"a {cut.kind} has a token twice")
    if not 0 <= cut.multiplier < _LIMIT:
        raise InputError(f"a {cut.kind} has a multiplier that is not 0 to 2^63 − 1")
    if max(abs(cut.coef), abs(cut.rhs)) >= _LIMIT:
        raise InputError(f"a {cut.kind} has numbers of more than 63 bits")
    for s in range(n + 1):
        touched = min(2 * s, n) if cut.kind == "cycle" else comb(n, 2) - comb(n - s, 2)
        if touched > cut.coef * s + cut.rhs:
            raise InputError(
                f"a {cut.kind} of {n} tokens has coef {cut.coef} and rhs {cut.rhs}: "
                f"{s} tokens touch {touched} edges"
            )


def _edges(cut: Cut) -> Iterator[Pair]:
    if cut.kind == "cycle":
        return pairwise((*cut.tokens, cut.tokens[0]))
    return combinations(cut.tokens, 2)


def _names(tokens: Pair) -> str:
    return " and ".join(repr(sym.glance(token)) for token in tokens)
