"""The library of records: what its files claim, and what is judged better or wrong."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from enum import Enum
from pathlib import Path

import numpy as np
import pytest

from partcover import (
    Certificate,
    InputError,
    Instance,
    Vocabulary,
    WordCounts,
    improve,
    lower_bound,
)
from partcover.instances import records
from partcover.instances.records import BUDGETS, Best, Record, Row, names, record
from partcover.instances.submissions import attempt, judge

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / "instances" / "records"
NAMES = sorted(path.stem for path in FOLDER.glob("*.json"))
WORDS = WordCounts.from_counts(
    {f"{(i * 2654435761) % 3**11:011d}"[:8]: i % 7 + 1 for i in range(200)}
)


def best(value, file=None):
    return Best(value, "2026-01-31", "improve", 1.5, file)


def text(*rows):
    return Record("digits", "digits", "", ("none",), WORDS.digest, len(WORDS), 1, rows)


def test_the_library_is_the_folder():
    assert list(names()) == NAMES
    assert len(NAMES) >= 12
    for name in NAMES:
        found = record(name)
        assert [row.k for row in found.rows] == list(BUDGETS)
        assert all({"greedtok", "bpe", "unigram"} <= row.methods.keys() for row in found.rows)
        assert found.to_json() == json.loads((FOLDER / f"{name}.json").read_text("utf-8"))


def test_files_are_small_and_not_installed():
    files = list((FOLDER / "files").iterdir())
    assert all(path.stat().st_size <= 40_000 for path in files)
    assert sum(path.stat().st_size for path in FOLDER.rglob("*") if path.is_file()) < 3_000_000
    assert "'records/files'" in (ROOT / "meson.build").read_text("utf-8")
    rows = [row for name in NAMES for row in record(name).rows]
    listed = {best.file for row in rows for best in (row.tokens, row.lower_bound)}
    assert {path.name for path in files} == listed - {None}


@pytest.mark.long
@pytest.mark.parametrize("name", NAMES)
def test_files_claim_what_the_rows_do(name):
    found = record(name)
    for row in found.rows:
        if row.tokens.file is not None:
            vocabulary = Vocabulary.load(FOLDER / "files" / row.tokens.file)
            claim = vocabulary.provenance
            assert (claim["corpus_sha256"], claim["tokens"]) == (
                found.words_sha256,
                row.tokens.value,
            )
            assert len(vocabulary) <= row.k
        if row.lower_bound.file is not None:
            proof = Certificate.load(FOLDER / "files" / row.lower_bound.file)
            assert (proof.words_sha256, proof.k) == (found.words_sha256, row.k)
            assert proof.lower_bound == row.lower_bound.value


def test_a_submission_is_recounted():
    found = improve(Instance(WORDS, 64), time_limit=1)
    known = text(Row(64, best(found.tokens + 1), best(found.lower_bound - 1), 1.0, {}))
    judged = judge(known, WORDS, 64, found.vocabulary, found.certificate)
    assert (judged.tokens, judged.lower_bound) == (found.tokens, found.lower_bound)
    assert (judged.ok, judged.fewer_tokens, judged.higher_bound) == (True, True, True)
    equal = text(Row(64, best(found.tokens), best(found.lower_bound), 1.0, {}))
    judged = judge(equal, WORDS, 64, found.vocabulary, found.certificate)
    assert (judged.ok, judged.fewer_tokens, judged.higher_bound) == (True, False, False)
    assert judge(text(), WORDS, 64, found.vocabulary).fewer_tokens


def test_what_is_wrong_beats_nothing():
    bound = lower_bound(Instance(WORDS, 64), iterations=20)
    known = text(Row(128, best(10**6), best(0), 1.0, {}))
    judged = judge(known, WORDS, 128, certificate=bound.certificate)
    assert judged.problems == ("the certificate is for k = 64, but k is 128",)
    assert not judged.higher_bound
    large = Vocabulary([f"{i:03d}" for i in range(129)])
    judged = judge(known, WORDS, 128, large)
    assert "129 tokens, but k is 128" in judged.problems
    assert not judged.fewer_tokens
    with pytest.raises(InputError, match="these are not the counted words of digits: expected 178"):
        judge(known, WordCounts.from_counts({"a": 1}), 128, large)
    with pytest.raises(InputError, match="k is 65: the records have k = 64, 128"):
        judge(known, WORDS, 65, large)


def test_what_contradicts_a_known_bound_is_reported():
    known = text(Row(64, best(10**6), best(10**5), 1.0, {}))
    judged = judge(known, WORDS, 64, Vocabulary(["00"]))
    assert "tokens are fewer than the known lower bound, 100000" in judged.problems[0]
    assert not judged.ok
    bound = lower_bound(Instance(WORDS, 64), iterations=20)
    judged = judge(text(Row(64, best(1), best(0), 1.0, {})), WORDS, 64, None, bound.certificate)
    assert "1 tokens are fewer than the certificate's lower bound" in judged.problems[0]


def test_an_attempt_starts_from_the_files(tmp_path, monkeypatch):
    folder = tmp_path / "files"
    folder.mkdir()
    found = improve(Instance(WORDS, 64), time_limit=1)
    found.vocabulary.save(folder / "digits-64.json")
    found.certificate.save(folder / "digits-64.cert")
    tokens = best(found.tokens, "digits-64.json")
    known = text(Row(64, tokens, best(found.lower_bound, "digits-64.cert"), 1.0, {}))
    known.save(tmp_path / "digits.json")
    monkeypatch.setattr(records, "_folder", lambda: tmp_path)
    assert (names(), record("digits")) == (["digits"], known)
    vocabulary, certificate = known.start(64)
    assert set(vocabulary.tokens) == set(found.vocabulary.tokens)
    assert certificate.lower_bound == found.lower_bound
    assert known.start(128) == (None, None)
    again = attempt(known, WORDS, 64, time_limit=0)
    assert again.tokens <= found.tokens
    assert again.lower_bound >= found.lower_bound
    (folder / "digits-64.json").unlink()
    (folder / "digits-64.cert").unlink()  # as where partcover is installed
    assert known.start(64) == (None, None)


def test_a_row_is_replaced():
    first, other = (Row(k, best(9), best(9), 1.0, {}) for k in (64, 128))
    better = replace(first, tokens=best(8), lower_bound=best(8))
    assert text().with_row(other).with_row(first).with_row(better).rows == (better, other)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda d: d.update(format="other"), "not a record"),
        (lambda d: d.pop("title"), "'record' must be an object of title"),
        (lambda d: d.update(words=True), "words is True"),
        (lambda d: d.update(occurrences=-1), "occurrences is -1"),
        (lambda d: d.update(rows=[3]), "'row' must be an object of k"),
        (lambda d: d["rows"].append(d["rows"][0]), "or a k appears twice"),
        (lambda d: d["rows"][0].update(k=65), "a row's k is 65"),
        (lambda d: d["rows"][0].update(proven=True), "says proven: true, with 9 tokens"),
        (lambda d: d["rows"][0].update(methods={"bpe": "9"}), "'methods' must be numbers"),
        (lambda d: d["rows"][0]["tokens"].update(value=7), "with 7 tokens and the lower bound 8"),
        (lambda d: d["rows"][0]["tokens"].update(seconds=float("nan")), "seconds is nan"),
        (lambda d: d["rows"][0]["tokens"].update(file="../x.json"), "it must be a plain name"),
    ],
)
def test_a_broken_file_is_one_line(tmp_path, change, message):
    data = text(Row(64, best(9), best(8), 1.0, {"bpe": 10})).to_json()
    change(data)
    path = tmp_path / "broken.json"
    path.write_text(json.dumps(data))
    with pytest.raises(InputError, match=re.escape(message)) as error:
        record(str(path))
    assert str(error.value).startswith("record broken: ")


def test_an_unknown_name():
    with pytest.raises(InputError, match="did you mean persuasion"):
        record("persuasio")


def test_names_may_be_paths_and_of_any_class(tmp_path):
    emma = record("emma")
    emma.save(tmp_path / "emma.json")
    assert record(tmp_path / "emma.json") == emma
    assert record(Enum("Name", {"EMMA": "emma"}, type=str).EMMA) == emma
    assert emma.row(np.int64(64)) == emma.row(64)
    with pytest.raises(InputError, match="k is True: it must be a whole number"):
        emma.row(True)
    with pytest.raises(InputError, match="name is b'emma': it must be text or a path"):
        record(b"emma")
