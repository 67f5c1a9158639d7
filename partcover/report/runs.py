"""Reads the files that a page shows: tables, vocabularies, counted words, instances, events."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from os import PathLike, fspath
from pathlib import Path
from typing import Any, TypeGuard

from ..corpus.word_counts import WordCounts
from ..errors import InputError
from ..interop.load import other_format
from ..problem.certificates.certificate import Certificate
from ..problem.instance import Instance
from ..runtime.arguments import checked
from ..runtime.files.kinds import kind_of
from ..runtime.files.writing import read_json, read_text
from ..studies.tokenizer_audit import TokenizerAudit
from ..vocabulary.vocabulary import Vocabulary
from .tables.listing import is_finite_number

_TOKENS = 2_000  # rows of `inspect` that a page holds


@dataclass(frozen=True)
class Table:
    """Rows with the conditions under which they were counted.

    Attributes
    ----------
    name : str
        The title.
    rows : list of dict
        The rows, as `compare` returns them or any other.
    about : mapping
        The other keys of the file: corpus, words, symbols, candidates.
    """

    name: str
    rows: list[dict[str, Any]]
    about: Mapping[str, Any] = field(default_factory=dict)


@dataclass
class Runs:
    """The contents of a page.

    Attributes
    ----------
    tables : list of Table
        Tables of rows.
    vocabularies : dict of str to Vocabulary
        Vocabularies by the name to show.
    solutions : list of (str, dict)
        Titles and facts of solutions.
    events : list of (str, list of dict)
        Titles and events of searches, as `Event.to_json` makes them.
    words : WordCounts, optional
        The corpus to explore.
    corpus : str
        The name of its file.
    certificate : Certificate, optional
        A certificate for this corpus.  Its bound is checked and its prices are shown.
    instances : list of (str, Instance)
        Small instances, shown step by step, and reductions, shown as figures.
    answers : list of path
        Files of vocabularies, one of which may be the answer to a reduction.
    audit : TokenizerAudit, optional
        An audit, whose charts and tables come first.
    sizes : list of dict
        Rows of `partcover.report.audit_page.size_rows`, for a chart.
    files : list of (str, str, str)
        The name, the kind and the SHA-256 of each file that was read.
    """

    tables: list[Table] = field(default_factory=list)
    vocabularies: dict[str, Vocabulary] = field(default_factory=dict)
    solutions: list[tuple[str, dict[str, Any]]] = field(default_factory=list)
    events: list[tuple[str, list[dict[str, Any]]]] = field(default_factory=list)
    words: WordCounts | None = None
    corpus: str = ""
    certificate: Certificate | None = None
    instances: list[tuple[str, Instance]] = field(default_factory=list)
    answers: list[str] = field(default_factory=list)
    audit: TokenizerAudit | None = None
    sizes: list[dict[str, int]] = field(default_factory=list)
    files: list[tuple[str, str, str]] = field(default_factory=list)


@checked
def read_runs(paths: Sequence[str | PathLike[str]]) -> Runs:
    """Reads the files for a page; their kind is found by name and content.

    Parameters
    ----------
    paths : sequence of path
        Counted words (``.tsv``; one, read over the symbols of the vocabularies), certificates
        (``.cert``; one), events (``.jsonl``), tokenizers of other libraries, and JSON: what
        ``compare`` and other tables write, vocabularies and solutions, instances.

    Raises
    ------
    InputError
        If a file cannot be read or is of another kind, or there are two corpora or certificates.
    """
    runs = Runs()
    corpus = None
    for path in [fspath(each) for each in paths]:
        name = Path(path).stem
        if path.endswith(".tsv"):
            if corpus is not None:
                raise InputError(f"{path}: a second file of counted words. A page shows one")
            corpus = path
            continue
        if path.endswith(".cert"):
            if runs.certificate is not None:
                raise InputError(f"{path}: a second certificate. A page shows one")
            runs.certificate = Certificate.load(path)
            kind = "certificate"
        elif path.endswith(".jsonl"):
            runs.events.append((name, _events(path)))
            kind = "events"
        elif (format_ := other_format(path)) is not None:
            _add_vocabulary(runs, Vocabulary.load(path, format_), name)
            kind = "tokenizer"
        else:
            kind = _add_json(runs, path, name)
        runs.files.append((Path(path).name, kind, file_digest(path)))
    if corpus is not None:
        symbols = next((each.symbols for each in runs.vocabularies.values()), None)
        runs.words = WordCounts.load(corpus, symbols)
        runs.corpus = Path(corpus).stem
        runs.files.append((Path(corpus).name, "counted words", file_digest(corpus)))
    return runs


def file_digest(path: str) -> str:
    """Returns the SHA-256 of a file, or an empty string for anything else, such as a pipe.

    Examples
    --------
    >>> from pathlib import Path
    >>> from partcover.report.runs import file_digest
    >>> _ = Path("text.txt").write_text("hat")
    >>> file_digest("text.txt")[:8], file_digest("-")
    ('18e1dd39', '')
    """
    if not Path(path).is_file():
        return ""
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _events(path: str) -> list[dict[str, Any]]:
    """Returns the events of a file of JSON lines."""
    events = []
    for number, line in enumerate(read_text(path).splitlines(), 1):
        try:
            event = json.loads(line)
        except (ValueError, RecursionError):
            raise InputError(f"{path}: line {number} is not JSON") from None
        numbers = (
            (event.get(key) for key in ("tokens", "lower_bound")) if _is_event(event) else [""]
        )
        if not all(value is None or type(value) is int for value in numbers):
            raise InputError(f"{path}: line {number} is not an event written by --events")
        events.append(event)
    return events


def _is_event(event: Any) -> bool:
    """Whether this is an object with the time at which something happened."""
    return isinstance(event, dict) and is_finite_number(event.get("seconds"))


def _add_json(runs: Runs, path: str, name: str) -> str:
    """Adds the contents of a JSON file, and returns their kind."""
    if kind_of(path) == "text":
        with open(path, "rb") as file:
            is_markdown = file.read(2) == b"| "
        if is_markdown or path.lower().endswith(".csv"):
            raise InputError(
                f"{path}: expected a table as JSON, not as CSV or Markdown: write it again with "
                "-o FILE.json"
            )
        raise InputError(
            f"{path}: this looks like text. A page shows results: run `partcover count` on it, "
            "then `compare`, `greedtok` or `improve`"
        )
    data = read_json(path)
    if isinstance(data.get("rows"), list):
        runs.tables.append(_table(path, name, data))
        sets = data["sets"] if isinstance(data.get("sets"), dict) else {}
        for title, rows in (  # of `compare`
            ("token sets", sets.get("vocabularies")),
            ("overlap", sets.get("overlap")),
        ):
            if rows:
                runs.tables.append(_table(path, f"{name}: {title}", {"rows": rows}))
        return "table"
    if isinstance(data.get("results"), list):  # of `reproduce all`
        runs.tables += [_table(path, name, result) for result in data["results"]]
        return "tables"
    if data.get("format") == "partcover-instance":
        instance = Instance.load(path)
        if instance.corpora is not None:
            raise InputError(f"{path}: a page cannot show an instance with several corpora")
        runs.instances.append((name, instance))
        return "instance"
    facts = data.get("vocabulary")
    if facts and _are_objects(facts):  # of `inspect`
        cut = "" if len(facts) <= _TOKENS else f", the first {_TOKENS:,} of {len(facts):,}"
        runs.tables.append(Table(f"{name}: tokens{cut}", facts[:_TOKENS]))
        return "facts of tokens"
    if not (_is_listed(data.get("tokens")) or _is_listed(data.get("vocabulary"))):
        raise InputError(
            f"{path}: not a file that a page shows: a table ('rows'), a vocabulary, a solution or "
            "an instance"
        )
    title = _add_vocabulary(runs, Vocabulary.load(path), name)
    runs.answers.append(path)
    facts = data if "vocabulary" in data else data.get("provenance") or {}
    simple = {k: v for k, v in facts.items() if isinstance(v, int | float | str)}
    if simple:
        runs.solutions.append((title, simple))
    return "solution" if "vocabulary" in data else "vocabulary"


def _add_vocabulary(runs: Runs, vocabulary: Vocabulary, name: str) -> str:
    """Adds a vocabulary under a unique title, and returns the title."""
    title = vocabulary.method if vocabulary.method != "given" else name
    while title in runs.vocabularies:
        title += f" ({name})" if name not in title else "′"
    runs.vocabularies[title] = vocabulary
    return title


def _is_listed(tokens: Any) -> bool:
    """Whether this is a list of tokens, and not of objects as written by `inspect`."""
    return isinstance(tokens, list) and not any(isinstance(token, dict) for token in tokens[:1])


def _are_objects(rows: Any) -> TypeGuard[list[dict[str, Any]]]:
    """Whether this is a list of objects."""
    return isinstance(rows, list) and all(isinstance(row, dict) for row in rows)


def _table(path: str, name: str, data: Any) -> Table:
    """Returns a table; its title comes from the manifest if there is one."""
    rows = data.get("rows") if isinstance(data, dict) else None
    if not _are_objects(rows):
        raise InputError(f"{path}: 'rows' is not a list of objects")
    manifest = data.get("manifest")
    title = manifest.get("experiment") if isinstance(manifest, dict) else None
    about = {key: value for key, value in data.items() if key not in ("rows", "sets")}
    return Table(str(title or name), rows, about)
