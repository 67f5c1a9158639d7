"""Defines the format of Hugging Face's tokenizers and transformers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import cache
from pathlib import Path

from ...corpus import symbols as sym
from ...corpus.normalizers.normalizer import Normalizer
from ...corpus.pretokenizers.byte_spelling import spelled_bytes
from ...corpus.word_counts import WordCounts
from ...runtime.files.writing import load_json
from ...segmentation.segmentation import segment
from ...vocabulary.vocabulary import Vocabulary
from ..byte_level import pieces_of
from ..end_of_word import END, ends_words, merges_inside, read_ended, spell_ended, without_ends
from ..format import Format, Nearest, Replay
from ..given_up import GivenUp, give_up, keep, split_otherwise, without_shared, without_unknown
from ..merge_ranks import characters_of
from ..splitting import read_splitting, why_not
from ..whole_texts import marking_steps
from .library import Library
from .normalizer import as_steps, changes_parts
from .origin import origin_in
from .reading.read import looks_like, read
from .spelling import speller
from .word_pieces import PREFIX, free_mark, read_piece, spell_piece, without_mark, word_mark
from .writing.model import looks_up_words, special_in_words
from .writing.write import FILE, write

# bytes of a piece: a thread of 512 KiB of stack ends at 8,065, one of 8 MiB at 130,945
_LONGEST_OF_UNIGRAM = 8000


def _adapt(vocabulary: Vocabulary, lost: list[GivenUp]) -> Vocabulary:
    if (origin := origin_in(vocabulary)[0]) is not None:
        spelling = origin.get("spelling")  # damaged, it is named when it is written
        if isinstance(spelling, Mapping) and spelling.get("model") == "Unigram":
            vocabulary = _without_long(vocabulary, lost)
        return vocabulary
    spell = speller(vocabulary)
    vocabulary = without_shared(vocabulary, lost, lambda text, piece: spell(piece) == text)
    if vocabulary.normalizer is not None:
        own, normalizer = Normalizer(vocabulary.normalizer), as_steps(vocabulary.normalizer, lost)
        flags = vocabulary.special_flags
        split_at = [name for name, has in flags.items() if {"normalized", "added"} <= {*has}]
        if split_at and changes_parts(vocabulary.normalizer):
            what = f"{len(split_at):,} user-defined pieces in the normalized text"
            why = "the library normalizes each part between added tokens by itself"
            nearest = "them as added tokens"
            added = {**flags, **{name: ["added"] for name in split_at}}
            vocabulary = give_up(vocabulary, lost, what, why, nearest, special_flags=added)
        decoding = vocabulary.decoding
        if own.has_sentencepiece and decoding.front_spaces is None:
            # of all spaces in front of a text that was normalized there is one
            front = 1 if own.front_spaces is None else own.front_spaces
            decoding = replace(decoding, front_spaces=front)
        vocabulary = vocabulary.with_(normalizer=normalizer, decoding=decoding)
    if vocabulary.rule != "longest_match":
        vocabulary = without_unknown(vocabulary, lost, "it is written over bytes")
    characters = vocabulary.rule == "character_merges"
    if characters:
        spell = speller(vocabulary)
        kept = [
            p for p, token in enumerate(pieces_of(vocabulary)[256:]) if spell(token) is not None
        ]
        what = "that split a character or are named like a byte"
        vocabulary = keep(vocabulary, lost, kept, what, "pieces are text")
        if unmade := _unmade(vocabulary):
            what = f"{unmade:,} tokens that merge from characters that are no tokens"
            why = "such a character is bytes from the start"
            lost.append(GivenUp(what, why, "these tokens never made"))
    if vocabulary.rule in ("shortest_path", "likelihood"):
        vocabulary = _without_long(vocabulary, lost)
    if ends_words(vocabulary.pretokenizer) and merges_inside(vocabulary) is None:
        inside = without_ends(vocabulary.need_pretokenizer())
        what = "a space behind each word"
        why = "the library can add one only for BPE that merges it first"
        vocabulary = give_up(vocabulary, lost, what, why, pretokenizer=inside)
    split = vocabulary.pretokenizer
    if split is not None and word_mark(vocabulary) is not None:
        split = without_mark(split)  # the model does the rest
    if reason := why_not(split, byte_level=not characters):
        vocabulary = split_otherwise(vocabulary, lost, reason)
    if names := _special_as_text(vocabulary):
        how = "the longest match" if vocabulary.rule == "longest_match" else "whole words"
        what = f"special tokens as text where their ids do not follow all others: {names}"
        why = f"they have to be tokens of its model, which finds {how}"
        lost.append(GivenUp(what, why, "them as special tokens"))
    return vocabulary


def _without_long(vocabulary: Vocabulary, lost: list[GivenUp]) -> Vocabulary:
    """Leaves out pieces of Unigram that are too long, as ByteLevel spells them."""
    sizes = [len(spelled_bytes(bytes(token)).encode()) for token in vocabulary]  # type: ignore[arg-type]
    kept = [place for place, size in enumerate(sizes) if size <= _LONGEST_OF_UNIGRAM]
    what = f"of more than {_LONGEST_OF_UNIGRAM:,} bytes"
    why = "its Unigram model calls itself for each byte of a piece, and the process ends"
    return keep(vocabulary, lost, kept, what, why)


def _unmade(vocabulary: Vocabulary) -> int:
    """Counts tokens that merging makes of a character that is no token."""
    tokens = {bytes(token) for token in vocabulary}  # type: ignore[arg-type]
    parts = {token: characters_of(token) for token in tokens}
    open_ = [
        token
        for token, part in parts.items()
        if len(part) > 1 and any(len(c) > 1 and c not in tokens for c in part)
    ]
    alone = WordCounts.from_words(open_)
    return int((segment(alone, vocabulary).pieces == 1).sum()) if open_ else 0


def _special_as_text(vocabulary: Vocabulary) -> str:
    """Returns the special tokens that the model would match in text, in one line."""
    names = special_in_words(vocabulary)
    if vocabulary.rule != "longest_match" and not (names and looks_up_words(vocabulary)):
        return ""
    return ", ".join(names[:4]) + (", …" if len(names) > 4 else "")


def _replay(path: Path) -> Replay:
    file = path / FILE if path.is_dir() else path
    data = load_json(file)
    library = Library(data, "the format huggingface")
    _, byte_level, _ = read_splitting(data.get("pre_tokenizer"))
    if library.model.get("continuing_subword_prefix") == PREFIX:
        return _replay_words(library)
    if byte_level:
        return replay_of(library)
    spaced = marking_steps(data) is not None and "▁" in library.ids
    return _replay_text(library, read(file)[0], "▁" if spaced else " ")


def _replay_text(library: Library, vocabulary: Vocabulary, space: str) -> Replay:
    """Returns the replay of a model over text.

    Parameters
    ----------
    library : Library
        The tokenizer.
    vocabulary : Vocabulary
        What is read of its file.
    space : str
        What stands for a space in pieces.
    """
    piece_of: dict[int, bytes] = dict(vocabulary.decode_only)
    piece_of |= {number: name.encode() for name, number in vocabulary.special.items()}
    piece_of |= dict(zip(vocabulary.id_of, pieces_of(vocabulary), strict=True))
    id_of = {piece: number for number, piece in piece_of.items()}
    apart = set(vocabulary.special.values()).difference(vocabulary.id_of)
    name_of = {number: name for name, number in vocabulary.special.items() if number in apart}
    unknown = library.ids.get(library.model.get("unk_token") or "", -1)
    lost = -1 if unknown in vocabulary.id_of else unknown

    def word(word: bytes) -> list[bytes] | None:
        text = sym.text_of(word)
        found = None if text is None else library.word(text.replace(" ", space))
        if text is None or found is None or lost in found or not piece_of.keys() >= {*found}:
            return None
        if space != " " and space in text:  # which the normalizer makes a space
            return None
        # a model may take the spelling of a special token for it, and here it is text
        if any(name_of[number] in text for number in found if number in name_of):
            return None
        return [piece_of[number] for number in found]

    return Replay(
        library.name,
        lambda words: [word(one) for one in words],
        lambda text: [piece_of[number] for number in library.text(text)],
        id_of.get,
        library.ids.get,
        library.whole(),
    )


def replay_of(library: Library) -> Replay:
    """Returns the replay of a tokenizer over bytes."""
    ids = library.ids
    suffix = library.model.get("end_of_word_suffix") or ""
    read = read_ended(suffix)
    spell = spell_ended if suffix else spelled_bytes

    @cache
    def spelled(piece: str) -> bytes:
        token = read(piece)
        return piece.encode("utf-8") if token is None else token

    def word(word: bytes) -> list[bytes] | None:
        if suffix:
            if word.find(END) != len(word) - 1 or len(word) == 1:
                return None  # no word there
            word = word[:-1]
        pieces = library.word_pieces(spelled_bytes(word))
        return None if pieces is None else [*map(spelled, pieces)]

    return Replay(
        library.name,
        lambda words: [word(one) for one in words],
        lambda text: [*map(spelled, library.pieces(text))],
        lambda token: ids.get(spell(token)),
        ids.get,
        library.whole(),
    )


def _replay_words(library: Library) -> Replay:
    """Returns the replay of WordPiece over text."""
    ids, unknown = library.ids, library.model.get("unk_token")
    mark = free_mark(ids)
    read, spell = read_piece(mark, PREFIX), spell_piece(mark)

    def word(word: bytes) -> list[bytes] | None:
        text = sym.text_of(word)
        if text is None or not text.startswith(mark):
            return None
        inside = text.removeprefix(mark)
        if inside.startswith(PREFIX) and inside != PREFIX:
            return None  # such words of a text lose mark and prefix, or are unknown
        pieces = library.word_pieces(inside)
        return None if pieces is None or unknown in pieces else [*map(read, pieces)]

    return Replay(
        library.name,
        lambda words: [word(one) for one in words],
        lambda text: [
            piece.encode() if piece == unknown else read(piece) for piece in library.pieces(text)
        ],
        lambda token: ids.get(spell(token) or ""),
        ids.get,
        library.whole(),
    )


HUGGINGFACE = Format(
    name="huggingface",
    title="Hugging Face tokenizers and transformers: a folder, or one tokenizer.json",
    rules={
        "shortest_path": "Unigram, all scores −1",
        "random_path": Nearest("shortest_path", "no model draws among the shortest paths"),
        "priority": Nearest(
            "shortest_path", "no model covers in order of priority; the format priority-class does"
        ),
        "longest_match": "WordPiece, no prefix",
        "merges": "BPE",
        "character_merges": "BPE over text, byte fallback",
        "superword_merges": Nearest("merges", "no model merges words only where they are whole"),
        "likelihood": "Unigram",
        "single_symbols": "BPE without merges",
    },
    write=write,
    replay=_replay,
    read=read,
    recognises=looks_like,
    adapt=_adapt,
    normalizes=True,
    unreached=True,
    shares=True,
)
