"""Rounds a fractional choice of candidates to a vocabulary."""

from __future__ import annotations

from itertools import islice
from typing import Literal

from ..corpus.symbols import Token
from ..problem.group_budget import GroupBudgets
from ..problem.instance import Instance
from ..runtime.arguments import Seed, checked
from ..runtime.arrays import ArrayLike, Float64, np
from ..vocabulary.vocabulary import Vocabulary
from .search_space import SearchSpace, per_candidate, promise_of

Rounding = Literal["det", "bias", "int", "random"]

_ONE = 1 - 1e-6


@checked
def round_relaxation(
    instance: Instance, x: ArrayLike, rule: Rounding = "det", seed: Seed = 0
) -> Vocabulary:
    """Rounds a fractional choice of candidates to a vocabulary.

    Parameters
    ----------
    instance : Instance
        The candidates, budget and conditions.
    x : array_like of float, shape (candidates,)
        The fraction of each candidate of ``instance.index`` that is chosen, 0 to 1.
    rule : {"det", "bias", "int", "random"}
        ``det``: the largest x.  ``bias``: drawn one by one with probabilities proportional to x,
        without replacement.  ``int``: those with x = 1 (within 1e-6), then greedily the candidate
        with the largest gain.  ``random``: each candidate independently with probability x; if
        these are too many, those with the smallest x are left out, and if they are too few, those
        with the largest x are added.
        Ties go to the candidate with more symbols over all occurrences, then to the first.
    seed : int
        Random seed of ``bias`` and ``random``.

    Returns
    -------
    Vocabulary
        The fixed tokens, then at most k in all, within group budgets; fewer where nothing is
        left with x > 0 (``int``: nothing that gains).

    Raises
    ------
    InputError
        For an unknown rule, or an array that is not finite numbers of that shape.

    Notes
    -----
    ``det``, ``bias`` and ``int`` after Tempus, Whittington, Schmidt, Komm and Pimentel (2026),
    "Tokenisation via Convex Relaxations", whose ``int`` is filled here by exact gain.
    Weighted sampling as of Efraimidis and Spirakis (2006).  O(candidates · log(candidates)).

    Examples
    --------
    >>> from partcover import Instance, lower_bound, round_relaxation
    >>> instance = Instance({"banana": 2, "bandana": 1}, 1)
    >>> round_relaxation(instance, lower_bound(instance).x).tokens
    (b'banana',)
    """
    weights = per_candidate(instance, x)
    if rule == "int":
        ones = _rounded(instance, np.where(weights > _ONE, weights, 0), "det", seed)
        space = SearchSpace(instance, ones, 0, weights)
        state = space.state()
        state.load(space.numbers(ones))
        state.fill(space.free)
        tokens = space.tokens(state.picked())
    else:
        tokens = _rounded(instance, weights, rule, seed)
    return instance.vocabulary(tokens, f"rounded-{rule}")


def roundings(instance: Instance, x: Float64, seed: int) -> list[tuple[str, list[Token]]]:
    """Returns roundings of the linear relaxation as starting points, each with its source."""
    whole = np.where(x > _ONE, x, 0)
    lists = [
        _rounded(instance, x, "det", seed),
        _rounded(instance, x, "bias", seed),
        _rounded(instance, whole, "det", seed),
    ]
    return [("rounding", tokens) for tokens in lists]


def _rounded(instance: Instance, x: Float64, rule: str, seed: int) -> list[Token]:
    """Returns the fixed tokens, then those that a rule other than ``int`` chooses."""
    index = instance.index
    draw = np.random.default_rng(seed & (2**64 - 1)).random(len(x))
    key = x
    if rule == "bias":
        with np.errstate(divide="ignore", over="ignore"):
            key = np.where(x > 0, np.log(draw) / np.where(x > 0, x, 1), -np.inf)
    elif rule == "random":
        key = x + (draw < x) * (1 + x.max(initial=0))
    order = np.lexsort((np.arange(len(x)), -promise_of(instance), -key))
    order = order[x[order] > 0]
    fixed = set(instance.fixed)
    budgets = GroupBudgets(instance.groups, fixed)
    free = (token for token in index.tokens(order) if token not in fixed and budgets.admit(token))
    return [*instance.fixed, *islice(free, instance.k - len(fixed))]
