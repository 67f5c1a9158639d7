"""Which examples property tests try, and how many."""

from __future__ import annotations

from hypothesis import HealthCheck, settings
from hypothesis.internal.conjecture import providers

__all__ = ["tries"]

# The ordinary suite tries the same examples in every run; `make check` tries a tenth of them, and
# `make explore` others.  No clock has a say in any.
settings.register_profile(
    "ordinary",
    derandomize=True,
    database=None,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.register_profile("check", settings.get_profile("ordinary"), max_examples=10)
settings.register_profile("explore", settings.get_profile("ordinary"), derandomize=False)
settings.load_profile("ordinary")
# Hypothesis also draws constants that it finds in the modules imported so far, which depend on the
# tests that ran before.
providers._get_local_constants = lambda: providers._local_constants


def tries(examples: int) -> settings:
    """Returns the settings of a property test that tries so many examples in the ordinary suite."""
    return settings(max_examples=max(1, examples * settings.default.max_examples // 100))
