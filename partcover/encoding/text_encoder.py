"""Encodes one or many texts to ids."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property, partial
from typing import Any, Literal, Self, TypeAlias, TypeVar

import numpy as np
import numpy.typing as npt

from ..corpus.normalizers.normalizer import Normalizer
from ..corpus.pretokenizers.character_kinds import character_kinds
from ..corpus.pretokenizers.pretokenizer import Pretokenizer
from ..corpus.pretokenizers.raw_words import raw_rules
from ..corpus.pretokenizers.rules import PretokenizerRule
from ..corpus.pretokenizers.splitters import Splitter
from ..errors import InputError
from ..kernels.encoding._encoder import RunningCache, ShortMerges, ShortTexts, TokenTable, WordCache
from ..runtime.arguments import Threads, checked, plain
from ..runtime.notebook import brief
from ..segmentation.cutters import cutter
from ..segmentation.merge_cutter import MergeCutter
from ..segmentation.protocols import Draw
from ..segmentation.text_cutter import TextCutter
from ..vocabulary.rules import SegmentationRule
from ..vocabulary.vocabulary import FUNCTION, Vocabulary
from .collected import Collected, CollectedInOrder, Counted
from .decoding import Decoder
from .listing import listed
from .offsets import (
    Spans,
    Trim,
    character_lengths,
    joined_runs,
    original_spans,
    spans,
    token_spans,
    traced_spans,
    without_spaces,
)
from .special import Part, Special, SpecialTokens
from .text import (
    Numbers,
    UnknownNumbers,
    as_bytes,
    joined,
    placed,
    space_mark,
)
from .utf8 import about_bytes, utf8
from .worker import PART, Workers, token_table

Unit: TypeAlias = Literal["bytes", "chars"]
_Result = TypeVar("_Result")
_Sink = TypeVar("_Sink", Collected, Counted)
Ids: TypeAlias = npt.NDArray[np.uint16] | npt.NDArray[np.uint32]

_CACHE = 1 << 26
# if there are this many times as many ids as tokens, no objects are stored for the ids
_SPARSE = 16


class TextEncoder(Decoder):
    """Encodes texts; `Encoder` adds sampling and files, and describes the parameters."""

    @checked
    def __init__(
        self,
        vocabulary: Vocabulary,
        pretokenizer: str | Splitter | None = None,
        rule: SegmentationRule | None = None,
        *,
        threads: Threads = 1,
        cache: int = _CACHE,
        seed: int = 0,
    ) -> None:
        given = pretokenizer or vocabulary.need_pretokenizer()
        if cache < 0:
            raise InputError(f"cache is {cache}: it must be a number of bytes, or 0")
        if vocabulary.end_of_word is not None:
            raise InputError(
                f"the vocabulary is for words that end in {vocabulary.end_of_word!r}, which no "
                "pre-tokenizer writes: train without end_of_word"
            )
        ids = [*vocabulary.id_of, *vocabulary.special.values()]
        rules = Pretokenizer.of(given)
        if not isinstance(given, str):  # a function, which no file can store
            facts = {**vocabulary.provenance, FUNCTION: rules.name}
            vocabulary = vocabulary.with_(provenance=facts)
        self.vocabulary = vocabulary
        self.pretokenizer = rules.name
        self._given = given
        self._seed = seed
        self._drawn: dict[str, Any] | None = None  # the arguments of `sampling`
        self.rule: SegmentationRule = rule or vocabulary.rule
        self.threads = threads
        #: uint16 if every id fits, else uint32.
        self.dtype = np.dtype(np.uint16 if max(ids) < 1 << 16 else np.uint32)
        self._rules = rules.rules
        self._steps = rules.steps
        self._following: Pretokenizer | None = None  # the rules after a special token
        if rules.steps is not None and rules.steps.only_first:
            self._following = Pretokenizer.from_steps(rules.steps.following())
        self._normal = Normalizer.of(vocabulary.normalizer)
        if self._normal is not None:
            self._normal.of_bytes("é".encode())  # makes its tables, before the first text comes
        # rules for text that is not yet normalized
        self._raw = raw_rules(self._normal, self._steps)
        if self._raw is not None and self._normal is None:
            self._rules, self._raw = self._raw, None
        #: The change of a text before it is split; None if there is none.
        self.normalizer = None if self._normal is None else self._normal.name
        mark = space_mark(self._rules[0].mark, [rule.mark for rule in self._rules[1:]])
        named = given if isinstance(given, str) else None
        self._cut = cutter(vocabulary, self.rule, seed=seed, pretokenizer=named)
        self._merges: ShortMerges | None = None
        if isinstance(self._cut, MergeCutter) and self._cut.last_merges is not None:
            self._merges = ShortMerges(*self._cut.last_merges)
        # for words whose segmentation depends on the text before
        self._running: TextCutter | None = None
        if isinstance(self._cut, TextCutter):
            own = given == vocabulary.pretokenizer and self._raw is None
            whole = vocabulary.unknown is None or vocabulary.unknown.part != "word"
            if own and whole and len(self._rules) == 1 and self._rules[0].keeps:
                self._running = self._cut
        self._draw: Callable[..., None] | None = None
        self._samplers: dict[str, Draw] = {}
        self._cache = cache

        texts: list[bytes] = [bytes((byte,)) for byte in range(256)]
        tokens = [token for token in vocabulary if isinstance(token, bytes)]
        self._tokens: TokenTable | None = None
        if cache and self._running is None:
            longest = None if vocabulary.unknown is None else vocabulary.unknown.longest
            self._tokens = token_table(self._raw or self._rules, self._cut, tokens, mark, longest)
        texts += tokens
        self._special = SpecialTokens(vocabulary, len(texts), self._normal)
        texts += [text.encode() for text in vocabulary.special]
        self._lengths = np.array([len(text) for text in texts], np.int64)
        self._lacks = np.array(ids[:256]) < 0
        self._unknown = None
        if (unknown := vocabulary.unknown) is not None:
            self._unknown = UnknownNumbers(len(ids), unknown.part, unknown.longest)
            ids.append(vocabulary.special[unknown.token])
        #: the id of each number; larger numbers have the id of the last one
        self._ids = np.maximum(ids, 0).astype(np.int32)
        #: an object for each id, unless there are far more ids than tokens
        self._values: list[int] | None = None
        if max(ids) < _SPARSE * len(ids):
            self._values = list(range(max(ids) + 1))
        # an added token may have the id of a token, which then decodes as the token
        names = {number: text.encode() for text, number in vocabulary.special.items()}
        pieces = dict(zip(vocabulary.id_of, texts, strict=False))
        text_of = {**vocabulary.decode_only, **names, **pieces}
        text_of.pop(-1, None)
        how = vocabulary.decoding
        for name, shown in how.shown.items():
            if name in vocabulary.special:
                text_of[vocabulary.special[name]] = shown.encode()
        # if a byte has two ids, the one that is only decoded is not a character
        alone = {text[0]: n for n, text in vocabulary.decode_only.items() if len(text) == 1}
        singles = {**dict(enumerate(vocabulary.id_of[:256])), **alone}
        if unknown is not None:  # then the single id of an ASCII character may be no byte's
            singles = {b: n for b, n in singles.items() if b in alone or (b > 127 and n >= 0)}
        fallback = singles.values()
        skipped = [
            number
            for text, number in vocabulary.special.items()
            if "added" not in vocabulary.special_flags.get(text, ()) and text not in how.shown
        ]
        apart = set(vocabulary.special.values()).difference(vocabulary.id_of)
        super().__init__(
            text_of, apart, skipped, mark, rules.steps, self._normal,
            how, fallback, vocabulary.decode_only,
        )  # fmt: skip
        self._renew_workers()

    def __repr__(self) -> str:
        tokens = f"{len(self.vocabulary):,} tokens"
        drawn = None if self._drawn is None else f"drawn with seed {self._drawn['seed']}"
        return brief("Encoder", tokens, self.pretokenizer, self.rule, drawn)

    def __copy__(self) -> Self:
        other = object.__new__(type(self))
        other.__dict__.update(self.__dict__)
        other._samplers = dict(self._samplers)
        other._renew_workers()
        return other

    def encode(self, text: str | bytes, *, special: Special = "text") -> list[int]:
        """Returns the ids of a text.

        Parameters
        ----------
        text : str or bytes
            The text, which is encoded as UTF-8; lone surrogates U+DC80 to U+DCFF represent the
            bytes that Python decodes to them.
        special : {"text", "parse", "error"} or collection of str
            Whether special tokens in the text are ordinary text, become their ids (the longest one
            if several begin at a position), or are an error.  With a collection, only those in it
            become their ids.  So an untrusted text cannot insert special tokens that were not
            requested.  Added tokens that are not special (with the flag ``added``) are always
            found, as in their library.

        Returns
        -------
        list of int
            O(len(text)) time for words in the table, and the rule's own time for other words.

        Raises
        ------
        InputError
            For a byte without an id that no token covers, a special token where they are an
            error, or other lone surrogates.

        Examples
        --------
        >>> from partcover import Encoder, Vocabulary
        >>> encoder = Encoder(Vocabulary(["ab"], special=["<s>"]), "gpt2")
        >>> encoder.encode("ab<s>", special="parse")
        [256, 257]
        """
        values: list[int] | None = self._short.values(text, special)
        if values is not None:
            return values
        found: list[Collected] = []
        self._collect(self._prepared(text, special), special, _collected, found.append)
        return listed([part.result() for part in found], self._values, self.threads)

    def encode_to_numpy(self, text: str | bytes, *, special: Special = "text") -> Ids:
        """Returns the ids of a text as an array of `dtype`; otherwise as `encode`."""
        ids: Ids | None = self._short.array(text, special)
        if ids is not None:
            return ids
        data = self._prepared(text, special)
        if self.threads == 1:
            size = len(data) if isinstance(data, bytes) else about_bytes(data)
            only = Collected(size, self.dtype)
            self._collect(data, special, lambda _: only, lambda _: None)
            return only.result()
        out = CollectedInOrder(len(data), self.dtype)
        self._collect(data, special, out.new, out.take)
        return out.result()

    def count(self, text: str | bytes, *, special: Special = "text") -> int:
        """Returns how many tokens a text has; otherwise as `encode`, and faster.

        Examples
        --------
        >>> from partcover import Encoder, Vocabulary
        >>> Encoder(Vocabulary(["ab"]), "gpt2").count("abc")
        2
        """
        tokens = self._short.count(text, special)
        if tokens is not None:
            return tokens
        found: list[Counted] = []
        self._collect(self._prepared(text, special), special, Counted, found.append)
        return sum(part.result() for part in found)

    @checked
    def encode_with_offsets(
        self,
        text: str | bytes,
        *,
        unit: Unit = "bytes",
        special: Special = "text",
        trim: Trim = "nothing",
    ) -> tuple[list[int], list[tuple[int, int]]]:
        """Returns the ids of a text, and the span of each token in it.

        Parameters
        ----------
        text, special
            As for `encode`.
        unit : {"bytes", "chars"}
            The unit of the offsets.  If a token ends inside a character, or inside the mark of a
            space, its span includes all of it.  Offsets are positions in the original text: the
            span of a token covers the text from which the vocabulary's normalizer made it.
        trim : {"nothing", "spaces", "later_spaces"}
            The spaces at the ends of a token that are left out of its span, as Hugging Face's
            ``trim_offsets`` does: none, all, or, as there with ``add_prefix_space``, all but a
            single one at the start of the text.

        Returns
        -------
        ids : list of int
            As `encode` returns them.
        offsets : list of (int, int)
            Start and end of each token.

        Raises
        ------
        InputError
            As for `encode`, or for an unknown unit.

        Examples
        --------
        >>> from partcover import Encoder, Vocabulary
        >>> Encoder(Vocabulary(["ab"]), "gpt2").encode_with_offsets("abc")
        ([256, 99], [(0, 2), (2, 3)])
        """
        data = as_bytes(text, "the text")
        numbers: list[Numbers] = []
        starts: list[npt.NDArray[np.int64]] = []
        ends: list[npt.NDArray[np.int64]] = []
        base = at = 0
        for raw in self._special.cut(data, special):
            given: list[Spans] = []  # in the normalized part
            size = 0
            for part in self._inner(raw, special):
                if part.number is not None:
                    numbers.append(np.array([part.number], np.int32))
                    span = np.array([0]), np.array([len(part.text)])
                else:
                    follows = bool(numbers)
                    some: list[Collected] = []
                    self._numbering.numbers(
                        part.text, at, self.threads, _collected, some.append, follows=follows
                    )
                    numbers.append(joined([one.result() for one in some]))
                    span = self._spans(part.text, self._lengths_of(numbers[-1]), follows)
                    at += len(part.text)
                given.append((span[0] + size, span[1] + size))
                size += len(part.text)
            start, end = (np.concatenate(side) for side in zip(*given, strict=True))
            if raw.number is None and self._normal is not None:
                start, end = original_spans(raw.text, self._normal, (start, end))
            starts.append(start + base)
            ends.append(end + base)
            base += len(raw.text)
        start, end = (np.concatenate([np.zeros(0, np.int64), *parts]) for parts in (starts, ends))
        if unit == "chars":
            start, end = spans(character_lengths(data), start, end)
        found = np.minimum(joined(numbers), len(self._ids) - 1)
        if self.rule == "likelihood" and self.vocabulary.decoding.style == "byte_fallback":
            # its library replaces a run of unknown characters by one piece, byte by byte
            inside = np.isin(self._ids[found], [*self._fallback])
            start, end = joined_runs((start, end), inside)
        if trim != "nothing":
            before, behind = (side[found] for side in self._spaces)
            start, end = without_spaces((start, end), before, behind, first=trim == "later_spaces")
        offsets = list(zip(start.tolist(), end.tolist(), strict=True))
        return self._ids[found].tolist(), offsets

    @cached_property
    def _spaces(self) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
        """The number of spaces at the beginning and end of each number (white space if special)."""
        texts = [self._text_of.get(number, b"") for number in self._ids.tolist()]
        special = set(self._special.numbers.values())
        white = [None if number in special else " " for number in range(len(texts))]
        names = [text.decode("utf-8", "surrogateescape") for text in texts]
        before = [len(t) - len(t.lstrip(w)) for t, w in zip(names, white, strict=True)]
        behind = [len(t) - len(t.rstrip(w)) for t, w in zip(names, white, strict=True)]
        return np.array(before, np.int64), np.array(behind, np.int64)

    def _prepared(self, text: str | bytes, special: Special) -> str | bytes:
        """Returns a text in UTF-8, or unchanged if only words are looked up in it."""
        alike = self._normal is None or self._normal.keeps_ascii or self._takes_raw(special)
        looks_up = isinstance(special, str) and special == "text" and self._draw is None and alike
        if isinstance(text, str) and looks_up and self._special.absent(text, special):
            return plain(text)
        return as_bytes(text, "the text")

    def _collect(
        self,
        text: str | bytes,
        special: Special,
        new: Callable[[int], _Sink],
        take: Callable[[_Sink], object],
    ) -> None:
        """Collects the ids of a text in what `new` makes for parts of it; `take` gets each."""
        workers = self._workers_for(special)
        if isinstance(text, str):
            try:
                workers.numbers(text, 0, self.threads, new, take)
            except (InputError, UnicodeEncodeError):
                # if there are several errors, raise the one that a single thread would find
                as_bytes(text, "the text")
                raise
            return
        parts = self._parts(text, special)
        for place, (at, part) in enumerate(placed(parts)):
            if isinstance(part, np.ndarray):
                ids = new(len(part))
                ids.append(part, len(part))
                take(ids)
            else:
                workers.numbers(part, at, self.threads, new, take, follows=place > 0)

    def _parts(self, text: bytes, special: Special) -> list[bytes | Numbers]:
        """Splits a text at special tokens, and normalizes the rest if workers do not."""
        parts = self._special.cut(text, special)
        if not self._takes_raw(special):
            parts = [part for raw in parts for part in self._inner(raw, special)]
        return [part.text if part.number is None else self._ids[[part.number]] for part in parts]

    def _takes_raw(self, special: Special) -> bool:
        """Returns whether workers accept text that is not normalized."""
        raw = self._raw is not None and self._draw is None
        return raw and not self._special.finds_normalized(special)

    def _workers_for(self, special: Special) -> Workers:
        return self._raw_workers if self._takes_raw(special) else self._workers

    def _inner(self, part: Part, special: Special) -> list[Part]:
        """Normalizes a part, and splits it at the special tokens in normalized text."""
        if part.number is not None:
            return [part]
        text = part.text if self._normal is None else self._normal.of_bytes(part.text)
        return self._special.cut_normalized(text, special)

    def _spans(self, text: bytes, lengths: npt.NDArray[np.int64], follows: bool) -> Spans:
        """Returns the spans of tokens with these lengths, into which a text was split."""
        steps = self._steps
        if steps is None or steps.keeps:
            return token_spans(text, lengths, self._mark)
        if follows and self._following is not None:
            steps = self._following.steps or steps
        pieces = steps.pieces(text.decode("utf-8", "surrogateescape"))
        return traced_spans(text, pieces, lengths)

    def _renew_workers(self) -> None:
        following = None if self._following is None else self._following.rules
        # the table of tokens is for rules of one kind
        normal = self._normal
        if normal is not None and not normal.keeps_ascii:
            normal = None  # in this case texts are normalized before
        self._workers = self._new_workers(self._rules, self._raw is None, following, normal)
        self._raw_workers = self._new_workers(self._raw or self._rules, True, following)
        raw = self._takes_raw("text")
        #: whether nothing changes bytes before their words are looked up; nothing is drawn
        self._is_plain_text = self._draw is None and (raw or self._normal is None)
        ascii_too = self._draw is None and self._normal is not None and self._normal.keeps_ascii
        self._short = ShortTexts(
            self._workers_for("text"), self._is_plain_text or ascii_too, self._is_plain_text,
            self._special.absent if self._special.finds("text") else None, utf8, PART,
            self._values, self.dtype,
        )  # fmt: skip
        #: return numbers instead of ids, since several tokens may have the same id
        self._numbering = self._new_workers(
            self._rules, self._raw is None, following, normal, numbers=True
        )

    def _new_workers(
        self,
        rules: tuple[PretokenizerRule, ...],
        known: bool,
        following: tuple[PretokenizerRule, ...] | None,
        normal: Normalizer | None = None,
        *,
        numbers: bool = False,
    ) -> Workers:
        drawn = self._draw is not None
        kinds = character_kinds() if rules[0].kinds is None else rules[0].kinds
        running = None if drawn else self._running
        arguments = (
            rules[0].finder, kinds, self._mark, self._cache,
            self._tokens if known and not drawn else None, rules[0].phrase,
            self._short_merges(rules) if known and not drawn else None,
            None if numbers else self._ids,
        )  # fmt: skip
        new_cache: Callable[[], WordCache] = partial(WordCache, *arguments)
        if running is not None:
            table = self._scores_of(numbers=numbers)
            new_cache = partial(self._running_cache, partial(RunningCache, *arguments), table)
        return Workers(
            rules, self._draw or self._cut, self._lacks, self._unknown, self._mark, new_cache,
            drawn=drawn, following=following, normal=normal, running=running is not None,
        )  # fmt: skip

    def _running_cache(
        self, new_cache: Callable[[], RunningCache], table: npt.NDArray[np.float32] | None
    ) -> RunningCache:
        """Returns a table of words that are segmented by sums over a whole text."""
        assert self._running is not None
        unknown = self._unknown
        first, apart = (0, False) if unknown is None else (unknown.first, unknown.part != "run")
        lacks = self._lacks.view(np.uint8)
        return new_cache().set_scores(self._running.scores, lacks, first, apart, table)

    def _scores_of(self, *, numbers: bool) -> npt.NDArray[np.float32] | None:
        """Returns the scores of ids or numbers; None for sums of 64 bits or many ids."""
        assert self._running is not None
        scores = self._running.scores.scores_of_numbers()
        size = len(scores) if numbers else len(self._values or ())
        if self.vocabulary.sums != "text32" or not size:
            return None
        table = np.zeros(size + 1, np.float32)
        known = np.flatnonzero(~np.concatenate([self._lacks, np.zeros(len(scores) - 256, bool)]))
        table[known if numbers else self._ids[known]] = scores[known]
        return table

    def _short_merges(self, rules: tuple[PretokenizerRule, ...]) -> ShortMerges | None:
        """Returns a segmenter of short words by merges, if words need no other processing."""
        if self._merges is None or len(rules) > 1 or self._mark != b" " or self._lacks.any():
            return None
        assert isinstance(self._cut, MergeCutter)
        if self._cut.keeps_whole and self._tokens is None:
            return None  # no table says which words are tokens
        return self._merges

    def _lengths_of(self, numbers: Numbers) -> npt.NDArray[np.int64]:
        """Returns the number of bytes that each number represents."""
        if self._unknown is None:
            return self._lengths[numbers]
        first = self._unknown.first
        known = self._lengths[np.minimum(numbers, first - 1)]
        return np.where(numbers < first, known, numbers.astype(np.int64) - first)


def _collected(size: int) -> Collected:
    return Collected(size, np.int32)


@checked
def thread_count(threads: Threads) -> int:
    """Returns a valid number of threads."""
    return threads
