"""inspect: its output, the tokens that it picks, and mistakes in its options."""

from __future__ import annotations

import json

import pytest
from cli.helpers import TEXT, as_json, fails

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


def test_scores(run, tmp_path):
    """Of a text, and of counts of the same text: the same numbers; several are set side by side."""
    (tmp_path / "text.txt").write_text(TEXT)
    assert run("count", "text.txt", "--pretokenizer", "gpt2", "-o", "C.tsv", "--quiet")[0] == 0
    Vocabulary([" th", "at", " the", "zz"], pretokenizer="gpt2").save(tmp_path / "V.json")
    command = ("inspect", "V.json", "--scores", "--json")
    status, data = as_json(run(*command, "text.txt", "C.tsv"))
    assert (status, data["size"], data["unreachable"]) == (0, 4, 0)
    text, counts = data["corpora"]
    assert {**text, "corpus": "C.tsv"} == counts
    assert (text["bytes"], text["never_used"]) == (len(TEXT), 1)
    assert text["gap"] == pytest.approx(text["vocabulary_gap"] + text["rule_gap"])
    assert [row["worst_over_best"] for row in data["parity"]] == [1, 1, 1]
    status, data = as_json(run(*command, "text.txt", "--time-limit", "0"))
    assert (status, "gap" in data["corpora"][0], data["parity"]) == (0, False, [])
    status, out, _ = run("inspect", "V.json", "C.tsv", "text.txt", "--scores")
    assert status == 0
    for shown in (
        "bytes/token",
        "kept whole",
        "Rényi",
        "choice",
        "Gini",
        "text.txt",
    ):
        assert shown in out


@pytest.mark.long
def test_scores_of_several(run, tmp_path):
    """Each has the numbers that it has alone; which files are texts is told by what they hold."""
    (tmp_path / "text.txt").write_text(TEXT)
    (tmp_path / "more.txt").write_text("the rat sat on the mat")
    Vocabulary([" th", "at"], pretokenizer="gpt2").save(tmp_path / "V.json")
    Vocabulary([" the", "e m"], pretokenizer="none").save(tmp_path / "W.json")
    command = ("inspect", "V.json", "text.txt", "W.json", "more.txt", "--scores", "--json")
    status, data = as_json(run(*command, "--time-limit", "0"))
    assert status == 0
    assert [each["vocabulary"] for each in data["vocabularies"]] == ["V.json", "W.json"]
    for each in data["vocabularies"]:
        name = each.pop("vocabulary")
        alone = ("inspect", name, "text.txt", "more.txt", "--scores", "--json")
        assert as_json(run(*alone, "--time-limit", "0")) == (0, each)
    train = ("--train", "text.txt", "-o", "scores.csv")
    status, out, _ = run("inspect", "V.json", "W.json", "more.txt", "--scores", *train)
    assert status == 0
    rows = (tmp_path / "scores.csv").read_text().splitlines()
    assert [row.split(",")[:2] for row in rows[1:]] == [
        ["V.json", "more.txt"],
        ["W.json", "more.txt"],
    ]
    status, out, _ = run("inspect", "V.json", "W.json", "more.txt", "text.txt", "--scores")
    assert status == 0
    for shown in ("pre-tokenizer", "kept whole", "Rényi", "rule", "Gini"):
        assert shown in out
    assert max(map(len, out.splitlines())) <= 80
    status, _, err = run("inspect", "V.json", "W.json", "-", "--scores")
    assert (status, "instead of standard input" in err) == (2, True)


def test_bits_per_byte(run, tmp_path):
    (tmp_path / "train.txt").write_text(TEXT)
    (tmp_path / "test.jsonl").write_text('{"text": "the rat sat"}\n{"text": "on the mat"}\n')
    Vocabulary([" th", "at", " the"], pretokenizer="gpt2").save(tmp_path / "V.json")
    command = ("inspect", "V.json", "test.jsonl", "--scores", "--time-limit", "0")
    status, data = as_json(run(*command, "--train", "train.txt", "--json"))
    assert (status, data["language_model"]) == (0, {"order": 3, "context_bytes": 8})
    (row,) = data["corpora"]
    assert 0 < row["bits_per_byte"] < row["bits_per_byte_same_context"] < 8
    status, out, _ = run(*command, "--train", "train.txt")
    assert status == 0
    assert "Bits per byte of an n-gram model" in out


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["V.json", "C.tsv", "--scores", "--train", "text.txt"], "C.tsv: --train needs text"),
        (["V.json", "text.txt", "--scores", "--train", "C.tsv"], "C.tsv: --train needs text"),
        (["V.json", "C.tsv", "--train", "text.txt"], "--train needs --scores"),
        (["V.json", "-", "--scores", "--train", "text.txt"], "instead of standard input"),
        (["V.json", "--scores"], "--scores needs a text"),
        (["V.json", "C.tsv", "C.tsv"], "several corpora need --scores"),
        (
            ["V.json", "C.tsv", "--scores", "--missing-words"],
            "--scores and --missing-words exclude each other",
        ),
        (["V.json", "text.txt", "--scores"], "does not name its pre-tokenizer"),
        (["V.json", "text.txt", "--scores", "--pretokenizer", "gpt3"], "gpt3"),
        (["V.json", "none.txt", "--scores", "--pretokenizer", "gpt2"], "none.txt"),
        (["V.json", "empty.txt", "--scores", "--pretokenizer", "gpt2"], "the corpus is empty"),
        (["V.json", "V.json", "--scores"], "V.json"),
        (["V.json", "L.tsv", "--scores"], "likelihood"),
        (["V.json", "I.tsv", "--scores"], "I.tsv"),
    ],
)
def test_mistakes_in_scores(run, tmp_path, arguments, message):
    WordCounts.from_counts({"ab": 1}).save(tmp_path / "C.tsv")
    WordCounts.from_counts({(1, 2): 1}, "ints").save(tmp_path / "I.tsv")
    Vocabulary(["ab"]).save(tmp_path / "V.json")
    (tmp_path / "text.txt").write_text("a text\n")
    (tmp_path / "empty.txt").write_text("")
    WordCounts.from_counts({"ab": 1}).save(tmp_path / "L.tsv")
    if "L.tsv" in arguments:
        arguments = [*arguments, "--rule", "likelihood"]
    fails(run("inspect", *arguments), message)
