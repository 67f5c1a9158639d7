"""Checks that an exported tokenizer, run by its own library, segments as the vocabulary does."""

from __future__ import annotations

import random
from dataclasses import asdict, dataclass
from itertools import chain
from typing import Any

from ..corpus.pretokenizers.pretokenizer import Pretokenizer
from ..corpus.word_counts import WordCounts
from ..encoding.encoder import Encoder
from ..errors import InputError
from ..segmentation.segmentation import segment
from ..vocabulary.vocabulary import Vocabulary
from .byte_level import pieces_of
from .end_of_word import END, ends_words
from .format import Replay

_WORDS = 4000
# libraries take time quadratic in the length of a word: built-in words longer than the first
# number have at most the second number of symbols together
_LONG, _MAX_LONG_SYMBOLS = 256, 1 << 15
# and words of a corpus that are longer than the first at most this many pairs of a place and a
# length up to that of the longest token: about a minute
_MAX_LOOKUPS = 1 << 34


@dataclass(frozen=True)
class Fidelity:
    """How an exported tokenizer compares with the vocabulary that was exported.

    Attributes
    ----------
    format, path : str
        The format, and the path that was written.
    library : str
        The library that replayed it, with its version.
    rule, written_rule : str
        The vocabulary's rule, and the one that was written.
    pretokenizer, written_pretokenizer : str or None
        The vocabulary's pre-tokenizer, and the one that was written.
    given_up : tuple of str
        What the format could not express.
    remarks : tuple of str
        What is not in the file, though it changes no segmentation.
    built_in : bool
        Whether the words replayed are the built-in ones (see `built_in_words`), not a corpus.
    words, occurrences : int
        Number of words replayed, and of their occurrences.
    words_differing, occurrences_differing : int
        Those that the exported tokenizer segments into other tokens.
    words_unread : int
        Words that the library cannot be given: they are not UTF-8, hold a byte without an id, or
        are so long, as tokens are, that it would not end; the other numbers leave them out.
    tokens, exported_tokens : int
        Σ c(W)·(tokens of W): the vocabulary's, and the exported tokenizer's.
    ids_differing : int
        Number of bytes, tokens and special tokens that have another id.
    text_tokens, exported_text_tokens : int or None
        Number of tokens of the text, if one was given.
    text_same : bool or None
        Whether the text becomes the same tokens.

    Examples
    --------
    >>> from partcover import Vocabulary, WordCounts, export
    >>> vocabulary = Vocabulary(["ab", "abc", "ca"], rule="longest_match", pretokenizer="none")
    >>> words = WordCounts.from_counts({"abca": 3, "ab": 2})
    >>> result = export(vocabulary, "tokens.txt", "list", corpus=words, lossy=True)
    >>> result.verdict, result.written_rule
    ('not exact', 'shortest_path')
    >>> result.words_differing, result.occurrences_differing
    (1, 3)
    """

    format: str
    path: str
    library: str
    rule: str
    written_rule: str
    pretokenizer: str | None
    written_pretokenizer: str | None
    given_up: tuple[str, ...]
    remarks: tuple[str, ...]
    built_in: bool
    words: int
    occurrences: int
    words_differing: int
    occurrences_differing: int
    words_unread: int
    tokens: int
    exported_tokens: int
    ids_differing: int
    text_tokens: int | None = None
    exported_text_tokens: int | None = None
    text_same: bool | None = None

    @property
    def exact(self) -> bool:
        """Whether nothing was given up, and every word, every id and the text are the same."""
        return not (self.given_up or self._differs)

    @property
    def _differs(self) -> bool:
        return bool(self.words_differing or self.ids_differing or self.text_same is False)

    @property
    def verdict(self) -> str:
        """Returns exact, not exact, or not exact although no compared word or text shows it."""
        if self.exact:
            return "exact"
        if self._differs:
            return "not exact"
        return "not exact, though identical in all words and texts that were compared"

    @property
    def cost(self) -> str:
        """Returns what was measured, in one line."""
        words = "built-in words" if self.built_in else "words"
        if self.words_differing:
            more = self.exported_tokens - self.tokens
            percent = 100 * more / self.tokens
            line = (
                f"{self.words_differing:,} of {self.words:,} {words} "
                f"({self.occurrences_differing:,} of {self.occurrences:,} occurrences) are "
                f"tokenized differently: {more:+,} tokens ({percent:+.3f} %)"
            )
        else:
            line = f"all {self.words:,} {words} are tokenized identically: {self.tokens:,} tokens"
        if self.words_unread:
            line += f"; {self.words_unread:,} more cannot be checked with the library"
        if self.ids_differing:
            line += f"; {self.ids_differing:,} ids differ"
        if self.text_tokens is not None and self.exported_text_tokens is not None:
            line += (
                f"; the text is tokenized identically: {self.text_tokens:,} tokens"
                if self.text_same
                else f"; the text is tokenized differently: {self.text_tokens:,} tokens in "
                f"partcover, {self.exported_text_tokens:,} in the library"
            )
        return f"{line} ({self.library})"

    def to_json(self) -> dict[str, Any]:
        """Returns the JSON object that ``export --json`` prints."""
        return {"exact": self.exact, **asdict(self)}


def built_in_words(vocabulary: Vocabulary) -> WordCounts:
    """Makes words of a vocabulary, where there is no corpus; the same ones each time.

    These are its single symbols (all 256 bytes), its tokens, the words that spell its special
    tokens, and strings of tokens, parts of tokens and symbols, drawn with a fixed seed: some
    thousands and the tokens, each counted once, and few of them longer than 256 symbols.  Those
    have at most 32,768 symbols together; longer tokens are not among the words.
    """
    if vocabulary.symbols == "bytes":
        singles: list[Any] = [bytes([b]) for b in range(256)]
    else:
        singles = sorted({token[i : i + 1] for token in vocabulary for i in range(len(token))})
    draw = random.Random(20260101)
    tokens = [token for token in vocabulary if len(token) <= _MAX_LONG_SYMBOLS]
    names: list[Any] = [word for name in vocabulary.special for word in words_of(name, vocabulary)]
    if vocabulary.symbols == "bytes":
        names = [name.encode() for name in names]
    strings = (_drawn(tokens, singles, draw) for _ in range(_WORDS if tokens else 0))
    words: dict[Any, int] = {}
    room = _MAX_LONG_SYMBOLS
    ended = ends_words(vocabulary.pretokenizer)
    for word in chain(singles, tokens, names, strings):
        if ended:
            word = word.replace(END, b"") + END
        if len(word) > _LONG:
            if len(word) > room:
                continue
            room -= len(word)
        words[word] = 1
    return WordCounts.from_counts(words, vocabulary.symbols)


def words_of(name: str, vocabulary: Vocabulary) -> list[str]:
    """Returns the words of a special token's text, by itself and inside a text."""
    try:
        split = Pretokenizer.from_name(vocabulary.pretokenizer or "none").split
    except InputError:  # an unknown pre-tokenizer is given up, and a text is one word
        split = Pretokenizer.from_name("none").split
    return split(name) + split(f"x{name}y")


def _drawn(tokens: list[Any], singles: list[Any], draw: random.Random) -> Any:
    """Draws a string of two to five tokens, some of them shortened or replaced by a symbol."""
    parts = []
    for _ in range(draw.choice((2, 2, 3, 5))):
        token = draw.choice(tokens)
        kind = draw.random()
        if kind < 0.2:
            token = token[: draw.randrange(1, len(token))]
        elif kind < 0.4:
            token = token[draw.randrange(1, len(token)) :]
        elif kind < 0.5:
            token = draw.choice(singles)
        parts.append(token)
    word = parts[0]
    for part in parts[1:]:
        word += part
    return word


def measure(
    replay: Replay, vocabulary: Vocabulary, corpus: WordCounts | None, text: str | None
) -> dict[str, Any]:
    """Replays words, and a text if given, and returns the measured fields of `Fidelity`.

    Parameters
    ----------
    replay : Replay
        The exported tokenizer.
    vocabulary : Vocabulary
        The vocabulary before anything was given up.
    corpus : WordCounts, optional
        The words; by default `built_in_words`.
    text : str, optional
        A text, which is one word where there is no pre-tokenizer.
    """
    words = built_in_words(vocabulary) if corpus is None else corpus
    cut = segment(words, vocabulary)
    pieces = [_bytes(word) for word, _ in words]
    given = _not_endless(pieces, vocabulary)
    replayed = iter(replay.words([pieces[index] for index in given]))
    there: list[list[bytes] | None] = [None] * len(pieces)
    for index in given:
        there[index] = next(replayed)
    totals = dict.fromkeys(
        (
            "words",
            "occurrences",
            "words_differing",
            "occurrences_differing",
            "words_unread",
            "tokens",
            "exported_tokens",
        ),
        0,
    )
    without_id: set[int] = set()  # the bytes that have none
    if vocabulary.symbols == "bytes":
        without_id = {byte for byte in range(256) if vocabulary.id_of[byte] < 0}
    for index, (count, other) in enumerate(zip(words.counts.tolist(), there, strict=True)):
        own = [_bytes(token) for token in cut.of(index)]
        if other is None or not without_id.isdisjoint(t[0] for t in own if len(t) == 1):
            totals["words_unread"] += 1
            continue
        totals["words"] += 1
        totals["occurrences"] += count
        totals["tokens"] += count * len(own)
        totals["exported_tokens"] += count * len(other)
        if own != other:
            totals["words_differing"] += 1
            totals["occurrences_differing"] += count
    ids = 0
    if vocabulary.symbols == "bytes":
        for token, number in zip(pieces_of(vocabulary), vocabulary.id_of, strict=True):
            ids += number != -1 and replay.id_of(token) != number
    if replay.special_id_of is not None:
        ids += sum(replay.special_id_of(t) != number for t, number in vocabulary.special.items())
    measured: dict[str, Any] = {"built_in": corpus is None, **totals, "ids_differing": ids}
    if text is not None and replay.text is not None:
        own = _cut_text(text, vocabulary)
        other = replay.text(text)
        measured |= {
            "text_tokens": len(own),
            "exported_text_tokens": len(other),
            "text_same": own == other,
        }
    return measured


def _not_endless(pieces: list[bytes], vocabulary: Vocabulary) -> list[int]:
    """Returns the indices of the words that the library may be given: it cannot be stopped."""
    longest = max((len(_bytes(token)) for token in vocabulary), default=1)
    room = _MAX_LOOKUPS
    given = []
    for index, piece in enumerate(pieces):
        if len(piece) > _LONG:
            lookups = len(piece) * min(len(piece), longest)
            if lookups > room:
                continue
            room -= lookups
        given.append(index)
    return given


def _bytes(token: Any) -> bytes:
    return token.encode("utf-8") if isinstance(token, str) else bytes(token)


def _cut_text(text: str, vocabulary: Vocabulary) -> list[bytes]:
    name = vocabulary.pretokenizer or "none"
    try:
        if vocabulary.unknown is not None:
            known = zip(vocabulary.id_of, pieces_of(vocabulary), strict=True)
            texts = {number: one.encode() for one, number in vocabulary.special.items()}
            piece_of = {**texts, **dict(known)}
            return [piece_of[number] for number in Encoder(vocabulary, name).encode(text)]
        # ids by place, so that bytes without one are segmented as well
        added = {text: has for text, has in vocabulary.special_flags.items() if "added" in has}
        bare = vocabulary.with_(ids=None, decode_only={}, special=[*added], special_flags=added)
        piece_of = dict(zip(vocabulary.id_of, pieces_of(vocabulary), strict=True))
        names = [piece_of.get(vocabulary.special[one], one.encode()) for one in added]
        ids = Encoder(bare, name).encode(text)
    except InputError:  # its marks cannot be undone, so words are segmented as they are counted
        return _cut_words(Pretokenizer.from_name(name).split(text), vocabulary)
    pieces = [*pieces_of(vocabulary), *names]
    return [pieces[number] for number in ids]


def _cut_words(listed: list[str], vocabulary: Vocabulary) -> list[bytes]:
    words = WordCounts.from_words(listed, vocabulary.symbols)
    cut = segment(words, vocabulary)
    cuts = {
        _bytes(word): [_bytes(token) for token in cut.of(i)] for i, (word, _) in enumerate(words)
    }
    return [token for word in listed for token in cuts[_bytes(word)]]
