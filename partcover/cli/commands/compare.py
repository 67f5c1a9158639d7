"""Implements the command ``compare``."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import click

from ...corpus.word_counts import WordCounts
from ...problem.certificate import Certificate
from ...runtime.files import in_place, write_atomic
from ...vocabulary.vocabulary import Vocabulary
from ..comparison_tables import BESIDE, beside, tables_of
from ..exit_status import EXIT_INTERRUPTED
from ..inputs import other_words, parse_budgets, read_instance
from ..options import command, instance_options, option, output_options, seconds_option
from ..output import Output
from ..paths import ReadablePath, WritablePath, check_apart


@command(
    "compare",
    keeps_best=True,
    examples=[
        ("partcover compare book.tsv -k 100,1000 --methods greedtok,bpe,unigram", ""),
        ("partcover compare book.tsv -k 100 --bound 10 --plot figure.svg -o rows.csv", ""),
        ("partcover compare book.tsv -k 1000 --vocab v.json --certificate p.cert", ""),
    ],
)
@option("-k", "ks", help="Budgets: 10,20 or 1-5.", metavar="K,K,…")
@option(
    "--methods",
    metavar="A,B,…",
    help="greedtok, greedwmc, improve, solve, pathpiece-bpe and pathpiece-unigram (begun from "
    "these), or any of partcover train. Default: greedtok,greedwmc,bytes.",
)
@option(
    "--rules",
    default="own,shortest_path",
    show_default=True,
    metavar="A,B,…",
    help="Segmentation rules; own: that of each method.",
)
@option(
    "--vocab",
    "vocabs",
    multiple=True,
    type=ReadablePath(),
    metavar="V.json",
    help="A vocabulary to set beside them; its size is a budget too. Repeatable.",
)
@seconds_option(about="For each run of a method.")
@option(
    "--certificate",
    "certificates",
    multiple=True,
    type=ReadablePath(),
    metavar="P.cert",
    help="A proof of the lower bound for its k; its k is a budget too. Repeatable.",
)
@seconds_option("--bound", about="Find a certified lower bound for each k.")
@option(
    "--targets", metavar="T,T,…", help="Tokens per word: the k that each method needs to reach it."
)
@option("--held-out", type=ReadablePath(), metavar="C.tsv", help="Measure on these words as well.")
@option(
    "--split",
    "share",
    type=float,
    metavar="SHARE",
    help="Hold this share of the occurrences out of training, drawn by --seed, to measure on.",
)
@option("--memory", is_flag=True, help="Each run in a process of its own: its peak memory.")
@option(
    "--sets",
    is_flag=True,
    help="The token sets as well: whole words, use, Rényi efficiency, and what each two share.",
)
@option(
    "--unigram-objective",
    is_flag=True,
    help="The likelihood of each token set, with --sets; takes seconds.",
)
@option(
    "--plot",
    type=WritablePath("figure"),
    metavar="FILE",
    help="Draw tokens per word over k (.png, .svg, .pdf).",
)
@instance_options
@output_options(threads=True, seed=True)
def compare_command(
    out: Output,
    corpus: str,
    ks: str | None,
    methods: str | None,
    rules: str,
    vocabs: tuple[str, ...],
    time_limit: float | None,
    certificates: tuple[str, ...],
    bound: float | None,
    targets: str | None,
    held_out: str | None,
    share: float | None,
    memory: bool,
    sets: bool,
    unigram_objective: bool,
    plot: str | None,
    **options: Any,
) -> int:
    """Compare methods over several budgets.

    One row for each budget, method and segmentation rule. A bound, of solve or --bound, holds for
    every row of its k; d and the certified ratio need greedtok and greedwmc both. JSON always has
    the token sets' measures. In CSV they are columns; what two sets share, and --targets, are
    files of their own beside FILE.csv: FILE.overlap.csv and FILE.targets.csv.
    """
    from ...studies.compare import compare as run
    from ...studies.methods import METHODS, Runner, rules_of
    from ...studies.targets import budgets_for

    goals = _numbers(targets, "--targets") if targets is not None else []
    if held_out is not None and share is not None:
        raise click.UsageError("--held-out and --split: use one of them")
    if out.path is not None and out.file_form == "csv" and not in_place(out.path):
        more = [str(Path(out.path).with_suffix(f".{name}.csv")) for name in BESIDE]
        read = [("the command", corpus), ("--held-out", held_out)]
        read += [("--vocab", path) for path in vocabs]
        check_apart([("-o", path) for path in more], [(o, path) for o, path in read if path])
    proofs = {path: Certificate.load(path) for path in certificates}
    budgets = parse_budgets(ks)
    asked = [name.strip() for name in methods.split(",")] if methods is not None else []
    given: dict[str, Vocabulary] = {}
    for path in dict.fromkeys(vocabs):
        name = Path(path).stem
        if name in METHODS:
            name = Path(path).name
        given[path if name in given else name] = Vocabulary.load(path)
    budgets += [proof.k for proof in proofs.values() if proof.k not in budgets]
    sizes = [*budgets, *map(len, given.values())]
    instance = read_instance(corpus, max(sizes) if sizes else None, options)
    for name, vocabulary in given.items():
        for remark in other_words(vocabulary, instance.words):
            out.note(f"{name}: {remark}")
    apart: WordCounts | None = None
    if held_out is not None:
        apart = WordCounts.load(held_out, instance.symbols)
    elif share is not None:
        from ...corpus.holdout import split

        words, apart = split(instance.words, share, seed=out.seed)
        instance = replace(instance, words=words)
    if methods is None:  # single symbols alone cannot hold tokens that must be there
        asked = ["greedtok", "greedwmc"] + ([] if instance.fixed else ["bytes"])
    named = [name.strip() for name in rules.split(",")]
    with out.progress("compare") as progress:
        found = run(
            instance,
            budgets if sizes else [instance.k],
            asked,
            named,
            vocabularies=given,
            held_out=apart,
            certificates=proofs,
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
    data = {
        "corpus": Path(corpus).name,
        "corpus_sha256": instance.words.digest,
        "words": len(instance.words),
        "total_count": instance.words.total_count,
        "symbols": instance.symbols,
        "pretokenizer": instance.words.pretokenizer,
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
    for path, text in beside(out, tables).items():
        write_atomic(path, text)
        out.wrote(path)
    if plot is not None:
        from ...report.plots import plot_rows

        plot_rows(found.rows, plot)
        out.wrote(plot)
    for remark in dict.fromkeys(row["remark"] for row in found.rows if "remark" in row):
        out.note(remark)
    out.result(data, *tables.values())
    return EXIT_INTERRUPTED if interrupted else 0


def _numbers(text: str, option: str) -> list[float]:
    try:
        return [float(part) for part in text.split(",")]
    except ValueError:
        raise click.UsageError(
            f"{option} is {text!r}: numbers with commas are expected (1.2,1.5)"
        ) from None
