"""Holds the options of a search: what it starts from, when it stops, what it writes beside."""

from __future__ import annotations

from contextlib import AbstractContextManager
from dataclasses import dataclass

import click

import partcover as pc

from ..runtime.progress import Progress
from .checkpoint_files import CheckpointFiles
from .inputs import read_vocabulary
from .shown.output import Output


@dataclass(frozen=True)
class SearchOptions:
    """What a search starts from, when it stops, and what it writes beside."""

    start: str | None = None
    start_certificate: str | None = None
    time_limit: float | None = None
    gap: float | None = None
    write_certificate: str | None = None
    events: str | None = None
    plot: str | None = None
    resume: bool = False

    def starts(self, files: CheckpointFiles) -> tuple[pc.Vocabulary | None, pc.Certificate | None]:
        """Reads the vocabulary and the certificate to start from."""
        if not self.resume:
            path = self.start_certificate
            return (
                None if self.start is None else read_vocabulary(self.start),
                None if path is None else pc.Certificate.load(path),
            )
        for name in ("start", "start_certificate"):
            if getattr(self, name) is not None:
                raise click.UsageError(
                    "--resume starts from the files of the earlier run: leave out "
                    f"--{name.replace('_', '-')}"
                )
        return files.load()

    def watched(
        self, out: Output, phase: str = "greedtok", *, show: bool = True
    ) -> AbstractContextManager[Progress]:
        """Shows and records the events of a search that begins with a phase."""
        return out.progress(
            phase, time_limit=self.time_limit, events=self.events, plot=self.plot, show=show
        )
