"""Segmentation rules written out literally: slow, obvious, the oracles of the kernels.

A word or token is bytes, str or a tuple; a segmentation is a tuple of them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from fractions import Fraction


def all_segmentations(word, tokens) -> Iterator[tuple]:
    if not word:
        yield ()
    for end in range(1, len(word) + 1):
        if end == 1 or word[:end] in tokens:
            for rest in all_segmentations(word[end:], tokens):
                yield (word[:end], *rest)


def shortest_paths(word, tokens) -> list[tuple]:
    paths = list(all_segmentations(word, tokens))
    fewest = min(map(len, paths))
    return [path for path in paths if len(path) == fewest]


def longest_match(word, tokens) -> list:
    pieces = []
    while word:
        end = max(e for e in range(1, len(word) + 1) if e == 1 or word[:e] in tokens)
        pieces.append(word[:end])
        word = word[end:]
    return pieces


def possible_merges(pieces, tokens, merges) -> list[tuple[int, int]]:
    """(rank, place) of every pair of neighbours that may merge, the first to merge first."""
    ranked = []
    for i in range(len(pieces) - 1):
        if merges is not None and (pieces[i], pieces[i + 1]) in merges:
            ranked.append((merges.index((pieces[i], pieces[i + 1])), i))
        if merges is None and pieces[i] + pieces[i + 1] in tokens:
            ranked.append((tokens.index(pieces[i] + pieces[i + 1]), i))
    return sorted(ranked)


def merged(pieces, i) -> tuple:
    return (*pieces[:i], pieces[i] + pieces[i + 1], *pieces[i + 2 :])


def merge(word, tokens, merges=None) -> list:
    if merges is None and word in tokens:
        return [word]
    pieces = tuple(word[i : i + 1] for i in range(len(word)))
    while possible := possible_merges(pieces, tokens, merges):
        pieces = merged(pieces, possible[0][1])
    return list(pieces)


def is_text(token: bytes) -> bool:
    return not any("\udc80" <= c <= "\udcff" for c in token.decode("utf-8", "surrogateescape"))


def merge_characters(word: bytes, tokens, merges=None) -> list:
    tokens = [token for token in tokens if is_text(token)]
    if merges is not None:
        merges = [(a, b) for a, b in merges if is_text(a) and is_text(b)]
    text = word.decode("utf-8", "surrogateescape")
    pieces = tuple(character.encode("utf-8", "surrogateescape") for character in text)
    while possible := possible_merges(pieces, tokens, merges):
        pieces = merged(pieces, possible[0][1])
    return [part for piece in pieces for part in ([piece] if piece in tokens else split(piece))]


def borders_of_utf8() -> tuple[list[bytes], list[bytes]]:
    """Characters where lengths and ranges end, and bytes that are no character."""
    borders = "\0\x7f\x80\u07ff\u0800\ud7ff\ue000\uffff\U00010000\U000fffff\U0010ffff"
    texts = [character.encode() for character in borders]
    # cut off, overlong, surrogates, beyond the last
    odd = [text[:n] for text in texts for n in range(1, len(text))]
    odd += [bytes([byte]) for byte in range(0x80, 0x100)]
    odd += [b"\xc0\x80", b"\xc1\xbf", b"\xe0\x80\x80", b"\xe0\x9f\xbf", b"\xed\xa0\x80"]
    odd += [b"\xed\xb2\x80", b"\xed\xb3\xbf", b"\xed\xbf\xbf", b"\xf0\x80\x80\x80"]
    odd += [b"\xf0\x8f\xbf\xbf", b"\xf4\x90\x80\x80", b"\xf5\x80\x80\x80", b"\xff\x80"]
    return texts, list(dict.fromkeys(odd))


def split(piece) -> list:
    return [piece[i : i + 1] for i in range(len(piece))]


def score_of(token, tokens, scores, symbol_scores) -> float:
    if len(token) > 1:
        return scores[tokens.index(token)]
    return symbol_scores.get(token, min((*scores, *symbol_scores.values()), default=0.0) - 10)


def likelihood(word, tokens, scores, symbol_scores) -> list:
    best: list = [(0.0, [])]
    for end in range(1, len(word) + 1):
        best_here = None
        for start in range(end):
            token = word[start:end]
            if end - start == 1 or token in tokens:
                score = best[start][0] + score_of(token, tokens, scores, symbol_scores)
                if best_here is None or score > best_here[0]:
                    best_here = score, [*best[start][1], token]
        best.append(best_here)
    return best[-1][1]


def distribution(weight: Callable[[tuple], float], word, tokens) -> dict[tuple, float]:
    weights = {path: weight(path) for path in all_segmentations(word, tokens)}
    return {path: w / sum(weights.values()) for path, w in weights.items()}


def bpe_dropout(word, tokens, merges, p: Fraction) -> dict[tuple, Fraction]:
    """The probability of every outcome of Provilkov et al. 2020, Algorithm 1."""
    at = {tuple(word[i : i + 1] for i in range(len(word))): Fraction(1)}
    done: Counter = Counter()
    while at:
        after: Counter = Counter()
        for pieces, chance in at.items():
            for _, i in possible_merges(pieces, tokens, merges):
                after[merged(pieces, i)] += chance * (1 - p)  # all before it were left out
                chance *= p
            done[pieces] += chance
        at = after
    return dict(done)


def maxmatch_dropout(word, tokens, p: Fraction, lacking=()) -> dict[tuple, Fraction]:
    """The probability of every outcome of MaxMatch-dropout; symbols in `lacking` have no id."""
    if not word:
        return {(): Fraction(1)}
    chances: Counter = Counter()
    chance = Fraction(1)
    found = [word[:end] for end in range(len(word), 1, -1) if word[:end] in tokens]
    if not found or word[:1] not in lacking:
        found.append(word[:1])
    for piece in found:
        taken = chance * (1 - p if piece != found[-1] else 1)
        chance -= taken
        for rest, likely in maxmatch_dropout(word[len(piece) :], tokens, p, lacking).items():
            chances[piece, *rest] += taken * likely
    return dict(chances)


def path_piece_printed(word, tokens) -> dict[tuple, Fraction]:
    """PathPieceR as printed: from the end, evenly among the tokens that tie at each position."""
    fewest = [0]
    for end in range(1, len(word) + 1):
        fewest.append(
            1 + min(fewest[s] for s in range(end) if end - s == 1 or word[s:end] in tokens)
        )

    def walk(end) -> dict[tuple, Fraction]:
        if not end:
            return {(): Fraction(1)}
        starts = [
            s
            for s in range(end)
            if (end - s == 1 or word[s:end] in tokens) and fewest[s] == fewest[end] - 1
        ]
        return {
            (*path, word[start:end]): chance / len(starts)
            for start in starts
            for path, chance in walk(start).items()
        }

    return walk(len(word))
