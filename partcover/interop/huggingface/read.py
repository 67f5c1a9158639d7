"""Reads tokenizer.json as a vocabulary, or states why its model is not supported."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import groupby
from pathlib import Path
from typing import Any, TypeAlias

from ...corpus.normalizers.normalizer import Normalizer
from ...corpus.pretokenizers.pretokenizer import Pretokenizer
from ...corpus.pretokenizers.steps.read import leave_others_out, leave_out, read_steps
from ...corpus.symbols import text_of
from ...errors import InputError
from ...runtime.arguments import counted, shown
from ...runtime.files.kinds import begins_object
from ...runtime.files.writing import load_json, read_json
from ...vocabulary.decoding import Decoding
from ...vocabulary.merging import halves
from ...vocabulary.unknown import Unknown
from ...vocabulary.vocabulary import Vocabulary
from ..byte_level import from_characters, pieces_of
from ..end_of_word import end_merges, read_ended, with_ends
from ..merge_ranks import bytes_of, characters_of, last_merges
from ..splitting import read_splitting
from ..whole_texts import marking_steps, pretokenizer_of, unknown_scores
from .around import not_carried
from .decimals import as_read
from .decoder import read_decoding
from .model import FREE
from .origin import ORIGIN, files_beside, origin_of, read_small, use_of
from .word_list import as_tokenizer, list_in
from .word_pieces import (
    PREFIX,
    free_mark,
    inside_steps,
    mark_steps,
    read_piece,
    unknown_words,
)

Spell: TypeAlias = Callable[[str], bytes | None]
_FOUND = ("single_word", "lstrip", "rstrip", "normalized")
_NEVER = {0xC0, 0xC1, *range(0xF5, 0x100)}  # bytes that are in no UTF-8
_BYTE = re.compile(r"<0x([0-9A-F]{2})>")
_MARK = "▁"


def looks_like(path: Path) -> bool:
    """Returns whether a path is a tokenizer.json, BERT's list, or a folder with one."""
    if path.is_dir():
        return (path / "tokenizer.json").is_file() or list_in(path) is not None
    if not path.is_file():
        return False
    if begins_object(path) and b'"model"' in path.read_bytes():
        try:
            data = load_json(path)
        except InputError:
            return False
        return isinstance(data, dict) and isinstance(data.get("model"), dict)
    return list_in(path) is not None


def read(path: Path) -> tuple[Vocabulary, list[str]]:
    """Reads the vocabulary of a tokenizer.json, and remarks on what it does not hold.

    Raises
    ------
    InputError
        Naming the file, and the part of it that no vocabulary can express.
    """
    file = path / "tokenizer.json" if path.is_dir() else path
    if (path.is_file() or not file.is_file()) and (listed := list_in(path)) is not None:
        data, remarks = as_tokenizer(listed)
        vocabulary, more = from_json(data, listed)
        return vocabulary, remarks + more
    data = read_json(file)
    data.setdefault("decoder", None)
    vocabulary, remarks = from_json(data, file)
    _, byte_level, _ = read_splitting(_bytes_last(data).get("pre_tokenizer"))
    try:
        text = read_small(file, sys.maxsize)
        origin = origin_of(data, text, vocabulary, byte_level=byte_level)
    except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError, RecursionError):
        origin = None  # for parts that no one read before
    if origin is not None:
        origin |= {"use": use_of(vocabulary), **files_beside(file, data["model"]["vocab"])}
        vocabulary = vocabulary.with_(provenance={**vocabulary.provenance, ORIGIN: origin})
    return vocabulary, remarks


def from_json(data: dict[str, Any], file: Path) -> tuple[Vocabulary, list[str]]:
    """Reads the content of a tokenizer.json; `file` is named in errors.

    Raises
    ------
    InputError
        As `read`.
    """
    try:
        vocabulary, remarks = _read(data)
        added = data.get("added_tokens") or []
        made_too = _made_too(data, vocabulary)
        special = {**vocabulary.special, **made_too}
        flags = flags_of(added, special)
        vocabulary = vocabulary.with_(special=special, special_flags=flags) if flags else vocabulary
        decoding, more = _decoding(data, vocabulary)
        if others := _shown_as(made_too, vocabulary):  # also when the token is pruned
            decoding = replace(decoding, shown={**decoding.shown, **others})
        if decoding != vocabulary.decoding:
            vocabulary = vocabulary.with_(decoding=decoding)
        remarks += more
        left_out = [e["content"] for e in added if e["content"] not in special]
        return vocabulary, remarks + not_carried(data, left_out)
    except InputError as error:
        raise InputError(f"{file}: {error}") from None
    except (AttributeError, KeyError, TypeError, ValueError, IndexError, OverflowError) as error:
        raise InputError(
            f"{file}: not a tokenizer.json ({type(error).__name__}: {error})"
        ) from None


def _read(data: dict[str, Any]) -> tuple[Vocabulary, list[str]]:
    data, model = _bytes_last(data), data["model"]
    # files written before version 0.10 have no type
    kind = model.get("type") or ("BPE" if "merges" in model else "Unigram")
    pretokenizer, byte_level, remarks = read_splitting(data.get("pre_tokenizer"))
    if not byte_level and kind in ("Unigram", "BPE"):
        return _pieces_of_text(data, kind, pretokenizer)
    normalizer = _normalizer(data)
    if kind == "WordPiece" and not byte_level:
        vocabulary, remarks = _words_of_text(data)
        return vocabulary.with_(normalizer=normalizer), remarks
    special = _special(data, spelled=True)
    if kind == "BPE":
        use = _bpe(model, special)
        if model.get("end_of_word_suffix"):
            pretokenizer = with_ends(pretokenizer)
    elif kind == "WordPiece":
        use = _wordpiece(model, special, remarks)
    elif kind == "Unigram":
        use = _unigram(model, special)
    else:
        raise InputError(f"its model {kind} is not supported")
    spell = read_ended(model.get("end_of_word_suffix") or "") if kind == "BPE" else from_characters
    vocab = model["vocab"]
    entries = {text: n for n, (text, _) in enumerate(vocab)} if kind == "Unigram" else vocab
    use["decode_only"] = _others(entries, special, spell, remarks)
    vocabulary = _vocabulary(use, special, pretokenizer, remarks)
    if kind == "BPE" and not {*_lacking(vocabulary)} <= _NEVER:
        vocabulary = _leaving_out(vocabulary, data, remarks)
    return vocabulary.with_(normalizer=normalizer), remarks


def _lacking(vocabulary: Vocabulary) -> list[int]:
    """Returns the bytes that have no id."""
    return [byte for byte in range(256) if vocabulary.id_of[byte] < 0]


def _leaving_out(vocabulary: Vocabulary, data: Mapping[str, Any], remarks: list[str]) -> Vocabulary:
    """Returns the same with a step that leaves out bytes without an id, if its library does so."""
    model = data["model"]
    named = model.get("unk_token") is not None or model.get("end_of_word_suffix")
    if named or vocabulary.pretokenizer is None:
        return vocabulary
    steps = [data["pre_tokenizer"], leave_out(_lacking(vocabulary))]
    both = read_steps({"type": "Sequence", "pretokenizers": steps})
    remarks[-1] += ", and are left out of a text, as its library does"
    return vocabulary.with_(pretokenizer=Pretokenizer.from_steps(both).name)


def _decoding(data: dict[str, Any], vocabulary: Vocabulary) -> tuple[Decoding, list[str]]:
    """Returns what the decoder does beside joining tokens, and remarks."""
    if "decoder" not in data:  # of a list of pieces
        return vocabulary.decoding, []
    last = _bytes_last(data)
    _, byte_level, _ = read_splitting(last.get("pre_tokenizer"))
    model = data["model"]
    vocab = model["vocab"]
    texts = vocab if isinstance(vocab, dict) else [text for text, _ in vocab]
    bytes_there = sum(map(bool, map(_BYTE.fullmatch, texts))) if model.get("byte_fallback") else 0
    pieces_of_words = model.get("type") == "WordPiece" and not byte_level
    spaced = not byte_level and marking_steps(data) is not None and _MARK in texts
    return read_decoding(
        data.get("decoder"),
        vocabulary,
        of_text=not byte_level,
        fallback=bytes_there == 256,
        changed=bool(bytes_there or spaced or model.get("end_of_word_suffix")),
        inside=model.get("continuing_subword_prefix", PREFIX) if pieces_of_words else "",
        normalized=last.get("normalizer") != data.get("normalizer"),
    )


def _bytes_last(data: dict[str, Any]) -> dict[str, Any]:
    """Returns the same with a ByteLevel that ends the normalizer as pre-tokenizer, if it has none.

    Bytes are then spelled as characters after a text is split into words, of which there is one.
    """
    steps = _flat(data.get("normalizer"))
    last = steps[-1].get("type") if steps else None
    if data.get("pre_tokenizer") is not None or last != "ByteLevel":
        return data
    normalizer = {"type": "Sequence", "normalizers": steps[:-1]} if steps[1:] else None
    byte_level = {"type": "ByteLevel", "add_prefix_space": False, "use_regex": False}
    return {**data, "normalizer": normalizer, "pre_tokenizer": byte_level}


def _flat(step: Mapping[str, Any] | None) -> list[Mapping[str, Any]]:
    """Returns the steps of a normalizer."""
    if step is None:
        return []
    inner = step.get("normalizers")
    return [step] if inner is None else [part for each in inner for part in _flat(each)]


def _normalizer(data: Mapping[str, Any]) -> str | None:
    """Returns the name of the normalizer; None where it has no steps."""
    return Normalizer(data["normalizer"]).name if _names(data.get("normalizer")) else None


def _names(step: Mapping[str, Any] | None) -> str:
    """Names the steps of a normalizer; empty where there are none."""
    if step is None:
        return ""
    inner = step.get("normalizers")
    return ", ".join(map(_names, inner)) if inner is not None else str(step.get("type"))


def _special(data: dict[str, Any], *, spelled: bool) -> dict[str, int]:
    """Returns the added tokens and their ids; those that merges make too are left out.

    Parameters
    ----------
    data : dict
        The file.
    spelled : bool
        Whether the model spells bytes as characters.
    """
    made = _made(data["model"])
    vocab = data["model"]["vocab"]
    ids = vocab if isinstance(vocab, dict) else {text: n for n, (text, _) in enumerate(vocab)}
    special: dict[str, int] = {}
    for entry in data.get("added_tokens") or []:
        text = entry["content"]
        byte = from_characters(text) if spelled and len(text) == 1 and text in ids else None
        if byte is not None and byte != text.encode("utf-8"):
            raise InputError(
                f"its added token {text!r} is spelled like the byte "
                f"0x{byte[0]:02X}: both would have the same id"
            )
        if text not in made:  # the id in the model goes first, if it is there too
            special[text] = _id(text, ids.get(text, entry["id"]))
    return special


def _made_too(data: dict[str, Any], vocabulary: Vocabulary) -> dict[str, int]:
    """Returns the added tokens that are not special and that merges make, with the tokens' ids."""
    made, vocab, numbers = _made(data["model"]), data["model"]["vocab"], set(vocabulary.id_of)
    texts = (e["content"] for e in data.get("added_tokens") or [] if not e.get("special"))
    return {text: vocab[text] for text in texts if text in made and vocab.get(text) in numbers}


def _shown_as(made_too: Mapping[str, int], vocabulary: Vocabulary) -> dict[str, str]:
    """Returns what added tokens that merges make decode to, where that is not their own text."""
    piece_of = dict(zip(vocabulary.id_of, pieces_of(vocabulary), strict=True))
    shown_as = {name: text_of(piece_of[number]) for name, number in made_too.items()}
    return {name: text for name, text in shown_as.items() if text is not None and text != name}


def flags_of(
    added: Iterable[Mapping[str, Any]], special: Mapping[str, int]
) -> dict[str, list[str]]:
    """Returns how special tokens are found in a text, of entries as in `added_tokens`."""
    flags: dict[str, list[str]] = {}
    for entry in added:
        found = [flag for flag in _FOUND if entry.get(flag)]
        if not entry.get("special"):
            found.append("added")
        if found and entry["content"] in special:
            flags[entry["content"]] = found
    return flags


def _id(text: str, value: Any) -> int:
    if type(value) is not int or not 0 <= value < 2**31:
        raise InputError(
            f"the id of {text!r} is {value!r}, which is not a whole number from 0 to 2^31 - 1"
        )
    return value


def _score(text: str, value: Any) -> float:
    if type(value) not in (int, float) or not -sys.float_info.max <= value <= sys.float_info.max:
        raise InputError(f"the score of {text!r} is {value!r}, which is not a finite number")
    return float(value)


def _made(model: dict[str, Any]) -> set[str]:
    """Returns the tokens of a BPE model's merges, as they are spelled."""
    pairs = map(_sides, model.get("merges") or [])
    return {text for left, right in pairs for text in (left, right, left + right)}


def _sides(merge: Any) -> Sequence[str]:
    """Returns the two sides of a merge, which older files write with a space between."""
    sides: Sequence[str] = merge.split(" ") if isinstance(merge, str) else merge
    if len(sides) != 2:
        raise InputError(f"its merge {shown(' '.join(map(str, sides)))} does not have two parts")
    return sides


def _entries(
    vocab: Mapping[str, int], special: Mapping[str, int], spell: Spell = from_characters
) -> dict[bytes, int]:
    """Returns the pieces of a model and their ids, without special tokens and placeholders.

    What does not stand for bytes is left out: no text becomes it (`_others`).
    """
    pieces: dict[bytes, int] = {}
    for text, number in vocab.items():
        if text in special or FREE.fullmatch(text) or not text:
            continue
        if (piece := spell(text)) is not None:
            pieces[piece] = _id(text, number)
    return pieces


def _others(
    vocab: Mapping[str, int], special: Mapping[str, int], spell: Spell, remarks: list[str]
) -> dict[int, bytes]:
    """Returns the ids of pieces that do not stand for bytes, and what they decode to there."""
    texts = [t for t in vocab if t and t not in special and not FREE.fullmatch(t)]
    others = {_id(t, vocab[t]): t.encode() for t in texts if spell(t) is None}
    if others:
        first = next(iter(others.values())).decode()
        if len(others) == 1:
            what = f"1 token does not stand for bytes, {first!r}; it is unreachable, and its id"
            remarks.append(f"{what} only decodes")
        else:
            remarks.append(
                f"{len(others):,} tokens do not stand for bytes, such as {first!r}; they are "
                "unreachable, and their ids only decode"
            )
    return others


def _vocabulary(
    use: dict[str, Any], special: Mapping[str, int], pretokenizer: str | None, remarks: list[str]
) -> Vocabulary:
    pieces: dict[bytes, int] = use.pop("pieces")
    order: list[bytes] = use.pop("order", None) or sorted(pieces, key=pieces.__getitem__)
    tokens = [piece for piece in order if len(piece) > 1]
    singles = [pieces.get(bytes([byte]), -1) for byte in range(256)]
    if missing := singles.count(-1):
        remarks.append(f"{counted(missing, 'byte', 'has', 'have')} no id")
    ids = [*singles, *map(pieces.__getitem__, tokens)]
    scores: dict[bytes, float] | None = use.pop("scores", None)
    if scores is not None:
        use["scores"] = [scores[token] for token in tokens]
        use["symbol_scores"] = _given({p: s for p, s in scores.items() if len(p) == 1}, scores)
    return Vocabulary(
        tokens,
        pretokenizer=pretokenizer,
        ids=None if ids == list(range(len(ids))) else ids,
        special=special,
        **use,
    )


def _given(singles: dict[bytes, float], scores: Mapping[bytes, float]) -> dict[bytes, float]:
    """Returns the scores of symbols that are not the default, the lowest of all others − 10."""
    lowest = min(scores.values(), default=0.0)
    others = [score for score in scores.values() if score != lowest]
    if others and min(others) - 10 == lowest:
        return {symbol: score for symbol, score in singles.items() if score != lowest}
    return singles


def _merges(model: dict[str, Any], spell: Spell) -> list[tuple[bytes, bytes]]:
    """Returns the pairs that merge in a BPE model."""
    for key in ("continuing_subword_prefix", "dropout"):
        if model.get(key):
            raise InputError(f"its BPE model has {key} {model[key]!r}")
    merges: list[tuple[bytes, bytes]] = []
    spelled: dict[str, bytes | None] = {}  # most stand in many pairs
    for merge in model["merges"]:
        left, right = _sides(merge)
        for side in (left, right):
            if side not in spelled:
                spelled[side] = spell(side)
        a, b = spelled[left], spelled[right]
        if a is None or b is None:
            raise InputError(f"its merge {left!r} + {right!r} does not stand for bytes")
        merges.append((a, b))
    return merges


def _bpe(model: dict[str, Any], special: Mapping[str, int]) -> dict[str, Any]:
    suffix = model.get("end_of_word_suffix") or ""
    spell = read_ended(suffix)
    pieces = _entries(model["vocab"], special, spell)
    merges = _merges(model, spell)
    whole = bool(model.get("ignore_merges"))
    if not (merges or whole or suffix):
        return {"pieces": pieces, "rule": "single_symbols"}
    if suffix:
        if whole:
            raise InputError(f"its BPE model keeps whole words and ends them in {suffix}")
        return {"pieces": pieces, "rule": "merges", "merges": [*end_merges(pieces), *merges]}
    # where a special token among the entries would be a whole word, they are not looked up
    if whole or any(text in model["vocab"] for text in special):
        by_rank = _by_rank(merges, pieces)
        if by_rank is not None and (whole or _all_reached(merges, pieces)):
            return {"pieces": pieces, "rule": "merges", "order": by_rank}
        if whole:
            _refuse_unreached(last_merges(merges, pieces, bytes_of))
    return {"pieces": pieces, "rule": "merges", "merges": merges}


def _all_reached(merges: list[tuple[bytes, bytes]], pieces: Iterable[bytes]) -> bool:
    return None not in last_merges(merges, pieces, bytes_of).values()


def _character_bpe(
    model: dict[str, Any], pieces: dict[bytes, int], merges: list[tuple[bytes, bytes]]
) -> dict[str, Any]:
    if suffix := model.get("end_of_word_suffix"):
        raise InputError(f"its BPE model over text has an end_of_word_suffix, {suffix!r}")
    last = last_merges(merges, pieces, characters_of)
    made = {token: rank for token, rank in last.items() if rank is not None}
    if model.get("ignore_merges"):
        _refuse_unreached(last)
    if len(made) < len(last):
        return {"pieces": pieces, "rule": "character_merges", "merges": merges}
    # by rank; single characters need no merge and may stand anywhere
    order = sorted(pieces, key=lambda piece: (made.get(piece, len(merges)), pieces[piece]))
    return {"pieces": pieces, "rule": "character_merges", "order": order}


def _refuse_unreached(last: Mapping[bytes, int | None]) -> None:
    if odd := [token for token, rank in last.items() if rank is None]:
        raise InputError(
            "its BPE model keeps whole words (ignore_merges), and merging does not build "
            f"{len(odd)} of them, such as " + repr(odd[0].decode("utf-8", "backslashreplace"))
        )


def _by_rank(merges: list[tuple[bytes, bytes]], pieces: Mapping[bytes, int]) -> list[bytes] | None:
    """Returns the tokens by rank, if the merges are all ways to make each of two others."""
    groups = [(token, list(ways)) for token, ways in groupby(merges, lambda pair: b"".join(pair))]
    made = [token for token, _ in groups]
    if len(set(made)) != len(made):
        return None
    ways_of = dict(groups)
    lengths = set(map(len, pieces))
    for token in pieces:
        cuts = halves(token, lengths)
        ways = {(left, right) for left, right in cuts if left in pieces and right in pieces}
        if ways != set(ways_of.get(token, ())):
            return None
    order = sorted((token for token in pieces if len(token) > 1), key=pieces.__getitem__)
    if [token for token in order if token in ways_of] == made:
        return order
    # what no merge makes is only found as a whole word, at whatever rank
    return made + [token for token in order if token not in ways_of]


def _wordpiece(
    model: dict[str, Any], special: Mapping[str, int], remarks: list[str]
) -> dict[str, Any]:
    prefix = model.get("continuing_subword_prefix", "##")
    if prefix:
        raise InputError(
            f"its WordPiece model marks pieces inside a word with a prefix ({prefix}), so the same "
            "piece means different bytes at different places"
        )
    pieces = _entries(model["vocab"], special)
    remarks += _unknown_words(model, "byte")
    if all(bytes([byte]) in pieces for byte in range(256)):
        remarks.pop()
    return {"pieces": pieces, "rule": "longest_match"}


def _unknown_words(model: dict[str, Any], symbol: str) -> list[str]:
    """Returns remarks on words that are unknown to a WordPiece model."""
    limit = model.get("max_input_chars_per_word", 100)
    long = f"words of more than {limit} {symbol}s"
    lacking = f"words with a {symbol} without a token"
    return [
        f"{words} become unknown tokens in the library, but are split in partcover"
        for words in ((long, lacking) if limit < 2**31 else (lacking,))
    ]


def _words_of_text(data: dict[str, Any]) -> tuple[Vocabulary, list[str]]:
    """Reads a WordPiece model over text, as BERT's."""
    model = data["model"]
    special = _special(data, spelled=False)
    unk = model.get("unk_token", "[UNK]")
    if unk in model["vocab"]:
        special.setdefault(unk, _id(unk, model["vocab"][unk]))
    prefix = model.get("continuing_subword_prefix", "##")
    splitting = data.get("pre_tokenizer")
    mark = ""
    remarks = []
    if prefix:
        mark = free_mark(model["vocab"])
        splitting = mark_steps(splitting, mark)
        remarks.append(
            f"tokens that begin a word are marked with {mark}; the file marks tokens inside a "
            f"word with {prefix}"
        )
    unknown = unknown_words(model, special, bool(prefix))
    if unknown is None:
        remarks += _unknown_words(model, "character")
    pieces = _entries(model["vocab"], special, read_piece(mark, prefix))
    pretokenizer, _, more = read_splitting(splitting)
    remarks += more
    if prefix and pretokenizer and splitting:
        longest = None if unknown is None or unknown.longest is None else unknown.longest - 1
        inside = (piece.decode() for piece in pieces if not piece.startswith(mark.encode()))
        steps = inside_steps(splitting, mark, prefix, inside, longest)
        pretokenizer = Pretokenizer.from_steps(read_steps(steps)).name
    use = {"pieces": pieces, "rule": "longest_match", "unknown": unknown}
    return _vocabulary(use, special, pretokenizer or (None if more else "none"), remarks), remarks


def _unigram(model: dict[str, Any], special: Mapping[str, int]) -> dict[str, Any]:
    return _scored(
        _entries({text: place for place, (text, _) in enumerate(model["vocab"])}, special),
        model,
    )


def _scored(pieces: dict[bytes, int], model: dict[str, Any]) -> dict[str, Any]:
    scores = {piece: _score(*model["vocab"][place]) for piece, place in pieces.items()}
    values = set(scores.values())
    # equal sums of equal negative scores, term by term: fewer terms are always more
    if len(values) == 1 and min(values) < 0:
        return {"pieces": pieces, "rule": "shortest_path"}
    return {"pieces": pieces, "rule": "likelihood", "scores": scores}


def _pieces_of_text(
    data: dict[str, Any], kind: str, known: str | None
) -> tuple[Vocabulary, list[str]]:
    """Reads a model as sentencepiece makes it: pieces are text, with ▁ for a space.

    `known` is the pre-tokenizer, if it is known here.
    """
    model = data["model"]
    splitting = data.get("pre_tokenizer")
    if splitting is not None and known is None:
        raise InputError(
            f"its pre-tokenizer ({splitting.get('type')}) with pieces of text is not supported"
        )
    entries: dict[str, int] = (
        model["vocab"] if kind == "BPE" else {t: n for n, (t, _) in enumerate(model["vocab"])}
    )
    special = _special(data, spelled=False)
    unknown = _unknown(model, entries)
    spelled = model.get("byte_fallback") and sum(map(bool, map(_BYTE.fullmatch, entries)))
    if unknown is not None and spelled != 256:
        special.setdefault(unknown.token, _id(unknown.token, entries[unknown.token]))
    steps = marking_steps(data)
    marked = steps is not None or (splitting or {}).get("type") == "Metaspace"
    vocab: dict[str, int] = {}
    fallback: dict[str, int] = {}
    for text, place in entries.items():
        table = fallback if model.get("byte_fallback") and _BYTE.fullmatch(text) else vocab
        left_out = entries[unknown.token] == place if unknown else False
        if text in special or not (left_out or (marked and " " in text)):
            table[text] = place
    # a space is a space here where all text is one word there
    spaced = steps is not None and _MARK in vocab and _MARK not in special

    def spell(text: str) -> bytes:
        return (text.replace(_MARK, " ") if spaced else text).encode("utf-8")

    remarks: list[str] = []
    pieces = _entries(vocab, special, spell)
    if kind == "BPE":
        met = model
        if marked:  # no text has a space there
            met = {**model, "merges": [m for m in model["merges"] if not _has_space(m)]}
        use = _character_bpe(model, pieces, _merges(met, spell))
    else:
        listed = [as_read(_score(*entry)) for entry in model["vocab"]]
        scores = {piece: listed[place] for piece, place in pieces.items()}
        lowest = min(listed, default=0.0)
        use = {"pieces": pieces, "rule": "likelihood"}
        whole = steps is not None  # then sums are over a text, where that is understood
        alone = (
            {}
            if whole and lowest == min(scores.values(), default=0.0)
            else unknown_scores(lowest - 10)
        )
        use["scores"] = alone | scores
    others: dict[int, bytes] = {}
    for text, place in fallback.items():
        byte = bytes([int(text[3:5], 16)])
        if pieces.setdefault(byte, place) != place:  # a character that is a piece goes before
            others[_id(text, place)] = byte
    leaving = kind == "BPE" and not model.get("byte_fallback") and unknown is None and not steps
    if leaving and any(len(text) == 1 for text in vocab):
        leave = leave_others_out(text for text in vocab if len(text) == 1)
        both = [leave] if splitting is None else [splitting, leave]
        known = Pretokenizer.from_steps(
            read_steps({"type": "Sequence", "pretokenizers": both})
        ).name
        remarks.append("a character without a token is left out of the text, as in the library")
    elif spelled != 256 and unknown is None:
        remarks.append(
            "a character without a token becomes its bytes in partcover, and the unknown token "
            "in the library"
        )
    if model.get("ignore_merges") and fallback:
        remarks.append("in the library, a word such as <0x41> becomes that byte")
    if dropped := sum(" " in text for text in entries) if marked else 0:
        remarks.append(f"left out {counted(dropped, 'unreachable token')} with a space")
    normalizer, pretokenizer = _normalizer(data), known or "none"
    if steps is not None:
        if spaced:
            steps[-1] = {**steps[-1], "pattern": {"String": _MARK}, "content": " "}
        normalizer = Normalizer({"type": "Sequence", "normalizers": steps}).name
        pretokenizer = pretokenizer_of(list(vocab), _MARK) if spaced else "none"
        if kind != "BPE":
            use["sums"] = "text"  # the words here are none there
    use |= {"normalizer": normalizer, "unknown": None if spelled == 256 else unknown}
    use["decode_only"] = others
    return _vocabulary(use, special, pretokenizer, remarks), remarks


def _unknown(model: Mapping[str, Any], entries: Mapping[str, int]) -> Unknown | None:
    """Returns what a model over text has for characters that are no pieces."""
    if "unk_id" in model:
        names = [text for text, place in entries.items() if place == model["unk_id"]]
        return Unknown(names[0]) if names else None
    token = model.get("unk_token")
    if token is None or token not in entries:
        return None
    return Unknown(token, "run" if model.get("fuse_unk") else "character")


def _has_space(merge: Any) -> bool:
    """Returns whether a side of a merge has a space; older files have one between the two."""
    return type(merge) is not str and (" " in merge[0] or " " in merge[1])
