"""Runs a generator in its own thread, until it ends or is stopped."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from types import TracebackType


class Background:
    """Runs the steps of a generator in its own thread during a ``with`` block.

    Parameters
    ----------
    steps : iterator
        The generator; the end of the block waits for the current step.

    Examples
    --------
    >>> from partcover.runtime.processes.background import Background
    >>> taken = []
    >>> with Background(taken.append(n) for n in range(3)) as background:
    ...     background.wait(10)
    >>> taken
    [0, 1, 2]
    """

    def __init__(self, steps: Iterator[None]) -> None:
        self._steps = steps
        self._stop = threading.Event()
        self._error: BaseException | None = None
        self._thread = threading.Thread(target=self._run, daemon=True)

    def __enter__(self) -> Background:
        self._thread.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._stop.set()
        self._thread.join()
        if error is None:
            self.check()

    @property
    def is_running(self) -> bool:
        """Whether steps are left and none has failed."""
        return self._thread.is_alive()

    def wait(self, seconds: float) -> None:
        """Waits until the steps end, but at most for some seconds; then checks them."""
        self._thread.join(seconds)
        self.check()

    def check(self) -> None:
        """Raises the error of a step, if there was one."""
        if self._error is not None:
            error, self._error = self._error, None
            raise error

    def _run(self) -> None:
        try:
            for _ in self._steps:
                if self._stop.is_set():
                    break
        except BaseException as error:
            self._error = error
