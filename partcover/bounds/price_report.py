"""Reports the prices of words, and the tokens that they reward."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..corpus import symbols as sym
from ..corpus.symbols import Token
from ..errors import InputError
from ..problem.certificate import Certificate
from ..problem.instance import Instance
from ..runtime.arrays import Float64
from ..runtime.parallel import workers
from .price_counter import PriceCounter

__all__ = ["WordPrices", "price_report"]


_LONGEST_WORD = 1000  # symbols of a word to report; its substrings are listed


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
        The prices of each word.  O(occurrences of candidates), once for all words.

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
            raise InputError(f"{sym.show(word)!r} is not one of the words")
        if len(word) > _LONGEST_WORD:
            raise InputError(
                f"a word of {len(word):,} symbols: at most {_LONGEST_WORD:,} are shown"
            )
    with workers(1) as share:
        counter = PriceCounter(instance, share)
        prices = counter.prices_of(certificate)
        if prices is None:
            raise InputError("the certificate has no prices")
        _, rewards = counter.count(counter.rounded(prices), instance.k, every=True)
    free = instance.k - len(instance.fixed)
    optional = np.flatnonzero(~counter.fixed)
    best = counter.fixed.copy()
    best[optional[np.argsort(-rewards[optional], kind="stable")][: max(free, 0)]] = True
    number = {key: c for c, key in enumerate(counter.intervals.key.tolist())}
    places = {word: n for n, (word, _) in enumerate(instance.words)}
    report = []
    for word in words:
        begin = int(instance.words.offsets[places[word]])
        own = prices[begin : begin + len(word)]
        cuts = {
            word[start:end] for start in range(len(word)) for end in range(start + 2, len(word) + 1)
        }
        tokens = sorted(cuts)
        keys = instance.index.find_tokens(tokens).key.tolist()
        rows = []
        for token, key in zip(tokens, keys, strict=True):
            c = number.get(key, -1)
            if c >= 0 and rewards[c] > 0:
                worth = _worth(word, token, own)
                rows.append((token, int(rewards[c]) / counter.unit, worth, bool(best[c])))
        rows.sort(key=lambda row: -row[1])
        report.append(WordPrices(word, counts[word], tuple(own.tolist()), tuple(rows)))
    return report


def _worth(word: Token, token: Token, prices: Float64) -> float:
    """Returns the largest worth of occurrences of a token in a word that do not overlap."""
    size = len(token)
    best = [0.0] * (len(word) + 1)
    for end in range(1, len(word) + 1):
        best[end] = best[end - 1]
        if end >= size and word[end - size : end] == token:
            worth = float(prices[end - size : end].sum()) - 1
            best[end] = max(best[end], best[end - size] + worth)
    return best[-1]
