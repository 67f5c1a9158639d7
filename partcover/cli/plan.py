"""Adds ``--plan``, which shows the memory that a command takes and ends there."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from ..report.tables import facts
from ..runtime.memory import shown_size
from .command import LIMITS, Decorator, Function, option
from .inputs import InstanceSource
from .shown.output import Output

if TYPE_CHECKING:
    from ..problem.memory_plan import MemoryPlan, Work


def plan_option(work: Work | Callable[[Mapping[str, Any]], Work]) -> Decorator:
    """Adds ``--plan`` to a command that is given an instance and an output."""

    def decorate(function: Function) -> Function:
        @functools.wraps(function)
        def wrapper(*, plan: bool, out: Output, source: InstanceSource, **options: Any) -> Any:
            if plan:
                return _show(out, _plan(source, options, work(options) if callable(work) else work))
            return function(out=out, source=source, **options)

        add = option(
            "--plan",
            is_flag=True,
            heading=LIMITS,
            help="Show the estimated memory and stop.",
        )
        return add(wrapper)

    return decorate


def _plan(source: InstanceSource, options: Mapping[str, Any], work: Work) -> MemoryPlan:
    from ..problem.memory_plan import memory_plan

    head = getattr(options.get("readers"), "head", None)
    if head is not None:
        instance = source.read(any_k=True, head=head)
        return memory_plan(instance.alone.joined, work, is_head=True)
    instance = source.read(any_k=True, several=True)
    if instance.k >= len(instance.words.data):  # none is given: without the tokens
        instance = instance.with_k(len(instance.fixed))
    return memory_plan(instance.joined, work)


def _show(out: Output, plan: MemoryPlan) -> int:
    sizes = {what: shown_size(size) for what, size in plan.parts.items()}
    sizes |= {"total, at most": shown_size(plan.need), "available": shown_size(plan.available)}
    verdict = "it fits" if plan.fits else f"it does not fit: {plan.advice}"
    out.show(plan.to_json(), facts(sizes), verdict)
    return 0
