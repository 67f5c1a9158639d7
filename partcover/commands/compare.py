"""``compare``."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import click

from ..corpus import WordCounts
from ..files import in_place, write_atomic
from ..options import (
    Output,
    instance_options,
    output_options,
    parse_budgets,
    read_instance,
    seconds_option,
)
from ..report import rows_csv, rows_markdown, rows_table, shown_columns
from ..vocabulary import Vocabulary
from .outcome import EXIT_INTERRUPTED, EXIT_LIMIT

_FORMATS = {".csv": "csv", ".md": "markdown", ".markdown": "markdown"}


@click.command()
@click.option("-k", "ks", help="Budgets: 10,20 or 1-5.", metavar="K,K,…")
@click.option(
    "--methods",
    metavar="A,B,…",
    help="greedtok, greedwmc, improve, solve, pathpiece-bpe and pathpiece-unigram (begun from "
    "these), or any of partcover train. Default: greedtok,greedwmc,bytes.",
)
@click.option(
    "--rules",
    default="own,shortest_path",
    show_default=True,
    metavar="A,B,…",
    help="Segmentation rules; own: that of each method.",
)
@click.option(
    "--vocab",
    "vocabs",
    multiple=True,
    metavar="V.json",
    help="A vocabulary to set beside them; its size is a budget too. Repeatable.",
)
@seconds_option(about="For each run of a method.")
@seconds_option("--bound", about="Find a certified lower bound for each k.")
@click.option(
    "--targets", metavar="T,T,…", help="Tokens per word: the k that each method needs to reach it."
)
@click.option("--held-out", metavar="C.tsv", help="Measure on these words as well.")
@click.option(
    "--split",
    "share",
    type=float,
    metavar="SHARE",
    help="Hold this share of the occurrences out of training, drawn by --seed, to measure on.",
)
@click.option("--memory", is_flag=True, help="Each run in a process of its own: its peak memory.")
@click.option(
    "--sets",
    is_flag=True,
    help="The token sets as well: whole words, use, Rényi efficiency, and what each two share.",
)
@click.option(
    "--unigram-objective",
    is_flag=True,
    help="The likelihood of each token set, with --sets; takes seconds.",
)
@click.option(
    "--format",
    "form",
    type=click.Choice(["table", "csv", "markdown", "json"]),
    help="Of the result; a file's ending says it too (.csv, .md, else JSON).",
)
@click.option("--plot", metavar="FILE", help="Draw tokens per word over k (.png, .svg, .pdf).")
@instance_options
@output_options
def compare(
    out: Output,
    corpus: str,
    ks: str | None,
    methods: str | None,
    rules: str,
    vocabs: tuple[str, ...],
    time_limit: float | None,
    bound: float | None,
    targets: str | None,
    held_out: str | None,
    share: float | None,
    memory: bool,
    sets: bool,
    unigram_objective: bool,
    form: str | None,
    plot: str | None,
    **options: Any,
) -> int:
    """Compare methods over several budgets.

    One row for each budget, method and segmentation rule. A bound, of solve or --bound, holds for
    every row of its k; d and the certified ratio need greedtok and greedwmc both. JSON always has
    the token sets' measures. In CSV they are columns; what two sets share, and --targets, are
    files of their own beside FILE.csv: FILE.overlap.csv and FILE.targets.csv.
    """
    from ..compare import METHODS, Runner, rules_of
    from ..compare import compare as run
    from ..targets import budgets_for

    goals = _numbers(targets, "--targets") if targets is not None else []
    if held_out is not None and share is not None:
        raise click.UsageError("--held-out and --split: use one of them")
    budgets = parse_budgets(ks)
    asked = [name.strip() for name in methods.split(",")] if methods is not None else []
    given: dict[str, Vocabulary] = {}
    for path in dict.fromkeys(vocabs):
        name = Path(path).stem
        if name in METHODS:
            name = Path(path).name
        given[path if name in given else name] = Vocabulary.load(path)
    sizes = [*budgets, *map(len, given.values())]
    instance = read_instance(corpus, max(sizes) if sizes else None, options)
    apart: WordCounts | None = None
    if held_out is not None:
        apart = WordCounts.load(held_out, instance.symbols)
    elif share is not None:
        from ..held_out import split

        words, apart = split(instance.words, share, seed=out.seed)
        instance = replace(instance, words=words)
    if methods is None:  # single symbols alone cannot hold tokens that must be there
        asked = ["greedtok", "greedwmc"] + ([] if instance.fixed else ["bytes"])
    named = [name.strip() for name in rules.split(",")]
    with out.progress("compare") as report:

        def progress(what: str) -> None:
            report(0, None, what)

        found = run(
            instance,
            budgets if sizes else [instance.k],
            asked,
            named,
            vocabularies=given,
            held_out=apart,
            bound=bound,
            unigram_objective=unigram_objective,
            memory=memory,
            time_limit=time_limit,
            seed=out.seed,
            threads=out.threads,
            progress=progress,
        )
        interrupted = found.interrupted
        needed: list[dict[str, Any]] = []
        # in this process: what bisection needs is many short runs
        runner = Runner(instance, time_limit, False, out.seed, out.threads, progress)
        try:
            for method in dict.fromkeys(asked if goals and not interrupted else []):
                answers = [answer for answer in found.answers if answer.method == method]
                if answers:
                    needed += budgets_for(runner, answers, rules_of(answers[0], named), goals)
                if any(row["termination"] == "interrupted" for row in needed):
                    interrupted = True
                    break
        except KeyboardInterrupt:
            interrupted = True
    if plot is not None:
        from ..plots import plot_rows

        plot_rows(found.rows, plot)
        out.note(f"wrote {plot}")
    data = {
        "corpus": Path(corpus).name,
        "corpus_sha256": instance.words.digest,
        "words": len(instance.words),
        "total_count": instance.words.total_count,
        "symbols": instance.symbols,
        "candidates": instance.index.total,
        "policy": instance.policy,
        "seed": out.seed,
        "threads": out.threads,
        "rows": found.rows,
        "sets": found.sets,
    }
    if apart is not None:
        data["held_out"] = {
            "words": len(apart),
            "total_count": apart.total_count,
            "corpus_sha256": apart.digest,
            **({"corpus": Path(held_out).name} if held_out else {"split": share}),
        }
    if goals:
        data["targets"] = needed
    tables = tables_of(data, sets or unigram_objective)
    if out.path is not None:
        _write(out, data, tables, form or _FORMATS.get(Path(out.path).suffix, "json"))
    if out.json or form == "json":
        out.object(data)
    elif form in ("csv", "markdown"):
        if out.path is None:
            click.echo(_csv(tables) if form == "csv" else _markdown(tables), nl=False)
    else:
        for rows, columns in tables.values():
            out.console.print(rows_table(rows, columns))
    for remark in dict.fromkeys(row["remark"] for row in found.rows if "remark" in row):
        out.note(remark)
    if interrupted:
        return EXIT_INTERRUPTED
    limited = any(row["termination"] == "time_limit" for row in (*found.rows, *needed))
    return EXIT_LIMIT if limited else 0


_Tables = dict[str, tuple[list[dict[str, Any]], dict[str, str]]]


def tables_of(data: dict[str, Any], sets: bool) -> _Tables:
    """The tables to show: rows and columns of each, by name."""
    tables = {"rows": (data["rows"], COLUMNS)}
    if sets:
        tables["sets"] = data["sets"]["vocabularies"], SETS
        tables["overlap"] = data["sets"]["overlap"], OVERLAP
    if "targets" in data:
        tables["targets"] = data["targets"], TARGETS
    return {
        name: (rows, shown_columns(rows, columns))
        for name, (rows, columns) in tables.items()
        if rows
    }


def _write(out: Output, data: dict[str, Any], tables: _Tables, form: str) -> None:
    """The result as a file; CSV has one for each table that is not about the same rows."""
    assert out.path is not None
    files = {out.path: json.dumps(data, ensure_ascii=False, indent=1) + "\n"}
    if form == "csv":
        beside = (
            {}
            if in_place(out.path)
            else {
                str(Path(out.path).with_suffix(f".{name}.csv")): rows_csv(tables[name][0])
                for name in ("overlap", "targets")
                if name in tables
            }
        )
        files = {out.path: _csv(tables), **beside}
    elif form in ("markdown", "table"):
        files = {out.path: _markdown(tables)}
    for path, text in files.items():
        write_atomic(path, text)
        out.note(f"wrote {path}")


def _csv(tables: _Tables) -> str:
    """Rows, with the measures of their sets where these are shown."""
    names = ("k", "method", "rule")
    facts = {tuple(row[n] for n in names): row for row in tables.get("sets", ([], {}))[0]}
    return rows_csv(
        [{**row, **facts.get(tuple(row[n] for n in names), {})} for row in tables["rows"][0]]
    )


def _markdown(tables: _Tables) -> str:
    return "\n".join(rows_markdown(rows, columns) for rows, columns in tables.values())


def _numbers(text: str, option: str) -> list[float]:
    try:
        return [float(part) for part in text.split(",")]
    except ValueError:
        raise click.UsageError(
            f"{option} is {text!r}: numbers with commas are expected (1.2,1.5)"
        ) from None


COLUMNS = {
    "method": "method",
    "rule": "rule",
    "k": "k",
    "size": "size",
    "tokens": "tokens",
    "tokens_per_word": "per word",
    "bytes_per_token": "bytes/token",
    "held_out_tokens_per_word": "held out",
    "lower_bound": "lower bound",
    "gap": "gap",
    "relaxed_cover": "relaxed cover",
    "d": "d",
    "certified_ratio": "certified",
    "memory": "memory",
    "seconds": "seconds",
    "termination": "ended by",
}
SETS = {
    "method": "method",
    "rule": "rule",
    "k": "k",
    "whole_words": "whole words",
    "whole_word_share": "of all",
    "used": "used",
    "used_share": "of all",
    "renyi_efficiency": "Rényi efficiency",
    "unigram_objective": "Unigram's log-likelihood",
}
OVERLAP = {
    "first": "first",
    "second": "second",
    "k": "k",
    "first_size": "its tokens",
    "second_size": "its tokens",
    "shared": "shared",
    "union": "union",
    "jaccard": "shared/union",
    "same_rank": "at the same place",
    "first_difference": "orders part at",
}
TARGETS = {
    "method": "method",
    "rule": "rule",
    "target": "target",
    "k": "k needed",
    "tokens": "tokens",
    "tokens_per_word": "per word",
    "exact": "least for sure",
    "runs": "further runs",
    "termination": "ended by",
}
