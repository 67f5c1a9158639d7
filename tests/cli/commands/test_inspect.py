"""inspect: its output, the tokens that it picks, and mistakes in its options."""

from __future__ import annotations

import json

import pytest

from partcover import Instance, Vocabulary, WordCounts


def test_command(run, tmp_path):
    WordCounts.from_counts({" the": 9, " they": 3, "é": 2, "x": 1}).save(tmp_path / "C.tsv")
    Vocabulary([" th", "ey", b"\xc3\xa9"], "bytes", "m").save(tmp_path / "V.json")
    Vocabulary([" the", "ey"]).save(tmp_path / "W.json")
    arguments = ("inspect", "V.json", "C.tsv", "--missing-words", "--diff", "W.json")
    status, out, err = run(*arguments, "--json", "-o", "I.json")
    assert (status, err) == (0, "partcover: wrote I.json\n")
    data = json.loads(out)
    assert json.loads((tmp_path / "I.json").read_text()) == data
    assert (data["tokens"], data["never_used"], data["size"]) == (9 * 2 + 3 * 2 + 2 + 1, 0, 3)
    assert [row["gain"] for row in data["vocabulary"]] == [24, 3, 2]
    assert data["missing_words"]["words"][0]["word"] == " the"
    assert data["diff"]["only_there"] == [{"token": " the", "uses": 12, "gain": 33}]
    status, _, err = run(*arguments, "--plot", "f.svg")
    assert (status, err) == (0, "partcover: wrote f.svg\n")
    drawn = (tmp_path / "f.svg").read_text()
    for text in ("only in V: 2", "only in W: 1", "␣the", "1 tokens in both"):
        assert text in drawn
    status, out, _ = run(*arguments, "--sort", "gain", "--top", "2")
    assert status == 0
    for text in ("␣the", "tokens needed there", "would save", "only here"):
        assert text in out
    status, out, _ = run("inspect", "V.json", "--json", "--no-vocabulary")
    assert status == 0
    assert set(json.loads(out)) == {
        "method", "rule", "symbols", "size", "special", "split_characters", "by_length",
        "pretokenizer",
    }  # fmt: skip


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["V.json", "--missing-words"], "--missing-words needs a corpus"),
        (["V.json", "--sort", "uses"], "--sort uses needs a corpus"),
        (["V.json", "C.tsv", "--plot", "f.svg"], "--plot needs another vocabulary"),
        (["V.json", "--diff", "W.json", "--plot", "f.svg"], "--plot needs a corpus"),
        (["V.json", "none.tsv"], "none.tsv: cannot be read"),
        (["none.json"], "none.json: cannot be read"),
        (["V.json", "C.tsv", "C.tsv"], "C.tsv"),
        (
            ["V.json", "C.tsv", "--diff", "W.json"],
            "W.json: its symbols are chars, those of V.json are bytes",
        ),
        (["V.json", "I.json"], "I.json: the symbols of its words are chars"),
    ],
)
def test_mistakes(run, tmp_path, arguments, message):
    words = WordCounts.from_counts({"ab": 1})
    words.save(tmp_path / "C.tsv")
    Instance(WordCounts.from_counts({"ab": 1}, "chars"), 1).save(tmp_path / "I.json")
    Vocabulary(["ab"]).save(tmp_path / "V.json")
    Vocabulary(["ab"], "chars").save(tmp_path / "W.json")
    status, out, err = run("inspect", *arguments)
    assert (status, out) == (2, "")
    assert message in err
    assert err.count("\n") == 1
