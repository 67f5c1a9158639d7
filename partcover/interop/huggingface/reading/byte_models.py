"""Reads models over bytes, which the file spells as characters."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import groupby
from typing import Any

from ....corpus.pretokenizers.pretokenizer import Pretokenizer
from ....corpus.pretokenizers.steps.read import leave_out, read_steps
from ....errors import InputError
from ....vocabulary.merging import halves
from ....vocabulary.vocabulary import Vocabulary
from ...end_of_word import end_merges, read_ended
from ...merge_ranks import bytes_of, last_merges
from .entries import Spell, checked_score, entries_of, sides_of


def read_bpe(model: dict[str, Any], special: Mapping[str, int]) -> dict[str, Any]:
    """Returns the pieces, rule and merges of a BPE model, as `vocabulary_of` takes them."""
    suffix = model.get("end_of_word_suffix") or ""
    spell = read_ended(suffix)
    pieces = entries_of(model["vocab"], special, spell)
    merges = read_merges(model, spell)
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
            refuse_unreached(last_merges(merges, pieces, bytes_of))
    return {"pieces": pieces, "rule": "merges", "merges": merges}


def read_merges(model: dict[str, Any], spell: Spell) -> list[tuple[bytes, bytes]]:
    """Returns the pairs that merge in a BPE model."""
    for key in ("continuing_subword_prefix", "dropout"):
        if model.get(key):
            raise InputError(f"its BPE model has {key} {model[key]!r}")
    merges: list[tuple[bytes, bytes]] = []
    spelled: dict[str, bytes | None] = {}  # most stand in many pairs
    for merge in model["merges"]:
        left, right = sides_of(merge)
        for side in (left, right):
            if side not in spelled:
                spelled[side] = spell(side)
        a, b = spelled[left], spelled[right]
        if a is None or b is None:
            raise InputError(f"its merge {left!r} + {right!r} does not stand for bytes")
        merges.append((a, b))
    return merges


def _all_reached(merges: list[tuple[bytes, bytes]], pieces: Iterable[bytes]) -> bool:
    return None not in last_merges(merges, pieces, bytes_of).values()


def refuse_unreached(last: Mapping[bytes, int | None]) -> None:
    """Raises an error if a piece has no last merge, since the model keeps it as a whole word."""
    if odd := [token for token, rank in last.items() if rank is None]:
        raise InputError(
            "its BPE model keeps whole words (ignore_merges), and merging does not build "
            f"{len(odd)} of them, such as " + repr(odd[0].decode("utf-8", "backslashreplace"))
        )


def _by_rank(merges: list[tuple[bytes, bytes]], pieces: Mapping[bytes, int]) -> list[bytes] | None:
    """Returns the tokens by rank, if the merges are all ways to make each of two others."""
    groups = [(token, list(ways)) for token, ways in groupby(merges, lambda pair: b"".join(pair))]
    made = [token for token, _ in groups]
    if len(set(made)) != len(made) or not pieces.keys() >= {*made}:
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


def read_wordpiece(
    model: dict[str, Any], special: Mapping[str, int], remarks: list[str]
) -> dict[str, Any]:
    """Returns the pieces and the rule of a WordPiece model without a mark inside words."""
    prefix = model.get("continuing_subword_prefix", "##")
    if prefix:
        raise InputError(
            f"its WordPiece model marks pieces inside a word with a prefix ({prefix}), so the same "
            "piece means different bytes at different places"
        )
    pieces = entries_of(model["vocab"], special)
    remarks += remarks_on_unknown(model, "byte")
    if all(bytes([byte]) in pieces for byte in range(256)):
        remarks.pop()
    return {"pieces": pieces, "rule": "longest_match"}


def remarks_on_unknown(model: dict[str, Any], symbol: str) -> list[str]:
    """Returns remarks on words that are unknown to a WordPiece model."""
    limit = model.get("max_input_chars_per_word", 100)
    long = f"words of more than {limit} {symbol}s"
    lacking = f"words with a {symbol} without a token"
    return [
        f"{words} become unknown tokens in the library, but are split in partcover"
        for words in ((long, lacking) if limit < 2**31 else (lacking,))
    ]


def read_unigram(model: dict[str, Any], special: Mapping[str, int]) -> dict[str, Any]:
    """Returns the pieces, rule and scores of a Unigram model."""
    return _scored(
        entries_of({text: place for place, (text, _) in enumerate(model["vocab"])}, special),
        model,
    )


def _scored(pieces: dict[bytes, int], model: dict[str, Any]) -> dict[str, Any]:
    scores = {piece: checked_score(*model["vocab"][place]) for piece, place in pieces.items()}
    values = set(scores.values())
    # equal sums of equal negative scores, term by term: fewer terms are always more
    if len(values) == 1 and min(values) < 0:
        return {"pieces": pieces, "rule": "shortest_path"}
    return {"pieces": pieces, "rule": "likelihood", "scores": scores}


def lacking_bytes(vocabulary: Vocabulary) -> list[int]:
    """Returns the bytes that have no id."""
    return [byte for byte in range(256) if vocabulary.id_of[byte] < 0]


def leaving_out(vocabulary: Vocabulary, data: Mapping[str, Any], remarks: list[str]) -> Vocabulary:
    """Returns the same with a step that leaves out bytes without an id, if its library does so."""
    model = data["model"]
    named = model.get("unk_token") is not None or model.get("end_of_word_suffix")
    if named or vocabulary.pretokenizer is None:
        return vocabulary
    steps = [data["pre_tokenizer"], leave_out(lacking_bytes(vocabulary))]
    both = read_steps({"type": "Sequence", "pretokenizers": steps})
    remarks[-1] += ", and are left out of a text, as its library does"
    return vocabulary.with_(pretokenizer=Pretokenizer.from_steps(both).name)
