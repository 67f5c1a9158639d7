"""What ends a process: answered at once, even inside a kernel; the second changes nothing."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator

import pytest

from partcover.__main__ import entry
from partcover.runtime.processes import signals

# a call of minutes that lets other threads run and returns to Python only at its end
KERNEL = (
    "print('ready', flush=True); import hashlib; hashlib.pbkdf2_hmac('sha256', b'', b'', 10**9)"
)
INSTALL = "from partcover.runtime.processes import signals; signals.install(); "


@contextlib.contextmanager
def started(code: str, **options) -> Iterator[subprocess.Popen]:
    """A process that prints "ready" where `code` is at work."""
    with subprocess.Popen(
        [sys.executable, "-c", INSTALL + code],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        **options,
    ) as process:
        try:
            assert process.stdout.readline() == "ready\n"
            yield process
        finally:
            process.kill()


@pytest.mark.long
@pytest.mark.parametrize("sent", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_the_answer_comes_while_a_kernel_runs(sent):
    with started(KERNEL) as process:
        time.sleep(0.2)  # until it is inside
        process.send_signal(sent)
        assert process.stderr.readline() == "partcover: stopping\n"
        process.send_signal(sent)
        assert process.stderr.readline().startswith("partcover: still stopping")
        assert process.poll() is None, "a second signal must not end it"
        process.send_signal(sent)
        assert process.stderr.readline() == "partcover: ended\n"
        assert process.wait(30) == 130


@pytest.mark.long
def test_the_second_does_not_disturb_what_the_first_one_began():
    code = """if True:
        import time
        signals.keeps_best(True)
        try:
            print('ready', flush=True)
            time.sleep(60)
        except KeyboardInterrupt:
            print('first', flush=True)
            time.sleep(1)
            print('kept', flush=True)
    """
    with started("exec(" + repr(code) + ")") as process:
        process.send_signal(signal.SIGINT)
        assert process.stderr.readline() == "partcover: stopping, keeping the best so far\n"
        assert process.stdout.readline() == "first\n"
        process.send_signal(signal.SIGHUP)
        assert process.stdout.read() == "kept\n"
        assert process.wait(30) == 0


def test_a_file_is_written_whole_before_an_interrupt(tmp_path):
    code = f"""if True:
        import signal
        from partcover.runtime.files import writing as files
        def slow(path, real=files.atomic_writer):
            signal.raise_signal(signal.SIGINT)
            return real(path)
        files.atomic_writer = slow
        print('ready', flush=True)
        try:
            files.write_atomic({str(tmp_path / "v.json")!r}, "all of it")
        except KeyboardInterrupt:
            print("interrupted")
    """
    with started("exec(" + repr(code) + ")") as process:
        assert process.stdout.read() == "interrupted\n"
    assert (tmp_path / "v.json").read_text() == "all of it"
    assert [path.name for path in tmp_path.iterdir()] == ["v.json"]


@pytest.mark.skipif(sys.platform == "win32", reason="folders are not locked")
def test_a_folder_that_is_made_during_an_interrupt_is_deleted(tmp_path):
    code = f"""if True:
        import signal
        from pathlib import Path
        from partcover.runtime.files import locks
        def slow(file, path):
            signal.raise_signal(signal.SIGINT)
        locks.lock = slow
        print('ready', flush=True)
        try:
            with locks.held_folder(Path({str(tmp_path / "shards")!r})):
                print("begun")
        except KeyboardInterrupt:
            print("interrupted")
    """
    with started("exec(" + repr(code) + ")") as process:
        assert process.stdout.read() == "interrupted\n"
    assert not [*tmp_path.iterdir()]


@pytest.mark.long
def test_what_is_ignored_stays_ignored():
    def ignore():  # as nohup does
        signal.signal(signal.SIGHUP, signal.SIG_IGN)

    code = "print('ready', flush=True); import time; time.sleep(0.5); print('done')"
    with started(code, preexec_fn=ignore) as process:
        process.send_signal(signal.SIGHUP)
        assert process.stdout.read() == "done\n"


def test_an_interrupt_while_the_package_is_imported():
    code = """if True:
        import sys, time
        class Slow:
            def find_spec(self, name, path=None, target=None):
                if name == "partcover.cli":
                    print("ready", flush=True)
                    time.sleep(60)
        from partcover.__main__ import entry
        sys.meta_path.insert(0, Slow())
        entry()
    """
    with subprocess.Popen(
        [sys.executable, "-c", code], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        try:
            assert process.stdout.readline() == "ready\n"
            process.send_signal(signal.SIGINT)
            assert process.communicate(timeout=600)[1] == "partcover: interrupted\n"
            assert process.returncode == 130
        finally:
            process.kill()


@pytest.mark.parametrize("ignored", [True, False])
def test_an_interrupt_that_is_ignored_stays_so(monkeypatch, ignored):
    seen = []
    monkeypatch.setattr(
        "partcover.cli.main.entry", lambda: seen.append(signal.getsignal(signal.SIGINT))
    )
    before = signal.signal(signal.SIGINT, signal.SIG_IGN if ignored else signal.default_int_handler)
    try:
        entry()
    finally:
        signal.signal(signal.SIGINT, before)
    assert (seen == [signal.SIG_IGN]) is ignored


@pytest.mark.long
def test_an_interrupt_without_an_answer_is_one_line(tmp_path):
    """Of a command with nothing to keep, here while it reads standard input."""
    with subprocess.Popen(
        [sys.executable, "-m", "partcover", "count", "-"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        try:
            process.stdin.write("a b\n" * 300_000)  # more than a pipe holds: it is read
            process.send_signal(signal.SIGINT)
            error = process.communicate(timeout=600)[1]
        finally:
            process.kill()
    assert error == "partcover: stopping\npartcover: interrupted\n"
    assert process.returncode == 130


@pytest.mark.skipif(sys.platform == "win32", reason="no named pipes")
def test_a_pipe_without_a_reader_is_left_at_once(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    write = (
        "print('ready', flush=True); from partcover.runtime.files.writing import write_atomic; "
        f"write_atomic({str(tmp_path / 'pipe')!r}, 'hat')"
    )
    with started(write) as process:
        time.sleep(0.3)
        process.send_signal(signal.SIGINT)
        assert process.communicate(timeout=600)[1].startswith("partcover: stopping\n")
        assert process.returncode != 0


def test_threads_that_save_results_do_not_change_when_the_main_thread_is_interrupted():
    entered, leaves = threading.Event(), threading.Event()

    def saves():
        with signals.deferred():
            entered.set()
            leaves.wait()

    thread = threading.Thread(target=saves)
    thread.start()
    entered.wait()
    assert not signals._State.deferring
    with signals.deferred():
        leaves.set()
        thread.join()
        assert signals._State.deferring
    assert not signals._State.deferring
