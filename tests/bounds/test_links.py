"""Links and odd cycles with links: valid, in certificates, and each kernel beside its slow twin."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import replace
from itertools import pairwise, product

import numpy as np
import pytest
from bounds.counters import counter_of
from cut_strategies import overlaps
from hypothesis import assume, given
from hypothesis import strategies as st
from oracles.brute_force import fewest_tokens, useful
from properties import tries
from strategies import instances, prices

from partcover import Certificate, Instance, check_certificate, lower_bound
from partcover.bounds.rows.cuts import Inequality, link_key
from partcover.bounds.rows.links import rows_of_links
from partcover.bounds.rows.rows import Arcs
from partcover.bounds.steps.parts import Parts
from partcover.kernels.bounds._links import link_demands
from partcover.problem.certificates.cuts import Cut, PairPrices, unpacked
from partcover.problem.certificates.nodes import Leaf
from partcover.verification.leaf_bound import LeafCase, case_values
from partcover.verification.leaf_terms import LeafTerms
from partcover.verification.sorted_words import SortedWords

WORDS = [
    ({"acbc": 3, "bccbaa": 4, "cccab": 3}, 2, 39),
    ({"acaaca": 4, "aab": 2, "aaabc": 4, "bcb": 4}, 3, 38),
    ({"cbbabb": 5, "cba": 4, "abbbc": 3}, 2, 38),
    ({"bcbb": 5, "acba": 5, "baccc": 5}, 3, 43),
    ({"cabccb": 2, "cbcca": 2, "cac": 4, "cacc": 2}, 3, 25),
]


def instance_of(words, k):
    return Instance(words, k, max_length=2)


@pytest.mark.parametrize(("words", "k", "without"), WORDS)
def test_links_prove_more(words, k, without, monkeypatch):
    instance = instance_of(words, k)
    bound = lower_bound(instance)
    assert without < bound.lower_bound <= fewest_tokens(instance)
    check = check_certificate(instance, bound.certificate)
    assert check.ok
    assert check.lower_bound == bound.lower_bound
    again = Certificate.from_json(bound.certificate.to_json())
    start = lower_bound(instance, start_certificate=again, iterations=0)
    assert start.lower_bound == bound.lower_bound
    monkeypatch.setattr("partcover.bounds.climbing.cut_rounds.separate_links", lambda _: [])
    assert lower_bound(instance).lower_bound == without


@pytest.mark.parametrize("n", range(2, 6))
def test_signed_cycles_hold_for_all_vocabularies(n):
    """As many links as leave an odd number of edges, at each place and in both directions."""
    for linked in product([False, True], repeat=n):
        if (n - sum(linked)) % 2 == 0:
            continue
        pairs = [(i, (i + 1) % n) if i % 2 else ((i + 1) % n, i) for i in range(n)]
        links = [pair if on else None for pair, on in zip(pairs, linked, strict=True)]
        cut = Inequality.cycle(list(range(n)), links)
        around = list(range(n))
        for by in range(n):
            turned = around[by:] + around[:by], links[by:] + links[:by]
            assert Inequality.cycle(*turned) == cut
            back = turned[0][::-1], [*turned[1][-2::-1], turned[1][-1]]
            assert Inequality.cycle(*back) == cut
        named = cut.named.items()
        both_of = [pair for name, pair in named if name < 0]
        assert sorted(both_of) == sorted(link for link in links if link)
        most = 0
        for x in product([0, 1], repeat=n):
            edges = sum(any(x[t] for t in pair) for name, pair in named if name >= 0)
            both = sum(all(x[t] for t in link) for link in both_of)
            most = max(most, edges + both - sum(x))
        assert most == cut.form.rhs or (n == 2 and most <= cut.form.rhs)


def slow_rows(which, start, end, offsets, links):
    """The rows of links as their definition stands: link, place, arcs."""
    rows = []
    for begin, stop in pairwise(offsets):
        own = [o for o in range(len(which)) if begin <= start[o] < stop]
        for a in own:
            last = end[a] - 1
            for number, (one, other) in enumerate(links):
                behind = [o for o in own if which[o] == other and start[o] > last]
                if which[a] != one or not behind:
                    continue
                then = start[behind[0]]
                early, late = (
                    {o for o in own if start[o] <= place < end[o]} for place in (last, then)
                )
                row = {o for o in early if which[o] == one} | {o for o in late if which[o] == other}
                bridges = set()
                for token in {which[o] for o in early & late} - {one, other}:
                    lists = [{o for o in over if which[o] == token} for over in (early, late)]
                    if lists[0] & lists[1] in lists:
                        bridges |= lists[0] & lists[1]
                if bridges:
                    rows.append((number, last, sorted(row | bridges)))
    return sorted(rows)


@st.composite
def cases(draw):
    """Arcs of some candidates, and links among these."""
    counter = counter_of(draw(instances()))
    numbers = range(len(counter.lo))
    active = sorted(draw(st.sets(st.sampled_from(numbers)))) if numbers else []
    parts = Parts(counter, np.array(active, np.int32))
    arrays = parts.active, parts.which, parts.start, parts.end, parts.offsets, parts.counts
    arcs = Arcs(*arrays, np.zeros(len(active)), np.zeros(len(active)))
    pairs = [(a, c) for a in active for c in active if a != c]
    links = sorted(draw(st.sets(st.sampled_from(pairs)))) if pairs else []
    return arcs, links


@tries(100)
@given(cases())
def test_rows_of_links(case):
    arcs, links = case
    rows, bridges = rows_of_links(arcs, np.array(links, np.int64).reshape(-1, 2))
    local = [tuple(arcs.local[list(link)].tolist()) for link in links]
    lists = (a.tolist() for a in (arcs.which, arcs.start, arcs.end, arcs.offsets))
    expected = slow_rows(*lists, local)
    n = len(arcs.active)
    found = [
        (target - n, place, rows.arcs[first:last].tolist())
        for target, place, first, last in zip(
            rows.target.tolist(), rows.place.tolist(), rows.first, rows.first[1:], strict=False
        )
    ]
    assert sorted(found) == expected
    assert (rows.limit == 2).all()
    assert rows.name.tolist() == [link_key(links[number]) for number, _, _ in found]
    tokens = defaultdict(set)
    for number, _, own in expected:
        others = {int(arcs.active[arcs.which[o]]) for o in own} - set(links[number])
        tokens[link_key(links[number])] |= others
    assert {name: set(own) for name, own in bridges.items() if own} == dict(tokens)


@tries(100)
@given(cases(), st.data())
def test_demands_of_links(case, data):
    arcs, _ = case
    n = len(arcs.which)
    flow = np.array(data.draw(st.lists(st.sampled_from([0, 0.25, 0.5]), min_size=n, max_size=n)))
    x = np.full(len(arcs.active), data.draw(st.sampled_from([0.25, 0.5, 0.75])))
    arrays = arcs.offsets, arcs.which, arcs.start, arcs.end, flow.astype(float), x
    found = defaultdict(int)
    for key, part, demand in link_demands(*arrays, 1e-3, 0.01).tolist():
        found[key, part] = max(found[key, part], demand)
    expected = defaultdict(int)
    which, start, end = arcs.which.tolist(), arcs.start.tolist(), arcs.end.tolist()
    part = [int(np.searchsorted(arcs.offsets, at, "right")) - 1 for at in start]
    for a, c in product(range(n), repeat=2):
        if part[a] != part[c] or start[c] < end[a] or which[a] == which[c]:
            continue
        over = sum(flow[b] for b in range(n) if start[b] < end[a] and end[b] > start[c])
        demand = flow[a] + flow[c] + over - 1
        allowed = max(0, x[which[a]] + x[which[c]] - 1)
        if flow[a] > 0 and flow[c] > 0 and over > 0 and demand > allowed + 0.01:
            key = (which[a] << 32 | which[c]), part[a]
            expected[key] = max(expected[key], int(demand * (1 << 28)))
    assert found == expected


@pytest.fixture(scope="module")
def proven():
    """An instance, and the certificate of a bound with links."""
    instance = instance_of(*WORDS[0][:2])
    return instance, lower_bound(instance).certificate


def changed(leaf, name):
    """A leaf with one thing wrong."""
    cut = next(cut for cut in leaf.cuts if cut.links)
    others = tuple(other for other in leaf.cuts if other != cut)
    link, *rest = leaf.links

    def with_cut(**changes):
        return replace(leaf, cuts=(*others, replace(cut, **changes)))

    def with_link(tokens, positions=link.positions):
        return replace(leaf, links=(PairPrices(tokens, positions, link.multipliers), *rest))

    first, second, *bridges = link.tokens
    return {
        "no second token follows": lambda: with_link(
            link.tokens, np.arange(len(link.positions), dtype=np.int64) + 13
        ),
        "all differ": lambda: with_link((first, first, *bridges)),
        "at least two tokens": lambda: with_link((first,)),
        "twice": lambda: replace(leaf, links=(link, *leaf.links)),
        "single symbol": lambda: with_link((first, second, b"a")),
        "must be odd": lambda: with_cut(tokens=(*cut.tokens, b"zz")),
        "none of it": lambda: with_cut(links=(*cut.links, len(cut.tokens))),
    }[name]()


@pytest.mark.parametrize(
    "message",
    [
        "no second token follows",
        "all differ",
        "at least two tokens",
        "twice",
        "single symbol",
        "must be odd",
        "none of it",
    ],
)
def test_wrong_links_are_refused(proven, message):
    instance, certificate = proven
    wrong = replace(certificate, tree=(changed(certificate.tree[0], message),))
    check = check_certificate(instance, wrong)
    assert not check.ok
    assert message in check.problems[0]


@st.composite
def leaves_with_links(draw, instance: Instance, bits: int) -> Leaf:
    """A leaf of any valid links, edges, cycles with links, and prices."""
    text, words = b"", sorted(word for word, _ in instance.words)
    following, one = defaultdict(list), 1 << bits
    tokens = sorted({w[a:b] for w in words for b in range(len(w) + 1) for a in range(b - 1)})
    for word in words:
        for token in tokens:
            last = max((s for s in range(len(word)) if word.startswith(token, s)), default=0)
            following[token] += range(len(text), len(text) + last)
        text += word
    some = st.lists(st.sampled_from(tokens), min_size=2, max_size=4, unique=True)
    multiplier = st.integers(1, 2 * one)

    def priced(named, places):
        at = sorted(draw(st.sets(st.sampled_from(places), min_size=1, max_size=4)))
        multipliers = [draw(multiplier) for _ in at]
        return PairPrices(tuple(named), np.array(at, np.int64), np.array(multipliers, np.int64))

    cuts, links, pairs = [], {}, {}
    over = overlaps(instance)
    for chosen in draw(st.lists(some, max_size=3)) if len(tokens) > 1 else []:
        n = len(chosen)
        linked = draw(st.lists(st.booleans(), min_size=n, max_size=n).filter(any))
        if (n - sum(linked)) % 2 == 0:
            continue
        numbers = [draw(st.sampled_from([i, -1 - i])) for i in range(n) if linked[i]]
        cut = Cut(tuple(chosen), draw(st.integers(0, 3 * one)), 0, tuple(numbers))
        cuts.append(cut)
        for pair in cut.linked:
            if following[pair[1]] and draw(st.booleans()):
                more = draw(st.sets(st.sampled_from(tokens), max_size=3)) - {*pair}
                links[pair] = priced([*pair, *sorted(more)], following[pair[1]])
        for edge in cut.edges:
            if edge in over and draw(st.booleans()):
                pairs[edge] = priced(edge, over[edge])
    own = np.array(draw(prices(instance, bits)), np.int32)
    parts = tuple(pairs.values()), tuple(cuts)
    return Leaf(own, (0,) * len(instance.groups), *parts, links=tuple(links.values()))


@tries(300)
@given(st.data())
def test_any_links_prove_no_more_than_there_is(data):
    instance = data.draw(instances())
    assume(instance.symbols == "bytes" and len(useful(instance)) <= 10)
    leaf = data.draw(leaves_with_links(instance, 2))
    check = check_certificate(instance, Certificate.of(instance, (leaf,), 0, 2))
    assert check.problems == ()
    assert check.lower_bound <= fewest_tokens(instance)


@pytest.mark.long
@pytest.mark.parametrize(("words", "k", "without"), WORDS)
def test_no_change_of_links_gets_above_the_optimum(words, k, without):
    """From a good certificate, numbers are changed in turn where that does not lower the bound."""
    instance, random = instance_of(words, k), np.random.default_rng(k)
    best, bits = fewest_tokens(instance), 8
    proof = lower_bound(instance).certificate
    (leaf,) = proof.tree
    shift = proof.scale_bits - bits
    symbols = len(instance.words.data)
    own = np.minimum(leaf.unpacked(symbols, proof.scale_bits) >> shift, 1 << bits)
    groups = [unpacked(each, symbols) for each in (leaf.pairs, leaf.links)]
    numbers = [[np.maximum(p.multipliers >> shift, 1) for p in group] for group in groups]
    mu = [cut.multiplier >> shift for cut in leaf.cuts]
    words_, terms = SortedWords(instance), LeafTerms

    def value() -> int:
        pairs, links = (
            tuple(replace(p, multipliers=m.copy()) for p, m in zip(group, ms, strict=True))
            for group, ms in zip(groups, numbers, strict=True)
        )
        cuts = tuple(replace(cut, multiplier=m) for cut, m in zip(leaf.cuts, mu, strict=True))
        made = Leaf(own.astype(np.int32), pairs=pairs, cuts=cuts, links=links)
        none = frozenset()
        case = LeafCase(own.tolist(), none, none, terms(made, words_, instance), words_)
        return case_values(instance, words_, [case], 1 << bits)[0]

    reached = value()
    step = [-64, -16, -4, -1, 1, 4, 16, 64]
    for _ in range(500):
        kind = int(random.integers(4))
        before = own.copy(), [[m.copy() for m in ms] for ms in numbers], list(mu)
        if kind == 0:
            at = random.integers(len(own))
            own[at] = min(1 << bits, own[at] + random.choice(step))
        elif kind == 3:
            at = random.integers(len(mu))
            mu[at] = max(0, mu[at] + int(random.choice(step)))
        elif numbers[kind - 1]:
            chosen = numbers[kind - 1][random.integers(len(numbers[kind - 1]))]
            at = random.integers(len(chosen))
            chosen[at] = max(1, chosen[at] + random.choice(step))
        now = value()
        assert now <= best << bits
        if now >= reached:
            reached = now
        else:
            own, numbers, mu = before
    assert reached > without << bits
