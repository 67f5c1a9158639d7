"""Checks the pairs and cuts of a leaf in plain Python, and sums their effect on its bound."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Container, Mapping, Sequence
from itertools import pairwise
from math import comb

from ..corpus import symbols as sym
from ..corpus.symbols import Token
from ..errors import InputError
from ..problem.certificates.cuts import Cut, PairPrices, names
from .sorted_words import SortedWords

__all__ = ["CutTerms", "checked_multipliers"]

_LIMIT = 1 << 63  # numbers have at most 63 bits and a sign

Pair = tuple[Token, ...]


class CutTerms:
    """The effect of the pairs and cuts of a leaf on its bound.

    Cuts are refused that are not valid, or over a pair without multipliers, and multipliers that
    are not positive or are at a symbol where no two tokens of the pair overlap.

    `paid` is what each token of a pair pays at each symbol, `bonus` what the cuts add to the reward
    of each token: Σ μ·coef.  `loss` is subtracted from the bound: Σ max(0, ρ − Σ μ) over pairs, and
    Σ μ·rhs over cuts.  `n_entries` multipliers are stored.
    """

    def __init__(
        self, pairs: Sequence[PairPrices], cuts: Sequence[Cut], words: SortedWords
    ) -> None:
        self.paid: dict[Token, dict[int, int]] = defaultdict(lambda: defaultdict(int))
        self.bonus: Counter[Token] = Counter()
        self.loss = 0
        totals: dict[Pair, int] = {}  # ρ of each pair
        starts_of = words.starts_of({token for pair in pairs for token in pair.tokens})
        for pair in pairs:
            tokens, overlap = pair.tokens, _overlap(pair.tokens, starts_of)
            name = f"the pair {names(tokens)}"
            at = checked_multipliers(pair, name, overlap, "where they do not overlap")
            totals[tokens] = sum(words.count_at[position] * m for position, m in at.items())
            for token in tokens:
                own = self.paid[token]
                for position, multiplier in at.items():
                    own[position] += multiplier
        self.n_entries = sum(map(len, self.paid.values()))
        covered: Counter[Pair] = Counter()  # Σ μ of the cuts over each pair
        for cut in cuts:
            _check_cut(cut)
            if cut.kind == "clique" and comb(len(cut.nodes), 2) > len(totals):
                raise InputError(
                    f"a clique of {len(cut.nodes)} nodes has edges that are not pairs of the leaf"
                )
            for token in cut.tokens:
                if token not in self.paid:
                    raise InputError(f"a cut has {sym.glance(token)!r}, which is in no pair")
            for edge in cut.edges:
                if edge not in totals:
                    raise InputError(
                        f"a cut has the edge {names(edge)}, of which the leaf has no multipliers"
                    )
                covered[edge] += cut.multiplier
            for token in cut.tokens:
                self.bonus[token] += cut.multiplier * cut.coef
            self.loss += cut.multiplier * cut.rhs
        self.loss += sum(max(0, total - covered[pair]) for pair, total in totals.items())


def _overlap(pair: Pair, starts_of: Mapping[Token, Sequence[int]]) -> set[int]:
    """Returns the symbols that occurrences of two or more of the tokens cover."""
    for token in pair:
        if len(token) < 2:
            raise InputError(f"a pair has {sym.glance(token)!r}, which is not a token")
        if token not in starts_of:
            raise InputError(f"a pair has {sym.glance(token)!r}, which occurs nowhere")
    if not all(one < other for one, other in pairwise(pair)):  # type: ignore[operator]  # one type
        raise InputError(f"the tokens of a pair, {names(pair)}, do not ascend")
    seen: set[int] = set()
    overlap: set[int] = set()
    for token in pair:
        over = {start + n for start in starts_of[token] for n in range(len(token))}
        overlap |= over & seen
        seen |= over
    if not overlap:
        raise InputError(f"a pair has {names(pair)}, which never overlap")
    return overlap


def checked_multipliers(
    pair: PairPrices, name: str, allowed: Container[int], elsewhere: str = "which no word has"
) -> dict[int, int]:
    """Returns the multiplier at each symbol.

    Refused are none, symbols that do not ascend or are not allowed (`elsewhere` says why), and a
    multiplier that is not positive or too large.
    """
    positions: list[int] = pair.positions.tolist()
    multipliers: list[int] = pair.multipliers.tolist()
    if not positions:
        raise InputError(f"{name} has no multipliers")
    if any(here >= there for here, there in pairwise(positions)):
        raise InputError(f"the positions of {name} do not ascend")
    for position in positions:
        if position not in allowed:
            raise InputError(f"{name} has a multiplier at symbol {position}, {elsewhere}")
    if not 0 < min(multipliers) <= max(multipliers) < _LIMIT:
        raise InputError(f"{name} has a multiplier that is not 1 to 2^63 − 1")
    return dict(zip(positions, multipliers, strict=True))


def _check_cut(cut: Cut) -> None:
    """Raises an error unless the inequality holds for each number s of chosen tokens."""
    n, tokens = len(cut.nodes), cut.tokens
    if cut.kind not in ("cycle", "clique"):
        raise InputError(f"a cut is of the kind {cut.kind!r}: it must be 'cycle' or 'clique'")
    if n < 3:
        raise InputError(f"a {cut.kind} has {n} nodes: it must have at least 3")
    if cut.kind == "cycle" and n % 2 == 0:
        raise InputError(f"a cycle has {n} nodes: the number must be odd")
    if not all(cut.nodes):
        raise InputError(f"a {cut.kind} has a node without tokens")
    if len(set(tokens)) < len(tokens):
        raise InputError(f"a {cut.kind} has a token twice")
    if not 0 <= cut.multiplier < _LIMIT:
        raise InputError(f"a {cut.kind} has a multiplier that is not 0 to 2^63 − 1")
    if max(abs(cut.coef), abs(cut.rhs)) >= _LIMIT:
        raise InputError(f"a {cut.kind} has numbers of more than 63 bits")
    if cut.coef < 0 and len(tokens) > n:
        raise InputError(f"a {cut.kind} over nodes of several tokens has coef {cut.coef}")
    # tokens of h nodes are chosen, so at least h tokens; more tokens do not lower coef · s
    for h in range(n + 1):
        touched = min(2 * h, n) if cut.kind == "cycle" else comb(n, 2) - comb(n - h, 2)
        if touched > cut.coef * h + cut.rhs:
            raise InputError(
                f"a {cut.kind} of {n} nodes has coef {cut.coef} and rhs {cut.rhs}: "
                f"{h} nodes touch {touched} edges"
            )
