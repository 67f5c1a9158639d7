"""extend and prune: from a tokenizer's file and a text to the new one, its proof and its ids."""

from __future__ import annotations

import json

import numpy as np
import pytest
from cli.helpers import TEXT, as_json, fails

from partcover import Vocabulary

EXTEND = ("extend", "V.json", "text.txt", "-m", "2")


@pytest.fixture
def _files(tmp_path):
    Vocabulary(["th", " m", "at"], pretokenizer="gpt2", special=["<s>"]).save(tmp_path / "V.json")
    (tmp_path / "text.txt").write_text(TEXT)
    (tmp_path / "news.txt").write_text("the theme of the other hat\n")


@pytest.mark.usefixtures("_files")
def test_extend(run, tmp_path):
    more = ("--keep", "news.txt", "--keep-weight", "1/2", "--at-most", "0.1%")
    proof = ("--write-certificate", "P.cert", "--write-instance", "I.json")
    status, data = as_json(run(*EXTEND, *more, *proof, "-o", "N.json", "--json", "--quiet"))
    assert (status, data["added"], data["new_ids"]) == (0, 2, [260, 261])
    new = Vocabulary.load(tmp_path / "N.json")
    assert (len(new), new.special) == (5, {"<s>": 259})
    assert data["keep"]["after"] <= data["keep_limit"] == data["keep"]["before"]
    assert data["tokens"] == 2 * data["corpus"]["after"] + data["keep"]["after"]
    verify = ("verify", "I.json", "--vocab", "N.json", "--certificate", "P.cert", "--json")
    status, checked = as_json(run(*verify))
    assert (status, checked["tokens"], checked["claim_holds"]) == (0, data["tokens"], True)
    assert checked["certificate"]["lower_bound"] == data["lower_bound"]


@pytest.mark.usefixtures("_files")
def test_the_proof_of_merges_is_about_tokens_that_they_make(run, tmp_path):
    merges = [("t", "h"), ("a", "t"), ("th", "at")]
    base = Vocabulary(["th", "at", "that"], rule="merges", merges=merges, pretokenizer="gpt2")
    base.save(tmp_path / "B.json")
    (tmp_path / "text.txt").write_text("that" * 30)
    proof = ("--write-certificate", "P.cert", "--write-instance", "I.json", "-o", "N.json")
    status, data = as_json(run("prune", "B.json", "text.txt", "-k", "2", *proof, "--json"))
    assert (status, data["tokens"], data["lower_bound"]) == (0, 60, 40)
    verify = ("verify", "I.json", "--certificate", "P.cert")
    status, checked = as_json(run(*verify, "--vocab", "N.json", "--json"))
    assert (status, checked["certificate"]["lower_bound"]) == (0, 40)
    Vocabulary(["at", "that"]).save(tmp_path / "other.json")
    status, _, err = run(*verify, "--vocab", "other.json")
    assert status == 6
    assert "P.cert: it is about tokens that merges make, and they make no 'that'" in err
    status, _, err = run("bound", "I.json", "--start-certificate", "P.cert")
    assert status == 2
    assert "this is a certificate of merges" in err
    assert run("prune", "B.json", "text.txt", "-k", "2", *proof, "--time-limit", "0")[0] == 0
    assert as_json(run(*verify, "--json"))[1]["lower_bound"] == 40  # the better proof is kept


@pytest.mark.usefixtures("_files")
def test_counted_words_and_lists_of_tokens(run, tmp_path):
    assert run("count", "text.txt", "--pretokenizer", "gpt2", "-o", "C.tsv", "--quiet")[0] == 0
    (tmp_path / "tokens.txt").write_text("th\n m\nat\n")
    status, data = as_json(run("extend", "tokens.txt", "C.tsv", "-m", "2", "--json", "--quiet"))
    of_text = as_json(run(*EXTEND, "--json", "--quiet"))[1]
    assert (status, data["new_tokens"]) == (0, of_text["new_tokens"])
    status, out, err = run("prune", "tokens.txt", "C.tsv", "-k", "2")
    assert (status, err) == (0, "")
    for text in ("tokens before", "with any 2 of its tokens, at least", "gap"):
        assert text in out


@pytest.mark.usefixtures("_files")
def test_what_is_shown(run):
    status, out, err = run(*EXTEND, "--keep", "news.txt")
    assert (status, err) == (0, "")
    for text in ("the corpus to keep", "with any 2 more, at least", "gains", "␣the"):
        assert text in out


@pytest.mark.usefixtures("_files")
def test_prune(run, tmp_path):
    arguments = ("prune", "V.json", "text.txt", "-k", "2", "-o", "N.json", "--ids", "ids.npy")
    status, data = as_json(run(*arguments, "--json", "--quiet"))
    assert (status, data["size"], data["ids_before"], data["ids_after"]) == (0, 2, 260, 259)
    new = Vocabulary.load(tmp_path / "N.json")
    ids = np.load(tmp_path / "ids.npy")
    assert ids.shape == (260,)
    assert ids[259] == new.special["<s>"] == 258
    assert sorted(ids.tolist()) == [-1, *range(259)]
    assert json.loads((tmp_path / "N.json").read_text())["provenance"]["tokens"] == data["tokens"]


@pytest.mark.usefixtures("_files")
@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["extend", "V.json", "text.txt", "-m", "0"], "m is 0"),
        (["extend", "V.json", "text.txt", "-m", "-1"], "-1"),
        (["extend", "V.json", "text.txt", "-m", "1", "--at-most", "1%"], "--keep"),
        ([*EXTEND, "--keep", "news.txt", "--at-most", "much"], "0.1%"),
        ([*EXTEND, "--keep", "news.txt", "--at-most", "1e999999999"], "0.1%"),
        ([*EXTEND, "--keep", "news.txt", "--keep-weight", "1e999999999"], "not a share"),
        ([*EXTEND, "--rule", "single_symbols"], "uses no tokens"),
        ([*EXTEND, "--pretokenizer", "cl100k"], "its pre-tokenizer is gpt2"),
        ([*EXTEND, "-o", "V.json"], "would overwrite"),
        (["extend", "V.json", "V.json", "-m", "1"], "V.json"),
        (["extend", "V.json", "chars.tsv", "-m", "1"], "over chars"),
        (["extend", "none.json", "text.txt", "-m", "1"], "none.json"),
        (["prune", "V.json", "text.txt", "-k", "4"], "the base has 3 tokens"),
        (["prune", "V.json", "text.txt", "-k", "0"], "k is 0"),
        (["prune", "V.json", "chars.tsv", "-k", "1"], "over chars"),
        (["prune", "chars.json", "chars.tsv", "-k", "1", "--ids", "i.npy"], "--ids"),
    ],
)
def test_mistakes(run, tmp_path, arguments, message):
    (tmp_path / "chars.tsv").write_text("#partcover counts 1 symbols=chars\nhat\t2\n")
    Vocabulary(["ha"], "chars").save(tmp_path / "chars.json")
    fails(run(*arguments), message)
    assert not (tmp_path / "i.npy").exists()
