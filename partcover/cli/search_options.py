"""Declares the options of a search: what it starts from, when it stops, what it writes beside."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar

import click

from ..runtime.progress import Progress
from .command import Decorator, Function, option
from .inputs import read_any_vocabulary
from .options import (
    applied,
    events_option,
    gap_option,
    grouped,
    plot_option,
    resume_option,
    start_certificate_option,
    vocabulary_options,
)
from .paths import ReadablePath, WritablePath
from .shown.output import Output

if TYPE_CHECKING:
    from ..vocabulary.vocabulary import Vocabulary

__all__ = ["SearchOptions", "search_options"]

Proof = TypeVar("Proof")


@dataclass(frozen=True)
class SearchOptions:
    """What ``solve`` and ``improve`` start from, when they stop, and what they write beside.

    Attributes
    ----------
    start, start_certificate : str or None
        Files of a vocabulary and a certificate to start from.
    time_limit : float or None
        Seconds.
    gap : float or None
        The relative gap at which to stop.
    write_certificate, events, plot : str or None
        Files to write: the certificate, a JSON line for each event, the figure of the events.
    resume : bool
        Whether to go on from the files that are written.
    """

    start: str | None
    start_certificate: str | None
    time_limit: float | None
    gap: float | None
    write_certificate: str | None
    events: str | None
    plot: str | None
    resume: bool

    def starts(
        self,
        load: Callable[[], tuple[Vocabulary | None, Proof | None]],
        read: Callable[[str], Proof],
    ) -> tuple[Vocabulary | None, Proof | None]:
        """Reads the vocabulary and the certificate to start from.

        Parameters
        ----------
        load : callable
            Reads the files that are written, from which a run is resumed.
        read : callable
            Reads a certificate.
        """
        if self.resume:
            for name, given in (
                ("--start", self.start),
                ("--start-certificate", self.start_certificate),
            ):
                if given is not None:
                    raise click.UsageError(
                        f"--resume starts from the files of the earlier run: leave out {name}"
                    )
            return load()
        return (
            None if self.start is None else read_any_vocabulary(self.start),
            None if self.start_certificate is None else read(self.start_certificate),
        )

    def limits(self, out: Output) -> dict[str, Any]:
        """Returns the keywords of a search that say when it stops, and its seed and threads."""
        return {
            "gap": self.gap or 0.0,
            "time_limit": self.time_limit,
            "seed": out.seed,
            "threads": out.threads,
        }

    def watched(self, out: Output) -> AbstractContextManager[Progress]:
        """Shows and records the events of a search that begins with GreedTok."""
        return out.events(self.events, phase="greedtok", plot=self.plot, time_limit=self.time_limit)


def search_options(
    *, writes: str = "the vocabulary", limit: str | None = None, several: bool = False
) -> Decorator:
    """Adds the options of ``solve`` and ``improve``, passed on as `SearchOptions`.

    Parameters
    ----------
    writes, limit, several
        As for `vocabulary_options`.
    """

    def decorate(function: Function) -> Function:
        return applied(
            grouped(function, "search", SearchOptions),
            option(
                "--start",
                type=ReadablePath(),
                metavar="V.json",
                help="Warm start: a vocabulary or tokenizer, tried in addition to GreedTok's.",
            ),
            start_certificate_option("Certificate to start from. Its bound is never made worse."),
            gap_option,
            option(
                "--write-certificate",
                type=WritablePath(),
                metavar="FILE",
                help="Write the certificate of the lower bound (.cert). A better one in FILE is "
                "kept.",
            ),
            resume_option("the files of -o and --write-certificate"),
            events_option("Write a JSON line for each phase, better vocabulary, and better bound."),
            plot_option("Plot the best vocabulary and the bound over time (.png, .svg, .pdf)."),
            vocabulary_options(writes=writes, limit=limit, several=several),
        )

    return decorate
