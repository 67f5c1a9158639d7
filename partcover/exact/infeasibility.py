"""Finds an irreducible infeasible subset of the requirements by a deletion filter."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace

from ..errors import InputError
from ..problem.instance import Instance
from .decide import decide

__all__ = ["conflict"]

Relax = Callable[[Instance], Instance]


def conflict(
    instance: Instance, *, solver: str = "highs", time_limit: float | None = None
) -> list[str]:
    """Explain why no vocabulary within the budgets meets the threshold of an instance.

    Parameters
    ----------
    instance : Instance
        With a threshold; its requirements are the budget k, the budgets of groups, required and
        forbidden tokens, and what limits the candidates.
    solver : str
        As for `decide`, which is asked once for each requirement.
    time_limit : float, optional
        Seconds for all of it; a requirement that there is no time to judge is kept.

    Returns
    -------
    list of str
        The threshold and requirements that conflict with it: without any one of them some
        vocabulary does (where there was time to see that).  Empty if nothing conflicts, or
        nothing was found to in time.

    Raises
    ------
    InputError
        Without a threshold.

    Notes
    -----
    A deletion filter (Chinneck 2008, Section 6.2): each requirement in turn is dropped for good
    if the rest conflict without it.
    """
    if instance.threshold is None:
        raise InputError("no threshold to explain: give one")
    started = time.monotonic()

    def conflicts(trial: Instance) -> bool:
        left = None
        if time_limit is not None:
            left = max(0.0, time_limit - (time.monotonic() - started))
        answer, solution = decide(trial, solver=solver, time_limit=left)
        if solution.termination == "interrupted":
            raise KeyboardInterrupt
        return answer is False

    asked = f"at most {instance.threshold:,} tokens needed"
    least = instance.words.total_count
    if least > instance.threshold:
        cut = ", cut at the protected tokens," if instance.protected else ","
        return [asked, f"{least:,} counted words{cut} each of at least one token"]
    if not conflicts(instance):
        return []
    kept = [asked]
    for text, relax in _requirements(instance):
        trial = relax(instance)
        if conflicts(trial):
            instance = trial
        else:
            kept.append(text)
    return kept


def _requirements(instance: Instance) -> list[tuple[str, Relax]]:
    """What can be dropped, the last to blame first."""
    found: list[tuple[str, Relax]] = []
    if instance.forbidden:
        found.append(
            (f"{len(instance.forbidden):,} forbidden tokens", lambda i: replace(i, forbidden=()))
        )
    if instance.required or instance.prefix:
        many = len(set(instance.required + instance.prefix))
        found.append((f"{many:,} required tokens", lambda i: replace(i, required=(), prefix=())))
    if instance.candidates is not None:
        many = len(instance.candidates)
        found.append((f"a list of {many:,} candidates", lambda i: replace(i, candidates=None)))
    if instance.max_length is not None:
        text = f"candidates of at most {instance.max_length} symbols"
        found.append((text, lambda i: replace(i, max_length=None)))
    if instance.min_count > 1:
        text = f"candidates with at least {instance.min_count:,} occurrences"
        found.append((text, lambda i: replace(i, min_count=1)))
    for group in instance.groups:
        found.append(
            (
                f"at most {group.limit:,} tokens of group {group.name!r}",
                lambda i, group=group: replace(  # type: ignore[misc]
                    i, groups=tuple(g for g in i.groups if g != group)
                ),
            )
        )
    found.append((f"at most {instance.k:,} tokens chosen", lambda i: i.with_k(len(i.words.data))))
    return found
