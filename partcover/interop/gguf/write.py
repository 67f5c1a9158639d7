"""Writes the vocabulary of a GGUF file: a new one, or with the keys of the one it came from."""

from __future__ import annotations

import base64
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np

from ...corpus import symbols as sym
from ...corpus.normalizers.normalizer import Normalizer
from ...corpus.pretokenizers.byte_spelling import spelled_bytes
from ...corpus.pretokenizers.steps.read import read_steps
from ...corpus.word_counts import WordCounts
from ...errors import InputError
from ...segmentation.segmentation import segment
from ...vocabulary.vocabulary import Vocabulary
from ..byte_level import from_characters, pieces_of
from ..huggingface.word_pieces import mark_steps, word_mark
from ..huggingface.writing.model import all_merges
from ..sentencepiece.around import own_spec
from ..sentencepiece.pieces import MARK
from ..sentencepiece.proto import BYTE, CONTROL, NORMAL, UNKNOWN, UNUSED, USER_DEFINED
from ..sentencepiece.write import Piece, pieces_by_id
from .bert import flags_of
from .container import Value, write_keys
from .origin import kept_keys, numbers_of, origin_in
from .read import found_otherwise
from .rwkv_spelling import spelled
from .splits import NEAREST, SPLITS, name_of_split

_PRE = "tokenizer.ggml."
_MAX_FREE = 100_000  # ids without a token
_FREE_SCORE = -1000.0
_ARCHITECTURES = {"rwkv": "rwkv6"}  # of the others, the model's name
_Speller: TypeAlias = Callable[[bytes], str]
_ROLES = {"[CLS]": "cls", "[SEP]": "seperator", "[PAD]": "padding", "[MASK]": "mask"}


def write(vocabulary: Vocabulary, path: Path) -> list[str]:
    """Writes a file and returns remarks.

    Raises
    ------
    InputError
        If a token cannot be spelled as llama.cpp needs it, two are spelled alike, the ids leave
        too many free, or what was kept is damaged.
    """
    origin, remarks = origin_in(vocabulary)
    try:
        return remarks + _write(vocabulary, origin, path)
    except InputError:
        raise
    except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError) as error:
        if origin is None:
            raise
        raise InputError(
            f"the parts of its GGUF file that are stored in the vocabulary are damaged ({error!r})"
        ) from None


def _write(vocabulary: Vocabulary, origin: dict[str, Any] | None, path: Path) -> list[str]:
    remarks = []
    keys = _new_keys(vocabulary) if origin is None else kept_keys(origin)
    model = _text(keys[f"{_PRE}model"]) if origin else model_of(vocabulary)
    pre = _text(keys.get(f"{_PRE}pre")) or "default"
    raw = model in ("llama", "gemma4") or (pre in SPLITS and not SPLITS[pre].spelled)
    own = _own_speller(vocabulary, origin) if raw and origin is not None else None
    placed = _placed(vocabulary, model, own)
    if origin is not None:
        placed = _as_before(placed, vocabulary, origin, model)
    entries = _filled(placed)
    texts = [text for text, _, _ in entries]
    number_of = {text: number for number, text in enumerate(texts)}
    if len(number_of) < len(texts):
        twice = next(text for number, text in enumerate(texts) if number_of[text] != number)
        raise InputError(f"two tokens are both spelled {twice!r}: rename one of them")
    lists: dict[str, Value] = {
        f"{_PRE}tokens": Value.of(text.encode() for text in texts),
        f"{_PRE}token_type": Value.of(np.array([kind for _, _, kind in entries], "<i4")),
    }
    if model in ("llama", "t5") or (origin is not None and "score" in origin):
        lists[f"{_PRE}scores"] = Value.of(np.array([score for _, score, _ in entries], "<f4"))
    if model in ("gpt2", "gemma4"):
        spell = own or spelled_bytes
        pairs: Sequence[Any] = ()
        if vocabulary.rule != "single_symbols":
            pairs = all_merges(vocabulary) if vocabulary.merges is None else vocabulary.merges
        merges = [f"{spell(bytes(a))} {spell(bytes(b))}".encode() for a, b in pairs]
        lists[f"{_PRE}merges"] = Value.of(merges)
    if origin is not None:
        remarks += numbers_of(origin, keys, number_of)
        if lost := [name for name, value in keys.items() if value is None and name not in lists]:
            remarks.append(
                f"{', '.join(lost)}: left out, because the model {model} has no use for it"
            )
    done = {
        name: given for name, value in keys.items() if (given := lists.get(name, value)) is not None
    }
    done |= {name: lists[name] for name in lists if name not in done}
    write_keys(path, done)
    if left := vocabulary.decode_only.keys() - placed.keys():
        remarks.append(f"left out {len(left):,} ids that no text is encoded to")
    remarks += _remarks(vocabulary, model, origin, len(entries) - len(placed))
    return [*remarks, *found_otherwise(done, vocabulary)]


def _as_before(
    placed: Mapping[int, Piece], vocabulary: Vocabulary, origin: Mapping[str, Any], model: str
) -> dict[int, Piece]:
    """Returns entries with the types and scores that they had, and unused ones where they were."""
    types, scores = origin.get("types", {}), origin.get("scores", {})
    usual = origin.get("score", 0.0)
    found: dict[int, Piece] = {}
    for number, (text, score, kind) in placed.items():
        if model != "t5" or text in scores:
            score = scores.get(text, score if model == "t5" else usual)
        found[number] = (text, score, types.get(text, kind))
    if model == "llama":
        _rank(found, placed, vocabulary, scores)
    size = max(found) + 1
    for each, text in origin.get("free", {}).items():
        number = int(each)
        if number <= size and number not in found:
            found[number] = (text, scores.get(text, usual), types.get(text, NORMAL))
            size = max(size, number + 1)
    return found


def _rank(
    found: dict[int, Piece],
    placed: Mapping[int, Piece],
    vocabulary: Vocabulary,
    scores: Mapping[str, float],
) -> None:
    """Gives new tokens scores below all others, or all their ranks where that is another order."""
    lowest = min((found[number][1] for number in vocabulary.id_of if number >= 0), default=0.0)
    order = []
    for number in vocabulary.id_of[256:]:
        text, score, kind = found[number]
        if kind == NORMAL and text not in scores:
            score = lowest = np.floor(lowest) - 1
            found[number] = (text, float(score), kind)
        order.append((-score, number))
    if order != sorted(order):
        found |= {
            number: (text, score, found[number][2]) for number, (text, score, _) in placed.items()
        }


def _text(value: Value | None) -> str:
    content = None if value is None else value.content
    return content.decode("utf-8", "replace") if isinstance(content, bytes) else ""


def model_of(vocabulary: Vocabulary) -> str:
    """Returns the name of llama.cpp's model that segments by the vocabulary's rule."""
    if vocabulary.rule == "character_merges":
        return "llama"
    if vocabulary.rule in ("likelihood", "shortest_path"):
        return "t5"
    if vocabulary.rule == "longest_match":
        return "rwkv" if bert_of(vocabulary) is None else "bert"
    return "gpt2"


def split_of(vocabulary: Vocabulary) -> tuple[str | None, bool]:
    """Returns what llama.cpp calls the vocabulary's pre-tokenizer, and whether it is the same.

    None where it has none that is near.
    """
    name, ways = vocabulary.pretokenizer, []
    if _may_split(vocabulary):
        ways.append(False)
    if vocabulary.merges is None and vocabulary.rule != "single_symbols":
        ways.append(True)
    for whole in ways:
        if (found := name_of_split(name, whole=whole)) is not None:
            return found, True
    near = NEAREST.get(name or "")
    return near if near is not None and SPLITS[near].whole in ways else None, False


def _may_split(vocabulary: Vocabulary) -> bool:
    """Returns whether whole words need not be looked up: all tokens merge from their bytes."""
    if vocabulary.rule != "merges" or vocabulary.merges is not None:
        return True
    alone = WordCounts.from_words(vocabulary.tokens)
    pairs = vocabulary.with_(merges=all_merges(vocabulary))
    return bool((segment(alone, pairs).pieces == 1).all())


def bert_of(vocabulary: Vocabulary) -> tuple[bool, bool] | None:
    """Returns whether llama.cpp's BERT lowercases and strips accents, or None for other splits."""
    mark, normal = word_mark(vocabulary), Normalizer.of(vocabulary.normalizer)
    if mark is None or normal is None or vocabulary.unknown is None:
        return None
    expected = read_steps(mark_steps({"type": "BertPreTokenizer"}, mark)).name
    return flags_of(normal) if vocabulary.pretokenizer == expected else None


def _new_keys(vocabulary: Vocabulary) -> dict[str, Value | None]:
    """Returns the keys of a file for a vocabulary that came from none."""
    model = model_of(vocabulary)
    keys: dict[str, Any] = {
        "general.architecture": _ARCHITECTURES.get(model, model),
        f"{_PRE}model": model,
    }
    if model == "gpt2":
        keys[f"{_PRE}pre"] = split_of(vocabulary)[0]
    if model in ("llama", "t5"):
        spec = own_spec(vocabulary) or {"add_dummy_prefix": False}
        keys[f"{_PRE}pre"] = "default"
        keys[f"{_PRE}add_space_prefix"] = bool(spec["add_dummy_prefix"])
        if model == "t5":
            keys[f"{_PRE}remove_extra_whitespaces"] = bool(spec.get("remove_extra_whitespaces"))
            if charsmap := base64.b64decode(spec.get("precompiled_charsmap", "")):
                keys[f"{_PRE}precompiled_charsmap"] = np.frombuffer(charsmap, "<i1")
    if model == "bert" and (bert := bert_of(vocabulary)) is not None:
        keys[f"{_PRE}normalizer.lowercase"], keys[f"{_PRE}normalizer.strip_accents"] = bert
        for text, role in _ROLES.items():
            if text in vocabulary.special:
                keys[f"{_PRE}{role}_token_id"] = vocabulary.special[text]
    if vocabulary.unknown is not None:
        keys[f"{_PRE}unknown_token_id"] = vocabulary.special[vocabulary.unknown.token]
    # llama.cpp puts tokens around a text unless it is told
    keys |= {f"{_PRE}add_bos_token": False, f"{_PRE}add_eos_token": False}
    return {name: Value.of(content) for name, content in keys.items()}


def _placed(vocabulary: Vocabulary, model: str, own: _Speller | None) -> dict[int, Piece]:
    """Returns the spelling, score and type of each id; `own` spells as in a file of text."""
    if model in ("llama", "t5"):
        return _sentencepieces(vocabulary, own)
    # what was read of a file has its mark
    mark = word_mark(vocabulary) or MARK
    spell = {
        "bert": lambda piece: _bert_spelled(piece, mark),
        "rwkv": spelled,
    }.get(model, own or spelled_bytes)
    placed: dict[int, Piece] = {}
    for piece, number in zip(pieces_of(vocabulary), vocabulary.id_of, strict=True):
        if number >= 0:
            text = spell(piece)
            byte = own and len(text) > 1 and len(piece) == 1
            placed[number] = (text, 0.0, BYTE if byte else NORMAL)
    for number, content in vocabulary.decode_only.items():
        other = sym.text_of(content)
        if own and len(content) == 1:
            placed[number] = (f"<0x{content[0]:02X}>", 0.0, BYTE)
        elif model == "gpt2" and not own and other and from_characters(other) is None:
            placed[number] = (other, 0.0, NORMAL)  # no text is encoded to it
    return placed | _special(vocabulary)


def _special(vocabulary: Vocabulary) -> dict[int, Piece]:
    unknown = None if vocabulary.unknown is None else vocabulary.unknown.token
    placed: dict[int, Piece] = {}
    for text, number in vocabulary.special.items():
        added = "added" in vocabulary.special_flags.get(text, ())
        kind = UNKNOWN if text == unknown else USER_DEFINED if added else CONTROL
        placed[number] = (text, 0.0, kind)
    return placed


def _bert_spelled(piece: bytes, mark: str) -> str:
    text = sym.text_of(piece)
    if text is None:
        raise InputError(f"the token {sym.show(piece)!r} is not text, which BERT's format needs")
    return text.replace(mark, MARK)


def _own_speller(vocabulary: Vocabulary, origin: Mapping[str, Any]) -> _Speller:
    """Returns the function that spells a piece as text, and a byte as in the file, maybe <0xHH>."""
    types, beside = origin.get("types", {}), set(vocabulary.decode_only.values())

    def spell(piece: bytes) -> str:
        text, byte = sym.text_of(piece), f"<0x{piece[0]:02X}>"
        if len(piece) == 1 and (text is None or (byte in types and piece not in beside)):
            return byte
        if text is None:
            raise InputError(f"the token {sym.show(piece)!r} is not text, which pieces must be")
        return text

    return spell


def _sentencepieces(vocabulary: Vocabulary, own: _Speller | None) -> dict[int, Piece]:
    """Returns the pieces as sentencepiece spells them, with ▁ for a space."""
    placed, added, _ = pieces_by_id(vocabulary)
    byte_pieces = []
    if own is not None:
        for byte, number in enumerate(vocabulary.id_of[:256]):
            if number >= 0:
                text = own(bytes([byte]))
                placed[number] = (text, 0.0, NORMAL if len(text) == 1 else BYTE)
    elif vocabulary.unknown is None:
        byte_pieces = [piece for piece in added if piece[2] == BYTE]
    last = max(placed) + 1
    placed |= {last + place: piece for place, piece in enumerate(byte_pieces)}
    spelled_ = {}
    special = _special(vocabulary)
    for number, (text, score, kind) in placed.items():
        if number in special:
            spelled_[number] = (special[number][0], 0.0, special[number][2])
        else:
            spelled_[number] = (text.replace(" ", MARK), score, kind)
    return spelled_


def _filled(placed: Mapping[int, Piece]) -> list[Piece]:
    """Returns the entries by id, with unused ones where there is none."""
    size = max(placed) + 1
    if size - len(placed) > _MAX_FREE:
        raise InputError(
            f"{size - len(placed):,} of {size:,} ids are unused, but ids of a GGUF file must have "
            "no gaps: renumber them"
        )
    names = {text for text, _, _ in placed.values()}
    entries = []
    for number in range(size):
        if number in placed:
            entries.append(placed[number])
            continue
        name = f"[PAD{number}]"
        while name in names:
            name = f"[{name}]"
        entries.append((name, _FREE_SCORE, UNUSED))
    return entries


def _tied(vocabulary: Vocabulary, origin: Mapping[str, Any]) -> int:
    """Counts the tokens that keep the score of another."""
    given = origin.get("scores", {})
    texts = (sym.text_of(token) or "" for token in pieces_of(vocabulary)[256:])
    scores = [given[t] for text in texts if (t := text.replace(" ", MARK)) in given]
    return len(scores) - len(set(scores))


def _remarks(
    vocabulary: Vocabulary, model: str, origin: Mapping[str, Any] | None, n_free: int
) -> list[str]:
    remarks = ["replayed by reading the file back: llama.cpp itself is not called"]
    if origin is not None and origin.get("tensors"):
        remarks.append(
            f"only keys are written, not the {origin['tensors']:,} tensors of the file; tensors "
            "with a row for each token must be changed to fit the new ids"
        )
    if n_free:
        remarks.append(f"{n_free:,} unused ids became unused tokens")
    if model == "llama" and origin is not None and (tied := _tied(vocabulary, origin)):
        remarks.append(
            f"{tied:,} tokens have equal scores, as in the original file: llama.cpp merges the "
            "leftmost of them first, partcover the first in the file"
        )
    if model == "llama" and origin is None:
        remarks.append("scores are the ranks of the tokens")
    elif origin is None and vocabulary.scores is not None and model == "t5":
        added = ", and added up in 64" if vocabulary.sums == "text32" else ""
        remarks.append(f"scores are rounded to 32 bits{added}")
    if model in ("llama", "t5") and vocabulary.normalizer is None:
        remarks.append(f"llama.cpp reads {MARK} in a text as a space")
    if origin is None:
        remarks.append(
            "no roles of special tokens (bos, eos) are written, so llama.cpp uses its defaults"
        )
    return remarks
