"""GreedTok and GreedWMC against the algorithms written out, and on the paper's words."""

from __future__ import annotations

import signal
import sys
from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from oracles.greedy import all_candidates, greedy, shortest_path
from shared.listener import Listener
from shared.properties import tries

from partcover import InputError, Instance, WordCounts, certified_ratio, greedtok, greedwmc
from partcover.kernels.greedy._greedy import Greedy

words_st = st.dictionaries(
    st.text("ab", min_size=1, max_size=10)
    | st.text("abc", min_size=1, max_size=7)
    | st.sampled_from(["aaaa", "ayaya", "ababab", "aabaabaa", "a" * 9, "x", "scaredy"]),
    st.integers(1, 4),
    min_size=0,
    max_size=6,
).map(lambda d: {w.encode(): c for w, c in d.items()})

SOLVERS = pytest.mark.parametrize("solver", [greedtok, greedwmc])


@pytest.mark.long
@SOLVERS
@tries(700)
@given(words=words_st, k=st.integers(0, 12))
def test_step_by_step(solver, words, k):
    instance = Instance(WordCounts.from_counts(words), k)
    solution = solver(instance)
    tokens, gains = greedy(words, all_candidates(words), k, relaxed=solver is greedwmc)
    assert list(solution.vocabulary) == tokens
    assert list(solution.gains) == gains
    assert solution.extra["nothing_left_to_gain"] == (len(tokens) < k)
    assert solution.tokens + solution.cover == instance.words.total_symbols
    if solver is greedtok:
        assert solution.cover == sum(gains)
        fewest = sum(c * len(shortest_path(w, tokens)) for w, c in words.items())
        assert solution.extra["tokens_shortest_path"] == fewest <= solution.tokens
    else:
        assert solution.extra["relaxed_cover"] == sum(gains) >= solution.cover


@pytest.mark.long
@SOLVERS
@tries(600)
@given(
    words=words_st,
    k=st.integers(1, 12),
    held=st.integers(0, 9),
    forbidden=st.sets(st.sampled_from([b"aa", b"ab", b"aba"])),
)
def test_candidates_are_enumerated_as_they_are_needed(solver, words, k, held, forbidden):
    tokens, gains = greedy(words, all_candidates(words) - forbidden, k, relaxed=solver is greedwmc)
    instance = Instance(words, k, forbidden=forbidden)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("partcover.problem.instance.MOST_HELD", held)
        solution = solver(instance)
        few = instance.promising_index()
    assert list(solution.vocabulary) == tokens
    assert list(solution.gains) == gains
    assert solution.extra["nothing_left_to_gain"] == (len(tokens) < k)
    index = instance.index
    assert solution.candidates == index.total == len(all_candidates(words) - forbidden)
    assert list(index.tokens()) == list(Instance(words, k, forbidden=forbidden).index.tokens())
    promise = index.weight * (index.length - 1)
    best = index.intervals.take(promise >= few.min_promise)
    assert few.intervals.key.tolist() == best.key.tolist()


@pytest.mark.long
@SOLVERS
@tries(400)
@given(words=words_st, data=st.data())
def test_options(solver, words, data):
    pool = sorted(all_candidates(words) | {b"zz", b"abba"})
    some = st.lists(st.sampled_from(pool), max_size=3, unique=True)
    prefix, required = data.draw(some), data.draw(some)
    forbidden = sorted(set(data.draw(some)) - set(prefix) - set(required))
    k = data.draw(st.integers(len({*prefix, *required}), 9))
    limits = data.draw(
        st.just({})
        | st.builds(dict, max_length=st.integers(2, 5))
        | st.builds(dict, min_count=st.integers(1, 8))
        | st.builds(dict, candidates=st.lists(st.sampled_from(pool), max_size=10))
    )
    instance = Instance(
        WordCounts.from_counts(words),
        k,
        prefix=prefix,
        required=required,
        forbidden=forbidden,
        **limits,
    )
    candidates = all_candidates(words)
    if "candidates" in limits:
        candidates &= set(limits["candidates"])
    occurrences = {
        t: sum(c for w, c in words.items() for i in range(len(w)) if w.startswith(t, i))
        for t in candidates
    }
    candidates = {
        t
        for t in candidates
        if len(t) <= limits.get("max_length", 99)
        and occurrences[t] >= limits.get("min_count", 1)
        and t not in forbidden
    }
    solution = solver(instance)
    tokens, gains = greedy(
        words,
        candidates - {*prefix, *required},
        k,
        relaxed=solver is greedwmc,
        prefix=prefix,
        required=required,
    )
    assert list(solution.vocabulary) == tokens
    assert list(solution.gains) == gains
    assert solution.candidates == len(candidates)


@tries(150)
@given(
    st.dictionaries(
        st.lists(st.sampled_from([0, 3, 2**40]), min_size=1, max_size=7).map(tuple),
        st.integers(1, 3),
        max_size=5,
    ),
    st.integers(0, 6),
)
def test_integer_symbols(words, k):
    instance = Instance(WordCounts.from_counts(words, "ints"), k)
    tokens, gains = greedy(words, all_candidates(words), k, relaxed=False)
    solution = greedtok(instance)
    assert (list(solution.vocabulary), list(solution.gains)) == (tokens, gains)


def test_overflowing_bound_of_an_overlapping_token():
    # occurrences of "aa…a" overlap so much that weight × length passes int64
    words = {b"a" * 3000: 2**63 // 3000 - 1}
    solution = greedtok(Instance(WordCounts.from_counts(words), 1))
    assert solution.tokens == 2**63 // 3000 - 1
    assert len(solution.vocabulary.tokens[0]) == 3000
    # and here it does so for the best one: two of 1,500
    solution = greedtok(Instance(WordCounts.from_counts(words), 1, max_length=1500))
    assert len(solution.vocabulary.tokens[0]) == 1500
    assert solution.tokens == 2 * (2**63 // 3000 - 1)


def test_the_order_of_words_and_threads_change_nothing():
    counts = {b"banana": 3, b"ananas": 2, b"bandana": 2, b"an": 1, b"nab": 5}
    backwards = dict(reversed(counts.items()))
    reference = greedtok(Instance(WordCounts.from_counts(counts), 6))
    for words, threads in [(backwards, 1), (counts, 3), (backwards, 7)]:
        again = greedtok(Instance(WordCounts.from_counts(words), 6), threads=threads)
        assert again.vocabulary.tokens == reference.vocabulary.tokens
        assert (again.tokens, again.gains) == (reference.tokens, reference.gains)


@pytest.mark.long
@SOLVERS
@tries(200)
@given(
    words=words_st,
    k=st.integers(1, 12),
    threads=st.integers(2, 4),
    ahead=st.sampled_from([1, 2, 5, 20, 100]),
)
def test_candidates_are_scored_ahead(solver, words, k, threads, ahead):
    alone = solver(Instance(words, k))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("partcover.heuristics.lazy_greedy._AHEAD", ahead)
        together = solver(Instance(words, k), threads=threads)
    assert together.vocabulary.tokens == alone.vocabulary.tokens
    assert (together.tokens, together.gains) == (alone.tokens, alone.gains)


def cover(words: dict, tokens: list) -> int:
    return sum(c * (len(w) - len(shortest_path(w, tokens))) for w, c in words.items())


def test_scaredy_is_neither_submodular_nor_supermodular():
    word = {"scaredy": 1}

    def gain(token, tokens):
        return cover(word, [*tokens, token]) - cover(word, tokens)

    # a larger set can make a token worth more, and worth less
    assert gain("dy", ["care"]) == 1
    assert gain("dy", ["care", "scared"]) == 0
    assert gain("edy", ["care"]) == 0
    assert gain("edy", ["care", "scar"]) == 2
    solution = greedtok(
        Instance(
            WordCounts.from_counts(word),
            2,
            candidates=["care", "edy", "scar", "scared", "dy"],
        )
    )
    assert list(solution.vocabulary) == [b"scared"]
    assert solution.tokens == 2
    assert solution.extra["nothing_left_to_gain"]


def test_ababa_and_ayaya():
    ababa = greedtok(Instance(WordCounts.from_counts({"ababa": 1}), 1, candidates=["aba"]))
    assert (ababa.tokens, ababa.cover) == (3, 2)
    # aya has two places that share the middle a: only one of them fits
    solution = greedtok(Instance(WordCounts.from_counts({"ayaya": 1}), 1, candidates=["aya"]))
    assert (solution.tokens, solution.cover) == (3, 2)


def test_abcdef_swallows_whole_tokens():
    words = {"abcdef": 1}
    candidates = ["abc", "def", "abcdef", "cd"]
    solution = greedtok(
        Instance(WordCounts.from_counts(words), 4, candidates=candidates, prefix=["cd"])
    )
    # abc and def each cut into cd; abcdef swallows it
    assert list(solution.vocabulary) == [b"cd", b"abcdef"]
    assert solution.tokens == 1


@pytest.mark.long
def test_papaya_impact_depends_on_the_order():
    words = WordCounts.from_counts({"papaya": 1, "impact": 1})
    best = min(
        greedtok(Instance(words, 2, prefix=pair, candidates=[])).extra["tokens_shortest_path"]
        for pair in combinations(sorted(all_candidates(["papaya", "impact"])), 2)
    )
    pa_first = greedtok(Instance(words, 2, prefix=["pa", "aya"], candidates=[]))
    aya_first = greedtok(Instance(words, 2, prefix=["aya", "pa"], candidates=[]))
    assert pa_first.gains == (3, 0)
    assert aya_first.gains == (2, 2)
    assert aya_first.tokens < pa_first.tokens
    assert greedtok(Instance(words, 2)).tokens >= best


def test_random_randose_rosey_randy():
    words = WordCounts.from_counts({"random": 1, "randose": 1, "rosey": 1, "randy": 1})
    solution = greedtok(Instance(words, 2, candidates=["rand", "ose", "om", "ran", "ros"]))
    assert list(solution.vocabulary) == [b"rand", b"ose"]
    assert solution.tokens == 10


def test_certified_ratio():
    instance = Instance(WordCounts.from_counts({"papaya": 1, "impact": 1}), 2)
    partition, relaxed = greedtok(instance), greedwmc(instance)
    d, ratio = certified_ratio(partition.cover, relaxed.extra["relaxed_cover"])
    assert d == partition.cover / relaxed.extra["relaxed_cover"] <= 1
    assert ratio == pytest.approx(d * 0.6321205588)
    assert certified_ratio(0, 0)[0] == 1
    with pytest.raises(InputError, match="not be negative"):
        certified_ratio(-1, 3)


def test_time_limit_and_interrupt_keep_what_was_found():
    words = WordCounts.from_counts({f"{i:05d}".encode(): 1 for i in range(900)})
    stopped = greedtok(Instance(words, 800), time_limit=0.0)
    assert (stopped.termination, len(stopped.vocabulary)) == ("time_limit", 0)

    def interrupt(done, k, covered):
        raise KeyboardInterrupt

    broken = greedtok(Instance(words, 800), progress=Listener(advance=interrupt))
    assert broken.termination == "interrupted"
    assert 0 < len(broken.vocabulary) < 800
    assert broken.cover == sum(broken.gains)


def repeating(length):
    """A word of the Fibonacci sequence: its substrings occur again and again."""
    first, second = "a", "ab"
    while len(second) < length:
        first, second = second, second + first
    return second


def loaded(instance, relaxed):
    words, index = instance.words, instance.index
    state = Greedy(index.text, index.sa, index.word_of, words.counts, relaxed)
    state.load(*index.intervals, index.weight, words.total_symbols)
    return state


@pytest.mark.long
@pytest.mark.parametrize("relaxed", [False, True])
def test_a_token_that_takes_long_is_given_up(relaxed):
    instance = Instance({repeating(900): 1, repeating(1500): 1}, 3)
    expected = [array.tolist() for array in loaded(instance, relaxed).run(3)]
    state = loaded(instance, relaxed)
    chosen, gains = state.run(3, 1, None, 0.0)
    assert state.is_late
    assert len(chosen) == len(gains) < 3
    # what was under way is begun again, and nothing is lost
    chosen_later, gains_later = state.run(3 - len(chosen))
    assert not state.is_late
    assert [*chosen, *chosen_later] == expected[0]
    assert [*gains, *gains_later] == expected[1]


@pytest.mark.long
@pytest.mark.skipif(sys.platform == "win32", reason="no such signals")
def test_ctrl_c_while_a_token_takes_long():
    state = loaded(Instance({repeating(2500): 1, repeating(4000): 1}, 3), False)
    old = signal.signal(signal.SIGALRM, signal.default_int_handler)
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.05)
        with pytest.raises(KeyboardInterrupt):
            state.run(1)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, old)


@pytest.mark.long
@SOLVERS
@pytest.mark.parametrize(
    ("words", "tokens"),
    [
        ({"a" * 20_000: 1}, 1),
        ({"abcde" * 5 + "a" * 3000: 1, "a" * 2999 + "x": 1}, None),
        ({"".join(chr(33 + i * i % 89) for i in range(20_000)): 2, "x": 1}, 3),
        ({"y" + "ab" * 2500: 1, "x" + "ab" * 2500: 1}, 2),
    ],
)
def test_long_words_take_seconds(solver, words, tokens):
    solution = solver(Instance(words, 5))
    assert solution.extra["nothing_left_to_gain"]
    assert tokens in (None, solution.tokens)


@pytest.mark.long
@SOLVERS
def test_long_words_that_repeat_themselves_for_ever_are_refused(solver):
    with pytest.raises(InputError, match=r"occur [0-9,]+ times.*--max-length"):
        solver(Instance({"a" * 10**6: 1, "a" * (10**6 - 1): 1}, 5))
    with pytest.raises(InputError, match=r"candidates.*for one token.*--max-length"):
        solver(Instance({repeating(10_000): 1, repeating(20_000): 1}, 10))
    capped = solver(Instance({"a" * 10**5: 1, "a" * (10**5 - 1): 1}, 5, max_length=16))
    assert capped.extra["nothing_left_to_gain"]


@tries(100)
@given(st.lists(st.sampled_from(["ab", "aab", "abc", "b" * 90]), min_size=1, max_size=40))
def test_tokens_of_hundreds_of_symbols(parts):
    # pairs of tokens are counted 64 at a time
    word = "".join(parts).encode()
    words = {word: 2, word + b"x": 1, word[1:]: 1}
    pool = {word[i:j] for i in range(0, len(word), 97) for j in range(i + 2, len(word) + 1, 61)}
    for solver in (greedtok, greedwmc):
        solution = solver(Instance(words, 4, candidates=pool))
        tokens, gains = greedy(words, pool, 4, relaxed=solver is greedwmc)
        assert (list(solution.vocabulary), list(solution.gains)) == (tokens, gains)
