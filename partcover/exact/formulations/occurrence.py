"""Builds the formulation ``occurrence``: a binary for each occurrence of a token."""

from __future__ import annotations

import numpy as np

from ...problem.instance import Instance
from ..sparse_model import Rows
from .parts import Body, Names, SymbolPlaces, TokenOccurrences, expand, pair_body


def occurrence(instance: Instance, tokens: TokenOccurrences) -> Body:
    """Builds a corrected version of the paper's model: at most one occurrence covers a symbol.

    Notes
    -----
    Occurrences that do not overlap, with the symbols between them, are a partition of the word, and
    the pairs inside them are its cover: symbols − tokens.  If x is integral, the other variables
    are integral at a vertex.  At most one unit of occurrences covers a pair, so m is their sum.  In
    the rows of symbols the ones of an occurrence are consecutive: they form an interval matrix,
    which is totally unimodular.
    """
    words = instance.words
    places = SymbolPlaces.of(instance)
    n_tokens, pairs, placed = len(tokens.tokens), len(places.pairs), len(tokens.which)
    covered = n_tokens + np.arange(pairs)
    placement = n_tokens + pairs + np.arange(placed)
    begin = words.offsets[tokens.word] + tokens.start
    rows = Rows()
    cover = rows.add(pairs, -np.inf, 0)
    rows.put(cover + np.arange(pairs), covered, 1)
    which, within = expand(tokens.length[tokens.which] - 1)
    rows.put(cover + places.pair_at[begin[which] + within], placement[which], -1)
    use = rows.add(placed, -np.inf, 0)
    rows.put(use + np.arange(placed), placement, 1)
    rows.put(use + np.arange(placed), tokens.which, -1)
    once = rows.add(len(words.data), -np.inf, 1)
    which, within = expand(tokens.length[tokens.which])
    rows.put(once + begin[which] + within, placement[which], 1)
    names = Names(tokens.word, tokens.start, tokens.which)
    return pair_body(
        instance,
        places,
        rows,
        placed,
        lambda: [*places.pair_names().named("m"), *names.named("o")],
        lambda: [
            *places.pair_names().named("cover"),
            *names.named("use"),
            *places.symbol_names().named("once"),
        ],
    )
