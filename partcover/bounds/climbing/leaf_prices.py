"""Reads prices, multipliers and cuts from the leaves of a certificate."""

from __future__ import annotations

from copy import copy
from dataclasses import replace
from typing import TypeAlias, TypeVar

import numpy as np

from ...corpus.symbols import Token
from ...errors import InputError
from ...problem.certificates.cuts import Cut, PairPrices, unpacked
from ...problem.certificates.nodes import Leaf
from ...runtime.arrays import Int64
from ...verification.leaf_terms import LeafTerms
from ...verification.sorted_words import SortedWords
from ..counting.price_counter import PriceCounter
from ..rows.budgets import Fees
from ..rows.cuts import Cuts, Inequality, Pair, edge_key, link_key
from ..rows.family import NO_FLOWS, Multipliers, OverFlows, Term
from ..rows.merges import merges_of
from ..rows.needs import Needs
from ..rows.rows import ArcRows
from ..steps.part_ascent import PartAscent
from ..steps.word_ascent import WordAscent
from .cut_rounds import CutRounds
from .dual_point import Case, DualPoint, Rewards

_LOWEST_PRICE = -16
_LIMIT = 1 << 61  # limit of sums of multipliers: payments and gains of tokens then fit in 63 bits


Scaled = TypeVar("Scaled", int, Int64)
Paid: TypeAlias = dict[tuple[int, ...], tuple[Int64, Int64]]
"""The positions and the multipliers of sets of candidates."""


class LeafReader:
    """Reads the leaves of certificates of one instance, in the unit of a counter.

    Without `checks`, the terms of leaves are not checked, which takes most of the time: only for
    leaves that this program has made in the same call.
    """

    def __init__(self, counter: PriceCounter, *, checks: bool = True) -> None:
        self.counter = counter
        self.words = SortedWords(counter.instance) if checks else None
        # leaves share most of their cuts, and what these store when they are first used
        self._known: dict[Inequality, Inequality] = {}

    def prices(self, leaf: Leaf, scale_bits: int) -> DualPoint:
        """Returns the prices of a leaf in the units of the counter.

        Pairs, cuts and payments of tokens that are not candidates are left out.  Raises an error if
        the check of a certificate would refuse the prices or multipliers, or if a number is too
        large to count with.
        """
        counter = self.counter
        words = counter.instance.words
        given = leaf.unpacked(len(words.data), scale_bits)
        if given is None:
            return DualPoint.of_words(counter)
        ascending = counter.instance.index.positions_ascending()
        prices = np.empty(len(given), np.int64)
        prices[ascending] = np.maximum(given.astype(np.int64), _LOWEST_PRICE << scale_bits)
        shift = counter.bits - scale_bits
        prices = _scaled(prices, shift)
        pairs, links = (unpacked(each, len(ascending)) for each in (leaf.pairs, leaf.links))
        leaf = replace(leaf, pairs=pairs, links=links)  # they are read several times
        if self.words is not None:  # raises an error if the leaf is not valid
            LeafTerms(leaf, self.words, counter.asked)
        fees = {n: _scaled(fee, shift) for n, fee in enumerate(leaf.group_multipliers)}
        terms = [Fees().term(counter, fees, NO_FLOWS)] if fees else []
        number = self._numbers(leaf)
        paid: Paid = {}
        for pair in pairs:
            tokens = tuple(sorted(number[token] for token in pair.tokens))
            at, own = _paid(pair, shift, ascending)
            if tokens[0] >= 0 and len(own):
                paid[tokens] = at, own
        if leaf.has_cuts:
            terms.append(self._cuts(leaf, number, paid, shift, ascending))
        if counter.merges is not None:
            terms += self._of_merges(leaf, number, paid, shift)
        return DualPoint(prices, tuple(terms))

    def _numbers(self, leaf: Leaf) -> dict[Token, int]:
        """Returns the number of each token that a leaf names; −1 if it is not a candidate."""
        named = {token for pair in leaf.pair_tokens for token in pair}
        named.update(token for link in leaf.link_tokens for token in link)
        named.update(token for cut in leaf.cuts for token in cut.tokens)
        named.update(charge.token for charge in leaf.charges)
        named.update(part for charge in leaf.charges for part, _ in charge.parts)
        return self.counter.numbers(sorted(named))

    def _of_merges(
        self, leaf: Leaf, number: dict[Token, int], paid: Paid, shift: int
    ) -> list[Term]:
        """Returns what tokens pay to others; nothing if that is too large to count with.

        What they pay is rounded down, and what their parts get is rounded up.
        """
        charges: dict[tuple[int, int], int] = {}
        for charge in leaf.charges:
            token, pays = number[charge.token], _scaled(charge.pays, shift)
            if token >= 0 and pays:
                charges[token, -1] = pays
                gets = ((number[part], -_scaled(-more, shift)) for part, more in charge.parts)
                charges |= {(token, part): more for part, more in gets if part >= 0}
        merges = merges_of(self.counter)
        dues = _over_flows({own[0]: each for own, each in paid.items() if len(own) == 1})
        terms = [Term(merges, charges), Term(Needs(merges), {}, dues)]
        given = [term.family.gives(self.counter, term) for term in terms]
        gains = [abs(m) for own in given for m in own.tokens.values()]
        fits = max(gains, default=0) < _LIMIT << self.counter.low_bits
        return terms if fits and sum(dues.multiplier.tolist()) < _LIMIT else []

    def _cuts(
        self, leaf: Leaf, number: dict[Token, int], paid: Paid, shift: int, ascending: Int64
    ) -> Term:
        """Returns the cuts, and what tokens of edges and links pay."""
        pairs: dict[int, Pair] = {}
        own: dict[int, tuple[Int64, Int64]] = {}  # the positions and multipliers of each
        bridges: dict[int, tuple[int, ...]] = {}
        for (one, other), each in ((edge, paid[edge]) for edge in paid if len(edge) == 2):
            name = edge_key((one, other))
            pairs[name], own[name] = (one, other), each
        for link in unpacked(leaf.links, len(ascending)):
            one, other, *more = (number[token] for token in link.tokens)
            at, multipliers = _paid(link, shift, ascending)
            if min(one, other) >= 0 and len(multipliers):
                name = link_key((one, other))
                own[name], pairs[name] = (at, multipliers), (one, other)
                bridges[name] = tuple(sorted(n for n in more if n >= 0))
        cuts: dict[Inequality, int] = {}  # a cut with a large multiplier is listed several times
        gains: dict[int, int] = {}
        for cut in leaf.cuts:
            multiplier = _scaled(cut.multiplier, shift)
            if not multiplier or min(number[token] for token in cut.tokens) < 0:
                continue
            inequality = _inequality(cut, number)
            inequality = self._known.setdefault(inequality, inequality)
            cuts[inequality] = cuts.get(inequality, 0) + multiplier
            for token in inequality.tokens:
                gains[token] = gains.get(token, 0) + multiplier * cut.coef
        _refuse_beyond(_LIMIT << self.counter.low_bits, max(gains.values(), default=0))
        _refuse_beyond(_LIMIT, sum(sum(multiplier.tolist()) for _, multiplier in own.values()))
        return Term(Cuts(list(cuts), pairs, bridges), cuts, _over_flows(own))


def _inequality(cut: Cut, number: dict[Token, int]) -> Inequality:
    """Returns a cut over the numbers of its tokens."""
    tokens = [number[token] for token in cut.tokens]
    if cut.r:
        return Inequality.clique(tokens, cut.r)
    joined: list[Pair | None] = [None] * len(tokens)
    for link, (one, other) in zip(cut.links, cut.linked, strict=True):
        joined[max(link, -1 - link)] = number[one], number[other]
    return Inequality.cycle(tokens, joined)


def rounds_at(ascent: WordAscent, case: Case, prices: DualPoint, rewards: Rewards) -> CutRounds:
    """Returns rounds of cuts for a case, which begin at the prices and multipliers of a leaf.

    `ascent` has begun: x and flows are taken from its point.  `rewards` are those of the prices.
    """
    start = copy(ascent)
    start.rewards = rewards.optional
    rounds = CutRounds(start, case)
    steps = rounds.steps
    cuts = {cut: m for cut, m in prices.cuts.items() if not case.outside[list(cut.tokens)].any()}
    active = np.zeros(len(case.inside), bool)
    active[steps.active] = True
    active[[token for cut in cuts for token in cut.tokens]] = True
    steps.change(np.flatnonzero(active).astype(np.int32), list(cuts))
    _place(steps, prices, cuts)
    return rounds


def _place(ascent: PartAscent, prices: DualPoint, multiplier: Multipliers) -> None:
    """Moves steps to a dual point."""
    parts, rows, one = ascent.parts, ascent.rows.arcs, float(ascent.counter.one)
    row = np.zeros(len(rows))
    for term in prices.terms:
        if isinstance(term.family, Cuts):
            over = term.over
            known = ArcRows(over.names[over.which], over.position)
            ours, theirs = rows.same(parts.position[rows.place], known)
            row[ours] = over.multiplier[theirs] / one
        elif isinstance(term.family, Fees):
            ascent.budgets.fees = np.array([*term.multipliers.values()], np.float64) / one
    mu = ascent.mu.copy()
    mu[len(mu) - len(ascent.cuts) :] = [multiplier[cut] / one for cut in ascent.cuts]
    ascent.move(prices.prices[parts.position] / one, row, mu)


def _over_flows(paid: dict[int, tuple[Int64, Int64]]) -> OverFlows:
    """Returns multipliers over flows from the positions and multipliers of each name."""
    names, nothing = sorted(paid), np.zeros(0, np.int64)
    return OverFlows(
        np.array(names, np.int64),
        np.repeat(np.arange(len(names)), [len(paid[name][0]) for name in names]),
        np.concatenate([nothing, *(paid[name][0] for name in names)]),
        np.concatenate([nothing, *(paid[name][1] for name in names)]),
    )


def _refuse_beyond(limit: int, sum_: int) -> None:
    """Raises an error if a sum of multipliers reaches a limit."""
    if sum_ >= limit:
        raise InputError("the multipliers of a leaf are too large to count with")


def _paid(pair: PairPrices, shift: int, ascending: Int64) -> tuple[Int64, Int64]:
    """Returns the positions and values of the positive multipliers of a pair."""
    _refuse_beyond(_LIMIT >> max(shift, 0), int(pair.multipliers.max(initial=0)))
    own = _scaled(pair.multipliers, shift)
    return ascending[pair.positions[own > 0]], own[own > 0]


def _scaled(values: Scaled, shift: int) -> Scaled:
    """Returns values in units that are finer by this many binary digits, rounded down."""
    return values << shift if shift >= 0 else values >> -shift
