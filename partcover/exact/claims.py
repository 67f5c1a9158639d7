"""Reports whether the threshold of an instance is met."""

from __future__ import annotations

from typing import Any

from ..problem.instance import Instance


def threshold_facts(instance: Instance, tokens: int, lower_bound: int) -> dict[str, Any]:
    """Returns the threshold of an instance and whether it is met, for `extra`."""
    if instance.threshold is None:
        return {}
    met = True if tokens <= instance.threshold else None
    if lower_bound > instance.threshold:
        met = False
    return {"threshold": instance.threshold, "meets_threshold": met}
