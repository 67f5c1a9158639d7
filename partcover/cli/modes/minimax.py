"""Reads several corpora for ``--minimax``, and shows what is found for them."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import click

from ...analysis.parity import parity
from ...corpus.word_arrays import MAX_COUNT
from ...errors import InputError, shorten
from ...problem.minimax import CONDITIONS, MinimaxInstance
from ...problem.minimax_solution import MinimaxSolution
from ...report.tables import Listing, facts, token_line
from ...runtime.numerals import read_digits
from ..command import Function, argument, option
from ..exit_status import EXIT_INTERRUPTED
from ..inputs import InstanceSource
from ..shown.output import Output

__all__ = [
    "MinimaxSource",
    "minimax_option",
    "refuse_with_minimax",
    "show_minimax",
]

_SHOWN = 20  # tokens
_FACTS = (
    "k",
    "worst",
    "lower_bound",
    "gap",
    "worst_over_best",
    "gini",
    "status",
    "termination",
    "rounds",
    "seconds",
)


@dataclass(frozen=True)
class MinimaxSource:
    """The inputs of ``--minimax``.

    Attributes
    ----------
    corpora : tuple of str
        Files of counted words.
    reference : str or None
        What ``--reference`` says.
    """

    corpora: tuple[str, ...]
    reference: str | None

    @property
    def names(self) -> list[str]:
        """The names of the files without folder and ending, or the paths where two are alike."""
        names = [Path(corpus).stem for corpus in self.corpora]
        return names if len(set(names)) == len(names) else list(self.corpora)

    def read(self, source: InstanceSource, *, threads: int = 1) -> MinimaxInstance:
        """Reads the corpora, with the conditions of the options.

        Parameters
        ----------
        source : InstanceSource
            The options.
        threads : int
            Number of threads that count references.

        Raises
        ------
        InputError
            For instance files, options that would mean another thing for each weighting, and as
            `MinimaxInstance` does.
        """
        for name in ("min_count", "weights"):
            if getattr(source, name) is not None:
                raise InputError(f"--minimax and --{name.replace('_', '-')} exclude each other")
        for path in self.corpora:
            if path.endswith(".json"):
                raise InputError(f"{path}: --minimax takes counted words, not instance files")
        twice = [path for path in self.corpora if self.corpora.count(path) > 1]
        if twice:
            raise InputError(f"{twice[0]} is given twice")
        if len(self.corpora) < 2:
            raise InputError("1 corpus is given: --minimax is about two or more")
        read = [replace(source, corpus=path).read() for path in self.corpora]
        words = [instance.words for instance in read]
        first = read[0]
        conditions = {name: getattr(first, name) for name in CONDITIONS}
        # what cannot be put together is refused before references are counted
        instance = MinimaxInstance(words, first.k, [1] * len(words), self.names, **conditions)
        references = self._references(instance, threads, conditions)
        return MinimaxInstance(words, first.k, references, self.names, **conditions)

    def _references(
        self, instance: MinimaxInstance, threads: int, conditions: dict[str, Any]
    ) -> Sequence[int]:
        """Returns the references that the option says; one number is for all."""
        from ...heuristics.minimax_weights import reference_counts

        how = self.reference or "own"
        if not how[:1].isdigit():
            return reference_counts(
                instance.corpora, how, instance.k, conditions=conditions, threads=threads
            )
        parts = how.split(",")
        if not all(part.isascii() and part.isdecimal() for part in parts):
            raise InputError(f"--reference is {how!r}: whole numbers with commas are expected")
        numbers = [read_digits(part) for part in parts]
        for part, number in zip(parts, numbers, strict=True):
            if number > MAX_COUNT:
                raise InputError(
                    f"--reference: {shorten(part, 40)} is too large: at most {MAX_COUNT:,} "
                    "(2^63 - 1) is possible"
                )
        return numbers * len(instance.corpora) if len(numbers) == 1 else numbers


def minimax_option(function: Function) -> Function:
    """Adds the input argument, which may be several files, ``--minimax`` and ``--reference``."""

    @functools.wraps(function)
    def wrapper(
        *, corpora: tuple[str, ...], minimax: bool, reference: str | None, **options: Any
    ) -> Any:
        source = MinimaxSource(corpora, reference) if minimax else None
        if source is None and len(corpora) > 1:
            raise click.UsageError("several inputs are for --minimax: one is expected without it")
        if source is None and reference is not None:
            raise click.UsageError("--reference goes with --minimax")
        if source is not None and options.get("plan"):
            raise click.UsageError("--minimax and --plan exclude each other")
        return function(corpus=corpora[0], minimax=source, **options)

    add_inputs = argument("corpora", metavar="C.tsv|I.json", nargs=-1, required=True)
    add_flag = option(
        "--minimax",
        is_flag=True,
        help="For several C.tsv: make the largest ratio of tokens to reference small.",
    )
    add_reference = option(
        "--reference",
        metavar="own|bytes|words|N,N,…",
        help="With --minimax, what each corpus's tokens are measured by: the tokens it needs with "
        "a vocabulary of its own (the default), its bytes, its words, or numbers.",
    )
    return add_inputs(add_flag(add_reference(wrapper)))


def refuse_with_minimax(**options: Any) -> None:
    """Refuses options that are not for ``--minimax``; each is named as its parameter."""
    for name, value in options.items():
        if value not in (None, False):
            raise click.UsageError(f"--minimax and --{name.replace('_', '-')} exclude each other")


def show_minimax(out: Output, solution: MinimaxSolution) -> int:
    """Saves the vocabulary, if there is one, shows the ratios and returns the exit status."""
    data = solution.to_json(vocabulary=not out.no_vocabulary)
    if solution.tokens:
        names, references = solution.instance.names, solution.instance.references
        tokens = dict(zip(names, solution.tokens, strict=True))
        even = parity(tokens, dict(zip(names, references, strict=True)), per="reference")
        data |= {"gini": even.gini, "worst_over_best": even.worst_over_best}
    shown = {key: data[key] for key in _FACTS if data.get(key) is not None}
    columns = {key: key for key in ("name", "tokens", "reference", "ratio")}
    parts: list[Listing | str] = [Listing(solution.rows, columns), facts(shown)]
    if solution.vocabulary is None:
        out.show(data, *parts)
    else:
        if not out.no_vocabulary:
            chosen = solution.vocabulary
            parts.append("tokens: " + token_line(chosen.tokens, chosen.symbols, _SHOWN))
        with out.saved(solution.recorded().save):
            out.show(data, *parts)
    return EXIT_INTERRUPTED if solution.termination == "interrupted" else 0
