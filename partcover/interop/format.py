"""Defines a format of another library: what it can express, and how it is written and read."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import ModuleType

from ..corpus.normalizers import glance
from ..corpus.symbols import Symbols
from ..encoding.offsets import Trim
from ..vocabulary.rules import SegmentationRule
from ..vocabulary.subset import only
from ..vocabulary.vocabulary import Vocabulary
from .byte_level import pieces_of


@dataclass(frozen=True)
class Nearest:
    """The nearest rule that a format can express, and why it cannot express the rule itself."""

    rule: SegmentationRule
    reason: str


@dataclass(frozen=True)
class GivenUp:
    """A part of a vocabulary that an export left out because the format cannot express it.

    Attributes
    ----------
    what : str
        The part, as "the rule priority".
    reason : str
        Why it cannot be expressed.
    nearest : str
        What is written instead if the loss is accepted, as "the rule shortest_path".
    """

    what: str
    reason: str
    nearest: str

    def __str__(self) -> str:
        return f"{self.what} ({self.reason}); the nearest is {self.nearest}"


def keep(
    vocabulary: Vocabulary, places: list[int], lost: list[GivenUp], what: str, why: str
) -> Vocabulary:
    """Returns a vocabulary with the tokens at some places; what it lacks is added to `lost`."""
    dropped = len(vocabulary) - len(places)
    if not dropped:
        return vocabulary
    lost.append(GivenUp(f"{dropped:,} tokens {what}", why, f"the other {len(places):,} tokens"))
    return only(vocabulary, places)


@dataclass(frozen=True)
class WholeTexts:
    """What an exported tokenizer does with whole texts; None where its library has no such thing.

    Attributes
    ----------
    encode : callable
        Returns the ids of a text, whose special tokens are text.
    parse : callable, optional
        Returns the ids of a text, whose special tokens become their ids.
    decode : callable, optional
        Returns the text of ids.
    decode_bare : callable, optional
        Returns the text of ids without special tokens.
    offsets : callable, optional
        Returns where each token of a text begins and ends, in characters.
    framed : callable, optional
        Returns the ids of a text with the tokens that a template puts around it.
    frame : callable, optional
        ``frame(vocabulary)`` returns the ids that the template of the vocabulary's own file puts
        before a text, and behind; None where that is not known.
    trim : callable, optional
        ``trim(vocabulary)`` returns which spaces the vocabulary's own file leaves out of the
        places, as `Encoder.encode_with_offsets` takes it.
    """

    encode: Callable[[str], list[int]]
    parse: Callable[[str], list[int]] | None = None
    decode: Callable[[list[int]], str] | None = None
    decode_bare: Callable[[list[int]], str] | None = None
    offsets: Callable[[str], list[tuple[int, int]]] | None = None
    framed: Callable[[str], list[int]] | None = None
    frame: Callable[[Vocabulary], tuple[list[int], list[int]] | None] | None = None
    trim: Callable[[Vocabulary], Trim] | None = None


@dataclass(frozen=True)
class Replay:
    """An exported tokenizer, loaded by its own library.

    Attributes
    ----------
    library : str
        The library and its version.
    words : callable
        Segments words, each by itself and without a pre-tokenizer, into tokens as bytes (of a
        vocabulary over characters, encoded as UTF-8); None for a word that the library cannot be
        given, as one that is not UTF-8.
    text : callable, optional
        Segments a whole text, with the exported pre-tokenizer; None where the format has none.
    id_of : callable
        Returns the id of a token or single byte; None where it has none.
    special_id_of : callable, optional
        Returns the id of a special token by its text, or None; by default special tokens are not
        compared.
    whole : WholeTexts, optional
        What it does with whole texts besides.
    """

    library: str
    words: Callable[[Sequence[bytes]], Sequence[list[bytes] | None]]
    text: Callable[[str], list[bytes]] | None
    id_of: Callable[[bytes], int | None]
    special_id_of: Callable[[str], int | None] | None = None
    whole: WholeTexts | None = None


def without_shared(
    vocabulary: Vocabulary,
    lost: list[GivenUp],
    keeps: Callable[[str, bytes], bool] = lambda _text, _piece: False,
) -> Vocabulary:
    """Returns the vocabulary without added tokens that have the ids of tokens.

    Parameters
    ----------
    vocabulary : Vocabulary
        The vocabulary.
    lost : list of GivenUp
        An entry is added if there are such tokens.
    keeps : callable
        ``keeps(text, piece)`` returns whether an added token can stay; by default none can.
    """
    piece_of = dict(zip(vocabulary.id_of, pieces_of(vocabulary), strict=True))
    there = {text: n for text, n in vocabulary.special.items() if n in piece_of}
    gone = {text for text, number in there.items() if not keeps(text, piece_of[number])}
    if not gone:
        return vocabulary
    first = min(gone, key=vocabulary.special.__getitem__)
    what = f"{len(gone):,} added tokens that are tokens, too, such as {first!r}"
    lost.append(GivenUp(what, "it would not find them first", "them as tokens"))
    return vocabulary.with_(
        special={text: n for text, n in vocabulary.special.items() if text not in gone},
        special_flags={t: has for t, has in vocabulary.special_flags.items() if t not in gone},
    )


def exported_module(path: Path) -> ModuleType:
    """Runs an exported Python file by itself, as its users do, and leaves nothing beside it.

    An import would: compiled modules are kept in a folder where the file is.
    """
    module = ModuleType(path.stem)
    module.__file__ = str(path)
    exec(compile(path.read_bytes(), path, "exec"), module.__dict__)
    return module


def _unchanged(vocabulary: Vocabulary) -> tuple[Vocabulary, list[GivenUp]]:
    return vocabulary, []


@dataclass(frozen=True)
class Format:
    """A format of another library.

    Parameters
    ----------
    name : str
        Its name for ``--to``.
    title : str
        What it is, in a noun phrase of one line.
    rules : mapping of str to str or Nearest
        For every rule, how the format expresses it exactly, or the nearest that it can express.
    write : callable
        ``write(vocabulary, path)`` writes a file or a folder and returns remarks, each a line on
        what the file does not hold though it changes no segmentation (as provenance).  The
        vocabulary is one that `fit` returned.
    replay : callable
        ``replay(path)`` loads what was written, with the format's own library.
    read : callable, optional
        ``read(path)`` returns the vocabulary, with the rule and pre-tokenizer that the file
        implies, and remarks on what of the file it does not hold; None for a format that is only
        written.
    recognises : callable
        Returns whether a path looks like one of this format; formats are tried in the order of
        `FORMATS`.
    symbols : tuple of str
        The alphabets whose tokens it holds.
    adapt : callable
        Returns the vocabulary as the format can hold it, whatever its rule, and what was given up
        for that (pre-tokenizer, ids, tokens).
    normalizes : bool
        Whether it holds a normalizer.
    unreached : bool
        Whether it holds ids that only decode, or remarks on those that it leaves out.
    shares : bool
        Whether its added tokens may have the ids of tokens.
    """

    name: str
    title: str
    rules: Mapping[SegmentationRule, str | Nearest]
    write: Callable[[Vocabulary, Path], list[str]]
    replay: Callable[[Path], Replay]
    read: Callable[[Path], tuple[Vocabulary, list[str]]] | None
    recognises: Callable[[Path], bool]
    symbols: tuple[Symbols, ...] = ("bytes",)
    adapt: Callable[[Vocabulary], tuple[Vocabulary, list[GivenUp]]] = field(default=_unchanged)
    normalizes: bool = False
    unreached: bool = False
    shares: bool = False

    def fit(self, vocabulary: Vocabulary) -> tuple[Vocabulary, list[GivenUp]]:
        """Returns the vocabulary as this format can hold it, and what was left out for that."""
        how = self.rules[vocabulary.rule]
        lost: list[GivenUp] = []
        if isinstance(how, Nearest):
            lost.append(GivenUp(f"the rule {vocabulary.rule}", how.reason, f"the rule {how.rule}"))
            vocabulary = vocabulary.with_(rule=how.rule)
        if vocabulary.normalizer is not None and not self.normalizes:
            name = glance(vocabulary.normalizer)
            lost.append(GivenUp(f"the normalizer {name}", "it takes text as it is", "none"))
            vocabulary = vocabulary.with_(normalizer=None)
        if not self.shares:
            vocabulary = without_shared(vocabulary, lost)
        vocabulary, more = self.adapt(vocabulary)
        return vocabulary, lost + more
