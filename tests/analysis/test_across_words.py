"""What tokens save across words: phrases against their words, each cut by itself."""

from __future__ import annotations

from partcover import Instance, Vocabulary, WordCounts, segment, trainers
from partcover.analysis.across_words import AcrossWords, across_words

TEXTS = ["one of the ways, one of the days", "some of the ways of the one", "the one ways"] * 3


def test_words_are_cut_by_themselves():
    phrases = WordCounts.from_texts(TEXTS, pretokenizer="o200k+phrases:3+digit")
    words = WordCounts.from_texts(TEXTS, pretokenizer="o200k+digit")
    vocabulary = trainers.superbpe(Instance(phrases, 20), transition=9).vocabulary
    for rule in ("merges", "shortest_path", "longest_match"):
        expected = AcrossWords(
            words.total_symbols,
            segment(words, vocabulary, rule).tokens,
            segment(phrases, vocabulary, rule).tokens,
        )
        assert across_words(phrases, vocabulary, rule) == expected
    assert expected.share > 0


def test_there_is_no_share_without_phrases_or_without_a_saving():
    words = WordCounts.from_texts(TEXTS, pretokenizer="gpt2")
    assert across_words(words, Vocabulary(["one of"])) is None
    phrases = WordCounts.from_texts(TEXTS, pretokenizer="gpt2+phrases")
    assert across_words(phrases, Vocabulary(["zz"])).share is None
