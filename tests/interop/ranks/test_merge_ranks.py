"""Merging by pairs and by rank, where they agree."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from shared.properties import tries

from partcover import Vocabulary, WordCounts, segment
from partcover.interop.merge_ranks import bytes_of, characters_of, last_merges, pairs_are_needless


@tries(400)
@given(
    chosen=st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9)), max_size=9, unique=True),
    shuffle=st.permutations(range(9)) | st.just(range(9)),
    words=st.lists(st.text("ab日", min_size=1, max_size=14), max_size=6),
    rule=st.sampled_from(["merges", "character_merges"]),
)
def test_pairs_called_needless_are(chosen, shuffle, words, rule):
    """Also where several pairs make one token, and their order is any."""
    characters = rule == "character_merges"
    parts, pairs = ["a", "b", "日" if characters else "c"], []
    for left, right in chosen:
        pair = parts[left % len(parts)], parts[right % len(parts)]
        if pair not in pairs:
            pairs.append(pair)
            parts += [] if "".join(pair) in parts else ["".join(pair)]
    merges = [(a.encode(), b.encode()) for a, b in (pairs[i] for i in shuffle if i < len(pairs))]
    made = [part.encode() for part in parts if len(part) > 1]
    last = last_merges(merges, made, characters_of if characters else bytes_of)
    made.sort(key=lambda token: -1 if last[token] is None else last[token])
    tokens = ["日".encode(), *made] if characters else made
    vocabulary = Vocabulary(tokens, rule=rule, merges=merges)
    needless = pairs_are_needless(vocabulary)
    assert needless == (None not in last.values())
    if needless:
        counted = WordCounts.from_words({*words, "abab", "aaa", *parts})
        without = segment(counted, vocabulary.with_(merges=None))
        assert (segment(counted, vocabulary).which == without.which).all()


def test_pairs_that_are_needed():
    merges = [("b", "c"), ("a", "b")]
    for rule in ("merges", "character_merges"):
        for tokens, pairs in ((["ab", "bc"], merges), (["bc", "abc"], merges[:1]), (["abc"], [])):
            assert not pairs_are_needless(Vocabulary(tokens, rule=rule, merges=pairs))
    # a character is there from the start, or is to be merged
    for rule in ("merges", "character_merges"):
        alone = Vocabulary(["é"], rule=rule, merges=[])
        assert pairs_are_needless(alone) == (rule == "character_merges")
