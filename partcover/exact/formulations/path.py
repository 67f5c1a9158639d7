"""Builds the formulation ``path``: in each word a unit flow from its start to its end."""

from __future__ import annotations

import numpy as np

from ...problem.instance import Instance
from ..sparse_model import Rows
from .parts import Body, Names, SymbolPlaces, TokenOccurrences, expand


def path(instance: Instance, tokens: TokenOccurrences) -> Body:
    """Builds a unit flow in each word, whose arcs need the tokens that they represent.

    Notes
    -----
    A path from the start of a word to its end is a partition of the word, and its arcs are the
    pieces: the cheapest flow costs the tokens that the word needs.  If x is integral, the flow is
    integral at a vertex, and need not be declared as integer.  The arcs of chosen tokens form an
    ordinary unit flow, since the rows with x_T = 1 are implied: each sums arcs over one symbol, and
    all arcs over a symbol carry 1 in total.  The vertices of such a flow are paths.
    """
    words = instance.words
    places = SymbolPlaces.of(instance)
    n_tokens = len(tokens.tokens)
    symbols, arcs = len(words.data), len(tokens.which)
    lengths = np.diff(words.offsets)

    # variables: tokens, then one arc for each symbol, then one arc for each occurrence
    single = n_tokens + np.arange(symbols)
    arc = n_tokens + symbols + np.arange(arcs)
    tail = words.offsets[tokens.word] + tokens.start
    head = tail + tokens.length[tokens.which]
    rows = Rows()
    # a row for every node except a word's last: out − in is 1 at the first node, else 0
    is_first = np.zeros(symbols)
    is_first[words.offsets[:-1]] = 1
    node = rows.add(symbols, is_first, is_first)
    rows.put(node + np.arange(symbols), single, 1)
    rows.put(node + tail, arc, 1)
    # the single-symbol arc into an inner node comes before it
    inner = np.flatnonzero(is_first == 0)
    rows.put(node + inner, single[inner - 1], -1)
    inside = np.flatnonzero(head < words.offsets[tokens.word + 1])
    rows.put(node + head[inside], arc[inside], -1)
    # arcs of one token that share a symbol: a path takes at most one of them
    order = np.lexsort((tokens.start, tokens.word, tokens.which))
    spread = (int(lengths.max()) if len(words) else 0) * 2 + 1
    runs = np.zeros(arcs, np.int64)
    runs[1:] = np.cumsum((np.diff(tokens.which[order]) != 0) | (np.diff(tokens.word[order]) != 0))
    key = runs * spread + tokens.start[order]
    end = np.searchsorted(key, key + tokens.length[tokens.which[order]])
    begin = np.flatnonzero(end > np.concatenate([[0], end[:-1]]))
    link = rows.add(len(begin), -np.inf, 0)
    rows.put(link + np.arange(len(begin)), tokens.which[order[begin]], -1)
    row, within = expand(end[begin] - begin)
    rows.put(link + row, arc[order[begin[row] + within]], 1)

    counts = words.counts
    cliques = order[begin]
    links = Names(tokens.word[cliques], tokens.which[cliques], tokens.start[cliques])
    occurrences = Names(tokens.word, tokens.start, tokens.which)
    return Body(
        rows,
        np.concatenate([counts[places.word], counts[tokens.word]]),
        np.concatenate(
            [np.zeros(symbols, np.int64), counts[tokens.word] * (tokens.length[tokens.which] - 1)]
        ),
        0,
        lambda: [*places.symbol_names().named("s"), *occurrences.named("a")],
        lambda: [*places.symbol_names().named("flow"), *links.named("use")],
    )
