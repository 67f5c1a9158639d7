"""Links and odd cycles with links: valid, in certificates, and each kernel beside its slow twin."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import replace
from itertools import pairwise, product

import numpy as np
import pytest
from bounds.counters import counter_of
from hypothesis import assume, given
from hypothesis import strategies as st
from oracles.brute_force import fewest_tokens, useful
from shared.cut_strategies import overlaps
from shared.properties import tries
from shared.strategies import instances, prices

from partcover import (
    Certificate,
    Instance,
    Vocabulary,
    check_certificate,
    lower_bound,
    segment,
)
from partcover.bounds.rows.cuts import Inequality, link_key
from partcover.bounds.rows.family import OverFlows
from partcover.bounds.rows.links import link_payers, rows_of_links
from partcover.bounds.rows.rows import Arcs
from partcover.bounds.steps.parts import Parts
from partcover.kernels.bounds._links import link_demands
from partcover.problem.certificates.cuts import Cut, PairPrices
from partcover.problem.certificates.nodes import Leaf
from partcover.verification import leaf_terms
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


def test_multipliers_are_summed_with_all_digits_of_large_counts():
    counter = counter_of(Instance({"abab": 2**54 + 1}, 1))
    which, position = np.array([0, 0, 1]), np.array([0, 2, 1])
    over = OverFlows(np.array([4, 9]), which, position, np.array([1, 2, 2**40 + 1]))
    assert over.sums(counter) == [3 * (2**54 + 1), (2**40 + 1) * (2**54 + 1)]


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


def starts_of(words, token: bytes) -> list[int]:
    """The positions in the words' data where a token begins."""
    data = bytes(words.data.tolist())
    return [
        at
        for begin, end in pairwise(words.offsets.tolist())
        for at in range(begin, end - len(token) + 1)
        if data.startswith(token, at)
    ]


@pytest.mark.parametrize("seed", range(20))
def test_payers_of_links(seed):
    """Any candidates may bridge a link; all positions are paid, in any order."""
    random = np.random.default_rng(seed)
    text = {"".join(random.choice(list("aab"), random.integers(3, 10))): 1 for _ in range(4)}
    counter = counter_of(Instance(text, 1))
    words, n = counter.instance.words, len(counter.lo)
    tokens = counter.tokens(np.arange(n))
    starts = [starts_of(words, token) for token in tokens]
    links, bridges, paid, expected = {}, {}, [], []
    for _ in range(12):
        one, other, *more = random.permutation(n).tolist()
        name = link_key((one, other))
        links[name], bridges[name] = (one, other), tuple(more)
    for name, (one, other) in links.items():
        for begin, end in pairwise(words.offsets.tolist()):
            behind = [s for s in starts[other] if begin <= s < end]
            for at in range(begin, max(behind, default=begin)):
                paid.append((name, at, int(random.integers(1, 9))))
                then = min(s for s in behind if s > at)
                expected += [(one, *paid[-1][1:]), (other, then, paid[-1][2])]
                for token in bridges[name]:
                    early, late = (
                        {s for s in starts[token] if s <= place < s + len(tokens[token])}
                        for place in (at, then)
                    )
                    both = early & late
                    if both and both in (early, late):
                        place = at if both == early else then
                        expected.append((token, place, paid[-1][2]))
    random.shuffle(paid)
    names, at, multiplier = (np.array(column, np.int64) for column in zip(*paid, strict=True))
    named, which = np.unique(names, return_inverse=True)
    found = link_payers(counter, links, bridges, OverFlows(named, which, at, multiplier))
    assert sorted(zip(*(each.tolist() for each in found), strict=True)) == sorted(expected)


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


def test_links_with_too_many_tokens_are_refused(proven, monkeypatch):
    instance, certificate = proven
    monkeypatch.setattr(leaf_terms, "_FREE_STEPS", 0)
    assert check_certificate(instance, certificate).ok
    monkeypatch.setattr(leaf_terms, "_STEPS_A_MULTIPLIER", 1)
    assert "links have too many tokens" in check_certificate(instance, certificate).problems[0]


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
@pytest.mark.parametrize("seed", range(24))
def test_no_multipliers_of_links_prove_more_than_a_vocabulary_needs(seed):
    """All tokens are required; numbers change in turn where that does not lower the bound."""
    random = np.random.default_rng(seed)
    words = ["".join(random.choice(list("ab"), random.integers(4, 9))) for _ in range(2)]
    parts = {w[a:b].encode() for w in words for b in range(len(w) + 1) for a in range(b - 1)}
    tokens = [t for t in sorted(parts) if len(t) <= 4]
    chosen = [tokens[n] for n in random.permutation(len(tokens))]
    kept = sorted(chosen[: 2 + seed % 3])
    instance = Instance(dict.fromkeys(words, 1), len(kept), candidates=kept, required=kept)
    sorted_words, one = SortedWords(instance), 8
    text, links, cuts = sorted_words.text, {}, []
    for _ in range(4):  # of chosen tokens, and of one that is not chosen
        first, second, *more = (chosen[n] for n in random.permutation(min(len(chosen), 5)))
        places = [
            p
            for word, begin in zip(sorted_words.words, sorted_words.first, strict=True)
            for p in range(begin, begin + len(word))
            if text.find(second, p + 1, begin + len(word)) >= 0
        ]
        if places:
            links[first, second] = (first, second, *sorted(more)), places
            cuts.append(Cut((first, second), 0, links=(0,)))
    prices = np.full(len(text), one)
    paid = {pair: np.ones(len(places), np.int64) for pair, (_, places) in links.items()}
    mu = [0] * len(cuts)

    def value() -> int:
        made = tuple(
            PairPrices(named, np.array(places, np.int64), paid[pair].copy())
            for pair, (named, places) in links.items()
        )
        given = tuple(replace(cut, multiplier=m) for cut, m in zip(cuts, mu, strict=True))
        leaf = Leaf(prices.astype(np.int32), cuts=given, links=made)
        terms = LeafTerms(leaf, sorted_words, instance)
        case = LeafCase(prices.tolist(), frozenset(kept), frozenset(), terms, sorted_words)
        return case_values(instance, sorted_words, [case], one)[0]

    needed, reached = segment(instance.words, Vocabulary(kept), "shortest_path").tokens, value()
    for _ in range(800):
        before = prices.copy(), {pair: m.copy() for pair, m in paid.items()}, list(mu)
        for _ in range(random.integers(1, 4)):
            kind, by = random.integers(3), int(random.choice([-8, -4, -1, 1, 4, 8]))
            if kind == 0 or not links:
                at = random.integers(len(prices))
                prices[at] = min(one, prices[at] + by)
            elif kind == 1:
                own = [*paid.values()][random.integers(len(paid))]
                at = random.integers(len(own))
                own[at] = max(1, own[at] + by)
            else:
                at = random.integers(len(mu))
                mu[at] = max(0, mu[at] + by)
        now = value()
        assert now <= needed * one
        if now >= reached:
            reached = now
        else:
            prices, paid, mu = before


@tries(200)
@given(st.lists(st.text("ab", min_size=2, max_size=9), min_size=1, max_size=3), st.data())
def test_what_tokens_pay_for_a_link(words, data):
    """As the definition stands, symbol by symbol."""
    instance = Instance(dict.fromkeys(words, 1), 1)
    sorted_words = SortedWords(instance)
    token = st.text("ab", min_size=2, max_size=4).map(str.encode)
    named = data.draw(st.lists(token, min_size=2, max_size=5, unique=True))
    first, second, *bridges = named
    expected = {each: [0] * len(sorted_words.text) for each in named}
    places = []
    for word, begin in zip(sorted_words.words, sorted_words.first, strict=True):
        starts = {each: {s for s in range(len(word)) if word.startswith(each, s)} for each in named}
        for p in range(len(word)):
            behind = [s for s in starts[second] if s > p]
            if not behind:
                continue
            q = min(behind)
            places.append(begin + p)
            expected[first][begin + p] += 1
            expected[second][begin + q] += 1
            for each in bridges:
                over_p = {s for s in starts[each] if s <= p < s + len(each)}
                over_q = {s for s in starts[each] if s <= q < s + len(each)}
                if over_p and over_p <= over_q:
                    expected[each][begin + p] += 1
                elif over_q and over_q <= over_p:
                    expected[each][begin + q] += 1
    assume(places)
    link = PairPrices(tuple(named), np.array(places), np.ones(len(places), np.int64))
    leaf = Leaf(np.zeros(len(sorted_words.text), np.int32), links=(link,))
    terms = LeafTerms(leaf, sorted_words, instance)
    for each in named:
        paid = terms.paid_before(each, range(len(sorted_words.text) + 1))
        assert np.diff(paid).tolist() == expected[each]
