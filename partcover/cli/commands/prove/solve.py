"""Implements the command ``solve``."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from fractions import Fraction
from typing import Any

import click

from ....corpus import symbols as sym
from ....problem.certificates.certificate import Certificate
from ....problem.instance import Instance
from ....problem.memory_plan import Work
from ....problem.solution import Result
from ....report.tables import facts
from ....runtime.numerals import shown_number
from ...checkpoint_files import CheckpointFiles
from ...command import command, option
from ...exit_status import EXIT_NOTHING
from ...inputs import InstanceSource
from ...options import refuse_with_minimax
from ...paths import WritablePath
from ...plan import plan_option
from ...results import save_certificate, write_solution
from ...search_options import SearchOptions, search_options
from ...shown.output import Output, say


@dataclass(frozen=True)
class _Model:
    """What is solved, by what, and where the model is written."""

    solver: str | None
    formulation: str | None
    sense: Any
    goal: Any
    threshold: int | None
    relaxation: bool
    write_lp: str | None
    write_mps: str | None
    show_log: bool

    @property
    def solver_name(self) -> str | None:
        """The solver; None for branch and cut.

        By default that is so, unless an option is about a solver's model: then it is HiGHS, and
        GLOP for a relaxation.
        """
        if self.solver is not None or self.relaxation:
            return self.solver or "glop"
        about_a_model = self.formulation or self.sense or self.show_log or self.goal != "tokens"
        return "highs" if about_a_model else None


def _work(options: Mapping[str, Any]) -> Work:
    """Returns what takes the memory: branch and cut, or the model of a solver."""
    given = {field.name: options[field.name] for field in fields(_Model)}
    return "proof" if _Model(**given).solver_name is None else "model"


@command(
    "solve",
    keeps_best=True,
    examples=[
        ("partcover solve small.tsv -k 10 -o best.json", ""),
        ("partcover solve small.tsv -k 10 --write-certificate p.cert", "with a proof to check"),
        ("partcover solve book.tsv -k 100 --gap 0.001 --time-limit 600", "near enough is enough"),
        (
            "partcover solve book.tsv -k 100 -o b.json --write-certificate b.cert --resume",
            "goes on where a run with the same files was stopped or killed",
        ),
        ("partcover solve small.tsv -k 10 --relaxation --json", "the linear relaxation alone"),
        ("partcover solve de.tsv en.tsv -k 10 --minimax", "for the language that is served worst"),
    ],
)
@option(
    "--solver",
    help="highs, scip, cp-sat or cbc; for a relaxation also glop (its default) or pdlp. See "
    "partcover solvers. Default: branch and cut; HiGHS with --formulation, --sense, --log, and "
    "--goal decision or size.",
)
@option(
    "--formulation",
    help="path (the default) or occurrence: the exact optimum; wmc: the relaxation, its cover and "
    "the bound it gives; printed: the paper's equations, which are not the problem.",
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
@search_options(writes="the vocabulary; of a relaxation its result", several=True)
@plan_option(_work)
def solve_command(
    out: Output,
    source: InstanceSource,
    search: SearchOptions,
    **options: Any,
) -> int:
    """Find an optimal vocabulary and prove that it is one.

    Or stop at a gap or a time limit, with the best vocabulary and the bound so far: of a corpus of
    any size. Whatever the limit, the words are read, their substrings enumerated, and the result
    recounted. On a terminal the state goes to standard error. With -o and --write-certificate the
    best so far is written every few seconds, and --resume goes on from it; a solver named by
    --solver writes at its end alone, and goes on from what is there.

    With --minimax and several inputs: the vocabulary with the smallest largest ratio of tokens to
    reference.
    """
    model = _Model(**options)
    if source.several:
        about_one = {name: value for name, value in vars(model).items() if name != "solver"}
        refuse_with_minimax(**{**about_one, "goal": model.goal != "tokens"})
    _check(model, search)
    instance = source.read(any_k=model.goal == "size", several=True, threads=out.threads)
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
    files = CheckpointFiles(out, search.write_certificate, instance, source.name)
    start, certificate = search.starts(files.load, Certificate.load)
    if model.goal == "tokens":
        common |= {"warm_start": start, "start_certificate": certificate, "gap": search.gap or 0.0}
        common |= {"checkpoint": files}
    solution = _solve(out, instance, model, search, common)
    if search.write_certificate is not None:
        _save_proof(out, search.write_certificate, solution, instance)
    status = write_solution(out, solution, instance, source.name, proof=True)
    if model.goal != "tokens" and solution.extra["meets_threshold"] is False:
        _note_conflict(out, instance, model, search.time_limit)
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
        ("--resume", search.resume),
    ):
        if model.goal != "tokens" and given:
            raise click.UsageError(f"--goal {model.goal} excludes {name}")
    for name, given in (
        ("--start", search.start),
        ("--start-certificate", search.start_certificate),
        ("--write-certificate", proof),
        ("--resume", search.resume),
        ("--events", search.events),
        ("--plot", search.plot),
    ):
        if relaxation and given:
            raise click.UsageError(f"--relaxation excludes {name}")
    if relaxation and search.gap:
        raise click.UsageError("--relaxation is solved to the end: it excludes --gap")
    if proof and model.solver_name is not None:
        raise click.UsageError(
            "--write-certificate excludes --solver, --formulation, --sense and --log: a solver "
            "gives no certificate, branch and cut does"
        )


def _write_model(out: Output, instance: Instance, model: _Model) -> None:
    from ....exact.formulations.build import build
    from ....exact.model_files import write_model

    for path in (model.write_lp, model.write_mps):
        if path is not None:
            name = model.formulation or "path"
            built = build(instance, name, sense=model.sense, goal=model.goal)
            write_model(built.relaxed() if model.relaxation else built, path)
            out.wrote(path)


def _note_options_without_effect(out: Output, model: _Model) -> None:
    """Names the solvers that heed --threads or --seed, where the one that runs does not."""
    from ....exact.solvers.registry import SOLVERS

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
    from ....exact.decide import decide, smallest
    from ....exact.solve import solve

    with out.events(
        search.events,
        phase="solve",
        show=not model.show_log,
        plot=search.plot,
        time_limit=search.time_limit,
    ) as progress:
        common = {**common, "formulation": model.formulation}
        if model.goal == "tokens":
            return solve(instance, sense=model.sense, progress=progress, **common)
        common["formulation"] = model.formulation or "path"
        if model.goal == "decision":
            return decide(instance, progress=progress, **common)[1]
        return smallest(instance, **common)


def _save_proof(out: Output, path: str, solution: Result, instance: Instance) -> None:
    """Writes the certificate of the lower bound."""
    certificate = solution.certificate
    assert certificate is not None
    save_certificate(out, path, certificate, instance)
    out.note(f"{path} proves {_least(certificate.lower_bound)}")


def _least(bound: int | Fraction) -> str:
    if isinstance(bound, Fraction):
        return f"a largest ratio of at least {shown_number(bound)}"
    return f"that at least {bound:,} tokens are needed"


def _relax(out: Output, instance: Instance, model: _Model, common: dict[str, Any]) -> int:
    """Solves the linear relaxation and shows it; returns the exit status."""
    from ....exact.relax import relax

    name = model.formulation or "path"
    relaxed = relax(instance, formulation=name, sense=model.sense, **common)
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


def _note_conflict(
    out: Output, instance: Instance, model: _Model, time_limit: float | None
) -> None:
    """Names the requirements that conflict where no vocabulary meets the threshold."""
    from ....exact.infeasibility import conflict

    reasons = conflict(instance, solver=model.solver_name or "highs", time_limit=time_limit)
    if reasons:
        out.note(f"these requirements conflict: {'; '.join(reasons)}")
