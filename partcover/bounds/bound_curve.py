"""Counts what proven bounds say about vocabularies of other sizes."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ..problem.bound import Bound
from ..problem.certificates.nodes import Leaf
from ..runtime.arguments import Threads, checked
from ..runtime.processes.parallel import workers
from .climbing.dual_point import Case
from .climbing.leaf_prices import LeafReader
from .counting.price_counter import PriceCounter

__all__ = ["bound_curve"]


@checked
def bound_curve(
    bounds: Sequence[Bound], sizes: Sequence[int], *, threads: Threads = 1
) -> list[int]:
    """Returns the best lower bound that some certificates prove for each of several sizes.

    Parameters
    ----------
    bounds : sequence of Bound
        Bounds of one instance for any k, without a tail and without several corpora.
    sizes : sequence of int
        Numbers of tokens, none below the number of required tokens.
    threads : int
        Number of threads; the result is the same for any number.

    Returns
    -------
    list of int
        For each size the tokens that any vocabulary of at most so many tokens needs.

    Notes
    -----
    Prices and cuts prove a bound for each k: only the number of rewards that are subtracted depends
    on k (`check_certificate`). A certificate with several leaves is used for its own k alone. A
    bound for k tokens holds for fewer tokens, too. O(occurrences of candidates) for each
    certificate and O(candidates) for each size.

    Examples
    --------
    >>> from partcover import Instance, lower_bound
    >>> from partcover.bounds.bound_curve import bound_curve
    >>> bound = lower_bound(Instance({"banana": 2, "bandana": 1}, 1))
    >>> bound_curve([bound], [0, 1, 2, 3])
    [18, 9, 3, 3]
    """
    if not bounds:
        return []
    best = [bounds[0].instance.words.total_count] * len(sizes)
    for bound in bounds:
        own = [int(bound.lower_bound) if k <= bound.instance.k else 0 for k in sizes]
        nodes = bound.certificate.tree
        if len(nodes) == 1 and isinstance(nodes[0], Leaf):
            proven = _of_leaf(bound, nodes[0], sizes, threads)
            own = list(map(max, own, proven))
        best = list(map(max, best, own))
    return best


def _of_leaf(bound: Bound, leaf: Leaf, sizes: Sequence[int], threads: int) -> list[int]:
    """Returns what one leaf proves for each size."""
    with workers(threads) as share:
        counter = PriceCounter(bound.instance, share)
        digits = bound.certificate.scale_bits
        counter.refine(max(counter.bits, min(digits, counter.finest)))
        rewards = LeafReader(counter).prices(leaf, digits).rewards(counter)
        absent = len(counter.instance.fixed) - counter.n_required
        proven = []
        for k in sizes:
            case = Case(counter.fixed, np.zeros(len(counter.fixed), bool), k - absent)
            unseen = counter.others(rewards.optional[~counter.fixed], case.free)
            proven.append(counter.bound(rewards.value(case) - (unseen << counter.low_bits)))
        return proven
