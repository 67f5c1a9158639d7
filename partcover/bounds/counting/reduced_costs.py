"""Reduced costs: by how much a bound rises when a candidate is forced in or out."""

from __future__ import annotations

import numpy as np

from ...problem.instance import Instance
from ...runtime.arrays import Bools, Int64


def reduced_costs(
    rewards: Int64, fixed: Bools, instance: Instance, unseen: int = 0
) -> tuple[Int64, Bools]:
    """Returns the cost of forcing each token in (or out, negative), and whether it is chosen.

    A token is chosen if its reward is one of the largest, which the bound subtracts.  Costs are in
    the unit of the rewards, and 0 for tokens that are `fixed` (required).  `unseen` is an upper
    bound on the rewards of candidates that are not among the tokens.

    Let r_1 ≥ r_2 ≥ … be the rewards of the tokens that are not required, and n the number of tokens
    that the budget leaves beyond these.  The prices prove V − (r_1 + … + r_n).

    - A token with j > n is forced in by requiring it.  Its own reward is then subtracted, and the
      n − 1 largest others: the bound is V − r_j − (r_1 + … + r_{n−1}), more by r_n − r_j.
    - A token with j ≤ n is forced out by excluding it.  The n largest others are subtracted: the
      bound is V − (r_1 + … + r_{n+1} − r_j), more by r_j − r_{n+1}.

    Reduced-cost fixing: if the bound of such a case reaches the tokens of an incumbent, the case
    contains no better vocabulary.  Each case is ruled out independently, so all of them are: a
    better vocabulary lacks every token that cannot be forced in, and contains every token that
    cannot be forced out.  (This holds for vocabularies without dominated candidates, the only ones
    that prices say something about.)

    Examples
    --------
    >>> import numpy as np
    >>> from partcover import Instance
    >>> from partcover.bounds.counting.reduced_costs import reduced_costs
    >>> instance = Instance({"that": 3, "hat": 2}, k=1)
    >>> costs, chosen = reduced_costs(np.array([5, 9, 2]), np.zeros(3, bool), instance)
    >>> costs.tolist(), chosen.tolist()
    ([4, -4, 7], [False, True, False])
    """
    free = instance.k - len(instance.fixed)
    optional = np.flatnonzero(~fixed)
    order = optional[np.argsort(-rewards[optional], kind="stable")]
    chosen = np.zeros(len(rewards), bool)
    chosen[order[:free]] = True
    costs = np.zeros(len(rewards), np.int64)
    if 0 < free <= len(order):
        costs[order[free:]] = rewards[order[free - 1]] - rewards[order[free:]]
        after = rewards[order[free]] if free < len(order) else 0
        # if a token is forced out, one that is not listed may take its place
        costs[order[:free]] = np.minimum(max(after, unseen) - rewards[order[:free]], 0)
    elif free <= 0:
        costs[order] = 2**62  # the budget has no room
    return costs, chosen
