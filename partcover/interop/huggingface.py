"""Writes Hugging Face tokenizers: a folder for transformers, or one tokenizer.json.

Bytes are spelled by ByteLevel's 256 characters, so any bytes are a token.  A rule is expressed
by the model that cuts the same way:

shortest_path
    Unigram in which every piece has the score −1 and nothing is unknown.  Its Viterbi adds in
    float64, exact for such sums; at each end the earliest start wins, as here.
likelihood
    Unigram with the scores; symbols without one are given theirs.
longest_match
    WordPiece with an empty continuation prefix, every byte there and no limit on words.
merges
    BPE.  Where a vocabulary has no merges of its own, every way to make a token of two others
    stands as a merge at the token's rank, and ``ignore_merges`` looks up whole words first:
    tiktoken's merging.
character_merges
    BPE over text, not over ByteLevel's characters, with byte fallback: a character that is no piece
    is bytes from the start, so each one that a token is merged from has to be a token too.
single_symbols
    BPE without merges.

The ids of a Unigram model are places: ids that leave places free get entries that no text can
match, as they hold a space, which ByteLevel never writes.  In the other models too, where a special
token is to follow them: one whose id does not has to be an entry itself.
"""

from __future__ import annotations

import importlib.metadata
import json
import re
from collections.abc import Callable, Iterable, Sequence
from itertools import accumulate
from pathlib import Path
from typing import Any

from ..corpus import symbols as sym
from ..corpus.word_counts import WordCounts
from ..errors import InputError, MissingExtra
from ..runtime.files import write_atomic
from ..segmentation.segmentation import segment
from ..vocabulary.subset import only
from ..vocabulary.vocabulary import Vocabulary
from .byte_level import from_characters, to_characters
from .decimals import spell_number
from .format import Format, GivenUp, Nearest, Replay
from .huggingface_read import looks_like, read
from .merge_ranks import bytes_of, characters_of
from .replay import words_of
from .splitting import patterns, unmark, why_not, write_splitting

__all__ = ["HUGGINGFACE"]

# what no path may cross
_NEVER = -1e308
_MOST_FREE = 1 << 20
_FILE = "tokenizer.json"
_MERGING = ("merges", "character_merges")
_BYTE = re.compile(r"<0x([0-9A-F]{2})>")
# what the decoder of byte fallback takes for a byte
_DECODED = re.compile(r"<0x([0-9A-Fa-f]{2}|\+[0-9A-Fa-f])>")


def _adapt(vocabulary: Vocabulary) -> tuple[Vocabulary, list[GivenUp]]:
    lost = []
    if vocabulary.rule == "character_merges":
        spell = _speller(vocabulary)
        kept = [p for p, token in enumerate(_pieces(vocabulary)[256:]) if spell(token) is not None]
        if dropped := len(vocabulary) - len(kept):
            lost.append(
                GivenUp(
                    f"{dropped:,} tokens that cut a character or are named as a byte",
                    "pieces are text",
                    f"the other {len(kept):,} tokens",
                )
            )
            vocabulary = only(vocabulary, kept)
        if unmade := _unmade(vocabulary):
            lost.append(
                GivenUp(
                    f"{unmade:,} tokens that merge from characters that are no tokens",
                    "such a character is bytes from the start",
                    "these tokens never made",
                )
            )
    if reason := why_not(vocabulary.pretokenizer):
        lost.append(GivenUp(f"the pre-tokenizer {vocabulary.pretokenizer}", reason, "none"))
        vocabulary = vocabulary.with_(pretokenizer="none")
    if found := _found_in_text(vocabulary):
        how = "the longest match" if vocabulary.rule == "longest_match" else "whole words"
        lost.append(
            GivenUp(
                f"special tokens as text where their ids do not follow all others: {found}",
                f"they have to be tokens of its model, which finds {how}",
                "them as special tokens",
            )
        )
    return vocabulary, lost


def _speller(vocabulary: Vocabulary) -> Callable[[bytes], str | None]:
    """How pieces are spelled; None for one that cannot be."""
    return _as_text if vocabulary.rule == "character_merges" else to_characters


def _unmade(vocabulary: Vocabulary) -> int:
    """How many tokens that merging makes are made of characters that are no tokens."""
    tokens = {bytes(token) for token in vocabulary}  # type: ignore[arg-type]
    parts = {token: characters_of(token) for token in tokens}
    held = [
        token
        for token, part in parts.items()
        if len(part) > 1 and any(len(c) > 1 and c not in tokens for c in part)
    ]
    alone = WordCounts.from_words(held)
    return int((segment(alone, vocabulary).pieces == 1).sum()) if held else 0


def _as_text(piece: bytes) -> str | None:
    text = sym.text_of(piece)
    if text is None:
        return f"<0x{piece[0]:02X}>" if len(piece) == 1 else None
    return None if _DECODED.fullmatch(text) else text


def _from_text(piece: str) -> bytes:
    byte = _BYTE.fullmatch(piece)
    return bytes([int(byte[1], 16)]) if byte else piece.encode("utf-8")


def _ranked(vocabulary: Vocabulary) -> bool:
    return vocabulary.rule == "merges" and vocabulary.merges is None


def _found_in_text(vocabulary: Vocabulary) -> str:
    """The special tokens that the model would find in text, as entries of its own."""
    names = _spelled_inside(vocabulary)
    if vocabulary.rule != "longest_match" and not (names and _looks_up_words(vocabulary)):
        return ""
    return ", ".join(names[:4]) + (", …" if len(names) > 4 else "")


def _spelled_inside(vocabulary: Vocabulary) -> list[str]:
    """The special tokens that have to be entries of the model and may be in a word, or be one."""
    inside, _ = _places(vocabulary)
    spelled = [text for text in inside if to_characters(text.encode()) == text]
    if vocabulary.rule == "longest_match":
        return [t for t in spelled if any(t in word for word in words_of(t, vocabulary))]
    return [text for text in spelled if text in words_of(text, vocabulary)]


def _looks_up_words(vocabulary: Vocabulary) -> bool:
    """Whether BPE is told to look up whole words first, as merging by rank does.

    A special token among its entries would be found too; and words need not be looked up where
    each token merges from its own bytes.
    """
    if not _ranked(vocabulary) or not _spelled_inside(vocabulary):
        return _ranked(vocabulary)
    alone = WordCounts.from_words(vocabulary.tokens)
    pairs = vocabulary.with_(merges=_splits(vocabulary))
    return not bool((segment(alone, pairs).pieces == 1).all())


def _places(vocabulary: Vocabulary) -> tuple[dict[str, int], list[int]]:
    """Special tokens that have to be entries of the model, and ids to fill for the others.

    The library numbers those that are no entries one by one, from the size of the model on.
    """
    numbers = {number for number in vocabulary.id_of if number >= 0}
    inside = dict(vocabulary.special)
    first = last = max([*inside.values(), *numbers], default=-1) + 1
    for text, number in sorted(inside.items(), key=lambda item: -item[1]):
        if number != first - 1 or last - len(numbers) > _MOST_FREE:
            break
        first = number
        del inside[text]
    taken = numbers | set(inside.values())
    return inside, sorted(set(range(first)) - taken) if first < last else []


def _write(vocabulary: Vocabulary, path: Path) -> list[str]:
    spell = _speller(vocabulary)
    characters = vocabulary.rule == "character_merges"
    vocab = {
        text: number
        for token, number in zip(_pieces(vocabulary), vocabulary.id_of, strict=True)
        if number >= 0 and (text := spell(token)) is not None
    }
    special = sorted(vocabulary.special.items(), key=lambda item: item[1])
    for text, _ in special:
        if text in vocab:
            raise InputError(f"special token {text!r} is spelled as a token: rename one of them")
    inside, free = _places(vocabulary)
    inside |= {f"<free {number}>": number for number in free}
    data = {
        "version": "1.0",
        "truncation": None,
        "padding": None,
        "added_tokens": [
            {
                "id": number,
                "content": text,
                "single_word": False,
                "lstrip": False,
                "rstrip": False,
                "normalized": False,
                "special": True,
            }
            for text, number in special
        ],
        "normalizer": None,
        "pre_tokenizer": write_splitting(vocabulary.pretokenizer, byte_level=not characters),
        "post_processor": None,
        "decoder": _decoder(vocabulary),
        "model": _model(vocabulary, vocab, inside),
    }
    content, inexact = _json(data)
    if path.suffix == ".json":
        write_atomic(path, content)
    else:
        path.mkdir()
        names = {"additional_special_tokens": [text for text, _ in special]} if special else {}
        settings = {
            # this class loads in transformers 4 and 5 alike
            "tokenizer_class": "PreTrainedTokenizerFast",
            "clean_up_tokenization_spaces": False,
            "model_max_length": int(1e30),
            **names,
        }
        write_atomic(path / _FILE, content)
        write_atomic(path / "tokenizer_config.json", json.dumps(settings, indent=1) + "\n")
        write_atomic(path / "special_tokens_map.json", json.dumps(names, indent=1) + "\n")
    remarks = list(_remarks(vocabulary))
    if inexact:
        remarks.append(
            f"{inexact} scores come out of the library's JSON reader otherwise in the last bit"
        )
    return remarks


def _json(data: dict[str, Any]) -> tuple[str, int]:
    """The content of the file, and how many scores the library reads inexactly."""
    if data["model"]["type"] != "Unigram":
        return json.dumps(data, ensure_ascii=False, indent=1) + "\n", 0
    pairs: list[tuple[str, float]] = data["model"]["vocab"]
    vocab = [(json.dumps(t, ensure_ascii=False), *spell_number(score)) for t, score in pairs]
    lines = ",\n   ".join(f"[{text}, {number}]" for text, number, _ in vocab)
    data["model"]["vocab"] = []
    content = json.dumps(data, ensure_ascii=False, indent=1)
    before, key, after = content.rpartition('"vocab": []')  # the model stands last
    return f"{before}{key[:-1]}\n   {lines}\n  ]{after}\n", sum(not ok for *_, ok in vocab)


def _remarks(vocabulary: Vocabulary) -> Iterable[str]:
    for mark in (mark for _, mark in patterns(vocabulary.pretokenizer) if mark):
        yield f"a {mark} that stands in a text is read there as the mark of a space"
    for name in vocabulary.special:
        spelled: bytes | None  # as its decoder takes every token
        if vocabulary.rule == "character_merges":
            byte = _DECODED.fullmatch(name)
            spelled = bytes([int(byte[1], 16)]) if byte else None
        else:
            spelled = from_characters(name)
        if spelled is not None and spelled != name.encode():
            shown = spelled.decode("utf-8", "replace")
            yield f"the special token {name!r} is decoded there as {shown!r}"
    if vocabulary.rule != "likelihood" and vocabulary.scores is not None:
        yield f"the scores are left out: the rule {vocabulary.rule} does not use them"
    if vocabulary.rule not in _MERGING and vocabulary.merges is not None:
        yield f"the merges are left out: the rule {vocabulary.rule} does not use them"
    if missing := sum(number < 0 for number in vocabulary.id_of[:256]):
        yield f"{missing} bytes have no id: no text that holds one can be given to it"


def _pieces(vocabulary: Vocabulary) -> list[bytes]:
    tokens: Sequence[Any] = vocabulary.tokens
    return [*(bytes([byte]) for byte in range(256)), *tokens]


def _decoder(vocabulary: Vocabulary) -> dict[str, Any]:
    spelled: list[dict[str, Any]] = [
        {"type": "ByteLevel", "add_prefix_space": True, "trim_offsets": True, "use_regex": True}
    ]
    if vocabulary.rule == "character_merges":
        spelled = [{"type": "ByteFallback"}, {"type": "Fuse"}]
    steps = [*spelled, *unmark(vocabulary.pretokenizer)]
    return {"type": "Sequence", "decoders": steps} if len(steps) > 1 else steps[0]


def _model(vocabulary: Vocabulary, vocab: dict[str, int], inside: dict[str, int]) -> dict[str, Any]:
    if vocabulary.rule in ("shortest_path", "likelihood"):
        return _unigram(vocabulary, vocab, inside)
    entries = dict(sorted({**vocab, **inside}.items(), key=lambda item: item[1]))
    if vocabulary.rule == "longest_match":
        return {
            "type": "WordPiece",
            "unk_token": "[UNK]",  # has to be named; with every byte there, nothing is unknown
            "continuing_subword_prefix": "",
            "max_input_chars_per_word": 2**63 - 1,
            "vocab": entries,
        }
    spell = _speller(vocabulary)
    pairs: Iterable[tuple[Any, Any]] = ()
    if vocabulary.rule in _MERGING:
        pairs = _splits(vocabulary) if vocabulary.merges is None else vocabulary.merges
    if vocabulary.rule == "character_merges":  # which pairs of parts of characters are none of
        pairs = [pair for pair in pairs if None not in map(sym.text_of, pair)]
    for part in (part for pair in pairs for part in pair if spell(part) not in vocab):
        raise InputError(f"{sym.show(part)!r} has no id, and merges need it")
    return {
        "type": "BPE",
        "dropout": None,
        "unk_token": None,
        "continuing_subword_prefix": None,
        "end_of_word_suffix": None,
        "fuse_unk": False,
        "byte_fallback": vocabulary.rule == "character_merges",
        "ignore_merges": _looks_up_words(vocabulary),
        "vocab": entries,
        "merges": [(spell(left), spell(right)) for left, right in pairs],
    }


def _splits(vocabulary: Vocabulary) -> list[tuple[bytes, bytes]]:
    """Every way to make each token of two others or bytes, token after token."""
    rank = {token: place for place, token in enumerate(_pieces(vocabulary))}
    parts_of = characters_of if vocabulary.rule == "character_merges" else bytes_of
    tokens: Sequence[Any] = vocabulary.tokens
    splits: list[tuple[bytes, bytes]] = []
    for token in tokens:
        borders = list(accumulate(map(len, parts_of(token))))[:-1]
        cuts = ((token[:i], token[i:]) for i in borders)
        ways = [(a, b) for a, b in cuts if a in rank and b in rank]
        splits += sorted(ways, key=lambda way: (rank[way[0]], rank[way[1]]))
    return splits


def _unigram(
    vocabulary: Vocabulary, vocab: dict[str, int], inside: dict[str, int]
) -> dict[str, Any]:
    scores: dict[str, float] = dict.fromkeys(vocab, -1.0)
    if vocabulary.rule == "likelihood":
        given: dict[Any, float] = {**vocabulary.symbol_scores}
        given.update(zip(vocabulary.tokens, vocabulary.scores or (), strict=True))
        least = min(given.values(), default=0.0) - 10
        scores = {
            to_characters(piece): given.get(piece, least)
            for piece in _pieces(vocabulary)
            if to_characters(piece) in vocab
        }
    places = {number: (text, _NEVER) for text, number in inside.items()}
    places.update({number: (text, scores[text]) for text, number in vocab.items()})
    size = max(places, default=-1) + 1
    if size - len(places) > _MOST_FREE:
        raise InputError(
            f"the ids leave {size - len(places):,} of {size:,} places free, and ids of a Unigram "
            "model are places: renumber them"
        )
    return {
        "type": "Unigram",
        "unk_id": None,
        "byte_fallback": False,
        "vocab": [places.get(place, (f"<free {place}>", _NEVER)) for place in range(size)],
    }


def _replay(path: Path) -> Replay:
    try:
        from tokenizers import Tokenizer
    except ImportError:
        raise MissingExtra("tokenizers", "huggingface", "this format") from None
    tokenizer = Tokenizer.from_file(str(path / _FILE if path.is_dir() else path))
    tokenizer.encode_special_tokens = True  # a text is text, whatever it spells
    model = tokenizer.model
    ids = tokenizer.get_vocab()
    over_text = getattr(model, "byte_fallback", False)  # as ``character_merges`` is written

    def spelled(piece: str) -> bytes:
        token = _from_text(piece) if over_text else from_characters(piece)
        return piece.encode("utf-8") if token is None else token

    def word(word: bytes) -> list[bytes] | None:
        try:
            text = word.decode("utf-8") if over_text else to_characters(word)
            return [spelled(token.value) for token in model.tokenize(text)]
        except Exception:  # not UTF-8; or the library's own type, at a byte without an id
            return None

    return Replay(
        f"tokenizers {importlib.metadata.version('tokenizers')}",
        lambda words: [word(one) for one in words],
        lambda text: [spelled(piece) for piece in tokenizer.encode(text).tokens],
        lambda token: ids.get((_as_text if over_text else to_characters)(token) or ""),
        ids.get,
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
        "likelihood": "Unigram",
        "single_symbols": "BPE without merges",
    },
    write=_write,
    replay=_replay,
    read=read,
    recognises=looks_like,
    adapt=_adapt,
)
