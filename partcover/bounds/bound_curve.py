"""Computes what proven bounds imply for other vocabulary sizes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from ..problem.bound import Bound
from ..problem.certificates.nodes import Leaf
from ..runtime.arguments import Threads, checked
from ..runtime.processes.parallel import workers
from .climbing.dual_point import Case
from .climbing.leaf_prices import LeafReader
from .counting.price_counter import PriceCounter


@checked
def bound_curve(
    bounds: Sequence[Bound], sizes: Sequence[int], *, threads: Threads = 1
) -> list[int]:
    """Returns the best lower bound that some certificates prove for each of several sizes.

    The bounds are of one instance for any k, without a tail and without several corpora; no size is
    below the number of required tokens.

    Prices and cuts prove a bound for each k: only the number of rewards that are subtracted depends
    on k (`check_certificate`).  A certificate with several leaves is used for its own k alone.  A
    bound for k tokens holds for fewer tokens, too.  O(occurrences of candidates) for each
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
    least = bounds[0].instance.words.total_count
    known = [(each.instance.k, int(each.lower_bound)) for each in bounds]
    best = [max([least, *(bound for k, bound in known if size <= k)]) for size in sizes]
    leaves = [
        (node, bound.certificate.scale_bits)
        for bound in bounds
        for node in bound.certificate.tree
        if isinstance(node, Leaf) and len(bound.certificate.tree) == 1
    ]
    if not leaves:
        return best
    with workers(threads) as share:
        counter = PriceCounter(bounds[0].instance, share)
        counter.refine(max(counter.bits, *(min(bits, counter.finest) for _, bits in leaves)))
        reader = LeafReader(counter)
        whole = Case.whole(counter)
        cases = [replace(whole, k=whole.k + k - counter.instance.k) for k in sizes]
        for leaf, bits in leaves:
            rewards = reader.prices(leaf, bits).rewards(counter)
            optional = rewards.optional[~counter.fixed]
            for n, case in enumerate(cases):
                unseen = counter.others(optional, case.free) << counter.low_bits
                best[n] = max(best[n], counter.bound(rewards.value(case) - unseen))
    return best
