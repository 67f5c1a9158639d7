"""Implements the command ``solve``."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import click

from ...corpus import symbols as sym
from ...problem.certificate import Certificate
from ...problem.instance import Instance
from ...problem.solution import Result
from ...report.tables import facts
from ...vocabulary.vocabulary import Vocabulary
from ..exit_status import EXIT_NOTHING
from ..inputs import read_instance
from ..options import (
    command,
    gap_option,
    instance_options,
    k_option,
    no_vocabulary_option,
    option,
    output_options,
    pretokenizer_option,
    seconds_option,
)
from ..output import Output, say
from ..paths import ReadablePath, WritablePath
from ..results import save_certificate, write_solution


@command(
    "solve",
    keeps_best=True,
    examples=[
        ("partcover solve small.tsv -k 10 -o best.json", ""),
        ("partcover solve small.tsv -k 10 --write-certificate p.cert", "with a proof to check"),
        ("partcover solve small.tsv -k 10 --gap 0.01 --time-limit 60", "near enough is enough"),
        ("partcover solve small.tsv -k 10 --relaxation --json", "the linear relaxation alone"),
    ],
)
@k_option
@option(
    "--solver",
    help="highs (the default), scip, cp-sat or cbc; for a relaxation also glop (its default) or "
    "pdlp. See partcover solvers.",
)
@option(
    "--formulation",
    default="path",
    show_default=True,
    help="path or occurrence: the exact optimum; wmc: the relaxation, its cover and the bound it "
    "gives; printed: the paper's equations, which are not the problem.",
)
@option("--sense", type=click.Choice(["min", "max"]), help="Fewest tokens, or most cover.")
@option(
    "--goal",
    type=click.Choice(["tokens", "decision", "size"]),
    default="tokens",
    show_default=True,
    help="tokens: the fewest; decision: do k tokens meet the threshold? size: the fewest chosen "
    "tokens that do (-k, if given, is the most).",
)
@option("--threshold", type=int, metavar="L", help="How many tokens may be needed.")
@option("--relaxation", is_flag=True, help="Solve the linear relaxation only.")
@option("--start", type=ReadablePath(), metavar="V.json", help="A vocabulary to start from.")
@option(
    "--start-certificate",
    type=ReadablePath(),
    metavar="P.cert",
    help="A proof to start from: its bound counts beside what is found.",
)
@option(
    "--write-lp",
    type=WritablePath(),
    metavar="FILE",
    help="Write the model as .lp, before solving.",
)
@option(
    "--write-mps",
    type=WritablePath(),
    metavar="FILE",
    help="Write the model as .mps, before solving.",
)
@option("--log", "show_log", is_flag=True, help="The solver's own log on standard error.")
@option(
    "--events",
    type=WritablePath(),
    metavar="FILE",
    help="A JSON line for each new incumbent or bound.",
)
@option(
    "--plot",
    type=WritablePath("figure"),
    metavar="FILE",
    help="Draw incumbent and bound over time (.png, .svg).",
)
@seconds_option()
@gap_option
@option(
    "--write-certificate",
    type=WritablePath(),
    metavar="FILE",
    help="Write a proof that verify can check (.cert).",
)
@no_vocabulary_option
@pretokenizer_option
@instance_options
@output_options(
    writes="the vocabulary; of a relaxation its result", kind="text", threads=True, seed=True
)
def solve_command(
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
    start_certificate: str | None,
    write_lp: str | None,
    write_mps: str | None,
    show_log: bool,
    events: str | None,
    plot: str | None,
    time_limit: float | None,
    gap: float | None,
    write_certificate: str | None,
    no_vocabulary: bool,
    pretokenizer: str | None,
    **options: Any,
) -> int:
    """Prove the optimum of a small instance.

    Or stop at a gap or a time limit, with the best vocabulary and the bound so far. Every answer
    is recounted independently. On a terminal each new incumbent and bound goes to standard error.
    """
    from ...exact.decide import decide, smallest
    from ...exact.formulations.build import build
    from ...exact.model_files import write_model
    from ...exact.relax import relax
    from ...exact.solve import solve as solve_instance

    for name, given in (
        ("--relaxation", relaxation),
        ("--start", start),
        ("--start-certificate", start_certificate),
        ("--gap", gap),
        ("--write-certificate", write_certificate),
    ):
        if goal != "tokens" and given:
            raise click.UsageError(f"--goal {goal} excludes {name}")
    if relaxation and start_certificate:
        raise click.UsageError("--relaxation excludes --start-certificate")
    proof = write_certificate is not None
    if ((relaxation or proof) and (start or events or plot)) or (relaxation and proof):
        raise click.UsageError(
            "--relaxation and --write-certificate exclude each other, --start, --events and --plot"
        )
    if relaxation and gap:
        raise click.UsageError("--relaxation is solved to the end: it excludes --gap")
    if proof and sense is not None:
        raise click.UsageError("--write-certificate excludes --sense: its model is its own")
    if proof and formulation != "path":
        raise click.UsageError(
            f"--write-certificate proves the path formulation, not {formulation}"
        )
    known = None if start_certificate is None else Certificate.load(start_certificate)
    instance = read_instance(corpus, k, options, pretokenizer, free=goal == "size")
    if threshold is not None:
        instance = replace(instance, threshold=threshold)
    for path in (write_lp, write_mps):
        if path is not None:
            model = build(instance, formulation, sense=sense, goal=goal)
            write_model(model.relaxed() if relaxation else model, path)
            out.wrote(path)
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
    if write_certificate is not None:
        common |= {"gap": gap or 0.0, "start_certificate": known}
        return _prove(out, corpus, instance, write_certificate, no_vocabulary, **common)
    if relaxation:
        return _relaxation(out, relax(instance, sense=sense, **common))
    solution: Result
    with out.events(
        events, phase="solve", show=not show_log, plot=plot, time_limit=time_limit
    ) as progress:
        if goal == "tokens":
            solution = solve_instance(
                instance,
                sense=sense,
                start=None if start is None else Vocabulary.load(start),
                start_certificate=known,
                gap=gap or 0.0,
                progress=progress,
                **common,
            )
        elif goal == "decision":
            _, solution = decide(instance, progress=progress, **common)
        else:
            solution = smallest(instance, progress=progress, **common)
    status = write_solution(out, solution, instance, no_vocabulary, corpus, proof=True)
    if goal != "tokens" and solution.extra["meets_threshold"] is False:
        from ...exact.infeasibility import conflict

        reasons = conflict(instance, solver=common["solver"], time_limit=time_limit)
        if reasons:
            out.note(f"these requirements conflict: {'; '.join(reasons)}")
    return status


def _say_unheeded(out: Output, solver: str, *, linear: bool) -> None:
    """Say which of the options that every command has mean nothing to the solver."""
    from ...exact.solvers.registry import SOLVERS

    kind = "linear" if linear else "integers"
    for name, given in (("threads", out.threads > 1), ("seed", out.seed != 0)):
        able = [n for n, s in SOLVERS.items() if getattr(s, name) and getattr(s, kind)]
        if given and solver in SOLVERS and solver not in able:
            out.note(f"{solver} makes no use of --{name}: {', '.join(able)} do")


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
    out.result(data, facts({key: data[key] for key in data if key != "x"}))
    return EXIT_NOTHING if found.tokens is None else 0


def _prove(
    out: Output,
    corpus: str,
    instance: Instance,
    path: str,
    no_vocabulary: bool,
    **options: Any,
) -> int:
    """``solve --write-certificate``."""
    from ...exact.branch_and_bound import prove

    del options["formulation"]
    solution, certificate = prove(instance, **options)
    save_certificate(out, path, certificate, instance)
    out.note(f"{path} proves that at least {certificate.lower_bound:,} tokens are needed")
    if solution.status == "optimal" and certificate.lower_bound != solution.tokens:
        out.note("the solver claims an optimum that the certificate does not reach")
    return write_solution(out, solution, instance, no_vocabulary, corpus, proof=True)
