"""Budgets of groups, protected tokens and weights: everywhere they must be kept."""

from __future__ import annotations

import json

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from oracles.brute_force import cost, fewest_tokens
from oracles.greedy import all_candidates, greedy, shortest_path
from shared.properties import tries
from shared.strategies import group_budgets, words_st

from partcover import (
    Corpora,
    InputError,
    Instance,
    MergeCondition,
    Vocabulary,
    WordCounts,
    greedtok,
    greedwmc,
    solve,
)
from partcover import verify as check
from partcover.problem.group_budget import GroupBudget


@pytest.mark.long
@tries(400)
@given(words_st, st.data(), st.integers(0, 5), st.booleans())
def test_greedy_keeps_the_budgets_of_groups(words, data, k, relaxed):
    pool = sorted(all_candidates(words) | {b"zz"})
    groups = data.draw(st.lists(group_budgets(pool, []), min_size=1, max_size=3))
    instance = Instance(WordCounts.from_counts(words), k, groups=groups)
    result = (greedwmc if relaxed else greedtok)(instance)
    tokens, gains = greedy(words, all_candidates(words), k, relaxed=relaxed, groups=groups)
    assert list(result.vocabulary) == tokens
    assert list(result.gains) == gains
    for group in groups:
        assert sum(token in group for token in tokens) <= group.limit
    assert check(instance, result.vocabulary).ok


def test_a_full_group_is_a_problem():
    group = GroupBudget("long", 1, None, 3)
    instance = Instance(WordCounts.from_counts({"abc": 2, "bcd": 1}), 3, groups=(group,))
    result = check(instance, Vocabulary(["abc", "bcd", "ab"], "bytes"))
    assert result.problems == ("2 tokens are in group 'long', whose budget is 1",)
    assert solve(instance).tokens == fewest_tokens(instance) == 4


@tries(150)
@given(words_st, st.data(), st.integers(0, 2))
def test_protected_tokens_are_never_cut(words, data, more):
    pool = sorted(all_candidates(words))
    assume(pool)
    protected = data.draw(st.lists(st.sampled_from(pool), min_size=1, max_size=2, unique=True))
    counted = WordCounts.from_counts(words)
    instance = Instance(counted, len(protected) + more, protected=protected)
    assert instance.words.split_at(instance.protected).to_dict() == instance.words.to_dict()
    result = solve(instance)
    assert set(protected) <= set(result.vocabulary)
    # twin: cut the words by hand, then the fewest tokens of the pieces
    total = 0
    for word, count in words.items():
        rest, position = [], 0
        while position < len(word):
            fits = [t for t in protected if word.startswith(t, position)]
            if fits:
                rest.append(b"")
                total += count
                position += max(map(len, fits))
            else:
                rest[-1:] = [(rest[-1] if rest else b"") + word[position : position + 1]]
                position += 1
        total += sum(
            count * len(shortest_path(piece, result.vocabulary)) for piece in rest if piece
        )
    assert result.tokens == total
    assert total <= cost(instance, greedtok(instance).vocabulary)


def test_protected_words():
    words = WordCounts.from_counts({"abcabc": 2, "xabcy": 1, "ab": 5})
    instance = Instance(words, 3, protected=["abc"])
    assert instance.words.to_dict() == {b"abc": 5, b"x": 1, b"y": 1, b"ab": 5}
    assert instance.words.total_symbols == words.total_symbols
    assert instance.fixed == (b"abc",)
    assert instance.policy["protected"] == 1


def test_protected_tokens_are_never_cut_in_any_of_several_corpora():
    tables = [{"abcabc": 2, "xabcy": 1}, {"abcz": 4}]
    corpora = [WordCounts.from_counts(table) for table in tables]
    instance = Instance(Corpora(corpora, [1, 1]), 2, protected=["abc"])
    first, second = instance.corpora.words
    assert first.to_dict() == {b"abc": 5, b"x": 1, b"y": 1}
    assert second.to_dict() == {b"abc": 4, b"z": 4}
    assert Instance(Corpora(corpora, [1, 1]), 2).corpora.words[1].to_dict() == {b"abcz": 4}


@tries(100)
@given(words_st, st.data(), st.integers(0, 2))
def test_weights_are_costs(words, data, k):
    weights = {word: data.draw(st.integers(1, 4)) for word in sorted(words)}
    weighted = WordCounts.from_counts(words).weighted(weights)
    assert weighted.to_dict() == {word: count * weights[word] for word, count in words.items()}
    result = solve(Instance(weighted, k))
    twin = sum(
        count * weights[word] * len(shortest_path(word, result.vocabulary))
        for word, count in words.items()
    )
    assert result.tokens == twin == fewest_tokens(Instance(weighted, k))


def test_instance_files_keep_everything(tmp_path):
    groups = (
        GroupBudget("long", 1, None, 3, 5),
        GroupBudget("german", 2, frozenset({b"ab", b"\xff\xfe"})),
    )
    words = WordCounts.from_counts({"abcabc": 2, b"\xff\xfea": 1})
    instance = Instance(words, 3, groups=groups, protected=["bc"])
    instance.save(tmp_path / "I.json")
    again = Instance.load(tmp_path / "I.json")
    assert again.groups == groups
    assert again.protected == (b"bc",)
    assert again.to_json() == instance.to_json()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"groups": [GroupBudget("g", -1)]}, "group 'g': its budget is -1"),
        (
            {"groups": [GroupBudget("g", 0)], "required": ["ab"]},
            r"1 required tokens are in group 'g' \('ab' is one\), but its budget is 0",
        ),
        ({"groups": [GroupBudget("g", 1, None, 9, 3)]}, "group 'g': no token has 9 to 3 symbols"),
        ({"groups": [GroupBudget("g", 1, None, 0, 0)]}, "group 'g': no token has 0 to 0 symbols"),
        ({"groups": [GroupBudget(str(n), 1) for n in range(65)]}, "65 groups: at most 64"),
        ({"protected": ["ab"], "forbidden": ["ab"]}, "'ab' is both required and forbidden"),
        ({"protected": ["ab", "cd", "ef"]}, "3 tokens are required, k is 2"),
    ],
)
def test_requirements_that_contradict(options, message):
    with pytest.raises(InputError, match=message):
        Instance(WordCounts.from_counts({"abcdef": 1}), 2, **options)


@pytest.mark.parametrize(
    ("weights", "message"),
    [
        ({"xyz": 2}, "a weight is given for 'xyz', which is not a word of the corpus"),
        ({"ab": 0}, "the weight of 'ab' is 0: it must be a whole number of"),
        ({"ab": 2**62}, "does not fit in int64"),
    ],
)
def test_bad_weights(weights, message):
    with pytest.raises(InputError, match=message):
        WordCounts.from_counts({"ab": 4}).weighted(weights)


@pytest.mark.parametrize(
    ("group", "message"),
    [
        ("long", "a group is a JSON object"),
        ({"name": "g"}, "group 'g' has no 'at_most'"),
        ({"name": "g", "at_most": "two"}, "group 'g': at_most is 'two'"),
        ({"name": "g", "at_most": 1, "tokens": "ab"}, "group 'g': 'tokens' are not a list"),
    ],
)
def test_bad_groups_in_a_file(group, message):
    data = Instance(WordCounts.from_counts({"ab": 4}), 1).to_json()
    with pytest.raises(InputError, match=message):
        Instance.from_json({**data, "groups": [group]})


def test_flags_of_numpy_are_stored_as_pythons():
    plain = MergeCondition([("a", "b")], whole_words=True, by_rank=False)
    other = MergeCondition([("a", "b")], whole_words=np.True_, by_rank=np.False_)
    assert json.dumps(other.to_json()) == json.dumps(plain.to_json())
    with pytest.raises(InputError, match="whole_words is 1: it must be True or False"):
        MergeCondition(whole_words=1)


def test_the_source_of_an_instance_is_kept_as_in_its_file():
    facts = {"n": np.int64(3), "seen": [1]}
    ours = Instance({"ab": 1}, 1, source=facts)
    facts["seen"].append(2)
    assert json.loads(json.dumps(dict(ours.source))) == ours.source == {"n": 3, "seen": [1]}
    with pytest.raises(InputError, match="source cannot be written as JSON: it has a set"):
        Instance({"ab": 1}, 1, source={"seen": {1}})


def test_there_is_a_number_for_each_corpus():
    several = Corpora([WordCounts.from_counts({word: 1}) for word in ("ab", "cd")], [1, 1])
    for numbers in ([1], [1, 2, 3], []):
        for method in (several.ratios, several.shares, several.integer_weights, several.weighted):
            with pytest.raises(InputError, match=f"^{len(numbers)} .* for 2 corpora"):
                method(numbers)
