"""Reads the files that a page shows: tables, vocabularies, counted words, instances."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from os import PathLike, fspath
from pathlib import Path
from typing import Any

from ..corpus.word_counts import WordCounts
from ..errors import InputError
from ..problem.certificate import Certificate
from ..problem.instance import Instance
from ..runtime.files import read_json
from ..vocabulary.vocabulary import Vocabulary

__all__ = ["Runs", "read_runs"]


@dataclass
class Runs:
    """The contents of a page.

    Attributes
    ----------
    tables : list of (str, list of dict)
        Titles and rows, as `compare` returns them or any other.
    vocabularies : dict of str to Vocabulary
        Vocabularies by the name to show.
    solutions : list of (str, dict)
        Titles and facts of solutions.
    words : WordCounts, optional
        The corpus to explore.
    certificate : Certificate, optional
        A certificate whose prices are shown for the words of the corpus.
    instances : list of (str, Instance)
        Small instances, shown step by step, and reductions, shown as pictures.
    answers : list of path
        Files of vocabularies, among which the answer to a reduction is looked up.
    """

    tables: list[tuple[str, list[dict[str, Any]]]] = field(default_factory=list)
    vocabularies: dict[str, Vocabulary] = field(default_factory=dict)
    solutions: list[tuple[str, dict[str, Any]]] = field(default_factory=list)
    words: WordCounts | None = None
    certificate: Certificate | None = None
    instances: list[tuple[str, Instance]] = field(default_factory=list)
    answers: list[str] = field(default_factory=list)


def read_runs(paths: Sequence[str | PathLike[str]]) -> Runs:
    """Reads files of any kind that a page shows.

    Parameters
    ----------
    paths : sequence of path
        Counted words (``.tsv``; one, read over the symbols of the vocabularies), certificates
        (``.cert``; one), and JSON: what ``compare`` and other tables write, vocabularies and
        solutions, instances.

    Raises
    ------
    InputError
        For a file that cannot be read or is none of these, and a second corpus or certificate.
    """
    runs = Runs()
    corpus = None
    for path in [fspath(each) for each in paths]:
        name = Path(path).stem
        if path.endswith(".tsv"):
            if corpus is not None:
                raise InputError(f"{path}: a second corpus; a page explores one")
            corpus = path
            continue
        if path.endswith(".cert"):
            if runs.certificate is not None:
                raise InputError(f"{path}: a second certificate; a page shows one")
            runs.certificate = Certificate.load(path)
            continue
        _add_json(runs, path, name)
    if corpus is not None:
        symbols = next((each.symbols for each in runs.vocabularies.values()), None)
        runs.words = WordCounts.load(corpus, symbols)
    return runs


def _add_json(runs: Runs, path: str, name: str) -> None:
    """Adds the contents of a JSON file, which tell what they are."""
    data = read_json(path)
    if isinstance(data.get("rows"), list):
        runs.tables.append(_rows(path, name, data))
        sets = data["sets"] if isinstance(data.get("sets"), dict) else {}
        for title, rows in (  # of `compare`
            ("token sets", sets.get("vocabularies")),
            ("overlap", sets.get("overlap")),
            ("targets", data.get("targets")),
        ):
            if rows:
                runs.tables.append(_rows(path, f"{name}: {title}", {"rows": rows}))
    elif isinstance(data.get("results"), list):  # of `reproduce all`
        runs.tables += [_rows(path, name, result) for result in data["results"]]
    elif data.get("format") == "partcover-instance":
        runs.instances.append((name, Instance.load(path)))
    elif _is_listed(data.get("tokens")) or _is_listed(data.get("vocabulary")):
        vocabulary = Vocabulary.load(path)
        title = vocabulary.method if vocabulary.method != "given" else name
        while title in runs.vocabularies:
            title += f" ({name})" if name not in title else "′"
        runs.vocabularies[title] = vocabulary
        runs.answers.append(path)
        facts = data if "vocabulary" in data else data.get("provenance") or {}
        simple = {k: v for k, v in facts.items() if isinstance(v, int | float | str)}
        if simple:
            runs.solutions.append((title, simple))
    else:
        raise InputError(
            f"{path}: neither a table ('rows'), a vocabulary, a solution nor an instance"
        )


def _is_listed(tokens: Any) -> bool:
    """Whether this is a list of tokens, not of facts of tokens as `inspect` writes it."""
    return isinstance(tokens, list) and not any(isinstance(token, dict) for token in tokens[:1])


def _rows(path: str, name: str, data: Any) -> tuple[str, list[dict[str, Any]]]:
    """Returns a title, that of the manifest where there is one, and the rows of a table."""
    rows = data.get("rows") if isinstance(data, dict) else None
    if not isinstance(rows, list) or not all(isinstance(row, dict) for row in rows):
        raise InputError(f"{path}: 'rows' is not a list of objects")
    manifest = data.get("manifest")
    title = manifest.get("experiment") if isinstance(manifest, dict) else None
    return str(title or name), rows
