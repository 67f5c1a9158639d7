"""compare: rows, measures of token sets, words held out, bounds, against obvious counts."""

from __future__ import annotations

import sys
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from shared.properties import tries
from studies.cases import WORDS, cut_short, limited, pieces, words_st

from partcover import (
    Encoder,
    GroupBudget,
    InputError,
    Instance,
    Vocabulary,
    WordCounts,
    segment,
    solve,
    verify,
)
from partcover.analysis.metrics import (
    whole_words,
)
from partcover.analysis.scores import score_words
from partcover.bounds.lower_bound import lower_bound
from partcover.corpus.files.holdout import split
from partcover.errors import MissingExtra
from partcover.studies.compare import compare
from partcover.studies.methods import METHODS
from partcover.vocabulary.subset import first_tokens

SLOW = ("improve", "unigram_sentencepiece", "sage")


QUICK = [name for name in METHODS if name not in SLOW]


@pytest.mark.parametrize("method", QUICK)
def test_every_method_and_rule(method):
    instance = Instance(WORDS, 0)
    rules = ("own", "shortest_path", "longest_match", "merges", "likelihood", "single_symbols")
    comparison = compare(instance, [2, 5], [method], rules)
    assert {row["k"] for row in comparison.rows} == {2, 5}
    for row in comparison.rows:
        answer = next(a for a in comparison.answers if a.k == row["k"])
        assert row["size"] == len(answer.vocabulary) <= row["k"]
        if row["tokens"] is None:
            assert row["rule"] == "likelihood"
            assert row["remark"].startswith(f"{method} has no scores: ")
            continue
        cut = segment(WORDS, answer.vocabulary, row["rule"])
        assert row["tokens"] == sum(pieces(WORDS, cut).values())
        assert row["tokens_per_word"] == row["tokens"] / 27
        assert row["bytes_per_token"] == WORDS.total_symbols / row["tokens"]
        assert row["cover"] == WORDS.total_symbols - row["tokens"]
    own = next(row["rule"] for row in comparison.rows if row["k"] == 5)
    assert own == METHODS[method].run(instance.with_k(5)).rule


@pytest.mark.parametrize("method", [name for name, t in METHODS.items() if t.nested])
@tries(25)
@given(counts=words_st, k=st.integers(1, 8), j=st.integers(0, 8))
def test_nested_methods_are(method, counts, k, j):
    instance = Instance(WordCounts.from_counts(counts), k)
    whole = METHODS[method].run(instance)
    part = METHODS[method].run(instance.with_k(min(j, k)))
    cut = first_tokens(whole.vocabulary, min(j, k))
    assert cut.tokens == part.vocabulary.tokens
    assert cut.merges == part.vocabulary.merges
    assert segment(instance.words, cut, whole.rule).tokens == part.tokens


@pytest.mark.long
def test_a_bound_holds_for_every_row():
    instance = Instance(WORDS, 0)
    comparison = compare(instance, [1, 3], ["greedtok", "bpe", "frequent", "bytes"], bound=5)
    for row in comparison.rows:
        best = solve(instance.with_k(row["k"])).tokens
        assert row["lower_bound"] <= best <= row["tokens"]
        assert row["lower_bound"] > 0.9 * best
        assert row["gap"] == (row["tokens"] - row["lower_bound"]) / row["tokens"]


def test_given_vocabularies():
    instance = Instance(WORDS, 0)
    mine = {"mine": Vocabulary(["ana", "ban", "an"], rule="priority")}
    comparison = compare(instance, [2], ["solve", "greedtok"], vocabularies=mine)
    rows = [row for row in comparison.rows if row["method"] == "mine"]
    assert [(row["rule"], row["k"], row["seconds"]) for row in rows] == [
        ("priority", 3, None),
        ("shortest_path", 3, None),
    ]
    best = solve(instance.with_k(3)).tokens
    assert all(row["lower_bound"] == best for row in rows)
    # it is not of the candidates: what is proven of them says nothing of it
    narrow = Instance(WORDS, 0, max_length=2)
    comparison = compare(narrow, [], ["solve"], vocabularies=mine)
    assert {row["method"]: row["lower_bound"] is None for row in comparison.rows} == {
        "solve": False,
        "mine": True,
    }
    # nor does it tell where to stop looking for more
    comparison = compare(narrow, [3], ["greedtok"], vocabularies=mine, bound=5)
    best = solve(narrow.with_k(3)).tokens
    assert comparison.answers[1].method == "mine"
    assert min(row["tokens"] for row in comparison.rows if row["method"] == "mine") < 0.9 * best
    assert all(
        0.9 * best < row["lower_bound"] <= best
        for row in comparison.rows
        if row["method"] != "mine"
    )
    with pytest.raises(InputError, match="rename the vocabulary"):
        compare(instance, [2], ["bpe"], vocabularies={"bpe": mine["mine"]})


def test_set_measures():
    comparison = compare(Instance(WORDS, 0), [3], ["greedtok", "bpe"], unigram_objective=True)
    assert [(s["method"], s["rule"]) for s in comparison.sets["vocabularies"]] == [
        (row["method"], row["rule"]) for row in comparison.rows
    ]
    for facts in comparison.sets["vocabularies"]:
        answer = next(a for a in comparison.answers if a.method == facts["method"])
        assert facts["whole_words"] == whole_words(WORDS, answer.vocabulary)
        assert facts["whole_word_share"] == facts["whole_words"] / facts["size"]
        assert facts["used_share"] == facts["used"] / facts["size"]
        assert facts["unigram_objective"] < 0
    (pair,) = comparison.sets["overlap"]
    assert (pair["first"], pair["second"], pair["k"]) == ("greedtok", "bpe", 3)


def test_held_out_words_are_measured_apart():
    rest, held_out = split(WORDS, 0.3, seed=1)
    rules = ("own", "shortest_path", "single_symbols")
    comparison = compare(Instance(rest, 0), [3], ["greedtok"], rules, held_out=held_out)
    assert len(comparison.rows) == 3
    for row in comparison.rows:
        vocabulary = comparison.answers[0].vocabulary
        assert row["tokens"] == segment(rest, vocabulary, row["rule"]).tokens
        tokens = segment(held_out, vocabulary, row["rule"]).tokens
        assert row["held_out_tokens"] == tokens
        assert row["held_out_tokens_per_word"] == tokens / held_out.total_count
        assert row["held_out_bytes_per_token"] == held_out.total_symbols / tokens
    for facts in comparison.sets["vocabularies"]:
        for words, prefix in ((rest, ""), (held_out, "held_out_")):
            scores = score_words(vocabulary, words, facts["rule"])
            assert facts[f"{prefix}renyi_efficiency"] == scores.renyi_efficiency
            assert facts[f"{prefix}whole_share"] == scores.whole_share
    instance = Instance(rest, 1, protected=["an"])  # they are split as the words trained on are
    for row in compare(instance, [3], ["greedtok"], held_out=held_out).rows:
        vocabulary = compare(instance, [3], ["greedtok"]).answers[0].vocabulary
        protected_words = held_out.split_at(instance.protected)
        assert row["held_out_tokens"] == segment(protected_words, vocabulary, row["rule"]).tokens
        assert (
            row["held_out_tokens_per_word"] == row["held_out_tokens"] / protected_words.total_count
        )
    with pytest.raises(InputError, match="held-out words are over chars"):
        compare(Instance(rest, 0), [3], held_out=WordCounts.from_counts({"a": 1}, "chars"))


def test_budgets_of_groups_certify_no_ratio():
    methods = ["greedtok", "greedwmc"]
    free = compare(Instance(WORDS, 0), [3], methods).rows
    assert [row["method"] for row in free if "certified_ratio" in row] == ["greedtok"]
    groups = [GroupBudget("long", 1, min_length=3)]
    assert not any(
        "d" in row for row in compare(Instance(WORDS, 0, groups=groups), [3], methods).rows
    )


def test_what_cannot_be_is_said():
    instance = Instance(WORDS, 0)
    with pytest.raises(InputError, match="unknown method 'magic'"):
        compare(instance, [1], ["magic"])
    with pytest.raises(InputError, match="unknown rule 'magic'"):
        compare(instance, [1], rules=["magic"])
    with pytest.raises(InputError, match="there is no k to compare"):
        compare(instance, [])
    with pytest.raises(InputError, match="bytes does not support required"):
        compare(Instance(WORDS, 1, required=["an"]), [1], ["greedtok", "bytes"])


def test_what_a_limit_cut_short_certifies_nothing(monkeypatch):
    whole = compare(Instance(WORDS, 0), [2, 6], ["greedtok", "greedwmc"], ["own"])
    assert all("d" in row for row in whole.rows if row["method"] == "greedtok")
    cut_short("greedwmc", monkeypatch, 3)
    comparison = compare(Instance(WORDS, 0), [2, 6], ["greedtok", "greedwmc"], ["own"])
    rows = {(row["method"], row["k"]): row for row in comparison.rows}
    assert rows["greedtok", 2]["d"] == whole.rows[0]["d"]
    assert "d" not in rows["greedtok", 6]
    assert "relaxed_cover" not in rows["greedwmc", 6]
    assert rows["greedwmc", 2]["termination"] == "completed"
    assert rows["greedwmc", 6]["termination"] == "time_limit"
    monkeypatch.undo()
    cut_short("greedtok", monkeypatch, 3)
    comparison = compare(Instance(WORDS, 0), [6], ["greedtok", "greedwmc"], ["own"])
    assert not any("d" in row for row in comparison.rows)


def test_a_budget_that_cannot_be_made_takes_nothing_from_the_others(monkeypatch):
    limited("frequent", monkeypatch, 3, 5)
    comparison = compare(Instance(WORDS, 0), [2, 4], ["greedtok", "frequent"], ["own"])
    rows = {(row["method"], row["k"]): row for row in comparison.rows}
    assert rows["frequent", 2]["remark"] == "k is 2"
    assert (rows["frequent", 2]["tokens"], rows["frequent", 2]["termination"]) == (None, "error")
    assert rows["frequent", 4]["tokens"] is not None
    assert rows["frequent", 2]["rule"] == rows["frequent", 4]["rule"]
    assert rows["greedtok", 2]["tokens"] is not None
    with pytest.raises(InputError, match=r"k is 1$"):
        compare(Instance(WORDS, 0), [1, 2], ["frequent"])


def test_refusals_come_before_the_first_run(monkeypatch):
    def never(instance, **options):
        raise AssertionError

    monkeypatch.setitem(METHODS, "greedtok", replace(METHODS["greedtok"], run=never))
    for method in ("bytes", "wordpiece", "unigram_sentencepiece", "sage"):
        with pytest.raises(InputError, match=f"{method} does not support required"):
            compare(Instance(WORDS, 1, required=["an"]), [1], ["greedtok", method])
    monkeypatch.setitem(sys.modules, "sentencepiece", None)
    with pytest.raises(MissingExtra, match="sentencepiece"):
        compare(Instance(WORDS, 1), [1], ["greedtok", "unigram_sentencepiece"])


def test_ctrl_c_in_a_bound_or_a_measure_keeps_the_rows(monkeypatch):
    def stopped(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr("partcover.trainers.unigram_objective", stopped)
    comparison = compare(Instance(WORDS, 0), [2], ["greedtok"], unigram_objective=True)
    assert (comparison.interrupted, len(comparison.rows)) == (True, 2)
    whole = lower_bound(Instance(WORDS, 2))
    ended = replace(whole, termination="interrupted")
    monkeypatch.setattr(sys.modules[compare.__module__], "bounds", lambda *_, **__: [ended])
    comparison = compare(Instance(WORDS, 0), [2], ["greedtok"], bound=1.0)
    assert comparison.interrupted
    assert {row["lower_bound"] for row in comparison.rows} == {whole.lower_bound}


def test_a_vocabulary_of_marked_words_is_for_marked_words():
    marked = WORDS.with_suffix("_")
    trained = METHODS["bpe"].run(Instance(WORDS, 4), end_of_word="_")
    vocabulary = trained.recorded(WORDS)
    assert vocabulary.end_of_word == "_"
    assert segment(marked, vocabulary).tokens == trained.tokens
    assert verify(Instance(marked, 4), vocabulary).ok
    for call in (
        lambda: segment(WORDS, vocabulary),
        lambda: verify(Instance(WORDS, 4), vocabulary),
        lambda: compare(Instance(WORDS, 0), [], vocabularies={"eow": vocabulary}),
        lambda: Encoder(vocabulary, "gpt2"),
    ):
        with pytest.raises(InputError, match="the vocabulary is for words"):
            call()


def test_the_bound_of_a_budget_is_not_that_of_a_larger_one():
    instance = Instance({"banana": 2, "bandana": 1}, 2)
    certificate = lower_bound(instance.with_k(1)).certificate
    found = compare(instance, [1, 2], ["greedtok"], certificates={"p.cert": certificate})
    assert {row["k"]: row["lower_bound"] for row in found.rows} == {1: 9, 2: None}


def test_names_are_text():
    vocabulary = Vocabulary(["ab"])
    with pytest.raises(InputError, match="the name of a Vocabulary is 7: it must be text"):
        compare(Instance({"ab": 1}, 1), [1], ["bytes"], vocabularies={7: vocabulary})
