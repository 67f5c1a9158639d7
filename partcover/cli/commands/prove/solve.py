"""Implements the commands ``solve`` and ``solvers``."""

from __future__ import annotations

import contextlib
from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import click

import partcover as pc

from ....report.tables.listing import Listing, columns_of
from ....runtime.processes.engines import executor_of
from ...checkpoint_files import CheckpointFiles, SearchOptions
from ...command import Options, command
from ...declared import exclude
from ...inputs import InstanceSource
from ...results import write_solution
from ...shown.output import Output, say

if TYPE_CHECKING:
    from ....problem.memory_plan import Work
    from ....problem.solution import Result


def _solver_of(model: Options) -> str | None:
    """Returns the solver, HiGHS where an option is about its model; None for branch and cut."""
    about_a_model = model.formulation or model.sense or model.show_log or model.goal != "tokens"
    return model.solver or ("highs" if about_a_model else None)


def _work(options: Mapping[str, Any]) -> Work:
    """Returns what takes the memory: branch and cut, or the model of a solver."""
    return "proof" if _solver_of(Options(**options)) is None else "model"


@command("solve", keeps_best=True, plan=_work)
def solve_command(
    out: Output, source: InstanceSource, search: SearchOptions, model: Options
) -> int:
    """Find an optimal vocabulary and prove that it is optimal.

    `solve` can stop earlier, at --gap or --time-limit, and then keeps the best vocabulary and the
    best bound so far; this works for corpora of any size. Without --solver, the files of -o and
    --write-certificate are updated every few seconds, and --resume continues from them.

    With another --engine than threads, cases are solved by processes on this machine or on others.
    The optimum is the same; the cases of its certificate depend on timing.

    Options:
    corpora
    --solver SOLVER: Solver: highs, scip, cp-sat, or cbc. Default: partcover's branch and cut; highs
      with --formulation, --sense, --log, or --goal decision or size.
    --formulation FORMULATION: path (default) or occurrence: exact. wmc: relaxation with overlapping
      tokens. printed: the equations as printed in the paper, which differ from the problem.
    --sense min|max: Minimize tokens (min), or maximize cover, symbols minus tokens (max).
    --goal tokens|decision|size = tokens: tokens: minimize tokens. decision: decide whether k tokens
      meet --threshold. size: minimize the number of chosen tokens that meet it (at most -k).
    --threshold N: Maximum number of tokens needed, for --goal decision and size.
    --write-model >M.mps|M.lp: Write the model before solving it.
    --log show_log: Show the solver's log on standard error.
    -o >FILE: Write the vocabulary.
    --engine, --start, --start-certificate, --gap, --write-certificate, --resume, --events, --plot,
    -k, --time-limit, --no-vocabulary, --pretokenizer, --minimax, --reference, conditions,
    --threads, --seed, tables, --plan
    $ partcover solve small.tsv -k 10 -o best.json
    $ partcover solve small.tsv -k 10 --write-certificate p.cert  # also write a certificate
    $ partcover solve book.tsv -k 100 --gap 0.001 --time-limit 600
      # stop at a gap of 0.1 % or after ten minutes
    $ partcover solve book.tsv -k 100 -o b.json --write-certificate b.cert --resume
      # continue an interrupted run
    $ partcover solve de.tsv en.tsv -k 10 --minimax  # minimize the largest ratio over two languages
    """
    model.solver = _solver_of(model)
    if source.engine != "threads" and model.solver is not None:
        raise click.UsageError("--engine is for branch and cut: leave it out")
    _check(model, search)
    instance = source.read(any_k=model.goal == "size", several=True, threads=out.threads)
    if model.threshold is not None:
        instance = replace(instance, threshold=model.threshold)
    if model.write_model is not None:
        from ....exact.formulations.build import build
        from ....exact.model_files import write_model

        built = build(instance, model.formulation or "path", sense=model.sense, goal=model.goal)
        write_model(built, model.write_model)
        out.wrote(model.write_model)
    _note_options_without_effect(out, model)
    common: dict[str, Any] = {
        "solver": model.solver,
        "time_limit": search.time_limit,
        "seed": out.seed,
        "threads": out.threads,
        "log": say if model.show_log else None,
    }
    files = CheckpointFiles(out, out.path, search.write_certificate, instance, source.name)
    start, certificate = search.starts(files)
    if model.goal == "tokens":
        common |= {"warm_start": start, "start_certificate": certificate}
        common |= {"gap": float(search.gap or 0), "checkpoint": files}
    with contextlib.ExitStack() as stack:
        if source.engine != "threads":
            common["executor"] = stack.enter_context(executor_of(source.engine, out.threads))
        solution = _solve(out, instance, model, search, common)
    path = search.write_certificate
    status = write_solution(out, solution, instance, source.name, certificate=path, proof=True)
    if model.goal != "tokens" and solution.extra["meets_threshold"] is False:
        _note_conflict(out, instance, model, search.time_limit)
    return status


def _check(model: Options, search: SearchOptions) -> None:
    """Refuses options that exclude one another."""
    starts = ("--start", "--start-certificate", "--gap", "--write-certificate", "--resume")
    if model.goal != "tokens":
        exclude(f"--goal {model.goal}", *starts)
    if search.write_certificate is not None and model.solver is not None:
        raise click.UsageError(
            "only branch and cut writes certificates: with --write-certificate, leave out "
            "--solver, --formulation, --sense, and --log"
        )


def _note_options_without_effect(out: Output, model: Options) -> None:
    """Names the solvers that heed --threads or --seed, where the one that runs does not."""
    from ....exact.solvers.registry import SOLVERS

    solver = model.solver
    for name, given in (("threads", out.threads > 1), ("seed", out.seed != 0)):
        able = [n for n, s in SOLVERS.items() if getattr(s, name) and s.integers]
        if given and solver in SOLVERS and solver not in able:
            out.note(f"{solver} ignores --{name}; {', '.join(able)} use it")


def _solve(
    out: Output,
    instance: pc.Instance,
    model: Options,
    search: SearchOptions,
    common: dict[str, Any],
) -> Result:
    """Solves for the goal, with progress on the terminal and in files."""
    with search.watched(out, "solve", show=not model.show_log) as progress:
        common = {**common, "formulation": model.formulation}
        if model.goal == "tokens":
            return pc.solve(instance, sense=model.sense, progress=progress, **common)
        common["formulation"] = model.formulation or "path"
        if model.goal == "decision":
            return pc.decide(instance, progress=progress, **common)[1]
        return pc.smallest(instance, **common)


def _note_conflict(
    out: Output, instance: pc.Instance, model: Options, time_limit: float | None
) -> None:
    """Names the requirements that conflict where no vocabulary meets the threshold."""
    from ....exact.infeasibility import conflict

    reasons = conflict(instance, solver=model.solver or "highs", time_limit=time_limit)
    if reasons:
        out.note(f"these requirements conflict: {'; '.join(reasons)}")


@command("solvers")
def solvers_command(out: Output) -> int:
    """List the solvers for `solve`, which are installed, and what each supports.

    Options:
    -o, tables
    $ partcover solvers
    $ partcover solvers --format csv
    """
    from ....exact.solvers.registry import features

    rows = features()
    out.result({"rows": rows}, Listing(rows, columns_of(" ".join(rows[0]))))
    return 0
