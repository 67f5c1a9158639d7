"""Which examples property tests try, and how many."""

from __future__ import annotations

from hypothesis import HealthCheck, settings
from hypothesis.internal.conjecture import providers

# `make explore` draws other examples in each round, a hundred for a property test that does not say
# how many.  The ordinary suite tries three tenths of them, the same ones in every run, and
# `make check` a tenth.  No clock has a say in any.
settings.register_profile(
    "ordinary",
    max_examples=30,
    derandomize=True,
    database=None,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.register_profile("check", settings.get_profile("ordinary"), max_examples=10)
settings.register_profile(
    "explore", settings.get_profile("ordinary"), max_examples=100, derandomize=False
)
settings.load_profile("ordinary")
# Hypothesis also draws constants that it finds in the modules imported so far, which depend on the
# tests that ran before.
providers._get_local_constants = lambda: providers._local_constants


def tries(examples: int) -> settings:
    """Returns the settings of a property test that is to try so many examples in exploration."""
    return settings(max_examples=max(1, examples * settings.default.max_examples // 100))
