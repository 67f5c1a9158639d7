"""Unigram over a whole text, as sentencepiece and Hugging Face add up scores: slow, written out."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

HIGHEST = np.float32(100_000)


def pieces_of(
    text: str, scores: Mapping[str, float], *, narrow: bool, total: float = 0.0
) -> tuple[list[tuple[str, bool]], float]:
    """The pieces of a text, each with whether it is one, and the sum behind the last.

    A character that is no piece has the lowest score − 10, which is the entry of the empty text.
    """
    number = np.float32 if narrow else np.float64
    score = {piece: number(value) for piece, value in scores.items()}
    best = [number(0)] * (len(text) + 1)
    start_of = [-1] * (len(text) + 1)
    best[0] = number(total)
    longest = max(map(len, score))
    for start in range(len(text)):
        if narrow and abs(best[start]) > HIGHEST:
            lost = best[start]
            for end in range(start, min(len(text), start + longest) + 1):
                if end == start or start_of[end] >= 0:
                    best[end] = best[end] - lost
        alone = False
        for end in range(start + 1, min(len(text), start + longest) + 1):
            if text[start:end] in score:
                alone |= end == start + 1
                value = score[text[start:end]] + best[start]
                if start_of[end] < 0 or value > best[end]:
                    best[end], start_of[end] = value, start
        if not alone:
            value = score[""] + best[start]
            if start_of[start + 1] < 0 or value > best[start + 1]:
                best[start + 1], start_of[start + 1] = value, start
    pieces, end = [], len(text)
    while end:
        piece = text[start_of[end] : end]
        pieces.append((piece, piece in score))
        end = start_of[end]
    return pieces[::-1], float(best[len(text)])


def ids_of(
    pieces: list[tuple[str, bool]], ids: Mapping[str, int], *, byte_ids: Mapping[int, int] | None
) -> list[int]:
    """The ids of pieces: what is unknown becomes its bytes, or each run of it one id."""
    out: list[int] = []
    before = False
    for piece, known in pieces:
        if known:
            out.append(ids[piece])
        elif byte_ids is not None:
            out += [byte_ids[byte] for byte in piece.encode()]
        elif not before:
            out.append(ids[""])
        before = not known
    return out
