"""Ids of vocabularies cut down, what has to stay, and mistakes."""

from __future__ import annotations

import numpy as np
import pytest

from partcover import (
    InputError,
    Vocabulary,
    WordCounts,
    prune,
)
from partcover.vocabulary.unknown import Unknown


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


def test_where_words_begin_with_a_mark_their_first_characters_stay():
    """As in WordPiece, whose mark alone is no token."""
    base = Vocabulary(
        ["é", "▁é", "▁n", "▁x", "▁ne", "▁nené"],
        ids=[-1] * 97 + [*range(97, 123)] + [-1] * 133 + [*range(256, 262)],
        rule="longest_match",
        special={"<unk>": 0},
        unknown=Unknown("<unk>", "word"),
    )
    found = prune(base, WordCounts.from_counts({"▁nené": 5, "▁ému": 1}), 4)
    assert [token.decode() for token in found.required] == ["é", "▁é", "▁n"]
    assert found.vocabulary.tokens == tuple(map(str.encode, ("é", "▁é", "▁n", "▁nené")))
    assert found.tokens == 5 + 3


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"k": 0}, "k is 0"),
        ({"k": 2}, "it must be at most 1"),
        ({"words": WordCounts.from_counts({"hat": 1}, "chars")}, "is over chars"),
        ({"rule": "single_symbols"}, "uses no tokens"),
    ],
)
def test_mistakes(change, message):
    right = {"base": Vocabulary(["ha"]), "words": WordCounts.from_counts({"hat": 2}), "k": 1}
    with pytest.raises(InputError, match=message):
        prune(**{**right, **change})


def test_a_word_keeps_its_parts_though_merging_by_rank_would_find_it_alone():
    words = WordCounts.from_counts({"abcd": 5})
    base = Vocabulary(["ab", "cd", "abcd"], rule="merges")
    assert prune(base, words, 1).vocabulary.tokens == (b"ab",)
    assert prune(base, words, 3).tokens == 5


def test_a_word_that_no_merges_make_stays_without_what_is_inside_it():
    words = WordCounts.from_counts({"abcde": 9, "fde": 1})
    found = prune(Vocabulary(["de", "abcde"], rule="merges"), words, 1)
    assert (found.vocabulary.tokens, found.tokens, found.lower_bound) == ((b"abcde",), 12, 12)
