"""Implements the command ``compare``."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

import partcover as pc

from ....runtime.numerals import read_float
from ... import shared
from ...command import Options, command, exclude, option, reading_option
from ...exit_status import EXIT_INTERRUPTED
from ...inputs import InstanceSource, note_other_words, parse_budgets, read_vocabulary
from ...shown.comparison_tables import tables_of
from ...shown.completion import method_names
from ...shown.output import Output

if TYPE_CHECKING:
    from ....studies.compare import Comparison


def _numbers(_: click.Context, parameter: click.Parameter, text: str | None) -> Sequence[float]:
    """Reads numbers with commas between."""
    try:
        return [read_float(part) for part in text.split(",")] if text is not None else []
    except ValueError:
        raise click.UsageError(
            f"{parameter.opts[0]} is {text!r}: expected numbers separated by commas, such as "
            "1.2,1.5"
        ) from None


@command(
    "compare",
    keeps_best=True,
    examples=[
        ("partcover compare book.tsv -k 100,1000 --methods greedtok,bpe,unigram", ""),
        ("partcover compare book.tsv -k 100 --bound 10 --plot figure.svg -o rows.csv", ""),
        ("partcover compare book.tsv -k 1000 --vocab v.json --certificate p.cert", ""),
    ],
)
@option("-k", "ks", help="Numbers of tokens to choose: 10,20 or 1-5.", metavar="K,K,…")
@option(
    "--methods",
    metavar="A,B,…",
    shell_complete=method_names,
    help="Methods to compare: greedtok, greedwmc, improve, solve, any method of `train`, and the "
    "variants pathpiece-bpe, pathpiece-unigram, convextok-bias, and convextok-int. Default: "
    "greedtok,greedwmc,bytes.",
)
@option(
    "--rules",
    default="own,shortest_path",
    metavar="A,B,…",
    help="Segmentation rules. own: the rule of each method.",
)
@reading_option(
    "--vocab",
    "V.json",
    "Vocabulary to compare with; its size is added to -k. Repeatable.",
    dest="vocabs",
    multiple=True,
)
@shared.seconds(about="Time limit for each run of a method.")
@reading_option(
    "--certificate",
    "P.cert",
    "Certificate of a lower bound; its k is added to -k. Repeatable.",
    dest="certificates",
    multiple=True,
)
@shared.seconds(
    "--bound", about="Time to compute a certified lower bound for each k. Default: no bound."
)
@option(
    "--targets",
    metavar="T,T,…",
    callback=_numbers,
    help="Also find the smallest k with which each method reaches these tokens per word.",
)
@reading_option("--held-out", "C.tsv", "Also measure on these words.")
@option(
    "--split",
    type=float,
    metavar="SHARE",
    help="Hold out this share of the occurrences, drawn with --seed, and measure on it.",
)
@option(
    "--memory", is_flag=True, help="Run each method in its own process and show its peak memory."
)
@option(
    "--sets",
    is_flag=True,
    help="Also compare the token sets: whole words, used tokens, words kept whole, Rényi "
    "efficiency, and the overlap of each pair.",
)
@shared.plot("Plot the gaps, or tokens per word if there is no bound (.png, .svg, .pdf).")
@shared.instance
@shared.output(threads=True, seed=True)
def compare_command(out: Output, source: InstanceSource, **options: Any) -> int:
    """Compare methods at several vocabulary sizes.

    The table has one row for each k, method, and segmentation rule. A lower bound of --bound or of
    the method solve applies to all rows with its k. With the methods greedtok and greedwmc, two
    more columns show d, the ratio of their covers, and the approximation ratio that it certifies.
    JSON and CSV always contain the measures of --sets; overlaps and targets are not in CSV.

    To compare existing tokenizers with different pre-tokenizers on a text, use inspect A.json
    B.json TEXT --scores.
    """
    request = Options(**options)
    request.rules = [name.strip() for name in request.rules.split(",")]
    if request.held_out is not None:
        exclude("--held-out", "--split")
    inputs = _read(out, source, request)
    comparison = out.run(
        "compare",
        pc.compare,
        inputs.instance,
        inputs.budgets,
        inputs.methods,
        request.rules,
        vocabularies=inputs.vocabularies,
        held_out=inputs.held_out,
        certificates=inputs.certificates,
        bound=request.bound,
        memory=request.memory,
        time_limit=request.time_limit,
    )
    data, interrupted = _data(out, source.name, inputs, comparison, request), comparison.interrupted
    if request.targets:
        data["targets"] = []
        if not interrupted:
            interrupted = _reach(out, inputs, comparison, request, data["targets"])
    _show(out, data, request)
    return EXIT_INTERRUPTED if interrupted else 0


@dataclass(frozen=True)
class _Inputs:
    """What the files hold, and the methods and budgets that follow from it."""

    instance: pc.Instance
    held_out: pc.WordCounts | None
    vocabularies: dict[str, pc.Vocabulary]
    certificates: dict[str, pc.Certificate]
    methods: list[str]
    budgets: list[int]


def _read(out: Output, source: InstanceSource, request: Options) -> _Inputs:
    """Reads the corpus, the vocabularies and the certificates, and splits the words."""
    from ....studies.methods import METHODS

    certificates = {path: pc.Certificate.load(path) for path in request.certificates}
    budgets = parse_budgets(request.ks)
    vocabularies = _vocabularies(request.vocabs)
    budgets += [proof.k for proof in certificates.values() if proof.k not in budgets]
    sizes = [*budgets, *map(len, vocabularies.values())]
    instance = replace(source, k=max(sizes, default=None)).read()
    for name, vocabulary in vocabularies.items():
        note_other_words(out, vocabulary, instance.words, name)
    held_out: pc.WordCounts | None = None
    if request.held_out is not None:
        held_out = pc.WordCounts.load(request.held_out, instance.symbols)
    elif request.split is not None:
        from ....corpus.files.holdout import split

        words, held_out = split(instance.words, request.split, seed=out.seed)
        instance = replace(instance, corpus=words)
    if request.methods is not None:
        methods = [name.strip() for name in request.methods.split(",")]
    else:  # single symbols alone cannot hold tokens that must be there
        methods = ["greedtok", "greedwmc"] + ([] if instance.fixed else ["bytes"])
    for name in methods:
        asked = METHODS[name].hint if name in METHODS else None
        if asked is not None and (hint := asked(instance)):
            out.note(hint)
    return _Inputs(
        instance=instance,
        held_out=held_out,
        vocabularies=vocabularies,
        certificates=certificates,
        methods=methods,
        budgets=budgets if sizes else [instance.k],
    )


def _vocabularies(paths: Sequence[str]) -> dict[str, pc.Vocabulary]:
    """Reads vocabularies, named as their files are, by the whole path where two are alike."""
    from ....studies.methods import METHODS

    vocabularies: dict[str, pc.Vocabulary] = {}
    for path in dict.fromkeys(paths):
        name = Path(path).stem
        if name in METHODS:
            name = Path(path).name
        vocabularies[path if name in vocabularies else name] = read_vocabulary(path)
    return vocabularies


def _reach(
    out: Output,
    inputs: _Inputs,
    comparison: Comparison,
    request: Options,
    rows: list[dict[str, Any]],
) -> bool:
    """Adds the smallest k of each method for each target; returns whether Ctrl-C has ended it."""
    from ....runtime.limits import RunLimits
    from ....studies.methods import Runner, rules_of
    from ....studies.targets import budgets_for

    # in this process: what bisection needs is many short runs
    limits = RunLimits(request.time_limit, out.seed, out.threads)
    try:
        with out.progress("compare") as progress:
            runner = Runner(inputs.instance, limits, progress=progress)
            for method in dict.fromkeys(inputs.methods):
                answers = [answer for answer in comparison.answers if answer.method == method]
                if answers:
                    rules = rules_of(answers[0], request.rules)
                    rows += budgets_for(runner, answers, rules, request.targets)
                if any(row["termination"] == "interrupted" for row in rows):
                    return True
    except KeyboardInterrupt:  # what is there by then is kept
        return True
    return False


def _data(
    out: Output, corpus: str, inputs: _Inputs, comparison: Comparison, request: Options
) -> dict[str, Any]:
    """Makes the JSON object, but for the targets."""
    instance, held_out = inputs.instance, inputs.held_out
    data: dict[str, Any] = {
        "corpus": corpus,
        "corpus_sha256": instance.words.digest,
        "words": len(instance.words),
        "total_count": instance.words.total_count,
        "symbols": instance.symbols,
        "pretokenizer": instance.words.pretokenizer,
        "candidates": instance.promising.total,
        "policy": instance.policy,
        "seed": out.seed,
        "threads": out.threads,
        "rows": comparison.rows,
        "sets": comparison.sets,
    }
    if held_out is not None:
        path = request.held_out
        data["held_out"] = {
            "words": len(held_out),
            "total_count": held_out.total_count,
            "corpus_sha256": held_out.digest,
            **({"corpus": Path(path).name} if path else {"split": request.split}),
        }
    return data


def _show(out: Output, data: dict[str, Any], request: Options) -> None:
    """Shows the tables and writes the figure."""
    if request.plot is not None:
        from ....report.gap_bars import has_gaps, plot_gaps
        from ....report.plots import plot_rows

        plot = plot_gaps if has_gaps(data["rows"]) else plot_rows
        plot(data["rows"], request.plot)
        out.wrote(request.plot)
    for remark in dict.fromkeys(row["remark"] for row in data["rows"] if "remark" in row):
        out.note(remark)
    out.result(data, *tables_of(data, request.sets))
