"""Claimed savings against optima found by trying everything."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from itertools import pairwise

import pytest
from cli.helpers import as_json, fails
from hypothesis import given
from hypothesis import strategies as st
from shared.properties import tries
from studies.cases import few_words, needed, optimum

from partcover import (
    InputError,
    Instance,
    Vocabulary,
    WordCounts,
    check_certificate,
    lower_bound,
    trainers,
)
from partcover.analysis.costly_words import CostlyWord
from partcover.studies import claims
from partcover.studies.claims import check_claim


@pytest.mark.long
@tries(80)
@given(
    words=few_words, k=st.integers(1, 3), baseline=st.integers(1, 60), claimed=st.integers(1, 40)
)
def test_verdicts_are_true(words, k, baseline, claimed):
    best = optimum(words, k)
    instance = Instance(WordCounts.from_counts(words, "chars"), k)
    found = check_claim(instance, baseline, claimed)
    assert check_certificate(found.bound.instance, found.bound.certificate).ok
    assert found.lower_bound <= best <= found.attained
    if found.verdict != "undecided":
        assert found.verdict == ("possible" if best <= claimed else "impossible")
    assert found.most_saved >= (baseline - best) / baseline
    assert found.to_json()["baseline_is_possible"] == (baseline >= found.lower_bound)


@tries(80)
@given(words=few_words, k=st.integers(1, 4))
def test_bpe_of_the_corpus_lacks_no_frequent_word(words, k):
    counted = WordCounts.from_counts(words, "chars")
    trained = trainers.bpe(Instance(counted, k)).vocabulary
    found = check_claim(Instance(counted, k), trained, 1, time_limit=0)
    assert found.impossible_words == 0
    assert found.baseline >= needed(words, trained.tokens)
    split = {word: n for word, n in words.items() if len(word) > 1 and word not in trained.tokens}
    assert [word.count for word in found.lacking] == sorted(split.values(), reverse=True)
    assert {word.word for word in found.lacking} == set(split)


def test_a_rare_character_is_not_made_by_merges():
    words = WordCounts.from_counts({"é": 1, "hat": 9, "cats": 5, "dogs": 4})
    merges = [("a", "t"), ("h", "at")]
    trained = Vocabulary(["é", "at", "hat"], rule="character_merges", merges=merges)
    assert check_claim(Instance(words, 3), trained, 30).impossible_words == 0
    rare = Vocabulary(["é", "ts"], rule="character_merges", merges=[("t", "s")])
    assert check_claim(Instance(words, 3), rare, 30).impossible_words == 1
    alphabet = Vocabulary(["é"], rule="character_merges", merges=[])
    assert check_claim(Instance(words, 1), alphabet, 30).impossible_words == 0


def test_a_verdict_under_conditions_says_so():
    words = WordCounts.from_counts({"hat": 4, "that": 1})
    baseline = Vocabulary(["hat"])
    found = check_claim(Instance(words, 1, max_length=2), baseline, 5)
    limited = "k = 1 under the given conditions"
    assert found.reason == f"every vocabulary with {limited} needs at least 11 tokens"
    assert "impossible under the given conditions" in found.remarks[0]
    assert (found.baseline, found.lower_bound) == (6, 11)
    found = check_claim(Instance(words, 1), baseline, 5)
    assert found.reason == "every vocabulary with k = 1 needs at least 6 tokens"


def test_a_trainer_with_a_limited_alphabet_lacks_frequent_words():
    words = WordCounts.from_counts({"xy": 9, "ab": 2})
    trained = Vocabulary(["ab"], rule="merges", merges=[("a", "b")])
    (remark,) = check_claim(Instance(words, 1), trained, 22).remarks
    assert remark.startswith("1 words occur more often than the baseline's rarest merged token")
    assert remark.endswith("unless its trainer limits the length of tokens or the characters")


def test_a_claimed_vocabulary_that_breaks_a_condition_proves_nothing():
    words = WordCounts.from_counts({"ab": 5, "abc": 3})
    claimed = Vocabulary(["ab", "unused"], rule="merges", merges=[("a", "b")])
    assert check_claim(Instance(words, 2), 20, claimed).verdict == "possible"
    for conditions in ({"forbidden": ["ab"]}, {"candidates": ["bc"]}):
        found = check_claim(Instance(words, 2, **conditions), 20, claimed)
        assert (found.attained, found.verdict) == (found.lower_bound, "impossible")
    found = check_claim(Instance(words, 2, required=["bc"]), 20, claimed)
    assert (found.attained, found.verdict) == (11, "possible")


def wrapped_bpe(words, k, bits):
    """BPE whose counts of pairs have so many bits."""
    cut = {word: list(word) for word in words}
    tokens = []
    half = 2 ** (bits - 1)
    for _ in range(k):
        pairs = Counter()
        for word, pieces in cut.items():
            for pair in pairwise(pieces):
                pairs[pair] += words[word]
        left, right = max(pairs, key=lambda pair: ((pairs[pair] + half) % (2 * half) - half, pair))
        tokens.append(left + right)
        for pieces in cut.values():
            for place in range(len(pieces) - 1, 0, -1):
                if (pieces[place - 1], pieces[place]) == (left, right):
                    pieces[place - 1 : place + 1] = [left + right]
    return Vocabulary(tokens, "chars", rule="merges")


def test_counts_that_wrap_around_are_seen():
    words = {"the": 140, "cat": 60, "dog": 50, "hen": 40}
    instance = Instance(WordCounts.from_counts(words, "chars"), 4)
    right, wrapped = (check_claim(instance, wrapped_bpe(words, 4, bits), 1) for bits in (64, 8))
    assert (right.impossible_words, wrapped.impossible_words) == (0, 1)
    assert wrapped.lacking[0] == CostlyWord("the", 140, ("t", "h", "e"))
    assert wrapped.most_saved > right.most_saved


def test_vocabularies_are_counted():
    words = WordCounts.from_counts({"that": 9, "hat": 4})
    better, worse = Vocabulary(["that", "hat"]), Vocabulary(["th"])
    found = check_claim(Instance(words, 2), worse, better)
    assert (found.baseline, found.claimed, found.verdict) == (39, 13, "possible")
    assert found.claimed_saving == found.most_saved == 26 / 39
    with pytest.raises(InputError, match=r"a vocabulary of 2 tokens is larger than k = 1"):
        check_claim(Instance(words, 1), worse, better)
    with pytest.raises(InputError, match="is 0: every word needs one"):
        check_claim(Instance(words, 1), 0, 3)
    with pytest.raises(InputError, match="the corpus is empty"):
        check_claim(Instance({}, 2), worse, better)


def test_an_interrupt_shows_in_the_exit_status(run, tmp_path, monkeypatch):
    WordCounts.from_counts({"that": 9, "hat": 4}).save(tmp_path / "C.tsv")

    def stopped(instance, **options):
        return replace(lower_bound(instance, **options), termination="interrupted")

    monkeypatch.setattr(claims, "lower_bound", stopped)
    line = ("claim", "C.tsv", "-k", "1", "--baseline", "39", "--claimed", "12", "--json")
    status, data = as_json(run(*line))
    assert (status, data["verdict"]) == (130, "impossible")


def test_command(run, tmp_path):
    WordCounts.from_counts({"that": 9, "hat": 4}).save(tmp_path / "C.tsv")
    Vocabulary(["th"], rule="merges").save(tmp_path / "V.json")
    status, data = as_json(
        run("claim", "C.tsv", "--baseline", "V.json", "--claimed", "67.5%", "--json")
    )
    assert (status, data["k"], data["baseline"], data["claimed"]) == (0, 1, 39, 12)
    assert (data["verdict"], data["lower_bound"]) == ("impossible", 21)
    assert data["impossible_words"] == 0
    status, out, error = run("claim", "C.tsv", "-k", "1", "--baseline", "9", "--claimed", "9")
    assert (status, out.splitlines()[0]) == (
        0,
        "impossible: every vocabulary with k = 1 needs at least 21 tokens",
    )
    assert "the baseline itself is impossible" in error
    amounts = ("--baseline", "9", "--claimed", "10%")
    fails(run("claim", "C.tsv", *amounts), "-k is missing")
    fails(
        run("claim", "C.tsv", "-k", "1", "--baseline", "9%", "--claimed", "9"),
        "only --claimed can be a share",
    )
    fails(run("claim", "C.tsv", "-k", "1", "--baseline", "9", "--claimed", "100%"), "below 100 %")
