"""Defines the format of GGUF files."""

from __future__ import annotations

from pathlib import Path

from ..._version import __version__
from ...corpus.normalizers import glance
from ...encoding.encoder import Encoder
from ...vocabulary.vocabulary import Vocabulary
from ..byte_level import pieces_of
from ..format import Format, GivenUp, Nearest, Replay, without_shared
from ..sentencepiece.around import own_spec
from ..sentencepiece.format import SENTENCEPIECE
from ..token_list import own_replay
from .origin import origin_in
from .read import looks_like, read
from .write import model_of, split_of, write


def _adapt(vocabulary: Vocabulary) -> tuple[Vocabulary, list[GivenUp]]:
    if origin_in(vocabulary)[0] is not None:
        return vocabulary, []
    lost: list[GivenUp] = []
    vocabulary = without_shared(vocabulary, lost)
    if vocabulary.rule in ("shortest_path", "likelihood") and vocabulary.unknown is None:
        reason = "llama.cpp's Unigram has no bytes for what is no token"
        lost.append(GivenUp(f"the rule {vocabulary.rule}", reason, "the rule longest_match"))
        vocabulary = vocabulary.with_(rule="longest_match")
    model = model_of(vocabulary)
    if model in ("llama", "t5"):
        vocabulary, more = _adapt_pieces(vocabulary, model)
        return vocabulary, lost + more
    if model == "bert":
        unknown = vocabulary.unknown
        if unknown is not None and unknown.longest is not None and unknown.longest < 2**31:
            reason = "llama.cpp's BERT has no longest word"
            what = f"words of more than {unknown.longest} characters as unknown"
            lost.append(GivenUp(what, reason, "no limit"))
        return vocabulary, lost
    if vocabulary.normalizer is not None:
        name = glance(vocabulary.normalizer)
        lost.append(GivenUp(f"the normalizer {name}", "it takes text as it is", "none"))
        vocabulary = vocabulary.with_(normalizer=None)
    if vocabulary.unknown is not None:
        name = vocabulary.unknown.token
        lost.append(GivenUp(f"the unknown token {name}", "its tokens are bytes", "none"))
        vocabulary = vocabulary.with_(unknown=None)
    cuts = vocabulary.pretokenizer
    if model == "rwkv":
        if cuts not in (None, "none"):
            reason = "llama.cpp takes the longest match of a whole text"
            lost.append(GivenUp(f"the pre-tokenizer {cuts}", reason, "none"))
            vocabulary = vocabulary.with_(pretokenizer="none")
        return vocabulary, lost
    near, same = split_of(vocabulary)
    if not same:
        reason = "llama.cpp knows pre-tokenizers by name, and has none that splits in the same way"
        # some need a whole word looked up, which llama.cpp does for the latter
        others = (split for split in ("gpt2", "cl100k") if _has_split(vocabulary, split))
        other = near or next(others, "cl100k")
        lost.append(GivenUp(f"the pre-tokenizer {cuts}", reason, other))
        if near is None:
            vocabulary = vocabulary.with_(pretokenizer=other)
    return vocabulary, lost


def _has_split(vocabulary: Vocabulary, name: str) -> bool:
    return split_of(vocabulary.with_(pretokenizer=name))[0] is not None


def _adapt_pieces(vocabulary: Vocabulary, model: str) -> tuple[Vocabulary, list[GivenUp]]:
    vocabulary, lost = SENTENCEPIECE.adapt(vocabulary)
    spec = own_spec(vocabulary)
    if spec is not None:
        odd = [
            what
            for what, there in (
                ("its map of characters", model == "llama" and spec["precompiled_charsmap"]),
                ("less white space", model == "llama" and spec["remove_extra_whitespaces"]),
                ("white space behind words", spec["treat_whitespace_as_suffix"]),
            )
            if there
        ]
        if odd:
            reason = f"llama.cpp's model {model} has none of: {', '.join(odd)}"
            lost.append(GivenUp("the normalizer", reason, "a space in front, or nothing"))
    return vocabulary, lost


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
