"""Trainers of other packages, which an entry point names."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import pytest

from partcover import HeadAndTail, InputError, Instance, WordCounts, trainers
from partcover.trainers import TRAINERS, TrainerRegistry

SOURCE = """
import time
from partcover import Vocabulary
from partcover.trainers import solution_of, trainer

@trainer("longest", about="the longest words", supports={"prefix"})
def longest(instance, *, threads=1, shortest: int = 2):
    started = time.monotonic()
    words = sorted((word for word, _ in instance.words), key=len, reverse=True)
    tokens = [word for word in words if len(word) >= shortest][: instance.k]
    vocabulary = Vocabulary(tokens, instance.symbols, "longest")
    return solution_of(instance, vocabulary, started, threads=threads)
"""
ENTRY_POINTS = """[partcover.trainers]
bpe = other_trainers:longest
gone = other_trainers_gone:gone
longest = other_trainers:longest
wrong = other_trainers:longest
"""


@pytest.fixture
def other_package(tmp_path):
    """A folder with a package that names trainers, as pip installs it."""
    folder = tmp_path / "site"
    facts = folder / "other_package-1.0.dist-info"
    facts.mkdir(parents=True)
    (facts / "METADATA").write_text("Metadata-Version: 2.1\nName: other-package\nVersion: 1.0\n")
    (facts / "entry_points.txt").write_text(ENTRY_POINTS)
    (folder / "other_trainers.py").write_text(SOURCE)
    return folder


@pytest.mark.parametrize("name", [*TRAINERS])
def test_a_tail_is_not_left_out(name):
    words = HeadAndTail.of(WordCounts.from_counts({"low": 5, "lowest": 2}), 1)
    with pytest.raises(InputError, match=f"{name} does not support a head and a tail"):
        TRAINERS[name].train(Instance(words, 2))


def test_a_trainer_of_another_package_is_there_by_name(other_package, monkeypatch):
    monkeypatch.syspath_prepend(other_package)
    registry = TrainerRegistry({"bpe": TRAINERS["bpe"]})
    assert list(registry) == ["bpe", "gone", "longest", "wrong"]
    assert len(registry) == 4
    assert "longest" in registry
    assert "other_trainers" not in sys.modules  # not before it is asked for
    longest = registry["longest"]
    assert (longest.name, longest.about, longest.takes_time) == (
        "longest",
        "the longest words",
        False,
    )
    solution = longest.train(Instance({"low": 5, "lowest": 2}, 1), time_limit=3, seed=4, threads=2)
    assert solution.vocabulary.tokens == (b"lowest",)
    assert (solution.seed, solution.threads) == (4, 2)
    with pytest.raises(InputError, match="longest does not support max_length"):
        longest.check(Instance({"low": 5}, 1, max_length=3))
    assert registry["bpe"] is TRAINERS["bpe"]  # theirs does not replace it
    with pytest.raises(InputError, match=r"gone of other-package cannot be loaded \(other_trai"):
        registry["gone"]
    with pytest.raises(InputError, match="of other-package declares no trainer wrong: decorate"):
        registry["wrong"]
    with pytest.raises(InputError, match="unknown trainer 'longset': did you mean longest"):
        registry["longset"]
    with pytest.raises(InputError, match="longest has no option sed: did you mean"):
        longest.train(Instance({"low": 5}, 1), sed=4)
    with pytest.raises(InputError, match="bpe has no option thread: did you mean threads"):
        trainers.bpe(Instance({"low": 5}, 1), thread=2)
    assert registry.get("nothing") is None


@pytest.mark.long
def test_the_commands_list_and_run_it(other_package, tmp_path):
    (tmp_path / "C.tsv").write_text("low\t5\nlowest\t2\n")
    environment = {**os.environ, "PYTHONPATH": str(other_package)}

    def run(*arguments):
        line = [sys.executable, "-m", "partcover", *arguments]
        return subprocess.run(line, cwd=tmp_path, env=environment, capture_output=True, text=True)

    help_ = run("train", "--help")
    assert help_.returncode == 0
    assert "the longest words" in help_.stdout
    assert "gone of other-package" in " ".join(help_.stdout.split())
    line = ["train", "C.tsv", "-k", "2", "--method", "longest", "--option", "shortest=4", "--json"]
    solution = json.loads(run(*line).stdout)
    assert (solution["method"], solution["tokens"]) == ("longest", 17)
    assert solution["vocabulary"] == ["lowest"]
    rows = json.loads(run("compare", "C.tsv", "-k", "1", "--methods", "longest", "--json").stdout)
    assert [row["tokens"] for row in rows["rows"] if row["method"] == "longest"] == [17]
    gone = run("train", "C.tsv", "-k", "2", "--method", "gone")
    assert gone.returncode == 2
    assert "cannot be loaded" in gone.stderr
