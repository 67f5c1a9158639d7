"""Reads the instance of a command, with workers where a head leaves the other words on disk."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

import click

import partcover as pc

from ..runtime.processes.engines import executor_of
from .declared import is_given
from .inputs import InstanceSource
from .shown.output import Output


@dataclass(frozen=True)
class Readers:
    """Who reads the words that a head leaves on disk.

    The workers of `engine` share the folder `scratch`, by default that of ``-o``; `head` words are
    kept in memory, all if it is None.
    """

    engine: str
    scratch: str | None
    head: int | None = None

    def refuse(self, *names: str) -> None:
        """Refuses options that have no effect without a head."""
        for name in filter(is_given, ("engine", "scratch", *names)):
            raise click.UsageError(f"--{name} needs a head (--head N): leave out --{name}")

    @contextmanager
    def instance(self, out: Output, source: InstanceSource) -> Iterator[pc.Instance]:
        """Yields the instance; the workers run until the block ends."""
        if self.head is None:
            self.refuse()
        scratch = self.scratch
        if scratch is None and out.path not in (None, "-"):
            scratch = str(Path(str(out.path)).parent)
        with ExitStack() as stack:
            executor = None  # this thread
            if self.head and (out.threads > 1 or self.engine not in ("threads", "processes")):
                executor = stack.enter_context(executor_of(self.engine, out.threads))
            yield source.read(
                several=True,
                threads=out.threads,
                head=self.head,
                executor=executor,
                scratch=scratch,
            )
