"""Runs a greedy method for its command: what ``greedtok`` and ``greedwmc`` share."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..problem.solution import Solution
from .inputs import read_instance
from .options import (
    instance_options,
    k_option,
    no_vocabulary_option,
    output_options,
    pretokenizer_option,
    seconds_option,
)
from .output import Output
from .results import write_solution

__all__ = ["greedy_options", "run_greedy"]


def greedy_options(function: Callable[..., Any]) -> Callable[..., Any]:
    """Add the options of a greedy method."""
    for add in (
        output_options(writes="the vocabulary", kind="text", threads=True),
        instance_options,
        pretokenizer_option,
        no_vocabulary_option,
        seconds_option(),
        k_option,
    ):
        function = add(function)
    return function


def run_greedy(
    method: Callable[..., Solution],
    out: Output,
    corpus: str,
    k: int | None,
    time_limit: float | None,
    no_vocabulary: bool,
    pretokenizer: str | None,
    **options: Any,
) -> int:
    """Run a greedy method and write its solution; returns the exit status."""
    instance = read_instance(corpus, k, options, pretokenizer)
    with out.progress(method.__name__) as progress:
        solution = method(
            instance,
            time_limit=time_limit,
            threads=out.threads,
            progress=progress,
        )
    return write_solution(out, solution, instance, no_vocabulary, corpus)
