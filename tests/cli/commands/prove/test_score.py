"""score: the numbers of texts and of counts, several vocabularies, and mistakes in its options."""

from __future__ import annotations

import pytest
from cli.helpers import TEXT, as_json, fails

from partcover import Vocabulary, WordCounts


def test_scores(run, tmp_path):
    """Of a text, and of counts of the same text: the same numbers; several are set side by side."""
    (tmp_path / "text.txt").write_text(TEXT)
    assert run("count", "text.txt", "--pretokenizer", "gpt2", "-o", "C.tsv", "--quiet")[0] == 0
    Vocabulary([" th", "at", " the", "zz"], pretokenizer="gpt2").save(tmp_path / "V.json")
    command = ("score", "V.json", "--json")
    status, data = as_json(run(*command, "text.txt", "C.tsv"))
    assert (status, data["size"], data["unreachable"]) == (0, 4, 0)
    text, counts = data["corpora"]
    assert {**text, "corpus": "C"} == counts
    assert (text["bytes"], text["never_used"]) == (len(TEXT), 1)
    assert text["gap"] == pytest.approx(text["vocabulary_gap"] + text["rule_gap"])
    assert [row["worst_over_best"] for row in data["parity"]] == [1, 1, 1]
    status, data = as_json(run(*command, "text.txt", "--time-limit", "0"))
    assert (status, "gap" in data["corpora"][0], data["parity"]) == (0, False, [])
    status, out, _ = run("score", "V.json", "C.tsv", "text.txt")
    assert status == 0
    for shown in (
        "bytes/token",
        "kept whole",
        "Rényi",
        "choice",
        "Gini",
        "text",
    ):
        assert shown in out


@pytest.mark.long
def test_scores_of_several(run, tmp_path):
    """Each has the numbers that it has alone; which files are texts is told by what they hold."""
    (tmp_path / "text.txt").write_text(TEXT)
    (tmp_path / "more.txt").write_text("the rat sat on the mat")
    Vocabulary([" th", "at"], pretokenizer="gpt2").save(tmp_path / "V.json")
    Vocabulary([" the", "e m"], pretokenizer="none").save(tmp_path / "W.json")
    command = ("score", "V.json", "text.txt", "W.json", "more.txt", "--json")
    status, data = as_json(run(*command, "--time-limit", "0"))
    assert status == 0
    assert [each["vocabulary"] for each in data["vocabularies"]] == ["V", "W"]
    for each in data["vocabularies"]:
        name = each.pop("vocabulary")
        alone = ("score", f"{name}.json", "text.txt", "more.txt", "--json")
        assert as_json(run(*alone, "--time-limit", "0")) == (0, each)
    train = ("--train", "text.txt", "-o", "scores.csv")
    status, out, _ = run("score", "V.json", "W.json", "more.txt", *train)
    assert status == 0
    rows = (tmp_path / "scores.csv").read_text().splitlines()
    assert [row.split(",")[:2] for row in rows[1:]] == [
        ["V", "more"],
        ["W", "more"],
    ]
    status, out, _ = run("score", "V.json", "W.json", "more.txt", "text.txt")
    assert status == 0
    for shown in ("pre-tokenizer", "kept whole", "Rényi", "rule", "Gini"):
        assert shown in out
    assert max(map(len, out.splitlines())) <= 80
    status, _, err = run("score", "V.json", "W.json", "-")
    assert (status, "instead of standard input" in err) == (2, True)


def test_bits_per_byte(run, tmp_path):
    (tmp_path / "train.txt").write_text(TEXT)
    (tmp_path / "test.jsonl").write_text('{"text": "the rat sat"}\n{"text": "on the mat"}\n')
    Vocabulary([" th", "at", " the"], pretokenizer="gpt2").save(tmp_path / "V.json")
    command = ("score", "V.json", "test.jsonl", "--time-limit", "0")
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
        (["V.json", "C.tsv", "--train", "text.txt"], "C.tsv: --train needs text"),
        (["V.json", "text.txt", "--train", "C.tsv"], "C.tsv: --train needs text"),
        (["V.json", "-", "--train", "text.txt"], "instead of standard input"),
        (["V.json"], "V2.json"),
        (["V.json", "V.tiktoken"], "a text is missing: score V.json TEXT"),
        (["V.json", "text.txt"], "does not name its pre-tokenizer"),
        (["V.json", "text.txt", "--pretokenizer", "gpt3"], "gpt3"),
        (["V.json", "none.txt", "--pretokenizer", "gpt2"], "none.txt"),
        (["V.json", "empty.txt", "--pretokenizer", "gpt2"], "the corpus is empty"),
        (["V.json", "V.json"], "a text is missing: score V.json TEXT"),
        (["V.json", "L.tsv"], "likelihood"),
        (["V.json", "I.tsv"], "I.tsv"),
        (["ints.json", "text.txt"], "the tokens of the vocabulary consist of integers"),
    ],
)
def test_mistakes_in_scores(run, tmp_path, arguments, message):
    WordCounts.from_counts({"ab": 1}).save(tmp_path / "C.tsv")
    WordCounts.from_counts({(1, 2): 1}, "ints").save(tmp_path / "I.tsv")
    Vocabulary(["ab"]).save(tmp_path / "V.json")
    Vocabulary([(1, 2)], "ints").save(tmp_path / "ints.json")
    (tmp_path / "text.txt").write_text("a text\n")
    (tmp_path / "empty.txt").write_text("")
    WordCounts.from_counts({"ab": 1}).save(tmp_path / "L.tsv")
    if "L.tsv" in arguments:
        arguments = [*arguments, "--rule", "likelihood"]
    fails(run("score", *arguments), message)
