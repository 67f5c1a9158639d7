"""Counting in processes and on clusters: the same bytes, and what happens when workers die."""

from __future__ import annotations

import gzip
import os
import signal
import threading
import time
from concurrent.futures import BrokenExecutor, ThreadPoolExecutor
from pathlib import Path

import psutil
import pytest
from shared import in_workers

from partcover import InputError, PartcoverError
from partcover.corpus.counting import count_files
from partcover.corpus.counting.count import CountSettings
from partcover.corpus.counting.count_files import Workers
from partcover.corpus.counting.count_job import CountJob
from partcover.corpus.files.sources import find_sources
from partcover.runtime.processes import engines
from partcover.runtime.processes.engines import executor_of


@pytest.fixture
def texts(tmp_path, monkeypatch):
    """A folder of 24 files, each a shard of its own."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(count_files, "SHARD", 10)
    monkeypatch.setattr(count_files, "LEAST", 10)
    folder = tmp_path / "in"
    folder.mkdir()
    for number in range(24):
        (folder / f"{number:02}.txt").write_text(f"the cat number {number} sat " * (number + 1))
    return folder


def job(path, pretokenizer=in_workers.slow):
    return CountJob(path, find_sources(["in"]), CountSettings(pretokenizer), "in")


def expected(pretokenizer=in_workers.slow):
    with ThreadPoolExecutor(8) as pool:
        job("expected.tsv", pretokenizer).run(Workers(pool, 8))
    return Path("expected.tsv").read_bytes()


def when_begun(path, action):
    """Acts in another thread when two shards of a count are finished."""

    def wait():
        for _ in range(600):
            if len(list(Path(f"{path}.shards").glob("*.run"))) > 1:
                action()
                return
            time.sleep(0.05)

    thread = threading.Thread(target=wait)
    thread.start()
    return thread


@pytest.mark.long
def test_a_killed_process_is_an_error_and_the_rest_goes_on(texts):
    whole = expected()

    def kill():
        children = psutil.Process().children()
        workers = [c for c in children if any("spawn_main" in part for part in c.cmdline())]
        workers[0].kill()

    thread = when_begun("C.tsv", kill)
    with (
        pytest.raises(PartcoverError, match="a worker was lost"),
        executor_of("processes", 2) as executor,
    ):
        job("C.tsv").run(Workers(executor, 2))
    thread.join()
    assert not Path("C.tsv").exists()
    assert job("C.tsv").finished > 1
    with executor_of("processes", 1) as executor:
        job("C.tsv").run(Workers(executor, 1), resume=True)
    assert Path("C.tsv").read_bytes() == whole


@pytest.mark.long
def test_a_process_that_is_killed_loses_its_own_call():
    with executor_of("processes", 2) as executor:
        executor.submit(abs, -1).result()
        beside = executor.submit(time.sleep, 1)
        lost = executor.submit(os._exit, 3)
        with pytest.raises(BrokenExecutor):
            lost.result()
        assert beside.result() is None
        assert executor.submit(abs, -2).result() == 2


def test_an_interrupt_ends_processes_that_are_at_work(monkeypatch):
    ended = []
    close = engines._Worker.close

    def closed(worker):
        worker.process.join()
        ended.append(worker.process.exitcode)
        close(worker)

    def interrupted():
        with executor_of("processes", 2) as executor:
            assert executor.submit(abs, -1).result() == 1
            executor.submit(time.sleep, 300)
            executor.submit(time.sleep, 300)  # its process is just being started, or not yet
            raise KeyboardInterrupt

    monkeypatch.setattr(engines._Worker, "close", closed)
    with pytest.raises(KeyboardInterrupt):
        interrupted()
    assert ended
    assert set(ended) == {-signal.SIGTERM}


@pytest.mark.long
def test_what_goes_wrong_in_a_process_is_told(texts):
    (texts / "00.txt.gz").write_bytes(gzip.compress(b"a" * 100_000)[:-9])
    with executor_of("processes", 1) as executor:
        with pytest.raises(
            InputError, match=r"00\.txt\.gz: cannot be read \(Compressed file ended"
        ):
            job("C.tsv", "gpt2").run(Workers(executor, 1))
        (texts / "00.txt.gz").unlink()
        lost = job("D.tsv", "gpt2")
        (texts / "00.txt").unlink()
        with pytest.raises(InputError, match=r"00\.txt: cannot be read \(No such file"):
            lost.run(Workers(executor, 1))
        with pytest.raises(PartcoverError, match="a worker is out of memory"):
            job("E.tsv", in_workers.hungry).run(Workers(executor, 1))
    assert not any(Path(name).exists() for name in ("C.tsv", "D.tsv", "E.tsv", "E.tsv.shards"))


@pytest.mark.long
@pytest.mark.filterwarnings("default")  # an error would end the thread of Dask's client
def test_dask(texts, scheduler, monkeypatch):
    """A killed worker's shards are counted again, and only once; without a scheduler, an error."""
    process, address = scheduler
    whole = expected()

    distributed = pytest.importorskip("distributed")

    def kill_worker():
        with distributed.Client(address) as client:
            os.kill(min(client.run(os.getpid).values()), signal.SIGKILL)

    with executor_of(f"dask://{address}", 2) as executor:
        thread = when_begun("C.tsv", kill_worker)
        job("C.tsv").run(Workers(executor, 2))
        thread.join()
        assert Path("C.tsv").read_bytes() == whole
        thread = when_begun("D.tsv", process.kill)
        with pytest.raises(PartcoverError, match="a worker was lost"):
            job("D.tsv").run(Workers(executor, 2))
        thread.join()
    assert not Path("D.tsv").exists()
    assert job("D.tsv").finished > 1
    with executor_of("threads", 8) as executor:
        job("D.tsv").run(Workers(executor, 8), resume=True)
    assert Path("D.tsv").read_bytes() == whole
    monkeypatch.setattr(engines, "_CONNECT", 1)
    with (
        pytest.raises(InputError, match="the scheduler does not answer"),
        executor_of("dask://127.0.0.1:1", 1),
    ):
        pass


@pytest.mark.slow
@pytest.mark.filterwarnings("default")
def test_ray(texts):
    pytest.importorskip("ray")
    whole = expected("gpt2")
    with executor_of("ray", 2) as executor:
        job("C.tsv", "gpt2").run(Workers(executor, 2))
    assert Path("C.tsv").read_bytes() == whole


def test_engines_that_are_not_known():
    for name in ("spark", "threads://a:1", "dask://", ""):
        with pytest.raises(InputError, match="unknown engine"), executor_of(name, 1):
            pass
