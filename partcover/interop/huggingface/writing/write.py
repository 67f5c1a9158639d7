"""Writes Hugging Face tokenizers: a folder for transformers, or one tokenizer.json.

Bytes are spelled by ByteLevel's 256 characters, so any bytes are a token.  A rule is expressed
by the model that segments the same way:

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

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from ....corpus.normalizers.normalizer import Normalizer
from ....errors import InputError
from ....runtime.arguments import counted
from ....runtime.files.writing import write_atomic
from ....vocabulary.roles import roles_of
from ....vocabulary.vocabulary import Vocabulary
from ...byte_level import from_characters, pieces_of
from ...splitting import patterns, write_splitting
from ..decimals import tokenizer_text
from ..decoder import write_decoder
from ..origin import origin_in
from ..spelling import DECODED_BYTE, speller
from ..word_pieces import without_mark, word_mark
from .into import added_entry, write_into
from .model import MERGING, build_model, place_special, unreached

FILE = "tokenizer.json"


def write(vocabulary: Vocabulary, path: Path) -> list[str]:
    """Writes a tokenizer.json, or a folder with one, and returns remarks.

    Raises
    ------
    InputError
        If a special token is spelled as a token, or the model cannot be built.
    """
    origin, before = origin_in(vocabulary)
    if origin is not None:
        return write_into(origin, vocabulary, path)
    spell = speller(vocabulary)
    over_text = vocabulary.rule == "character_merges"
    pretokenizer = vocabulary.pretokenizer
    if word_mark(vocabulary) is not None and pretokenizer is not None:
        over_text, pretokenizer = True, without_mark(pretokenizer)
    vocab = {
        text: number
        for token, number in zip(pieces_of(vocabulary), vocabulary.id_of, strict=True)
        if number >= 0 and (text := spell(token)) is not None
    }
    special = sorted(vocabulary.special.items(), key=lambda item: item[1])
    for text, number in special:
        if vocab.get(text, number) != number:
            raise InputError(
                f"a token and a special token are both spelled {text!r}: rename one of them"
            )
    inside, free = place_special(vocabulary)
    inside |= {f"<free {number}>": number for number in free}
    normal = Normalizer.of(vocabulary.normalizer)
    data = {
        "version": "1.0",
        "truncation": None,
        "padding": None,
        "added_tokens": [{"id": n, **added_entry(vocabulary, text)} for text, n in special],
        "normalizer": normal and normal.to_json(),
        "pre_tokenizer": write_splitting(pretokenizer, byte_level=not over_text),
        "post_processor": None,
        "decoder": write_decoder(vocabulary),
        "model": build_model(vocabulary, vocab, inside),
    }
    content, inexact = tokenizer_text(data)
    if path.suffix == ".json":
        write_atomic(path, content)
    else:
        path.mkdir()
        names: dict[str, Any] = {f"{r}_token": text for r, text in roles_of(vocabulary).items()}
        flags = vocabulary.special_flags
        own = [text for text, _ in special if "added" not in flags.get(text, ())]
        if rest := [text for text in own if text not in names.values()]:
            names["additional_special_tokens"] = rest
        settings = {
            # this class loads in transformers 4 and 5 alike
            "tokenizer_class": "PreTrainedTokenizerFast",
            "clean_up_tokenization_spaces": False,
            "model_max_length": int(1e30),
            **names,
        }
        write_atomic(path / FILE, content)
        write_atomic(path / "tokenizer_config.json", json.dumps(settings, indent=1) + "\n")
        write_atomic(path / "special_tokens_map.json", json.dumps(names, indent=1) + "\n")
    remarks = [*before, *_remarks(vocabulary)]
    if others := len(vocabulary.decode_only) - len(unreached(vocabulary)):
        remarks.append(f"left out {others:,} ids that no text is encoded to")
    if inexact:
        remarks.append(
            f"{inexact} scores differ in the last bit in the library, because of its JSON reader"
        )
    return remarks


def _remarks(vocabulary: Vocabulary) -> Iterable[str]:
    for mark in (mark for _, mark in patterns(vocabulary.pretokenizer) or () if mark):
        yield f"a {mark} in a text is read by the library as the mark of a space"
    for name in vocabulary.special:
        spelled: bytes | None  # as its decoder reads any token
        if vocabulary.rule == "character_merges":
            byte = DECODED_BYTE.fullmatch(name)
            spelled = bytes([int(byte[1], 16)]) if byte else None
        else:
            spelled = from_characters(name)
        if spelled is not None and spelled != name.encode():
            shown = spelled.decode("utf-8", "replace")
            if vocabulary.decoding.shown.get(name) == shown:
                continue
            yield f"the special token {name!r} is decoded by the library as {shown!r}"
    if vocabulary.rule != "likelihood" and vocabulary.scores is not None:
        yield f"the scores are left out: the rule {vocabulary.rule} does not use them"
    if vocabulary.rule not in MERGING and vocabulary.merges is not None:
        yield f"the merges are left out: the rule {vocabulary.rule} does not use them"
    if missing := sum(number < 0 for number in vocabulary.id_of[:256]):
        some = counted(missing, "byte", "has", "have")
        yield f"{some} no id: no text that holds one can be given to it"
