"""Defines `Vocabulary`: ordered tokens, how they are used, and their file."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from copy import deepcopy
from dataclasses import dataclass, field, replace
from functools import cached_property
from os import PathLike, fspath
from pkgutil import resolve_name
from types import MappingProxyType
from typing import Any, SupportsIndex, overload

from ..corpus import symbols as sym
from ..corpus.normalizers import glance
from ..corpus.symbols import Symbols, Token
from ..errors import InputError
from ..runtime.arguments import checked, closest, shown
from ..runtime.files.kinds import likely_mistake
from ..runtime.files.writing import facts_of, read_json, write_atomic
from ..runtime.notebook import brief, html_table
from .checks import all_are, checked_merges, checked_score, refuse_one_of
from .content import use_from_json
from .decoding import Decoding
from .rules import ScoreSums, SegmentationRule
from .special import (
    SpecialFlag,
    checked_flags,
    checked_others,
    checked_special,
    listed_flags,
    whole_number,
)
from .unknown import Unknown

#: The provenance key with the name of the Python function that split text into words.
FUNCTION = "pretokenizer_function"

VERSION = 3
_MOST = 3.4028234663852886e38  # the largest floating-point number of 32 bits
_FORMAT = "partcover-vocabulary"
_OTHER_READER = "partcover.interop.load:read_other"


@dataclass(frozen=True)
class Vocabulary:
    """A vocabulary: ordered tokens of two or more symbols; single symbols are always available.

    It cannot be changed: its mappings are read-only, and `with_` makes another one.

    Parameters
    ----------
    tokens : iterable of token
        Distinct tokens; their order is the priority order for rules that have one.
    symbols : {"bytes", "chars", "ints"}
        The alphabet of the tokens.
    method : str
        The method that chose the tokens.
    provenance : mapping
        Where the tokens come from, as anything that JSON can hold: the corpus's hash, options,
        versions, results.  It is copied as a file would have it.
    rule : str
        The segmentation rule the tokens are meant for; `partcover.segment` lists them.
    pretokenizer : str, optional
        How text is split into words for these tokens; see
        `partcover.corpus.pretokenizers.rules`.
    normalizer : str, optional
        How a text is changed before it is split; see `partcover.corpus.normalizers.normalizer`.
    merges : sequence of pair of token, optional
        For the rules ``merges`` and ``character_merges``: the pairs in the order in which they
        merge; each side is a token or a single symbol.  Without them, any two neighbors that
        together form a token may merge, in the order of the vocabulary, as in tiktoken.
    scores : sequence of float, optional
        For the rule ``likelihood``: the natural logarithm of each token's probability.
    symbol_scores : mapping of token to float, optional
        For the rule ``likelihood``: the same for single symbols; missing symbols get the smallest
        of all scores − 10, see `symbol_score`.
    sums : {"word", "text", "text32"}
        For the rule ``likelihood``: where scores are added up.  ``word``: in each word.  Libraries
        that treat a text as one word add them up over the whole text: with 64 bits (``text``), or
        with 32 bits as sentencepiece does (``text32``).  Then rounding, and ties up to rounding,
        depend on the words before.
    ids : sequence of int, optional
        The ids of the 256 bytes and then of the tokens, all distinct; −1 for a byte without an
        id.  By default 0, 1, 2, ….  Over other symbols there are no ids.
    special : mapping of str to int, iterable of str, or str
        Special tokens, which no segmentation uses, and their ids; by default the ids after all
        others.  A special token with the flag ``added`` may have the id of a byte or a token: then
        it is found in a text before the text is segmented, and decodes as the token does.
    special_flags : mapping of str to sequence of str, optional
        How special tokens are found in a text when they are parsed: ``single_word``, only if no
        letter or digit is next to it; ``lstrip``, ``rstrip``, with the white space before or after
        it; ``normalized``, in the normalized text.  ``added`` is for a token that its own library
        adds to the vocabulary but does not call special.  Further flags say what tokens are for,
        if their spelling does not: ``bos`` and ``eos`` begin and end texts, ``pad`` is padding, and
        ``unk``, ``sep``, ``cls``, ``mask``.
    unknown : Unknown, optional
        The special token for text without an id; without one, such text is an error.
    decode_only : mapping of int to bytes, optional
        Further ids that are never produced by encoding, and the bytes that they decode to.  These
        are unreachable entries of a model, for example of a byte whose character has a piece too.
    decoding : Decoding, optional
        How ids become text, if the other fields do not imply it.

    Raises
    ------
    InputError
        For a duplicate, a token of fewer than two symbols, an unknown rule, a merge whose result
        is no token, scores or ids that do not fit the tokens, or an id given twice.

    Examples
    --------
    >>> from partcover import Vocabulary
    >>> vocabulary = Vocabulary(["the", "cat"], pretokenizer="gpt2")
    >>> len(vocabulary), vocabulary[0], "cat" in vocabulary
    (2, b'the', True)
    >>> vocabulary.id_of[256:]
    (256, 257)
    """

    tokens: tuple[Token, ...]
    symbols: Symbols = "bytes"
    method: str = "given"
    provenance: Mapping[str, Any] = field(default_factory=dict)
    rule: SegmentationRule = "shortest_path"
    pretokenizer: str | None = None
    normalizer: str | None = None
    merges: tuple[tuple[Token, Token], ...] | None = None
    scores: tuple[float, ...] | None = None
    symbol_scores: Mapping[Token, float] = field(default_factory=dict)
    sums: ScoreSums = "word"
    ids: tuple[int, ...] | None = None
    special: Mapping[str, int] = field(default_factory=dict)
    special_flags: Mapping[str, tuple[SpecialFlag, ...]] = field(default_factory=dict)
    unknown: Unknown | None = None
    decode_only: Mapping[int, bytes] = field(default_factory=dict)
    decoding: Decoding = field(default_factory=Decoding)

    @checked
    def __init__(
        self,
        tokens: Iterable[Any],
        symbols: Symbols = "bytes",
        method: str = "given",
        provenance: Mapping[str, Any] | None = None,
        *,
        rule: SegmentationRule = "shortest_path",
        pretokenizer: str | None = None,
        normalizer: str | None = None,
        merges: Iterable[tuple[Any, Any]] | None = None,
        scores: Iterable[float] | None = None,
        symbol_scores: Mapping[Any, float] | None = None,
        sums: ScoreSums = "word",
        ids: Iterable[int] | None = None,
        special: Mapping[str, int] | Iterable[str] | str = (),
        special_flags: Mapping[str, Iterable[str]] | None = None,
        unknown: Unknown | None = None,
        decode_only: Mapping[int, bytes] | None = None,
        decoding: Decoding | None = None,
    ) -> None:
        converted = tuple(tokens)
        if symbols != "bytes" or not all_are(bytes, converted):
            converted = tuple(sym.to_token(token, symbols) for token in converted)
        seen = set(converted)
        if len(seen) < len(converted) or min(map(len, converted), default=2) < 2:
            refuse_one_of(converted)
        set_ = object.__setattr__
        set_(self, "tokens", converted)
        set_(self, "symbols", symbols)
        set_(self, "method", method)
        set_(self, "provenance", MappingProxyType(facts_of(provenance or {}, "provenance")))
        set_(self, "rule", rule)
        set_(self, "pretokenizer", pretokenizer)
        set_(self, "normalizer", normalizer)
        set_(self, "merges", None if merges is None else checked_merges(merges, seen, symbols))
        set_(self, "scores", None if scores is None else tuple(map(checked_score, scores)))
        singles = {
            sym.to_token(s, symbols): checked_score(v) for s, v in (symbol_scores or {}).items()
        }
        set_(self, "symbol_scores", MappingProxyType(singles))
        set_(self, "sums", sums)
        self._check_scores()
        numbers = None if ids is None else tuple(whole_number(number) for number in ids)
        set_(self, "ids", numbers)
        next_id = self._check_ids()
        used = set(range(256 + len(converted)) if numbers is None else numbers)
        others = checked_others(decode_only, symbols, used)
        set_(self, "decode_only", MappingProxyType(others))
        next_id = max([next_id, *(number + 1 for number in others)])
        flags = listed_flags(special_flags)
        named = checked_special(special, next_id, used, others, flags)
        set_(self, "special", MappingProxyType(named))
        set_(self, "special_flags", MappingProxyType(checked_flags(flags, named)))
        if unknown is not None and unknown.token not in self.special:
            raise InputError(f"unknown: {unknown.token!r} is not a special token")
        set_(self, "unknown", unknown)
        set_(self, "decoding", decoding or Decoding())

    def _check_scores(self) -> None:
        if self.sums != "word" and self.symbols != "bytes":
            raise InputError(
                f"sums over a text need tokens over bytes; these tokens are over {self.symbols}"
            )
        if self.scores is None:
            if self.rule == "likelihood":
                raise InputError("the rule likelihood needs scores, one for each token")
            return
        if len(self.scores) != len(self.tokens):
            raise InputError(f"{len(self.scores)} scores for {len(self.tokens)} tokens")
        for symbol in self.symbol_scores:
            if len(symbol) != 1:
                raise InputError(f"symbol_scores: {sym.show(symbol)!r} is not a single symbol")
        for score in (*self.scores, *self.symbol_scores.values()):
            if not -1e300 < score < 1e300:
                raise InputError(f"a score is {score}: it must be above -1e300 and below 1e300")

    def _check_ids(self) -> int:
        """Checks the ids; returns one more than the largest."""
        if self.ids is None:
            return 256 + len(self.tokens)
        if self.symbols != "bytes":
            raise InputError(f"only tokens over bytes have ids; these are over {self.symbols}")
        if len(self.ids) != 256 + len(self.tokens):
            raise InputError(
                f"{len(self.ids)} ids: there must be 256 for the bytes and {len(self.tokens)} "
                "for the tokens"
            )
        seen: set[int] = set()
        for place, number in enumerate(self.ids):
            if number == -1 and place < 256:
                continue
            if not 0 <= number < 2**31:
                raise InputError(f"id {number} is out of range: 0 to 2,147,483,647")
            if number in seen:
                raise InputError(f"id {number} is given twice")
            seen.add(number)
        return max(seen, default=-1) + 1

    def __hash__(self) -> int:
        return hash((self.symbols, self.tokens))

    def __len__(self) -> int:
        return len(self.tokens)

    def __iter__(self) -> Iterator[Token]:
        return iter(self.tokens)

    @overload
    def __getitem__(self, place: SupportsIndex) -> Token: ...
    @overload
    def __getitem__(self, place: slice) -> tuple[Token, ...]: ...
    def __getitem__(self, place: SupportsIndex | slice) -> Token | tuple[Token, ...]:
        """Returns the token at a place, or the tokens of a slice."""
        return self.tokens[place]

    def __contains__(self, token: object) -> bool:
        """Returns whether this is one of the tokens; text is encoded for tokens over bytes."""
        try:
            return sym.to_token(token, self.symbols) in self._token_set
        except InputError:
            return False

    def symbol_score(self, symbol: Token) -> float:
        """Returns the score of a single symbol, for the rule ``likelihood``.

        A symbol without a score gets the smallest of all scores − 10.  If scores are added up over
        a text, this is the score of each UTF-8 character: of its first byte; its other bytes get 0.

        Examples
        --------
        >>> from partcover import Vocabulary
        >>> vocabulary = Vocabulary(["th"], rule="likelihood", scores=[-1], symbol_scores={"t": -2})
        >>> vocabulary.symbol_score(b"t"), vocabulary.symbol_score(b"h")
        (-2.0, -12.0)
        """
        score = self.symbol_scores.get(symbol)
        if score is None:
            inside = self.sums != "word" and 0x80 <= ord(symbol) < 0xC0  # type: ignore[arg-type]
            score = 0.0 if inside else self._missing_score
        return score

    @cached_property
    def _missing_score(self) -> float:
        lowest = min((*(self.scores or ()), *self.symbol_scores.values()), default=0.0)
        if self.sums == "text32":
            from ctypes import c_float  # it is large, and rarely needed

            return c_float(c_float(max(lowest, -_MOST)).value - 10).value
        return lowest - 10

    @cached_property
    def _token_set(self) -> frozenset[Token]:
        return frozenset(self.tokens)

    def __reduce__(self) -> tuple[Any, ...]:
        # pickled as one text, so that equal vocabularies pickle alike, whatever they have cached or
        # share
        return _restored, (json.dumps(self.to_json()),)

    def __repr__(self) -> str:
        first = " ".join(map(sym.glance, self.tokens[:3]))
        listed = f"{first} …" if len(self) > 3 else first or None
        return brief("Vocabulary", *self._summary, listed)

    @property
    def _summary(self) -> list[str]:
        parts = [f"{len(self):,} tokens", self.symbols, self.rule, self.method]
        how = (self.normalizer and glance(self.normalizer), self.pretokenizer)
        return [*parts, *filter(None, how)]

    def _repr_html_(self) -> str:
        """Returns a table of the first tokens, for notebooks."""
        rows = enumerate(map(sym.glance, self.tokens[:10]))
        return html_table(", ".join(self._summary), ["place", "token"], rows)

    @cached_property
    def id_of(self) -> tuple[int, ...]:
        """The ids of the 256 bytes and then of the tokens.

        Raises
        ------
        InputError
            If the symbols are not bytes.
        """
        if self.symbols != "bytes":
            raise InputError(f"only tokens over bytes have ids; these are over {self.symbols}")
        return tuple(range(256 + len(self.tokens))) if self.ids is None else self.ids

    @property
    def end_of_word(self) -> str | None:
        """The end-of-word mark of the words it was trained on, from its provenance."""
        mark = self.provenance.get("end_of_word")
        return mark if isinstance(mark, str) and mark else None

    def need_pretokenizer(self) -> str:
        """Returns the pre-tokenizer, for callers that need one.

        Raises
        ------
        InputError
            If none is recorded.
        """
        if self.pretokenizer is None and (name := self.provenance.get(FUNCTION)):
            raise InputError(
                f"text was split into words by the Python function {shown(name)}, which cannot be "
                "stored in a file: give it again (Encoder(vocabulary, function))"
            )
        if self.pretokenizer is None:
            raise InputError(
                "the vocabulary does not name its pre-tokenizer: name the one that its "
                "words were counted with (pretokenizer='space-prefix', 'gpt2', …; --pretokenizer)"
            )
        return self.pretokenizer

    def with_(self, **changes: Any) -> Vocabulary:
        """Returns a copy with some fields changed.

        Examples
        --------
        >>> from partcover import Vocabulary
        >>> Vocabulary(["ab"]).with_(rule="priority").rule
        'priority'
        """
        facts = changes.get("provenance", {})
        steps = [changes.get(step) for step in ("pretokenizer", "normalizer")]
        if (
            changes.keys() <= {"provenance", "pretokenizer", "normalizer"}
            and isinstance(facts, Mapping)
            and all(isinstance(step, str | None) for step in steps)
        ):
            copy = object.__new__(type(self))  # its tokens have been checked already
            copy.__dict__.update(self.__dict__, **changes)
            if "provenance" in changes:
                copy.__dict__["provenance"] = MappingProxyType(facts_of(facts, "provenance"))
            return copy
        return replace(self, **changes)

    def use_to_json(self) -> dict[str, Any]:
        """Returns how the tokens are used, without defaults, as in files."""
        data: dict[str, Any] = {}
        if self.merges is not None:
            data["merges"] = [[sym.to_json(a), sym.to_json(b)] for a, b in self.merges]
        if self.scores is not None:
            data["scores"] = list(self.scores)
            data["symbol_scores"] = [[sym.to_json(s), v] for s, v in self.symbol_scores.items()]
        if self.sums != "word":
            data["sums"] = self.sums
        if self.pretokenizer is not None:
            data["pretokenizer"] = self.pretokenizer
        if self.normalizer is not None:
            data["normalizer"] = self.normalizer
        if self.ids is not None:
            data["ids"] = list(self.ids)
        if self.special:
            data["special"] = dict(self.special)
        if self.special_flags:
            data["special_flags"] = {text: list(f) for text, f in self.special_flags.items()}
        if self.unknown is not None:
            data["unknown"] = self.unknown.to_json()
        if self.decode_only:
            listed = [[number, sym.to_json(text)] for number, text in self.decode_only.items()]
            data["decode_only"] = listed
        if decoding := self.decoding.to_json():
            data["decoding"] = decoding
        return data

    def to_json(self) -> dict[str, Any]:
        """Returns the content of a vocabulary file; `from_json` is the inverse."""
        recent = any((self.unknown, self.special_flags, self.normalizer, self.decode_only))
        recent = recent or self.sums != "word" or bool(self.decoding.to_json())
        return {
            "format": _FORMAT,
            # older programs can read it if they know all of it
            "version": VERSION if recent else 2,
            "symbols": self.symbols,
            "method": self.method,
            "rule": self.rule,
            "tokens": [sym.to_json(token) for token in self.tokens],
            **self.use_to_json(),
            "provenance": deepcopy(dict(self.provenance)),
        }

    def save(self, path: str | PathLike[str]) -> None:
        """Writes the vocabulary file atomically.

        Examples
        --------
        >>> import pathlib, tempfile
        >>> from partcover import Vocabulary
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     path = pathlib.Path(folder, "vocabulary.json")
        ...     Vocabulary(["the", "cat"]).save(path)
        ...     Vocabulary.load(path)
        Vocabulary(2 tokens, bytes, shortest_path, given, the cat)
        """
        write_atomic(path, json.dumps(self.to_json(), ensure_ascii=False, indent=1) + "\n")

    @classmethod
    @checked
    def load(
        cls,
        path: str | PathLike[str],
        format: str | None = None,  # noqa: A002
    ) -> Vocabulary:
        r"""Reads a vocabulary from a file of partcover's, or another library's file or folder.

        Parameters
        ----------
        path : path
            A vocabulary file, a solution written as JSON, or a file or folder of another library.
        format : str, optional
            One of `partcover.interop.FORMATS`, or ``partcover``; by default what it looks like.

        Returns
        -------
        Vocabulary
            The vocabulary of a solution for the rule ``priority`` gets the rule ``shortest_path``,
            which never needs more tokens.  The vocabulary of another library has the rule and
            pre-tokenizer that the file implies.  Its provenance has ``format``, ``source``, for a
            file ``source_sha256``, and ``remarks``, a list of the file's contents that are not
            used.

        Raises
        ------
        InputError
            If the file cannot be read, is not recognized, has a later version, has no list of
            tokens, or has contents that a vocabulary cannot express.

        Examples
        --------
        >>> from pathlib import Path
        >>> from partcover import Vocabulary
        >>> lines = Path("v.vocab").write_text("61\n62\n6162\n")
        >>> vocabulary = Vocabulary.load("v.vocab", "pathpiece")
        >>> vocabulary.tokens, vocabulary.rule, vocabulary.id_of[256]
        ((b'ab',), 'shortest_path', 2)
        >>> vocabulary.provenance["remarks"]
        ['254 of the 256 bytes are not listed: they have no id']
        """
        if format != "partcover":
            # the formats of libraries depend on this class, so they are imported by name when
            # needed
            other: Vocabulary | None = resolve_name(_OTHER_READER)(path, format)
            if other is not None:
                return other
        try:
            data = read_json(path)
            _check_format(data, fspath(path))
        except InputError as error:
            raise InputError(f"{error}{likely_mistake(path, 'vocabulary')}") from None
        try:
            return cls.from_json(data)
        except InputError as error:
            mistake = likely_mistake(path, "vocabulary")
            raise InputError(f"{fspath(path)}: {error}{mistake}") from None

    @classmethod
    @checked
    def from_json(cls, data: dict[str, Any]) -> Vocabulary:
        """Returns the vocabulary from the content of a file; otherwise like `load`."""
        _check_format(data, "this")
        tokens, rule = data.get("tokens"), data.get("rule", "shortest_path")
        if not isinstance(tokens, list):
            tokens = data.get("vocabulary")
            rule = "shortest_path" if rule == "priority" else rule
        if not isinstance(tokens, list):
            raise InputError(
                "there is no list of tokens under the key 'tokens' (vocabulary) or 'vocabulary' "
                "(solution)"
            )
        version = data.get("version", 1)
        if type(version) is not int or not 1 <= version <= VERSION:
            raise InputError(
                f"the version {version!r} of vocabulary files is not supported, the latest is "
                f"{VERSION}: update partcover"
            )
        symbols, provenance = data.get("symbols", "bytes"), data.get("provenance") or {}
        if not isinstance(provenance, dict):
            raise InputError("'provenance' must be an object")
        if symbols not in sym.SYMBOLS:
            raise InputError(f"unknown symbols {shown(symbols)}: {closest(symbols, sym.SYMBOLS)}")
        return cls(
            (sym.from_json(token, symbols) for token in tokens),
            symbols,
            str(data.get("method", "given")),
            provenance,
            rule=rule,
            **use_from_json(data, symbols),
        )


def _check_format(data: dict[str, Any], name: str) -> None:
    if data.get("format", _FORMAT) != _FORMAT:
        raise InputError(f'{name}: not a vocabulary file (no "format": "{_FORMAT}")')


def _restored(text: str) -> Vocabulary:
    """Returns the vocabulary that was pickled as this text."""
    return Vocabulary.from_json(json.loads(text))
