"""Shows the memory that a command takes, for ``--plan``."""

from __future__ import annotations

from ..problem.memory_plan import Work, memory_plan
from ..report.tables.listing import facts
from ..runtime.memory import shown_size
from .inputs import InstanceSource
from .shown.output import Output


def show_plan(work: Work, out: Output, source: InstanceSource) -> int:
    """Shows the memory of some work for an instance, of a head alone where one is asked for."""
    instance = source.read(any_k=True, several=True)
    if source.head is not None:
        plan = memory_plan(instance.alone.joined, work, is_head=True)
    else:
        if instance.k >= len(instance.words.data):  # none is given: without the tokens
            instance = instance.with_k(len(instance.fixed))
        plan = memory_plan(instance.joined, work)
    sizes = {what: shown_size(size) for what, size in plan.parts.items()}
    sizes |= {"total, at most": shown_size(plan.need), "available": shown_size(plan.available)}
    verdict = "it fits" if plan.fits else f"it does not fit: {plan.advice}"
    out.show(plan.to_json(), facts(sizes), verdict)
    return 0
