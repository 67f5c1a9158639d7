"""Builds the formulation ``wmc``: weighted maximum coverage, where tokens may overlap."""

from __future__ import annotations

import numpy as np

from ...problem.instance import Instance
from ..sparse_model import Rows
from .parts import Body, SymbolPlaces, TokenOccurrences, expand, pair_body


def coverage(instance: Instance, tokens: TokenOccurrences) -> Body:
    """Builds Equations (9)–(11): a chosen token covers every pair under its occurrences.

    Notes
    -----
    The optimum is at least the instance's largest cover: a pair inside a token of a partition
    is inside an occurrence of that token, and is counted here too.  If x is integral, m is the
    minimum of 1 and an integer.
    """
    words = instance.words
    places = SymbolPlaces.of(instance)
    n_tokens, pairs = len(tokens.tokens), len(places.pairs)
    rows = Rows()
    cover = rows.add(pairs, -np.inf, 0)
    rows.put(cover + np.arange(pairs), n_tokens + np.arange(pairs), 1)
    occurrence, within = expand(tokens.length[tokens.which] - 1)
    pair = places.pair_at[(words.offsets[tokens.word] + tokens.start)[occurrence] + within]
    # a token may cover a pair twice
    entry = np.unique(pair * n_tokens + tokens.which[occurrence])
    rows.put(cover + entry // max(n_tokens, 1), entry % max(n_tokens, 1), -1)
    return pair_body(
        instance,
        places,
        rows,
        0,
        lambda: [*places.pair_names().named("m")],
        lambda: [*places.pair_names().named("cover")],
    )
