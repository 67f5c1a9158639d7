"""What docs/results/greedy-ratio.md says of GreedTok and GreedWMC."""

from __future__ import annotations

import importlib.util
from fractions import Fraction
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from oracles.greedy import all_candidates, place
from shared.properties import tries

from partcover import Instance, Vocabulary, WordCounts, greedtok, greedwmc, verify
from partcover.instances.families import generate
from partcover.instances.library import entry
from partcover.instances.worst_case import worst

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "results" / "greedy-ratio.md").read_text()


def least(*arguments):
    path = ROOT / "benchmarks" / "proofs" / "smallest_worst.py"
    spec = importlib.util.spec_from_file_location("smallest_worst", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.least(*arguments)


def test_the_smallest_instances():
    assert [least("greedtok", 2, 2, n)[0] for n in (4, 5, 6)] == [1, 1, Fraction(3, 4)]
    assert least("greedtok", 2, 3, 6) == (Fraction(3, 4), ["aaa", "aab"])
    assert least("greedwmc", 2, 2, 7) == (Fraction(3, 5), ["aaaaa", "aa"])
    case = worst("greedtok", k=2, words=2, length=4)  # up to 8 letters in two words
    assert Fraction(case.cover, case.optimum_cover) == least("greedtok", 2, 2, 8)[0]


def test_fifteen_letters():
    instance = entry("greedtok-15").instance
    best = entry("greedtok-15").best
    assert best.proven
    assert (greedtok(instance).cover, instance.words.total_symbols - best.tokens) == (8, 11)


@pytest.mark.parametrize("size", [5, 8])
def test_the_family(size):
    instance = generate("greedtok-across", size)
    types = {word[:3] for word, _ in instance.words}
    assert len(types) == instance.k == size**2
    optimum = 400 * size**4
    assert verify(instance, Vocabulary(types)).cover == optimum
    cover = greedtok(instance).cover
    assert f"| {size} | {instance.k} | {len(instance.words):,} | {cover:,} | {optimum:,} |" in PAGE
    if size == 5:
        best = entry("greedtok-across-5").best
        assert best.proven
        assert instance.words.total_symbols - best.tokens == optimum


@pytest.mark.long
@tries(20)
@given(st.randoms(use_true_random=False))
def test_what_a_token_can_cover_never_grows(random):
    words = dict(generate("greedtok-across", 4).words)
    covered = {word: [False] * (len(word) - 1) for word in words}
    candidates = random.sample(sorted(all_candidates(words)), 12)
    # those that are there twice in a word, too
    candidates += [word[start : start + 2] for word in list(words)[:9] for start in (0, 1)]

    def gains(token) -> dict:
        return {word: place(word, covered[word].copy(), token) for word in words if token in word}

    before = {token: gains(token) for token in candidates}
    for taken in random.sample(candidates, 6):
        for word in words:
            place(word, covered[word], taken)
        for token in candidates:
            now = gains(token)
            assert all(now[word] <= before[token][word] for word in now)
            before[token] = now


@pytest.mark.parametrize("size", [13, 26])
def test_what_the_ratio_of_the_family_rests_on(size):
    instance = generate("greedtok-across", size)
    half = 100 * size**2
    pairs: dict[bytes, int] = {}
    sides: dict[bytes, list[int]] = {}
    for word, count in instance.words:
        pairs[word[2:4]] = pairs.get(word[2:4], 0) + count
        for side, token in enumerate((word[:3], word[3:])):
            sides.setdefault(token, [0, 0])[side] += count
    assert set(map(tuple, sides.values())) == {(half, half)}
    counts = sorted(set(pairs.values()), reverse=True)
    assert sum(counts) == size * half
    assert len(pairs) == size * len(counts)
    left = half
    for pair in counts[:-1]:
        assert pair > max(4 * left, half + left)
        left -= pair // size
    assert size * left < half + left + 2 * size  # the last count
    assert 3 * counts[0] // size < half  # a token with y, p' and more
    taken = (len(counts) - 1) * size
    most = size**2 * half + (instance.k - taken) * (half + left + 2 * size)
    assert greedtok(instance).cover <= most


@tries(80)
@given(
    st.lists(st.text("ab", min_size=2, max_size=12), min_size=1, max_size=3),
    st.lists(st.text("ab", min_size=2, max_size=5), min_size=1, max_size=4, unique=True),
)
def test_the_shortest_path_keeps_half_of_what_overlaps_cover(words, tokens):
    counted = verify(Instance(WordCounts.from_words(words), len(tokens)), Vocabulary(tokens))
    assert 2 * counted.cover >= counted.relaxed_cover


@pytest.mark.parametrize("length", [5, 9])
def test_greedwmc_with_one_token(length):
    times = 20
    instance = Instance(WordCounts.from_counts({"aa": 1, "a" * length: times}), 1)
    solution = greedwmc(instance)
    assert solution.vocabulary.tokens == (b"aa",)
    cover = verify(instance, solution.vocabulary).cover
    assert cover == times * (length - 1) // 2 + 1
    assert verify(instance, Vocabulary(["a" * length])).cover == times * (length - 1)
