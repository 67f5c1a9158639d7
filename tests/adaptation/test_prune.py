"""Vocabularies cut down, against the best choices found by trying everything."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from oracles.greedy import shortest_path
from oracles.segmentation import merge

from partcover import (
    InputError,
    Instance,
    Vocabulary,
    WordCounts,
    check_certificate,
    prune,
    segment,
    trainers,
    verify,
)
from partcover.analysis.reachability import unreachable_tokens
from partcover.vocabulary.unknown import Unknown

WORDS = st.dictionaries(
    st.text("ab", min_size=1, max_size=6) | st.text("abc", min_size=2, max_size=5),
    st.integers(1, 5),
    min_size=1,
    max_size=5,
)
TOKENS = st.lists(st.text("abc", min_size=2, max_size=4), unique=True, min_size=1, max_size=8)


def needed(words, tokens):
    return sum(count * len(shortest_path(word, tokens)) for word, count in words.items())


@settings(max_examples=50, deadline=None)
@given(
    words=WORDS,
    tokens=TOKENS,
    data=st.data(),
    symbols=st.sampled_from(["bytes", "chars"]),
)
def test_the_best_tokens_stay(words, tokens, data, symbols):
    k = data.draw(st.integers(1, len(tokens)))
    base = Vocabulary(tokens, symbols)
    found = prune(base, WordCounts.from_counts(words, symbols), k)
    best = min(needed(words, kept) for kept in combinations(tokens, k))
    assert found.lower_bound <= best <= found.tokens
    kept = [token.decode() if symbols == "bytes" else token for token in found.vocabulary]
    assert len(kept) == k
    assert kept == [token for token in tokens if token in kept]
    assert (found.corpus.before, found.tokens) == (needed(words, tokens), needed(words, kept))
    assert verify(found.instance, found.vocabulary).tokens == found.tokens
    assert check_certificate(found.instance, found.certificate).lower_bound == found.lower_bound


@settings(max_examples=25, deadline=None)
@given(words=WORDS, tokens=TOKENS, rule=st.sampled_from(["longest_match", "priority"]))
def test_by_other_rules_counts_and_bounds_hold(words, tokens, rule):
    base = Vocabulary(tokens, rule=rule)
    k = (len(tokens) + 1) // 2
    found = prune(base, WordCounts.from_counts(words), k)
    assert found.vocabulary.rule == rule
    assert found.tokens == segment(found.corpus.words, found.vocabulary).tokens
    assert found.lower_bound <= min(needed(words, kept) for kept in combinations(tokens, k))


def is_closed(tokens, merges):
    """Whether merges make every token of its own symbols."""
    return all(merge(token, tokens, merges) == [token] for token in tokens)


@settings(max_examples=50, deadline=None)
@given(words=WORDS, k=st.integers(1, 4))
def test_of_merges_as_pairs_all_that_stay_are_still_made(words, k):
    counted = WordCounts.from_counts(words)
    base = trainers.bpe(Instance(counted, 7)).vocabulary
    k = min(k, len(base))
    if not k:
        return
    words = {word.encode(): count for word, count in words.items()}
    found = prune(base, counted, k)

    def needed_by(kept):
        merges = [pair for pair in base.merges if is_made(pair, kept)]
        if not is_closed(kept, merges):
            return None
        return sum(count * len(merge(word, kept, merges)) for word, count in words.items())

    def is_made(pair, kept):
        return all(len(part) == 1 or part in kept for part in (*pair, pair[0] + pair[1]))

    choices = [needed_by(list(kept)) for kept in combinations(base.tokens, k)]
    assert found.tokens == needed_by(list(found.vocabulary.tokens))
    assert found.lower_bound <= min(count for count in choices if count is not None) <= found.tokens


@settings(max_examples=50, deadline=None)
@given(words=WORDS, tokens=TOKENS, data=st.data())
def test_of_merges_by_rank_all_that_stay_are_still_made(words, tokens, data):
    base = Vocabulary(tokens, rule=data.draw(st.sampled_from(["merges", "character_merges"])))
    k = data.draw(st.integers(1, len(tokens)))
    found = prune(base, WordCounts.from_counts(words), k)
    kept = list(found.vocabulary.tokens)
    by_rank = Vocabulary(tokens, rule="character_merges")
    made = set(tokens) - {token.decode() for token in unreachable_tokens(by_rank)}
    still = Vocabulary(kept, rule="character_merges")
    assert not made & {token.decode() for token in unreachable_tokens(still)}
    assert found.tokens == segment(found.corpus.words, found.vocabulary).tokens
    assert found.lower_bound <= min(needed(words, chosen) for chosen in combinations(tokens, k))


def test_ids_have_no_gaps_and_keep_their_order():
    base = Vocabulary(
        ["th", "at", "hat", "zz"],
        ids=[*range(10, 266), 7, 300, 5, 301],
        special={"<s>": 400, "</s>": 3},
    )
    found = prune(base, WordCounts.from_counts({"that": 3, "hat": 2}), 2)
    assert found.vocabulary.tokens == (b"th", b"hat")
    new = found.vocabulary
    assert (new.special, new.id_of[256:]) == ({"</s>": 0, "<s>": 259}, (2, 1))
    old = [3, 5, 7, *range(10, 266), 400]
    assert found.ids[old].tolist() == list(range(260))
    assert set(np.delete(found.ids, old).tolist()) == {-1}
    assert (found.to_json()["ids_before"], found.to_json()["ids_after"]) == (262, 260)


def test_where_bytes_have_no_id_characters_stay():
    base = Vocabulary(
        ["é", "è", "ne", "né"],
        ids=[-1] * 97 + [*range(97, 123)] + [-1] * 133 + [256, 257, 258, 259],
        special={"<unk>": 0},
        unknown=Unknown("<unk>"),
    )
    found = prune(base, WordCounts.from_counts({"né": 5, "ne": 4}), 2)
    assert found.required == ("é".encode(),)
    assert "é".encode() in found.vocabulary
    assert found.tokens == 5 + 2 * 4
    with pytest.raises(InputError, match="required"):
        prune(base, WordCounts.from_counts({"éè": 5}), 1)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"k": 0}, "k is 0"),
        ({"k": 2}, "the base has 1 tokens"),
        ({"words": WordCounts.from_counts({"hat": 1}, "chars")}, "is over chars"),
        ({"rule": "single_symbols"}, "uses no tokens"),
    ],
)
def test_mistakes(change, message):
    right = {"base": Vocabulary(["ha"]), "words": WordCounts.from_counts({"hat": 2}), "k": 1}
    with pytest.raises(InputError, match=message):
        prune(**{**right, **change})
