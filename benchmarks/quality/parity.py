"""Measures how evenly vocabularies serve languages, on parallel text that a package ships.

    pip download --no-deps django==5.2.19
    python benchmarks/quality/parity.py django-*.whl -k 2000

The text is the message catalogs of the wheel (or of a folder with ``LC_MESSAGES`` in it): the
messages that are translated in all languages; English is the messages themselves.  Every fifth
message is held out.  Needs babel, which reads the catalogs and comes with Sphinx.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import re
import zipfile
from collections.abc import Iterator, Sequence
from pathlib import Path

from babel.messages.pofile import read_po

from partcover import (
    Corpora,
    Instance,
    Vocabulary,
    WordCounts,
    greedtok,
    improve,
    trainers,
)
from partcover.analysis.by_corpus import tokens_by_corpus
from partcover.analysis.parity import parity

LANGUAGES = "en,de,fr,fi,tr,ru,ar,ja,zh_Hans"
CATALOG = re.compile(r"(.*/)?locale/(\w+)/LC_MESSAGES/\w+\.po")


def catalogs(source: str) -> Iterator[tuple[str, str, bytes]]:
    """Yields for each catalog where it lies, its language and its content."""
    if zipfile.is_zipfile(source):
        with zipfile.ZipFile(source) as wheel:
            for name in sorted(wheel.namelist()):
                if match := CATALOG.fullmatch(name):
                    yield match[1] or "", match[2], wheel.read(name)
        return
    for path in sorted(Path(source).rglob("*.po")):
        if match := CATALOG.fullmatch(path.as_posix()):
            yield match[1] or "", match[2], path.read_bytes()


def messages(source: str, languages: Sequence[str]) -> list[dict[str, str]]:
    """Returns the messages that all languages have, each by language."""
    table: dict[tuple[str, str, str], dict[str, str]] = {}
    for place, language, content in catalogs(source):
        if language not in languages:
            continue
        with contextlib.redirect_stdout(io.StringIO()):  # remarks on plural forms
            catalog = read_po(io.BytesIO(content), locale=language)
        for message in catalog:
            if isinstance(message.id, str) and message.id and message.string and not message.fuzzy:
                key = (place, message.context or "", message.id)
                table.setdefault(key, {"en": message.id})[language] = str(message.string)
    return [row for _, row in sorted(table.items()) if all(row.get(name) for name in languages)]


def counted(rows: Sequence[dict[str, str]], languages: Sequence[str]) -> list[WordCounts]:
    """Returns the counted words of each language."""
    return [
        WordCounts.from_texts([row[name] for row in rows], pretokenizer="gpt2")
        for name in languages
    ]


def line(cells: Sequence[object]) -> str:
    """Returns a row of a Markdown table."""
    return f"| {' | '.join(map(str, cells))} |"


class Table:
    """Rows about vocabularies: on the messages that they were made for, and on others."""

    def __init__(self, made_for: Instance, held_out: Instance) -> None:
        self.instances = made_for, held_out
        self.tokens: dict[str, tuple[int, ...]] = {}

    def row(self, name: str, vocabulary: Vocabulary) -> str:
        """Returns a row of the table."""
        cells: list[object] = [name]
        for instance in self.instances:
            corpora = instance.corpora
            assert corpora is not None
            tokens = tokens_by_corpus(instance, vocabulary, rule=vocabulary.rule)
            self.tokens.setdefault(name, tokens)
            even = parity(
                dict(zip(corpora.names, tokens, strict=True)),
                dict(zip(corpora.names, corpora.references, strict=True)),
                per="message",
            )
            worst = max(even.ratios.values())
            cells += [f"{sum(tokens):,}", f"{worst:.3f}"]
            cells += [f"{even.worst_over_best:.3f}", f"{even.gini:.4f}"]
        return line(cells)


def main() -> None:
    """Prints the tables."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("source", help="the wheel, or a folder")
    parser.add_argument("-k", type=int, default=2000)
    parser.add_argument("--languages", default=LANGUAGES)
    parser.add_argument("--time-limit", type=float, help="seconds of improve; it ends by itself")
    options = parser.parse_args()
    languages, k = options.languages.split(","), options.k
    rows = messages(options.source, languages)
    train = [row for number, row in enumerate(rows) if number % 5]
    test = rows[::5]
    instance, held_out = (
        Instance(Corpora(counted(part, languages), [len(part)] * len(languages), languages), k)
        for part in (train, test)
    )
    print(
        f"{len(train):,} messages in {len(languages)} languages, {len(test):,} held out; k = {k:,}"
    )
    table = Table(instance, held_out)
    greedy = greedtok(instance).vocabulary
    found = improve(instance, warm_start=greedy, time_limit=options.time_limit)
    vocabularies = {
        "`bpe`": trainers.bpe(instance.joined).vocabulary,
        "parity-aware BPE": trainers.parity_bpe(instance).vocabulary,
        "the same, window of 100": trainers.parity_bpe(instance, window=100).vocabulary,
        "the same, half of it global": trainers.parity_bpe(
            instance, global_merges=k // 2
        ).vocabulary,
        "`greedtok`": greedtok(instance.joined).vocabulary.with_(rule="shortest_path"),
        "`greedtok --minimax`": greedy,
        "`improve --minimax`": found.vocabulary,
    }
    measures = ["tokens", "worst", "worst/best", "Gini"]
    print(line(["vocabulary", *measures, *(f"{name}, held out" for name in measures)]))
    print(line(["---", *["--:"] * 8]))
    for name, vocabulary in vocabularies.items():
        assert vocabulary is not None
        print(table.row(name, vocabulary), flush=True)
    assert found.lower_bound is not None
    print(f"\nno vocabulary has a smaller worst than {float(found.lower_bound):.3f}: {found!r}\n")
    print(line(["tokens", *languages]))
    print(line(["---", *["--:"] * len(languages)]))
    for name, tokens in table.tokens.items():
        print(line([name, *(f"{count:,}" for count in tokens)]))


if __name__ == "__main__":
    main()
