"""Limits of a call: validated where they are made, and a clock that can be set earlier."""

from __future__ import annotations

import math

import pytest

from partcover import InputError
from partcover.runtime.limits import Deadline, RunLimits


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"time_limit": -1}, "time_limit is -1: it must be a number of at least 0"),
        ({"time_limit": math.nan}, "time_limit is nan"),
        ({"seed": -1}, "seed is -1: it must be a whole number from 0"),
        ({"seed": 2**31}, "seed is 2147483648"),
        ({"threads": 0}, "threads is 0: it must be a whole number from 1"),
        ({"threads": 1.5}, "threads is 1.5: it must be a whole number"),
    ],
)
def test_bad_limits_are_refused(values, message):
    with pytest.raises(InputError, match=message):
        RunLimits(**values)


def test_limits_are_a_value():
    assert RunLimits(2.5, 3, 4) == RunLimits(time_limit=2.5, seed=3, threads=4)
    assert RunLimits(math.inf) == RunLimits(), "an endless limit is none"
    with pytest.raises(AttributeError):
        RunLimits().seed = 1


@pytest.fixture
def clock(monkeypatch):
    now = [100.0]
    monkeypatch.setattr("time.monotonic", lambda: now[0])
    return now


def test_a_deadline(clock):
    deadline = RunLimits(10).start()
    earlier = deadline.earlier(4)
    clock[0] += 5
    assert (deadline.seconds, deadline.left, deadline.end) == (5, 5, 110)
    assert (earlier.seconds, earlier.left, earlier.end) == (5, 1, 106)
    assert deadline.has_time_for(4.9)
    assert not deadline.has_time_for(5)
    clock[0] += 1
    assert earlier.is_over
    assert not deadline.is_over
    clock[0] += 100
    assert (deadline.left, earlier.left) == (0, 0)
    assert deadline.earlier(99).end == 100, "never before the start"


def test_no_limit_is_never_over(clock):
    endless = Deadline()
    clock[0] += 1e12
    assert (endless.left, endless.end, endless.is_over) == (None, math.inf, False)
    assert endless.has_time_for(1e300)
    assert endless.earlier(5).left is None
