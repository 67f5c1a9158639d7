"""``compare``."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import click

from ..corpus import WordCounts
from ..files import write_atomic
from ..options import (
    Output,
    instance_options,
    output_options,
    parse_budgets,
    read_instance,
    seconds_option,
)
from ..vocabulary import Vocabulary
from .outcome import (
    EXIT_INTERRUPTED,
)

_FORMATS = {".csv": "csv", ".md": "markdown", ".markdown": "markdown"}


@click.command()
@click.option("-k", "ks", help="Budgets: 10,20 or 1-5.", metavar="K,K,…")
@click.option(
    "--methods",
    metavar="A,B,…",
    help="greedtok, greedwmc, improve, solve, bytes, or any of partcover train. "
    "Default: greedtok,greedwmc,bytes.",
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
    "--unigram-objective", is_flag=True, help="The likelihood of each token set; takes seconds."
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
    unigram_objective: bool,
    form: str | None,
    plot: str | None,
    **options: Any,
) -> int:
    """Compare methods over several budgets.

    One row for each budget, method and segmentation rule. A bound, of solve or --bound, holds for
    every row of its k; d and the certified ratio need greedtok and greedwmc both. JSON has the
    token sets' measures as well: overlap, whole words, use, Rényi efficiency.
    """
    from ..compare import METHODS, Runner, rules_of
    from ..compare import compare as run
    from ..targets import budgets_for

    goals = _numbers(targets, "--targets") if targets is not None else []
    if held_out is not None and share is not None:
        raise click.UsageError("--held-out and --split: use one of them")
    budgets = parse_budgets(ks)
    asked = [name.strip() for name in methods.split(",")] if methods is not None else []
    given = {
        Path(path).name if Path(path).stem in METHODS else Path(path).stem: Vocabulary.load(path)
        for path in vocabs
    }
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
    if out.path is not None:
        write_atomic(out.path, text_of(data, form or _FORMATS.get(Path(out.path).suffix, "json")))
        out.note(f"wrote {out.path}")
    if out.json or form == "json":
        out.object(data)
    elif form in ("csv", "markdown"):
        if out.path is None:
            click.echo(text_of(data, form), nl=False)
    else:
        _show(out, data)
    for remark in dict.fromkeys(row["remark"] for row in found.rows if "remark" in row):
        out.note(f"{remark}: no tokens are counted under likelihood")
    return EXIT_INTERRUPTED if interrupted else 0


def text_of(data: dict[str, Any], form: str) -> str:
    """The result as a file: JSON has all, the others the rows, Markdown the targets too."""
    from ..report import rows_csv, rows_markdown

    if form == "csv":
        return rows_csv(data["rows"])
    if form == "json":
        return json.dumps(data, ensure_ascii=False, indent=1) + "\n"
    tables = [rows_markdown(data["rows"], shown_columns(data["rows"]))]
    if "targets" in data:
        tables.append(rows_markdown(data["targets"], TARGETS))
    return "\n".join(tables)


def shown_columns(rows: Sequence[dict[str, Any]]) -> dict[str, str]:
    """The columns that some row has something for."""
    return {
        key: heading
        for key, heading in COLUMNS.items()
        if any(row.get(key) is not None for row in rows)
    }


def _show(out: Output, data: dict[str, Any]) -> None:
    from ..report import rows_table

    out.console.print(rows_table(data["rows"], shown_columns(data["rows"])))
    if "targets" in data:
        out.console.print(rows_table(data["targets"], TARGETS))


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
}
