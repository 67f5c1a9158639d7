"""Implements the commands ``compare`` and ``demo``."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import partcover as pc

from ....report.tables.comparison import comparison_tables
from ...command import Options, command
from ...declared import exclude
from ...exit_status import EXIT_INTERRUPTED
from ...inputs import (
    InstanceSource,
    names_of,
    note_other_words,
    parse_budgets,
    read_vocabulary,
)
from ...shown.output import Output


@command("compare", keeps_best=True)
def compare_command(out: Output, source: InstanceSource, asked: Options) -> int:
    """Compare methods at several vocabulary sizes.

    The table has one row for each k, method, and segmentation rule. A lower bound of --bound or of
    the method solve applies to all rows with its k. JSON and CSV always contain the measures of
    --sets; overlaps are not in CSV.

    To compare existing tokenizers with different pre-tokenizers on a text, use `score`.

    Options:
    corpus
    -k ks K,K,…: Numbers of tokens to choose: 10,20 or 1-5.
    --methods METHODS: Methods to compare: greedtok, greedwmc, improve, solve, any method of
      `train`, and the variants pathpiece-bpe, pathpiece-unigram, convextok-bias, and convextok-int.
      Default: greedtok,greedwmc,bytes.
    --rules A,B,… = own,shortest_path: Segmentation rules. own: the rule of each method.
    --vocab vocabs <V.json...: Vocabulary to compare with; its size is added to -k.
    --time-limit SECONDS: Time limit for each run of a method.
    --certificate certificates <P.cert...: Certificate of a lower bound; its k is added to -k.
    --bound SECONDS: Time to compute a certified lower bound for each k. Default: no bound.
    --held-out <C.tsv: Also measure on these words.
    --split SHARE: Hold out this share of the occurrences, drawn with --seed, and measure on it.
    --memory: Run each method in its own process and show its peak memory.
    --sets: Also compare the token sets: whole words, used tokens, words kept whole, Rényi
      efficiency, and the overlap of each pair.
    --plot >FIGURE: Plot the gaps, or tokens per word if there is no bound (.png, .svg, .pdf).
    conditions, --threads, --seed, -o, tables
    $ partcover compare book.tsv -k 100,1000 --methods greedtok,bpe,unigram
    $ partcover compare book.tsv -k 100 --bound 10 --plot figure.svg -o rows.csv
    $ partcover compare book.tsv -k 1000 --vocab v.json --certificate p.cert
    """
    asked.rules = [name.strip() for name in asked.rules.split(",")]
    if asked.held_out is not None:
        exclude("--held-out", "--split")
    instance, held_out = _read(out, source, asked)
    comparison = out.run(
        "compare",
        pc.compare,
        instance,
        asked.budgets,
        asked.methods,
        asked.rules,
        vocabularies=asked.vocabularies,
        held_out=held_out,
        certificates=asked.certificates,
        bound=asked.bound,
        memory=asked.memory,
        time_limit=asked.time_limit,
    )
    data = {"corpus": source.name, **comparison.to_json()}
    if asked.held_out is not None:
        data["held_out"]["corpus"] = Path(asked.held_out).name
    elif held_out is not None:
        data["held_out"]["split"] = asked.split
    _show(out, data, asked)
    return EXIT_INTERRUPTED if comparison.interrupted else 0


def _read(
    out: Output, source: InstanceSource, asked: Options
) -> tuple[pc.Instance, pc.WordCounts | None]:
    """Returns the instance and held-out words; replaces names of files by what these hold."""
    from ....studies.methods import METHODS

    asked.certificates = {path: pc.Certificate.load(path) for path in asked.certificates}
    asked.vocabularies = _vocabularies(asked.vocabs)
    budgets = parse_budgets(asked.ks)
    budgets += [proof.k for proof in asked.certificates.values() if proof.k not in budgets]
    sizes = [*budgets, *map(len, asked.vocabularies.values())]
    instance = replace(source, k=max(sizes, default=None)).read()
    asked.budgets = budgets if sizes else [instance.k]
    for name, vocabulary in asked.vocabularies.items():
        note_other_words(out, vocabulary, instance.words, name)
    held_out: pc.WordCounts | None = None
    if asked.held_out is not None:
        held_out = pc.WordCounts.load(asked.held_out, instance.symbols)
    elif asked.split is not None:
        from ....corpus.files.holdout import split

        asked.split = float(asked.split)
        words, held_out = split(instance.words, asked.split, seed=out.seed)
        instance = replace(instance, corpus=words)
    if asked.methods is not None:
        asked.methods = [name.strip() for name in asked.methods.split(",")]
    else:  # single symbols alone cannot hold tokens that must be there
        asked.methods = ["greedtok", "greedwmc"] + ([] if instance.fixed else ["bytes"])
    for name in asked.methods:
        hint_of = METHODS[name].hint if name in METHODS else None
        if hint_of is not None and (hint := hint_of(instance)):
            out.note(hint)
    return instance, held_out


def _vocabularies(paths: Sequence[str]) -> dict[str, pc.Vocabulary]:
    """Reads vocabularies by their names, none of which is that of a method."""
    from ....studies.methods import METHODS

    return {name: read_vocabulary(path) for path, name in names_of(paths, METHODS).items()}


def _show(out: Output, data: dict[str, Any], asked: Options) -> None:
    """Shows the tables and writes the figure."""
    if asked.plot is not None:
        from ....report.gap_bars import has_gaps, plot_gaps
        from ....report.plots import plot_rows

        plot = plot_gaps if has_gaps(data["rows"]) else plot_rows
        plot(data["rows"], asked.plot)
        out.wrote(asked.plot)
    for remark in dict.fromkeys(row["remark"] for row in data["rows"] if "remark" in row):
        out.note(remark)
    out.result(data, *comparison_tables(data, sets=asked.sets))


@command("demo")
def demo_command(out: Output) -> int:
    """Try the main commands on a text that comes with Python.

    The demo counts the words of the Python language reference, chooses tokens greedily with
    certified ratios, finds the proven optimum for the most frequent words, and reduces a vertex
    cover to tokenization and back.

    Options:
    --threads, --seed, -o, tables
    $ partcover demo
    $ partcover demo --json  # print the results as JSON
    """
    from ....report.tables.studies import demo_tables
    from ....studies.demo import demo

    data = out.run("demo", demo)
    out.result(data, *demo_tables(data))
    return 0
