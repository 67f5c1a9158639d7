"""Says who reads the words outside of a head."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import Executor
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

import click
from click.core import ParameterSource

from ..runtime.processes.engines import executor_of

__all__ = ["Readers"]


@dataclass(frozen=True)
class Readers:
    """Who reads the words, apart from this thread.

    Attributes
    ----------
    engine : str
        What the workers are.
    scratch : str or None
        A folder that all see.
    """

    engine: str
    scratch: str | None

    def refuse(self, *names: str) -> None:
        """Refuses options that have no effect without a head."""
        context = click.get_current_context()
        for name in ("engine", "scratch", *names):
            if context.get_parameter_source(name) is not ParameterSource.DEFAULT:
                raise click.UsageError(f"--{name} needs a head (--head N): leave out --{name}")

    def beside(self, path: str | None) -> Readers:
        """Returns the same with the folder of a file, where no other is given."""
        if self.scratch is not None or path in (None, "-"):
            return self
        return replace(self, scratch=str(Path(path).parent))

    @contextmanager
    def started(self, workers: int, head: int | None) -> Iterator[Executor | None]:
        """Yields the workers; None where there is no head, or this thread is enough."""
        if head is None:
            self.refuse()
            yield None
            return
        if workers == 1 and self.engine in ("threads", "processes"):
            yield None
            return
        with executor_of(self.engine, workers) as executor:
            yield executor
