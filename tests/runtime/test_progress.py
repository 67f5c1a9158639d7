"""Progress: a class that does nothing, whose subclasses hear what they ask for."""

from __future__ import annotations

import pytest

from partcover import EventLog, InputError, Instance, Progress, greedtok, improve, solve
from partcover.runtime.progress import Event, gap_of

INSTANCE = Instance({"banana": 2, "bandana": 1, "ananas": 3}, 2)


def test_a_progress_does_nothing():
    progress = Progress()
    progress.advance(1, None)
    progress.stage("a part")
    progress.event(Event(0.0, "bound", None, 3, "prices"))
    for call in (greedtok, improve, solve):
        with_progress, without = call(INSTANCE, progress=progress), call(INSTANCE)
        assert with_progress.vocabulary == without.vocabulary


def test_a_function_is_no_progress():
    with pytest.raises(
        InputError, match="progress is a builtin_function_or_method: it must be a Progress"
    ):
        greedtok(INSTANCE, progress=print)


def test_events_are_kept_in_order():
    log = EventLog()
    solution = improve(INSTANCE, progress=log)
    kinds = [event.kind for event in log.events]
    assert kinds[0] == "phase"
    assert {"incumbent", "bound"} <= set(kinds)
    assert (log.events[-1].tokens, log.events[-1].lower_bound) == (
        solution.tokens,
        solution.lower_bound,
    )


def test_gaps():
    assert gap_of(100, 95) == 0.05
    assert gap_of(0, 0) == 0
    assert gap_of(None, 3) is gap_of(3, None) is None
