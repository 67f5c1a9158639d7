"""Builds the model of a tokenizer.json that segments words as a rule does."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import accumulate
from typing import Any

from ....corpus import symbols as sym
from ....corpus.pretokenizers.byte_spelling import spelled_bytes
from ....corpus.word_counts import WordCounts
from ....errors import InputError
from ....segmentation.segmentation import segment
from ....vocabulary.merging import halves
from ....vocabulary.vocabulary import Vocabulary
from ...byte_level import from_characters, pieces_of
from ...end_of_word import SUFFIX, ends_words, merges_inside
from ...merge_ranks import characters_of
from ...replay import words_of
from ..spelling import speller
from ..word_pieces import PREFIX, word_mark

# a score that no path takes
_NEVER = -1e308
MAX_FREE = 1 << 20
MERGING = ("merges", "character_merges")


def build_model(
    vocabulary: Vocabulary, vocab: dict[str, int], inside: dict[str, int]
) -> dict[str, Any]:
    """Builds the JSON object of the model.

    Parameters
    ----------
    vocabulary : Vocabulary
        The tokens and the rule.
    vocab : dict
        Pieces as they are spelled, and their ids.
    inside : dict
        Special tokens and placeholders that have to be entries of the model too, see
        `place_special`.

    Raises
    ------
    InputError
        If a part of a merge has no id, or the ids of a Unigram model leave too many places free.
    """
    if vocabulary.rule in ("shortest_path", "likelihood"):
        return _unigram(vocabulary, vocab, inside)
    entries = dict(sorted({**vocab, **inside}.items(), key=lambda item: item[1]))
    if vocabulary.rule == "longest_match":
        marked = word_mark(vocabulary) is not None
        unknown = vocabulary.unknown
        longest = unknown.longest if unknown is not None else None
        return {
            "type": "WordPiece",
            # has to be named, though every byte is a piece
            "unk_token": "[UNK]" if unknown is None else unknown.token,
            "continuing_subword_prefix": PREFIX if marked else "",
            "max_input_chars_per_word": 2**63 - 1 if longest is None else longest - marked,
            "vocab": entries,
        }
    spell = speller(vocabulary)
    pairs: Iterable[tuple[Any, Any]] = ()
    if vocabulary.rule in MERGING:
        pairs = all_merges(vocabulary) if vocabulary.merges is None else vocabulary.merges
    ended = ends_words(vocabulary.pretokenizer)
    if ended:
        pairs = merges_inside(vocabulary) or ()
    if vocabulary.rule == "character_merges":  # parts of characters do not merge
        pairs = [pair for pair in pairs if None not in map(sym.text_of, pair)]
    for part in (part for pair in pairs for part in pair if spell(part) not in vocab):
        raise InputError(f"{sym.show(part)!r} has no id, but merges need it")
    return {
        "type": "BPE",
        "dropout": None,
        "unk_token": None,
        "continuing_subword_prefix": None,
        "end_of_word_suffix": SUFFIX if ended else None,
        "fuse_unk": False,
        "byte_fallback": vocabulary.rule == "character_merges",
        "ignore_merges": looks_up_words(vocabulary),
        "vocab": entries,
        "merges": [(spell(left), spell(right)) for left, right in pairs],
    }


def all_merges(vocabulary: Vocabulary) -> list[tuple[bytes, bytes]]:
    """Returns every way to make each token of two others or bytes, token after token."""
    rank = {token: place for place, token in enumerate(pieces_of(vocabulary))}
    lengths = set(map(len, rank))
    tokens: Sequence[Any] = vocabulary.tokens
    splits: list[tuple[bytes, bytes]] = []
    for token in tokens:
        ways = [(a, b) for a, b in halves(token, lengths) if a in rank and b in rank]
        if ways and vocabulary.rule == "character_merges":
            borders = set(accumulate(map(len, characters_of(token))))
            ways = [(a, b) for a, b in ways if len(a) in borders]
        splits += sorted(ways, key=lambda way: (rank[way[0]], rank[way[1]]))
    return splits


def _unigram(
    vocabulary: Vocabulary, vocab: dict[str, int], inside: dict[str, int]
) -> dict[str, Any]:
    scores: dict[str, float] = dict.fromkeys(vocab, -1.0)
    if vocabulary.rule == "likelihood":
        given: dict[Any, float] = {**vocabulary.symbol_scores}
        given.update(zip(vocabulary.tokens, vocabulary.scores or (), strict=True))
        lowest = min(given.values(), default=0.0) - 10
        scores = {
            spelled_bytes(piece): given.get(piece, lowest)
            for piece in pieces_of(vocabulary)
            if spelled_bytes(piece) in vocab
        }
    return {
        "type": "Unigram",
        "unk_id": None,
        "byte_fallback": False,
        "vocab": unigram_entries(scores, vocab, inside),
    }


def unigram_entries(
    scores: Mapping[str, float],
    vocab: Mapping[str, int],
    inside: Mapping[str, int],
    never: float = _NEVER,
) -> list[tuple[str, float]]:
    """Returns the pieces of a Unigram model by id, each with its score.

    Those `inside`, and what fills ids that are free, have the score `never`.

    Raises
    ------
    InputError
        If too many ids are free.
    """
    places = {number: (text, never) for text, number in inside.items()}
    places.update({number: (text, scores[text]) for text, number in vocab.items()})
    size = max(places, default=-1) + 1
    if size - len(places) > MAX_FREE:
        raise InputError(
            f"{size - len(places):,} of {size:,} ids are unused, but ids of a Unigram model must "
            "have no gaps: renumber them"
        )
    return [places.get(place, (f"<free {place}>", never)) for place in range(size)]


def special_in_words(vocabulary: Vocabulary) -> list[str]:
    """Returns the special tokens among the model's entries that a word may hold, or be."""
    inside, _ = place_special(vocabulary)
    spelled = [text for text in vocabulary.special if text in inside]
    spelled = [text for text in spelled if spelled_bytes(text.encode()) == text]
    if vocabulary.rule == "longest_match":
        return [t for t in spelled if any(t in word for word in words_of(t, vocabulary))]
    return [text for text in spelled if text in words_of(text, vocabulary)]


def looks_up_words(vocabulary: Vocabulary) -> bool:
    """Returns whether BPE is to look up whole words first, as merging by rank does.

    A special token among its entries would be matched too; and words need not be looked up where
    each token merges from its own bytes.
    """
    if not _ranked(vocabulary) or not special_in_words(vocabulary):
        return _ranked(vocabulary)
    alone = WordCounts.from_words(vocabulary.tokens)
    pairs = vocabulary.with_(merges=all_merges(vocabulary))
    return not bool((segment(alone, pairs).pieces == 1).all())


def unreached(vocabulary: Vocabulary) -> dict[str, int]:
    """Returns the ids that only decode, by what is an entry of the model and becomes no text.

    Ids for which there is no such entry are left out.
    """
    if word_mark(vocabulary) is not None or vocabulary.rule == "longest_match":
        return {}
    found: dict[str, int] = {}
    for number, text in vocabulary.decode_only.items():
        spelled = sym.text_of(text)
        if vocabulary.rule == "character_merges":
            spelled = f"<0x{text[0]:02X}>" if len(text) == 1 else None
        elif spelled is not None and from_characters(spelled) is not None:
            spelled = None
        if spelled is not None and spelled not in vocabulary.special:
            found[spelled] = number
    return found


def place_special(
    vocabulary: Vocabulary,
    others: Mapping[str, int] | None = None,
    entries: Iterable[str] = (),
) -> tuple[dict[str, int], list[int]]:
    """Returns what else has to be an entry of the model, and the ids to fill.

    Those are special tokens, and what only decodes.  The special tokens among `entries` are to be
    entries in any case.

    The library numbers the other special tokens one by one, from the size of the model on; so
    ids below theirs that nothing has get placeholders.  WordPiece's unknown token is an entry.
    """
    others = unreached(vocabulary) if others is None else others
    numbers = {number for number in vocabulary.id_of if number >= 0}.union(others.values())
    inside = {text: n for text, n in vocabulary.special.items() if n not in numbers}
    first = last = max([*inside.values(), *numbers], default=-1) + 1
    own = set(entries)
    needed = vocabulary.unknown if vocabulary.rule == "longest_match" else None
    for text, number in sorted(inside.items(), key=lambda item: -item[1]):
        if number != first - 1 or last - len(numbers) > MAX_FREE or text in own:
            break
        if needed is not None and text == needed.token:
            break
        first = number
        del inside[text]
    taken = numbers | set(inside.values())
    inside |= others
    return inside, sorted(set(range(first)) - taken) if first < last else []


def _ranked(vocabulary: Vocabulary) -> bool:
    return vocabulary.rule == "merges" and vocabulary.merges is None
