"""Leaves with pairs and cuts: never above the optimum, as the twin counts, and nothing invalid."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from oracles.bounds.certificate import fewest_in_case, planes, resealed, slow_bound, slow_value
from oracles.brute_force import fewest_tokens, useful
from shared.cut_strategies import leaves_with_cuts, overlaps, pair, triangle
from shared.properties import tries
from shared.strategies import instances

from partcover import InputError, Instance, relax, solve
from partcover.problem.certificates.certificate import Certificate
from partcover.problem.certificates.cuts import Cut, PairPrices
from partcover.problem.certificates.nodes import Branch, Leaf
from partcover.verification.certificate_check import check_certificate, is_empty
from partcover.verification.leaf_bound import LeafCase, case_values, lower_bounds
from partcover.verification.leaf_terms import LeafTerms
from partcover.verification.sorted_words import SortedWords

AB, BC, CA = b"ab", b"bc", b"ca"


def proven(instance, leaf, bits):
    """The bound of a certificate that is this leaf alone."""
    return check_certificate(instance, Certificate.of(instance, (leaf,), 0, bits)).lower_bound


def test_the_example_of_the_docs():
    instance, leaf = triangle()
    assert instance.words.total_symbols == 22
    assert relax(instance).tokens == pytest.approx(15)
    assert fewest_tokens(instance) == 16
    plain = Leaf(np.array([2, 1, 2, 2, 1, 2, 2, 1, 2, 2, 2], np.int32))  # in halves
    assert proven(instance, plain, 1) == 15
    assert proven(instance, leaf, 0) == 16
    assert check_certificate(instance, Certificate.of(instance, (leaf,), 16, 0)).ok
    assert not check_certificate(instance, Certificate.of(instance, (leaf,), 17, 0)).ok
    # without the cut the multipliers are lost
    assert proven(instance, replace(leaf, cuts=()), 0) == 14
    certificate = solve(instance).certificate
    assert certificate.lower_bound == 16


@st.composite
def trees_with_cuts(draw, instance: Instance, bits: int, depth: int = 2) -> tuple:
    pool = sorted({*useful(instance), *instance.fixed, *instance.forbidden})
    if depth and pool and draw(st.integers(0, 2)) == 0:
        first, second = (draw(trees_with_cuts(instance, bits, depth - 1)) for _ in range(2))
        return (Branch(draw(st.sampled_from(pool))), *first, *second)
    return (draw(leaves_with_cuts(instance, bits)),)


@pytest.mark.long
@tries(300)
@given(st.data())
def test_never_above_the_optimum(data):
    instance = data.draw(instances())
    assume(len(useful(instance)) <= 12)
    bits = data.draw(st.sampled_from([0, 1, 3, 20]))
    claim = Certificate.of(instance, data.draw(trees_with_cuts(instance, bits)), 0, bits)
    check = check_certificate(instance, claim)
    assert check.problems == ()
    assert slow_bound(instance, claim) == check.lower_bound
    assert check.lower_bound <= fewest_tokens(instance)
    again = Certificate.from_json(json.loads(json.dumps(claim.to_json())))
    assert again.to_json() == claim.to_json()
    assert check_certificate(instance, again) == check
    words = SortedWords(instance)
    for leaf, inside, outside in claim.leaves():
        required = inside | set(instance.fixed)
        if is_empty(instance, required, outside):
            continue
        terms = LeafTerms(leaf, words, instance)
        case = LeafCase(leaf.prices.tolist(), required, outside, terms, words)
        (value,) = case_values(instance, words, [case], 1 << bits)
        case = LeafCase(leaf.prices.tolist(), required, outside, terms, words)
        assert value == slow_value(instance, leaf, 1 << bits, set(required), outside)
        best = fewest_in_case(instance, set(required), set(outside))
        assert lower_bounds(instance, words, [case], bits)[0] <= best
        assert value <= best << bits


@pytest.mark.long
@tries(6)
@given(st.integers(0, 2**31))
def test_no_change_of_multipliers_gets_above_the_optimum(seed):
    """Changes one number at a time wherever that does not lower the bound."""
    random = np.random.default_rng(seed)
    names = ["abc", "bca", "cab", "xy"]
    names += ["".join(random.choice(list("abcd"), random.integers(2, 5))) for _ in range(2)]
    words = {name: 4 * int(random.integers(1, 4)) for name in names}
    required = [b"ab"] if seed % 3 == 0 else []
    instance = Instance(words, 2 + seed % 2, max_length=2 + seed % 2, required=required)
    best, one = fewest_tokens(instance), 4
    over = overlaps(instance)
    pool = sorted({token for two in over for token in two})
    edges = set(over)
    triangles = [
        (a, b, c)
        for a in pool
        for b in pool
        for c in pool
        if a < b < c and {(a, b), (b, c), (a, c)} <= edges
    ]
    random.shuffle(triangles)
    triangles.sort(key=lambda tokens: tokens != (AB, BC, CA))
    chosen = [Cut(tuple(tokens), 8) for tokens in triangles[: 1 + seed % 2]]
    prices = np.full(len(instance.words.data), one, np.int32)
    pairs = {e: np.full(len(over[e]), one - 1) for cut in chosen for e in cut.edges}

    def leaf() -> Leaf:
        priced = tuple(pair(e, over[e], m) for e, m in sorted(pairs.items()))
        return Leaf(prices, (), priced, tuple(chosen))

    fixed = set(instance.fixed)
    value = first = slow_value(instance, leaf(), one, fixed, frozenset())
    for _ in range(600):
        old = prices.copy(), {e: m.copy() for e, m in pairs.items()}, list(chosen)
        where = random.integers(3)
        if where == 0:
            p = random.integers(len(prices))
            prices[p] = min(one, prices[p] + random.choice([-1, 1, 2]))
        elif where == 1:
            multipliers = pairs[sorted(pairs)[random.integers(len(pairs))]]
            p = random.integers(len(multipliers))
            multipliers[p] = max(1, multipliers[p] + random.choice([-4, -1, 1, 4]))
        else:
            n = random.integers(len(chosen))
            multiplier = max(0, chosen[n].multiplier + int(random.choice([-16, -4, -1, 1, 4, 16])))
            chosen[n] = replace(chosen[n], multiplier=multiplier)
        changed = slow_value(instance, leaf(), one, fixed, frozenset())
        assert changed <= best * one
        if changed >= value:
            value = changed
        else:
            prices[:], pairs, chosen = old
    assert proven(instance, leaf(), 2) == max(instance.words.total_count, -(-value // one))
    assert value > first


def refused(leaf: Leaf, instance: Instance | None = None) -> str:
    """The one line that says what is wrong, which no bound is proven beside."""
    instance = instance or triangle()[0]
    check = check_certificate(instance, Certificate.of(instance, (leaf,), 0, 0))
    assert not check.ok
    assert check.lower_bound == 0
    (problem,) = check.problems
    assert "\n" not in problem
    return problem


BIG = 1 << 63


@pytest.mark.parametrize(
    ("cut", "message"),
    [
        (Cut((AB, BC), 1), "a cycle has 2 tokens: it must have at least 3"),
        (Cut((), 1), "a cycle has 0 tokens: it must have at least 3"),
        (Cut((AB,), 1, links=(0,)), "a cycle has 1 tokens: it must have at least 3, or 2 with"),
        (Cut((AB,), 1, 1), "a clique has 1 tokens: it must have at least 3"),
        (Cut((AB, BC, CA, b"xy"), 1), "a cycle has 4 edges: the number must be odd"),
        (Cut((AB, BC, CA), 1, links=(1,)), "a cycle has 2 edges: the number must be odd"),
        (Cut((AB, BC, AB), 1), "a cycle has a token twice"),
        (Cut((AB, AB, AB), 1, 1), "a clique has a token twice"),
        (Cut((AB, BC, CA), 1, 2), "a clique has r = 2: it must be 1 to 1 for 3 tokens"),
        (Cut((AB, BC, CA), 1, -1), "a clique has r = -1: it must be 1 to 1 for 3 tokens"),
        (Cut((AB, BC, CA), 1, links=(0, -1)), "a cycle has a link twice"),
        (Cut((AB, BC, CA), 1, links=(1, 3)), "a cycle has links that are none of it"),
        (Cut((AB, BC, CA), 1, 1, (0, 1)), "a clique has links that are none of it"),
        (Cut((AB, BC, CA), -1), "a multiplier that is not 0 to"),
        (Cut((AB, BC, CA), BIG), "a multiplier that is not 0 to"),
        (Cut((AB, BC, b"zz"), 1), "a cut has 'zz', which occurs nowhere"),
        (Cut((AB, BC, "ca"), 1), "a cut has 'ca', which occurs nowhere"),
        (Cut((AB, BC, b"a"), 0, 1), "a cut has 'a', which occurs nowhere"),
        (
            Cut(tuple(b"%02d" % n for n in range(65)), 0, 1),
            "a clique has 65 tokens: at most 64 are possible",
        ),
    ],
)
def test_cuts_that_are_refused(cut, message):
    _, leaf = triangle()
    assert message in refused(replace(leaf, cuts=(cut,)))


def test_an_edge_of_a_cut_needs_no_multipliers():
    """Its y is not worth anything: so tokens of a cut may even never overlap, as bc and xy."""
    instance, leaf = triangle()
    for changed, bound in (
        (replace(leaf, pairs=leaf.pairs[:2]), 12),
        (replace(leaf, cuts=(*leaf.cuts, Cut((AB, BC, b"xy"), 1))), 13),
    ):
        claim = Certificate.of(instance, (changed,), bound, 0)
        assert slow_bound(instance, claim) == bound
        assert check_certificate(instance, claim).ok


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        (pair((AB, BC), [], []), "'ab' and 'bc' has no multipliers"),
        (pair((AB, BC), [1], [0]), "'ab' and 'bc' has a multiplier that is not 1 to"),
        (pair((AB, BC), [1], [-1]), "'ab' and 'bc' has a multiplier that is not 1 to"),
        (pair((AB, BC), [0], [1]), "a multiplier at symbol 0, where they do not overlap"),
        (pair((AB, BC), [1, 4], [1, 1]), "a multiplier at symbol 4, where they do not overlap"),
        (pair((AB, BC), [-10], [1]), "a multiplier at symbol -10, where they do not overlap"),
        (pair((AB, BC), [11], [1]), "a multiplier at symbol 11, where they do not overlap"),
        (pair((AB, BC), [1, 1], [1, 1]), "the positions of the pair 'ab' and 'bc' do not ascend"),
        (pair((AB, BC), [2, 1], [1, 1]), "the positions of the pair 'ab' and 'bc' do not ascend"),
        (pair((BC, AB), [1], [1]), "'bc' and 'ab', do not ascend"),
        (pair((AB,), [1], [1]), "merges make, but the instance is not"),
        (pair((AB, b"xy"), [1], [1]), "a multiplier at symbol 1, where they do not overlap"),
        (pair((AB, BC, CA), [1], [1]), "a pair has 3 tokens"),
        (pair((AB, b"zz"), [1], [1]), "a pair has 'zz', which occurs nowhere"),
        (pair((AB, "bc"), [1], [1]), "a pair has 'bc', which occurs nowhere"),
        (pair((AB, b"b"), [1], [1]), "a pair has 'b', which is not a token"),
        (pair((b"", AB), [1], [1]), "a pair has '', which is not a token"),
        (pair((BC, CA), [4], [1]), "has the pair 'bc' and 'ca' twice"),
    ],
)
def test_pairs_that_are_refused(changed, message):
    _, leaf = triangle()
    assert message in refused(replace(leaf, pairs=(changed, *leaf.pairs[1:])))


def test_words_end_where_tokens_may_not_go_on():
    # "ab" and "bc" would overlap if the words were one text
    instance = Instance({"cab": 1, "c": 1, "bc": 1}, 1)
    leaf = Leaf(np.zeros(6, np.int32), pairs=(pair((AB, b"cc"), [0], [1]),))
    assert "'cc', which occurs nowhere" in refused(leaf, instance)
    leaf = Leaf(np.zeros(6, np.int32), pairs=(pair((AB, BC), [5], [1]),))
    assert "a multiplier at symbol 5, where they do not overlap" in refused(leaf, instance)
    # "abc" begins in the first word, and would end in the second
    instance = Instance({"ab": 1, "c": 1, "xabc": 1}, 1)
    leaf = Leaf(np.zeros(7, np.int32), pairs=(pair((AB, b"abc"), [0, 4], [1, 1]),))
    assert "a multiplier at symbol 0, where they do not overlap" in refused(leaf, instance)


@pytest.mark.parametrize("kind", ["cycle", "clique"])
@pytest.mark.parametrize("size", range(3, 10))
def test_the_least_valid_numbers_are_those_of_the_constructors(kind, size):
    """Touched edges are counted one by one: one less in coef or rhs would be too few."""
    tokens = [f"t{n}" for n in range(size)]
    made = [Cut(tuple(tokens), 1)] if size % 2 and kind == "cycle" else []
    if kind == "clique":
        made = [Cut(tuple(tokens), 1, r) for r in range(1, size - 1)]
    for cut in made:
        slacks = []
        for s in range(size + 1):
            # of s tokens of a cycle, every second one touches the most
            chosen = set(tokens[::2][:s] if kind == "cycle" else tokens[:s])
            chosen |= set(tokens[1::2][: max(0, s - len(chosen))])
            touched = sum(bool(chosen & set(edge)) for edge in cut.edges)
            slacks.append(cut.coef * s + cut.rhs - touched)
        assert min(slacks) == 0
        assert slacks.count(0) >= 2


def test_a_tampered_leaf_is_refused_or_proves_less():
    instance, leaf = triangle()
    content = Certificate.of(instance, (leaf,), 16, 0).to_json()
    for change in (
        {"cuts": []},
        {"cuts": [{**content["tree"][0]["cuts"][0], "multiplier": 1}]},
        {"cuts": [{**content["tree"][0]["cuts"][0], "multiplier": 3}]},
        {"cuts": [{**content["tree"][0]["cuts"][0], "links": [0]}]},
        {"cuts": [{"clique": ["ab", "bc", "ca"], "r": 1, "multiplier": 1}]},
        {"cuts": [{"clique": ["ab", "bc", "ca"], "r": 2, "multiplier": 2}]},
        {"cuts": content["tree"][0]["cuts"] * 2},
        *(
            {"pairs": {**content["tree"][0]["pairs"], "tokens": tokens}}
            for tokens in (
                content["tree"][0]["pairs"]["tokens"][::-1],
                [["ab", "ca"], ["bc", "ca"], ["ab", "bc"]],
                [["ab", "bc"], ["bc", "xy"], ["ab", "xy"]],
            )
        ),
    ):
        node = {**content["tree"][0], **change}
        broken = Certificate.from_json(resealed({**content, "tree": [node]}))
        check = check_certificate(instance, broken)
        assert not check.ok, change
        assert check.lower_bound < 16


numbers = st.integers(-3, 9) | st.sampled_from([-BIG, BIG - 1, BIG, 1 << 40])


@tries(300)
@given(st.data())
def test_no_tampered_file_proves_more(data):
    """Any numbers in the place of some: refused in one line, or a bound that holds."""
    instance, leaf = triangle()
    content = Certificate.of(instance, (leaf,), 0, 0).to_json()
    node = content["tree"][0]
    cut = node["cuts"][0]
    packed = [[1, 1, 1], [1, 4, 7], [1, 1, 1]]
    named = [cut["cycle"], *node["pairs"]["tokens"]]
    for _ in range(data.draw(st.integers(1, 4))):
        if data.draw(st.booleans()):
            if data.draw(st.booleans()):
                cut["multiplier"] = data.draw(numbers)
            else:
                cut["links"] = data.draw(st.lists(numbers, max_size=3))
        else:
            changed = data.draw(st.sampled_from([*packed, *named]))
            place = data.draw(st.integers(0, len(changed) - 1))
            tokens = st.sampled_from(["ab", "bc", "ca", "xy", "a", 7])
            changed[place] = data.draw(numbers if changed in packed else tokens)
    if data.draw(st.booleans()):
        clique = {"clique": cut["cycle"], "r": data.draw(numbers)}
        node["cuts"][0] = clique | {"multiplier": cut["multiplier"]}
    packed = [[min(number, BIG - 1) for number in part] for part in packed]
    node["pairs"]["multipliers"] = planes(*packed)
    try:
        certificate = Certificate.from_json(resealed(content))
    except InputError:
        return
    check = check_certificate(instance, certificate)
    assert check.lower_bound <= 16
    assert check.ok or (check.lower_bound == 0 and "\n" not in check.problems[0])


def test_other_arrays_are_no_pair():
    with pytest.raises(InputError, match="not equally many numbers of int64"):
        pair((AB, BC), [1, 2], [1])
    with pytest.raises(InputError, match="not equally many numbers of int64"):
        PairPrices((AB, BC), np.array([1]), np.array([0.5]))  # type: ignore[arg-type]
    with pytest.raises(InputError, match=r"the r of a cut is 0\.5: it must be a whole number"):
        Cut((AB, BC, CA), 1, 0.5)  # type: ignore[arg-type]
    with pytest.raises(InputError, match="a leaf without prices has pairs"):
        Certificate.of(triangle()[0], (replace(triangle()[1], prices=None),), 0, 0)
