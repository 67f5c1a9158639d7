"""``partcover train``: methods, their options, and one line for every mistake."""

from __future__ import annotations

import json

import pytest

from partcover import Vocabulary, WordCounts
from partcover.baselines import TRAINERS
from partcover.commands.train import method_options

WORDS = WordCounts.from_counts({"low": 5, "lower": 2, "newest": 6, "widest": 3, "x": 9})


@pytest.fixture
def corpus(run, tmp_path):
    WORDS.save(tmp_path / "C.tsv")
    return "C.tsv"


@pytest.mark.parametrize("method", sorted(TRAINERS.keys() - {"sage"}))  # not ours to install
def test_every_method(run, corpus, method, tmp_path):
    status, out, _ = run("train", corpus, "-k", 3, "--method", method, "-o", "V.json", "--json")
    data = json.loads(out)
    assert status == 0
    assert data["method"] == method
    vocabulary = Vocabulary.load(tmp_path / "V.json")
    assert [t.decode() for t in vocabulary] == data["vocabulary"]
    assert vocabulary.rule == data["rule"]
    assert len(vocabulary) <= 3


def test_a_corpus_too_small_is_said(run, corpus):
    status, out, err = run("train", corpus, "-k", 9, "--method", "frequent", "--json")
    assert (status, json.loads(out)["size"]) == (0, 4)
    assert "nothing left to gain after 4 tokens; k is 9" in err


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--method", "nothing"), "Invalid value for '--method'"),
        ((), "Missing option '--method'"),
        (("--method", "frequent", "--option", "a=1"), "frequent has no options of its own"),
        (("--method", "frequent", "--option", "a"), "--option a: NAME=VALUE is expected"),
        (("--method", "frequent", "--option", "seed=1"), "frequent has no options of its own"),
        (("--method", "frequent", "--required", "V.txt"), "frequent cannot honour required"),
    ],
)
def test_mistakes_are_one_line(run, corpus, arguments, message, tmp_path):
    (tmp_path / "V.txt").write_text("low\n")
    status, out, err = run("train", corpus, "-k", 3, *arguments)
    assert (status, out) == (2, "")
    assert message in err
    assert err.count("\n") == 1


def trainer(instance, *, a: int = 1, b: float | None = None, c: bool = False, d: str = ""):
    """Stand-in for a trainer with options of every type."""


def test_options_get_the_types_of_the_signature():
    assert method_options(trainer, "it", ["a=3", "b=2", "c=true", "d=x=y"]) == {
        "a": 3, "b": 2.0, "c": True, "d": "x=y",
    }  # fmt: skip


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a=1.5", "--option a=1.5: a whole number is expected"),
        ("b=x", "--option b=x: a number is expected"),
        ("c=yes", "--option c=yes: true or false is expected"),
        ("e=1", "--option e=1: it has a, b, c, d"),
    ],
)
def test_bad_values(text, message):
    with pytest.raises(ValueError, match=f"^{message}$"):
        method_options(trainer, "it", [text])
