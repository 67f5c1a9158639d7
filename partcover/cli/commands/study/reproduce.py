"""Implements the command ``reproduce``."""

from __future__ import annotations

import contextlib
import json
import shlex
from collections.abc import Sequence
from dataclasses import fields, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ....errors import InputError
from ....report.tables import Listing, columns_of, shown_columns
from ....runtime.files.writing import check_writable, in_place, read_json, write_atomic
from ...command import LIMITS, argument, command, option
from ...exit_status import EXIT_INTERRUPTED
from ...inputs import InstanceSource, parse_budgets
from ...options import candidate_options, output_options, plot_option, seconds_option
from ...paths import check_apart
from ...shown.output import Output

if TYPE_CHECKING:
    from ....studies.paper_tables import Experiment


@command(
    "reproduce",
    keeps_best=True,
    examples=[
        ("partcover reproduce --list", ""),
        ("partcover reproduce tokens-per-word book.tsv -k 100,200 -o table.md", ""),
    ],
)
@argument("name", type=str, required=False, help="Table or figure of --list, or all.")
@argument(
    "corpus",
    required=False,
    metavar="[C.tsv|I.json]",
    help="Word counts, or an instance file.",
)
@option("--list", "listed", is_flag=True, help="List the tables and figures.")
@option(
    "-k",
    "ks",
    metavar="K,K,…",
    help="Numbers of tokens to choose. Default: those of the experiment.",
)
@seconds_option(about="Time limit for each run of a method.")
@option(
    "--resume",
    is_flag=True,
    heading=LIMITS,
    help="With NAME all: keep the tables in -o FILE.json of the same command, words, and versions.",
)
@plot_option("Plot the result (.png, .svg, .pdf).")
@candidate_options
@output_options(threads=True, seed=True)
def reproduce_command(
    out: Output,
    source: InstanceSource,
    name: str | None,
    listed: bool,
    ks: str | None,
    time_limit: float | None,
    resume: bool,
    plot: str | None,
) -> int:
    """Reproduce a table or figure of a paper on any corpus.

    With NAME all, `reproduce` makes every table and updates -o after each. If the corpus is that of
    the paper, the table also shows the figures of the paper. Each result has a manifest with the
    command, versions, hash of the input, options, and seed: within the JSON object, or next to
    FILE.csv and FILE.md as FILE.csv.manifest.json.
    """
    from ....studies.paper_tables import EXPERIMENTS

    if listed:
        return _list(out)
    if name is None or source.corpus is None:
        raise click.UsageError("expected NAME (see --list) and word counts")
    if name not in ("all", *EXPERIMENTS):
        raise click.UsageError(f"unknown experiment {name!r}: use all, {', '.join(EXPERIMENTS)}")
    if name == "all" and (plot is not None or out.file_form == "csv"):
        raise click.UsageError(
            "all does not fit one figure or one CSV file: give the name of one experiment"
        )
    if resume and (name != "all" or out.path in (None, "-") or out.file_form != "json"):
        raise click.UsageError("--resume needs NAME all and -o FILE.json of the earlier run")
    there = _tables_there(str(out.path)) if resume else []
    beside = _manifest_file(out, source.corpus)
    names = list(EXPERIMENTS) if name == "all" else [name]
    results, interrupted = _reproduce(out, source, names, ks, time_limit, there)
    data: dict[str, Any] = {"results": results} if name == "all" else results[0]
    parts = _parts(results)

    def write(path: str) -> None:
        write_atomic(path, out.text(data, parts, out.file_form))
        if beside is not None:
            facts = {"manifests": [result["manifest"] for result in results]}
            write_atomic(beside, json.dumps(facts, ensure_ascii=False, indent=1) + "\n")
            out.wrote(beside)

    with out.saved(write):
        if plot is not None:
            _plot(out, EXPERIMENTS[name], results[0]["rows"], plot)
        left_out = {m: why for each in results for m, why in each["manifest"]["left_out"].items()}
        for method, line in left_out.items():
            out.note(f"without {method}: {line}")
        out.show(data, *parts)
    return EXIT_INTERRUPTED if interrupted else 0


def _manifest_file(out: Output, corpus: str) -> str | None:
    """Returns the file of the manifest beside a CSV or a page, once it can be written."""
    if out.path is None or out.path == "-" or out.file_form == "json":
        return None
    path = f"{out.path}.manifest.json"
    check_writable(path)
    check_apart([("-o", path)], [("the command", corpus)])
    return path


def _reproduce(
    out: Output,
    source: InstanceSource,
    names: Sequence[str],
    ks: str | None,
    time_limit: float | None,
    there: Sequence[dict[str, Any]],
) -> tuple[list[dict[str, Any]], bool]:
    """Makes the tables that are not there; returns manifests and rows.

    And whether Ctrl-C left some out.
    """
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
            command = _command_line(name, source, ks, time_limit, out.seed)
            facts = manifest(name, study, command, source.name)
            same = [table for table in there if _made_by(table["manifest"]) == _made_by(facts)]
            if same:
                out.note(f"{name}: kept from the earlier run")
                results.append(same[0])
                continue
            try:
                rows = reproduce(name, study)
            except KeyboardInterrupt:
                if not results:
                    raise
                # the tables before are whole
                out.note(f"interrupted: {', '.join(names[len(results) :])} left out")
                return results, True
            facts = manifest(name, study, command, source.name)
            results.append({"manifest": facts, "rows": rows})
            if len(results) < len(names):
                _keep(out, results)
    return results, False


def _tables_there(path: str) -> list[dict[str, Any]]:
    """Returns the tables that an earlier run has written; none if there is no file.

    Raises
    ------
    InputError
        If the file is something else.
    """
    if not Path(path).is_file():
        return []
    tables = read_json(path).get("results")
    if not isinstance(tables, list) or not all(map(_is_table, tables)):
        raise InputError(f"{path}: not written by reproduce all, so it cannot be resumed")
    return tables


def _is_table(data: Any) -> bool:
    """Returns whether this has a manifest and rows."""
    if not isinstance(data, dict) or not isinstance(data.get("manifest"), dict):
        return False
    rows = data.get("rows")
    return isinstance(rows, list) and all(isinstance(row, dict) for row in rows)


def _made_by(facts: dict[str, Any]) -> str:
    """Returns what decides a table, to compare: all but the threads, and what could not run."""
    return json.dumps([facts.get(key) for key in ("command", "versions", "input", "seed")])


def _keep(out: Output, results: list[dict[str, Any]]) -> None:
    """Writes the tables so far, where more follow; that it cannot be written is said at the end."""
    if out.path is not None and not in_place(out.path):
        with contextlib.suppress(InputError):
            data = {"results": results}
            write_atomic(out.path, out.text(data, _parts(results), out.file_form))


def _plot(out: Output, experiment: Experiment, rows: list[dict[str, Any]], path: str) -> None:
    from ....report.plots import plot_lines

    plot_lines(experiment.lines(rows), path, experiment.across_label, experiment.up)
    out.wrote(path)


def _list(out: Output) -> int:
    """Shows the tables and figures that there are."""
    from ....studies.paper_tables import EXPERIMENTS

    rows = [
        {"name": name, "about": experiment.about, "paper": experiment.paper}
        for name, experiment in EXPERIMENTS.items()
    ]
    columns = columns_of("name about paper", about="content")
    out.result({"experiments": rows}, Listing(rows, columns))
    return 0


def _command_line(
    name: str, source: InstanceSource, ks: str | None, time_limit: float | None, seed: int
) -> str:
    """Returns the command that makes one result again; files by their names alone."""
    words = ["partcover", "reproduce", name, source.name]
    if ks is not None:
        words += ["-k", ks]
    if time_limit is not None:
        words += ["--time-limit", f"{time_limit:g}"]
    shaping = {field.name for field in fields(source)} - {"corpus"}
    given = click.get_current_context().params  # in the order of the command line
    for key in [key for key in given if key in shaping]:
        value = getattr(source, key)
        flag = "--group" if key == "groups" else f"--{key.replace('_', '-')}"
        for text in value if isinstance(value, tuple) else (value,):
            if text is not None:
                words += [flag, str(text)]
    if seed:
        words += ["--seed", str(seed)]
    return shlex.join(words)


def _parts(results: Sequence[dict[str, Any]]) -> tuple[Listing | str, ...]:
    """Makes a page of every table, below the command that makes it."""
    from ....studies.paper_tables import EXPERIMENTS

    parts: list[Listing | str] = []
    for result in results:
        facts, rows = result["manifest"], result["rows"]
        experiment = EXPERIMENTS[facts["experiment"]]
        parts += [
            f"## {facts['experiment']}",
            f"{experiment.about} From {experiment.paper}.",
            f"    {facts['command']}",
            Listing(rows, _shown(experiment.columns, rows)),
            *_remarks(experiment.note, result),
        ]
    facts = results[0]["manifest"]
    source, versions = facts["input"], facts["versions"]
    parts.append(
        f"Made from {source['corpus']} ({source['words']:,} words, {source['total_count']:,} "
        f"counted, SHA-256 of the counted words {source['corpus_sha256']}), seed {facts['seed']}, "
        f"with {', '.join(f'{library} {number}' for library, number in versions.items())}."
    )
    if len(results) > 1:
        command = facts["command"].replace(facts["experiment"], "all", 1)
        head = "# The papers' tables, reproduced"
        how = (
            "Tables and figures of papers on tokenization, computed with partcover. The command "
            f"above each table makes it; `{command} -o FILE.md` makes the whole page."
        )
        parts = [head, how, *parts]
    return tuple(parts)


def _remarks(note: str, result: dict[str, Any]) -> list[str]:
    """Returns the lines below a table: its note, agreement with the paper, missing methods."""
    agreed: dict[str, list[bool]] = {}
    for row in result["rows"]:
        if "agrees" in row:
            agreed.setdefault(row["method"], []).append(row["agrees"])
    counts = [f"{method} {sum(same)} of {len(same)}" for method, same in agreed.items()]
    stated = f"Published values that agree: {', '.join(counts)}."
    missing = ", ".join(result["manifest"]["left_out"])
    limited = ", ".join(result["manifest"]["limited"])
    remarks = (
        note,
        stated if counts else "",
        f"Could not run here: {missing}." if missing else "",
        f"Stopped by the time limit, so not comparable with the paper: {limited}."
        if limited
        else "",
    )
    return [remark for remark in remarks if remark]


def _shown(columns: Any, rows: Sequence[dict[str, Any]]) -> dict[str, str]:
    """Returns the columns that some row has a value for, and sizes where one is below k."""
    sizes = {
        key: key.replace("_", " ")
        for key in ("size", "first_size", "second_size")
        if any(row.get(key) is not None and row[key] < row["k"] for row in rows)
    }
    return shown_columns(rows, {**columns, **sizes})
