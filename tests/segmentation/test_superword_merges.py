"""The rule ``superword_merges`` against the rule written out, in segments and in running text."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from oracles.phrases import phrases_of
from oracles.trainers.boundless import cut_phrase
from shared.properties import tries

from partcover import Encoder, InputError, Vocabulary, WordCounts, segment
from partcover.analysis.reachability import unreachable_tokens
from partcover.segmentation.cutters import sampler
from partcover.verification.rule_recount import cut_by_rule

PARTS = st.lists(
    st.sampled_from(["a", "b", "ab", " ", " a", " b", "é", "'s", ",", "1"]), max_size=12
)
BASES = ["gpt2", "cl100k", "o200k", "first-space", "deepseek"]


@st.composite
def merge_lists(draw):
    """Merges within words, across words, and over the borders of words that are not whole."""
    pieces, merges = ["a", "b", " ", "'", "s"], []
    for _ in range(draw(st.integers(0, 12))):
        pair = draw(st.sampled_from(pieces)), draw(st.sampled_from(pieces))
        if pair not in merges and len("".join(pair)) <= 12:
            merges.append(pair)
            pieces.append("".join(pair))
    return merges


@tries(150)
@given(
    texts=st.lists(PARTS.map("".join), min_size=1, max_size=4).filter(any),
    merges=merge_lists(),
    base=st.sampled_from(BASES),
    most=st.integers(2, 6),
    symbols=st.sampled_from(["bytes", "chars"]),
)
def test_words_first_then_rows_of_whole_words(texts, merges, base, most, symbols):
    name = f"{base}+phrases:{most}"
    tokens = list(dict.fromkeys(a + b for a, b in merges))
    rule = "superword_merges"
    vocabulary = Vocabulary(tokens, symbols, rule=rule, merges=merges, pretokenizer=name)
    ranks = {
        (a.encode(), b.encode()) if symbols == "bytes" else (a, b): rank
        for rank, (a, b) in enumerate(merges)
    }

    def pieces_of(phrase):
        words = phrases_of(phrase, base, 1)
        return cut_phrase([w.encode() if symbols == "bytes" else w for w in words], ranks)

    counted = WordCounts.from_texts(texts, pretokenizer=name, symbols=symbols)
    cut = segment(counted, vocabulary, threads=2)
    for place, (phrase, pieces) in enumerate(
        zip(counted, cut_by_rule(counted, vocabulary), strict=True)
    ):
        text = phrase[0].decode() if symbols == "bytes" else phrase[0]
        assert cut.of(place) == pieces == pieces_of(text)
    if symbols == "bytes":
        for cache in (0, 1 << 20):
            encoder = Encoder(vocabulary, cache=cache)
            for text in texts:
                expected = [p for phrase in phrases_of(text, base, most) for p in pieces_of(phrase)]
                assert [encoder.decode_bytes([n]) for n in encoder.encode(text)] == expected


def test_a_list_of_tokens_alone():
    vocabulary = Vocabulary(["ab", " a", " ab", "ab ab"], pretokenizer="gpt2+phrases")
    words = WordCounts.from_texts(["ab ab abc"], pretokenizer="gpt2+phrases")
    assert segment(words, vocabulary, "superword_merges").of(0) == [b"ab ab", b" ab", b"c"]
    assert segment(words, vocabulary, "merges").of(0) == [b"ab ab", b" ab", b"c"]
    # the second word is no token, so the first stays alone
    words = WordCounts.from_texts(["ab abc"], pretokenizer="gpt2+phrases")
    assert segment(words, vocabulary, "superword_merges").of(0) == [b"ab", b" ab", b"c"]
    # and it is a border: the word before it is not joined to the one behind it
    words = WordCounts.from_texts(["ab abc ab"], pretokenizer="gpt2+phrases")
    pieces = [b"ab", b" ab", b"c", b" ab"]
    assert segment(words, vocabulary, "superword_merges").of(0) == pieces
    # without words that are joined, each is one
    alone = WordCounts.from_words(["ab ab", "ab abc"])
    plain = Vocabulary(vocabulary.tokens)
    assert segment(alone, plain, "superword_merges").tokens == 3


def test_which_tokens_are_never_made():
    merges = [("a", "b"), (" ", "a"), ("ab", " a"), ("b", " a")]
    vocabulary = Vocabulary(
        ["ab", " a", "ab a", "b a"], rule="superword_merges", merges=merges,
        pretokenizer="gpt2+phrases",
    )  # fmt: skip
    assert unreachable_tokens(vocabulary) == ()
    assert unreachable_tokens(vocabulary.with_(merges=merges[1:])) == (b"ab", b"ab a")


def test_it_cannot_be_drawn_from():
    with pytest.raises(InputError, match="superword_merges has no random segmentations"):
        sampler(Vocabulary(["ab"]), "superword_merges", dropout=0.1)


def test_a_mark_that_is_in_the_text():
    merges = [("a", " "), ("_", "a"), ("a", "_a")]
    rule, name = "superword_merges", "space-prefix:_+phrases"
    encoder = Encoder(Vocabulary(["a ", "_a", "a_a"], rule=rule, merges=merges, pretokenizer=name))
    assert encoder.encode("a a") == [258]
    assert encoder.encode("a_a a") == [256, ord("a"), 257]  # its words are "a a" and "_a"
    assert encoder.decode([256, ord("a"), 257]) == "a_a a"
