"""Slow, obvious twins of the encoder."""

from __future__ import annotations

from oracles.phrases import phrases_of

from partcover import WordCounts, segment
from partcover.corpus.pretokenizers.pretokenizer import Pretokenizer


def words_of(text: bytes, name: str) -> list[bytes]:
    """The words of a whole text; a mark that is in the text is a space in its word."""
    rules = Pretokenizer.from_name(name)
    first, *others = rules.rules
    words = first.words(text.decode("utf-8", "surrogateescape"))
    _, _, phrases = name.partition("+phrases:")
    if phrases and name.startswith("space-prefix"):
        mark = first.mark
        words = [
            mark.join(part.replace(mark, " ") for part in phrase.split(" "))
            for phrase in phrases_of(
                text.decode("utf-8", "surrogateescape"), "first-space", int(phrases)
            )
        ]
    elif name.startswith("space-prefix"):
        spaced = text.split(b" ")
        mark = first.mark
        words = [part.decode("utf-8", "surrogateescape").replace(mark, " ") for part in spaced]
        words = [words[0], *(mark + word for word in words[1:])]
        words = [word for word in words if word]
    for rule in others:
        words = [part for word in words for part in rule.words(word)]
    return [word.encode("utf-8", "surrogateescape") for word in words]


def pieces_of(text: bytes, vocabulary, name: str, rule=None) -> list[bytes]:
    """The tokens of a text, each word cut alone."""
    words = words_of(text, name)
    counted = WordCounts.from_words(words).counted_with(name)
    cut = segment(counted, vocabulary, rule)
    pieces = {word: cut.of(place) for place, (word, _) in enumerate(counted)}
    return [piece for word in words for piece in pieces[word]]


def ids_of(text: bytes, vocabulary, name: str, rule=None) -> list[int]:
    """The ids of a text."""
    ids = dict(zip([bytes([i]) for i in range(256)], vocabulary.id_of, strict=False))
    ids.update(zip(vocabulary.tokens, vocabulary.id_of[256:], strict=True))
    return [ids[piece] for piece in pieces_of(text, vocabulary, name, rule)]


def spans_of(text: bytes, pieces: list[bytes], mark: bytes, unit: str) -> list[tuple[int, int]]:
    """Where each piece stands, byte by byte: from the first byte it has a part of to the last."""
    origin = []  # of each byte as it is cut: where the bytes that it stands for begin and end
    at = 0
    while at < len(text):
        size = len(mark) if text.startswith(mark, at) else 1
        width = len(mark) if text[at] == 0x20 else 1
        origin += [(at, at + size)] * width
        at += size
    if unit == "chars":
        character = []  # of each byte: its character
        for place, c in enumerate(text.decode("utf-8", "surrogateescape")):
            character += [place] * len(c.encode("utf-8", "surrogateescape"))
        origin = [(character[a], character[b - 1] + 1) for a, b in origin]
    spans = []
    at = 0
    for piece in pieces:
        spans.append((origin[at][0], origin[at + len(piece) - 1][1]))
        at += len(piece)
    return spans
