"""A `Progress` that hands what it gets to functions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from partcover.runtime.progress import Event, Progress


def _nothing(*_: Any) -> None:
    pass


class Listener(Progress):
    """Calls the functions given with what is reported; an exception of theirs goes on."""

    def __init__(
        self,
        *,
        advance: Callable[[float, float | None, str], object] = _nothing,
        stage: Callable[[str], object] = _nothing,
        event: Callable[[Event], object] = _nothing,
    ) -> None:
        self._advance, self._stage, self._event = advance, stage, event

    def advance(self, done: float, total: float | None, remark: str = "") -> None:
        self._advance(done, total, remark)

    def stage(self, name: str) -> None:
        self._stage(name)

    def event(self, event: Event) -> None:
        self._event(event)
