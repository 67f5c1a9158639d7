"""Bounds for words that are segmented by merges in their order."""

from __future__ import annotations

import random
from dataclasses import replace
from fractions import Fraction
from itertools import combinations, pairwise

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from shared.properties import tries

from partcover import (
    Certificate,
    Corpora,
    GroupBudget,
    HeadAndTail,
    Instance,
    MergeCondition,
    Vocabulary,
    WordCounts,
    check_certificate,
    improve,
    lower_bound,
    prune,
    segment,
    solve,
    trainers,
    verify,
)
from partcover.bounds.counting.price_counter import PriceCounter
from partcover.bounds.rows.merges import Merges
from partcover.bounds.rows.order import Order
from partcover.bounds.rows.rows import Arcs
from partcover.errors import InputError
from partcover.kernels.steps._saddle_point import arcs
from partcover.problem.certificates.cuts import PairPrices
from partcover.problem.certificates.nodes import Branch, Leaf, node_from_json, node_to_json
from partcover.problem.merge_order import MergeOrder
from partcover.runtime.processes.parallel import call_in_turn
from partcover.verification.merge_check import unmade_tokens


@st.composite
def bases(draw) -> tuple[WordCounts, Vocabulary]:
    """Words and a vocabulary with merges: those of BPE, or any, in any order."""
    alphabet = draw(st.sampled_from(["ab", "abc", "aé", "aé\udcff"]))
    word = st.text(alphabet, min_size=1, max_size=7)
    words = WordCounts.from_counts(draw(st.dictionaries(word, st.integers(1, 9), min_size=1)))
    if draw(st.booleans()) and alphabet.isascii():
        base = trainers.bpe(Instance(words, draw(st.integers(2, 6)))).vocabulary
        assume(len(base))
        return words, base
    parts, merges = list(alphabet), []
    for _ in range(draw(st.integers(1, 7))):
        pair = draw(st.sampled_from(parts)), draw(st.sampled_from(parts))
        if pair not in merges and len("".join(pair)) <= 6:
            merges.append(pair)
            parts += {"".join(pair)} - {*parts}
    merges = draw(st.permutations(merges))
    tokens = sorted({left + right for left, right in merges} | ({"é"} & {*alphabet}))
    rule = "character_merges" if "é" in alphabet else "merges"
    return words, Vocabulary(tokens, rule=rule, merges=merges)


def restricted(base: Vocabulary, tokens) -> Vocabulary:
    """The vocabulary of some tokens, with those merges whose parts and results are there."""
    kept, there = None, [token for token in base.tokens if token in {*tokens}]
    if base.merges is not None:
        kept = [
            pair
            for pair in base.merges
            if all(len(part) == 1 or part in there for part in (*pair, pair[0] + pair[1]))
        ]
    return Vocabulary(there, rule=base.rule, merges=kept)


def fewest_in_order(words: WordCounts, base: Vocabulary, k: int) -> int:
    """The fewest tokens that any k tokens of a base need, by the merges that stay."""
    choices = combinations(base.tokens, k)
    return min(segment(words, restricted(base, chosen)).tokens for chosen in choices)


def pieces_of(cut) -> list[list[tuple[int, int]]]:
    """The pieces of each word, as starts and ends of positions."""
    ends = (np.flatnonzero(cut.ends) + 1).tolist()
    pieces = list(zip([0, *ends], ends, strict=False))
    offsets = cut.words.offsets.tolist()
    return [
        [piece for piece in pieces if first <= piece[0] < last] for first, last in pairwise(offsets)
    ]


@tries(400)
@given(bases(), st.data())
def test_neighbors_that_a_merge_would_join_do_not_stay_apart(given_, data):
    words, base = given_
    order = MergeOrder(MergeCondition.of(base))
    chosen = data.draw(st.sets(st.sampled_from(base.tokens)))
    text = words.data.tobytes()
    for pieces in pieces_of(segment(words, restricted(base, chosen))):
        for (start, border), (_, end) in pairwise(pieces):
            left, right = text[start:border], text[border:end]
            last, first = dict(order.ends(left)), dict(order.begins(right))
            for number, (a, b) in enumerate(order.merges):
                if order.usable[number] and a + b in chosen:
                    stays = last.get(len(a), -1) > number and left.endswith(a)
                    assert not (stays and first.get(len(b), -1) > number and right.startswith(b))


@tries(300)
@given(bases(), st.data())
def test_each_segmentation_keeps_the_rows(given_, data):
    words, base = given_
    chosen = data.draw(st.sets(st.sampled_from(base.tokens)))
    instance = Instance(words, 3, candidates=base.tokens, merges=MergeCondition.of(base))
    counter = PriceCounter(instance, call_in_turn)
    words, index = counter.instance.words, counter.instance.index
    found = arcs(counter.places, counter.lo, counter.hi, counter.length, len(words.data))
    which, start, end, _ = found
    tokens = list(index.tokens_at(counter.intervals))
    x = np.array([float(token in chosen) for token in tokens])
    pieces = [piece for own in pieces_of(segment(words, restricted(base, chosen))) for piece in own]
    flow = np.array(
        [float(piece in pieces) for piece in zip(start.tolist(), end.tolist(), strict=True)]
    )
    active = np.arange(len(tokens), dtype=np.int32)
    weight = counter.weight.astype(float)
    given_arcs = Arcs(active, which, start, end, words.offsets, words.counts, weight, x)
    rows = Order(Merges(counter, instance.merges), counter).rows(given_arcs).arcs
    assert (rows.room(x, flow) >= -1e-9).all()
    assert (np.diff(rows.place) >= 0).all()
    assert (rows.limit >= 0).all()


@tries(80)
@given(bases(), st.data())
def test_no_choice_of_tokens_needs_fewer_than_the_bound(given_, data):
    words, base = given_
    k = data.draw(st.integers(0, len(base)))
    instance = Instance(words, k, candidates=base.tokens, merges=MergeCondition.of(base))
    bound = lower_bound(instance, iterations=600)
    check = check_certificate(instance, bound.certificate)
    assert (check.problems, check.lower_bound) == ((), bound.lower_bound)
    again = Certificate.from_json(bound.certificate.to_json())
    assert check_certificate(instance, again) == check
    assert bound.lower_bound <= fewest_in_order(words, base, k)


@tries(300)
@given(bases(), st.data())
def test_any_multipliers_prove_a_bound(given_, data):
    """Whatever prices and multipliers a file has, no choice of tokens needs fewer."""
    words, base = given_
    k = data.draw(st.integers(0, len(base)))
    condition = MergeCondition.of(base)
    instance = Instance(words, k, candidates=base.tokens, merges=condition)
    text, order = b"|".join(sorted(word for word, _ in words)), MergeOrder(condition)
    orders = []
    for number, (left, right) in enumerate(order.merges):
        starts = [n for n in range(len(text)) if text.startswith(left + right, n)]
        places = [n + len(left) - text[:n].count(b"|") for n in starts]
        chosen = sorted(data.draw(st.sets(st.sampled_from(places)))) if places else []
        if order.usable[number] and chosen:
            size = {"min_size": len(chosen), "max_size": len(chosen)}
            multipliers = data.draw(st.lists(st.integers(1, 12), **size))
            arrays = np.array(chosen, np.int64), np.array(multipliers, np.int64)
            orders.append(PairPrices((left, right), *arrays))
    size = len(words.data)
    prices = data.draw(st.lists(st.integers(-8, 8), min_size=size, max_size=size))
    leaf = Leaf(np.array(prices, np.int32), orders=tuple(orders))
    check = check_certificate(instance, Certificate.of(instance, (leaf,), 0, scale_bits=3))
    assert check.ok
    assert check.lower_bound <= fewest_in_order(words, base, k)


@pytest.mark.long
@pytest.mark.parametrize("kind", ["groups", "required", "forbidden", "corpora", "head"])
@tries(60)
@given(bases(), bases(), st.data())
def test_order_with_other_families(kind, given_, other, data):
    """Under groups, for several corpora and so on; bounds by a head or by rank use no order."""
    words, base = given_
    if data.draw(st.booleans()):  # by rank
        base = base.with_(merges=None, tokens=data.draw(st.permutations(base.tokens)))
    k = data.draw(st.integers(0, len(base)))
    conditions = {"candidates": base.tokens, "merges": MergeCondition.of(base)}
    asked, corpora = words, [(words, 1)]
    one = data.draw(st.sampled_from(base.tokens))
    if kind == "groups":
        conditions["groups"] = [GroupBudget("g", data.draw(st.integers(0, 2)), max_length=3)]
    elif kind in ("required", "forbidden"):
        conditions[kind] = [one]
    elif kind == "head":
        asked = HeadAndTail.of(words, data.draw(st.integers(1, 3)))
    else:
        corpora = [(part, data.draw(st.integers(3, 40))) for part in (words, other[0])]
        asked = Corpora(*map(list, zip(*corpora, strict=True)))
    chosen = [
        tokens
        for size in range(k + 1)
        for tokens in combinations(base.tokens, size)
        if (kind != "required" or one in tokens) and (kind != "forbidden" or one not in tokens)
    ]
    if kind == "groups":
        [group] = conditions["groups"]
        chosen = [tokens for tokens in chosen if sum(t in group for t in tokens) <= group.limit]
    assume(chosen)
    instance = Instance(asked, k, **conditions)
    if base.merges is None:  # each token with the parts that the base makes it of
        chosen = [each for each in chosen if not unmade_tokens(each, instance.merges, instance)]
    assume(chosen)
    smaller = [restricted(base, tokens) for tokens in chosen]
    best = min(
        max(Fraction(segment(part, each).tokens, reference) for part, reference in corpora)
        for each in smaller
    )
    bound = lower_bound(instance, time_limit=20)
    check = check_certificate(instance, bound.certificate)
    assert (check.problems, check.lower_bound) == ((), bound.lower_bound)
    assert bound.lower_bound <= best
    verbs = {improve: data.draw(st.booleans()), solve: kind != "head"}
    for verb in (verb for verb, is_tried in verbs.items() if is_tried):
        found = verb(instance, time_limit=20)
        check = check_certificate(instance, found.certificate)
        assert (check.problems, check.lower_bound) == ((), found.lower_bound)
        needed = [segment(part, found.vocabulary).tokens for part, _ in corpora]
        reached = max(Fraction(n, r) for n, (_, r) in zip(needed, corpora, strict=True))
        assert (found.tokens, found.worst or found.tokens) == (sum(needed), reached)
        assert verify(instance, found.vocabulary, claim=found).problems == ()
        assert found.lower_bound <= best <= reached
        assert verb is improve or found.lower_bound == reached


# ab|cd is the shortest path of abcd; with all three tokens merging makes a|bc|d
WORDS = {"abcd": 1, "bc": 1}
MERGES = ((b"b", b"c"), (b"a", b"b"), (b"c", b"d"))
TOKENS = [left + right for left, right in MERGES]
INSTANCE = Instance(WORDS, 3, candidates=TOKENS, merges=MergeCondition(MERGES, rule="merges"))


def order_of(*positions: int, merge=MERGES[0], multiplier: int = 1) -> PairPrices:
    multipliers = np.full(len(positions), multiplier, np.int64)
    return PairPrices(merge, np.array(positions, np.int64), multipliers)


def proof(*orders: PairPrices, instance: Instance = INSTANCE, bound: int = 4) -> Certificate:
    leaf = Leaf(np.array([1, 0, 0, 1, 1, 1], np.int32), orders=orders)
    return Certificate.of(instance, (leaf,), bound, scale_bits=0)


def test_the_example_by_hand():
    check = check_certificate(INSTANCE, proof(order_of(2)))
    assert (check.ok, check.lower_bound) == (True, 4)
    assert check_certificate(INSTANCE, proof()).lower_bound == 3
    assert lower_bound(INSTANCE).lower_bound == 4
    by_path = replace(INSTANCE, merges=replace(INSTANCE.merges, rule="shortest_path"))
    assert lower_bound(by_path).lower_bound == 3


@pytest.mark.parametrize("k", [3, 4])
@pytest.mark.parametrize("by_rank", [False, True])
@pytest.mark.parametrize("start", [None, Vocabulary(["ab", "cd"])])
def test_an_optimum_of_fewer_tokens_than_the_budget_is_found(k, by_rank, start):
    """With bc as a third token, abcd needs one token more: no third one is taken instead."""
    merges = MergeCondition(MERGES, rule="merges", by_rank=by_rank)
    words = WordCounts.from_counts({"abcd": 10, "bc": 1})
    instance = Instance(words, k, candidates=TOKENS, merges=merges)
    found = solve(instance, warm_start=start)
    assert (found.tokens, found.lower_bound, found.status) == (22, 22, "optimal")
    assert set(found.vocabulary) == {b"ab", b"cd"}
    assert check_certificate(instance, found.certificate).lower_bound == 22
    assert verify(instance, found.vocabulary, claim=found).ok
    improved = improve(instance, warm_start=start)
    assert (improved.tokens, set(improved.vocabulary)) == (22, {b"ab", b"cd"})
    assert verify(instance, improved.vocabulary, claim=improved).ok
    if start is not None:  # what one begins from is kept without any time, too
        assert improve(instance, warm_start=start, time_limit=0).tokens == 22


@pytest.mark.long
@pytest.mark.parametrize("number", [16, 32, 52, 63, 77, 92, 103, 110, 112, 150, 155, 160])
def test_improve_finds_the_fewest_tokens_that_any_number_up_to_k_needs(number):
    """Of these bases, some of the tokens need fewer tokens than all of them."""
    draw = random.Random(number)
    drawn = ("".join(draw.choices("abc", k=draw.randint(1, 8))) for _ in range(6))
    words = WordCounts.from_counts({word: draw.randint(1, 9) for word in drawn})
    parts, merges = list("abc"), []
    for _ in range(9):
        pair = draw.choice(parts), draw.choice(parts)
        if pair not in merges and len("".join(pair)) <= 3:
            merges.append(pair)
            parts += {"".join(pair)} - {*parts}
    draw.shuffle(merges)
    tokens = sorted({left + right for left, right in merges})
    base = Vocabulary(tokens, rule="merges", merges=merges)
    needed = [fewest_in_order(words, base, size) for size in range(len(base) + 1)]
    assert min(needed) < needed[-1]
    for k in range(len(base) + 2):
        condition = MergeCondition.of(base)
        found = improve(Instance(words, k, candidates=base.tokens, merges=condition))
        assert found.tokens == segment(words, found.vocabulary).tokens == min(needed[: k + 1])


@pytest.mark.parametrize(
    ("orders", "message"),
    [
        ([order_of(2, merge=(b"d", b"a"))], "'d' and 'a' is not one of the instance's"),
        ([order_of(2), order_of(5)], "a leaf has a merge twice"),
        ([order_of(2, multiplier=0)], "a multiplier that is not 1 to 2^63"),
        ([order_of(2, multiplier=-1)], "a multiplier that is not 1 to 2^63"),
        ([order_of(2, 2)], "the positions of the merge of 'b' and 'c' do not ascend"),
        ([order_of(-1)], "a multiplier at symbol -1, which no word has"),
        ([order_of(6)], "a multiplier at symbol 6, which no word has"),
        ([order_of(1)], "not on both sides"),
        ([order_of(4)], "not on both sides"),  # behind the border of two words
    ],
)
def test_multipliers_that_are_refused(orders, message):
    check = check_certificate(INSTANCE, proof(*orders))
    assert not check.ok
    assert message in check.problems[0]


def test_a_merge_whose_parts_have_several_ways_is_refused():
    merges = (*MERGES, (b"bc", b"d"), (b"b", b"cd"), (b"a", b"bcd"))
    tokens = sorted({left + right for left, right in merges})
    condition = MergeCondition(merges, rule="merges")
    instance = Instance(WORDS, 3, candidates=tokens, merges=condition)
    check = check_certificate(instance, proof(order_of(1, merge=merges[-1]), instance=instance))
    assert "has parts made in several ways" in check.problems[0]


def test_bytes_that_are_no_characters_are_never_joined():
    """If they were, ``a\\xff`` would take its ``a`` from ``dca``, and three tokens be needed."""
    pairs = (b"a", b"\xff"), (b"c", b"a"), (b"d", b"ca")
    merges = MergeCondition(pairs, characters=True, rule="character_merges")
    instance = Instance({b"dca\xff": 1}, 3, required=[a + b for a, b in pairs], merges=merges)
    assert verify(instance, instance.vocabulary(instance.required, "all")).tokens == 2
    bound = lower_bound(instance)
    assert bound.lower_bound == 2
    row = PairPrices(pairs[0], np.array([3]), np.array([1]))
    leaf = replace(bound.certificate.tree[0], orders=(row,))
    check = check_certificate(instance, replace(bound.certificate, tree=(leaf,)))
    assert "made in several ways, or never joined" in check.problems[0]


def test_an_instance_without_order_refuses_its_multipliers():
    by_path = replace(INSTANCE, merges=replace(INSTANCE.merges, rule="shortest_path"))
    for instance in (by_path, Instance(WORDS, 3, candidates=TOKENS)):
        check = check_certificate(instance, proof(order_of(2), instance=instance))
        assert not check.ok
        assert "applied in order" in check.problems[0]


@pytest.mark.parametrize(
    ("word", "merges", "prices", "orders"),
    [
        # aba begins at symbols 1 and 3; where it begins at 1, it also covers the symbols 2 and 3
        (
            "aababa",
            ((b"b", b"a"), (b"a", b"ba")),
            [8, 8, 8, -8, 8, -8],
            [((b"b", b"a"), [3, 5], [40, 12]), ((b"a", b"ba"), [2], [56])],
        ),
        (
            "abaaaab",
            ((b"a", b"a"), (b"a", b"aa")),
            [8, 8, 8, -4, 0, 8, 8],
            [((b"a", b"a"), [3], [24]), ((b"a", b"aa"), [3], [28])],
        ),
    ],
)
def test_a_token_that_reaches_over_the_border_from_before_does_not_pay(
    word, merges, prices, orders
):
    tokens = [left + right for left, right in merges]
    condition = MergeCondition(merges, rule="merges")
    instance = Instance(
        {word: 1}, len(tokens), candidates=tokens, required=tokens, merges=condition
    )
    pairs = (PairPrices(merge, np.array(at), np.array(m)) for merge, at, m in orders)
    leaf = Leaf(np.array(prices, np.int32), orders=tuple(pairs))
    check = check_certificate(instance, Certificate.of(instance, (leaf,), 0, scale_bits=3))
    assert check.ok
    base = Vocabulary(tokens, rule="merges", merges=merges)
    assert check.lower_bound <= segment(instance.words, base).tokens


@pytest.mark.parametrize(
    "change",
    [7, {}, {"tokens": 7, "multipliers": ""}, {"tokens": [[]], "multipliers": ""}],
)
def test_files_with_other_orders_are_refused(change):
    node = node_to_json(proof(order_of(2)).tree[0], 0)
    with pytest.raises(InputError, match=r"pairs of a leaf|tokens of a pair"):
        node_from_json({**node, "orders": change}, "bytes")


@pytest.mark.long
def test_a_pruned_bpe_is_nearly_proven():
    draw = np.random.default_rng(7)
    stems = ["".join(draw.choice(list("abcdefgh"), 3)) for _ in range(40)]
    drawn = {"".join(draw.choice(stems, 2)): int(n) for n in draw.integers(1, 50, 300)}
    words = WordCounts.from_counts(drawn)
    base = trainers.bpe(Instance(words, 120)).vocabulary
    found = prune(base, words, 60)
    assert found.check().ok
    by_path = replace(found.instance, merges=replace(found.instance.merges, rule="shortest_path"))
    plain = lower_bound(by_path).lower_bound
    assert plain < found.lower_bound <= found.tokens
    assert found.tokens - found.lower_bound < (found.tokens - plain) / 2


@pytest.mark.parametrize("pairs", [MERGES, None])
@pytest.mark.parametrize("kind", ["one corpus", "head", "corpora"])
def test_every_verb_counts_what_merging_needs(kind, pairs):
    """With all three tokens abcd becomes a, bc, d."""
    words = WordCounts.from_counts(WORDS)
    asked, fewest = words, 4
    if kind == "head":
        asked = HeadAndTail.of(words, 1)
    elif kind == "corpora":
        asked, fewest = Corpora([words, WordCounts.from_counts({"abcd": 1})], [1, 1]), 7
    merges = MergeCondition(pairs, rule="merges", by_rank=pairs is None)
    instance = Instance(asked, 3, candidates=TOKENS, required=TOKENS, merges=merges)
    for verb in (improve,) if kind == "head" else (improve, solve):
        found = verb(instance, time_limit=20)
        assert (found.tokens, found.rule) == (fewest, "merges")
        assert verify(instance, found.vocabulary, claim=found).problems == ()


def test_merging_by_rank_needs_the_rank_of_each_required_token():
    merges = MergeCondition(None, rule="merges", by_rank=True)
    for lists in ({}, {"candidates": TOKENS, "required": ["abc"]}):
        with pytest.raises(InputError, match="a list of candidates in the order of their ranks"):
            Instance(WORDS, 3, merges=merges, **lists)


def test_tokens_without_a_rank_are_refused():
    base = Vocabulary(["ab", "abab"], rule="merges")
    merges = MergeCondition.of(base)
    instance = Instance({"abab": 3, "ba": 2}, 1, candidates=base.tokens, merges=merges)
    other = Vocabulary(["ba"], rule="merges")
    assert "token 'ba' is not in the candidate list" in verify(instance, other).problems
    with pytest.raises(InputError, match="is not in the candidate list"):
        solve(instance, warm_start=other)
    proof = lower_bound(instance).certificate
    proof = replace(proof, tree=(Branch(b"ba"), Leaf(None), *proof.tree), lower_bound=8)
    assert "the prices prove 7" in check_certificate(instance, proof).problems[0]
