"""extend and prune: from a tokenizer's file and a text to the new one, its proof and its ids."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest
from cli.helpers import TEXT, as_json, fails

from partcover import Instance, MergeCondition, Vocabulary, lower_bound
from partcover.vocabulary.unknown import Unknown

EXTEND = ("extend", "V.json", "text.txt", "-m", "2")
KEEP = ("--keep", "news.txt")


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


@pytest.mark.long
@pytest.mark.usefixtures("_files")
def test_the_proof_of_merges_is_about_tokens_that_they_make(run, tmp_path):
    merges = [("t", "h"), ("a", "t"), ("th", "at")]
    base = Vocabulary(["th", "at", "that"], rule="merges", merges=merges, pretokenizer="gpt2")
    base.save(tmp_path / "B.json")
    (tmp_path / "text.txt").write_text("that" * 30)
    assert run("extend", "B.json", "text.txt", "-m", "1", "-o", "E.json",
               "--write-certificate", "E.cert")[0] == 0  # fmt: skip
    assert run("count", "text.txt", "--pretokenizer", "gpt2", "-o", "C.tsv")[0] == 0
    status, _, err = run(
        "verify", "C.tsv", "-k", "4", "--vocab", "E.json", "--certificate", "E.cert"
    )
    assert (status, "give its text and leave out -k" in err) == (6, True)
    (tmp_path / "many.txt").write_text("".join(f"{n:09}\n" for n in range(50)))
    status, _, err = run("verify", "C.tsv", "-k", "4", "--vocab", "many.txt")
    assert (status, err.count("\n")) == (6, 21)
    assert err.endswith("partcover: … and 31 more; --json lists them all\n")
    proof = ("--write-certificate", "P.cert", "--write-instance", "I.json", "-o", "N.json")
    status, data = as_json(run("prune", "B.json", "text.txt", "-k", "2", *proof, "--json"))
    assert (status, data["tokens"], data["lower_bound"]) == (0, 60, 60)
    verify = ("verify", "I.json", "--certificate", "P.cert")
    status, checked = as_json(run(*verify, "--vocab", "N.json", "--json"))
    assert (status, checked["certificate"]["lower_bound"]) == (0, 60)
    of_words = ("C.tsv", "-k", "2", "--certificate", "P.cert", "--vocab", "N.json")
    status, _, err = run("verify", *of_words)
    assert (status, "give the instance of --write-instance" in err) == (6, True)
    pruned = Vocabulary.load(tmp_path / "N.json")
    assert (checked["rule"], checked["tokens_by_rule"]) == ("merges", 60)
    assert checked["certificate"]["gap"] == pytest.approx(data["gap"])  # by merges, too
    for pairs, message in (
        (
            [("t", "h"), ("h", "a"), ("a", "t")],
            "merges 'a' + 't' at this place, the vocabulary 'h'",
        ),
        (None, "other.json: the vocabulary merges by rank, the base by a list of pairs"),
    ):
        tokens = [*pruned, "ha"] if pairs else pruned
        pruned.with_(tokens=tokens, merges=pairs, ids=None).save(tmp_path / "other.json")
        status, _, err = run(*verify, "--vocab", "other.json")
        assert (status, message in err) == (6, True)
    Vocabulary(["at", "that"]).save(tmp_path / "other.json")
    status, _, err = run(*verify, "--vocab", "other.json")
    assert status == 6
    assert "other.json: the instance's merges do not make token 'that'" in err
    fails(run("greedtok", "I.json"), "the instance requires that merges make every token")
    assert as_json(run("bound", "I.json", "--json"))[1]["lower_bound"] == 60
    other = ("C.tsv", "-k", "2", "--start-certificate", "P.cert")
    fails(run("bound", *other), "about other candidates or conditions")
    assert run("prune", "B.json", "text.txt", "-k", "2", *proof, "--time-limit", "0")[0] == 0
    assert as_json(run(*verify, "--json"))[1]["lower_bound"] == 60  # the better proof is kept


@pytest.mark.usefixtures("_files")
def test_a_certificate_does_not_say_which_merges_there_are(run, tmp_path):
    """Of the merges of a bad vocabulary alone, or of none, it would prove that one optimal."""
    words = {"that": 9, "hat": 4, "cat": 2, "what": 3}
    asked = Instance(words, 2, merges=MergeCondition())
    bad = Vocabulary(["th", "wh"], rule="merges", merges=[("t", "h"), ("w", "h")])
    bad.save(tmp_path / "bad.json")
    for pairs in (bad.merges, ()):
        forged = lower_bound(replace(asked, merges=MergeCondition(pairs))).certificate
        forged.save(tmp_path / "forged.cert")
        message = "the certificate is about other candidates or conditions"
        for instance in (replace(asked, merges=None), asked):
            instance.save(tmp_path / "I.json")
            verify = ("verify", "I.json", "--certificate", "forged.cert")
            for vocab in ((), ("--vocab", "bad.json")):
                status, out, err = run(*verify, *vocab)
                assert (status, message in err, "proves optimal" in out) == (6, True, False)
    asked.save(tmp_path / "I.json")
    lower_bound(asked).certificate.save(tmp_path / "P.cert")
    verify = ("verify", "I.json", "--certificate", "P.cert")
    for vocab in ((), ("--vocab", "bad.json")):
        status, out, err = run(*verify, *vocab)
        assert (status, err, "every token is made by merges" in out) == (0, "", True)
        assert as_json(run(*verify, *vocab, "--json"))[1]["condition"] == asked.merges.about


@pytest.mark.usefixtures("_files")
def test_an_extension_for_several_texts_is_verified_with_them(run):
    texts = ("text.txt", "news.txt")
    proof = ("--write-certificate", "P.cert", "-o", "N.json", "--quiet")
    assert run("extend", "V.json", *texts, "-m", "2", *proof)[0] == 0
    verify = ("verify", *texts, "--vocab", "N.json", "--certificate", "P.cert")
    status, checked = as_json(run(*verify, "--json"))
    assert (status, checked["claim_holds"], checked["certificate"]["ok"]) == (0, True, True)
    fails(run(*verify, "-k", "5"), "several inputs need --minimax")


@pytest.mark.usefixtures("_files")
@pytest.mark.parametrize("rule", ["shortest_path", "merges", "likelihood"])
def test_one_command_verifies_an_extension(run, tmp_path, rule):
    base = Vocabulary.load(tmp_path / "V.json")
    scores = {"scores": [-3.0, -3.0, -2.0], "symbol_scores": {" ": -5.0}}
    base.with_(rule=rule, **(scores if rule == "likelihood" else {})).save(tmp_path / "V.json")
    (tmp_path / "texts").mkdir()
    (tmp_path / "text.txt").rename(tmp_path / "texts" / "text.txt")
    weighted = (*KEEP, "--keep-weight", "1/2")
    extend = ("extend", "V.json", "texts", "-m", "2", *weighted, "-o", "N.json", "--json")
    made = as_json(run(*extend, "--write-certificate", "P.cert", "--quiet"))[1]
    verify = ("verify", "texts", "--vocab", "N.json", "--certificate", "P.cert")
    status, checked = as_json(run(*verify, *KEEP, "--json"))
    needed = checked.get("tokens_by_rule", checked["tokens"])
    assert (status, checked["ok"], needed, checked["claim_holds"]) == (
        0,
        True,
        made["tokens"],
        True,
    )
    assert checked["certificate"]["lower_bound"] == made["lower_bound"]
    assert checked["certificate"]["gap"] == pytest.approx(made["gap"])
    by_rank = "every token is made by merges, or is a whole word"
    assert checked.get("condition") == (by_rank if rule == "merges" else None)
    fails(run(*verify), "the corpus to keep has a weight, 1 to 2")
    status, _, error = run(*verify, "--keep", "texts")
    assert (status, "extended for other words or counts" in error) == (6, True)
    data = json.loads((tmp_path / "N.json").read_text())
    facts = data["provenance"]
    for name, message in (
        ("tokens", "the file claims"),
        ("m", "but k is 4"),
        ("m", "the certificate is for k"),
    ):
        changed = {**data, "provenance": {**facts, name: facts[name] - 1}}
        (tmp_path / "N.json").write_text(json.dumps(changed))
        status, _, error = run(*verify, *KEEP)
        assert (status, message in error) == (6, True)


@pytest.mark.usefixtures("_files")
def test_counted_words_and_lists_of_tokens(run, tmp_path):
    assert run("count", "text.txt", "--pretokenizer", "gpt2", "-o", "C.tsv", "--quiet")[0] == 0
    (tmp_path / "tokens.txt").write_text("th\n m\nat\n")
    status, data = as_json(run("extend", "tokens.txt", "C.tsv", "-m", "2", "--json", "--quiet"))
    of_text = as_json(run(*EXTEND, "--json", "--quiet"))[1]
    assert (status, data["new_tokens"]) == (0, of_text["new_tokens"])
    status, out, err = run("prune", "tokens.txt", "C.tsv", "-k", "2")
    assert (status, err) == (0, "")
    for text in ("per word before", "lower bound, 2 tokens kept", "gap"):
        assert text in out


@pytest.mark.usefixtures("_files")
def test_what_is_shown(run):
    status, out, err = run(*EXTEND, "--keep", "news.txt")
    assert (status, err) == (0, "")
    for text in ("corpus to keep", "lower bound, 2 new tokens", "gain", "␣the"):
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
        (["extend", "V.json", "text.txt", "-m", "0"], "0 is not in the range x>=1"),
        (["extend", "V.json", "text.txt", "-m", "-1"], "-1"),
        (["extend", "V.json", "text.txt", "-m", "1", "--at-most", "1%"], "--keep"),
        (["extend", "V.json", "none.txt", "-m", "9999999999"], "m is 9,999,999,999"),
        ([*EXTEND, *KEEP, "--at-most", "much"], "0.1%"),
        (["extend", "V.json", "none.txt", "-m", "1", *KEEP, "--at-most", "-1"], "at_most is -1"),
        ([*EXTEND, *KEEP, "--keep-weight", "1/0"], "not a weight. Expected a value such as 0.5"),
        ([*EXTEND, "--keep", "news.txt", "--at-most", "1e999999999"], "0.1%"),
        ([*EXTEND, "--keep", "news.txt", "--keep-weight", "1e999999999"], "not a weight"),
        ([*EXTEND, "--rule", "single_symbols"], "uses no tokens"),
        ([*EXTEND, "--pretokenizer", "cl100k"], "its pre-tokenizer is gpt2"),
        ([*EXTEND, "-o", "V.json"], "would overwrite"),
        (["verify", "chars.tsv", "--vocab", "chars.json", "-k", "1", *KEEP], "--keep is for"),
        (["extend", "V.json", "V.json", "-m", "1"], "V.json"),
        (["extend", "V.json", "chars.tsv", "-m", "1"], "over chars"),
        (["extend", "none.json", "text.txt", "-m", "1"], "none.json"),
        (["improve", "texts", "-k", "1"], "texts: this is a folder. Run `partcover count` on it"),
        (
            ["extend", "V.json", "text.txt", "-m", "1", "--keep", "chars.tsv"],
            "chars.tsv:1: the words are over chars",
        ),
        (["prune", "V.json", "text.txt", "-k", "4"], "it must be at most 3, the tokenizer"),
        (["prune", "V.json", "text.txt", "-k", "0"], "0 is not in the range x>=1"),
        (["prune", "V.json", "chars.tsv", "-k", "1"], "over chars"),
        (["prune", "chars.json", "chars.tsv", "-k", "1", "--ids", "i.npy"], "--ids"),
    ],
)
def test_mistakes(run, tmp_path, arguments, message):
    (tmp_path / "texts").mkdir()
    (tmp_path / "chars.tsv").write_text("#partcover counts 1 symbols=chars\nhat\t2\n")
    Vocabulary(["ha"], "chars").save(tmp_path / "chars.json")
    fails(run(*arguments), message)
    assert not (tmp_path / "i.npy").exists()


def test_what_has_no_token_is_named(run, tmp_path):
    ids = [number if chr(number) in "aht " else -1 for number in range(256)]
    use = {"special": {"?": 400}, "unknown": Unknown("?"), "pretokenizer": "gpt2"}
    base = Vocabulary(["ha"], ids=[*ids, 300], **use)
    base.save(tmp_path / "V.json")
    (tmp_path / "text.txt").write_text("hat he, that hat")
    for line in (("extend", "-m"), ("prune", "-k")):
        status, _, err = run(line[0], "V.json", "text.txt", line[1], "1", "-o", "N.json")
        assert status == 0
        assert (
            "partcover: The new vocabulary has no token for 2 bytes in 2 words of the corpus, and "
            "uses 2 ? tokens instead. In these words the counts and the bound take each byte "
            "without a token as one token.\n"
        ) in err
    (tmp_path / "text.txt").write_text("hat that hat")
    assert "no token" not in run("extend", "V.json", "text.txt", "-m", "1", "-o", "N.json")[2]
    base.with_(unknown=None).save(tmp_path / "V.json")
    (tmp_path / "text.txt").write_text("hat hat hat e")
    err = run("extend", "V.json", "text.txt", "-m", "1", "-o", "N.json")[2]
    assert "no token for 1 byte in 1 word of the corpus, and reports an error." in err
    (tmp_path / "text.txt").write_text("éé")
    err = run("prune", "V.json", "text.txt", "-k", "1", "-o", "N.json")[2]
    assert "has no token for any part of the corpus." in err


def test_an_extension_of_any_files_is_verified(run, tmp_path):
    """`verify` reads text with the options that `extend` read it with."""
    (tmp_path / "texts").mkdir()
    (tmp_path / "texts" / "a.odd").write_text("banana bandana banana")
    (tmp_path / "b.jsonl").write_text('{"content": "banana bandana banana"}\n')
    base = {"tokens": ["an"], "pretokenizer": "gpt2", "special": {"<s>": 300}}
    (tmp_path / "base.json").write_text(json.dumps(base))
    for text in (("texts", "--all-files"), ("b.jsonl", "--key", "content")):
        assert run("extend", "base.json", *text, "-m", 2, "-o", "E.json", "--time-limit", 1)[0] == 0
        status, found = as_json(run("verify", *text, "--vocab", "E.json", "--json"))
        assert (status, found["ok"], found["claim_holds"]) == (0, True, True)
        _, option, *_ = text
        fails(
            run("verify", *text, "-k", 3, "--vocab", "E.json"),
            f"{option} is for a vocabulary of `extend`: leave out {option}, or leave out -k",
        )
