"""Defines a format of another library: what it can express, and how it is written and read."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import ModuleType

from ..corpus.symbols import Symbols
from ..encoding.offsets import Trim
from ..vocabulary.rules import SEGMENTATION_RULES, SegmentationRule
from ..vocabulary.vocabulary import Vocabulary
from .given_up import GivenUp, give_up, without_normalizer, without_shared


@dataclass(frozen=True)
class Nearest:
    """The nearest rule that a format can express, and why it cannot express the rule itself."""

    rule: SegmentationRule
    reason: str


def only_rule(
    rule: SegmentationRule, how: str, reason: str
) -> dict[SegmentationRule, str | Nearest]:
    """Returns how a format expresses the rules if it has one alone, and why it has no other."""
    return {other: how if other == rule else Nearest(rule, reason) for other in SEGMENTATION_RULES}


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


def exported_module(path: Path) -> ModuleType:
    """Runs an exported Python file by itself, as its users do, and leaves nothing beside it.

    An import would: compiled modules are kept in a folder where the file is.
    """
    module = ModuleType(path.stem)
    module.__file__ = str(path)
    exec(compile(path.read_bytes(), path, "exec"), module.__dict__)
    return module


def _unchanged(vocabulary: Vocabulary, _lost: list[GivenUp]) -> Vocabulary:
    return vocabulary


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
        ``adapt(vocabulary, lost)`` returns the vocabulary as the format can hold it, whatever its
        rule, and adds what was given up for that (pre-tokenizer, ids, tokens) to the list `lost`.
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
    adapt: Callable[[Vocabulary, list[GivenUp]], Vocabulary] = field(default=_unchanged)
    normalizes: bool = False
    unreached: bool = False
    shares: bool = False

    def fit(self, vocabulary: Vocabulary) -> tuple[Vocabulary, list[GivenUp]]:
        """Returns the vocabulary as this format can hold it, and what was left out for that."""
        how = self.rules[vocabulary.rule]
        lost: list[GivenUp] = []
        if isinstance(how, Nearest):
            what, nearest = f"the rule {vocabulary.rule}", f"the rule {how.rule}"
            vocabulary = give_up(vocabulary, lost, what, how.reason, nearest, rule=how.rule)
        if not self.normalizes:
            vocabulary = without_normalizer(vocabulary, lost, "it takes text as it is")
        if not self.shares:
            vocabulary = without_shared(vocabulary, lost)
        return self.adapt(vocabulary, lost), lost
