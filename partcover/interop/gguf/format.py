"""Defines the format of GGUF files."""

from __future__ import annotations

from pathlib import Path

from ..._version import __version__
from ...encoding.encoder import Encoder
from ...vocabulary.vocabulary import Vocabulary
from ..byte_level import pieces_of
from ..format import Format, Nearest, Replay
from ..given_up import (
    GivenUp,
    give_up,
    split_otherwise,
    without_normalizer,
    without_shared,
    without_unknown,
)
from ..sentencepiece.around import own_spec
from ..sentencepiece.format import SENTENCEPIECE
from ..token_list import own_replay
from .origin import origin_in
from .read import looks_like, read
from .write import model_of, split_of, write


def _adapt(vocabulary: Vocabulary, lost: list[GivenUp]) -> Vocabulary:
    if origin_in(vocabulary)[0] is not None:
        return vocabulary
    vocabulary = without_shared(vocabulary, lost)
    if vocabulary.rule in ("shortest_path", "likelihood") and vocabulary.unknown is None:
        reason = "llama.cpp's Unigram has no bytes for what is no token"
        what, nearest = f"the rule {vocabulary.rule}", "the rule longest_match"
        vocabulary = give_up(vocabulary, lost, what, reason, nearest, rule="longest_match")
    model = model_of(vocabulary)
    if model in ("llama", "t5"):
        return _adapt_pieces(vocabulary, lost, model)
    if model == "bert":
        unknown = vocabulary.unknown
        if unknown is not None and unknown.longest is not None and unknown.longest < 2**31:
            reason = "llama.cpp's BERT has no longest word"
            longest = unknown.longest - 1  # without the mark
            what = f"words of more than {longest} characters as unknown"
            lost.append(GivenUp(what, reason, "no limit"))
        return vocabulary
    vocabulary = without_normalizer(vocabulary, lost, "it takes text as it is")
    vocabulary = without_unknown(vocabulary, lost, "its tokens are bytes")
    cuts = vocabulary.pretokenizer
    if model == "rwkv":
        if cuts in (None, "none"):
            return vocabulary
        return split_otherwise(
            vocabulary, lost, "llama.cpp takes the longest match of a whole text"
        )
    near, same = split_of(vocabulary)
    if not same:
        reason = "llama.cpp knows pre-tokenizers by name, and has none that splits in the same way"
        # some need a whole word looked up, which llama.cpp does for the latter
        others = (split for split in ("gpt2", "cl100k") if _has_split(vocabulary, split))
        other = near or next(others, "cl100k")
        lost.append(GivenUp(f"the pre-tokenizer {cuts}", reason, other))
        if near is None:
            vocabulary = vocabulary.with_(pretokenizer=other)
    return vocabulary


def _has_split(vocabulary: Vocabulary, name: str) -> bool:
    return split_of(vocabulary.with_(pretokenizer=name))[0] is not None


def _adapt_pieces(vocabulary: Vocabulary, lost: list[GivenUp], model: str) -> Vocabulary:
    vocabulary = SENTENCEPIECE.adapt(vocabulary, lost)
    spec = own_spec(vocabulary)
    if spec is not None:
        odd = [
            what
            for what, there in (
                ("its map of characters", model == "llama" and spec["precompiled_charsmap"]),
                ("less white space", model == "llama" and spec["remove_extra_whitespaces"]),
                ("white space behind words", spec["treat_whitespace_as_suffix"]),
                (
                    "less white space without a space in front",
                    spec["remove_extra_whitespaces"] and not spec["add_dummy_prefix"],
                ),
            )
            if there
        ]
        if odd:
            reason = f"llama.cpp's model {model} has none of: {', '.join(odd)}"
            lost.append(GivenUp("the normalizer", reason, "a space in front, or nothing"))
    return vocabulary


def _replay(path: Path) -> Replay:
    """Replays what is read back here."""
    vocabulary, _ = read(path)
    replay = own_replay(vocabulary)
    pieces = {number: text.encode() for text, number in vocabulary.special.items()}
    pieces |= dict(zip(vocabulary.id_of, pieces_of(vocabulary), strict=True))
    flags = {text: has for text, has in vocabulary.special_flags.items() if "added" in has}
    plain = {
        text: number
        for text, number in vocabulary.special.items()
        if text in flags or vocabulary.unknown is not None
    }
    bare = vocabulary.with_(special=plain, special_flags=flags)
    encoder = Encoder(bare, vocabulary.pretokenizer or "none")

    def cut(text: str) -> list[bytes]:
        return [pieces[number] for number in encoder.encode(text)]

    return Replay(
        f"partcover {__version__}", replay.words, cut, replay.id_of, vocabulary.special.get
    )


GGUF = Format(
    name="gguf",
    title="the tokenizer of a GGUF file, llama.cpp's",
    rules={
        "merges": "BPE, with a pre-tokenizer that llama.cpp knows by name",
        "shortest_path": "Unigram, equal scores, with an unknown token",
        "likelihood": "Unigram, scores in 32 bits, with an unknown token",
        "longest_match": "BERT's WordPiece, or RWKV's longest match of a whole text",
        "character_merges": "sentencepiece's BPE, byte fallback",
        "single_symbols": "BPE without merges",
        "superword_merges": Nearest("merges", "no model merges words only where they are whole"),
        "random_path": Nearest("longest_match", "no model draws among the shortest paths"),
        "priority": Nearest("longest_match", "no model covers in an order of priority"),
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
