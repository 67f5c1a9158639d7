"""Implements the command ``records``."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import click
import cloup

import partcover as pc

from ....report.tables import Listing, columns_of, facts
from ...command import Group, command
from ...exit_status import EXIT_VERIFICATION
from ...inputs import read_vocabulary
from ...results import write_solution
from ...shown.output import Output, say_problems

if TYPE_CHECKING:
    from ....instances.records import Record, Row


@cloup.group("records", cls=Group)
def records_command() -> None:
    """Show, improve, and check the best known results for public texts."""


@command("list")
def records_list(out: Output) -> int:
    """List the gap between the best known vocabulary and bound, for each text and k.

    Options:
    -o, tables
    $ partcover records list
    """
    from ....instances import records

    found = [records.record(name) for name in records.names()]
    rows = [
        {
            "name": record.name,
            **_best(row),
            "longest_run": row.longest_run,
            "methods": dict(row.methods),
        }
        for record in found
        for row in record.rows
    ]
    columns = {"name": "text", **{str(k): f"k={k}" for k in records.BUDGETS}}
    flat = [{key: row[key] for key in row if key != "methods"} for row in rows]
    out.result({"records": rows}, Listing(gap_rows(found), columns, data=flat))
    return 0


@command("run")
def records_run(
    out: Output,
    name: str,
    corpus: str,
    budget: str,
    start: str | None,
    start_certificate: str | None,
    write_certificate: str | None,
    time_limit: float,
) -> int:
    """Search for a better vocabulary and lower bound than the best known ones.

    The search is that of `improve`; for a known gap of at most 0.03 % it is that of `solve`. It
    starts from the best known vocabulary and certificate, if their files are available. The result
    is recounted in plain Python. NAME is a record of `records list`, or a file of the same format
    (.json). The word counts must be those of the record: `records show` prints the commands that
    make them.

    Options:
    name RECORD: Name of a record, or its file (.json).
    corpus <COUNTS.tsv: Word counts of the record's text.
    -k budget 64|128|256|512|1024|2048|4096|8192 (required): Vocabulary size, in tokens of two or
      more bytes.
    --start <V.json: Vocabulary to start from. Default: the best known one, if available.
    --start-certificate <P.cert: Certificate to start from, for any k. Default: the best known one,
      if available.
    --time-limit SECONDS = 60: Stop after this many seconds.
    -o >FILE: Write the vocabulary.
    --write-certificate, --no-vocabulary, --threads, --seed, tables
    $ partcover records run emma emma.tsv -k 512 --time-limit 600 -o v.json
    """
    from ....instances import records

    record, k = records.record(name), int(budget)
    words = pc.WordCounts.load(corpus)
    record.require(words)
    vocabulary = None if start is None else read_vocabulary(start, words.symbols)
    certificate = None if start_certificate is None else pc.Certificate.load(start_certificate)
    solution = out.run(
        "greedtok",
        records.attempt,
        record,
        words,
        k,
        warm_start=vocabulary,
        start_certificate=certificate,
        time_limit=time_limit,
    )
    judgment = records.judge(record, words, k, solution.vocabulary, solution.certificate)
    instance = pc.Instance(words, k)
    better = {"fewer_tokens": judgment.fewer_tokens, "higher_bound": judgment.higher_bound}
    status = write_solution(
        out, solution, instance, corpus, certificate=write_certificate, more=better
    )
    out.note(_compared(judgment.tokens, judgment.best_tokens, "tokens", judgment.fewer_tokens))
    if judgment.lower_bound is not None:
        bounds = judgment.lower_bound, judgment.best_lower_bound
        out.note(_compared(*bounds, "lower bound", judgment.higher_bound))
    say_problems(judgment.problems)
    return status if judgment.ok else EXIT_VERIFICATION


@command("check")
def records_check(
    out: Output, name: str, corpus: str, budget: str, vocab: str | None, certificate: str | None
) -> int:
    """Check a vocabulary or certificate, and say whether it is better than the best known.

    Plain Python code that shares nothing with the search recounts the tokens of the vocabulary
    and the bound of the certificate. The exit status is 6 if a count or the certificate is wrong,
    and 0 otherwise, whether the submission is better or not.

    Options:
    name RECORD: Name of a record, or its file (.json).
    corpus <COUNTS.tsv: Word counts of the record's text.
    -k budget 64|128|256|512|1024|2048|4096|8192 (required): Vocabulary size, in tokens of two or
      more bytes.
    --vocab <V.json: Vocabulary to check.
    --certificate <P.cert: Certificate of a lower bound to check.
    -o >FILE: Write the result, as JSON.
    plain
    $ partcover records check emma emma.tsv -k 8192 --vocab v.json
    """
    from ....instances import records

    if vocab is None and certificate is None:
        raise click.UsageError("nothing to check: give --vocab V.json or --certificate P.cert")
    record, k = records.record(name), int(budget)
    words = pc.WordCounts.load(corpus)
    judgment = records.judge(
        record,
        words,
        k,
        None if vocab is None else read_vocabulary(vocab, words.symbols),
        None if certificate is None else pc.Certificate.load(certificate),
    )
    data = judgment.to_json()
    shown = {key: value for key, value in data.items() if key != "problems" and value is not None}
    out.result(data, facts(shown))
    say_problems(judgment.problems)
    return 0 if judgment.ok else EXIT_VERIFICATION


@command("show")
def records_show(out: Output, name: str) -> int:
    """Show a record: the commands that make its word counts, and its best results.

    Options:
    name RECORD: Name of a record, or its file (.json).
    -o, tables
    $ partcover records show emma
    """
    from ....instances import records

    record = records.record(name)
    data = {"name": record.name, **record.to_json()}
    del data["format"], data["version"]
    about = {key: value for key, value in data.items() if not isinstance(value, list)}
    rows = [{**_best(row), **row.methods} for row in record.rows]
    columns = columns_of("k tokens lower_bound gap proven greedtok bpe unigram")
    commands = "\n".join(["Commands that make the word counts:", *record.commands])
    out.result(data, facts(about), commands, Listing(rows, columns))
    return 0


def _best(row: Row) -> dict[str, Any]:
    """Returns the best known tokens and bound of a budget."""
    return {
        "k": row.k,
        "tokens": row.tokens.value,
        "lower_bound": row.lower_bound.value,
        "gap": row.gap,
        "proven": row.proven,
    }


def gap_rows(records: Sequence[Record]) -> list[dict[str, Any]]:
    """Returns a row for each text, with the gap of each budget."""
    rows = []
    for record in records:
        gaps = {str(row.k): "proven" if row.proven else shown_share(row.gap) for row in record.rows}
        rows.append({"name": record.name, **gaps})
    return rows


def shown_share(part: float) -> str:
    """Returns a share in percent; a positive gap is never shown as zero."""
    return f"{100 * part:.3f} %" if part >= 0.00001 else "< 0.001 %"


def _compared(value: int | None, best: int | None, what: str, is_better: bool) -> str:
    """Says how a number compares with the best known."""
    if best is None:
        return f"{what}: {value:,}; no other result is known"
    verdict = "better than" if is_better else "no better than"
    return f"{what}: {value:,}, {verdict} the best known, {best:,}"


for each in (records_list, records_show, records_run, records_check):
    records_command.add_command(each)
