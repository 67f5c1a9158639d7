"""The demo: an interrupt ends it, wherever it falls."""

from __future__ import annotations

import pytest
from shared.generated_text import generated_words

from partcover.runtime.progress import Progress
from partcover.studies import demo


class Stopped(Progress):
    """Interrupts a method at its first report; the method returns its best so far."""

    def advance(self, *_):
        raise KeyboardInterrupt

    stage = event = advance


@pytest.mark.parametrize(
    ("name", "call"),
    [("compare", 1), ("solve", 1), ("greedtok", 1), ("greedwmc", 1), ("solve", 2)],
)
def test_an_interrupt_ends_it(monkeypatch, name, call):
    method = getattr(demo, name)
    calls = []
    stopped = []

    def interrupted(*given, **options):
        calls.append(given)
        assert not stopped, "nothing runs after an interrupt"
        if len(calls) < call:
            return method(*given, **options)
        stopped.append(method(*given, **options, progress=Stopped()))
        return stopped[0]

    monkeypatch.setattr(demo, "_count", lambda: (generated_words(20), {}))
    monkeypatch.setattr(demo, name, interrupted)
    with pytest.raises(KeyboardInterrupt):
        demo.demo()
    assert len(stopped) == 1
    result = stopped[0]
    assert result.interrupted if name == "compare" else result.termination == "interrupted"
