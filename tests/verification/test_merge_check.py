"""Certificates about tokens that merges make: never above the best of them, and not changed."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest
from bounds.counters import counter_of
from hypothesis import given
from hypothesis import strategies as st
from oracles.bounds.certificate import resealed
from oracles.bounds.merge_certificate import fewest_closed, is_closed
from oracles.brute_force import useful
from shared.generated import generated_closed
from shared.merge_strategies import charges, conditions, due, dues
from shared.properties import tries
from shared.strategies import instances, prices

from partcover import (
    Certificate,
    InputError,
    Instance,
    MergeCondition,
    VerificationError,
    Vocabulary,
    check_certificate,
    greedtok,
    greedwmc,
    lower_bound,
    relax,
    solve,
    trainers,
    verify,
)
from partcover.bounds.rows.family import Term
from partcover.bounds.rows.merges import Merges
from partcover.bounds.rows.needs import Needs
from partcover.problem.certificates.nodes import Charge, Leaf
from partcover.verification.leaf_terms import charged
from partcover.verification.merge_check import other_merges, unmade_tokens


@pytest.mark.long
@tries(200)
@given(st.data())
def test_never_above_the_best_closed_vocabulary(data):
    instance = replace(data.draw(instances()), groups=())
    if len(useful(instance)) > 12:
        return
    condition = data.draw(conditions(instance))
    bits = data.draw(st.sampled_from([0, 1, 20]))
    priced = np.array(data.draw(prices(instance, bits)), np.int32)
    leaf = Leaf(priced, pairs=data.draw(dues(instance, 1 << bits)))
    made = data.draw(charges(instance, condition, 1 << bits))
    instance = replace(instance, merges=condition)
    proof = Certificate.of(instance, (replace(leaf, charges=made),), 0, bits)
    check = check_certificate(instance, proof)
    assert check.problems == ()
    assert check.lower_bound <= fewest_closed(instance, condition)
    again = Certificate.from_json(json.loads(json.dumps(proof.to_json())))
    assert again.to_json() == proof.to_json()
    assert check_certificate(instance, again) == check
    chosen = [t for t in useful(instance) if data.draw(st.booleans())]
    assert (unmade_tokens(chosen, condition, instance) == []) == is_closed(
        instance, chosen, condition
    )


@tries(60)
@given(st.data())
def test_what_is_found_is_checked_and_no_less_than_without_merges(data):
    instance = data.draw(instances())
    if len(useful(instance)) > 12:
        return
    condition = data.draw(conditions(instance))
    closed = replace(instance, merges=condition)
    bound = lower_bound(closed, time_limit=5)
    check = check_certificate(closed, bound.certificate)
    assert check.ok
    assert check.lower_bound == bound.lower_bound <= fewest_closed(instance, condition)
    # up to what rounding and the end of the steps leave
    without = lower_bound(instance, cuts=False, time_limit=5)
    assert bound.lower_bound >= without.lower_bound - 1


def example() -> tuple[Instance, Certificate]:
    """One token, which is to be made of single symbols: so abc pays ab and bc.

    Prices of 1 sum to 12; rewards are ab 4 + 1, abc 6 − 1, abd 2, bc 3 + 1, bd 1.
    """
    instance = Instance({"abc": 3, "abd": 1}, 1, merges=MergeCondition())
    charge = Charge(b"abc", 1, ((b"ab", 1), (b"bc", 1)))
    leaf = Leaf(np.ones(6, np.int32), charges=(charge,))
    return instance, Certificate.of(instance, (leaf,), 7, 0)


def about(instance: Instance, proof: Certificate) -> Certificate:
    """The same proof, said to be about an instance."""
    return Certificate.of(instance, proof.tree, proof.lower_bound, proof.scale_bits)


def with_leaf(proof: Certificate, **changes) -> Certificate:
    """The same proof with another leaf, which claims nothing."""
    return replace(proof, tree=(replace(proof.tree[0], **changes),), lower_bound=0)


def test_the_example_by_hand():
    instance, proof = example()
    assert check_certificate(instance, proof).lower_bound == 7
    assert fewest_closed(instance, MergeCondition()) == 8
    more = check_certificate(instance, replace(proof, lower_bound=8))
    assert (more.ok, more.lower_bound) == (False, 7)
    assert "lower bound 8 is claimed, but" in more.problems[0]
    assert check_certificate(instance, with_leaf(proof, charges=())).lower_bound == 6


@pytest.mark.parametrize(
    ("charges", "message"),
    [
        ((Charge(b"abc", 1, ()),), "'abc' pays 1, and 'bc', which make it, receive 0"),
        ((Charge(b"ab", 1, ((b"bc", 1),)),), "'ab' pays 1, and single symbols, which make it"),
        ((Charge(b"abc", 0, ()), Charge(b"abc", 0, ())), "'abc' is charged twice"),
        ((Charge(b"abc", 0, ((b"ab", 1), (b"ab", 1))),), "has a part twice"),
    ],
)
def test_charges_that_are_refused(charges, message):
    instance, proof = example()
    check = check_certificate(instance, with_leaf(proof, charges=charges))
    assert not check.ok
    assert check.lower_bound == 0
    assert message in check.problems[0]


AB, BC = b"ab", b"bc"


def paying() -> tuple[Instance, Certificate]:
    """One token of two, of which abc needs ab: over the first symbol both pay 1 to ab.

    Prices of 1 sum to 6; rewards are ab 2 − 2 + 2 and abc 4 − 2.
    """
    condition = MergeCondition(((b"a", b"b"), (b"ab", b"c")))
    instance = Instance({"abc": 2}, 1, candidates=["ab", "abc"], merges=condition)
    leaf = Leaf(np.ones(3, np.int32), pairs=(due(b"ab", {0: 1}),))
    return instance, Certificate.of(instance, (leaf,), 4, 0)


def test_dues_by_hand():
    instance, proof = paying()
    assert check_certificate(instance, proof).lower_bound == 4
    assert fewest_closed(instance, instance.merges) == 4
    bound = lower_bound(instance)
    assert check_certificate(instance, bound.certificate).lower_bound == 4
    # where other merges make abc, too, it needs none of them
    other = MergeCondition((*instance.merges.pairs, (b"a", b"bc"), (b"b", b"c")))
    instance = replace(instance, merges=other)
    assert not check_certificate(instance, about(instance, proof)).ok


def chain(token: bytes) -> list[tuple[bytes, bytes]]:
    """The merges that make a token symbol by symbol."""
    return [(token[:n], token[n : n + 1]) for n in range(1, len(token))]


@pytest.mark.parametrize(
    ("words", "pairs"),
    [
        ({"abcd": 3, "abce": 2, "abx": 1}, [*chain(b"abcd"), *chain(b"abce"), *chain(b"abx")]),
        ({"abcab": 3, "abcd": 2, "bcd": 4}, [*chain(b"abcab"), *chain(b"bcd"), (b"ab", b"cd")]),
    ],
)
def test_a_bound_counts_what_is_paid_to_the_tokens_that_others_need(words, pairs):
    """Where nobody paid, half as much would be proven."""
    instance = Instance(words, 2, merges=MergeCondition(tuple(dict.fromkeys(pairs))))
    bound = lower_bound(instance)
    assert any(len(tokens) == 1 for tokens in bound.certificate.tree[0].pair_tokens)
    check = check_certificate(instance, bound.certificate)
    fewest = fewest_closed(instance, instance.merges)
    assert bound.lower_bound == check.lower_bound == fewest


def test_words_that_need_no_parts_pay_to_no_others():
    """abc is there without ab, and two of it are all tokens: a due to ab would prove 4."""
    instance, _ = paying()
    instance = replace(instance, merges=replace(instance.merges, whole_words=True))
    bound = lower_bound(instance)
    assert bound.lower_bound == fewest_closed(instance, instance.merges) == 2
    assert check_certificate(instance, bound.certificate).lower_bound == 2
    counter = counter_of(instance)
    merges = Merges(counter, instance.merges)
    first, lists = Needs(merges).lists
    for number, token in enumerate(merges.tokens):
        listed = lists[first[number] : first[number + 1]].tolist()
        assert [merges.tokens[part] for part in listed] == [token]


@tries(60)
@given(st.integers(0, 2**31), st.randoms(use_true_random=False))
def test_any_multipliers_make_charges_that_are_valid(number, draw):
    """Where those of a way sum to one unit less than the token pays, too."""
    instance = generated_closed(number)
    condition = instance.merges
    counter = counter_of(instance)
    merges = Merges(counter, condition)
    given_to = {}
    for token in range(len(merges.tokens)):
        splits = merges.splits(token)
        if not splits:
            continue
        if len(splits) == 1:
            given_to |= {(token, part, -1): draw.randrange(4) for part in splits[0]}
            continue
        given_to[token, -1, -1] = draw.randrange(6)
        for split in splits:
            for side, part in enumerate(split):
                given_to[token, part, side] = draw.randrange(4)
    made = merges.in_leaf(counter, Term(merges, merges.charges(given_to)))
    charged(condition, made["charges"], merges.exempt)


def test_dues_are_what_the_token_gets():
    """Each use of ab pays 1 of the 1 that it is worth, and ab gets it: 6 - 2, where 4 is needed."""
    condition = MergeCondition(((b"a", b"b"),))
    instance = Instance({"abc": 2}, 1, candidates=["ab"], merges=condition)
    leaf = Leaf(np.ones(3, np.int32), pairs=(due(AB, {0: 1}),))
    check = check_certificate(instance, Certificate.of(instance, (leaf,), 4, 0))
    assert (check.ok, check.lower_bound) == (True, 4)
    assert fewest_closed(instance, condition) == 4


@pytest.mark.parametrize(
    ("pairs", "message"),
    [
        ((due(AB, {}),), "'ab' has no multipliers"),
        ((due(AB, {-1: 1}),), "'ab' has a multiplier at symbol -1, which no word has"),
        ((due(AB, {3: 1}),), "'ab' has a multiplier at symbol 3, which no word has"),
        ((due(AB, {0: 0}),), "'ab' has a multiplier that is not 1"),
        ((due(AB, {0: 1}), due(AB, {1: 1})), "the pair 'ab' twice"),
        (
            (replace(due(AB, {0: 1}), tokens=(AB, BC)),),
            "'ab' and 'bc' has a multiplier at symbol 0",
        ),
        ((replace(due(AB, {0: 1, 1: 1}), positions=np.array([1, 1])),), "'ab' do not ascend"),
        ((replace(due(AB, {0: 1, 1: 1}), positions=np.array([1, 0])),), "'ab' do not ascend"),
    ],
)
def test_dues_that_are_refused(pairs, message):
    instance, proof = paying()
    leaf = replace(proof.tree[0], pairs=pairs)
    for tree in ((leaf,), (leaf.packed(0),)):
        check = check_certificate(instance, Certificate.of(instance, tree, 2, 0))
        assert (check.ok, check.lower_bound) == (False, 0)
        assert message in check.problems[0] or "there must be 1 to 3" in check.problems[0]


def test_tokens_that_need_no_parts_are_not_charged():
    instance, proof = example()
    words = replace(instance, merges=MergeCondition(whole_words=True))
    for other in (words, replace(instance, required=["abc"])):
        check = check_certificate(other, about(other, proof))
        assert "needs no parts" in check.problems[0]


def test_about_another_instance_or_of_another_form():
    instance, proof = example()
    assert not check_certificate(instance.with_k(2), proof).ok
    check = check_certificate(replace(instance, merges=None), proof)
    assert check.problems == ("the certificate is about other candidates or conditions",)
    for instance, proof in (example(), paying()):
        without = replace(instance, merges=None)
        check = check_certificate(without, about(without, proof))
        assert (check.ok, check.lower_bound) == (False, 0)
        assert check.problems == (
            "a leaf is about tokens that merges make, but the instance is not",
        )


def test_a_certificate_does_not_bring_its_own_merges():
    """With other merges, or none, more can be proven, and it is not about this instance."""
    words, k = {"abc": 3, "abd": 1}, 1
    instance = Instance(words, k, merges=MergeCondition(((b"a", b"b"), (b"ab", b"c"))))
    fewest = fewest_closed(instance, instance.merges)
    for pairs in ((), ((b"b", b"c"),)):
        other = replace(instance, merges=MergeCondition(pairs))
        forged = lower_bound(other).certificate
        assert check_certificate(other, forged).lower_bound > fewest
        check = check_certificate(instance, forged)
        assert check.problems == ("the certificate is about other candidates or conditions",)
        assert not check_certificate(instance, about(instance, forged)).ok


def test_a_vocabulary_keeps_to_the_merges_of_the_instance():
    instance = Instance({"abc": 3, "abd": 1}, 2, merges=MergeCondition(((b"a", b"b"),)))
    assert verify(instance, Vocabulary(["ab"])).ok
    check = verify(instance, Vocabulary(["ab", "abc"]))
    assert check.problems == (
        "the instance's merges do not make token 'abc' from other tokens of the vocabulary",
    )
    # by its own merges abc never comes out
    assert verify(instance, Vocabulary(["ab", "abc"], rule="merges", merges=[("a", "b")])).ok
    by_rank = Vocabulary(["ab", "abc"], rule="merges")
    assert "do not make token 'abc'" in verify(instance, by_rank).problems[0]


@pytest.mark.parametrize("choose", [greedtok, greedwmc, relax, trainers.bpe])
def test_what_knows_nothing_of_merges_refuses_the_instance(choose):
    instance, _ = example()
    with pytest.raises(InputError, match="merges"):
        choose(instance)
    lower_bound(instance)
    with pytest.raises(InputError, match="merges"):
        choose(instance)


@pytest.mark.parametrize("pairs", [None, ((b"a", b"bc"), (b"b", b"c")), ()])
def test_the_instance_file_holds_the_merges(pairs, tmp_path):
    condition = MergeCondition(pairs, characters=True)
    Instance({"abc": 3}, 1, merges=condition).save(tmp_path / "I.json")
    assert Instance.load(tmp_path / "I.json").merges == condition
    text = Instance({"abc": 3}, 1, merges=MergeCondition((("a", "b"),))).merges
    assert text == MergeCondition(((b"a", b"b"),))


@pytest.mark.parametrize(
    ("merges", "message"),
    [
        (7, "'merges' must be an object"),
        ({}, "'merges' must be an object"),
        ({"pairs": 7}, "are not a list"),
        ({"pairs": [["a"]]}, "are not pairs"),
        ({"pairs": [["a", ""]]}, "without symbols"),
        ({"pairs": None, "whole_words": 1}, "true or false"),
        ({"pairs": None, "rule": "merges"}, "'pairs' does not list them"),
        ({"pairs": [], "rule": "merges"}, "single symbols, not from characters"),
        ({"rule": "priority", "pairs": None}, "use shortest_path, merges, character_merges"),
        ({"by_rank": True, "pairs": None}, "merging by rank needs a list of candidates"),
    ],
)
def test_merges_of_an_instance_file_that_are_refused(merges, message):
    if isinstance(merges, dict) and merges:
        merges = {"whole_words": True, "characters": True, "by_rank": False, **merges}
        merges = {"rule": "shortest_path", **merges}
    with pytest.raises(InputError, match=message):
        Instance.from_json({**Instance({"abc": 3}, 1).to_json(), "merges": merges})


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"charges": 7}, "the charges of a leaf are not a list"),
        ({"charges": [7]}, "a charge is not"),
        ({"charges": [["abc", 1, [["ab"]]]]}, "the parts of a charge are not pairs"),
        ({"charges": [["abc", -1, []]]}, "a charge of"),
        ({"charges": [["abc", 1.5, []]]}, "a charge of"),
        ({"lower_bound": "7"}, "'lower_bound' is a fraction"),
        ({"version": 2}, "is not supported: update"),
    ],
)
def test_files_that_are_refused(change, message):
    _, proof = example()
    data = proof.to_json()
    if "charges" in change:
        data["tree"] = [{**data["tree"][0], **change}]
    else:
        data |= change
    with pytest.raises(InputError, match=message):
        Certificate.from_json(resealed(data))


def test_a_changed_file_is_refused():
    _, proof = example()
    with pytest.raises(VerificationError, match="checksum"):
        Certificate.from_json({**proof.to_json(), "lower_bound": 5})


def test_characters_are_there_where_merging_starts_from_them():
    condition = MergeCondition(characters=True)
    assert list(condition.splits("é".encode())) == [()]
    assert ("é".encode(),) in condition.splits("éa".encode())
    assert () not in MergeCondition().splits("é".encode() * 2)


@pytest.mark.long
@pytest.mark.parametrize("bits", [40, 62, 80])
def test_a_start_with_large_multipliers_is_read_as_far_as_it_fits(bits):
    instance = Instance({"abcd": 3, "bcde": 2, "abce": 2}, 2, merges=MergeCondition())
    proof = lower_bound(instance).certificate
    pays = Charge(b"abc", 1 << bits, ((b"ab", 1 << bits), (b"bc", 1 << bits)))
    paid = (due(b"ab", {0: 1 << min(bits, 60), 1: 1}),)
    start = with_leaf(proof, charges=(pays,), pairs=paid, cuts=())
    best = fewest_closed(instance, instance.merges)
    for method in (lower_bound, solve):
        found = method(instance, start_certificate=start)
        assert check_certificate(instance, found.certificate).ok
        assert found.lower_bound <= best


FIRST, SECOND = (b"a", b"b"), (b"ab", b"c")


@pytest.mark.parametrize(
    ("base", "merges", "problem"),
    [
        ([FIRST, SECOND], [FIRST, SECOND], None),
        (
            [FIRST, SECOND],
            [FIRST],
            "base merges 'ab' + 'c' at this place, the vocabulary nothing more",
        ),
        (
            [FIRST],
            [FIRST, SECOND],
            "base merges nothing more at this place, the vocabulary 'ab' + 'c'",
        ),
        (None, [FIRST], "base merges by rank, the vocabulary by a list of pairs"),
    ],
)
def test_the_merges_of_a_pruned_vocabulary_are_those_of_its_base(base, merges, problem):
    pruned = Vocabulary(["ab", "abc"], rule="merges", merges=merges, method="prune")
    found = other_merges(pruned, MergeCondition(base))
    assert found == (None if problem is None else f"the {problem}")
