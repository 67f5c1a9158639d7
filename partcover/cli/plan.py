"""Adds ``--plan``, which shows the memory that a command takes and ends there."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping
from typing import Any

from ..problem.instance import Instance
from ..problem.memory_plan import Work, memory_plan
from ..report.tables import facts
from ..runtime.memory import shown_size
from .command import LIMITS, Decorator, Function, option
from .heads import head_instance
from .inputs import InstanceSource
from .output import Output

__all__ = ["plan_option"]


def plan_option(work: Work | Callable[[Mapping[str, Any]], Work]) -> Decorator:
    """Adds ``--plan`` to a command that is given an instance and an output.

    Parameters
    ----------
    work : str or callable
        What the command does, or a function that says it of the command's options; see
        `partcover.problem.memory_plan.memory_plan`.
    """

    def decorate(function: Function) -> Function:
        @functools.wraps(function)
        def wrapper(*, plan: bool, out: Output, source: InstanceSource, **options: Any) -> Any:
            if plan:
                head = options.get("head")
                instance = source.read(any_k=True) if head is None else head_instance(source, head)
                return _show(out, instance, work(options) if callable(work) else work)
            return function(out=out, source=source, **options)

        add = option(
            "--plan",
            is_flag=True,
            heading=LIMITS,
            help="Show the memory that this takes, about, and stop.",
        )
        return add(wrapper)

    return decorate


def _show(out: Output, instance: Instance, work: Work) -> int:
    plan = memory_plan(instance, work)
    sizes = {what: shown_size(size) for what, size in plan.parts.items()}
    sizes |= {"in all, at most": shown_size(plan.need), "available": shown_size(plan.available)}
    out.show(plan.to_json(), facts(sizes), "it fits" if plan.fits else "it does not fit")
    return 0
