"""``solve``, ``formulations`` and ``solvers``."""

from __future__ import annotations

import json
import sys
from dataclasses import replace
from typing import Any

import click
from rich.text import Text

from .. import symbols as sym
from ..files import check_writable, write_atomic
from ..instance import Instance
from ..options import (
    Output,
    instance_options,
    k_option,
    no_vocabulary_option,
    output_options,
    pretokenizer_option,
    read_instance,
    say,
    seconds_option,
)
from ..vocabulary import Vocabulary
from .outcome import (
    EXIT_INTERRUPTED,
    EXIT_NOTHING,
    finish,
)


@click.command()
@k_option
@click.option(
    "--solver",
    help="highs (the default), scip, cp-sat or cbc; for a relaxation also glop (its default) or "
    "pdlp. See partcover solvers.",
)
@click.option(
    "--formulation",
    default="path",
    show_default=True,
    help="path or occurrence: the exact optimum; wmc: the relaxation, its cover and the bound it "
    "gives; printed: the paper's equations, which are not the problem.",
)
@click.option("--sense", type=click.Choice(["min", "max"]), help="Fewest tokens, or most cover.")
@click.option(
    "--goal",
    type=click.Choice(["tokens", "decision", "size"]),
    default="tokens",
    show_default=True,
    help="tokens: the fewest; decision: do k tokens meet the threshold? size: the fewest chosen "
    "tokens that do (-k, if given, is the most).",
)
@click.option("--threshold", type=int, metavar="L", help="How many tokens may be needed.")
@click.option("--relaxation", is_flag=True, help="Solve the linear relaxation only.")
@click.option("--start", metavar="V.json", help="A vocabulary to start from.")
@click.option("--write-lp", metavar="FILE", help="Write the model as .lp, before solving.")
@click.option("--write-mps", metavar="FILE", help="Write the model as .mps, before solving.")
@click.option("--log", "show_log", is_flag=True, help="The solver's own log on standard error.")
@click.option("--events", metavar="FILE", help="A JSON line for each new incumbent or bound.")
@click.option("--plot", metavar="FILE", help="Draw incumbent and bound over time (.png, .svg).")
@seconds_option()
@click.option("--gap", type=float, default=0.0, show_default=True, help="Stop at this gap.")
@click.option(
    "--certificate",
    metavar="FILE",
    help="Write a proof that verify can check (.cert).",
)
@no_vocabulary_option
@pretokenizer_option
@instance_options
@output_options
def solve(
    out: Output,
    corpus: str,
    k: int | None,
    solver: str | None,
    formulation: str,
    sense: Any,
    goal: Any,
    threshold: int | None,
    relaxation: bool,
    start: str | None,
    write_lp: str | None,
    write_mps: str | None,
    show_log: bool,
    events: str | None,
    plot: str | None,
    time_limit: float | None,
    gap: float,
    certificate: str | None,
    no_vocabulary: bool,
    pretokenizer: str | None,
    **options: Any,
) -> int:
    """Prove the optimum of a small instance.

    Or stop at a gap or a time limit, with the best vocabulary and the bound so far. Every answer
    is recounted independently. On a terminal each new incumbent and bound goes to standard error.
    """
    from .. import exact
    from ..formulation import build
    from ..model_files import write_model

    if goal != "tokens" and (relaxation or start or gap or certificate):
        raise click.UsageError(
            f"--goal {goal} excludes --relaxation, --start, --gap and --certificate"
        )
    if ((relaxation or certificate) and (start or events or plot)) or (relaxation and certificate):
        raise click.UsageError(
            "--relaxation and --certificate exclude each other, --start, --events and --plot"
        )
    if relaxation and gap:
        raise click.UsageError("--relaxation is solved to the end: it excludes --gap")
    if certificate is not None and sense is not None:
        raise click.UsageError("--certificate excludes --sense: its model is its own")
    if certificate is not None and formulation != "path":
        raise click.UsageError(f"--certificate proves the path formulation, not {formulation}")
    instance = read_instance(corpus, k, options, pretokenizer, free=goal == "size")
    if threshold is not None:
        instance = replace(instance, threshold=threshold)
    for path in (write_lp, write_mps):
        if path is not None:
            model = build(instance, formulation, sense=sense, goal=goal)
            write_model(model.relaxed() if relaxation else model, path)
            out.note(f"wrote {path}")
    solver = solver or ("glop" if relaxation else "highs")
    _say_unheeded(out, solver, linear=relaxation)
    common: dict[str, Any] = {
        "solver": solver,
        "formulation": formulation,
        "time_limit": time_limit,
        "seed": out.seed,
        "threads": out.threads,
        "log": say if show_log else None,
    }
    if certificate is not None:
        return _prove(out, corpus, instance, certificate, no_vocabulary, gap=gap, **common)
    if relaxation:
        return _relaxation(out, exact.relax(instance, sense=sense, **common))
    with out.events(events, show=not show_log, plot=plot) as progress:
        if goal == "tokens":
            solution = exact.solve(
                instance,
                sense=sense,
                start=None if start is None else Vocabulary.load(start),
                gap=gap,
                progress=progress,
                **common,
            )
        elif goal == "decision":
            _, solution = exact.decide(instance, progress=progress, **common)
        else:
            solution = exact.smallest(instance, progress=progress, **common)
    status = finish(out, solution, instance, no_vocabulary, corpus)
    if goal != "tokens" and solution.extra["meets_threshold"] is False:
        from ..conflicts import conflict

        reasons = conflict(instance, solver=common["solver"], time_limit=time_limit)
        if reasons:
            out.note(f"these requirements conflict: {'; '.join(reasons)}")
    return status


def _say_unheeded(out: Output, solver: str, *, linear: bool) -> None:
    """Say which of the options that every command has mean nothing to the solver."""
    from ..solvers import SOLVERS

    kind = "linear" if linear else "integers"
    for option, given in (("threads", out.threads > 1), ("seed", out.seed != 0)):
        able = [n for n, s in SOLVERS.items() if getattr(s, option) and getattr(s, kind)]
        if given and solver in SOLVERS and solver not in able:
            out.note(f"{solver} makes no use of --{option}: {', '.join(able)} do")


def _relaxation(out: Output, found: Any) -> int:
    model = found.model
    rows, variables = (None, None) if model is None else model.shape
    tokens = () if model is None else model.tokens
    data = {
        "formulation": found.formulation,
        "solver": found.solver,
        "rows": rows,
        "variables": variables,
        "nonzeros": None if model is None else model.nonzeros,
        "tokens": found.tokens,
        "cover": found.cover,
        "fractional": found.fractional,
        "termination": found.termination,
        "seconds": round(found.seconds, 6),
        "x": [
            [sym.to_json(token), value]
            for token, value in zip(tokens, found.x.tolist(), strict=False)
            if value > 1e-9
        ],
    }
    if out.path is not None:
        write_atomic(out.path, json.dumps(data, ensure_ascii=False) + "\n")
        out.note(f"wrote {out.path}")
    if out.json:
        out.object(data)
    else:
        from ..report import facts_table

        out.console.print(facts_table({key: data[key] for key in data if key != "x"}))
    return EXIT_NOTHING if found.tokens is None else 0


def _prove(
    out: Output,
    corpus: str,
    instance: Instance,
    path: str,
    no_vocabulary: bool,
    **options: Any,
) -> int:
    """``solve --certificate``."""
    from ..prove import prove

    check_writable(path)
    del options["formulation"]
    solution, certificate = prove(instance, **options)
    status = finish(out, solution, instance, no_vocabulary, corpus)
    certificate.save(path)
    out.note(f"wrote {path}: it proves that at least {certificate.lower_bound:,} tokens are needed")
    if solution.status == "optimal" and certificate.lower_bound != solution.tokens:
        out.note("the solver claims an optimum that the certificate does not reach")
    return status


@click.command()
@output_options
def solvers(out: Output) -> int:
    """Say which solvers there are, and what each supports."""
    from ..report import rows_table
    from ..solvers import features

    rows = features()
    if out.path is not None:
        write_atomic(out.path, json.dumps({"rows": rows}) + "\n")
    if out.json:
        out.object({"rows": rows})
    else:
        out.console.print(rows_table(rows, {key: key for key in rows[0]}))
    return 0


@click.command()
@k_option
@click.option("--names", metavar="A,B", help="Which formulations; all by default.")
@click.option("--solvers", metavar="A,B", help="Which solvers; all installed by default.")
@seconds_option(default=60.0, about="For each formulation and solver.")
@instance_options
@output_options
def formulations(
    out: Output,
    corpus: str,
    k: int | None,
    names: str | None,
    solvers: str | None,
    time_limit: float,
    **options: Any,
) -> int:
    """Compare the formulations of an instance: size, relaxation, optimum, seconds to prove it.

    Where the paper's equations as printed have another optimum than the problem, the smallest part
    of the words that shows it follows.
    """
    from ..formulation import require
    from ..report import rows_table
    from ..side_by_side import formulations as compare
    from ..side_by_side import smallest_difference

    instance = read_instance(corpus, k, options)
    rows = compare(
        instance,
        names=None if names is None else names.split(","),
        solvers=None if solvers is None else solvers.split(","),
        time_limit=time_limit,
        seed=out.seed,
        threads=out.threads,
        progress=out.note if sys.stderr.isatty() else None,
    )
    optima = {row["cover"] for row in rows if require(row["formulation"]).exact} - {None}
    printed = [row.get("cover") for row in rows if row["formulation"] == "printed"]
    found = None
    interrupted = "interrupted" in rows[-1].get("termination", {}).values()
    if optima and printed and printed[0] not in (None, *optima) and not interrupted:
        try:
            found = smallest_difference(instance, time_limit=time_limit)
        except KeyboardInterrupt:
            interrupted = True
    status = EXIT_INTERRUPTED if interrupted else 0
    data: dict[str, Any] = {"rows": rows, "printed_differs": None}
    if found is not None:
        data["printed_differs"] = {
            "words": [sym.to_json(word) for word, _ in found.instance.words],
            "k": found.instance.k,
            "printed_cover": found.cover,
            "cover": found.true_cover,
            "smallest": found.smallest,
        }
    if out.path is not None:
        write_atomic(out.path, json.dumps(data, ensure_ascii=False) + "\n")
    if out.json:
        out.object(data)
        return status
    shown = [{**row, **_seconds(row)} for row in rows]
    columns = {
        "formulation": "formulation",
        "variables": "variables",
        "rows": "rows",
        "nonzeros": "nonzeros",
        "lp_tokens": "LP tokens",
        "tokens": "tokens",
        **{name: name for row in rows for name in row.get("seconds", ())},
    }
    out.console.print(rows_table(shown, columns))
    for row in rows:
        if "refused" in row:
            out.note(row["refused"])
    if found is not None:
        words = " ".join(sym.show(word) for word, _ in found.instance.words)
        kind = "the smallest part" if found.smallest else "a part"
        out.console.print(
            Text(
                f"printed is not the problem; {kind} that shows it: {words}, k = "
                f"{found.instance.k}: printed cover {found.cover}, true cover {found.true_cover}"
            ),
            soft_wrap=True,
        )
    return status


def _seconds(row: dict[str, Any]) -> dict[str, str]:
    return {
        name: f"> {row['termination'][name]}".replace("_", " ") if took is None else f"{took:.2f} s"
        for name, took in row.get("seconds", {}).items()
    }
