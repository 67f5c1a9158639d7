"""Merges against a twin that rewrites text, and their file."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from partcover import InputError, WordCounts
from partcover.hardness.bottom_up import Merges, apply_merges, merged_tokens


def twin(word: str, merges) -> list[str]:
    """Tokens as text between spaces; a merge takes the space between its two away."""
    text = " " + " ".join(word) + " "
    for left, right in merges:
        text = re.sub(f"(?<= ){left} {right}(?= )", left + right, text)
    return text.split()


WORDS = st.lists(st.text("ab", min_size=1, max_size=9), min_size=1, max_size=4)
TOKENS = st.text("ab", min_size=1, max_size=3)


@given(WORDS, st.lists(st.tuples(TOKENS, TOKENS), max_size=5))
def test_the_twin_agrees(words, pairs):
    counts = WordCounts.from_words(words, "chars")
    merges = Merges(pairs, "chars")
    pieces = apply_merges(counts, merges)
    assert pieces == [twin(word, pairs) for word, _ in counts]
    assert merged_tokens(counts, merges) == sum(len(twin(word, pairs)) for word in words)


def test_order_and_direction():
    counts = WordCounts.from_counts({"aaaaa": 2, "abab": 1})
    assert apply_merges(counts, Merges([("a", "a")])) == [[b"aa", b"aa", b"a"], [b"a", b"b"] * 2]
    both = Merges([("a", "b"), ("b", "a")])
    assert apply_merges(counts, both)[1] == [b"ab", b"ab"]
    other = Merges([("b", "a"), ("a", "b")])
    assert apply_merges(counts, other)[1] == [b"a", b"ba", b"b"]
    assert merged_tokens(counts, Merges([("a", "a"), ("aa", "a"), ("aa", "aaa")])) == 2 + 4


@pytest.mark.parametrize(
    ("symbols", "pairs"),
    [("bytes", [(b"a", b"\xff"), ("é", "\\")]), ("ints", [((1,), (2, 3))]), ("chars", [])],
)
def test_the_file(symbols, pairs, tmp_path):
    merges = Merges(pairs, symbols)
    merges.save(tmp_path / "m.json")
    assert Merges.load(tmp_path / "m.json", symbols) == merges


def test_bad_merges(tmp_path):
    with pytest.raises(InputError, match="merge 1 is 'ab': it must be a pair"):
        Merges(["ab"])
    with pytest.raises(InputError, match="merge 2 has an empty token"):
        Merges([("a", "b"), ("", "b")])
    with pytest.raises(InputError, match="merges are over ints, the words over bytes"):
        apply_merges(WordCounts.from_words(["a"]), Merges([], "ints"))
    path = tmp_path / "m.json"
    for text, message in [
        ("[", "m.json:1: not JSON"),
        ("{}", "m.json: expected a list of merges"),
        ("[[1, 2, 3]]", "m.json: expected a list of merges"),
        ("[[1, 2]]", "m.json: 1 is not a token over bytes"),
    ]:
        path.write_text(text)
        with pytest.raises(InputError, match=message):
            Merges.load(path)
    path.write_bytes(b"\xff")
    with pytest.raises(InputError, match="not JSON"):
        Merges.load(path)
    with pytest.raises(InputError, match="none: cannot be read"):
        Merges.load(tmp_path / "none")
