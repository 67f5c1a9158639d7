"""Threads share jobs, and their results come in the order of the jobs."""

from __future__ import annotations

import signal
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext

import pytest

from partcover.runtime.processes.parallel import shared_in_order

PATIENCE = 60  # seconds, so that a defect fails instead of hanging


@pytest.mark.parametrize("threads", [2, 3, 7])
def test_every_result_is_taken_once_in_order(threads):
    taken: list[int] = []
    shared_in_order(nullcontext, lambda _, job: job * job, range(50), threads, taken.append)
    assert taken == [job * job for job in range(50)]


def test_a_thread_goes_on_while_another_is_slow():
    fourth = threading.Event()

    def work(_, job):
        if job == 0:
            assert fourth.wait(PATIENCE)  # no result can be taken before
        if job == 3:
            fourth.set()
        return job

    taken: list[int] = []
    shared_in_order(nullcontext, work, range(6), 2, taken.append)
    assert taken == [*range(6)]


def test_each_thread_is_lent_its_own():
    both = threading.Barrier(2)
    lent: list[object] = []
    back: list[object] = []

    @contextmanager
    def lend() -> Iterator[object]:
        own = object()
        lent.append(own)
        yield own
        back.append(own)

    def work(own, job):
        if job < 2:
            both.wait(PATIENCE)  # so both threads have a job
        return threading.get_ident(), own

    taken: list[tuple[int, object]] = []
    shared_in_order(lend, work, range(20), 2, taken.append)
    assert len(lent) == len({*taken}) == 2
    assert {*back} == {*lent}


def test_the_error_of_the_first_job_is_raised_and_no_job_begins_after_it():
    failed = threading.Event()
    begun: list[int] = []

    def work(_, job):
        begun.append(job)
        if job == 0:
            assert failed.wait(PATIENCE)
            raise ValueError("the first")
        failed.set()
        raise ValueError("the second")

    taken: list[int] = []
    with pytest.raises(ValueError, match="the first"):
        shared_in_order(nullcontext, work, range(1000), 2, taken.append)
    assert {*begun} == {0, 1}
    assert not taken


def test_an_error_of_the_jobs_comes_after_the_results_before_it():
    def jobs() -> Iterator[int]:
        yield from range(5)
        raise ValueError("no sixth")

    taken: list[int] = []
    with pytest.raises(ValueError, match="no sixth"):
        shared_in_order(nullcontext, lambda _, job: job, jobs(), 2, taken.append)
    assert taken == [*range(5)]


@pytest.mark.parametrize("error", [ValueError, KeyboardInterrupt])
def test_after_an_error_other_threads_begin_no_job(error):
    main = threading.get_ident()
    went_on: list[bool] = []

    def work(_, job):
        if threading.get_ident() == main:
            raise error

    def jobs() -> Iterator[int]:
        patience = time.monotonic() + PATIENCE
        while time.monotonic() < patience:
            yield 0
        went_on.append(True)

    with pytest.raises(error):
        shared_in_order(nullcontext, work, jobs(), 2, lambda _: None)
    assert not went_on


@pytest.mark.skipif(sys.platform == "win32", reason="no signal for one thread")
def test_after_ctrl_c_while_it_waits_other_threads_begin_no_job():
    main, ended = threading.main_thread(), threading.Event()
    begun: list[int] = []

    class Jobs(Iterator[int]):
        """No job for this thread, and endless ones for the other."""

        def __next__(self) -> int:
            if threading.current_thread() is main:
                raise StopIteration
            return len(begun)

    def work(_, job):
        begun.append(job)
        if job == 3:
            signal.pthread_kill(main.ident, signal.SIGINT)
        time.sleep(0.001)

    @contextmanager
    def lend() -> Iterator[None]:
        yield
        if threading.current_thread() is not main:
            ended.set()

    with pytest.raises(KeyboardInterrupt):
        shared_in_order(lend, work, Jobs(), 2, lambda _: None)
    assert ended.wait(PATIENCE)
