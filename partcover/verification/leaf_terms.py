"""Checks a leaf's terms besides prices in plain Python, and sums their effect on its bound."""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from itertools import accumulate

from ..corpus import symbols as sym
from ..corpus.symbols import Token
from ..errors import InputError
from ..problem.certificates.cuts import names, unpacked
from ..problem.certificates.nodes import Charge, Leaf
from ..problem.instance import Instance
from ..problem.merge_condition import MergeCondition, MergeNeeds
from .cut_terms import CutTerms, checked_multipliers
from .order_terms import OrderTerms
from .sorted_words import SortedWords

__all__ = ["LeafTerms", "terms_of"]

# look-ups of multipliers; as many more are allowed for each place where a token pays
_FREE_STEPS = 1 << 26
_STEPS_A_PLACE = 16

# the symbols where something is paid, ascending, and the sum at the first n of them, for each n
_Account = tuple[list[int], list[int]]


class LeafTerms:
    """The effect of pairs, cuts, charges and group multipliers of a leaf on its bound.

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
        n_symbols = len(words.count_at)
        pairs = unpacked(leaf.pairs, n_symbols)
        cuts = CutTerms([pair for pair in pairs if len(pair.tokens) > 1], leaf.cuts, words)
        self._bonus: Counter[Token] = Counter(cuts.bonus)
        dues: dict[Token, dict[int, int]] = {}  # what each token gets from those that need it
        if merges is not None:
            whole = words.words if merges.whole_words else ()
            exempt = {*instance.fixed, *whole, *(merges.given or ())}
            self._needs = MergeNeeds(merges, exempt)
            for pair in pairs:
                if len(pair.tokens) == 1:
                    due = checked_multipliers(pair, names(pair.tokens), range(n_symbols))
                    dues[pair.tokens[0]] = due
                    self._bonus[pair.tokens[0]] += sum(words.count_at[p] * due[p] for p in due)
            self._bonus.update(charged(merges, leaf.charges, exempt))
        self._order = None
        if merges is not None and leaf.orders:
            self._order = OrderTerms(merges, unpacked(leaf.orders, n_symbols), words)
            self._bonus.subtract(self._order.paid)
        self._paid_for_pairs = {token: _account(paid) for token, paid in cuts.paid.items()}
        self._paid_to = {token: _account(due) for token, due in dues.items()}
        self._token: Token | None = None
        self._accounts: list[_Account] = []
        self._steps = self._places = 0
        if len(leaf.group_multipliers) not in (0, len(instance.groups)):
            raise InputError(
                f"a leaf has {len(leaf.group_multipliers)} multipliers for "
                f"{len(instance.groups)} groups"
            )
        self._fees = list(zip(leaf.group_multipliers, instance.groups, strict=False))
        self.loss = cuts.loss + sum(fee * group.limit for fee, group in self._fees)
        self.n_entries = cuts.n_entries + sum(map(len, dues.values()))
        if self._order is not None:
            self.loss += sum(self._order.paid.values())
            self.n_entries += self._order.n_entries

    def gives(self, token: Token) -> int:
        """Returns what is added to a token's reward; multipliers of its groups count negative."""
        return self._bonus[token] - sum(fee for fee, group in self._fees if token in group)

    def priced(self, prices: list[int]) -> list[int]:
        """Returns the prices of a leaf with what its terms add to them."""
        if self._order is None:
            return prices
        return [price + self._order.added[symbol] for symbol, price in enumerate(prices)]

    def pays(self, token: Token) -> bool:
        """Returns whether a token pays for covering some symbols."""
        return bool(self._accounts_of(token))

    def paid_before(self, token: Token, position: int) -> int:
        """Returns what a token pays for all symbols before a position."""
        accounts = self._accounts_of(token)
        self._steps += len(accounts)
        self._places += 1
        if self._steps > _FREE_STEPS + _STEPS_A_PLACE * self._places:
            raise InputError("tokens pay to too many others for a check in reasonable time")
        return sum([sums[bisect_left(symbols, position)] for symbols, sums in accounts])

    def _accounts_of(self, token: Token) -> list[_Account]:
        """Returns what a token pays for pairs and to others; cached for repeated look-ups."""
        if token != self._token:
            self._token = token
            own = self._paid_for_pairs.get(token)
            self._accounts = [] if own is None else [own]
            if self._order is not None and (due := self._order.due.get(token)):
                self._accounts.append(_account(due))
            if self._paid_to:
                needed = self._needs.of(token)
                self._accounts += [self._paid_to[part] for part in needed if part in self._paid_to]
        return self._accounts


def terms_of(leaf: Leaf, words: SortedWords, instance: Instance) -> LeafTerms | None:
    """Returns the checked terms of a leaf; None if it has prices only."""
    return None if leaf.is_plain else LeafTerms(leaf, words, instance)


def _account(paid: Mapping[int, int]) -> _Account:
    symbols = sorted(paid)
    return symbols, list(accumulate((paid[symbol] for symbol in symbols), initial=0))


def charged(
    condition: MergeCondition, charges: Iterable[Charge], exempt: Collection[Token]
) -> Counter[Token]:
    """Returns what charges add to the reward of each token.

    A token that is charged twice or needs no parts is refused, and parts that get less than the
    token that they make pays.
    """
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
                named = " and ".join(repr(sym.glance(part)) for part in parts) or "single symbols"
                raise InputError(
                    f"{name} pays {charge.pays}, and {named}, which make it, receive {given}"
                )
        bonuses[charge.token] -= charge.pays
        for part, more in gets.items():
            bonuses[part] += more
    return bonuses
