"""Implements the command ``reproduce``."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Sequence
from dataclasses import fields, replace
from typing import Any

import click

from ....runtime.arguments import closest
from ...command import Options, command
from ...declared import is_given
from ...exit_status import EXIT_INTERRUPTED
from ...inputs import InstanceSource, parse_budgets
from ...shown.output import Output


def _listed() -> Iterator[tuple[str, str]]:
    from ....studies.paper_tables import EXPERIMENTS

    for name, experiment in EXPERIMENTS.items():
        yield name, f"{experiment.about} From {experiment.paper}."


@command("reproduce", keeps_best=True, listed=("Tables and figures", _listed))
def reproduce_command(out: Output, source: InstanceSource, asked: Options) -> int:
    """Reproduce a table or figure of a paper on any corpus.

    With NAME all, `reproduce` makes every table. If the corpus is that of the paper, the table also
    shows the figures of the paper. In JSON, each result has a manifest with the command, versions,
    hash of the input, options, and seed.

    Options:
    name NAME: Table or figure of the list below, or all.
    corpus
    -k ks K,K,…: Numbers of tokens to choose. Default: those of the experiment.
    --time-limit SECONDS: Time limit for each run of a method.
    --plot, conditions, --threads, --seed, -o, tables
    $ partcover reproduce tokens-per-word book.tsv -k 100,200 -o table.md
    """
    from ....report.tables.papers import paper_tables
    from ....studies.paper_tables import EXPERIMENTS

    if asked.name not in (known := ("all", *EXPERIMENTS)):
        raise click.UsageError(f"unknown experiment {asked.name!r}: {closest(asked.name, known)}")
    if asked.name == "all" and (asked.plot is not None or out.file_form == "csv"):
        raise click.UsageError(
            "all does not fit one figure or one CSV file: give the name of one experiment"
        )
    names = list(EXPERIMENTS) if asked.name == "all" else [asked.name]
    results, interrupted = _reproduce(out, source, names, asked.ks, asked.time_limit)
    data: dict[str, Any] = {"results": results} if asked.name == "all" else results[0]
    if asked.plot is not None:
        from ....report.plots import plot_lines

        made = EXPERIMENTS[asked.name]
        plot_lines(made.lines(results[0]["rows"]), asked.plot, made.across_label, made.up)
        out.wrote(asked.plot)
    left_out = {m: why for each in results for m, why in each["manifest"]["left_out"].items()}
    for method, line in left_out.items():
        out.note(f"without {method}: {line}")
    out.result(data, *paper_tables(results))
    return EXIT_INTERRUPTED if interrupted else 0


def _reproduce(
    out: Output,
    source: InstanceSource,
    names: Sequence[str],
    ks: str | None,
    time_limit: float | None,
) -> tuple[list[dict[str, Any]], bool]:
    """Returns the manifest and the rows of each table, and whether Ctrl-C left some out."""
    from ....runtime.limits import RunLimits
    from ....studies.methods import Runner
    from ....studies.paper_tables import EXPERIMENTS, Study, manifest, reproduce

    budgets = {name: tuple(parse_budgets(ks)) or EXPERIMENTS[name].budgets for name in names}
    instance = replace(source, k=max(k for listed in budgets.values() for k in listed)).read()
    results: list[dict[str, Any]] = []
    studies: dict[tuple[int, ...], Study] = {}
    with out.progress("reproduce") as progress:
        limits = RunLimits(time_limit, out.seed, out.threads)
        runner = Runner(instance, limits, progress=progress)
        for name in names:
            study = studies.setdefault(budgets[name], Study(runner, budgets[name]))
            try:
                rows = reproduce(name, study)
            except KeyboardInterrupt:
                if not results:
                    raise
                # the tables before are whole
                out.note(f"interrupted: {', '.join(names[len(results) :])} left out")
                return results, True
            command = _command_line(name, source)
            facts = manifest(name, study, command, source.name)
            results.append({"manifest": facts, "rows": rows})
    return results, False


def _command_line(name: str, source: InstanceSource) -> str:
    """Returns the command that makes one result again, with the corpus by its name alone."""
    words = ["partcover", "reproduce", name, source.name]
    context = click.get_current_context()
    flags = {each.name: each.opts[0] for each in context.command.params}
    beside = {"name", "corpus", "plot", *(field.name for field in fields(Output))} - {"seed"}
    for key, value in context.params.items():  # in the order of the command line
        for text in (value if isinstance(value, tuple) else (value,)) if is_given(key) else ():
            if key not in beside:
                words += [flags[key], f"{text:g}" if isinstance(text, float) else str(text)]
    return shlex.join(words)
