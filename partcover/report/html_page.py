"""Writes results as one self-contained HTML page; Jinja is the extra ``report``."""

from __future__ import annotations

import base64
import json
import re
import tempfile
from collections.abc import Callable, Mapping, Sequence
from os import PathLike
from pathlib import Path
from typing import Any

from .._version import __version__
from ..analysis.costly_words import CostlyWord, costly_words
from ..errors import InputError, MissingExtra
from ..exact.solve import solve
from ..hardness.reduction import reduction_of
from ..problem.instance import Instance
from ..runtime.arguments import Seconds, Seed, Threads, Whole, checked
from ..runtime.files.writing import write_atomic
from ..runtime.limits import RunLimits
from ..runtime.progress import Progress
from ..segmentation.segmentation import segment
from .charts import (
    comparison_chart,
    costly_bars,
    events_chart,
    experiment_chart,
    gap_bar,
    parts_bar,
    sizes_chart,
)
from .figures import COLORS
from .reduction_figure import check_drawing, draw_reduction
from .runs import Runs, Table
from .standings import Headline, checked_bound, headline, known_bounds, measure, under_one_bound
from .tables.audit import audit_remarks, audit_tables
from .tables.listing import text_of
from .tables.page import listing_table, page_table
from .word_explorer import explore, steps

_PAGES = Path(__file__).parent / "templates"
_SCRIPTS = (
    *("segment.js", "normalize.js", "pretokenize.js", "tokens.js", "tables.js"),
    *("explorer.js", "steps.js"),
)
_COSTLY = 10  # words, of a vocabulary without an audit
_CHART_SCRIPTS = ("vendor/echarts.common.min.js", "charts.js")


@checked
def write_page(
    runs: Runs,
    path: str | PathLike[str],
    *,
    title: str | None = None,
    sample: Whole = 2_000,
    time_limit: Seconds = 10.0,
    seed: Seed = 0,
    threads: Threads = 1,
    progress: Progress | None = None,
) -> None:
    """Writes results as one HTML page, which needs no network.

    The same files and versions of libraries give the same bytes, unless a time limit stops the
    search for the optimum of a small instance.

    Parameters
    ----------
    runs : Runs
        What the page shows.
    path : path
        The file to write.  It is written under another name and renamed when it is complete.
    title : str, optional
        The heading; by default the name of the corpus, or of the first file.
    sample : int
        Maximum number of words in the word explorer.  For a larger corpus it shows a sample, and
        the page says so.
    time_limit : float
        Seconds for the optimum of each small instance.
    seed, threads : int
        Random seed of the sample and of the solver; threads of the solver.
    progress : Progress, optional
        Gets the name of each part as it begins.

    Raises
    ------
    MissingExtra
        Without Jinja, or without matplotlib where a reduction is drawn.
    InputError
        If the files contain nothing to show, a certificate without its words, or an instance
        that is too large to show, or if `path` cannot be written.
    VerificationError
        If a certificate does not prove what it claims.

    Examples
    --------
    >>> from pathlib import Path
    >>> from partcover import WordCounts, Instance, greedtok
    >>> from partcover.report.html_page import write_page
    >>> from partcover.report.runs import read_runs
    >>> words = WordCounts.from_counts({"banana": 2, "bandana": 1})
    >>> words.save("words.tsv")
    >>> greedtok(Instance(words, k=1)).vocabulary.save("greedtok.json")
    >>> write_page(read_runs(["words.tsv", "greedtok.json"]), "page.html")
    >>> Path("page.html").exists()
    True
    """
    check_page()
    import jinja2

    progress = progress or Progress()
    first, explorer, measured, costly = _standing(runs, sample, seed, progress)
    pictures, step_by_step = _shown_instances(runs, RunLimits(time_limit, seed, threads), progress)
    charts = _charts(runs.tables, measured, runs)
    tables = [page_table(table.name, table.rows) for table in runs.tables if table.rows]
    if measured:
        tables.insert(0, page_table("vocabularies on this corpus", measured))
    if runs.sizes:
        tables.insert(0, page_table("tokens needed over vocabulary size", runs.sizes))
    if not (tables or charts or pictures or step_by_step or explorer or runs.solutions):
        raise InputError(
            "nothing to show. Give counted words and a vocabulary, for example "
            "`partcover report C.tsv V.json`, or a file of compare --json, reproduce or reduce"
        )
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(_PAGES),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    listed = {"explorer": _with_all_digits(explorer), "steps": _with_all_digits(step_by_step)}
    data = {"charts": charts, **listed}
    scripts = (*_SCRIPTS, *_CHART_SCRIPTS) if charts else _SCRIPTS
    page = environment.get_template("report.html").render(
        title=title
        or runs.corpus
        or next((Path(name).stem for name, _, _ in runs.files), "report"),
        version=__version__,
        headline=first,
        bar=_bar(runs, first, charts),
        costly=costly,
        charts=charts,
        tables=tables,
        audit=_audit_tables(runs),
        remarks=[] if runs.audit is None else audit_remarks(runs.audit),
        solutions=[(name, _facts(facts)) for name, facts in runs.solutions],
        pictures=pictures,
        explorer=explorer,
        words=runs.words,
        files=runs.files,
        steps=step_by_step,
        # inside a script element only "<" could end it
        data=json.dumps(data, ensure_ascii=True, allow_nan=False).replace("<", "\\u003c"),
        style=(_PAGES / "report.css").read_text("utf-8"),
        script="\n".join((_PAGES / name).read_text("utf-8") for name in scripts),
    )
    write_atomic(path, page)


def _with_all_digits(data: Any) -> Any:
    """Returns JSON with whole numbers that scripts would round, those beyond 53 bits, as text."""
    if isinstance(data, dict):
        return {key: _with_all_digits(value) for key, value in data.items()}
    if isinstance(data, list | tuple):
        return [_with_all_digits(value) for value in data]
    return str(data) if isinstance(data, int) and abs(data) > 2**53 else data


def _bar(
    runs: Runs, first: Headline | None, charts: Sequence[dict[str, Any]]
) -> dict[str, Any] | None:
    """Returns the bar that stands first; none where a chart of gaps does, or no bound is known."""
    if runs.audit is not None:
        return parts_bar(runs.audit)
    return None if first is None or charts else gap_bar(first.best)


def _audit_tables(runs: Runs) -> list[dict[str, Any]]:
    """Returns the tables of an audit; the costliest words are a chart."""
    if runs.audit is None:
        return []
    return [listing_table(table) for table in audit_tables(runs.audit, costly=False)]


def check_page() -> None:
    """Checks that a page can be written, before the work for it begins.

    Raises
    ------
    MissingExtra
        Without Jinja.

    Examples
    --------
    >>> from partcover.report.html_page import check_page
    >>> check_page()
    """
    try:
        import jinja2  # noqa: F401
    except ImportError:
        raise MissingExtra("jinja2", "report", "a page") from None


def _standing(
    runs: Runs, sample: int, seed: int, progress: Progress
) -> tuple[Headline | None, dict[str, Any] | None, list[dict[str, Any]], list[dict[str, Any]]]:
    """Returns the headline, the explorer's data, rows of vocabularies, and the costliest words.

    Without words or vocabularies there is nothing but a headline.
    """
    if runs.certificate is not None:
        progress.stage("certificate")
    proven = checked_bound(runs)
    words = runs.words if proven is None else proven[0].words
    if words is None:
        small = [each for _, each in runs.instances if "reduction" not in each.source]
        words = small[0].words if len(small) == 1 else None
    if words is None or not runs.vocabularies:
        return headline([], runs.tables, None, None), None, [], []
    progress.stage("words")
    prices = None
    bounds = known_bounds(runs.tables, words)
    if proven is not None and runs.certificate is not None:
        prices = (proven[0], runs.certificate)
        if proven[0].policy == {"candidates": "substrings"}:
            bounds[runs.certificate.k] = proven[1]  # a checked bound replaces a reported one
    cuts = {
        name: segment(words, vocabulary)
        for name, vocabulary in runs.vocabularies.items()
        if vocabulary.symbols == words.symbols
    }
    explorer = explore(words, runs.vocabularies, cuts=cuts, prices=prices, size=sample, seed=seed)
    measured = measure(words, runs.vocabularies, cuts, bounds)
    first = headline(measured, runs.tables, words, proven)
    costly: Sequence[CostlyWord] = ()
    if runs.audit is not None:
        costly = runs.audit.costly
    elif first is not None and first.best["method"] in cuts:
        costly = costly_words(cuts[first.best["method"]], _COSTLY)
    return first, explorer, measured, costly_bars(costly, words.symbols)


def _charts(
    tables: Sequence[Table], measured: Sequence[dict[str, Any]], runs: Runs
) -> list[dict[str, Any]]:
    """Returns the charts: sizes of an audit, methods over k, then searches over time."""
    charts: list[dict[str, Any] | None] = []
    if runs.audit is not None and runs.sizes:
        audit, (name,) = runs.audit, runs.vocabularies
        points = {name: (audit.size, audit.tokens)}
        if audit.used < audit.size:
            points[f"{name}, used tokens"] = audit.used, audit.tokens_used
        charts.append(sizes_chart(runs.sizes, points))
    compared: list[tuple[str, list[dict[str, Any]]]] = []
    rest = list(measured)  # vocabularies that are in no comparison
    for table in tables:
        experiment = experiment_chart(table.name, table.rows)
        if experiment is not None:
            charts.append(experiment)
        elif comparison_chart(table.rows) is not None:
            rows = table.rows
            if runs.words is not None and table.about.get("corpus_sha256") == runs.words.digest:
                known = {(row["method"], row["rule"]) for row in rows}
                others = [r for r in rest if (r["method"], r["rule"]) not in known]
                rows = under_one_bound(table, [*rows, *others])
                rest = []
            compared.append((table.name, rows))
    if len(rest) > 1:
        compared.append(("vocabularies", rest))
    several = len(compared) > 1
    charts += [comparison_chart(rows, name if several else "") for name, rows in compared]
    charts += [events_chart(name, rows) for name, rows in runs.events]
    return [chart for chart in charts if chart is not None]


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


def _facts(facts: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Returns names and texts of facts."""
    # the rule that a solution's tokens are counted under may differ from its vocabulary's
    names = {"rule": "tokens counted under"}
    return [(names.get(key, key.replace("_", " ")), text_of(key, facts[key])) for key in facts]


# The colors of a drawing that follow the reader's light or dark mode.
_DRAWN = """<style>
svg { --ink: #1c2127; --paper: #ffffff; --chosen: #f0b429; --edge: #1c6ea4; fill: var(--ink); }
@media (prefers-color-scheme: dark) {
  svg { --ink: #e8eaed; --paper: #1a1d21; --chosen: #8a5a00; --edge: #7cc7f2; }
}
</style>"""


def _image(draw: Callable[[Path], None]) -> str:
    """Returns a figure as a data URL, in the colors of the page, which depend on dark mode."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "figure.svg"
        draw(file)
        svg = file.read_text("utf-8")
    for color, name in (
        ("#000000", "ink"),
        ("#ffffff", "paper"),
        (COLORS["orange"].lower(), "chosen"),
        (COLORS["blue"].lower(), "edge"),
    ):
        svg = svg.replace(color, f"var(--{name})")
    svg = re.sub(r"<svg [^>]*>", lambda match: match[0] + _DRAWN, svg, count=1)
    return "data:image/svg+xml;base64," + base64.b64encode(svg.encode("utf-8")).decode("ascii")


def _picture(
    name: str, instance: Instance, answers: Sequence[str], limits: RunLimits
) -> dict[str, Any]:
    """Returns a reduction with its words, segmented by its first answer or by an optimum."""
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
    facts = {
        key: value for key, value in lifted.to_json().items() if not isinstance(value, list | dict)
    }
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
