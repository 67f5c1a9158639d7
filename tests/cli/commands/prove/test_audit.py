"""audit: from a tokenizer's file and a text to the answer, the page and the proof."""

from __future__ import annotations

import json
import os
from base64 import b64encode
from pathlib import Path

import pytest
from cli.helpers import TEXT, as_json, fails

from partcover import Encoder, Vocabulary

TOKENS = [b"th", b"the", b" the", b" m", b"at", b" mat", b"zzz"]


@pytest.fixture
def tokenizer(tmp_path):
    """A rank file of tiktoken, for words of GPT-2."""
    listed = [bytes([byte]) for byte in range(256)] + TOKENS
    lines = [b"%s %d\n" % (b64encode(token), rank) for rank, token in enumerate(listed)]
    (tmp_path / "small.tiktoken").write_bytes(b"".join(lines))
    (tmp_path / "text.txt").write_text(TEXT)
    return "small.tiktoken"


def test_a_tokenizer_of_another_library(run, tmp_path, tokenizer):
    arguments = ("audit", tokenizer, "text.txt", "--pretokenizer", "gpt2")
    status, data = as_json(run(*arguments, "--write-certificate", "P.cert", "--json", "--quiet"))
    assert status == 0
    assert (data["tokenizer"], data["rule"], data["pretokenizer"]) == (tokenizer, "merges", "gpt2")
    assert (data["size"], data["bytes"], data["unreachable"]) == (7, len(TEXT), 0)
    assert data["used"] + data["never_used"] == 7
    assert data["tokens"] >= data["tokens_used"] >= data["lower_bound_used"] >= data["lower_bound"]
    assert data["costly_words"][0]["loss"] > 0
    assert data["additions"][-1]["saves"] > 0
    # the proof holds for the text as `count` counts it
    assert run("count", "text.txt", "--pretokenizer", "gpt2", "-o", "C.tsv", "--quiet")[0] == 0
    verify = ("verify", "C.tsv", "-k", "7", "--certificate", "P.cert")
    status, checked = as_json(run(*verify, "--json"))
    assert (status, checked["lower_bound"]) == (0, data["lower_bound"])
    # and an audit may go on from it
    status, again = as_json(
        run(*arguments, "--start-certificate", "P.cert", "--time-limit", "0", "--json", "--quiet")
    )
    assert (status, again["lower_bound"]) == (0, data["lower_bound"])


def test_what_a_tokenizer_does_not_know_is_said(run, tmp_path):
    (tmp_path / "vocab.txt").write_text("[PAD]\n[UNK]\n[CLS]\n[SEP]\n[MASK]\nha\n##t\na\n")
    (tmp_path / "text.txt").write_text("hat ha? hat")
    status, data = as_json(run("audit", "vocab.txt", "text.txt", "--json", "--quiet"))
    assert (status, data["unknown"]) == (0, 1)  # the ?, and no mark
    assert (data["unknown_tokens"], data["unknown_words"], data["unknown_token"]) == (1, 1, "[UNK]")
    assert (data["own_tokens"], data["tokens"], data["rounding"]) == (6, 5, 0)
    assert data["own_lower_bound"] == data["lower_bound"] + 1
    status, out, err = run("audit", "vocab.txt", "text.txt")
    shown = " ".join(out.split())
    assert "unknown tokens 1 –" in shown
    assert "bytes without a token 1" in shown
    assert "no token for 1 byte in 1 word and uses 1 [UNK] token instead. All other" in err
    # without a token for them its library ends with an error: there is no count, but a bound
    loaded = Vocabulary.load(tmp_path / "vocab.txt").with_(unknown=None)
    loaded.save(tmp_path / "V.json")
    status, data = as_json(run("audit", "V.json", "text.txt", "--json", "--quiet"))
    assert (status, data["own_tokens"], data["unknown_token"]) == (0, None, None)
    assert (data["tokens"], data["unknown"], data["unknown_tokens"]) == (5, 1, 0)
    _, _, err = run("audit", "V.json", "text.txt")
    assert "in 1 word and reports an error" in err
    (tmp_path / "text.txt").write_text("? ?")
    fails(run("audit", "vocab.txt", "text.txt"), "has no token for any part of the text")


def test_the_tokenizers_own_count_comes_first(run, tmp_path, tokenizer):
    vocabulary = Vocabulary.load(tmp_path / tokenizer)
    added = vocabulary.with_(special=["the cat"], special_flags={"the cat": ["added"]})
    added.with_(pretokenizer="gpt2").save(tmp_path / "added.json")
    (tmp_path / "more.txt").write_text("the cat, the cat; the hat")
    status, data = as_json(run("audit", "added.json", "more.txt", "--json", "--quiet"))
    own = Encoder(Vocabulary.load(tmp_path / "added.json")).count("the cat, the cat; the hat")
    assert (status, data["own_tokens"]) == (0, own)
    assert data["added_found"] == {"the cat": 2}
    assert own == data["tokens"] + 2
    proof = ("--write-certificate", "P.cert", "--write-instance", "I.json")
    _, out, err = run("audit", "added.json", "more.txt", *proof)
    rows = [line.split() for line in out.splitlines()]
    assert f"tokens of the text {own} –".split() in rows
    assert ["added", "tokens", "2", "–"] in rows
    assert f"lower bound, tokens of the text {data['own_lower_bound']} –".split() in rows
    assert "The text contains 1 added token of the tokenizer 2 times" in err
    status, checked = as_json(run("verify", "I.json", "--certificate", "P.cert", "--json"))
    assert (status, checked["lower_bound"]) == (0, data["lower_bound"])
    page = ("audit", "added.json", "more.txt", "-o", "page.html", "--quiet")
    pytest.importorskip("jinja2")
    assert run(*page)[0] == 0
    assert "added token of the tokenizer 2 times" in (tmp_path / "page.html").read_text("utf-8")


@pytest.mark.skipif(not Path("/dev/fd").exists(), reason="needs /dev/fd")
def test_a_pipe_is_read_once(run, tokenizer):
    options = ("--pretokenizer", "gpt2", "--json", "--quiet")
    _, whole = as_json(run("audit", tokenizer, "text.txt", *options))
    pipe, end = os.pipe()
    os.write(end, TEXT.encode())
    os.close(end)
    status, piped = as_json(run("audit", tokenizer, f"/dev/fd/{pipe}", *options))
    os.close(pipe)
    assert (status, piped["own_tokens"], piped["rounding"]) == (0, None, 0)
    assert piped["tokens"] == whole["tokens"] == whole["own_tokens"]


def test_tokens_that_reach_across_words(run, tmp_path):
    text = "in the house of the cat, in the hat of the house\n" * 3
    (tmp_path / "text.txt").write_text(text)
    tokens = [" the", "in the", " of the", " house of"]
    Vocabulary(tokens, rule="longest_match", pretokenizer="none").save(tmp_path / "V.json")
    status, data = as_json(run("audit", "V.json", "text.txt", "--json", "--quiet"))
    assert (status, data["split_at_spaces"], data["tokens_across"]) == (0, True, 3)
    assert data["own_tokens"] == data["tokens"] >= data["tokens_used"] >= data["lower_bound_used"]
    _, _, err = run("audit", "V.json", "text.txt")
    assert "3 of its tokens in the text contain a space after another character" in err
    status, _, err = run("extend", "V.json", "text.txt", "-m", "2", "-o", "E.json")
    assert status == 0
    assert "new tokens lie within words, and the bound holds for such tokens" in err
    assert run("prune", "V.json", "text.txt", "-k", "2", "-o", "K.json", "--quiet")[0] == 0


def test_long_parts_without_spaces(run, tmp_path):
    (tmp_path / "text.txt").write_text("abcd" * 600 + " ab")
    Vocabulary(["abc", "ab"], pretokenizer="none").save(tmp_path / "V.json")
    status, data = as_json(run("audit", "V.json", "text.txt", "--json", "--quiet"))
    assert (status, data["max_length"], data["tokens"]) == (0, 3, 1202)
    assert 800 < data["lower_bound"] <= data["tokens"]
    _, out, err = run("audit", "V.json", "text.txt")
    assert "The bounds hold for tokens of at most 3 bytes" in err
    assert "longest candidate, bytes 3" in " ".join(out.split())


def test_a_gap_above_the_largest_allowed(run, tokenizer):
    arguments = ("audit", tokenizer, "text.txt", "--pretokenizer", "gpt2", "--time-limit", "0")
    status, data = as_json(run(*arguments, "--json", "--quiet"))
    excess, tokens = data["tokens"] - data["lower_bound"], data["tokens"]
    assert (status, excess > 0) == (0, True)
    exact = (*arguments, "--quiet", "--max-gap")
    assert run(*exact, f"{excess}/{tokens}")[0] == 0
    assert run(*exact, "100%")[0] == 0
    status, out, err = run(*exact, f"{excess - 1}/{tokens}", "-o", "result.json")
    assert (status, "gap" in out) == (7, True)
    assert err == (
        f"partcover: the gap is {data['gap']:.3%}, above --max-gap {(excess - 1) / tokens:.3%}: "
        f"{excess} of {tokens} tokens more than the lower bound\n"
    )
    # 10 is not ten percent, and no gap would be above it
    fails(run(*exact, "10"), "--max-gap is 1000%: expected a share from 0% to 100%")
    fails(run(*exact, "much"), "'much' is not a share. Expected a value such as 0.1% or 0.001.")


def test_what_is_shown(run, tokenizer):
    status, out, err = run("audit", tokenizer, "text.txt", "--pretokenizer", "gpt2", "--top", "2")
    assert status == 0
    assert "for this text alone" in err
    for text in ("tokens needed, merges", "bytes per token", "gap", "Costliest words", "␣cat"):
        assert text in out


@pytest.mark.long
def test_a_page(run, tmp_path, tokenizer):
    pytest.importorskip("jinja2")
    Vocabulary(["th", " m"], pretokenizer="gpt2").save(tmp_path / "V.json")
    status, _, err = run("audit", "V.json", "text.txt", "-o", "page.html")
    assert (status, err.splitlines()[-1]) == (0, "partcover: wrote page.html")
    page = (tmp_path / "page.html").read_text("utf-8")
    assert page.startswith("<!doctype html>")
    for text in ("How far from optimal", "for this text alone", "V on text", "was checked"):
        assert text in page
    assert run("audit", "V.json", "text.txt", "-o", "rows.json", "--quiet")[0] == 0
    assert json.loads((tmp_path / "rows.json").read_text("utf-8"))["size"] == 2


def test_other_commands_take_it_too(run, tmp_path, tokenizer):
    pytest.importorskip("jinja2")
    assert run("count", "text.txt", "--pretokenizer", "gpt2", "-o", "C.tsv", "--quiet")[0] == 0
    search = ("improve", "C.tsv", "-k", "7", "--time-limit", "0.2", "--quiet")
    status, data = as_json(run(*search, "--start", tokenizer, "--json"))
    assert (status, len(data["vocabulary"])) == (0, 7)
    prefix = ("greedtok", "C.tsv", "-k", "9", "--prefix", tokenizer, "--json", "--quiet")
    status, data = as_json(run(*prefix))
    assert (status, data["vocabulary"][:7]) == (0, [token.decode() for token in TOKENS])
    assert run("report", "C.tsv", tokenizer, "-o", "page.html", "--quiet")[0] == 0
    assert "small" in (tmp_path / "page.html").read_text("utf-8")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["small.tiktoken", "text.txt"], "name its pre-tokenizer"),
        (["none.json", "text.txt"], "none.json: cannot be read"),
        (["text.txt", "text.txt"], "looks like text"),
        (["V.json", "none.txt"], "none.txt: "),
        (["V.json", "small.tiktoken"], "a tokenizer, not a text"),
        (["V.json", "empty.txt"], "empty.txt: the corpus is empty"),
        (["folder", "text.txt"], "folder: this folder is not recognized"),
        (["V.json", "text.txt", "--pretokenizer", "cl100k"], "its pre-tokenizer is gpt2"),
        (["V.json", "text.txt", "-o", "V.json"], "would overwrite"),
        (["ints.json", "text.txt"], "consist of integers"),
        (["S.json", "C.tsv"], "C.tsv: this is a counts file (word, tab, count), not text"),
    ],
)
def test_mistakes(run, tmp_path, tokenizer, arguments, message):
    Vocabulary(["th", " m"], pretokenizer="gpt2").save(tmp_path / "V.json")
    spaces = {"special": ["   "], "special_flags": {"   ": ["added"]}}
    Vocabulary(["th"], pretokenizer="gpt2", **spaces).save(tmp_path / "S.json")
    (tmp_path / "C.tsv").write_text("the\t1\n")
    (tmp_path / "empty.txt").touch()
    (tmp_path / "folder").mkdir()
    Vocabulary([(1, 2)], "ints").save(tmp_path / "ints.json")
    fails(run("audit", *arguments), message)
    if "C.tsv" in arguments:
        assert run("audit", *arguments, "--all-files", "--time-limit", 0)[0] == 0
