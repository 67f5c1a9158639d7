"""Builds the formulation ``printed``: Equations (1) to (8) of Lim, Choo and Lauw (2025)."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from ...corpus.symbols import Token
from ...problem.instance import Instance
from ...runtime.arrays import Int64
from ..sparse_model import Rows
from .parts import Body, Names, SymbolPlaces, TokenOccurrences, pair_body


def printed(instance: Instance, tokens: TokenOccurrences) -> Body:
    """Builds Equations (1)–(8) exactly as printed: two symbols alone identify a token's pair."""
    places = SymbolPlaces.of(instance)
    bigrams = Grams(instance, places, 2)
    trigrams = Grams(instance, places, 3)
    n_tokens, pairs = len(tokens.tokens), len(places.pairs)
    # m^{W,T} for every pair whose two symbols are adjacent somewhere in T
    token, pair, first, last = bigrams.join(tokens.tokens)
    covered = n_tokens + np.arange(pairs)
    part = n_tokens + pairs + np.arange(len(token))
    rows = Rows()
    use = rows.add(len(token), -np.inf, 0)  # (3) x_T ≥ m^{W,T}
    rows.put(use + np.arange(len(token)), part, 1)
    rows.put(use + np.arange(len(token)), token, -1)
    cover = rows.add(pairs, -np.inf, 0)  # (4) m^W ≤ Σ_T m^{W,T}
    rows.put(cover + np.arange(pairs), covered, 1)
    rows.put(cover + pair, part, -1)
    once = rows.add(pairs, -np.inf, 1)  # (5) Σ_T m^{W,T} ≤ 1
    rows.put(once + pair, part, 1)
    # (6) the two pairs of three symbols that are adjacent in T are covered together
    key = token * max(pairs, 1) + pair
    order = np.argsort(key, kind="stable")
    joined, left, _, _ = trigrams.join(tokens.tokens)
    for_left = order[np.searchsorted(key[order], joined * max(pairs, 1) + left)]
    for_right = order[np.searchsorted(key[order], joined * max(pairs, 1) + left + 1)]
    same = rows.add(len(joined), 0, 0)
    rows.put(same + np.arange(len(joined)), part[for_left], 1)
    rows.put(same + np.arange(len(joined)), part[for_right], -1)
    # (7) and (8): next to a pair that begins or ends T, no pair is covered
    position = places.position[places.pairs[pair]]
    size = np.diff(instance.words.offsets)[places.word[places.pairs[pair]]]
    begins = np.flatnonzero(first & (position > 0))
    ends = np.flatnonzero(last & (position + 2 < size))
    start = rows.add(len(begins), -np.inf, 1)
    rows.put(start + np.arange(len(begins)), part[begins], 1)
    rows.put(start + np.arange(len(begins)), covered[pair[begins] - 1], 1)
    end = rows.add(len(ends), -np.inf, 1)
    rows.put(end + np.arange(len(ends)), part[ends], 1)
    rows.put(end + np.arange(len(ends)), covered[pair[ends] + 1], 1)

    def parts(which: Int64) -> Names:
        symbol = places.pairs[pair[which]]
        return Names(places.word[symbol], places.position[symbol], token[which])

    every = np.arange(len(token))
    return pair_body(
        instance,
        places,
        rows,
        len(token),
        lambda: [*places.pair_names().named("m"), *parts(every).named("n")],
        lambda: [
            *parts(every).named("use"),
            *places.pair_names().named("cover"),
            *places.pair_names().named("once"),
            *parts(for_left).named("same"),
            *parts(begins).named("start"),
            *parts(ends).named("end"),
        ],
    )


class Grams:
    """Finds the runs of `size` symbols in the words, as the pairs that they begin with."""

    def __init__(self, instance: Instance, places: SymbolPlaces, size: int) -> None:
        self.size = size
        self.at: dict[Token, list[int]] = {}
        for word, begin in zip(
            (word for word, _ in instance.words), instance.words.offsets.tolist(), strict=False
        ):
            for position in range(len(word) - size + 1):
                pair = int(places.pair_at[begin + position])
                self.at.setdefault(word[position : position + size], []).append(pair)

    def join(
        self, tokens: tuple[Token, ...]
    ) -> tuple[Int64, Int64, npt.NDArray[np.bool_], npt.NDArray[np.bool_]]:
        """Returns (token, pair, begins the token, ends it) for all occurrences of tokens' runs."""
        which, pairs, first, last = [], [], [], []
        for number, token in enumerate(tokens):
            size = self.size
            runs = dict.fromkeys(token[i : i + size] for i in range(len(token) - size + 1))
            for run in runs:
                places = self.at.get(run, [])
                which += [number] * len(places)
                pairs += places
                first += [run == token[:size]] * len(places)
                last += [run == token[-size:]] * len(places)
        return (
            np.array(which, np.int64),
            np.array(pairs, np.int64),
            np.array(first, bool),
            np.array(last, bool),
        )
