"""Reads models over text: WordPiece as BERT's, BPE and Unigram as sentencepiece's."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ....corpus.normalizers.normalizer import Normalizer
from ....corpus.pretokenizers.pretokenizer import Pretokenizer
from ....corpus.pretokenizers.steps.read import leave_others_out, read_steps
from ....errors import InputError
from ....runtime.arguments import counted
from ....vocabulary.unknown import Unknown
from ....vocabulary.vocabulary import Vocabulary
from ...merge_ranks import characters_of, last_merges
from ...splitting import read_splitting
from ...whole_texts import marking_steps, pretokenizer_of, unknown_scores
from ..decimals import as_read
from ..normalizer import normalizer_of
from ..word_pieces import free_mark, inside_steps, mark_steps, read_piece, unknown_words
from .byte_models import read_merges, refuse_unreached, remarks_on_unknown
from .entries import BYTE, MARK, checked_id, checked_score, entries_of, special_of, vocabulary_of


def read_words_of_text(data: dict[str, Any]) -> tuple[Vocabulary, list[str]]:
    """Reads a WordPiece model over text, as BERT's."""
    model = data["model"]
    special = special_of(data, spelled=False)
    unk = model.get("unk_token", "[UNK]")
    if unk in model["vocab"]:
        special.setdefault(unk, checked_id(unk, model["vocab"][unk]))
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
        remarks += remarks_on_unknown(model, "character")
    pieces = entries_of(model["vocab"], special, read_piece(mark, prefix))
    pretokenizer, _, more = read_splitting(splitting)
    remarks += more
    if prefix and pretokenizer and splitting:
        longest = None if unknown is None or unknown.longest is None else unknown.longest - 1
        inside = (piece.decode() for piece in pieces if not piece.startswith(mark.encode()))
        steps = inside_steps(splitting, mark, prefix, inside, longest)
        pretokenizer = Pretokenizer.from_steps(read_steps(steps)).name
    use = {"pieces": pieces, "rule": "longest_match", "unknown": unknown}
    return vocabulary_of(use, special, pretokenizer or (None if more else "none"), remarks), remarks


def read_pieces_of_text(
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
    special = special_of(data, spelled=False)
    unknown = _unknown(model, entries)
    spelled = model.get("byte_fallback") and sum(map(bool, map(BYTE.fullmatch, entries)))
    if unknown is not None and spelled != 256:
        special.setdefault(unknown.token, checked_id(unknown.token, entries[unknown.token]))
    steps = marking_steps(data)
    marked = steps is not None or (splitting or {}).get("type") == "Metaspace"
    vocab: dict[str, int] = {}
    fallback: dict[str, int] = {}
    for text, place in entries.items():
        table = fallback if model.get("byte_fallback") and BYTE.fullmatch(text) else vocab
        left_out = entries[unknown.token] == place if unknown else False
        if text in special or not (left_out or (marked and " " in text)):
            table[text] = place
    # a space is a space here where all text is one word there
    spaced = steps is not None and MARK in vocab and MARK not in special

    def spell(text: str) -> bytes:
        return (text.replace(MARK, " ") if spaced else text).encode("utf-8")

    remarks: list[str] = []
    pieces = entries_of(vocab, special, spell)
    if kind == "BPE":
        met = model
        if marked:  # no text has a space there
            met = {**model, "merges": [m for m in model["merges"] if not _has_space(m)]}
        use = _character_bpe(model, pieces, read_merges(met, spell))
    else:
        listed = [as_read(checked_score(*entry)) for entry in model["vocab"]]
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
            others[checked_id(text, place)] = byte
    leaving = kind == "BPE" and not model.get("byte_fallback") and unknown is None and not steps
    if leaving and any(len(text) == 1 for text in vocab):
        leave = leave_others_out(text for text in vocab if len(text) == 1)
        both = [leave] if splitting is None else [splitting, leave]
        known = Pretokenizer.from_steps(
            read_steps({"type": "Sequence", "pretokenizers": both})
        ).name
        remarks.append("a character without a token is left out of the text, as in the library")
    elif spelled != 256 and unknown is None:
        other = "nothing" if model.get("unk_token") is None else "the unknown token"
        remarks.append(
            f"a character without a token becomes its bytes in partcover, and {other} in the "
            "library"
        )
    if model.get("ignore_merges") and fallback:
        remarks.append("in the library, a word such as <0x41> becomes that byte")
    if dropped := sum(" " in text for text in entries) if marked else 0:
        remarks.append(f"left out {counted(dropped, 'unreachable token')} with a space")
    normalizer, pretokenizer = normalizer_of(data), known or "none"
    if steps is not None:
        if spaced:
            steps[-1] = {**steps[-1], "pattern": {"String": MARK}, "content": " "}
        normalizer = Normalizer({"type": "Sequence", "normalizers": steps}).name
        pretokenizer = pretokenizer_of(list(vocab), MARK) if spaced else "none"
        if kind != "BPE":
            use["sums"] = "text"  # the words here are none there
    use |= {"normalizer": normalizer, "unknown": None if spelled == 256 else unknown}
    use["decode_only"] = others
    return vocabulary_of(use, special, pretokenizer, remarks), remarks


def _character_bpe(
    model: dict[str, Any], pieces: dict[bytes, int], merges: list[tuple[bytes, bytes]]
) -> dict[str, Any]:
    if suffix := model.get("end_of_word_suffix"):
        raise InputError(f"its BPE model over text has an end_of_word_suffix, {suffix!r}")
    last = last_merges(merges, pieces, characters_of)
    made = {token: rank for token, rank in last.items() if rank is not None}
    if model.get("ignore_merges"):
        refuse_unreached(last)
    if len(made) < len(last):
        return {"pieces": pieces, "rule": "character_merges", "merges": merges}
    # by rank; single characters need no merge and may stand anywhere
    order = sorted(pieces, key=lambda piece: (made.get(piece, len(merges)), pieces[piece]))
    return {"pieces": pieces, "rule": "character_merges", "order": order}


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
