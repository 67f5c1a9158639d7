"""The audit against its criterion written out."""

from __future__ import annotations

from analysis.cases import needed, tokens_st, words_st
from hypothesis import given
from hypothesis import strategies as st
from oracles.greedy import shortest_path
from shared.properties import tries

from partcover import Vocabulary, WordCounts
from partcover.analysis.audit import audit


def reference_audit(words, tokens, limit):
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
    return len(listed), listed[:limit]


@tries(300)
@given(words=words_st, tokens=tokens_st, limit=st.integers(0, 4))
def test_audit_is_its_criterion(words, tokens, limit):
    vocabulary = Vocabulary(tokens, "chars")
    result = audit(vocabulary, WordCounts.from_counts(words, "chars"), limit=limit)
    total, listed = reference_audit(words, vocabulary.tokens, limit)
    assert result.total == total
    assert [(m.word, m.count, m.pieces, m.saves, m.gain) for m in result.missing] == listed
    assert result.tokens == needed(words, vocabulary.tokens)


def test_of_words_that_save_the_same_the_smaller_is_listed():
    words = WordCounts.from_counts({"cd": 1, "ab": 1, "ef": 1})
    result = audit(Vocabulary(["xx", "yy", "zz"]), words, limit=1)
    assert (result.total, [m.word for m in result.missing]) == (3, [b"ab"])


def test_audit_finds_the_word_that_an_overflow_lost():
    counts = {" the": 5000, " of": 3000, " then": 40, " xy": 3, " often": 2}
    words = WordCounts.from_counts(counts)
    result = audit(Vocabulary([" of", " then", "xy"]), words)
    first = result.missing[0]
    assert (first.word, first.pieces, first.saves, first.gain) == (b" the", 4, 15000, 15000)
    assert result.total == 1  # " often" would save less than the weakest token gains
    assert audit(Vocabulary([" of", " then", " the"]), words).total == 0
