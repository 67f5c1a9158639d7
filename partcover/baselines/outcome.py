"""What every trainer ends with: the Solution, and options it cannot honour refused."""

from __future__ import annotations

import time
from collections.abc import Callable, Set
from typing import Any

from ..errors import InputError
from ..instance import Instance
from ..segment import segment
from ..solution import Solution, Termination
from ..vocabulary import Vocabulary

__all__ = ["Progress", "outcome", "refuse_unhonoured"]

Progress = Callable[[float, float | None, str], None]  # done, of, remark

_OPTIONS = (
    "candidates",
    "max_length",
    "min_count",
    "required",
    "forbidden",
    "prefix",
    "protected",
    "groups",
)


def refuse_unhonoured(instance: Instance, method: str, *, honoured: Set[str] = frozenset()) -> None:
    """Refuse an instance with options that a method would have to ignore.

    Parameters
    ----------
    instance : Instance
        What is asked.
    method : str
        The method, for the message.
    honoured : set of str
        Those of candidates, max_length, min_count, required, forbidden, prefix, protected and
        groups that the method keeps to.

    Raises
    ------
    InputError
        Naming the first option that is set and not honoured.
    """
    for name in _OPTIONS:
        value = getattr(instance, name)
        unset = value == 1 if name == "min_count" else value in (None, ())
        if not unset and name not in honoured:
            raise InputError(f"{method} cannot honour {name}: leave it out for this method")


def outcome(
    instance: Instance,
    vocabulary: Vocabulary,
    started: float,
    *,
    termination: Termination = "completed",
    seed: int = 0,
    threads: int = 1,
    gains: tuple[int, ...] = (),
    extra: dict[str, Any] | None = None,
) -> Solution:
    """The Solution of a trainer, its tokens counted by `segment` under the vocabulary's rule.

    Parameters
    ----------
    instance : Instance
        The words.
    vocabulary : Vocabulary
        What was trained; its method names the method.
    started : float
        `time.monotonic` when it began.
    termination : str
        Why it stopped.
    seed, threads : int
        As given.
    gains : tuple of int
        See `Solution`; empty where the method has none.
    extra : dict, optional
        Further keys; ``tokens_shortest_path`` is added where the rule is another.
    """
    seconds = time.monotonic() - started
    cut = segment(instance.words, vocabulary, threads=threads)
    extra = dict(extra or {})
    if vocabulary.rule not in ("shortest_path", "single_symbols"):
        shortest = segment(instance.words, vocabulary, "shortest_path", threads=threads)
        extra["tokens_shortest_path"] = shortest.tokens
    return Solution(
        method=vocabulary.method,
        k=instance.k,
        words=len(instance.words),
        total_count=instance.words.total_count,
        symbols=instance.symbols,
        candidates=instance.index.total,
        policy=instance.policy,
        vocabulary=vocabulary,
        rule=vocabulary.rule,
        tokens=cut.tokens,
        cover=cut.cover,
        lower_bound=None,
        status="feasible",
        termination=termination,
        seconds=seconds,
        seed=seed,
        threads=threads,
        gains=gains,
        extra=extra,
    )
