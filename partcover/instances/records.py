"""The best known vocabularies and lower bounds of texts that anyone can get."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from importlib.resources import as_file, files
from importlib.resources.abc import Traversable
from os import PathLike, fspath
from pathlib import Path
from typing import Any

from ..corpus.word_counts import WordCounts
from ..errors import InputError
from ..problem.certificates.certificate import Certificate
from ..runtime.arguments import checked, closest
from ..runtime.files.writing import read_json, write_atomic
from ..runtime.progress import gap_of
from ..vocabulary.vocabulary import Vocabulary
from .files import LARGEST, fields_of, names_in

#: The budgets k of every record, in tokens of two or more bytes.
BUDGETS = (64, 128, 256, 512, 1024, 2048, 4096, 8192)

_FORMAT = "partcover-record"
_FILE = re.compile(r"[A-Za-z0-9-]+\.(?:json|cert)")


@dataclass(frozen=True)
class Best:
    """The best known number of tokens, or the best known lower bound.

    Attributes
    ----------
    value : int
        The number.
    date : str
        The day when it was found, as ``2026-01-31``.
    method : str
        The command that found it.
    seconds : float
        How long that took.
    file : str or None
        The vocabulary or certificate in ``instances/records/files`` of the repository; None where
        it is too large to be there.

    Examples
    --------
    >>> from partcover.instances.records import record
    >>> best = record("emma").rows[0].tokens
    >>> best.value, best.file
    (548294, 'emma-64.json')
    """

    value: int
    date: str
    method: str
    seconds: float
    file: str | None = None

    @classmethod
    def from_json(cls, data: Any) -> Best:
        """Reads the object; InputError if it lacks a key, has another, or a wrong value."""
        kinds = {"value": int, "date": str, "method": str, "seconds": float}
        best = cls(**fields_of(data, kinds | {"file": (str, type(None))}, "best"))
        if best.file is not None and not _FILE.fullmatch(best.file):
            raise InputError(f"'best': file is {best.file!r:.100}: it must be a plain name")
        return best


@dataclass(frozen=True)
class Row:
    """What is known of a text for one budget.

    Attributes
    ----------
    k : int
        The budget.
    tokens, lower_bound : Best
        The fewest tokens known, and the largest lower bound.
    longest_run : float
        The largest time limit, in seconds, that a run for this row had.
    methods : dict of str to int
        Tokens of other methods for this budget, each by its own segmentation rule.

    Examples
    --------
    >>> from partcover.instances.records import Best, Row
    >>> best = Best(200, "2026-01-31", "improve", 6.0)
    >>> row = Row(64, best, Best(199, "2026-01-31", "improve", 6.0), 6.0, {"bpe": 210})
    >>> row.proven, row.gap
    (False, 0.005)
    """

    k: int
    tokens: Best
    lower_bound: Best
    longest_run: float
    methods: Mapping[str, int]

    @property
    def proven(self) -> bool:
        """Whether the lower bound meets the tokens; otherwise the row is open."""
        return self.tokens.value == self.lower_bound.value

    @property
    def gap(self) -> float:
        """(tokens − lower bound) / tokens: no vocabulary saves a larger share of the best."""
        return gap_of(self.tokens.value, self.lower_bound.value) or 0.0

    @property
    def shown_gap(self) -> str:
        """The gap in percent, which is shown as zero only if it is proven."""
        if self.proven:
            return "proven"
        return f"{100 * self.gap:.3f} %" if self.gap >= 0.00001 else "< 0.001 %"

    @property
    def best(self) -> dict[str, Any]:
        """The best known numbers, as a JSON object."""
        return {
            "k": self.k,
            "tokens": self.tokens.value,
            "lower_bound": self.lower_bound.value,
            "gap": self.gap,
            "proven": self.proven,
        }

    def to_json(self) -> dict[str, Any]:
        """Returns the row as a JSON object."""
        data = asdict(self)
        del data["k"]
        return {"k": self.k, "proven": self.proven, **data}

    @classmethod
    def from_json(cls, data: Any) -> Row:
        """Reads the object; InputError if it lacks a key, has another, or a wrong value."""
        kinds = {
            "k": int,
            "proven": bool,
            "tokens": dict,
            "lower_bound": dict,
            "longest_run": float,
            "methods": dict,
        }
        given = fields_of(data, kinds, "row")
        proven = given.pop("proven")
        for key in ("tokens", "lower_bound"):
            given[key] = Best.from_json(given[key])
        row = cls(**given)
        counts = row.methods.values()
        if not all(type(value) is int and 0 < value < LARGEST for value in counts):
            raise InputError(f"'methods' must be numbers of tokens: {dict(row.methods)!r:.100}")
        if row.k not in BUDGETS:
            raise InputError(f"a row's k is {row.k}, which is not among the sizes of the records")
        if row.lower_bound.value > row.tokens.value or proven is not row.proven:
            raise InputError(
                f"the row of k = {row.k} says proven: {str(proven).lower()}, with "
                f"{row.tokens.value} tokens and the lower bound {row.lower_bound.value}"
            )
        return row


@dataclass(frozen=True)
class Record:
    """A text and what is known of it.

    Attributes
    ----------
    name : str
        The name of its file, without the ending.
    title : str
        What the text is.
    source : str
        The package that it comes from.
    commands : tuple of str
        The shell commands that make the counted words.
    words_sha256 : str
        The hash of the counted words, which certificates state.
    words, occurrences : int
        Number of distinct words, and of words counted.
    rows : tuple of Row
        One for each budget, ascending.

    Examples
    --------
    >>> from partcover.instances.records import record
    >>> emma = record("emma")
    >>> emma.title, [row.k for row in emma.rows][:3]
    ('*Emma* by Jane Austen', [64, 128, 256])
    """

    name: str
    title: str
    source: str
    commands: tuple[str, ...]
    words_sha256: str
    words: int
    occurrences: int
    rows: tuple[Row, ...] = ()

    @checked
    def row(self, k: int) -> Row | None:
        """Returns the row of a budget; None if nothing is known of it yet.

        Raises
        ------
        InputError
            If `k` is none of `BUDGETS`.
        """
        if k not in BUDGETS:
            raise InputError(f"k is {k}: the records have k = {', '.join(map(str, BUDGETS))}")
        return next((row for row in self.rows if row.k == k), None)

    @checked
    def with_row(self, row: Row) -> Record:
        """Returns the record with a row added or replaced."""
        others = [other for other in self.rows if other.k != row.k]
        return replace(self, rows=tuple(sorted([*others, row], key=lambda each: each.k)))

    @checked
    def require(self, words: WordCounts) -> None:
        """Checks that these are the counted words of the record.

        Raises
        ------
        InputError
            If their hash is another.
        """
        if words.digest != self.words_sha256:
            raise InputError(
                f"these are not the counted words of {self.name}: expected {self.words:,} words "
                f"with the SHA-256 {self.words_sha256[:12]}…, found {len(words):,} with "
                f"{words.digest[:12]}…. Make them with: {'; '.join(self.commands)}"
            )

    def to_json(self) -> dict[str, Any]:
        """Returns the record as the JSON object of its file."""
        data = asdict(self) | {"commands": list(self.commands)}
        data["rows"] = [row.to_json() for row in self.rows]
        del data["name"]
        return {"format": _FORMAT, "version": 1, **data}

    @classmethod
    @checked
    def load(cls, path: str | PathLike[str], name: str) -> Record:
        """Reads a record's file.

        Raises
        ------
        InputError
            If it cannot be read, is no record, or a row contradicts itself.
        """
        data = read_json(path)
        kinds = {
            "title": str,
            "source": str,
            "commands": list,
            "words_sha256": str,
            "words": int,
            "occurrences": int,
            "rows": list,
        }
        try:
            if data.pop("format", None) != _FORMAT or data.pop("version", None) != 1:
                raise InputError(f"not a record: expected format {_FORMAT!r}, version 1")
            given = fields_of(data, kinds, "record")
            given["rows"] = tuple(map(Row.from_json, given["rows"]))
            given["commands"] = tuple(map(str, given["commands"]))
            budgets = [row.k for row in given["rows"]]
            if budgets != sorted(set(budgets)):
                raise InputError("its rows are not in the order of k, or a k appears twice")
        except InputError as error:
            raise InputError(f"record {name}: {error}") from None
        return cls(name, **given)

    @checked
    def save(self, path: str | PathLike[str]) -> None:
        """Writes the record's file."""
        write_atomic(path, json.dumps(self.to_json(), ensure_ascii=False, indent=1) + "\n")

    @checked
    def start(self, k: int) -> tuple[Vocabulary | None, Certificate | None]:
        """Reads the best known vocabulary and certificate, of those that are at hand.

        The repository has the small ones; an installed package has none.
        """
        row = self.row(k)
        if row is None:
            return None, None
        listed = _folder() / f"{self.name}.json"
        if not listed.is_file():
            return None, None
        vocabulary = certificate = None
        with as_file(listed) as path:
            folder = path.parent / "files"
            if row.tokens.file is not None and (folder / row.tokens.file).is_file():
                vocabulary = Vocabulary.load(folder / row.tokens.file)
            if row.lower_bound.file is not None and (folder / row.lower_bound.file).is_file():
                certificate = Certificate.load(folder / row.lower_bound.file)
        return vocabulary, certificate


def names() -> list[str]:
    """Lists the names of all records, ascending.

    Examples
    --------
    >>> from partcover.instances.records import names
    >>> "emma" in names()
    True
    """
    return names_in(_folder())


@checked
def record(name: str | PathLike[str]) -> Record:
    """Finds a record by its name, or reads a file of the same form.

    Parameters
    ----------
    name : str or path
        A name of `names`, or a path that ends in ``.json``.

    Raises
    ------
    InputError
        If there is none of that name; the message names one that is similar.  If the file is no
        record.

    Examples
    --------
    >>> from partcover.instances.records import record
    >>> record("persuasion").source
    'r-cran-janeaustenr 1.0.0-1 (debian)'
    """
    name = fspath(name)
    if name.endswith(".json"):
        return Record.load(name, Path(name).stem)
    known = names()
    if name not in known:
        hint = closest(name, known, "'partcover records list' names them")
        raise InputError(f"no record {name!r}: {hint}")
    with as_file(_folder() / f"{name}.json") as path:
        return Record.load(path, name)


def _folder() -> Traversable:
    return files("partcover") / "instances" / "records"
