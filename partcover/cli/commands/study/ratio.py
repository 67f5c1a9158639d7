"""Implements the commands ``ratio``, ``formulations`` and ``worst``, about small instances."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from ....report.tables.listing import facts
from ...command import Options, command
from ...exit_status import EXIT_INTERRUPTED
from ...inputs import InstanceSource, names_of, parse_budgets
from ...shown.output import Output


@command("ratio", keeps_best=True)
def ratio_command(
    out: Output,
    source: InstanceSource,
    files: tuple[str, ...],
    ks: str | None,
    plot: str | None,
    **options: Any,
) -> int:
    """Measure how close the greedy methods come to the optimum.

    The table has one row for each instance and k: the ratio of GreedTok's cover to the optimal
    cover, the ratio that GreedWMC certifies without the optimum, and the gaps of the relaxations.
    If a time limit leaves the optimum open, ≥ marks the ratio that the bound proves.

    Options:
    files <C.tsv|I.json...: Word counts, or instance files.
    -k ks K,K,…: Numbers of tokens to choose: 1,2,5 or 1-10.
    --solver SOLVER: Solver: highs, scip, cp-sat, or cbc. Default: as for `solve`.
    --time-limit SECONDS: Time limit for each of the three optima of a row.
    --plot, conditions, --threads, --seed, -o, tables
    $ partcover ratio small.tsv -k 1-3,10 --plot ratio.svg -o ratio.csv
    """
    from ....report.tables.studies import ratio_table
    from ....studies.ratios import ratios

    budgets = parse_budgets(ks)
    source = replace(source, k=max(budgets, default=None))
    inputs = [(name, replace(source, corpus=path).read()) for path, name in names_of(files).items()]
    rows: list[dict[str, Any]] = []
    for name, instance in inputs:  # after Ctrl-C the row it fell into is the last
        if not rows or rows[-1]["termination"] != "interrupted":
            measured = instance, budgets or [instance.k]
            rows += out.run("ratio", ratios, *measured, name=name, **options)
    if plot is not None:
        from ....report.plots import plot_ratios

        plot_ratios(rows, plot)
        out.wrote(plot)
    out.result({"rows": rows}, ratio_table(rows))
    return EXIT_INTERRUPTED if rows[-1]["termination"] == "interrupted" else 0


@command("formulations", keeps_best=True)
def formulations_command(out: Output, source: InstanceSource, asked: Options) -> int:
    """Compare the integer programs for an instance.

    The table shows the size of each formulation, its linear relaxation, its optimum, and the
    seconds that each solver needs to prove it. If the optimum of `printed`, the equations as
    printed in the paper on GreedTok, differs, `formulations` also prints the fewest words on which
    it does.

    Options:
    corpus
    --solvers A,B: Solvers to use. Default: all that are installed.
    --time-limit SECONDS = 60: Time limit for each formulation and solver.
    -k, conditions, --threads, --seed, -o, tables
    $ partcover formulations small.tsv -k 3 --solvers highs
    """
    from ....report.tables.studies import formulation_tables
    from ....studies.formulations import formulations, printed_differs, smallest_difference

    instance = source.read()
    rows = out.run(
        "formulations",
        formulations,
        instance,
        solvers=None if asked.solvers is None else asked.solvers.split(","),
        time_limit=asked.time_limit,
    )
    interrupted = "interrupted" in rows[-1].get("termination", {}).values()
    difference = None
    if not interrupted and printed_differs(rows):
        try:
            difference = smallest_difference(instance, time_limit=asked.time_limit)
        except KeyboardInterrupt:
            interrupted = True
    for row in rows:
        if "refused" in row:
            out.note(row["refused"])
    data = {"rows": rows, "printed_differs": None if difference is None else difference.to_json()}
    out.result(data, *formulation_tables(rows, difference))
    return EXIT_INTERRUPTED if interrupted else 0


@command("worst", keeps_best=True)
def worst_command(out: Output, method: str, **options: Any) -> int:
    """Find a tiny instance on which a method does worst.

    If the given sizes allow at most a hundred million instances, `worst` tries all of them
    ("exhausted: yes"); otherwise it uses a local search with --seed. -o writes the instance
    together with its optimum.

    Options:
    --method greedtok|greedwmc|greedwmc-relaxed|bpe = greedtok: Method. greedwmc: its vocabulary,
      shortest path. greedwmc-relaxed: its relaxed cover, against the optimum with overlaps.
    --measure cover|tokens = cover: Ratio to minimize. cover (symbols - tokens): method to optimum.
      tokens: optimum to method.
    -k N = 2: Number of tokens to choose.
    --alphabet N = 2: Maximum number of distinct symbols.
    --words N = 3: Maximum number of words.
    --length N = 5: Maximum number of symbols in a word.
    --restarts N = 20: Number of starts of the local search.
    -o >FILE: Write the instance.
    --time-limit, --seed, tables
    $ partcover worst --method bpe -k 1 --words 2 --length 4 -o I.json
    """
    from ....instances.worst_case import worst

    case = out.run("worst", worst, method, **options)
    data = case.to_json()
    pairs = [f"{word} × {count}" if count > 1 else word for word, count in data["words"]]
    shown = {
        **data,
        "words": "  ".join(pairs),
        "vocabulary": "  ".join(data["vocabulary"]),
        "optimal_vocabulary": "  ".join(data["optimal_vocabulary"]),
    }
    shown["instances seen"] = shown.pop("seen")
    shown["instances examined"] = shown.pop("examined")
    out.result(data, facts(shown), save=case.instance.save)
    return EXIT_INTERRUPTED if case.termination == "interrupted" else 0
