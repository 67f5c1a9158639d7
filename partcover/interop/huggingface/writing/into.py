"""Writes a vocabulary into the tokenizer.json that it came from, and into the files beside it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

from ....corpus import symbols as sym
from ....errors import InputError
from ....runtime.files.writing import write_atomic
from ....vocabulary.vocabulary import Vocabulary
from ...byte_level import pieces_of
from ...end_of_word import merges_inside
from ...merge_ranks import pairs_are_needless
from ..layout import escapes, rewritten
from ..origin import CONFIG, KEPT, content_of, mapping, settings_ids, settings_of
from ..spelling import own_speller
from .model import MAX_FREE, all_merges, place_special, unigram_entries


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
        config = settings_of(origin)
        if listed := mapping(config.get("added_tokens_decoder")):
            now = _listed(listed, mapping(origin.get("renames")), numbers)
            changed = {**config, "added_tokens_decoder": now}
            files[CONFIG] = rewritten(files[CONFIG], changed, escaped=escapes(files[CONFIG]))
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
    for name in KEPT:
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
        names = [mapping(entry).get("content"), renames.get(before)]
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
    data, spelling = dict(content_of(origin["tokenizer"])), origin["spelling"]
    spell = own_speller(spelling, vocabulary)
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
    if {"pad_token", "pad_id"} <= (padding := mapping(data.get("padding"))).keys():
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
