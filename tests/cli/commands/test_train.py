"""``partcover train``: methods, their options, and one line for every mistake."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import replace

import pytest

import partcover
from partcover import InputError, Instance, Vocabulary, WordCounts
from partcover.cli.commands.choose.train import method_options
from partcover.trainers import TRAINERS

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


@pytest.mark.parametrize("method", ["superbpe", "boundlessbpe"])
def test_words_that_are_no_phrases_are_remarked(run, corpus, tmp_path, method):
    remark = f"so {method} gives the result of bpe"
    assert remark in run("train", corpus, "-k", 3, "--method", method)[2]
    phrases = WordCounts.from_texts(["one of the ways"], pretokenizer="gpt2+phrases")
    phrases.save(tmp_path / "P.tsv")
    assert remark not in run("train", "P.tsv", "-k", 3, "--method", method)[2]


def test_options_stand_in_the_provenance(run, corpus, tmp_path):
    arguments = ("train", corpus, "-k", 3, "--method", "unigram", "--option", "shrink=0.5")
    status, out, _ = run(*arguments, "-o", "V.json", "--json")
    assert (status, json.loads(out)["options"]) == (0, {"shrink": 0.5})
    provenance = Vocabulary.load(tmp_path / "V.json").provenance
    assert provenance["options"] == {"shrink": 0.5}
    assert provenance["corpus_sha256"] == WORDS.digest


def test_a_vocabulary_is_recorded_from_python():
    vocabulary = TRAINERS["bpe"].run(Instance(WORDS, 3)).recorded(WORDS, note="n")
    said = vocabulary.provenance
    assert (said["note"], said["method"], said["corpus_sha256"]) == ("n", "bpe", WORDS.digest)
    assert said["partcover"] == partcover.__version__
    none = replace(TRAINERS["bpe"].run(Instance(WORDS, 3)), vocabulary=None, status="infeasible")
    with pytest.raises(InputError, match="no vocabulary to save: the status is"):
        none.recorded(WORDS)


@pytest.mark.parametrize(
    "method", [("greedtok",), ("greedwmc",), ("improve",), ("solve",), ("train", "--method", "bpe")]
)
def test_vocabularies_say_how_text_becomes_words(run, corpus, method, tmp_path):
    given = (*method, corpus, "-k", 3, "--quiet", "-o", "V.json", "--json")
    status, out, _ = run(*given, "--pretokenizer", "gpt2")
    assert (status, json.loads(out)["pretokenizer"]) == (0, "gpt2")
    assert Vocabulary.load(tmp_path / "V.json").pretokenizer == "gpt2"
    status, _, err = run(*given, "--pretokenizer", "gpt3")
    assert (status, err.count("\n")) == (2, 1)
    assert "unknown pre-tokenizer 'gpt3'" in err


@pytest.mark.parametrize("method", ["bytes", "frequent", "randtrain"])
def test_a_time_limit_is_refused_where_there_is_nothing_to_cut(run, corpus, method):
    given = ("train", corpus, "--method", method, "-k", 3, "--quiet")
    assert run(*given)[0] == 0
    status, _, err = run(*given, "--time-limit", 5)
    assert (status, f"{method} takes no time limit" in err) == (2, True)


def test_no_vocabulary_leaves_tokens_out_of_tables_too(run, corpus):
    given = ("greedtok", corpus, "-k", 3, "--quiet")
    assert "tokens: " in run(*given)[1]
    status, out, _ = run(*given, "--no-vocabulary")
    assert (status, "tokens: " in out, "tokens chosen" in out) == (0, False, True)


@pytest.mark.long
@pytest.mark.parametrize("more", [(), ("--json",)])
def test_a_reader_that_leaves_early_costs_no_file(corpus, more, tmp_path):
    """As ``head``: the table or the object meets a closed pipe."""
    code = "from partcover.cli import main as cli; cli.main()"
    arguments = ("greedtok", corpus, "-k", "3", "-o", "V.json", *more)
    read, write = os.pipe()
    os.close(read)
    with os.fdopen(write, "wb") as pipe:
        done = subprocess.run(
            [sys.executable, "-c", code, *arguments], stdout=pipe, stderr=subprocess.PIPE
        )
    assert (done.returncode, done.stderr) == (0, b"partcover: wrote V.json\n")
    assert len(Vocabulary.load(tmp_path / "V.json")) == 3


@pytest.mark.parametrize(
    ("method", "size"), [("frequent", 4), ("bpe", 12), ("unigram", 15), ("greedyphrase", 4)]
)
def test_a_corpus_too_small_is_said(run, corpus, method, size):
    status, out, err = run("train", corpus, "-k", 20, "--method", method, "--json")
    assert (status, json.loads(out)["size"]) == (0, size)
    assert f"only {size} of k = 20 tokens chosen" in err


def test_what_pathpiece_begins_with_may_be_too_little(run, corpus):
    few = ("--option", "initial_size=3")
    for k, options, left in ((40, (), True), (20, (), False), (20, few, False)):
        status, out, err = run(
            "train", corpus, "-k", k, "--method", "pathpiece", *options, "--json"
        )
        assert (status, json.loads(out)["nothing_left_to_gain"]) == (0, left)
        assert ("only 36 of k = " in err) == left


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--method", "nothing"), "Invalid value for '--method'"),
        ((), "Missing option '--method'"),
        (("--method", "frequent", "--option", "a=1"), "frequent has no option a: "),
        (("--method", "frequent", "--option", "a"), "--option a: expected NAME=VALUE"),
        (("--method", "frequent", "--option", "seed=1"), "--option seed=1: expected NAME=VALUE"),
        (("--method", "frequent", "--required", "V.txt"), "frequent does not support required"),
    ],
)
def test_mistakes_are_one_line(run, corpus, arguments, message, tmp_path):
    (tmp_path / "V.txt").write_text("low\n")
    status, out, err = run("train", corpus, "-k", 3, *arguments)
    assert (status, out) == (2, "")
    assert message in err
    assert err.count("\n") == 1


def test_options_are_json_or_text():
    assert method_options(["a=3", "b=2.5", "c=true", "d=x=y", 'e="3"', "f=1_0"]) == {
        "a": 3, "b": 2.5, "c": True, "d": "x=y", "e": "3", "f": "1_0",
    }  # fmt: skip


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("em_rounds=x", "em_rounds is 'x': "),
        ("shrink=x", "shrink is 'x': "),
        ("rounds=1", "unigram has no option rounds: "),
    ],
)
@pytest.mark.parametrize("more", [(), ("--plan",)])
def test_bad_values(run, corpus, text, message, more):
    status, out, err = run("train", corpus, "-k", 3, "--method", "unigram", "--option", text, *more)
    assert (status, out, err.count("\n")) == (2, "", 1)
    assert message in err or (more and "the type of an option is wrong" in err)
