"""Vocabularies for all words that are found by a head of them: brute force, and the recount."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st
from oracles.bounds.merge_certificate import fewest_closed
from oracles.brute_force import fewest_tokens, useful
from shared.generated import generated_closed
from shared.generated_text import generated_words
from shared.properties import tries
from shared.strategies import HEAD_TOKENS, HEAD_WORDS, by_head, listed_tokens

from partcover import (
    Corpora,
    GroupBudget,
    HeadAndTail,
    InputError,
    Instance,
    MergeCondition,
    Vocabulary,
    WordCounts,
    check_certificate,
    greedtok,
    improve,
    lower_bound,
    solve,
    trainers,
    verify,
)
from partcover.bounds import branch_and_cut
from partcover.bounds.heads import head_bound, tail_prices, whole_words
from partcover.bounds.heads.tail_prices import TailPrices
from partcover.verification.rule_recount import tokens_by_rule


@st.composite
def groups_beside(draw, required):
    """Budgets of groups that leave room for no or one token besides the required ones."""
    short = GroupBudget("short", 0, max_length=draw(st.integers(2, 3)))
    some = GroupBudget("some", 0, draw(st.sets(st.text("abc", min_size=2, max_size=3), max_size=5)))
    return [
        replace(group, limit=sum(token in group for token in required) + draw(st.integers(0, 1)))
        for group in draw(st.lists(st.sampled_from([short, some]), unique=True, max_size=2))
    ]


@st.composite
def cases(draw):
    words = WordCounts.from_counts(draw(HEAD_WORDS))
    conditions = draw(listed_tokens())
    fixed = {*conditions["required"], *conditions["protected"]}
    if draw(st.booleans()):
        conditions["max_length"] = draw(st.none() | st.integers(2, 4))
    else:
        conditions["candidates"] = draw(
            st.lists(st.text("abc", min_size=2, max_size=4), max_size=8)
        )
    if draw(st.booleans()):
        conditions["groups"] = draw(groups_beside(fixed))
    k = len(fixed) + draw(st.integers(0, 2))
    return words, k, draw(st.integers(1, len(words))), conditions


@pytest.mark.long
@tries(60)
@given(cases(), HEAD_TOKENS, st.booleans())
# a token for each word of the head is optimal for the head, and its prices are poor for the tail
@example((WordCounts.from_counts({"a": 1, "aaa": 1, "aab": 1, "ba": 1}), 2, 3, {}), [], False)
# the last prices prove no more for the head than those before, and more for all words
@example((WordCounts.from_counts({"a": 1, "aaa": 1, "aab": 1, "ba": 1}), 2, 3, {}), [], True)
# the same prices with multipliers of groups prove more
@example(
    (WordCounts.from_counts({"aa": 1}), 1, 1, {"groups": [GroupBudget("aa", 0, max_length=2)]}),
    [],
    False,
)
def test_tokens_and_bound_are_of_all_words(case, start, at_once):
    words, k, n, conditions = case
    warm_start = Vocabulary(start)
    with pytest.MonkeyPatch.context() as patch:
        if at_once:  # all words are priced with every proof of the head, not now and then
            patch.setattr("partcover.bounds.heads.head_bound._PROVING", 0.0)
        best = improve(by_head(words, k, n, **conditions), warm_start=warm_start)
    instance, split = Instance(words, k, **conditions), by_head(words, k, n, **conditions)
    recount = verify(instance, best.vocabulary)
    assert (recount.problems, recount.tokens) == ((), best.tokens)
    assert verify(split, best.vocabulary, claim=best) == recount
    assert best.lower_bound <= fewest_tokens(instance) <= best.tokens
    check = check_certificate(split, best.certificate)
    assert (check.ok, check.lower_bound) == (True, best.lower_bound)
    # without a limit the bound is no weaker than where nothing is searched
    assert best.lower_bound >= lower_bound(split).lower_bound
    if n == len(words):
        assert best.tokens <= verify(instance, greedtok(instance).vocabulary).tokens
    if verify(instance, warm_start).ok:
        assert best.tokens <= verify(instance, warm_start).tokens


@pytest.mark.long
@tries(100)
@given(st.integers(0, 2**31), st.integers(1, 6), HEAD_TOKENS)
def test_tokens_that_merges_make_are_found_for_all_words(number, n, start):
    """With groups, lists and protected tokens among the conditions, and merges by rank."""
    instance = replace(generated_closed(number), min_count=1, threshold=None)
    assume(len(useful(instance)) <= 11)
    try:
        optimum = fewest_closed(instance, instance.merges)
    except ValueError:  # no vocabulary holds the required tokens
        assume(False)
    split = replace(instance, corpus=HeadAndTail.of(instance.words, n))
    coded = instance.symbols == "ints"
    given = Vocabulary([] if coded else start, instance.symbols)
    stored = []
    best = improve(split, warm_start=given, checkpoint=stored.append)
    for solution in (best, *stored):
        recount = verify(instance, solution.vocabulary)
        assert (recount.problems, recount.tokens) == ((), solution.tokens)
        assert verify(split, solution.vocabulary, claim=solution) == recount
        check = check_certificate(split, solution.certificate)
        assert (check.problems, check.lower_bound >= solution.lower_bound) == ((), True)
        assert check.lower_bound <= optimum <= solution.tokens
    if verify(instance, given).ok:
        assert best.tokens <= verify(instance, given).tokens
    again = improve(split, warm_start=best, time_limit=0)
    assert again.tokens <= best.tokens
    assert again.lower_bound >= best.lower_bound


def test_merges_by_rank_find_words_of_the_tail():
    """Whole words need no parts, wherever they are counted; the search begins with one of them."""
    words = WordCounts.from_counts({"abcx": 9, "yabc": 9, "abc": 1, "z": 1})
    split = by_head(words, 1, 2, merges=MergeCondition(whole_words=True))
    best = improve(split)
    assert list(best.vocabulary) == [b"abc"]
    assert best.tokens == best.lower_bound == 38
    assert verify(split, best.vocabulary, claim=best).problems == ()
    closed = by_head(words, 1, 2, merges=MergeCondition())
    other = improve(closed, warm_start=best.vocabulary)
    assert [len(token) for token in other.vocabulary] == [2]
    assert other.tokens > best.tokens


def test_a_start_that_merges_make_is_kept_whatever_the_sample_has():
    """The token cd saves most, but the sample has none of it."""
    words = WordCounts.from_counts({"z": 99, "cd": 20, "efghijklmno": 3})
    split = by_head(words, 1, 1, merges=MergeCondition())
    assert len(split.tail.sample(1)) == 1
    assert list(improve(split, warm_start=Vocabulary(["cd"])).vocabulary) == [b"cd"]
    assert list(improve(split).vocabulary) != [b"cd"]


@tries(60)
@given(HEAD_WORDS, st.integers(1, 6), st.integers(1, 40))
def test_a_sample_has_the_head_and_stands_for_the_pairs_of_the_tail(words, n, size):
    split = HeadAndTail.of(WordCounts.from_counts(words), n)
    head, tail = split.head.to_dict(), dict(split.tail())
    sample = split.with_sample(size).to_dict()
    assert {word: sample.pop(word) for word in head} == head
    assert sample.keys() <= {word for word in tail if len(word) > 1}
    pairs = sum(count * (len(word) - 1) for word, count in tail.items())
    if size >= pairs:
        assert sample == {word: count for word, count in tail.items() if len(word) > 1}
    stride = max(1, pairs // size)
    drawn = sum(count * (len(word) - 1) for word, count in sample.items())
    assert abs(drawn - pairs) <= stride + sum(map(len, sample))


@pytest.fixture(scope="module")
def book():
    return generated_words(400)


@pytest.mark.long
def test_going_on_makes_nothing_worse(book):
    first = improve(by_head(book, 60, 100))
    best = []
    again = improve(
        by_head(book, 60, 100),
        warm_start=first.vocabulary,
        start_certificate=first.certificate,
        time_limit=0,
        checkpoint=best.append,
    )
    assert again.lower_bound >= first.lower_bound
    assert again.tokens <= first.tokens
    assert (best[0].tokens, best[0].lower_bound) == (first.tokens, first.lower_bound)


@pytest.mark.long
def test_what_is_better_for_the_head_alone_is_not_kept(book):
    good = improve(by_head(book, 60, len(book)))
    found = improve(by_head(book, 60, 20), warm_start=good.vocabulary)
    assert found.tokens <= good.tokens


def test_a_certificate_or_a_start_of_something_else_is_refused(book):
    first = improve(by_head(book, 60, 100), time_limit=0)
    with pytest.raises(InputError, match="other words"):
        improve(by_head(book, 60, 50), start_certificate=first.certificate)
    fewer = book.most_frequent(len(book) - 1)
    with pytest.raises(InputError, match="a tail of other words"):
        improve(by_head(fewer, 60, 100), start_certificate=first.certificate)
    with pytest.raises(InputError, match="k = 60, but k is 50"):
        improve(by_head(book, 50, 100), start_certificate=first.certificate)
    with pytest.raises(InputError, match="other words"):
        lower_bound(by_head(book, 60, 50), start_certificate=replace(first.certificate, k=9))
    with pytest.raises(InputError, match="the start is over chars"):
        improve(by_head(book, 60, 100), warm_start=Vocabulary(["ab"], "chars"))


def test_a_start_that_cannot_be_counted_is_refused():
    words = WordCounts.from_counts({"that": 9, "hat": 5, "chat": 2})
    instance = replace(by_head(words, 1, 2), forbidden=("ha",))
    certificate = lower_bound(instance, time_limit=0).certificate
    term = replace(certificate.tail, token_multipliers={b"ha": 1})
    for change, message in (
        ({"scale_bits": 52}, "the certificate's prices have more digits than can be counted"),
        ({"tail": term}, "the certificate has a multiplier for 'ha', which is not allowed"),
    ):
        for method in (lower_bound, improve):
            with pytest.raises(InputError, match=message):
                method(instance, start_certificate=replace(certificate, **change))


@pytest.fixture
def passes(monkeypatch):
    """The sixteenths of each pass over a whole tail, where a sample of it decides about tolls."""
    for module in (tail_prices, whole_words):
        monkeypatch.setattr(module, "MOST_TRIED", 50)
    counted = []
    count = TailPrices.count
    monkeypatch.setattr(TailPrices, "count", lambda self, n: counted.append(n) or count(self, n))
    return counted


@pytest.mark.long
def test_no_pass_over_the_tail_begins_that_would_end_too_late(book, passes, monkeypatch):
    improve(by_head(book, 60, 100))
    assert passes[0] == 0
    assert passes[1:]  # with tolls, until they prove no more
    passes.clear()
    improve(by_head(book, 60, 100), time_limit=0)
    assert set(passes) == {0}  # once, or twice where the first took long
    passes.clear()
    estimate, tried = TailPrices._estimate, []

    def slow(self, sixteenths):
        tried.append(sixteenths)
        value = estimate(self, sixteenths)
        self._pass_seconds = 1e6
        return value

    monkeypatch.setattr(TailPrices, "_estimate", slow)
    # a gap that any bound closes: no search goes on until the time is up
    for method, enough in ((lower_bound, {"gap": 0.9}), (improve, {"gap": 0.9})):
        passes.clear()
        tried.clear()
        method(by_head(book, 60, 100), time_limit=600, **enough)
        assert set(passes) == {0}
        assert set(tried) == {0, 16}  # which tell how long a pass takes


@pytest.mark.long
def test_what_is_known_of_the_head_is_not_priced_again(book, passes, monkeypatch):
    # the prices that prove the most for all words are the last of the head, whatever time it takes
    monkeypatch.setattr("partcover.bounds.heads.head_bound._PROVING", math.inf)
    first = improve(by_head(book, 60, 100))
    assert first.certificate.tail.sixteenths
    passes.clear()
    again = improve(by_head(book, 60, 100), start_certificate=first.certificate, time_limit=0)
    assert passes == [first.certificate.tail.sixteenths]  # it is recounted
    assert again.lower_bound == first.lower_bound


@pytest.mark.long
@pytest.mark.parametrize("limit", [0, None])
def test_what_a_certificate_to_start_from_claims_is_not_believed(book, limit):
    instance = by_head(book, 60, 100)
    first = lower_bound(instance, iterations=1)
    assert first.certificate.tail.sixteenths
    false = replace(first.certificate, lower_bound=first.lower_bound + 1)
    best = improve(instance, start_certificate=false, time_limit=limit)
    assert check_certificate(instance, best.certificate).ok
    assert best.lower_bound >= first.lower_bound
    if limit is None:
        assert best.lower_bound > first.lower_bound


@pytest.mark.long
def test_cuts_of_the_head_prove_more():
    """Three pairs of tokens overlap in the head, each in another word."""
    words = WordCounts.from_counts({"abc": 20, "bca": 20, "cab": 20, "xy": 20, "xyab": 1, "z": 1})
    instance = by_head(words, 2, 4, max_length=2)
    with_cuts, without = (lower_bound(instance, cuts=cuts) for cuts in (True, False))
    assert with_cuts.certificate.tree[0].has_cuts
    assert (
        without.lower_bound
        < with_cuts.lower_bound
        <= fewest_tokens(Instance(words, 2, max_length=2))
    )
    for bound in (with_cuts, without):
        check = check_certificate(instance, bound.certificate)
        assert (check.ok, check.lower_bound) == (True, bound.lower_bound)


@pytest.mark.long
def test_a_bound_starts_from_the_certificate_of_a_head(book, monkeypatch):
    instance = by_head(book, 5, 100)
    first = lower_bound(instance)
    for start in (first.certificate, lower_bound(instance.with_k(6)).certificate):
        # without a step, a bound is that of the start or below it
        found = lower_bound(instance, start_certificate=start, iterations=0, cuts=False)
        assert check_certificate(instance, found.certificate).ok
        assert found.lower_bound > instance.tail.total_count
        assert (found.lower_bound >= first.lower_bound) == (start is first.certificate)
    with monkeypatch.context() as patch:  # a bound that is not found again is kept
        patch.setattr(head_bound.HeadRun, "_price", lambda *_: None)
        found = lower_bound(instance, start_certificate=first.certificate, iterations=0)
        assert found.lower_bound == first.lower_bound
    other = lower_bound(by_head(book, 5, 90)).certificate
    with pytest.raises(InputError, match="other words or counts"):
        lower_bound(instance, start_certificate=other)


@pytest.mark.long
@tries(60)
@given(cases(), st.data())
def test_whatever_a_certificate_states_is_true_of_all_words(case, data):
    """Any multipliers of groups and tokens, and any share of them."""
    words, k, n, conditions = case
    split = by_head(words, k, n, **conditions)
    proof = lower_bound(split, cuts=False).certificate
    (leaf,) = proof.tree
    numbers = st.integers(0, 2 << proof.scale_bits)
    fees = data.draw(st.tuples(*[numbers] * len(split.groups)))
    tokens = data.draw(st.sets(st.text("abc", min_size=2, max_size=4), max_size=3))
    tolls = {token.encode(): data.draw(numbers) for token in tokens}
    tail = replace(proof.tail, token_multipliers=tolls, sixteenths=data.draw(st.integers(0, 16)))
    made = replace(proof, tree=(replace(leaf, group_multipliers=fees),), tail=tail)
    found = check_certificate(split, made).lower_bound
    assert found <= fewest_tokens(Instance(words, k, **conditions))


def test_groups_and_lists_of_a_head_raise_the_bound():
    words = WordCounts.from_counts({"abab": 9, "abc": 7, "bca": 5, "cab": 3, "abca": 2, "xab": 1})
    plain = lower_bound(by_head(words, 2, 3)).lower_bound
    short = GroupBudget("short", 0, max_length=3)
    for conditions in ({"groups": [short]}, {"candidates": ["xa", "xab", "zz"]}):
        bound = lower_bound(by_head(words, 2, 3, **conditions))
        best = fewest_tokens(Instance(words, 2, **conditions))
        assert plain < bound.lower_bound <= best
        assert check_certificate(bound.instance, bound.certificate).ok
    assert any(
        lower_bound(by_head(words, 2, 3, groups=[short])).certificate.tree[0].group_multipliers
    )


def test_what_does_not_go_with_a_head(book):
    instance = by_head(book, 5, 100)
    for change, message in (
        ({"threshold": 9}, "a threshold are not possible with a head and a tail"),
        ({"min_count": 2}, "min_count and a threshold are not possible with a head and a tail"),
    ):
        with pytest.raises(InputError, match=message):
            replace(instance, **change)
    for method in (greedtok, solve):
        with pytest.raises(InputError, match="only `lower_bound`, `improve` and `verify`"):
            method(instance.with_k(100))
    with pytest.raises(InputError, match="with a head and a tail, a"):
        improve(instance, bound=False)
    with pytest.raises(InputError, match="a solution of GreedTok is not possible"):
        lower_bound(instance, greedy=greedtok(instance.alone))
    with pytest.raises(InputError, match="cannot be saved"):
        instance.to_json()
    assert repr(instance).startswith("Instance(k=5, 100 words in the head, bytes")


def test_solve_refuses_a_tail_before_it_can_be_interrupted(monkeypatch):
    """Otherwise what it returns after Ctrl-C would count the words of the head only."""
    first, second = (
        HeadAndTail.of(WordCounts.from_counts(words), 1)
        for words in ({"low": 5, "lowest": 2}, {"new": 4, "newer": 1})
    )

    def interrupt(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(branch_and_cut, "refuse_beyond_memory", interrupt)
    for corpus in (first, Corpora([first, second], [9, 9])):
        with pytest.raises(InputError, match="only `lower_bound`, `improve` and `verify`"):
            solve(Instance(corpus, 1))


def test_a_prefix_is_kept_and_other_rules_are_counted_on_all_words(book):
    instance = Instance(HeadAndTail.of(book, 50), 9, prefix=["ee", "th"])
    best = improve(instance, time_limit=0)
    assert best.vocabulary.tokens[:2] == (b"ee", b"th")
    assert (
        verify(instance, best.vocabulary).problems
        == verify(Instance(book, 9, prefix=["ee", "th"]), best.vocabulary).problems
    )
    bpe = trainers.bpe(Instance(book, 9))
    by_head = Instance(HeadAndTail.of(book, 50), 9)
    assert tokens_by_rule(by_head.tail, bpe.vocabulary) == bpe.tokens
    assert verify(by_head, bpe.vocabulary, claim=bpe).ok


def test_no_bound_begins_at_what_is_saved_before_there_is_one(book, monkeypatch):
    """A checkpoint has a certificate at once, with a token for each word: a poor start."""
    begun, saved = [], []
    bound = head_bound.HeadRun._bound_of_head

    def spied(run, starts, prove, *, cuts):
        begun.append([*starts])
        return bound(run, starts, prove, cuts=cuts)

    monkeypatch.setattr(head_bound.HeadRun, "_bound_of_head", spied)
    instance = Instance(HeadAndTail.of(book, 100), 20)
    improve(instance, cuts=False, checkpoint=saved.append)
    assert saved
    assert begun == [[]]
