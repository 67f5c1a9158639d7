"""What docs/results/bpe-ratio.md says of byte-pair encoding, on what is small enough."""

from __future__ import annotations

import importlib.util
from collections import Counter
from fractions import Fraction
from itertools import combinations, pairwise
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st
from oracles.trainers.bpe import bpe as literal_bpe
from shared.properties import tries

ROOT = Path(__file__).parents[2]


def script():
    spec = importlib.util.spec_from_file_location(
        "bpe_ratio", ROOT / "benchmarks/proofs/bpe_ratio.py"
    )
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


SCRIPT = script()
words = st.dictionaries(
    st.text("abcde", min_size=2, max_size=5), st.integers(1, 5), min_size=1, max_size=5
)


def test_the_table_of_small_sizes(capsys):
    SCRIPT.table(2, 3)
    rows = [line.split(" | ") for line in capsys.readouterr().out.splitlines()]
    page = (ROOT / "docs" / "results" / "bpe-ratio.md").read_text()
    for row in rows[1:3]:
        _, _, k, often, saves, *_ = row
        assert f"| {k} | {often} | {saves} |" in page


@tries(60)
@given(words, st.integers(1, 4))
def test_merges_are_those_of_the_literal_twin(counts, k):
    total = sum(len(word) * number for word, number in counts.items())

    def first(pairs):  # tokens are nested pairs here and strings there
        return min(pairs, key=lambda pair: tuple(map(spelled, pair)))

    assert SCRIPT.bpe(list(counts.items()), k, first) == total - literal_bpe(counts, k)[1]


def spelled(token) -> str:
    return token if isinstance(token, str) else "".join(map(spelled, token))


@tries(60)
@given(words, st.integers(1, 4))
def test_no_lower_with_merges_of_letters(counts, k):
    listed = Counter(counts)
    pairs = sorted({a + b for word in counts for a, b in pairwise(word)})
    best = max(
        sum(n * SCRIPT.saves(word, frozenset(chosen)) for word, n in counts.items())
        for chosen in combinations(pairs, min(k, len(pairs)))
    )
    assert best <= SCRIPT.best_merges(listed, k)
    saved = min(SCRIPT.bpe(list(counts.items()), k, SCRIPT.TIES[tie])
                for tie in ("the smallest", "the largest", "at random, 0"))  # fmt: skip
    assert saved >= (1 - (1 - Fraction(2, k)) ** k) * best / 2


def test_the_ratio_of_an_instance():
    # ab and cd save 2 each; bc is merged first, and then a with bc or bc with d
    assert SCRIPT.ratio(Counter({"abcd": 1}), 2) == 1
    assert SCRIPT.best_merges(Counter({"abab": 1, "ab": 1}), 2) == 4


def test_the_search_repeats_itself(capsys):
    assert SCRIPT.search(1, 1, 0) == 1
    assert "1 = 1.0000" in capsys.readouterr().out
