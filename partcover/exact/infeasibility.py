"""Finds an irreducible infeasible subset of the requirements by a deletion filter."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial

from ..errors import InputError
from ..problem.group_budget import GroupBudget
from ..problem.instance import Instance
from ..runtime.limits import Deadline
from .decide import decide


@dataclass(frozen=True)
class _Requirement:
    """A requirement as text, and the function that removes it from an instance."""

    text: str
    drop: Callable[[Instance], Instance]


def conflict(
    instance: Instance, *, solver: str = "highs", time_limit: float | None = None
) -> list[str]:
    """Finds the requirements that conflict if no vocabulary meets the threshold of an instance.

    Parameters
    ----------
    instance : Instance
        The instance, with a threshold; its requirements are the budget k, the budgets of groups,
        required and forbidden tokens, and the limits of candidates.
    solver : str
        The solver, as for `decide`; it runs once for each requirement.
    time_limit : float, optional
        Seconds for the whole call; requirements that are not tested in time are kept.

    Returns
    -------
    list of str
        The threshold and the requirements that conflict with it, an irreducible infeasible
        subset (if there was time): without any one of them some vocabulary meets the rest.  Empty
        if nothing conflicts, or no conflict is proven in time.

    Raises
    ------
    InputError
        If there is no threshold.

    Notes
    -----
    This is a deletion filter (Chinneck 2008, Section 6.2): each requirement in turn is removed for
    good if the others still conflict without it.

    Examples
    --------
    >>> from partcover import Instance
    >>> from partcover.exact.infeasibility import conflict
    >>> conflict(Instance({"banana": 2, "bandana": 1}, 1, threshold=8))
    ['at most 8 tokens needed', 'at most 1 tokens chosen']
    """
    if instance.threshold is None:
        raise InputError("the threshold is missing: without one, every instance has a vocabulary")
    deadline = Deadline(time_limit)

    def conflicts(trial: Instance) -> bool:
        answer, solution = decide(trial, solver=solver, time_limit=deadline.left)
        if solution.termination == "interrupted":
            raise KeyboardInterrupt
        return answer is False

    threshold = f"at most {instance.threshold:,} tokens needed"
    total_count = instance.words.total_count
    if total_count > instance.threshold:
        cut = ", split at the protected tokens," if instance.protected else ","
        return [threshold, f"{total_count:,} counted words{cut} each of at least one token"]
    if not conflicts(instance):
        return []
    kept = [threshold]
    for requirement in _requirements(instance):
        trial = requirement.drop(instance)
        if conflicts(trial):
            instance = trial
        else:
            kept.append(requirement.text)
    return kept


def _requirements(instance: Instance) -> list[_Requirement]:
    """Returns the requirements of an instance, in the order in which they are tested."""
    requirements: list[_Requirement] = []
    if instance.forbidden:
        text = f"{len(instance.forbidden):,} forbidden tokens"
        requirements.append(_Requirement(text, lambda i: replace(i, forbidden=())))
    if instance.required or instance.prefix:
        text = f"{len(set(instance.required + instance.prefix)):,} required tokens"
        requirements.append(_Requirement(text, lambda i: replace(i, required=(), prefix=())))
    if instance.candidates is not None:
        text = f"a list of {len(instance.candidates):,} candidates"
        requirements.append(_Requirement(text, lambda i: replace(i, candidates=None)))
    if instance.max_length is not None:
        text = f"candidates of at most {instance.max_length} symbols"
        requirements.append(_Requirement(text, lambda i: replace(i, max_length=None)))
    if instance.min_count > 1:
        text = f"candidates with at least {instance.min_count:,} occurrences"
        requirements.append(_Requirement(text, lambda i: replace(i, min_count=1)))
    for group in instance.groups:
        text = f"at most {group.limit:,} tokens of group {group.name!r}"
        requirements.append(_Requirement(text, partial(_without_group, group=group)))
    text = f"at most {instance.k:,} tokens chosen"
    # required tokens that occur nowhere may be more than the symbols
    requirements.append(_Requirement(text, lambda i: i.with_k(len(i.fixed) + len(i.words.data))))
    return requirements


def _without_group(instance: Instance, group: GroupBudget) -> Instance:
    """Returns an instance without the budget of a group."""
    return replace(instance, groups=tuple(other for other in instance.groups if other != group))
