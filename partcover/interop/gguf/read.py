"""Reads the vocabulary of a GGUF file as llama.cpp uses it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np

from ...corpus.pretokenizers.byte_spelling import spelled_bytes
from ...corpus.pretokenizers.steps.read import split_steps
from ...corpus.word_counts import WordCounts
from ...errors import InputError
from ...segmentation.segmentation import segment
from ...vocabulary.decoding import Decoding
from ...vocabulary.vocabulary import Vocabulary
from ..byte_level import pieces_of
from ..huggingface.reading.read import from_json
from ..huggingface.word_pieces import mark_steps
from ..origin import ORIGIN
from ..sentencepiece.proto import (
    BPE,
    BYTE,
    CONTROL,
    NORMAL,
    UNIGRAM,
    UNKNOWN,
    UNUSED,
    USER_DEFINED,
)
from ..sentencepiece.read import vocabulary_of
from .bert import bert_steps
from .container import MAGIC, Value, is_numbers, read_keys
from .kinds import kinds_of
from .origin import origin_of
from .rwkv_spelling import read_spelled
from .special import merged, overlapping
from .splits import SPLITS, Split, pretokenizer_of_split

_PRE = "tokenizer.ggml."
_MARK = "▁"
_NO_LIMIT = 2**31  # of the characters of a word
_NONE = Value(-1, None)
# how the bytes are spelled that are in no UTF-8
_NEVER = {spelled_bytes(bytes([byte])) for byte in (0xC0, 0xC1, *range(0xF5, 0x100))}


def looks_like(path: Path) -> bool:
    """Returns whether a file begins as a GGUF file does."""
    if not path.is_file():
        return False
    with path.open("rb") as file:
        return file.read(len(MAGIC)) == MAGIC


def read(path: Path) -> tuple[Vocabulary, list[str]]:
    """Reads the vocabulary of a file, and remarks on what it does not hold.

    Raises
    ------
    InputError
        Naming the file, and what no vocabulary can express.
    """
    keys, n_tensors = read_keys(path)
    try:
        listed = _Tokenizer(keys)
        vocabulary, remarks = _MODELS[listed.model](listed, path)
    except InputError as error:
        named = str(error).startswith(f"{path}:")
        raise error if named else InputError(f"{path}: {error}") from None
    vocabulary = vocabulary.with_(
        special_flags={**vocabulary.special_flags, **listed.flags(vocabulary)}
    )
    origin = origin_of(keys, n_tensors, listed.texts, vocabulary)
    vocabulary = vocabulary.with_(provenance={**vocabulary.provenance, ORIGIN: origin})
    return vocabulary, [*remarks, *listed.remarks()]


def found_otherwise(keys: Mapping[str, Value], vocabulary: Vocabulary) -> Iterator[str]:
    """Yields remarks on special tokens that llama.cpp finds elsewhere than partcover does.

    Parameters
    ----------
    keys : mapping
        The keys of the file that is written.
    vocabulary : Vocabulary
        The vocabulary that it is written for.
    """
    listed = _Tokenizer(keys)
    names = {CONTROL: "a control", UNKNOWN: "a control", USER_DEFINED: "a user-defined"}
    for text in filter(listed.numbers.__contains__, vocabulary.special):
        kind = listed.types[listed.numbers[text]]
        added = "added" in vocabulary.special_flags.get(text, ())
        if kind not in names or added != (kind == USER_DEFINED):
            yield f"llama.cpp takes {text} for {names.get(kind, 'a normal')} token for its name"
    yield from listed.found_otherwise()


@dataclass
class _Tokenizer:
    """What the keys of a file say of its tokenizer.

    Raises
    ------
    InputError
        For a model that is not known here, or tokens that are missing, no text or given twice.
    """

    keys: Mapping[str, Value]
    model: str = field(init=False)
    texts: list[str] = field(init=False)
    types: list[int] = field(init=False)

    def __post_init__(self) -> None:
        self.model = self._text("model", "")
        if self.model not in _MODELS:
            known = ", ".join(_MODELS)
            raise InputError(
                f"its tokenizer model {self.model!r} is not supported: only {known} are"
            )
        listed = self._value("tokens").content
        if not isinstance(listed, list) or not listed:
            raise InputError("it has no tokens (key tokenizer.ggml.tokens)")
        try:
            self.texts = [text.decode() for text in listed]
        except UnicodeDecodeError:
            raise InputError("a token is not UTF-8") from None
        # as llama.cpp names what is empty
        self.texts = [text or f"[EMPTY_{number}]" for number, text in enumerate(self.texts)]
        if len(self.numbers) < len(self.texts):
            raise InputError("a token is given twice, which llama.cpp refuses")
        types = self._numbers("token_type", [NORMAL] * len(self.texts))
        end = "_token_id"
        roles = [name.removeprefix(_PRE).removesuffix(end) for name in self.keys if end in name]
        named = {role for role in roles if self.number(role + end) is not None}
        self.types = kinds_of(self.texts, types, named)

    def _value(self, name: str) -> Value:
        return self.keys.get(_PRE + name, _NONE)

    def _text(self, name: str, default: str) -> str:
        return self._given(_PRE + name, default)

    def _given(self, name: str, default: str = "") -> str:
        """Returns the text that a key gives, of whatever part of the model."""
        content = self.keys.get(name, _NONE).content
        return content.decode("utf-8", "replace") if isinstance(content, bytes) else default

    def flag(self, name: str, default: bool) -> bool:
        """Returns whether a setting is on."""
        content = self._value(name).content
        return content if isinstance(content, bool) else default

    def number(self, name: str, default: int | None = None) -> int | None:
        """Returns the id that a key gives, or else `default`, if there is such a token."""
        for number in (self._value(name).content, default):
            if isinstance(number, int) and 0 <= number < len(self.texts):
                return number
        return None

    def unknown(self, default: int) -> int:
        """Returns the id of the unknown token, which is `default` if no key gives it.

        Raises
        ------
        InputError
            If there is no such token.
        """
        number = self.number("unknown_token_id", default)
        if number is None:
            raise InputError("it has no unknown token (key tokenizer.ggml.unknown_token_id)")
        return number

    def _numbers(self, name: str, default: list[Any]) -> list[Any]:
        value = self._value(name)
        if not is_numbers(value):
            return default
        if len(value.content) < len(self.texts):
            raise InputError(f"it has fewer {_PRE}{name} than tokens")
        numbers: list[Any] = value.content[: len(self.texts)].tolist()
        return numbers

    @cached_property
    def numbers(self) -> dict[str, int]:
        """The ids of the tokens, as they are spelled."""
        return {text: number for number, text in enumerate(self.texts)}

    @property
    def scores(self) -> list[float]:
        """The scores of the tokens.

        Raises
        ------
        InputError
            If one is not finite.
        """
        scores = self._numbers("scores", [0.0] * len(self.texts))
        if not np.isfinite(scores).all():
            raise InputError("a score is not a finite number")
        return [float(score) for score in scores]

    @property
    def pre(self) -> str:
        """The name of how a text is split."""
        given = self._text("pre", "default") or "default"
        return "gemma4" if self.model == "gemma4" else given

    @property
    def merges(self) -> list[tuple[str, str]]:
        """The pairs that merge; of those given twice, the first."""
        listed = self._value("merges").content
        if not isinstance(listed, list):
            raise InputError("it has no merges (key tokenizer.ggml.merges)")
        pairs: dict[tuple[str, str], None] = {}
        for place, merge in enumerate(listed):
            space = merge.find(b" ", 1)
            try:
                pair = merge[:space].decode(), merge[space + 1 :].decode()
            except UnicodeDecodeError:
                raise InputError(f"its merge {place} is not UTF-8") from None
            if space < 0 or not pair[1]:
                raise InputError(f"its merge {place} does not have two parts")
            pairs[pair] = None
        return list(pairs)

    @property
    def added(self) -> list[dict[str, Any]]:
        """The tokens that are found before a text is split, as a tokenizer.json lists them."""
        kinds = (CONTROL, UNKNOWN, USER_DEFINED)
        return [
            {"content": text, "id": number, "special": kind != USER_DEFINED}
            for number, (text, kind) in enumerate(zip(self.texts, self.types, strict=True))
            if kind in kinds
        ]

    @property
    def charsmap(self) -> bytes:
        """The map of characters of sentencepiece's normalizers."""
        value = self._value("precompiled_charsmap")
        return value.content.tobytes() if is_numbers(value) else b""

    def flags(self, vocabulary: Vocabulary) -> dict[str, list[str]]:
        """Returns how special tokens are found in a text."""
        user = {entry["content"] for entry in self.added if not entry["special"]}
        # for these models llama.cpp sets flags
        name, model = self._given("general.name").lower(), self._given("general.architecture")
        pre = self._text("pre", "")
        bert = any(each in model for each in ("nomic-bert-moe", "jina-bert-v3"))
        jina = any(f"jina-v2-{each}" in pre for each in ("de", "es", "code"))
        phi = any(each in name for each in ("phi-3", "phi3"))
        mask = "<mask>" if bert or jina else "[MASK]" if "modern-bert" in name else None
        found: dict[str, list[str]] = {}
        for text in vocabulary.special:
            flags = ["added"] if text in user else []
            if text == mask:
                flags.append("lstrip")
            elif phi and not (bert or jina) and text not in ("<unk>", "<s>", "<|endoftext|>"):
                flags.append("rstrip")
            if flags:
                found[text] = flags
        return found

    def found_otherwise(self) -> Iterator[str]:
        """Yields remarks on special tokens that llama.cpp finds elsewhere than partcover does."""
        if (first := next(self._made(), None)) is not None:
            yield f"in llama.cpp, text such as {first} becomes a special token"
        found = {entry["content"]: self.types[entry["id"]] for entry in self.added}
        if pair := overlapping(found):
            yield (
                f"the special tokens {pair[0]} and {pair[1]} can overlap in a text: llama.cpp "
                "looks for the longest first, and for no control tokens in ordinary text"
            )

    def _made(self) -> Iterator[str]:
        """Yields special tokens that the model makes, too, of what is ordinary text here."""
        spaced = [e["content"] for e in self.added if not e["special"] and _MARK in e["content"]]
        control = [entry["content"] for entry in self.added if entry["special"]]
        if self.model == "rwkv":
            unused = (t for t, kind in zip(self.texts, self.types, strict=True) if kind == UNUSED)
            yield from (*control, *unused)
        elif self.model == "t5":
            yield from spaced
        elif self.model == "llama":
            yield from merged([*control, *spaced], self.numbers.keys())
        elif self.model != "bert" and SPLITS.get(self.pre, Split(())).whole:
            split = pretokenizer_of_split(SPLITS[self.pre])
            yield from (text for text in control if split.split(text) == [text])

    def remarks(self) -> Iterator[str]:
        """Yields remarks on what llama.cpp adds to a text."""
        places = [("add_bos_token", "bos_token_id"), ("add_eos_token", "eos_token_id")]
        around = [
            self.texts[number]
            for flag, key in places
            if self.flag(flag, False) and (number := self.number(key)) is not None
        ]
        if around:
            added = " and ".join(around)
            yield f"llama.cpp puts {added} around a text: partcover does not count them"
        yield from self.found_otherwise()
        if "tokenizer.huggingface.json" in self.keys:
            yield "the tokenizer.json that it holds, too, is not read: llama.cpp does not use it"


def _bpe(listed: _Tokenizer, path: Path) -> tuple[Vocabulary, list[str]]:
    split = SPLITS.get(listed.pre)
    remarks = []
    if split is None:
        remarks.append(
            f"its pre-tokenizer {listed.pre!r} is not supported: name a pre-tokenizer with "
            "--pretokenizer"
        )
        split = Split(())
    steps = list(split_steps(split.patterns)["pretokenizers"])
    vocab = listed.numbers
    if split.spelled:  # a token that is found before may be the spelling of a byte no text has
        found = {entry["content"] for entry in listed.added}
        vocab = {t: n for t, n in vocab.items() if t not in found.intersection(_NEVER)}
    model = {
        "type": "BPE",
        "vocab": vocab,
        "merges": listed.merges,
        "ignore_merges": split.whole,
        "byte_fallback": not split.spelled,
    }
    data: dict[str, Any] = {"model": model, "added_tokens": listed.added}
    if split.spelled:
        steps.append({"type": "ByteLevel", "add_prefix_space": False, "use_regex": False})
    else:
        mark = {"type": "Replace", "pattern": {"String": " "}, "content": _MARK}
        data["normalizer"] = mark
    data["pre_tokenizer"] = {"type": "Sequence", "pretokenizers": steps}
    vocabulary, more = from_json(data, path)
    if not split.patterns:
        vocabulary = vocabulary.with_(pretokenizer=None)
    if not split.spelled:
        vocabulary = vocabulary.with_(decoding=Decoding("sentencepiece", front_spaces=0))
        if listed.pre != "sarvam-moe":
            more += _whole_runs(vocabulary)
    return vocabulary, remarks + more


def _whole_runs(vocabulary: Vocabulary) -> Iterator[str]:
    """Yields a remark on runs of line feeds that llama.cpp looks up before it merges."""
    runs = [piece for piece in pieces_of(vocabulary)[256:] if not piece.strip(b"\n")]
    if n_odd := int((segment(WordCounts.from_words(runs), vocabulary).pieces != 1).sum()):
        yield f"llama.cpp takes {n_odd:,} runs of line feeds for tokens that merging does not build"


def _words(listed: _Tokenizer, path: Path) -> tuple[Vocabulary, list[str]]:
    unknown = listed.texts[listed.unknown(100)]
    lower = listed.flag("normalizer.lowercase", True)
    data: dict[str, Any] = {
        "model": {
            "type": "WordPiece",
            "unk_token": unknown,
            "continuing_subword_prefix": "",
            "max_input_chars_per_word": _NO_LIMIT,
            "vocab": listed.numbers,
        },
        "added_tokens": listed.added,
        "normalizer": bert_steps(
            lowercase=lower, strip_accents=listed.flag("normalizer.strip_accents", lower)
        ),
        "pre_tokenizer": mark_steps({"type": "BertPreTokenizer"}, _MARK),
    }
    vocabulary, remarks = from_json(data, path)
    return vocabulary, [*remarks, f"llama.cpp takes {_MARK} in a text for the begin of a word"]


def _pieces(listed: _Tokenizer, path: Path) -> tuple[Vocabulary, list[str]]:
    """Reads what sentencepiece has made: BPE over characters, or Unigram."""
    bpe = listed.model == "llama"
    prefixed = listed.flag("add_space_prefix", bpe)
    shortened = not bpe and listed.flag("remove_extra_whitespaces", False)
    types = _bpe_types(listed) if bpe else _unigram_types(listed)
    known = range(NORMAL, BYTE + 1)
    model = SimpleNamespace(
        pieces=[
            SimpleNamespace(piece=text, score=score, type=kind)
            for text, score, kind in zip(listed.texts, listed.scores, types, strict=True)
        ],
        trainer_spec=SimpleNamespace(
            model_type=BPE if bpe else UNIGRAM,
            byte_fallback=bpe,
            treat_whitespace_as_suffix=False,
        ),
        normalizer_spec=SimpleNamespace(
            precompiled_charsmap=b"" if bpe else listed.charsmap,
            # a space goes in front of each word where there is no other
            add_dummy_prefix=shortened or prefixed,
            remove_extra_whitespaces=shortened,
            escape_whitespaces=True,
        ),
    )
    if odd := next((piece for piece in model.pieces if piece.type not in known), None):
        raise InputError(f"the token {odd.piece!r} has the unknown type {odd.type}")
    vocabulary, remarks = vocabulary_of(model, exact=True)
    if shortened:
        remarks.append(f"llama.cpp keeps each {_MARK} that is in a text, beside spaces, too")
    elif prefixed and not bpe:
        remarks.append("llama.cpp puts no space in front of spaces alone")
    if vocabulary.sums == "text32":  # llama.cpp adds in 64 bits
        vocabulary = vocabulary.with_(sums="text")
    if shortened:
        vocabulary = vocabulary.with_(decoding=Decoding(front_spaces=int(prefixed)))
    return vocabulary, remarks


# both are found before a text is split
_FOUND = {USER_DEFINED: CONTROL}


def _bpe_types(listed: _Tokenizer) -> list[int]:
    used = {**_FOUND, UNUSED: NORMAL}
    return [used.get(kind, kind) for kind in listed.types]


def _unigram_types(listed: _Tokenizer) -> list[int]:
    """Returns the types of tokens; unused ones are normal unless they have too low a score."""
    scores = listed.scores
    pairs = list(zip(listed.types, scores, strict=True))
    lowest = min((score for kind, score in pairs if kind == NORMAL), default=0.0)
    found = {**_FOUND, UNKNOWN: CONTROL}
    types = [
        NORMAL if kind == UNUSED and score >= lowest else found.get(kind, kind)
        for kind, score in pairs
    ]
    types[listed.unknown(2)] = UNKNOWN
    return types


def _rwkv(listed: _Tokenizer, path: Path) -> tuple[Vocabulary, list[str]]:
    special: dict[str, int] = {}
    number_of: dict[bytes, int] = {}
    for number, (text, kind) in enumerate(zip(listed.texts, listed.types, strict=True)):
        if kind in (CONTROL, UNKNOWN, USER_DEFINED, UNUSED):
            special[text] = number
            continue
        token = read_spelled(text)
        if token is None or token in number_of:
            raise InputError(f"its token {number} is in an unknown spelling, or given twice")
        number_of[token] = number
    tokens = [token for token in number_of if len(token) > 1]
    vocabulary = Vocabulary(
        tokens,
        method="imported",
        rule="longest_match",
        pretokenizer="none",
        ids=[
            *(number_of.get(bytes([byte]), -1) for byte in range(256)),
            *map(number_of.__getitem__, tokens),
        ],
        special=special,
    )
    return vocabulary, []


_MODELS = {
    "gpt2": _bpe,
    "gemma4": _bpe,
    "llama": _pieces,
    "t5": _pieces,
    "bert": _words,
    "rwkv": _rwkv,
}
