"""Reports the prices of words, and the rewards of the tokens in them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from heapq import nlargest
from typing import Any, Protocol

import numpy as np

from ..corpus import symbols as sym
from ..corpus.symbols import Token
from ..errors import InputError
from ..problem.certificates.certificate import Certificate
from ..problem.certificates.nodes import Leaf
from ..problem.instance import Instance
from ..runtime.arrays import Float64
from ..runtime.processes.parallel import workers
from ..verification.leaf_bound import LeafCase, case_rewards
from ..verification.leaf_terms import LeafTerms
from ..verification.sorted_words import SortedWords
from .counting.price_counter import PriceCounter

__all__ = ["WordPrices", "price_report"]


_LONGEST_WORD = 1000  # most symbols of a word to report, since its substrings are listed


@dataclass(frozen=True)
class WordPrices:
    """The prices of a word's symbols, and the tokens that they reward.

    Attributes
    ----------
    word : token
        The word.
    count : int
        How often it is counted.
    prices : tuple of float
        The price of each symbol.
    tokens : tuple of (token, float, float, bool)
        Candidates in the word with a reward: the token, its reward over all words, the part of
        it from one occurrence of this word, and whether the reward is one of the k largest (or
        the token required); largest reward first, then lexicographically.

    Examples
    --------
    >>> from partcover import Instance, lower_bound
    >>> from partcover.bounds.price_report import price_report
    >>> instance = Instance({"banana": 2, "bandana": 1}, 1)
    >>> (prices,) = price_report(instance, lower_bound(instance).certificate, [b"bandana"])
    >>> prices.word, prices.count, sum(prices.prices) > 0
    (b'bandana', 1, True)
    """

    word: Token
    count: int
    prices: tuple[float, ...]
    tokens: tuple[tuple[Token, float, float, bool], ...]

    def to_json(self) -> dict[str, Any]:
        """Returns the prices and tokens as a JSON object."""
        return {
            "word": sym.to_json(self.word),
            "count": self.count,
            "prices": list(self.prices),
            "tokens": [
                {"token": sym.to_json(token), "reward": reward, "worth": worth, "best": best}
                for token, reward, worth, best in self.tokens
            ],
        }


def price_report(
    instance: Instance, certificate: Certificate, words: Sequence[Token]
) -> list[WordPrices]:
    """Returns the prices of some words, and the tokens that they reward.

    Parameters
    ----------
    instance : Instance
        The instance that the certificate is about; the k largest rewards are the best.
    certificate : Certificate
        The certificate, whose first leaf with prices is reported.
    words : sequence of token
        Words of the instance.

    Returns
    -------
    list of WordPrices
        The prices of each word.  O(occurrences of candidates), once for all words.  Of a leaf
        with pairs and cuts, a reward is less by what occurrences pay to pairs, and more by the
        cuts.

    Raises
    ------
    InputError
        For a word that is not counted or has more than 1,000 symbols, and for a certificate
        that is about other words or conditions, or has no prices.

    Notes
    -----
    Dominated candidates have no reward of their own and are left out; docs/certificates.md
    ("Why") says what a price and a reward prove.

    Examples
    --------
    >>> from partcover import Instance, lower_bound
    >>> from partcover.bounds.price_report import price_report
    >>> instance = Instance({"banana": 2, "bandana": 1}, 1)
    >>> certificate = lower_bound(instance).certificate
    >>> prices = price_report(instance, certificate, [b"banana"])[0]
    >>> prices.count, len(prices.prices)
    (2, 6)
    """
    counts = instance.words.to_dict()
    for word in words:
        if word not in counts:
            raise InputError(
                f"{sym.show(word)!r} is not a word of this corpus: write it as in the counts file, "
                "with the space in front if it has one"
            )
        if len(word) > _LONGEST_WORD:
            raise InputError(
                f"a word of {len(word):,} symbols is too long to show, the limit is "
                f"{_LONGEST_WORD:,}"
            )
    rewards = _rewards(instance, certificate)
    places = {word: n for n, (word, _) in enumerate(instance.words)}
    report = []
    for word in words:
        begin = int(instance.words.offsets[places[word]])
        own = rewards.prices[begin : begin + len(word)]
        cuts = {
            word[start:end] for start in range(len(word)) for end in range(start + 2, len(word) + 1)
        }
        tokens = sorted(cuts)
        rows = []
        for token, (reward, best) in zip(tokens, rewards.look_up(tokens), strict=True):
            if reward > 0:
                paid = rewards.payments(token, word)
                rows.append((token, reward, _worth(word, token, own - paid), best))
        rows.sort(key=lambda row: -row[1])
        report.append(WordPrices(word, counts[word], tuple(own.tolist()), tuple(rows)))
    return report


class _Rewards(Protocol):
    """The prices of a leaf, in the order of the stored words, and the rewards of tokens."""

    prices: Float64

    def look_up(self, tokens: Sequence[Token]) -> list[tuple[float, bool]]:
        """Returns each token's reward, 0 if it has none, and whether it is one of the best."""

    def payments(self, token: Token, word: Token) -> Float64:
        """Returns what a token pays to its pairs at each symbol of a word."""


def _rewards(instance: Instance, certificate: Certificate) -> _Rewards:
    with workers(1) as share:
        counter = PriceCounter(instance, share)
        prices = counter.prices_of(certificate)
        if prices is None:
            raise InputError("the certificate has no prices")
        leaf = next(n for n in certificate.tree if isinstance(n, Leaf) and n.prices is not None)
        if not leaf.is_plain:
            return _CutRewards(instance, leaf, certificate.scale_bits, prices)
        return _PriceRewards(counter, prices)


class _PriceRewards:
    """The rewards of a leaf that has prices only."""

    def __init__(self, counter: PriceCounter, prices: Float64) -> None:
        instance = counter.instance
        self.prices = prices
        self.index = instance.index
        _, self.rewards = counter.count(counter.rounded(prices), instance.k, every=True)
        self.unit = counter.unit
        free = instance.k - len(instance.fixed)
        optional = np.flatnonzero(~counter.fixed)
        self.best = counter.fixed.copy()
        ranked = optional[np.argsort(-self.rewards[optional], kind="stable")]
        self.best[ranked[: max(free, 0)]] = True
        self.number = {key: c for c, key in enumerate(counter.intervals.key.tolist())}

    def look_up(self, tokens: Sequence[Token]) -> list[tuple[float, bool]]:
        keys = self.index.find_tokens(list(tokens)).key.tolist()
        numbers = [self.number.get(key, -1) for key in keys]
        return [
            (int(self.rewards[c]) / self.unit, bool(self.best[c])) if c >= 0 else (0.0, False)
            for c in numbers
        ]

    def payments(self, token: Token, word: Token) -> Float64:
        return np.zeros(len(word))


class _CutRewards:
    """The rewards of a leaf with multipliers and cuts, counted by the code of the checker."""

    def __init__(self, instance: Instance, leaf: Leaf, scale_bits: int, prices: Float64) -> None:
        self.prices = prices
        self.one = 1 << scale_bits
        words = SortedWords(instance)
        self.terms = LeafTerms(leaf, words, instance)
        self.begin = dict(zip(words.words, words.first, strict=True))
        unpacked = leaf.unpacked(len(words.count_at), scale_bits)
        assert unpacked is not None
        fixed = frozenset(instance.fixed)
        case = LeafCase(unpacked.tolist(), fixed, frozenset(), self.terms, words)
        self.rewards = case_rewards(instance, words, case, self.one)
        others = sorted(self.rewards.keys() - fixed)
        free = max(instance.k - len(fixed), 0)
        self.best = fixed.union(nlargest(free, others, key=self.rewards.__getitem__))

    def look_up(self, tokens: Sequence[Token]) -> list[tuple[float, bool]]:
        return [(self.rewards.get(t, 0) / self.one, t in self.best) for t in tokens]

    def payments(self, token: Token, word: Token) -> Float64:
        if not self.terms.pays(token):
            return np.zeros(len(word))
        begin = self.begin[word]
        paid = [self.terms.paid_before(token, begin + n) for n in range(len(word) + 1)]
        return np.diff(np.array(paid, np.float64) / self.one)


def _worth(word: Token, token: Token, prices: Float64) -> float:
    """Returns the largest total gain of occurrences of a token in a word that do not overlap."""
    size = len(token)
    best = [0.0] * (len(word) + 1)
    for end in range(1, len(word) + 1):
        best[end] = best[end - 1]
        if end >= size and word[end - size : end] == token:
            worth = float(prices[end - size : end].sum()) - 1
            best[end] = max(best[end], best[end - size] + worth)
    return best[-1]
