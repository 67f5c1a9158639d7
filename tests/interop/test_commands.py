"""The commands export and import."""

from __future__ import annotations

import json

import pytest
from interop.cases import chosen, need
from interop.vocabularies import TEXT, made

from partcover import Encoder, Vocabulary, WordCounts
from partcover.interop import FORMATS


def test_export_and_import(run, tmp_path):
    made("shortest_path", pretokenizer="gpt2").save(tmp_path / "v.json")
    (tmp_path / "c.tsv").write_text("abca\t5\nthe\t2\n")
    (tmp_path / "text.txt").write_text(TEXT)
    line = ["export", "v.json", "--to", "huggingface", "-o", "t", "--corpus", "c.tsv"]
    status, out, err = run(*line, "--text", "text.txt")
    equal = "equal on 117 test texts: ids, decoding, offsets and templates"
    assert (status, err) == (0, f"partcover: wrote t\npartcover: {equal}\n")
    assert out.startswith("exact: all 2 words are tokenized identically: 12 tokens; the text is")
    status, out, _ = run(*line, "--json", "--quiet", "--rule", "longest_match")
    result = json.loads(out)
    assert (status, result["exact"], result["rule"]) == (0, True, "longest_match")
    status, out, _ = run("import", "t", "-o", "w.json", "--json")
    assert (status, json.loads(out)["rule"]) == (0, "longest_match")
    assert Vocabulary.load(tmp_path / "w.json").tokens == made("merges").tokens
    status, out, _ = run("import", "t", "--from", "huggingface")
    assert out == "13 tokens over bytes, rule longest_match, pre-tokenizer gpt2\n"


@pytest.mark.long
def test_a_folder_of_text_is_replayed(run, tmp_path):
    made("shortest_path", pretokenizer="gpt2").save(tmp_path / "v.json")
    (tmp_path / "texts").mkdir()
    line = ("export", "v.json", "--to", "huggingface", "-o", "t", "--text", "texts")
    assert "texts: there is no text in this folder" in run(*line)[2]
    (tmp_path / "texts" / "a.txt").write_text("the abca")
    (tmp_path / "texts" / "b.jsonl").write_text('{"text": "abc"}\n{"text": "the"}\n')
    (tmp_path / "texts" / "picture.jpg").write_bytes(b"\xff")
    (tmp_path / "one.txt").write_text("the abca\nabc\nthe")
    status, out, _ = run(*line)
    assert (status, "the text is tokenized identically" in out) == (0, True)
    assert run(*line[:-1], "one.txt")[1] == out
    assert run(*line[:-1], "texts/b.jsonl", "--key", "texts")[0] == 2
    (tmp_path / "odd").mkdir()
    (tmp_path / "odd" / "a.odd").write_text("the abca\nabc\nthe")
    assert "--all-files" in run(*line[:-1], "odd")[2]
    assert run(*line[:-1], "odd", "--all-files")[1] == out
    (tmp_path / "texts" / "c.txt").write_bytes(b"\xff")
    assert "texts: some of its files are not UTF-8 text" in run(*line)[2]


def test_a_text_is_compared_with_its_ends_of_lines(run, tmp_path):
    need("tokenizers")
    vocabulary = made("shortest_path", pretokenizer="none")
    vocabulary.save(tmp_path / "v.json")
    (tmp_path / "text.txt").write_bytes(b"the\r\nabca\r")
    line = ("export", "v.json", "--to", "huggingface", "-o", "t", "--text", "text.txt")
    n_tokens = Encoder(vocabulary).count("the\r\nabca\r")
    assert f"the text is tokenized identically: {n_tokens} tokens" in run(*line)[1]


@pytest.mark.parametrize("command", ["export", "import"])
def test_help_names_the_formats(run, command):
    status, out, _ = run(command, "--help")
    assert status == 0
    assert all(name in out.partition("Formats:")[2] for name in FORMATS)


def test_refusals_are_one_line(run, tmp_path):
    made("priority").save(tmp_path / "v.json")
    line = ["export", "v.json", "--to", "huggingface"]
    for more, message in (
        ((), "-o is missing"),
        (("-o", "t", "--rule", "priority"), "huggingface cannot express the rule priority"),
        (("-o", "t", "--pretokenizer", "no"), "unknown pre-tokenizer 'no'"),
        (("-o", "t", "--rule", "likelihood"), "likelihood needs scores"),
    ):
        status, out, err = run(*line, *more)
        assert (status, out) == (2, "")
        assert message in err
        assert err.count("\n") == 1
    status, out, err = run(*line, "-o", "t", "--rule", "priority", "--lossy")
    assert status == 0
    assert out.startswith("not exact: ")
    assert "not preserved: the rule priority" in err
    status, out, err = run("import", "v.json", "--json")  # as it is
    assert (status, json.loads(out)["format"]) == (0, "partcover")


@pytest.mark.parametrize(
    ("remarks", "repeated"), [(["one", 2], ["one", "2"]), (5, []), ("one", []), (None, [])]
)
def test_remarks_of_a_file_may_be_anything(run, tmp_path, remarks, repeated):
    vocabulary = Vocabulary(["ab"], pretokenizer="gpt2", provenance={"remarks": remarks})
    vocabulary.save(tmp_path / "v.json")
    (tmp_path / "t.txt").write_text("ab abc")
    status, out, err = run("import", "v.json", "--json")
    assert (status, json.loads(out)["remarks"]) == (0, repeated)
    said = [f"partcover: {remark}" for remark in repeated]
    assert err.splitlines() == said
    status, _, err = run("audit", "v.json", "t.txt", "--time-limit", "0")
    assert (status, err.splitlines()[: len(said)]) == (0, said)


@pytest.mark.long
def test_commands(run, tmp_path, counted, few_rounds):
    need("tiktoken")
    counted.save(tmp_path / "C.tsv")
    chosen(counted).save(tmp_path / "V.json")
    arguments = ("export", "V.json", "--to", "tiktoken", "--corpus", "C.tsv", "-o", "V.tiktoken")
    status, out, err = run(*arguments)
    assert (status, out) == (2, "")
    assert "--lossy" in err
    assert run(*arguments, "--rule", "merges")[0] == 0
    status, out, err = run(
        "import", "V.tiktoken", "--pretokenizer", "gpt2", "-o", "W.json", "--json"
    )
    assert (status, json.loads(out)["pretokenizer"]) == (0, "gpt2")
    assert "--pretokenizer" not in err
    assert "unknown: name it with --pretokenizer" in run("import", "V.tiktoken")[1]
    status, out, _ = run("score", "W.json", "C.tsv", "--json")
    (data,) = json.loads(out)["corpora"]
    assert (status, json.loads(out)["rule"]) == (0, "merges")
    assert data["lower_bound"] <= data["tokens"]
    status, out, _ = run("compare", "C.tsv", "--vocab", "W.json", "--json")
    rows = [row for row in json.loads(out)["rows"] if row["method"] == "W"]
    assert [row["rule"] for row in rows] == ["merges", "shortest_path"]
    assert rows[0]["tokens"] == data["tokens"] >= rows[1]["tokens"]
    scores = run("score", "V.tiktoken", "C.tsv", "--json")
    assert json.loads(scores[1])["corpora"][0]["tokens"] == data["tokens"]
    (tmp_path / "text").write_text(TEXT)
    ids = run("encode", "V.tiktoken", "text", "--pretokenizer", "gpt2")
    assert ids[:2] == (0, run("encode", "W.json", "text")[1])
    status, out, err = run("import", "V.tiktoken", "--pretokenizer", "gpt3")
    assert (status, out) == (2, "")
    assert "unknown pre-tokenizer" in err


def test_gap_with_more_tokens_than_candidates(run, tmp_path):
    WordCounts.from_counts({"abc": 3, "ba": 2}).save(tmp_path / "C.tsv")
    tokens = [f"x{i}y" for i in range(90)]
    Vocabulary(["abc", *tokens], rule="longest_match", pretokenizer="none").save(
        tmp_path / "V.json"
    )
    status, out, _ = run("score", "V.json", "C.tsv", "--json")
    data = json.loads(out)
    assert (status, data["size"], data["rule"]) == (0, 91, "longest_match")
    (row,) = data["corpora"]
    assert (row["tokens"], row["lower_bound"], row["rule_gap"]) == (7, 5, 0)
