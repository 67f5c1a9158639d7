"""What the page says first: the best vocabulary, its gap, and what proves it."""

from __future__ import annotations

import json

import pytest

from partcover import InputError, Instance, Vocabulary, WordCounts, greedtok, lower_bound, solve
from partcover.report.runs import Runs, Table
from partcover.report.standings import (
    checked_bound,
    headline,
    known_bounds,
    measure,
    percent,
    under_one_bound,
)
from partcover.report.tables.page import page_table
from partcover.segmentation.segmentation import segment
from partcover.studies.compare import compare

WORDS = WordCounts.from_counts({"banana": 3, "bandana": 2, "cabana": 4, "havana": 1})


def rows_of(bounds, **vocabularies):
    cuts = {name: segment(WORDS, each) for name, each in vocabularies.items()}
    return measure(WORDS, vocabularies, cuts, bounds)


def test_a_bound_holds_for_vocabularies_of_at_most_its_k():
    small, large = Vocabulary(["ana"]), Vocabulary(["ana", "ban", "cab"])
    rows = rows_of({2: 20, 1: 30}, small=small, large=large)
    assert [(row["k"], row["lower_bound"]) for row in rows] == [(1, 30), (3, None)]


def test_bounds_are_taken_from_tables_of_the_same_words_and_all_candidates():
    comparison = compare(Instance(WORDS, 0), [1, 2], ["greedtok", "solve"], ["own"])
    about = {"corpus_sha256": WORDS.digest, "policy": {"candidates": "substrings"}}
    assert set(known_bounds([Table("t", comparison.rows, about)], WORDS)) == {1, 2}
    for change in (
        {"corpus_sha256": "0"},
        {"policy": {"candidates": "substrings", "max_length": 2}},
    ):
        assert known_bounds([Table("t", comparison.rows, about | change)], WORDS) == {}


def test_rows_of_one_chart_have_one_bound_for_each_k():
    about = {"policy": {"candidates": "substrings"}}
    rows = [
        {"method": "a", "rule": "r", "k": 1, "tokens": 10, "lower_bound": 6, "gap": 0.4},
        {"method": "b", "rule": "r", "k": 1, "tokens": 8, "lower_bound": 8, "gap": 0.0},
        {"method": "c", "rule": "r", "k": 2, "tokens": 7, "lower_bound": None, "gap": None},
    ]
    shown = under_one_bound(Table("t", rows, about), rows)
    assert [(row["lower_bound"], row["gap"]) for row in shown] == [(8, 0.2), (8, 0.0), (None, None)]
    limited = Table("t", rows, {"policy": {"max_length": 4}})
    assert under_one_bound(limited, rows) == rows  # bounds of other candidates
    with pytest.raises(InputError, match="a needs 5 tokens, fewer than the lower bound 8"):
        under_one_bound(Table("t", rows, about), [rows[0] | {"tokens": 5}, *rows[1:]])


def test_a_bound_that_a_vocabulary_breaks_is_refused():
    with pytest.raises(InputError, match="fewer than the lower bound 1,000"):
        rows_of({1: 1000}, ana=Vocabulary(["ana"]))


def test_an_optimum_is_called_so_only_when_the_bound_says_it():
    instance = Instance(WORDS, 2)
    best = solve(instance)
    assert best.vocabulary is not None
    certificate = lower_bound(instance, time_limit=2).certificate
    runs = Runs(words=WORDS, certificate=certificate, vocabularies={"best": best.vocabulary})
    proven = checked_bound(runs)
    assert proven is not None
    first = headline(rows_of({2: proven[1]}, best=best.vocabulary), [], WORDS, proven)
    assert first is not None
    assert first.proof == "checked"
    assert ("That is optimal" in " ".join(first.sentences)) == (proven[1] == best.tokens)
    worse = rows_of({2: proven[1]}, worse=Vocabulary(["an", "na"]))
    again = headline(worse, [], WORDS, proven)
    assert again is not None
    assert "could be saved" in again.sentences[1]


def test_a_vocabulary_with_a_bound_goes_before_larger_ones():
    bounded, large = Vocabulary(["ana"]), Vocabulary(["ana", "ban", "cab"])
    first = headline(rows_of({1: 30}, large=large, bounded=bounded), [], WORDS, None)
    assert first is not None
    assert first.best["method"] == "bounded"


def test_without_a_bound_nothing_is_promised():
    greedy = greedtok(Instance(WORDS, 2)).vocabulary
    assert greedy is not None
    first = headline(rows_of({}, greedtok=greedy), [], WORDS, None)
    assert first is not None
    assert (first.proof, first.gap) == ("none", "unknown")
    assert "no lower bound" in first.sentences[1]


def test_a_table_alone_has_a_headline_that_nothing_checked():
    comparison = compare(Instance(WORDS, 0), [1, 2], ["greedtok", "solve"], ["own"])
    rows = json.loads(json.dumps(comparison.rows))
    first = headline([], [Table("t", rows, {"total_count": WORDS.total_count})], None, None)
    assert first is not None
    assert (first.best["k"], first.others, first.proof) == (2, 1, "reported")
    assert headline([], [Table("t", [{"method": "bpe"}], {})], None, None) is None
    assert headline([], [Table("t", rows, {"manifest": {}})], None, None) is None


def test_a_certificate_of_limited_candidates_checks_no_bound_of_all():
    rows = rows_of({1: 30}, small=Vocabulary(["ana"]))
    proofs = {"checked": {}, "reported": {"max_length": 2}}
    for proof, conditions in proofs.items():
        first = headline(rows, [], WORDS, (Instance(WORDS, 1, **conditions), 30))
        assert first is not None
        assert first.proof == proof


def test_a_bound_of_limited_candidates_says_so():
    comparison = compare(Instance(WORDS, 0, max_length=2), [1], ["solve"], ["own"])
    first = headline([], [Table("t", comparison.rows, comparison.about)], None, None)
    assert first is not None
    assert first.sentences[1] == (
        "That is optimal: no vocabulary of 1 tokens (max length 2) needs fewer."
    )
    assert solve(Instance(WORDS, 1)).tokens < first.best["tokens"]


@pytest.mark.parametrize(
    ("part", "whole", "text"),
    [
        (1, 3, "33.34 %"),
        (1, 10**9, "0.001 %"),
        (0, 5, "0.00 %"),
        (3, 3, "100.00 %"),
        (0, 0, "0.00 %"),
    ],
)
def test_a_share_is_rounded_up(part, whole, text):
    assert percent(part, whole) == text


def test_no_column_of_a_table_is_empty_and_what_does_not_fit_is_folded():
    rows = [
        {"method": "bpe", "k": k, "size": k, "empty": None, "list": [1], "tokens": 5 * k}
        | {f"held_out_measure_number_{i}": k * 10.0**i for i in range(12)}
        for k in (1, 2)
    ]
    table = page_table("t", rows)
    headings = [column["heading"] for column in table["columns"]]
    assert headings[:2] == ["k", "tokens"]
    assert table["same"] == [("method", "bpe")]
    assert not {"empty", "list", "size"} & set(headings)
    assert 2 < sum(not column["spare"] for column in table["columns"]) < len(headings)
