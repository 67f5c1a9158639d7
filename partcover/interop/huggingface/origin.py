"""Keeps what else a tokenizer's files hold, so that a changed vocabulary can be written back.

What reading finds is a part of the vocabulary's provenance: the text of the tokenizer.json without
most pieces and merges (`layout`), how its pieces are spelled, and the texts of the files beside it.
A vocabulary that was made of it, by `extend` or `prune`, carries it on.  Writing puts the new
pieces, merges and added tokens in, and their ids wherever the rest names them; all else stays as it
was, to the byte.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any

from ...corpus import symbols as sym
from ...corpus.pretokenizers.byte_spelling import spelled_bytes
from ...corpus.pretokenizers.rules import rule_names
from ...corpus.pretokenizers.steps.read import leaving_out
from ...errors import InputError
from ...runtime.files.writing import write_atomic
from ...vocabulary.vocabulary import Vocabulary
from ..byte_level import pieces_of
from ..end_of_word import END, merges_inside
from ..merge_ranks import pairs_are_needless
from ..origin import kept_origin
from ..splitting import steps_of
from ..whole_texts import marking_steps
from .decimals import as_read
from .layout import escapes, kept, parsed, rewritten
from .model import FREE, MAX_FREE, all_merges, place_special, unigram_entries
from .word_pieces import PREFIX, free_mark, spell_piece, without_prefix

_CONFIG = "tokenizer_config.json"
_KEPT = (_CONFIG, "special_tokens_map.json", "chat_template.jinja", "chat_template.json")
# what tokenizer.json holds too, for classes of transformers that do not read it
_REPLACED = ("vocab.json", "merges.txt", "vocab.txt", "added_tokens.json", "tokenizer.model")
_LARGEST = 1 << 20  # bytes of a file beside it that is kept
_MARK = "▁"
_BYTE = re.compile(r"<0x[0-9A-F]{2}>")
_NUMBER = re.compile(r"[0-9]{1,9}")
_OTHER_USE = (
    "other contents of its tokenizer.json are left out, because the vocabulary is used in "
    "another way than in that file"
)
_USE = ("rule", "pretokenizer", "normalizer")
_ROLES = ("bos", "eos", "unk", "sep", "pad", "cls", "mask")


def origin_of(
    data: Mapping[str, Any], text: str | None, vocabulary: Vocabulary, *, byte_level: bool
) -> dict[str, Any] | None:
    """Returns what a tokenizer.json holds besides, and how pieces are spelled; None if unknown.

    Parameters
    ----------
    data : dict
        The file.
    text : str, optional
        Its text, if it is UTF-8.
    vocabulary : Vocabulary
        What was read of it.
    byte_level : bool
        Whether its pieces are bytes, spelled as characters.
    """
    model = data["model"]
    vocab = model["vocab"]
    kind = model.get("type") or ("BPE" if "merges" in model else "Unigram")
    entries = vocab if isinstance(vocab, dict) else {t: n for n, (t, _) in enumerate(vocab)}
    added = {entry["content"] for entry in data.get("added_tokens") or []}
    spelling: dict[str, Any] = {"model": kind, "bytes": byte_level}
    # special tokens that are entries of the model, and those that are nothing else
    spelling["entries"] = sorted(entries.keys() & {*added, *vocabulary.special})
    spelling["not_added"] = sorted(entries.keys() & vocabulary.special.keys() - added)
    taken = {*vocabulary.id_of, *vocabulary.special.values(), *vocabulary.decode_only}
    spelling["unreached"] = {
        name: number
        for name, number in entries.items()
        if number not in taken and not FREE.fullmatch(name)
    }
    if kind == "BPE":
        spelling["joined"] = any(isinstance(merge, str) for merge in (model["merges"] or ())[:1])
        spelling["suffix"] = model.get("end_of_word_suffix") or ""
        if (name := model.get("unk_token")) in entries:
            spelling["unknown"] = [name, vocab[name]]
    if kind == "WordPiece" and not byte_level:
        prefix = model.get("continuing_subword_prefix", PREFIX)
        if prefix not in ("", PREFIX):
            return None
        spelling["mark"] = free_mark(entries) if prefix else ""
    elif not byte_level:
        texts = set(entries)
        bytes_there = [byte for byte in range(256) if f"<0x{byte:02X}>" in texts]
        spelling["fallback"] = bytes_there if model.get("byte_fallback") else []
        spelling["spaced"] = marking_steps(data) is not None and _MARK in entries
    if kind == "Unigram":
        if model.get("unk_id") is not None:
            spelling["unknown"] = [vocab[model["unk_id"]][0], model["unk_id"]]
        added.update(spelling["unreached"])
        added.update(str(name) for name in spelling.get("unknown", ()))
        spelling["scores"] = {
            text: score for text, score in vocab if text in added or _BYTE.fullmatch(text)
        }
    if text is None:
        text = json.dumps(data, ensure_ascii=False, indent=2)
    lists: dict[tuple[str, ...], Any] = {}
    if isinstance(vocab, dict):
        lists["model", "vocab"] = dict(sorted(vocab.items(), key=lambda item: item[1]))
    else:
        lists["model", "vocab"] = [[piece, as_read(float(score))] for piece, score in vocab]
    if kind == "BPE" and vocabulary.merges is not None:  # others are needed whole
        lists["model", "merges"] = model["merges"]
    escaped = escapes(text)
    short = kept(text, lists, escaped=escaped)
    return {"tokenizer": short, "escaped": escaped, "spelling": spelling}


def files_beside(file: Path, vocab: Any) -> dict[str, Any]:
    """Returns the texts of the files beside a tokenizer.json with these pieces.

    Settings may rename pieces, which are given by their ids.
    """
    texts = {name: read_small(file.parent / name) for name in _KEPT}
    found: dict[str, Any] = {"files": {n: text for n, text in texts.items() if text is not None}}
    if replaced := [name for name in _REPLACED if (file.parent / name).is_file()]:
        found["replaced"] = replaced
    try:
        config = parsed(texts[_CONFIG] or "{}")
    except (ValueError, RecursionError):
        config = None
    if not isinstance(config, dict):
        del found["files"][_CONFIG]
        return found
    ids = vocab
    if not isinstance(vocab, dict):
        ids = {text: number for number, (text, _) in enumerate(vocab)}
    piece_of = {str(number): text for text, number in ids.items()}
    found["renames"] = {
        number: piece_of[number]
        for number, entry in _mapping(config.get("added_tokens_decoder")).items()
        if isinstance(entry, dict) and number in piece_of
    }
    return found


def read_small(path: Path, largest: int = _LARGEST) -> str | None:
    """Returns the text of a file of at most so many bytes; None if there is none."""
    try:
        if not path.is_file() or path.stat().st_size > largest:
            return None
        # ends of lines as they are; the libraries do not read JSON with a byte order mark
        return path.read_bytes().decode("utf-8-sig" if path.suffix == ".json" else "utf-8")
    except (OSError, UnicodeDecodeError):
        return None


def _mapping(value: Any) -> Mapping[str, Any]:
    """Returns a JSON object, or an empty one for anything else."""
    return value if isinstance(value, Mapping) else {}


def tokenizer_in(vocabulary: Vocabulary) -> Mapping[str, Any]:
    """Returns a vocabulary's own tokenizer.json without most pieces; {} if it is not known."""
    origin = _kept(vocabulary)
    try:
        return {} if origin is None else _mapping(_content(origin["tokenizer"]))
    except (TypeError, ValueError, RecursionError):
        return {}  # damaged: writing it says so


@lru_cache(maxsize=4)
def _content(text: str) -> Any:
    return parsed(text)


def _settings(origin: Mapping[str, Any]) -> Mapping[str, Any]:
    """Returns the content of the settings beside a tokenizer.json."""
    return _mapping(_content(origin.get("files", {}).get(_CONFIG, "{}")))


def origin_in(vocabulary: Vocabulary) -> tuple[dict[str, Any] | None, list[str]]:
    """Returns what a vocabulary's files held besides, if it is still used so, and remarks."""
    given = _kept(vocabulary)
    if given is None:
        return None, []
    if given.get("use") != use_of(vocabulary):
        return None, [_OTHER_USE]
    return dict(given), []


def _kept(vocabulary: Vocabulary) -> Mapping[str, Any] | None:
    """Returns what a vocabulary's files held besides, however it is used; None if unknown."""
    given = kept_origin(vocabulary)
    return given if "tokenizer" in given else None


def settings_ids(vocabulary: Vocabulary) -> dict[str, int]:
    """Returns the tokens that only the settings beside a tokenizer.json name, with their ids.

    Examples
    --------
    >>> from partcover import Vocabulary
    >>> from partcover.interop.huggingface.origin import settings_ids
    >>> entries = '{"256": {"content": "<s>"}, "300": {"content": "<user>"}}'
    >>> files = {"tokenizer_config.json": f'{{"added_tokens_decoder": {entries}}}'}
    >>> origin = {"tokenizer": "{}", "files": files}
    >>> settings_ids(Vocabulary([], special=["<s>"], provenance={"origin": origin}))
    {'<user>': 300}
    """
    origin = _kept(vocabulary) or {}
    try:
        listed = _mapping(_settings(origin).get("added_tokens_decoder"))
        renamed = _mapping(origin.get("renames"))
    except (AttributeError, TypeError, ValueError, RecursionError):
        return {}  # damaged: writing it says so
    taken = {*vocabulary.id_of, *vocabulary.special.values(), *vocabulary.decode_only}
    found: dict[str, int] = {}
    for number, entry in listed.items():
        if not isinstance(entry, Mapping) or number in renamed or not _NUMBER.fullmatch(number):
            continue
        text = entry.get("content")
        if isinstance(text, str) and text and text not in vocabulary.special:
            found[text] = int(number)
    return {text: number for text, number in found.items() if number not in taken}


def needed_pieces(vocabulary: Vocabulary) -> list[sym.Token]:
    """Returns the tokens that the rest of its files names, though no text need have them.

    The template, the padding and the roles of tokens in the settings name some, and the settings
    may rename others.

    Examples
    --------
    >>> from partcover import Vocabulary
    >>> from partcover.interop.huggingface.origin import needed_pieces
    >>> rest = '{"post_processor": {"cls": ["<s>", 256]}, "padding": null}'
    >>> origin = {"tokenizer": rest, "spelling": {"bytes": True}}
    >>> needed_pieces(Vocabulary(["<s>", "th"], provenance={"origin": origin}))
    [b'<s>']
    """
    origin = _kept(vocabulary)
    if origin is None:
        return []
    try:
        rest = _content(origin["tokenizer"])
        named = _templated(rest.get("post_processor"))
        if isinstance(padding := rest.get("padding"), Mapping):
            named.add(padding["pad_token"])
        config = _settings(origin)
        for role in _ROLES:
            value = config.get(f"{role}_token")
            named.add(value.get("content") if isinstance(value, Mapping) else value)
        named.update(_mapping(origin.get("renames")).values())
        named -= {*vocabulary.special}
        spell = _speller(origin["spelling"], vocabulary)
        return [token for token in vocabulary.tokens if spell(token) in named]  # type: ignore[arg-type]
    except (AttributeError, KeyError, TypeError, ValueError, IndexError, RecursionError):
        return []  # damaged: writing it says so


def _templated(post_processor: Any) -> set[Any]:
    """Returns the tokens that a post-processor names."""
    named: set[Any] = set()
    for step in steps_of(post_processor, "processors"):
        named.update(step[key][0] for key in ("sep", "cls") if isinstance(step.get(key), list))
        if isinstance(tokens := step.get("special_tokens"), Mapping):
            named.update(token for entry in tokens.values() for token in entry["tokens"])
    return named


def use_of(vocabulary: Vocabulary) -> dict[str, Any]:
    """Returns what must not change if a vocabulary is to fit into the file that it came from."""
    unknown = vocabulary.unknown
    return {
        **{name: getattr(vocabulary, name) for name in _USE},
        # what depends on the pieces changes with them
        "pretokenizer": _without_pieces(vocabulary.pretokenizer),
        "unknown": None if unknown is None else unknown.to_json(),
    }


def _without_pieces(pretokenizer: str | None) -> str | None:
    """Returns the pre-tokenizer without the steps that depend on the pieces."""
    name = leaving_out(pretokenizer)
    return name if name is None or rule_names(name) else without_prefix(name)


def write_into(origin: Mapping[str, Any], vocabulary: Vocabulary, path: Path) -> list[str]:
    """Writes a vocabulary into the file that it came from, or a folder, and returns remarks.

    Raises
    ------
    InputError
        If a token cannot be spelled as its pieces are, or what was kept is damaged.
    """
    try:
        data, numbers = _filled(origin, vocabulary)
        content = rewritten(origin["tokenizer"], data, escaped=origin["escaped"])
        replaced = ", ".join(map(str, origin.get("replaced", ())))
        files = {name: str(text) for name, text in origin.get("files", {}).items()}
        config = _settings(origin)
        if listed := _mapping(config.get("added_tokens_decoder")):
            now = _listed(listed, _mapping(origin.get("renames")), numbers)
            changed = {**config, "added_tokens_decoder": now}
            files[_CONFIG] = rewritten(files[_CONFIG], changed, escaped=escapes(files[_CONFIG]))
    except InputError:
        raise
    except (AttributeError, LookupError, TypeError, ValueError, RecursionError) as error:
        raise InputError(
            "the parts of its tokenizer.json that are stored in the vocabulary are damaged "
            f"({error!r})"
        ) from None
    remarks = ["everything except tokens, merges, and added tokens is as in the original file"]
    if path.suffix == ".json":
        write_atomic(path, content)
        return remarks
    if replaced:
        remarks.append(f"left out {replaced}: tokenizer.json has the contents")
    path.mkdir()
    write_atomic(path / "tokenizer.json", content)
    for name in _KEPT:
        if name in files:
            write_atomic(path / name, files[name])
    return remarks


def _listed(
    listed: Mapping[str, Any], renames: Mapping[str, str], numbers: Mapping[str, int]
) -> dict[str, Any]:
    """Returns the entries of the settings under the ids that they have now.

    What only the settings name keeps its id, or that of the piece that it renames.
    """
    taken = {str(number) for number in numbers.values()}
    there: dict[str, Any] = {}
    for before, entry in listed.items():
        names = [_mapping(entry).get("content"), renames.get(before)]
        known = [str(numbers[name]) for name in names if isinstance(name, str) and name in numbers]
        if known or before not in taken:
            there[known[0] if known else before] = entry
    if there == listed:
        return dict(listed)
    return {number: there[number] for number in sorted(there, key=lambda n: (len(n), n))}


def added_entry(vocabulary: Vocabulary, text: str) -> dict[str, Any]:
    """Returns a special token as files list it, without its id."""
    flags: Iterable[str] = vocabulary.special_flags.get(text, ())
    found = {flag: flag in flags for flag in ("single_word", "lstrip", "rstrip", "normalized")}
    return {"content": text, **found, "special": "added" not in flags}


def _filled(
    origin: Mapping[str, Any], vocabulary: Vocabulary
) -> tuple[dict[str, Any], dict[str, int]]:
    """Returns the content of the tokenizer.json, and the ids of all that it names."""
    data, spelling = dict(_content(origin["tokenizer"])), origin["spelling"]
    spell = _speller(spelling, vocabulary)
    vocab: dict[str, int] = {}
    for piece, number in zip(pieces_of(vocabulary), vocabulary.id_of, strict=True):
        if number >= 0:
            text = spell(piece)
            if text is None or text in vocab:
                raise InputError(f"the token {sym.show(piece)!r} cannot be spelled as its pieces")
            vocab[text] = number
    special = sorted(vocabulary.special.items(), key=lambda item: item[1])
    if clash := next((text for text, n in special if vocab.get(text, n) != n), None):
        raise InputError(
            f"a token and a special token are both spelled {clash!r}: rename one of them"
        )
    others = _others(spelling, vocabulary)
    inside, free = place_special(vocabulary, others, spelling["entries"])
    pieces = max([*vocab.values(), *inside.values()], default=-1)
    taken = {*vocab.values(), *inside.values(), *vocabulary.special.values()}
    for text, n in spelling["unreached"].items():
        if n < pieces and n not in taken and text not in vocab:
            inside.setdefault(text, n)
    free = sorted({*free} - {*inside.values()})
    named = {text: n for text, n in settings_ids(vocabulary).items() if n < pieces}
    named = {text: n for text, n in named.items() if text not in {**vocab, **inside}}
    if named and pieces - len(vocab) <= MAX_FREE:
        # so that transformers adds them with these ids, and none behind gets one twice
        taken = {*vocab.values(), *inside.values(), *vocabulary.special.values(), *named.values()}
        inside |= named
        free = sorted({*free, *range(pieces)} - taken)
    inside |= {f"<free {number}>": number for number in free}
    listed = {t: n for t, n in vocabulary.special.items() if t not in spelling["not_added"]}
    if (added := _added(data.get("added_tokens") or [], listed, vocabulary)) or data.get(
        "added_tokens"
    ):
        data["added_tokens"] = added
    data["model"] = _model(dict(data["model"]), spelling, vocabulary, vocab, inside, spell)
    numbers = {**vocab, **inside, **dict(special)}
    if step := data.get("post_processor"):
        data["post_processor"] = _renumbered(step, numbers)
    if {"pad_token", "pad_id"} <= (padding := _mapping(data.get("padding"))).keys():
        data["padding"] = {**padding, "pad_id": _number(padding["pad_token"], numbers)}
    return data, numbers


def _added(
    before: list[dict[str, Any]], special: Mapping[str, int], vocabulary: Vocabulary
) -> list[dict[str, Any]]:
    """Returns the added tokens, in the order and with the keys of those that were there."""
    known = {entry["content"]: entry for entry in before}
    first = before[0] if before else {}
    added = []
    for text, number in sorted(special.items(), key=lambda item: item[1]):
        now = {"id": number, **added_entry(vocabulary, text)}
        old = known.get(text, {})
        order = old or {key: now[key] for key in first if key in now}
        added.append(order | {key: now[key] for key in now if key in order or now[key] or not old})
    there = {text: place for place, text in enumerate(known)}
    if all(entry == known.get(entry["content"], entry) for entry in added):  # the same ids
        added.sort(key=lambda entry: there.get(entry["content"], len(there)))
    return added


def _speller(spelling: Mapping[str, Any], vocabulary: Vocabulary) -> Callable[[bytes], str | None]:
    """Returns the function that spells a piece; None for one that cannot be spelled."""
    if spelling["bytes"]:
        suffix = spelling.get("suffix") or ""

        def spell_bytes(piece: bytes) -> str:
            if suffix and len(piece) > 1 and piece.endswith(END):
                return spelled_bytes(piece[:-1]) + str(suffix)
            return spelled_bytes(piece)

        return spell_bytes
    if spelling["model"] == "WordPiece":
        mark = spelling["mark"]
        return spell_piece(mark) if mark else sym.text_of
    # of a byte whose character is a piece, the character has its id
    whole = {text for text in vocabulary.decode_only.values() if len(text) == 1}
    fallback, spaced = set(spelling["fallback"]), spelling["spaced"]

    def spell(piece: bytes) -> str | None:
        if len(piece) == 1 and piece[0] in fallback and piece not in whole:
            return f"<0x{piece[0]:02X}>"
        text = sym.text_of(piece)
        return text.replace(" ", _MARK) if text is not None and spaced else text

    return spell


def _others(spelling: Mapping[str, Any], vocabulary: Vocabulary) -> dict[str, int]:
    """Returns the ids that only decode, by the pieces that have them."""
    found = {}
    for number, text in vocabulary.decode_only.items():
        if not spelling["bytes"]:
            found[f"<0x{text[0]:02X}>"] = number
        elif (spelled := sym.text_of(text)) is not None:
            found[spelled] = number
    return found


def _model(
    model: dict[str, Any],
    spelling: Mapping[str, Any],
    vocabulary: Vocabulary,
    vocab: dict[str, int],
    inside: dict[str, int],
    spell: Callable[[bytes], str | None],
) -> dict[str, Any]:
    """Returns the model with pieces and merges."""
    unknown, before = spelling.get("unknown") or (None, 0)
    if unknown is not None:
        numbers = {**vocab, **inside, **vocabulary.special}
        free = max(numbers.values()) + 1 if before in numbers.values() else before
        inside.setdefault(unknown, numbers.get(unknown, free))
    if spelling["model"] == "Unigram":
        given: dict[Any, float] = {**vocabulary.symbol_scores}
        given.update(zip(vocabulary.tokens, vocabulary.scores or (), strict=False))
        lowest = min(given.values(), default=0.0) - 10
        known = {*vocab, *inside}
        scores = {
            text: given.get(piece, lowest) if given else -1.0
            for piece in pieces_of(vocabulary)
            if (text := spell(piece)) is not None and text in vocab
        }
        # what is no token keeps its score, and what nothing becomes gets the lowest
        kept = {text: score for text, score in spelling["scores"].items() if text in known}
        never = min((scores | kept).values(), default=-1.0)
        scores |= dict.fromkeys(inside, never) | kept
        if unknown is not None:
            model["unk_id"] = inside[unknown]
        entries = unigram_entries(scores, {**vocab, **inside}, {}, never)
        model["vocab"] = [list(entry) for entry in _with_lowest(entries, vocabulary)]
        return model
    # in the order of ids, or of the file, which is kept whole where it is another
    numbers = dict(sorted({**vocab, **inside}.items(), key=lambda item: item[1]))
    listed = list(model["vocab"])
    if list(model["vocab"].values()) != sorted(model["vocab"].values()):
        numbers = {text: numbers[text] for text in listed if text in numbers} | numbers
    model["vocab"] = numbers
    if spelling["model"] == "BPE":
        pairs: Iterable[tuple[Any, Any]] = ()
        if vocabulary.rule != "single_symbols":
            pairs = all_merges(vocabulary) if vocabulary.merges is None else vocabulary.merges
        if spelling.get("suffix"):
            pairs = merges_inside(vocabulary) or ()
        if not spelling["bytes"]:
            pairs = [pair for pair in pairs if None not in map(sym.text_of, pair)]
        merges = [[spell(left), spell(right)] for left, right in pairs]
        for part in (part for pair in merges for part in pair if part not in vocab):
            raise InputError(f"{part!r} has no id, but merges need it")
        if vocabulary.merges is None and vocabulary.rule == "character_merges":
            merges = _as_before(model["merges"], merges, vocabulary, vocab)
        model["merges"] = [f"{a} {b}" for a, b in merges] if spelling.get("joined") else merges
    return model


def _as_before(
    old: list[Any], new: list[list[Any]], vocabulary: Vocabulary, vocab: Mapping[str, int]
) -> list[list[Any]]:
    """Returns the merges of the file, and those of new tokens, where they are proven to do.

    All ways to make each token do in any case, but the file may have fewer, or another order.
    """
    pairs = [merge.split(" ") if isinstance(merge, str) else merge for merge in old]
    pairs = [pair for pair in pairs if {*pair, "".join(pair)} <= vocab.keys()]
    made = {*map("".join, pairs)}
    pairs += [pair for pair in new if "".join(pair) not in made]
    piece_of = dict(zip(vocabulary.id_of, pieces_of(vocabulary), strict=True))
    merges = [(piece_of[vocab[left]], piece_of[vocab[right]]) for left, right in pairs]
    return pairs if pairs_are_needless(vocabulary.with_(merges=merges)) else new


def _with_lowest(
    entries: list[tuple[str, float]], vocabulary: Vocabulary
) -> list[tuple[str, float]]:
    """Returns the pieces with one more that no text has, if unknown characters score too much.

    The library computes their score from the lowest of all pieces, which may be a token no more.
    """
    if vocabulary.symbol_scores.get(b"\x80") != 0.0:  # of a character, the first byte has it
        return entries
    lowest = vocabulary.symbol_score(b"\xff") + 10
    follow = any(number >= len(entries) for number in vocabulary.special.values())
    if follow or not entries or min(score for _, score in entries) <= lowest:
        return entries
    return [*entries, (f"<free {len(entries)}>", lowest)]


def _renumbered(step: Any, numbers: Mapping[str, int]) -> Any:
    """Returns a post-processor with the ids that its tokens have now."""
    if not isinstance(step, Mapping):
        return step
    step = dict(step)
    if "processors" in step:
        step["processors"] = [_renumbered(inner, numbers) for inner in step["processors"]]
    for key in ("sep", "cls"):  # of BERT's and RoBERTa's
        if isinstance(step.get(key), list):
            step[key] = [step[key][0], _number(step[key][0], numbers)]
    if isinstance(tokens := step.get("special_tokens"), Mapping):
        step["special_tokens"] = {
            name: {**entry, "ids": [_number(token, numbers) for token in entry["tokens"]]}
            for name, entry in tokens.items()
        }
    return step


def _number(token: str, numbers: Mapping[str, int]) -> int:
    """Returns the id of a token that a post-processor or the padding names."""
    if token not in numbers:
        raise InputError(
            f"its original tokenizer.json needs the token {token!r}, which the vocabulary does "
            "not have"
        )
    return numbers[token]
