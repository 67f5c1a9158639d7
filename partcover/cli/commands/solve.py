"""Implements the command ``solve``."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import click

from ...corpus import symbols as sym
from ...problem.instance import Instance
from ...problem.solution import Result
from ...report.tables import facts
from ..command import command, option
from ..exit_status import EXIT_NOTHING
from ..inputs import InstanceSource
from ..options import SearchOptions, search_options
from ..output import Output, say
from ..paths import WritablePath
from ..results import save_certificate, write_solution


@dataclass(frozen=True)
class _Model:
    """What is solved, by what, and where the model is written."""

    solver: str | None
    formulation: str
    sense: Any
    goal: Any
    threshold: int | None
    relaxation: bool
    write_lp: str | None
    write_mps: str | None
    show_log: bool

    @property
    def solver_name(self) -> str:
        """The solver, by default HiGHS, and GLOP for a relaxation."""
        return self.solver or ("glop" if self.relaxation else "highs")


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
    "tokens that do (-k, if given, is their limit).",
)
@option("--threshold", type=int, metavar="L", help="How many tokens may be needed.")
@option("--relaxation", is_flag=True, help="Solve the linear relaxation only.")
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
@search_options(writes="the vocabulary; of a relaxation its result")
def solve_command(
    out: Output, source: InstanceSource, search: SearchOptions, **options: Any
) -> int:
    """Prove the optimum of a small instance.

    Or stop at a gap or a time limit, with the best vocabulary and the bound so far. Every answer
    is recounted independently. Whatever the limit, the words are read, their substrings
    enumerated, and the result recounted. On a terminal each new incumbent and bound goes to
    standard error.
    """
    model = _Model(**options)
    _check(model, search)
    instance = source.read(any_k=model.goal == "size")
    if model.threshold is not None:
        instance = replace(instance, threshold=model.threshold)
    _write_model(out, instance, model)
    _note_options_without_effect(out, model)
    common: dict[str, Any] = {
        "solver": model.solver_name,
        "time_limit": search.time_limit,
        "seed": out.seed,
        "threads": out.threads,
        "log": say if model.show_log else None,
    }
    if model.relaxation:
        return _relax(out, instance, model, common)
    if search.write_certificate is not None:
        solution = _prove(out, instance, search, common)
    else:
        solution = _solve(out, instance, model, search, common)
    status = write_solution(out, solution, instance, source.name, proof=True)
    if model.goal != "tokens" and solution.extra["meets_threshold"] is False:
        _note_conflict(out, instance, model.solver_name, search.time_limit)
    return status


def _check(model: _Model, search: SearchOptions) -> None:
    """Refuses options that exclude one another."""
    relaxation, proof = model.relaxation, search.write_certificate is not None
    for name, given in (
        ("--relaxation", relaxation),
        ("--start", search.start),
        ("--start-certificate", search.start_certificate),
        ("--gap", search.gap),
        ("--write-certificate", proof),
    ):
        if model.goal != "tokens" and given:
            raise click.UsageError(f"--goal {model.goal} excludes {name}")
    if relaxation and search.start_certificate:
        raise click.UsageError("--relaxation excludes --start-certificate")
    beside = search.start or search.events or search.plot
    if ((relaxation or proof) and beside) or (relaxation and proof):
        raise click.UsageError(
            "--relaxation and --write-certificate exclude each other, --start, --events and --plot"
        )
    if relaxation and search.gap:
        raise click.UsageError("--relaxation is solved to the end: it excludes --gap")
    if proof and model.sense is not None:
        raise click.UsageError("--write-certificate excludes --sense: its model is its own")
    if proof and model.formulation != "path":
        raise click.UsageError(
            f"--write-certificate proves the path formulation, not {model.formulation}"
        )


def _write_model(out: Output, instance: Instance, model: _Model) -> None:
    from ...exact.formulations.build import build
    from ...exact.model_files import write_model

    for path in (model.write_lp, model.write_mps):
        if path is not None:
            built = build(instance, model.formulation, sense=model.sense, goal=model.goal)
            write_model(built.relaxed() if model.relaxation else built, path)
            out.wrote(path)


def _note_options_without_effect(out: Output, model: _Model) -> None:
    """Names the solvers that heed --threads or --seed, where the one that runs does not."""
    from ...exact.solvers.registry import SOLVERS

    kind = "linear" if model.relaxation else "integers"
    solver = model.solver_name
    for name, given in (("threads", out.threads > 1), ("seed", out.seed != 0)):
        able = [n for n, s in SOLVERS.items() if getattr(s, name) and getattr(s, kind)]
        if given and solver in SOLVERS and solver not in able:
            out.note(f"{solver} makes no use of --{name}: {', '.join(able)} do")


def _solve(
    out: Output, instance: Instance, model: _Model, search: SearchOptions, common: dict[str, Any]
) -> Result:
    """Solves for the goal, with progress on the terminal and in files."""
    from ...exact.decide import decide, smallest
    from ...exact.solve import solve

    start, certificate = search.starts()
    common = {**common, "formulation": model.formulation}
    with out.events(
        search.events,
        phase="solve",
        show=not model.show_log,
        plot=search.plot,
        time_limit=search.time_limit,
    ) as progress:
        if model.goal == "decision":
            return decide(instance, progress=progress, **common)[1]
        if model.goal == "size":
            return smallest(instance, **common)
        return solve(
            instance,
            sense=model.sense,
            warm_start=start,
            start_certificate=certificate,
            gap=search.gap or 0.0,
            progress=progress,
            **common,
        )


def _prove(
    out: Output, instance: Instance, search: SearchOptions, common: dict[str, Any]
) -> Result:
    """Solves, and writes the certificate of the lower bound."""
    from ...exact.branch_and_bound import prove

    path = search.write_certificate
    assert path is not None
    solution, certificate = prove(
        instance, gap=search.gap or 0.0, start_certificate=search.starts()[1], **common
    )
    save_certificate(out, path, certificate, instance)
    out.note(f"{path} proves that at least {certificate.lower_bound:,} tokens are needed")
    if solution.status == "optimal" and certificate.lower_bound != solution.tokens:
        out.note("the solver claims an optimum that the certificate does not reach")
    return solution


def _relax(out: Output, instance: Instance, model: _Model, common: dict[str, Any]) -> int:
    """Solves the linear relaxation and shows it; returns the exit status."""
    from ...exact.relax import relax

    relaxed = relax(instance, formulation=model.formulation, sense=model.sense, **common)
    built = relaxed.model
    rows, variables = (None, None) if built is None else built.shape
    tokens = () if built is None else built.tokens
    data = {
        "formulation": relaxed.formulation,
        "solver": relaxed.solver,
        "rows": rows,
        "variables": variables,
        "nonzeros": None if built is None else built.nonzeros,
        "tokens": relaxed.tokens,
        "cover": relaxed.cover,
        "fractional": relaxed.fractional,
        "termination": relaxed.termination,
        "seconds": round(relaxed.seconds, 6),
        "x": [
            [sym.to_json(token), value]
            for token, value in zip(tokens, relaxed.x.tolist(), strict=False)
            if value > 1e-9
        ],
    }
    out.result(data, facts({key: data[key] for key in data if key != "x"}))
    return EXIT_NOTHING if relaxed.tokens is None else 0


def _note_conflict(out: Output, instance: Instance, solver: str, time_limit: float | None) -> None:
    """Names the requirements that conflict where no vocabulary meets the threshold."""
    from ...exact.infeasibility import conflict

    reasons = conflict(instance, solver=solver, time_limit=time_limit)
    if reasons:
        out.note(f"these requirements conflict: {'; '.join(reasons)}")
