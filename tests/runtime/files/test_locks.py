"""Two runs that would write the same files: one writes them, and the other says so."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
from pathlib import Path

import pytest

from partcover import InputError, WordCounts
from partcover.runtime.files import locks, writing
from partcover.runtime.files.locks import held_folder, held_output
from partcover.runtime.files.writing import atomic_writer, check_writable, write_atomic
from partcover.runtime.processes import signals

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="no locks of folders")

OPTIONS = ("--pretokenizer", "gpt2", "-o", "C.tsv", "--quiet")


def test_a_folder_is_held_by_one(tmp_path):
    folder = tmp_path / "f"
    with held_folder(folder):
        assert folder.is_dir()
        with (
            pytest.raises(
                InputError,
                match="f: another run is writing this file: wait for it",
            ),
            held_folder(folder),
        ):
            pass
        assert folder.is_dir()
    with held_folder(folder):
        pass
    (tmp_path / "file").write_text("")
    for path in (tmp_path / "file", tmp_path / "none" / "f"):
        with pytest.raises(InputError, match="cannot be written"), held_folder(path):
            pass


def test_a_file_is_held_by_one(tmp_path):
    path = tmp_path / "V.json"
    left = tmp_path / ".V.json.partcover"
    left.write_text("")  # by a run that was killed
    with held_output(path):
        with pytest.raises(
            InputError,
            match=r"V\.json: another run is writing this file: wait for it",
        ):
            held_output(path).__enter__()
        check_writable(path)
        assert left.exists()
        write_atomic(path, "what the one writes")
    assert [each.name for each in tmp_path.iterdir()] == ["V.json"]
    left.symlink_to("V.json")
    with pytest.raises(InputError, match=r"V\.json: cannot be written"), held_output(path):
        pass
    assert path.read_text() == "what the one writes"


@pytest.fixture
def busy_threads():
    """Threads take turns after a hundredth of a millisecond."""
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-5)
    yield
    sys.setswitchinterval(interval)


@pytest.mark.usefixtures("busy_threads")
def test_a_folder_that_others_delete_meanwhile(tmp_path):
    """Each holds it a hundred times, deletes it, and is never in it together with another."""
    folder, inside, met = tmp_path / "f", [], []

    def hold():
        done = 0
        while done < 100:
            try:
                with held_folder(folder):
                    inside.append(1)
                    met.append(len(inside))
                    done += 1
                    inside.pop()
                    shutil.rmtree(folder)
            except InputError:
                os.sched_yield()

    threads = [threading.Thread(target=hold) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert met == [1] * 300


def test_what_killed_runs_have_left_is_removed(tmp_path):
    """Not what is being written, and nothing of other names."""
    left, other = ".C.tsv.abcdefgh.partcover", ".C.tsv.abcdefgh"
    for name in (
        left,
        ".C.tsv.manifest.json.abcdefgh.partcover",
        other,
        ".D.tsv.abcdefgh.partcover",
    ):
        (tmp_path / name).write_text("half")
    with atomic_writer(tmp_path / "C.tsv") as file:
        file.write(b"all")
        check_writable(tmp_path / "C.tsv")
        there = {path.name for path in tmp_path.iterdir()}
    assert len(there) == 3
    assert there > {other, ".D.tsv.abcdefgh.partcover"}
    assert (tmp_path / "C.tsv").read_bytes() == b"all"


def test_what_is_removed_before_it_is_locked_is_made_again(tmp_path, monkeypatch):
    made = tempfile.mkstemp
    names = []

    def removed(*arguments):
        descriptor, name = made(*arguments)
        names.append(name)
        if len(names) < 3:
            Path(name).unlink()
        return descriptor, name

    monkeypatch.setattr(tempfile, "mkstemp", removed)
    write_atomic(tmp_path / "a", "text")
    assert len(names) == 3
    assert [path.name for path in tmp_path.iterdir()] == ["a"]


def test_count_waits_for_nobody(run, tmp_path):
    (tmp_path / "t.txt").write_text("the cat sat on the mat " * 100)
    count = ("count", "t.txt", *OPTIONS)
    with held_folder(tmp_path / "C.tsv.shards"):
        for more in ((), ("--resume",)):
            status, out, error = run(*count, *more)
            assert (status, out, error.count("\n")) == (2, "", 1)
            assert "C.tsv.shards: another run is writing this file: wait for it" in error
        assert (tmp_path / "C.tsv.shards").is_dir()
    assert run(*count)[0] == 0
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        "C.tsv",
        "C.tsv.manifest.json",
        "t.txt",
    ]


@pytest.mark.long
def test_counts_are_of_one_of_two_runs(tmp_path):
    """Two texts are counted into one file at once, several times over."""
    texts = {"a.txt": "the cat sat on the mat " * 5000, "b.txt": "a dog ran to the fog " * 5000}
    expected = {}
    for name, text in texts.items():
        (tmp_path / name).write_text(text)
        expected[name] = WordCounts.from_texts([text], pretokenizer="gpt2").to_dict()
    for _ in range(4):
        started = {
            name: subprocess.Popen(
                [sys.executable, "-m", "partcover", "count", name, *OPTIONS],
                cwd=tmp_path,
                stderr=subprocess.PIPE,
                text=True,
            )
            for name in texts
        }
        done = {}
        for name, process in started.items():
            error = process.communicate()[1]
            done[name] = process.returncode
            assert process.returncode == 0 or "another run is writing this file" in error, error
        assert 0 in done.values()
        winners = [name for name, status in done.items() if status == 0]
        found = WordCounts.load(tmp_path / "C.tsv").to_dict()
        manifest = json.loads((tmp_path / "C.tsv.manifest.json").read_text())
        [source] = {Path(each["path"]).name for each in manifest["inputs"]}
        assert source in winners
        assert found == expected[source]
        assert not (tmp_path / "C.tsv.shards").exists()


@pytest.mark.parametrize("name", ["check_writable", "write_atomic", "atomic_writer", "held_output"])
def test_ctrl_c_just_after_a_file_is_made_leaves_none(tmp_path, monkeypatch, name):
    monkeypatch.setattr(signals._State, "answered", threading.Event())
    signals._State.answered.set()
    made = []

    def then_interrupted(make):
        def call(*arguments):
            made.append(make(*arguments))
            monkeypatch.setattr(signals._State, "raised", False)
            signals._interrupt(signal.SIGINT, None)
            return made[-1]

        return call

    monkeypatch.setattr(writing, "_made_aside", then_interrupted(writing._made_aside))
    monkeypatch.setattr(locks, "lock", then_interrupted(locks.lock))
    path = tmp_path / "C.tsv"
    use = {
        "check_writable": lambda: check_writable(path),
        "write_atomic": lambda: write_atomic(path, "text"),
        "atomic_writer": lambda: atomic_writer(path).__enter__(),
        "held_output": lambda: held_output(path).__enter__(),
    }
    with pytest.raises(KeyboardInterrupt):
        use[name]()
    assert len(made) == 1
    assert [each.name for each in tmp_path.iterdir()] == ["C.tsv"] * (name == "write_atomic")
