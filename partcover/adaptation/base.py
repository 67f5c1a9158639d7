"""States what is to be adapted, checks it, and makes the new vocabulary with its ids."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain
from typing import Any

from .._version import __version__
from ..analysis.word_borders import are_whole_texts, split_at_every_space, split_at_spaces
from ..corpus.normalizers import glance
from ..corpus.symbols import Token
from ..corpus.word_counts import WordCounts
from ..errors import InputError
from ..interop.huggingface.origin import settings_ids
from ..interop.huggingface.word_pieces import with_own_begins
from ..interop.origin import ORIGIN
from ..problem.certificates.certificate import Certificate
from ..problem.instance import Instance
from ..problem.solution import Termination
from ..runtime.limits import RunLimits
from ..runtime.progress import Progress
from ..vocabulary.vocabulary import Vocabulary

_OF_BYTES = ("bytes", "spelled_bytes")  # ways to decode tokens that split characters

_NEAR = 1 << 16  # ids between the last one and one of the settings
_MOST_LISTED = 20_000_000  # substrings that are listed


@dataclass(frozen=True)
class Task:
    """What is to be added: m tokens to the base, so that the words of `objective` need few.

    With a `limit`, the words of `keep` must not need more tokens.
    """

    base: Vocabulary
    objective: WordCounts
    m: int
    limits: RunLimits = field(default_factory=RunLimits)
    progress: Progress = field(default_factory=Progress)
    keep: WordCounts | None = None
    limit: int | None = None


@dataclass(frozen=True)
class Added:
    """What was added, with its gains (`Adaptation.gains`), and the proof of how good it is."""

    vocabulary: Vocabulary
    gains: tuple[int, ...]
    instance: Instance
    certificate: Certificate
    termination: Termination


def check_words(base: Vocabulary, words: WordCounts, name: str = "the corpus") -> None:
    """Refuses words that are not what a vocabulary splits text into.

    They may be over other symbols, of another pre-tokenizer or normalizer, or lack the end-of-word
    mark.
    """
    if base.symbols != words.symbols:
        raise InputError(
            f"the tokenizer is over {base.symbols}, but {name} is over {words.symbols}"
        )
    if base.pretokenizer and words.pretokenizer not in (None, base.pretokenizer):
        raise InputError(
            f"{name} was counted with {words.pretokenizer}, but the tokenizer splits text by "
            f"{base.pretokenizer}: give its text, or count it with this one"
        )
    if words.pretokenizer is not None and base.normalizer != words.normalizer:
        both = [
            "not normalized" if one is None else f"normalized by {glance(one)}"
            for one in (base.normalizer, words.normalizer)
        ]
        raise InputError(f"the tokenizer is for text {both[0]}, but {name} is for text {both[1]}")
    if base.end_of_word is not None:
        words.refuse_without(base.end_of_word)


def refuse_rule(base: Vocabulary) -> None:
    """Refuses a vocabulary whose rule no tokens can be chosen for."""
    if base.rule == "single_symbols":
        raise InputError("the rule single_symbols uses no tokens: name another rule")
    if base.rule == "superword_merges":
        raise InputError(
            "no tokens can be chosen for the rule superword_merges; rule='shortest_path' (--rule "
            "shortest_path) chooses them for the shortest path"
        )


def split_texts(
    base: Vocabulary, words: WordCounts, keep: WordCounts | None = None
) -> tuple[WordCounts, WordCounts | None]:
    """Returns corpora with whole texts split where no token of the base reaches across."""
    if not are_whole_texts(words):
        return words, keep
    return split_at_spaces(words, base), None if keep is None else split_at_spaces(keep, base)


def weighed(words: WordCounts, others: WordCounts | None, weights: tuple[int, int]) -> WordCounts:
    """Returns the words of two corpora, with their counts multiplied."""
    if others is None or not weights[1]:
        return words
    pairs = (
        ((word, count * weight) for word, count in corpus)
        for corpus, weight in zip((words, others), weights, strict=True)
    )
    return words.subset(chain.from_iterable(pairs))


def next_id(base: Vocabulary) -> int:
    """Returns the first id after all ids of a vocabulary, special tokens included.

    Tokens that only the settings beside its file name count, too, unless their ids are far away.
    """
    first = max((*base.id_of, *base.special.values(), *base.decode_only)) + 1
    beside = (number for number in settings_ids(base).values() if number < first + _NEAR)
    return max((first, *(number + 1 for number in beside)))


def extended(base: Vocabulary, new: Sequence[Token], **use: Any) -> Vocabulary:
    """Returns a vocabulary with further tokens behind all others; `use`: merges, scores."""
    ids = base.ids
    if base.symbols == "bytes" and (first := next_id(base)) != len(base.id_of):
        ids = (*base.id_of, *range(first, first + len(new)))
    return base.with_(tokens=(*base.tokens, *new), ids=ids, **use)


def adapted(vocabulary: Vocabulary, base: Vocabulary, method: str, **facts: Any) -> Vocabulary:
    """Returns a vocabulary that records what it was made of, and how.

    The end-of-word mark of its words is kept, as tokens hold it, and so is what is known of the
    file that the first base was read from.  Where the pre-tokenizer knows the tokens, it is renewed
    (`with_own_begins`).
    """
    before = base.provenance
    if isinstance(first := before.get("base"), Mapping):  # adapted before
        before = {**first, **before}
    kept = ("format", "source", "source_sha256", ORIGIN)
    source = {key: before[key] for key in kept if key in before}
    mark = {} if base.end_of_word is None else {"end_of_word": base.end_of_word}
    provenance = {**mark, "partcover": __version__, "base": source, **facts}
    return with_own_begins(vocabulary).with_(method=method, provenance=provenance)


def text_of(token: Token) -> str | None:
    """Returns a token over bytes as text; None if it splits a character."""
    try:
        return bytes(token).decode("utf-8")  # type: ignore[arg-type]
    except UnicodeDecodeError:
        return None


def needs_whole_characters(base: Vocabulary) -> bool:
    """Returns whether a token that splits a character is of no use to a vocabulary.

    So it is where merging starts from characters, where tokens are text, and where a byte has no
    id, but for merging bytes: there merges join what is left of a character, too.
    """
    if base.symbols != "bytes":
        return False
    if base.rule == "character_merges" or base.decoding.style not in _OF_BYTES:
        return True
    return base.rule != "merges" and -1 in base.id_of


def of_merging_characters(base: Vocabulary) -> Callable[[Token], bool]:
    """Returns the function that says whether merging characters may make a token.

    Where bytes have ids beside their characters, other bytes are no characters, nor are those
    without an id.  A character of several bytes may be made a token itself.
    """
    beside = {ord(text) for text in base.decode_only.values() if len(text) == 1}
    singles = {byte for byte in beside or range(0x80) if base.id_of[byte] >= 0}

    def made(token: Token) -> bool:
        text = text_of(token)
        if text is None or base.rule != "character_merges" or len(singles) == 0x80:
            return text is not None
        return all(ord(character) >= 0x80 or ord(character) in singles for character in text)

    return made


def words_within(base: Vocabulary, words: WordCounts) -> WordCounts | None:
    """Returns the words of which new tokens are parts, where tokens of the base reach across them.

    Parts of whole texts contain a space behind another character only where a token of the base
    reaches across it (`split_at_spaces`).  A new token with such a place might also occur where the
    text was split; a token without one never does.  None if no part holds such a place.
    """
    if base.pretokenizer != "none":
        return None
    within = split_at_every_space(words)
    return None if within.total_count == words.total_count else within


def all_substrings(words: WordCounts) -> list[Token]:
    """Returns all substrings of two or more symbols; refuses too many, as long words have."""
    sizes = [size * (size - 1) // 2 for size in (words.offsets[1:] - words.offsets[:-1]).tolist()]
    if sum(sizes) > _MOST_LISTED:
        raise InputError(
            f"the text has words of up to {max(sizes):,} substrings, {sum(sizes):,} in all, and "
            f"{_MOST_LISTED:,} can be listed, which is needed where not all of them may become "
            "tokens: take a smaller text, or one of shorter words"
        )
    return [*Instance(words, 0).candidate_index(dominated=True).tokens()]
