"""Reports the prices of words, and the rewards of the tokens in them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from heapq import nlargest
from typing import Any

import numpy as np

from ..corpus import symbols as sym
from ..corpus.symbols import Token
from ..errors import InputError
from ..problem.certificates.certificate import Certificate
from ..problem.certificates.nodes import Leaf
from ..problem.instance import Instance
from ..runtime.arguments import checked
from ..runtime.arrays import Float64
from ..runtime.processes.parallel import workers
from ..verification.leaf_bound import LeafCase, case_rewards
from ..verification.leaf_terms import LeafTerms
from ..verification.sorted_words import SortedWords
from .counting.price_counter import PriceCounter
from .counting.reduced_costs import reduced_costs

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
    >>> from partcover.bounds.price_report import WordPrices
    >>> WordPrices(b"ab", 3, (0.5, 0.5), ()).to_json()
    {'word': 'ab', 'count': 3, 'prices': [0.5, 0.5], 'tokens': []}
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


@checked
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
        that is about other words or conditions, or has no prices; for several corpora.

    Notes
    -----
    Dominated candidates have no reward of their own and are left out; docs/concepts/certificates.md
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
    if instance.corpora is not None:
        raise InputError("prices of several corpora cannot be shown: give an instance of one")
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
    inside = {
        word: {word[at:end] for at in range(len(word)) for end in range(at + 2, len(word) + 1)}
        for word in words
    }
    with workers(1) as share:
        counter = PriceCounter(instance, share)
        prices = counter.prices_of(certificate)
        if prices is None:
            raise InputError("the certificate has no prices")
        leaf = next(n for n in certificate.tree if isinstance(n, Leaf) and n.prices is not None)
        terms = None
        if leaf.is_plain and counter.unit:  # it is 0 where counts are too large for 63 bits
            rewards = _plain_rewards(counter, prices, sorted(set().union(*inside.values())))
        else:
            sorted_words = SortedWords(instance)
            terms = LeafTerms(leaf, sorted_words, instance)
            rewards = _rewards(instance, leaf, certificate.scale_bits, terms, sorted_words)
    one = float(1 << certificate.scale_bits)
    places = {word: n for n, (word, _) in enumerate(instance.words)}
    report = []
    for word in words:
        begin = int(instance.words.offsets[places[word]])
        own = prices[begin : begin + len(word)]
        rows = []
        for token in sorted(inside[word]):
            reward, best = rewards.get(token, (0.0, False))
            if reward > 0:
                gain = own
                if terms is not None and terms.accounts_of(token):
                    at = sorted_words.first[sorted_words.words.index(word)]
                    paid = terms.paid_before(token, range(at, at + len(word) + 1))
                    gain = own - np.diff(np.array(paid, np.float64) / one)
                rows.append((token, reward, _worth(word, token, gain), best))
        rows.sort(key=lambda row: -row[1])
        report.append(WordPrices(word, counts[word], tuple(own.tolist()), tuple(rows)))
    return report


def _plain_rewards(
    counter: PriceCounter, prices: Float64, tokens: list[Token]
) -> dict[Token, tuple[float, bool]]:
    """Returns the rewards of tokens at prices alone, and whether they are among the best."""
    instance = counter.instance
    _, rewards = counter.count(counter.rounded(prices), instance.k, every=True)
    best = counter.fixed | reduced_costs(rewards, counter.fixed, instance)[1]
    return {
        token: (int(rewards[number]) / counter.unit, bool(best[number]))
        for token, number in counter.numbers(tokens).items()
        if number >= 0
    }


def _rewards(
    instance: Instance, leaf: Leaf, scale_bits: int, terms: LeafTerms, words: SortedWords
) -> dict[Token, tuple[float, bool]]:
    """Returns the same for a leaf with multipliers and cuts, counted by the code of the checker."""
    unpacked = leaf.unpacked(len(words.count_at), scale_bits)
    assert unpacked is not None
    fixed = frozenset(instance.fixed)
    case = LeafCase(unpacked.tolist(), fixed, frozenset(), terms, words)
    rewards = case_rewards(instance, words, case, 1 << scale_bits)
    others = sorted(rewards.keys() - fixed)
    free = max(instance.k - len(fixed), 0)
    best = fixed.union(nlargest(free, others, key=rewards.__getitem__))
    return {token: (reward / (1 << scale_bits), token in best) for token, reward in rewards.items()}


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
