"""The words that a vocabulary should hold, against the criterion written out."""

from __future__ import annotations

from analysis.cases import needed, tokens_st, words_st
from hypothesis import given
from hypothesis import strategies as st
from oracles.greedy import shortest_path
from shared.properties import tries

from partcover import Vocabulary, WordCounts
from partcover.analysis.missing_words import missing_words


def expected_words(words, tokens, top):
    pieces = {word: len(shortest_path(word, tokens)) for word in words}
    saves = sorted((-count * (pieces[w] - 1), w) for w, count in words.items() if pieces[w] > 1)
    all_tokens = needed(words, tokens)
    losses = sorted(needed(words, [t for t in tokens if t != left]) - all_tokens for left in tokens)
    listed = []
    for (less, word), loss in zip(saves, losses, strict=False):
        if -less <= loss:
            break
        gain = all_tokens - needed(words, [*tokens, word])
        listed.append((word, words[word], pieces[word], -less, gain))
    return len(listed), listed[:top]


@tries(300)
@given(words=words_st, tokens=tokens_st, top=st.integers(0, 4))
def test_the_words_are_those_of_the_criterion(words, tokens, top):
    vocabulary = Vocabulary(tokens, "chars")
    result = missing_words(vocabulary, WordCounts.from_counts(words, "chars"), top=top)
    total, listed = expected_words(words, vocabulary.tokens, top)
    assert result.total == total
    assert [(m.word, m.count, len(m.pieces), m.loss, m.gain) for m in result.words] == listed
    assert result.tokens == needed(words, vocabulary.tokens)


def test_of_words_that_save_the_same_the_smaller_is_listed():
    words = WordCounts.from_counts({"cd": 1, "ab": 1, "ef": 1})
    result = missing_words(Vocabulary(["xx", "yy", "zz"]), words, top=1)
    assert (result.total, [m.word for m in result.words]) == (3, [b"ab"])


def test_a_word_that_an_overflow_lost_is_found():
    counts = {" the": 5000, " of": 3000, " then": 40, " xy": 3, " often": 2}
    words = WordCounts.from_counts(counts)
    result = missing_words(Vocabulary([" of", " then", "xy"]), words)
    first = result.words[0]
    assert (first.word, len(first.pieces), first.loss, first.gain) == (b" the", 4, 15000, 15000)
    assert result.total == 1  # " often" would save less than the weakest token gains
    assert missing_words(Vocabulary([" of", " then", " the"]), words).total == 0
