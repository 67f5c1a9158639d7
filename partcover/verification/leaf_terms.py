"""Checks a leaf's terms besides prices in plain Python, and sums their effect on its bound."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import Counter, defaultdict
from collections.abc import Collection, Container, Iterable, Mapping, Sequence
from functools import cache
from itertools import accumulate, pairwise
from typing import Any

from ..corpus import symbols as sym
from ..corpus.symbols import Token
from ..errors import InputError
from ..problem.certificates.cuts import Cut, PairPrices, names, unpacked
from ..problem.certificates.nodes import Charge, Leaf
from ..problem.instance import Instance
from ..problem.merge_condition import MergeCondition, MergeNeeds
from ..problem.merge_order import MergeOrder
from .sorted_words import SortedWords

# look-ups of multipliers, or parts of words that are looked at; as many more are allowed for each
# place where a token pays, and for each multiplier of a merge
_FREE_STEPS = 1 << 26
_STEPS_A_PLACE, _STEPS_A_MULTIPLIER = 16, 256
_CLIQUE = 64  # most tokens of a clique: the number of its edges grows with the square
_LIMIT = 1 << 63  # numbers have at most 63 bits and a sign

# the symbols where something is paid, ascending, and the sum at the first n of them, for each n
_Account = tuple[list[int], list[int]]


class LeafTerms:
    """The effect of pairs, cuts, charges, merges and group multipliers of a leaf on its bound.

    Terms that are not valid, or that the instance does not have, are refused.  `loss` is what is
    subtracted from the bound, `n_entries` the number of stored values.
    """

    def __init__(self, leaf: Leaf, words: SortedWords, instance: Instance) -> None:
        tokens_of, merges = leaf.pair_tokens, instance.merges
        if len(set(tokens_of)) < len(tokens_of):  # checked before each is looked up in all words
            ((twice, _),) = Counter(tokens_of).most_common(1)
            raise InputError(f"a leaf has the pair {names(twice)} twice")
        if leaf.orders and (merges is None or not merges.in_order):
            raise InputError(
                "a leaf is about merges that are applied in order, but the instance's are not"
            )
        if merges is None and (leaf.charges or any(len(tokens) == 1 for tokens in tokens_of)):
            raise InputError("a leaf is about tokens that merges make, but the instance is not")
        if len(leaf.group_multipliers) not in (0, len(instance.groups)):
            raise InputError(
                f"a leaf has {len(leaf.group_multipliers)} multipliers for "
                f"{len(instance.groups)} groups"
            )
        self._words = words
        self._fees = list(zip(leaf.group_multipliers, instance.groups, strict=False))
        self.loss = sum(fee * group.limit for fee, group in self._fees)
        self.n_entries = 0
        self._bonus: Counter[Token] = Counter()  # what is added to the reward of each token
        self._added: Counter[int] = Counter()  # what is added to the price of a symbol
        # what each token pays at each symbol, below 0 what it gets; what it gets from those that
        # need it, and pays itself
        paid: dict[Token, Counter[int]] = defaultdict(Counter)
        dues: dict[Token, dict[int, int]] = {}
        if leaf.has_terms:
            pairs = unpacked(leaf.pairs, len(words.count_at))
            several = [pair for pair in pairs if len(pair.tokens) > 1]
            links = unpacked(leaf.links, len(words.count_at))
            about: tuple[PairPrices | Cut, ...] = (*links, *several, *leaf.cuts)
            tokens = {token for each in about for token in each.tokens}
            starts_of = words.starts_of(tokens) if tokens else {}
            linked = self._add_links(links, starts_of, paid)
            self._add_cuts(several, linked, leaf.cuts, starts_of, paid)
            if merges is not None:
                whole = words.words if merges.whole_words else ()
                exempt = {*instance.fixed, *whole, *(merges.given or ())}
                self._needs = MergeNeeds(merges, exempt)
                for pair in pairs:
                    if len(pair.tokens) == 1:
                        self._add_due(pair, dues)
                self._bonus.update(charged(merges, leaf.charges, exempt))
            if merges is not None and leaf.orders:
                self._add_orders(merges, unpacked(leaf.orders, len(words.count_at)), paid)
        self.n_entries += sum(map(len, (*paid.values(), *dues.values())))
        self._paid = {token: _account(at) for token, at in paid.items()}
        self._paid_to = {token: _account(at) for token, at in dues.items()}
        self.has_payments = bool(paid or dues)
        self._token: Token | None = None
        self._accounts: list[_Account] = []
        self._steps = self._places = 0

    def gives(self, token: Token) -> int:
        """Returns what is added to a token's reward; multipliers of its groups count negative."""
        bonus = self._bonus.get(token, 0)
        if not self._fees:
            return bonus
        return bonus - sum(fee for fee, group in self._fees if token in group)

    def priced(self, prices: list[int]) -> list[int]:
        """Returns the prices of a leaf with what its terms add to them."""
        if not self._added:
            return prices
        return [price + self._added[symbol] for symbol, price in enumerate(prices)]

    def paid_before(self, token: Token, positions: Sequence[int]) -> list[int]:
        """Returns what a token pays for all symbols before each position."""
        accounts = self.accounts_of(token)
        self._steps += len(accounts) * len(positions)
        self._places += len(positions)
        if self._steps > _FREE_STEPS + _STEPS_A_PLACE * self._places:
            raise InputError("tokens pay to too many others for a check in reasonable time")
        if len(accounts) == 1:
            ((symbols, sums),) = accounts
            return [sums[bisect_left(symbols, n)] for n in positions]
        return [sum(sums[bisect_left(at, n)] for at, sums in accounts) for n in positions]

    def accounts_of(self, token: Token) -> list[_Account]:
        """Returns what a token pays for pairs and to others; cached for repeated look-ups."""
        if token != self._token:
            self._token = token
            own = self._paid.get(token)
            self._accounts = [] if own is None else [own]
            if self._paid_to:
                needed = self._needs.of(token)
                self._accounts += [self._paid_to[part] for part in needed if part in self._paid_to]
        return self._accounts

    def _add_links(
        self,
        links: Sequence[PairPrices],
        starts_of: Mapping[Token, Sequence[int]],
        paid: dict[Token, Counter[int]],
    ) -> dict[tuple[Token, ...], int]:
        """Adds what the tokens of links pay, and ρ of each to the loss; returns ρ of each link."""
        words = self._words
        totals: dict[tuple[Token, ...], int] = {}
        steps = n_multipliers = 0
        for link in links:
            first, second, *bridges = _checked_link(link, totals)
            about = f"the link of {names(link.tokens[:2])}"
            at = _checked_multipliers(link, about, range(len(words.word_at)))
            totals[first, second] = self._total(at)
            self.loss += totals[first, second]
            behind = starts_of.get(second, [])
            over = [(token, len(token), starts_of.get(token, [])) for token in bridges]
            n_multipliers += len(at)
            steps += len(at) * len(link.tokens)
            if steps > _FREE_STEPS + _STEPS_A_MULTIPLIER * n_multipliers:
                raise InputError("links have too many tokens for a check in reasonable time")
            for symbol, multiplier in at.items():
                place = bisect_right(behind, symbol)
                if place == len(behind) or words.word_at[behind[place]] != words.word_at[symbol]:
                    raise InputError(f"{about} has a multiplier where no second token follows")
                other = behind[place]
                paid[first][symbol] += multiplier
                paid[second][other] += multiplier
                for token, size, starts in over:
                    # its occurrences over the symbol, over the other, and over both
                    early = bisect_right(starts, symbol)
                    late = bisect_right(starts, other - size)
                    both = early - late
                    if both <= 0:
                        continue
                    if both == early - bisect_right(starts, symbol - size):
                        paid[token][symbol] += multiplier
                    elif both == bisect_right(starts, other) - late:
                        paid[token][other] += multiplier
        self.n_entries += n_multipliers
        return totals

    def _add_cuts(
        self,
        pairs: Sequence[PairPrices],
        linked: Mapping[tuple[Token, ...], int],
        cuts: Sequence[Cut],
        starts_of: Mapping[Token, Sequence[int]],
        paid: dict[Token, Counter[int]],
    ) -> None:
        """Adds pairs and cuts: Σ μ·coef to rewards, and to the loss Σ max(0, ρ − Σ μ) + Σ μ·rhs."""
        totals: dict[tuple[Token, ...], int] = {}  # ρ of each pair
        for pair in pairs:
            overlap, name = _overlap(pair, starts_of), f"the pair {names(pair.tokens)}"
            at = _checked_multipliers(pair, name, overlap, "where they do not overlap")
            totals[pair.tokens] = self._total(at)
            for token in pair.tokens:
                paid[token].update(at)
        # Σ μ of the cuts over each pair, and over each link
        covered: Counter[tuple[Token, ...]] = Counter()
        under: Counter[tuple[Token, ...]] = Counter()
        for cut in cuts:
            _check_cut(cut)
            for token in cut.tokens:
                if token not in starts_of:
                    raise InputError(f"a cut has {sym.glance(token)!r}, which occurs nowhere")
                self._bonus[token] += cut.multiplier * cut.coef
            for edge in cut.edges:
                covered[edge] += cut.multiplier
            for link in cut.linked:
                under[link] += cut.multiplier
            self.loss += cut.multiplier * cut.rhs
        self.loss += sum(max(0, total - covered[pair]) for pair, total in totals.items())
        self.loss += sum(max(0, total - under[link]) for link, total in linked.items())

    def _add_due(self, pair: PairPrices, dues: dict[Token, dict[int, int]]) -> None:
        """Adds what a token gets from those that need it."""
        (token,) = pair.tokens
        every = range(len(self._words.count_at))
        dues[token] = _checked_multipliers(pair, names(pair.tokens), every)
        self._bonus[token] += self._total(dues[token])

    def _total(self, at: Mapping[int, int]) -> int:
        """Returns the sum of multipliers, each times the count of the word at its symbol."""
        return sum(self._words.count_at[symbol] * m for symbol, m in at.items())

    def _add_orders(
        self,
        condition: MergeCondition,
        orders: Sequence[PairPrices],
        paid: dict[Token, Counter[int]],
    ) -> None:
        """Adds the multipliers of merges that are applied in order.

        They are refused for merges that the condition does not have or whose parts can be made in
        several ways, and at places where the merge is not possible.
        """
        order = MergeOrder(condition)
        last = cache(lambda token: dict(order.ends(token)))
        first = cache(lambda token: dict(order.begins(token)))
        number_of: dict[Any, int] = {merge: n for n, merge in enumerate(order.merges)}
        if len({each.tokens for each in orders}) < len(orders):
            raise InputError("a leaf has a merge twice")
        steps = n_multipliers = 0
        for each in orders:
            merge: Any = each.tokens
            about = f"the merge of {names(merge)}"
            if merge not in number_of:
                raise InputError(f"{about} is not one of the instance's")
            number, (left, right) = number_of[merge], merge
            if not order.usable[number]:
                raise InputError(f"{about} has parts made in several ways, or never joined")
            at = _checked_multipliers(each, about, range(len(self._words.word_at)))
            self.loss += self._total(at)
            self._bonus[left + right] -= self._total(at)
            for symbol, multiplier in at.items():
                begin, end = self._around(merge, symbol)
                text = self._words.text
                steps, n_multipliers = steps + end - begin, n_multipliers + 1
                if steps > _FREE_STEPS + _STEPS_A_MULTIPLIER * n_multipliers:
                    raise InputError("merges have too many neighbors for a check in short time")
                if len(right) == 1:  # the single symbol pays
                    self._added[symbol] += multiplier
                if len(left) > 1:  # the single symbol gets
                    self._added[symbol - 1] -= multiplier
                for token in (text[start:symbol] for start in range(begin, symbol - 1)):
                    if last(token).get(len(left), -1) <= number:
                        paid[token][symbol - 1] -= multiplier
                for token in (text[symbol:stop] for stop in range(symbol + 2, end + 1)):
                    joined = first(token).get(len(right), -1)
                    if joined > number and not self._reaches(token, begin, symbol, end):
                        paid[token][symbol] += multiplier
        self.n_entries += n_multipliers

    def _around(self, merge: tuple[Any, Any], symbol: int) -> tuple[int, int]:
        """Returns the ends of the word of a symbol, before which a merge must be possible."""
        words, (left, right) = self._words, merge
        word = words.word_at[symbol]
        begin, end = words.first[word], words.first[word] + words.sizes[word]
        start, stop = symbol - len(left), symbol + len(right)
        if start < begin or stop > end or words.text[start:stop] != left + right:
            raise InputError(f"{names(merge)} are not on both sides of a symbol with a multiplier")
        return begin, end

    def _reaches(self, token: Any, begin: int, symbol: int, end: int) -> bool:
        """Returns whether an earlier occurrence of a token in the word lies over a symbol."""
        size, text = len(token), self._words.text
        earlier = range(max(begin, symbol - size + 1), min(symbol, end - size + 1))
        return any(text[start : start + size] == token for start in earlier)


def _account(paid: Mapping[int, int]) -> _Account:
    symbols = sorted(paid)
    return symbols, list(accumulate((paid[symbol] for symbol in symbols), initial=0))


def charged(
    condition: MergeCondition, charges: Iterable[Charge], exempt: Collection[Token]
) -> Counter[Token]:
    """Returns what charges add to the reward of each token."""
    bonuses: Counter[Token] = Counter()
    seen: set[Token] = set()
    for charge in charges:
        name = repr(sym.glance(charge.token))
        if charge.token in seen:
            raise InputError(f"{name} is charged twice")
        seen.add(charge.token)
        gets = dict(charge.parts)
        if len(gets) < len(charge.parts):
            raise InputError(f"the charge of {name} has a part twice")
        if charge.pays and charge.token in exempt:
            raise InputError(f"{name} is charged, but needs no parts")
        for parts in condition.splits(charge.token) if charge.pays else ():
            given = sum(gets.get(part, 0) for part in parts)
            if given < charge.pays:
                named = names(parts) or "single symbols"
                raise InputError(
                    f"{name} pays {charge.pays}, and {named}, which make it, receive {given}"
                )
        bonuses[charge.token] -= charge.pays
        for part, more in gets.items():
            bonuses[part] += more
    return bonuses


def _overlap(pair: PairPrices, starts_of: Mapping[Token, Sequence[int]]) -> set[int]:
    """Returns the symbols of a pair that occurrences of both tokens cover."""
    tokens, symbols = pair.tokens, pair.positions.tolist()
    if len(tokens) != 2:
        raise InputError(f"a pair has {len(tokens)} tokens")
    for token in tokens:
        if len(token) < 2:
            raise InputError(f"a pair has {sym.glance(token)!r}, which is not a token")
        if token not in starts_of:
            raise InputError(f"a pair has {sym.glance(token)!r}, which occurs nowhere")
        starts, size = starts_of[token], len(token)
        symbols = [n for n in symbols if n - size < starts[bisect_right(starts, n) - 1] <= n]
    if not all(one < other for one, other in pairwise(tokens)):  # type: ignore[operator]  # one type
        raise InputError(f"the tokens of a pair, {names(tokens)}, do not ascend")
    return set(symbols)


def _checked_multipliers(
    pair: PairPrices, name: str, allowed: Container[int], elsewhere: str = "which no word has"
) -> dict[int, int]:
    """Returns the multiplier at each symbol; `elsewhere` says why a symbol is not allowed."""
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


def _checked_link(link: PairPrices, known: Container[tuple[Token, ...]]) -> tuple[Token, ...]:
    """Returns the tokens of a link: two, and those that bridge them."""
    tokens = link.tokens
    if len(tokens) < 2 or len(set(tokens)) < len(tokens):
        raise InputError("a link does not have at least two tokens, which all differ")
    if tokens[:2] in known:
        raise InputError(f"a leaf has the link {names(tokens[:2])} twice")
    if min(map(len, tokens)) < 2:
        raise InputError(f"the link {names(tokens[:2])} has a single symbol, which is no token")
    return tokens


def _check_cut(cut: Cut) -> None:
    """Raises an error unless the inequality is valid; see `check_certificate`."""
    n, tokens, kind, r = len(cut.tokens), cut.tokens, cut.kind, cut.r
    linked = {max(link, -1 - link) for link in cut.links}
    n_edges = n - len(linked)
    for is_wrong, what in (
        (n < 3 - bool(linked), f"has {n} tokens: it must have at least 3, or 2 with a link"),
        (len(set(tokens)) < n, "has a token twice"),
        (len(linked) < len(cut.links), "has a link twice"),
        (bool(linked) and (r != 0 or max(linked) >= n), "has links that are none of it"),
        (r == 0 and n_edges % 2 == 0, f"has {n_edges} edges: the number must be odd"),
        (kind == "clique" and n > _CLIQUE, f"has {n} tokens: at most {_CLIQUE} are possible"),
        (r < 0 or r > max(n - 2, 0), f"has r = {r}: it must be 1 to {n - 2} for {n} tokens"),
        (not 0 <= cut.multiplier < _LIMIT, "has a multiplier that is not 0 to 2^63 − 1"),
    ):
        if is_wrong:
            raise InputError(f"a {kind} {what}")
