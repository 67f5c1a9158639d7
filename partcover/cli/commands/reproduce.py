"""Implements the command ``reproduce``."""

from __future__ import annotations

import json
import shlex
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click

from ...report.tables import Listing, rows_csv, rows_markdown, shown_columns
from ...runtime.files import check_writable, write_atomic
from ..exit_status import EXIT_INTERRUPTED
from ..inputs import parse_budgets, read_instance
from ..options import argument, candidate_options, command, option, output_options, seconds_option
from ..output import Output
from ..paths import WritablePath, check_apart


@command(
    "reproduce",
    keeps_best=True,
    examples=[
        ("partcover reproduce --list", ""),
        ("partcover reproduce tokens-per-word book.tsv -k 100,200 -o table.md", ""),
    ],
)
@argument("name", type=str, required=False)
@argument("corpus", required=False, metavar="[C.tsv|I.json]")
@option("--list", "listed", is_flag=True, help="What tables and figures there are.")
@option("-k", "ks", metavar="K,K,…", help="Budgets. Default: the experiment's.")
@seconds_option(about="For each run of a method.")
@option("--plot", type=WritablePath("figure"), metavar="FILE", help="Draw it (.png, .svg, .pdf).")
@candidate_options
@output_options(threads=True, seed=True)
def reproduce_command(
    out: Output,
    name: str | None,
    corpus: str | None,
    listed: bool,
    ks: str | None,
    time_limit: float | None,
    plot: str | None,
    **options: Any,
) -> int:
    """Make a table or figure of a paper anew, from any corpus.

    Where the corpus is the paper's own, its figures stand beside. The name all makes every one.
    Each result has a manifest: command, versions, hash of the input, options, seed. In JSON it is
    inside; beside FILE.csv and FILE.md it is FILE.csv.manifest.json.
    """
    from ...studies.methods import Runner
    from ...studies.paper_tables import EXPERIMENTS, Study, manifest
    from ...studies.paper_tables import reproduce as run

    if listed:
        return _list(out)
    if name is None or corpus is None:
        raise click.UsageError("a name (see --list) and counted words are expected")
    if name not in ("all", *EXPERIMENTS):
        raise click.UsageError(f"unknown experiment {name!r}: use all, {', '.join(EXPERIMENTS)}")
    if name == "all" and (plot is not None or out.file_form == "csv"):
        raise click.UsageError("all of them make no one figure and no one CSV: name one")
    beside = None
    if out.path is not None and out.path != "-" and out.file_form != "json":
        beside = f"{out.path}.manifest.json"
        check_writable(beside)
        check_apart([("-o", beside)], [("the command", corpus)])
    budgets = parse_budgets(ks)
    names = list(EXPERIMENTS) if name == "all" else [name]
    most = max(budgets or [k for one in names for k in EXPERIMENTS[one].budgets])
    instance = read_instance(corpus, most, options)
    results: list[dict[str, Any]] = []
    studies: dict[tuple[int, ...], Study] = {}
    left_out: dict[str, str] = {}
    interrupted = False
    with out.progress("reproduce") as progress:
        runner = Runner(
            instance,
            time_limit,
            seed=out.seed,
            threads=out.threads,
            progress=progress,
        )
        for one in names:
            ask = tuple(budgets) or EXPERIMENTS[one].budgets
            study = studies.setdefault(ask, Study(runner, ask))
            try:
                rows = run(one, study)
            except KeyboardInterrupt:
                if not results:
                    raise
                interrupted = True  # the tables before are whole
                out.note(f"interrupted: {', '.join(names[len(results) :])} left out")
                break
            command = _command(one, corpus, ks, time_limit, out, options)
            facts = manifest(one, study, command, Path(corpus).name)
            results.append({"manifest": facts, "rows": rows})
            left_out |= facts["left_out"]
    data: dict[str, Any] = {"results": results} if name == "all" else results[0]

    def write(path: str) -> None:
        write_atomic(path, _text(results, data, out.file_form))
        if beside is not None:
            facts = {"manifests": [result["manifest"] for result in results]}
            write_atomic(beside, json.dumps(facts, ensure_ascii=False, indent=1) + "\n")
            out.wrote(beside)

    with out.saved(write):
        if plot is not None:
            from ...report.plots import plot_lines

            experiment = EXPERIMENTS[name]
            lines = experiment.lines(results[0]["rows"])
            plot_lines(lines, plot, experiment.across_label, experiment.up)
            out.wrote(plot)
        for method, line in left_out.items():
            out.note(f"without {method}: {line}")
        if out.json or out.form == "json":
            out.object(data)
        elif out.form in ("csv", "markdown"):
            click.echo(_text(results, data, out.form), nl=False)
        elif out.path != "-":
            _show(out, results)
    return EXIT_INTERRUPTED if interrupted else 0


def _list(out: Output) -> int:
    from ...studies.paper_tables import EXPERIMENTS

    rows = [
        {"name": name, "about": experiment.about, "paper": experiment.paper}
        for name, experiment in EXPERIMENTS.items()
    ]
    columns = {"name": "name", "about": "shows", "paper": "of"}
    out.result({"experiments": rows}, Listing(rows, columns))
    return 0


def _command(
    name: str,
    corpus: str,
    ks: str | None,
    time_limit: float | None,
    out: Output,
    options: dict[str, Any],
) -> str:
    """The command that makes one result again; files by their names alone."""
    words = ["partcover", "reproduce", name, Path(corpus).name]
    if ks is not None:
        words += ["-k", ks]
    if time_limit is not None:
        words += ["--time-limit", f"{time_limit:g}"]
    for key, value in options.items():
        flag = "--group" if key == "groups" else f"--{key.replace('_', '-')}"
        for one in value if isinstance(value, tuple) else (value,):
            if one is not None:
                words += [flag, str(one)]
    if out.seed:
        words += ["--seed", str(out.seed)]
    return shlex.join(words)


def _text(results: Sequence[dict[str, Any]], data: dict[str, Any], form: str) -> str:
    if form == "json":
        return json.dumps(data, ensure_ascii=False, indent=1) + "\n"
    if form == "csv":
        return rows_csv(results[0]["rows"])
    return _page(results)


def _page(results: Sequence[dict[str, Any]]) -> str:
    """Every table with the command that makes it above."""
    from ...studies.paper_tables import EXPERIMENTS

    parts = []
    for result in results:
        facts, rows = result["manifest"], result["rows"]
        experiment = EXPERIMENTS[facts["experiment"]]
        parts += [
            f"## {facts['experiment']}\n",
            f"{experiment.about} Of: {experiment.paper}.\n",
            f"    {facts['command']}\n",
            rows_markdown(rows, _shown(experiment.columns, rows)),
        ]
        parts += [f"{remark}\n" for remark in _remarks(experiment.note, result)]
    facts = results[0]["manifest"]
    source, versions = facts["input"], facts["versions"]
    parts.append(
        f"Made from {source['corpus']} ({source['words']:,} words, {source['total_count']:,} "
        f"counted, SHA-256 of the counted words {source['corpus_sha256']}), seed {facts['seed']}, "
        f"with {', '.join(f'{library} {number}' for library, number in versions.items())}.\n"
    )
    if len(results) > 1:
        command = facts["command"].replace(facts["experiment"], "all", 1)
        head = "# The papers' tables, made anew\n"
        how = f"Each table is made by the command above it, the page by `{command} -o FILE.md`.\n"
        parts = [head, how, *parts]
    return "\n".join(parts)


def _remarks(note: str, result: dict[str, Any]) -> list[str]:
    """What stands below a table: its note, how many of the paper's figures agree, what lacks."""
    agreed: dict[str, list[bool]] = {}
    for row in result["rows"]:
        if "agrees" in row:
            agreed.setdefault(row["method"], []).append(row["agrees"])
    counts = [f"{method} {sum(found)} of {len(found)}" for method, found in agreed.items()]
    stated = f"The paper's figures that agree: {', '.join(counts)}."
    lacking = ", ".join(result["manifest"]["left_out"])
    limited = ", ".join(result["manifest"]["limited"])
    remarks = (
        note,
        stated if counts else "",
        f"Could not run here: {lacking}." if lacking else "",
        f"The time limit cut short, and so are no reproduction: {limited}." if limited else "",
    )
    return [remark for remark in remarks if remark]


def _shown(columns: Any, rows: Sequence[dict[str, Any]]) -> dict[str, str]:
    """Columns that some row has something for, and sizes where one is below k."""
    sizes = {
        key: key.replace("_", " ")
        for key in ("size", "first_size", "second_size")
        if any(row.get(key) is not None and row[key] < row["k"] for row in rows)
    }
    return shown_columns(rows, {**columns, **sizes})


def _show(out: Output, results: Sequence[dict[str, Any]]) -> None:
    from ...studies.paper_tables import EXPERIMENTS

    for result in results:
        facts, rows = result["manifest"], result["rows"]
        experiment = EXPERIMENTS[facts["experiment"]]
        out.tables(
            f"{facts['experiment']}: {experiment.about}",
            Listing(rows, _shown(experiment.columns, rows)),
            *(f"{remark}\n" for remark in _remarks(experiment.note, result)),
        )
