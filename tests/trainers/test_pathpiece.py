"""PathPiece against removal written out, and its trainer against a slow one."""

from __future__ import annotations

import inspect
import sys
from collections import Counter
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from oracles.trainers import pathpiece as oracle
from shared.listener import Listener
from shared.properties import tries

from partcover import GroupBudget, InputError, Instance, WordCounts, segment, trainers
from partcover.trainers.pathpiece import removal_increases
from partcover.trainers.shared.lattice import Lattice, shards

word_st = st.text("ab", min_size=1, max_size=9) | st.text("abc", min_size=1, max_size=7)
words_st = st.dictionaries(word_st, st.integers(1, 5), min_size=1, max_size=5)
tokens_st = st.lists(st.text("abc", min_size=2, max_size=5), unique=True, max_size=9)
KINDS = {"bytes": str.encode, "chars": str, "ints": lambda w: tuple(ord(c) * 2**33 for c in w)}
MEASURES = {"removal": oracle.removal, "occurrence": oracle.occurrence}


def lattice_of(counts, tokens, kind="chars"):
    words = WordCounts.from_counts(counts, kind)
    return Lattice.of(words, Instance(words, 0).index, tokens)


def by_token(lattice, values):
    return dict(zip(lattice.tokens, values[lattice.singles :].tolist(), strict=True))


@pytest.mark.parametrize("measure", MEASURES)
@pytest.mark.parametrize("kind", KINDS)
@tries(50)
@given(counts=words_st, tokens=tokens_st)
def test_increases_are_those_of_cutting_anew(measure, kind, counts, tokens):
    counts = {KINDS[kind](w): c for w, c in counts.items()}
    tokens = [KINDS[kind](t) for t in tokens]
    lattice = lattice_of(counts, tokens, kind)
    for threads in (1, 3):
        cost, uses, needed = removal_increases(lattice, increase=measure, threads=threads)
        assert by_token(lattice, cost) == MEASURES[measure](counts, tokens)
        assert by_token(lattice, uses) == oracle.uses(counts, tokens)
        assert not cost[: lattice.singles].any()
        assert needed == sum(
            c * oracle.fewest(w, oracle.arcs_of(w, set(tokens))) for w, c in counts.items()
        )


@tries(120)
@given(
    draw=st.randoms(use_true_random=False),
    letters=st.sampled_from(["aab", "ab", "abcd"]),
    tokens=st.lists(st.text("abcd", min_size=2, max_size=5), unique=True, max_size=9),
    repeated=st.sampled_from([0, 40, 200]),
)
def test_a_token_in_a_long_word_costs_what_cutting_anew_does(draw, letters, tokens, repeated):
    # some occur close together, some far apart, with what repeats itself between
    part = "".join(draw.choices(letters, k=draw.randrange(1, 9)))
    word = "".join(draw.choices([*letters, *tokens], k=60)) + part * (repeated // len(part))
    word += "".join(draw.choices([*letters, *tokens], k=60))
    lattice = lattice_of({word: 3}, tokens)
    cost, _, needed = removal_increases(lattice)
    assert needed == 3 * oracle.fewest_of_a_long_word(word, tokens)
    for token, more in by_token(lattice, cost).items():
        others = [other for other in tokens if other != token]
        assert more == 3 * oracle.fewest_of_a_long_word(word, others) - needed


@pytest.mark.parametrize("measure", MEASURES)
def test_a_longer_token_with_the_same_end_replaces_it(measure):
    lattice = lattice_of({"aaabcd": 1}, ["aaa", "bcd", "abcd"])
    cost, _, needed = removal_increases(lattice, increase=measure)
    assert (by_token(lattice, cost), needed) == ({"aaa": 1, "bcd": 1, "abcd": 0}, 2)


def test_a_token_twice_in_a_word_costs_more_than_its_occurrences():
    # without one "ab" the other still stands; without both, nothing does
    lattice = lattice_of({"abab": 1}, ["ab", "ba"])
    cost, _, needed = removal_increases(lattice)
    assert (by_token(lattice, cost), needed) == ({"ab": 1, "ba": 0}, 2)
    lattice = lattice_of({"aaaa": 1}, ["aa"])
    exact, _, _ = removal_increases(lattice)
    paper, _, _ = removal_increases(lattice, increase="occurrence")
    assert by_token(lattice, exact) == {"aa": 2}
    assert by_token(lattice, paper) == {"aa": 2}
    lattice = lattice_of({"aaa": 1}, ["aa"])
    exact, _, _ = removal_increases(lattice)
    paper, _, _ = removal_increases(lattice, increase="occurrence")
    assert by_token(lattice, exact) == {"aa": 1}
    assert by_token(lattice, paper) == {"aa": 0}  # the other occurrence takes its place


def test_a_break_inside_or_a_longer_token_over_it():
    # over "bc": a longer token; of "de": a break inside
    lattice = lattice_of({"abcde": 1}, ["bc", "abc", "de"])
    cost, _, needed = removal_increases(lattice)
    assert needed == 2
    assert by_token(lattice, cost) == {"bc": 0, "abc": 1, "de": 1}


@tries(40)
@given(counts=words_st, seed=st.integers(0, 9))
def test_random_paths_are_shortest_and_do_not_depend_on_order_or_threads(counts, seed):
    lattice = lattice_of(counts, tokens := ["ab", "ba", "aa", "aba", "bc"])
    other = lattice_of(dict(reversed(counts.items())), tokens)
    results = [
        removal_increases(each, rule="random_path", seed=seed, threads=threads)
        for each, threads in ((lattice, 1), (other, 3))
    ]
    assert results[0][0].tolist() == results[1][0].tolist()
    assert results[0][1].tolist() == results[1][1].tolist()
    straight = removal_increases(lattice)
    assert results[0][0].tolist() == straight[0].tolist()  # an increase is that of the words
    assert int(results[0][1].sum()) == results[0][2] == straight[2]


@pytest.mark.long
def test_random_paths_are_uniform():
    tokens = ["ab", "bc", "cd", "abc", "bcd"]  # abcd: a|bcd, ab|cd, abc|d
    lattice = lattice_of({"abcd": 1}, tokens)
    drawn = Counter()
    for seed in range(900):
        _, uses, _ = removal_increases(lattice, rule="random_path", seed=seed)
        drawn[next(t for t, n in by_token(lattice, uses).items() if n)] += 1
    assert set(drawn) == {"bcd", "ab", "abc"}
    assert all(
        abs(n_shards - 300) < 5 * 15 for n_shards in drawn.values()
    )  # five standard deviations


def test_the_ways_of_a_long_word_do_not_overflow():
    lattice = lattice_of({"ab" * 4000 + "a": 1}, ["ab", "ba"])
    _, uses, needed = removal_increases(lattice, rule="random_path", seed=3)
    assert needed == 4001 == int(uses.sum())
    assert by_token(lattice, uses)["ab"] + by_token(lattice, uses)["ba"] == 4000


def test_the_ways_of_a_long_word_are_told_apart_where_they_are_scaled():
    # each three letters have two shortest paths: 2^665 ways in all, above 1e200 first at the first
    lattice = lattice_of({"xyz" + "abc" * 664: 1}, ["xy", "yz", "ab", "bc"])
    drawn = set()
    for seed in range(20):
        _, uses, needed = removal_increases(lattice, rule="random_path", seed=seed)
        assert needed == 2 * 665
        drawn.add(int(by_token(lattice, uses)["xy"]))
    assert drawn == {0, 1}


@pytest.mark.parametrize("measure", MEASURES)
@tries(30)
@given(counts=words_st, k=st.integers(0, 5), batch=st.sampled_from([0.01, 0.3, 1.0]))
def test_the_trainer_is_the_slow_one(measure, counts, k, batch):
    words = WordCounts.from_counts(counts, "chars")
    occurs = Counter(
        {
            word[i:j]: 0
            for word in counts
            for i in range(len(word))
            for j in range(i + 2, min(i + 4, len(word)) + 1)
        }
    )
    for word, count in counts.items():
        for token in occurs:
            occurs[token] += count * sum(word.startswith(token, i) for i in range(len(word)))
    start = sorted(occurs, key=lambda t: (-occurs[t], len(t), t))[:12]
    got = trainers.pathpiece(
        Instance(words, k), initial_size=12, max_length=4, batch=batch, increase=measure, threads=2
    )
    assert list(got.vocabulary) == oracle.pathpiece(counts, start, k, batch, MEASURES[measure])
    assert got.tokens == segment(words, got.vocabulary, "shortest_path").tokens
    assert (got.method, got.rule, got.termination) == ("pathpiece", "shortest_path", "completed")


def test_each_round_draws_its_paths_anew(monkeypatch):
    draws = []

    def recorded(*given, draw, **options):
        draws.append(draw)
        return removal_increases(*given, draw=draw, **options)

    monkeypatch.setitem(
        inspect.unwrap(trainers.pathpiece).__globals__, "removal_increases", recorded
    )
    trainers.pathpiece(Instance(WORDS, 2), rule="random_path", batch=0.5)
    assert draws == list(range(len(draws)))
    assert len(draws) > 3


WORDS = WordCounts.from_counts({"random": 3, "randose": 2, "rosey": 4, "randy": 1, "Ġroé": 2})


def test_one_batch_of_everything_differs_from_one_at_a_time():
    one, all_ = (trainers.pathpiece(Instance(WORDS, 4), batch=b) for b in (0.001, 1.0))
    assert one.extra["rounds"] == one.extra["initial_size"] - 4
    assert all_.extra["rounds"] == 1
    assert one.tokens <= all_.tokens


def test_fixed_tokens_stay_and_limits_hold():
    instance = Instance(
        WORDS,
        6,
        prefix=["se", "zz"],
        required=["ra"],
        forbidden=["rand"],
        max_length=4,
        min_count=2,
    )
    tokens = trainers.pathpiece(instance).vocabulary.tokens
    assert tokens[:2] == (b"se", b"zz")
    assert b"ra" in tokens
    assert b"rand" not in tokens
    assert len(tokens) == 6
    assert max(map(len, tokens)) <= 4
    listed = Instance(WORDS, 2, candidates=["rand", "rose", "nd", "om"])
    assert set(trainers.pathpiece(listed).vocabulary) <= set(listed.candidates)
    protected = trainers.pathpiece(Instance(WORDS, 3, protected=["an"]))
    assert b"an" in protected.vocabulary.tokens


def test_it_starts_from_given_tokens_and_ends_with_fewer_than_k():
    given_ = trainers.pathpiece(Instance(WORDS, 9), initial=["rand", "rose", "nothere"])
    assert sorted(given_.vocabulary) == [b"rand", b"rose"]
    assert given_.extra["rounds"] == 0
    assert trainers.pathpiece(Instance(WORDS, 0)).tokens == WORDS.total_symbols


@pytest.mark.parametrize("method", ["bpe", "unigram"])
def test_it_starts_from_another_method(method):
    first = getattr(trainers, method)(Instance(WORDS, 9)).vocabulary
    instance = Instance(WORDS, 4, forbidden=[first.tokens[0]], required=["Ġro"])
    ended = trainers.pathpiece(instance, initial=method, initial_size=9)
    left_out = {t for t in first if len(t) > 16} | {first.tokens[0]}
    assert set(ended.vocabulary) <= set(first) - left_out | {"Ġro".encode()}
    assert ended.extra["size"] == 4


def test_no_words_have_no_tokens():
    none = WordCounts.from_counts({})
    solution = trainers.pathpiece(Instance(none, 3))
    assert (solution.tokens, solution.vocabulary.tokens) == (0, ())
    with pytest.raises(InputError, match="pathpiece does not support groups"):
        trainers.pathpiece(Instance(none, 3, groups=[GroupBudget("long", 1, min_length=8)]))


def test_a_limit_or_an_interrupt_ends_in_one_last_batch():
    late = trainers.pathpiece(Instance(WORDS, 3), time_limit=0, batch=0.01)
    assert (late.termination, late.extra["size"], late.extra["rounds"]) == ("time_limit", 3, 0)
    given = trainers.pathpiece(
        Instance(WORDS, 3), time_limit=0, batch=0.01, initial=["an", "nd", "se", "ey", "ros"]
    )
    assert (given.termination, given.extra["size"], given.extra["rounds"]) == ("time_limit", 3, 1)

    def stop(taken, to_take, remark):
        if taken < 3:
            raise KeyboardInterrupt

    ended = trainers.pathpiece(Instance(WORDS, 3), batch=0.01, progress=Listener(advance=stop))
    assert (ended.termination, ended.extra["size"]) == ("interrupted", 3)


@pytest.mark.parametrize(
    ("option", "message"),
    [
        ({"batch": 0}, "batch is 0"),
        ({"max_length": 1}, "max_length is 1"),
        ({"initial_size": -1}, "initial_size is -1"),
        ({"rule": "merges"}, "unknown rule 'merges': use one of shortest_path, random_path"),
        ({"increase": "other"}, "unknown increase 'other'"),
        ({"initial": "words"}, "unknown initial 'words'"),
        ({"initial": ["a"]}, "token 'a' has the length 1: it must be 2 to 16"),
    ],
)
def test_bad_options(option, message):
    with pytest.raises(InputError, match=message):
        trainers.pathpiece(Instance(WORDS, 3), **option)


@pytest.mark.parametrize("n_shards", [1, 2, 3, 50])
def test_shards_cover_the_words(n_shards):
    parts = shards(WORDS, n_shards)
    assert [w for first, last in parts for w in range(first, last)] == list(range(len(WORDS)))
    assert len(parts) <= n_shards
    assert all(first < last for first, last in parts)


@pytest.mark.parametrize("initial", ["bpe", "unigram"])
def test_the_trainer_begun_from_is_cut_short_too(initial, monkeypatch):
    words = WordCounts.from_counts({"banana": 4, "bandana": 3, "ananas": 5, "nab": 2, "band": 1})
    instance, pathpiece = Instance(words, 2), trainers.pathpiece
    module = sys.modules[pathpiece.__module__]
    train = getattr(module, initial)
    limits = []

    def ended(termination):
        def run(*arguments, time_limit, **options):
            limits.append(time_limit)
            return replace(train(*arguments, **options), termination=termination)

        return run

    monkeypatch.setattr(module, initial, ended("interrupted"))
    solution = pathpiece(instance, initial=initial, time_limit=60.0)
    assert (solution.termination, len(solution.vocabulary)) == ("interrupted", 0)
    assert 0 < limits[0] <= 60
    monkeypatch.setattr(module, initial, ended("time_limit"))
    solution = pathpiece(instance, initial=initial, initial_size=6, time_limit=60.0)
    assert (solution.termination, len(solution.vocabulary)) == ("time_limit", 2)
    assert solution.extra["rounds"] == 1
