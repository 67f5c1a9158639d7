"""Recounts tokens by a vocabulary's own rule in plain Python, without the code of the kernels."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from ctypes import c_float
from itertools import groupby
from typing import Any

from ..corpus.counting.head_and_tail import HeadAndTail, WordShard
from ..corpus.pretokenizers.words_within import WordsWithin
from ..corpus.word_counts import WordCounts
from ..vocabulary.merging import merge, ranks
from ..vocabulary.vocabulary import Vocabulary

Cut = Callable[[Any], list[Any]]

_HIGHEST = 100_000.0  # beyond this, a sum of 32 bits is restarted
_MOST = 3.4028234663852886e38  # the largest floating-point number of 32 bits


def tokens_by_rule(words: WordCounts | HeadAndTail, vocabulary: Vocabulary) -> int:
    """Counts the tokens of words by one of the rules in `COUNTED`."""
    if isinstance(words, HeadAndTail):
        return sum(words.map(_of_shard, vocabulary))
    pairs = zip(words.counts.tolist(), cut_by_rule(words, vocabulary), strict=True)
    return sum(count * len(pieces) for count, pieces in pairs)


def _of_shard(shard: WordShard, vocabulary: Vocabulary) -> int:
    return sum(tokens_by_rule(block, vocabulary) for block in shard.blocks())


def cut_by_rule(words: WordCounts, vocabulary: Vocabulary) -> Iterator[list[Any]]:
    """Yields the tokens of each word by one of the same rules."""
    cut = COUNTED[vocabulary.rule](vocabulary, words.pretokenizer)
    return (cut(word) for word, _ in words)


def _symbols(word: Any) -> list[Any]:
    return [word[place : place + 1] for place in range(len(word))]


def _merging(vocabulary: Vocabulary) -> Callable[[list[Any]], list[Any]]:
    rank = ranks(vocabulary)
    return lambda pieces: merge(pieces, rank)


def _merges(vocabulary: Vocabulary, _: str | None) -> Cut:
    merged = _merging(vocabulary)
    whole = set(vocabulary) if vocabulary.merges is None else set()
    return lambda word: [word] if word in whole else merged(_symbols(word))


def _character_merges(vocabulary: Vocabulary, _: str | None) -> Cut:
    if vocabulary.symbols != "bytes":
        merged = _merging(vocabulary)
        return lambda word: merged(_symbols(word))
    known = [token for token in vocabulary if _is_text(token)]
    merges = vocabulary.merges
    if merges is not None:
        merges = tuple(pair for pair in merges if all(map(_is_text, pair)))
    merged = _merging(Vocabulary(known, merges=merges))
    tokens = set(known)

    def cut(word: Any) -> list[Any]:
        text = word.decode("utf-8", "surrogateescape")
        pieces = merged([each.encode("utf-8", "surrogateescape") for each in text])
        return [part for p in pieces for part in ([p] if p in tokens else _symbols(p))]

    return cut


def _superword_merges(vocabulary: Vocabulary, pretokenizer: str | None) -> Cut:
    within = WordsWithin.joined_by(pretokenizer or vocabulary.pretokenizer)
    cut_word, merged = _merges(vocabulary, None), _merging(vocabulary)

    def cut(phrase: Any) -> list[Any]:
        pieces: list[Any] = []
        for whole, words in groupby(map(cut_word, within.of(phrase)), lambda word: len(word) == 1):
            row = [piece for word in words for piece in word]
            pieces += merged(row) if whole else row
        return pieces

    return cut


def _is_text(token: Any) -> bool:
    try:
        token.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return True


def _longest_match(vocabulary: Vocabulary, _: str | None) -> Cut:
    known = set(vocabulary)
    lengths = sorted(set(map(len, known)), reverse=True)

    def cut(word: Any) -> list[Any]:
        at, pieces = 0, []
        while at < len(word):
            ends = [at + length for length in lengths if at + length <= len(word)]
            begin, at = at, next((end for end in ends if word[at:end] in known), at + 1)
            pieces.append(word[begin:at])
        return pieces

    return cut


def _likelihood(vocabulary: Vocabulary, _: str | None) -> Cut:
    scores: dict[Any, float] = dict(zip(vocabulary, vocabulary.scores or (), strict=True))
    lengths, narrow = sorted({1, *map(len, scores)}), vocabulary.sums == "text32"
    if vocabulary.sums == "word":
        singles: dict[Any, float] = dict(vocabulary.symbol_scores)
        missing = min((*scores.values(), *singles.values()), default=0.0) - 10

        def score(word: Any, character: int, start: int, end: int) -> float | None:
            piece = word[start:end]
            single = singles.get(piece, missing) if end == start + 1 else None
            return scores.get(piece, single)

        return lambda word: _likeliest(word, lengths, score)

    # as libraries segment texts
    alone = {b: vocabulary.symbol_score(b) for b in (bytes([byte]) for byte in range(256))}
    if narrow:
        for each in (scores, alone):
            each.update((p, _narrow(max(-_MOST, min(value, _MOST)))) for p, value in each.items())

    def score_in_text(word: Any, character: int, start: int, end: int) -> float | None:
        # otherwise the character is a token itself
        if end == start + 1 and word[character:end] not in scores:
            return alone[word[start:end]]
        return scores.get(word[start:end])

    return lambda word: _likeliest(word, lengths, score_in_text, narrow=narrow)


def _likeliest(
    word: Any,
    lengths: list[int],
    score: Callable[[Any, int, int, int], float | None],
    *,
    narrow: bool = False,
) -> list[Any]:
    """Returns the tokens of the largest sum of scores, of equal ones the one that begins first.

    Scores are of a word, the start of a character, and the ends of a token.  Sums of 32 bits are
    restarted at a character where they are large.
    """
    # for each end: its score and the start of its last token
    best: dict[int, tuple[float, int]] = {0: (0.0, 0)}
    character = 0
    for start in range(len(word)):
        before = best[start][0]
        if not isinstance(word, bytes) or word[start] & 0xC0 != 0x80:
            character = start
        if narrow and abs(before) > _HIGHEST and character == start:
            for end in [end for end in best if end >= start]:
                total, first = best[end]
                best[end] = _narrow(total - before), first
            before = best[start][0]
        for end in (start + length for length in lengths if start + length <= len(word)):
            value = score(word, character, start, end)
            if value is not None:
                total = _narrow(before + value) if narrow else before + value
                if end not in best or total > best[end][0]:
                    best[end] = total, start
    end, pieces = len(word), []
    while end:
        start = best[end][1]
        pieces.append(word[start:end])
        end = start
    return pieces[::-1]


def _narrow(value: float) -> float:
    """Returns the nearest 32-bit floating-point number."""
    return c_float(value).value


#: The rules that can be recounted here, and their functions.
COUNTED: dict[str, Callable[[Vocabulary, str | None], Cut]] = {
    "merges": _merges,
    "character_merges": _character_merges,
    "superword_merges": _superword_merges,
    "longest_match": _longest_match,
    "likelihood": _likelihood,
    "single_symbols": lambda *_: _symbols,
}
