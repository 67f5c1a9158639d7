"""Writes results as one self-contained HTML page; Jinja and matplotlib are the extra ``report``."""

from __future__ import annotations

import base64
import json
import tempfile
from collections.abc import Callable, Mapping, Sequence
from os import PathLike
from pathlib import Path
from typing import Any

from .._version import __version__
from ..corpus.word_counts import WordCounts
from ..errors import InputError, MissingExtra
from ..exact.solve import solve
from ..hardness.reduction import reduction_of
from ..problem.instance import Instance
from ..runtime.files import write_atomic
from ..runtime.limits import RunLimits
from ..runtime.progress import Progress
from ..studies.paper_tables import EXPERIMENTS
from .figures import check_figure
from .plots import plot_lines, plot_rows
from .reduction_figure import check_drawing, draw_reduction
from .runs import Runs
from .tables import cell
from .word_explorer import explore, steps

__all__ = ["write_page"]

_PAGES = Path(__file__).parent / "templates"


def write_page(
    runs: Runs,
    path: str | PathLike[str],
    *,
    title: str = "partcover report",
    sample: int = 2_000,
    time_limit: float = 10.0,
    seed: int = 0,
    threads: int = 1,
    progress: Progress | None = None,
) -> None:
    """Writes the page, which opens from disk and needs no network.

    Parameters
    ----------
    runs : Runs
        What the page shows.
    path : path
        Where to; the file is written aside and renamed.
    title : str
        The heading.
    sample : int
        The limit on words in the explorer; of a larger corpus a sample is shown, and the page
        says so.
    time_limit : float
        Seconds for the optimum of each small instance.
    seed, threads : int
        Random seed of the sample and of the solver; threads of the solver.
    progress : Progress, optional
        Gets the name of each part as it begins.

    Raises
    ------
    MissingExtra
        Without Jinja, or without matplotlib where there is a figure.
    InputError
        If there is nothing to show, prices without their words, an instance that is too large
        to show, or `path` cannot be written.
    """
    try:
        import jinja2
    except ImportError:
        raise MissingExtra("jinja2", "report", "a page") from None
    progress = progress or Progress()
    data: dict[str, Any] = {}
    explorer = _explorer(runs, sample, seed, progress)
    if explorer is not None:
        data["explorer"] = explorer
    limits = RunLimits(time_limit, seed, threads)
    pictures, data["steps"] = _shown_instances(runs, limits, progress)
    tables = [_table(name, rows) for name, rows in runs.tables]
    if not (tables or pictures or data["steps"] or explorer or runs.solutions):
        raise InputError("nothing to show: give tables, vocabularies with their words, instances")
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(_PAGES),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    page = environment.get_template("report.html").render(
        title=title,
        version=__version__,
        tables=tables,
        solutions=[(name, _facts(facts)) for name, facts in runs.solutions],
        pictures=pictures,
        explorer=explorer,
        steps=data["steps"],
        # inside a script element only "<" could end it
        data=json.dumps(data, ensure_ascii=True).replace("<", "\\u003c"),
        style=(_PAGES / "report.css").read_text("utf-8"),
        script=(_PAGES / "segment.js").read_text("utf-8")
        + (_PAGES / "report.js").read_text("utf-8"),
    )
    write_atomic(path, page)


def _explorer(runs: Runs, sample: int, seed: int, progress: Progress) -> dict[str, Any] | None:
    """Returns the data of the word explorer, None without words or vocabularies."""
    words, certificate = runs.words, runs.certificate
    small = [instance for _, instance in runs.instances if "reduction" not in instance.source]
    if words is None and len(small) == 1:
        words = small[0].words
    if words is None or not runs.vocabularies:
        if certificate is not None:
            raise InputError("prices need the counted words and a vocabulary beside them")
        return None
    progress.stage("words")
    prices = None if certificate is None else (_priced(words, small, certificate.k), certificate)
    return explore(words, runs.vocabularies, prices=prices, size=sample, seed=seed)


def _shown_instances(
    runs: Runs, limits: RunLimits, progress: Progress
) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """Returns the pictures of reductions, and the steps of small instances."""
    pictures, step_by_step = [], []
    for name, instance in runs.instances:
        progress.stage(name)
        if "reduction" in instance.source:
            pictures.append(_picture(name, instance, runs.answers, limits))
        else:
            step_by_step.append({"name": name, **steps(instance, limits=limits)})
    return pictures, step_by_step


def _priced(words: WordCounts, instances: Sequence[Instance], k: int) -> Instance:
    """Returns the instance that a certificate for k tokens is about, as far as the files tell."""
    for instance in instances:
        if instance.words.digest == words.digest:
            return instance.with_k(k)
    return Instance(words, k)


def _table(name: str, rows: list[dict[str, Any]]) -> dict[str, Any]:
    """Returns a table with the numbers to sort by, and its figure where there is one over k."""
    columns = list(dict.fromkeys(key for row in rows for key in row if _is_simple(row[key])))
    numbers = {c for c in columns if any(_is_number(row.get(c)) for row in rows)}
    return {
        "name": name,
        "columns": [(column.replace("_", " "), column in numbers) for column in columns],
        "rows": [[_shown(column, row.get(column)) for column in columns] for row in rows],
        "figure": _figure(name, rows),
    }


def _figure(name: str, rows: list[dict[str, Any]]) -> str | None:
    """Returns the figure of an experiment, or of methods over k; None for rows without it."""

    def have(texts: Sequence[str], numbers: Sequence[str], optional: Sequence[str]) -> bool:
        return bool(rows) and all(
            all(isinstance(row.get(key), str) for key in texts)
            and all(_is_number(row.get(key)) for key in numbers)
            and all(row.get(key) is None or _is_number(row[key]) for key in optional)
            for row in rows
        )

    experiment = EXPERIMENTS.get(name)
    if experiment is not None:
        *texts, up = experiment.line
        if not have(texts, [experiment.across], [up]):
            return None
        lines = experiment.lines(rows)
        return _image(lambda file: plot_lines(lines, file, experiment.across_label, experiment.up))
    if have(["method", "rule"], ["k"], ["tokens_per_word", "tokens", "lower_bound"]) and any(
        row.get("tokens_per_word") is not None and "target" not in row for row in rows
    ):
        return _image(lambda file: plot_rows(rows, file))
    return None


def _is_simple(value: Any) -> bool:
    """Whether a value fits into a cell."""
    return value is None or isinstance(value, int | float | str)


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _shown(column: str, value: Any) -> dict[str, Any]:
    """Returns a cell: its text, and the number to sort by."""
    text = cell(value)
    if value is not None and column.endswith("gap"):
        text = f"{100 * value:.3f} %"
    elif column == "rule" and value is not None:
        text = str(value).replace("_", " ")
    return {"text": text, "number": value if _is_number(value) else None}


def _facts(facts: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Returns names and texts of facts."""
    # the rule that a solution's tokens are counted under may differ from its vocabulary's
    names = {"rule": "tokens counted under"}
    return [
        (names.get(key, key.replace("_", " ")), _shown(key, value)["text"])
        for key, value in facts.items()
    ]


def _image(draw: Callable[[Path], None]) -> str:
    """Returns a figure as a data URL."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "figure.svg"
        check_figure(file)
        draw(file)
        return "data:image/svg+xml;base64," + base64.b64encode(file.read_bytes()).decode("ascii")


def _picture(
    name: str, instance: Instance, answers: Sequence[str], limits: RunLimits
) -> dict[str, Any]:
    """Returns a reduction beside its words, cut by the first answer that fits or by an optimum."""
    reduction = reduction_of(instance)
    check_drawing(reduction, "figure.svg")
    answer = None
    for file in answers:
        try:
            answer = reduction.load_answer(file)
            lifted = reduction.lift(answer)
            break
        except InputError:
            answer = None
    if answer is None:
        answer = solve(
            instance,
            time_limit=limits.time_limit,
            seed=limits.seed,
            threads=limits.threads,
        ).vocabulary
        if answer is None:
            raise InputError(f"{name}: no vocabulary was found within {limits.time_limit} s")
        lifted = reduction.lift(answer)
    facts = {key: value for key, value in lifted.to_json().items() if _is_simple(value)}
    listed = {
        key: ", ".join(map(str, value))
        for key, value in lifted.to_json().items()
        if isinstance(value, list)
    }
    words = [
        " | ".join(" ".join(reduction.symbol(int(symbol)) for symbol in piece) for piece in word)
        for word in reduction.pieces(answer)
    ]
    return {
        "name": name,
        "image": _image(lambda file: draw_reduction(reduction, answer, file)),
        "facts": _facts({**facts, **listed}),
        "words": words,
    }
