"""Finds an optimal vocabulary with a certificate of its lower bound that anyone can check."""

from __future__ import annotations

from ..problem.certificate import Certificate
from ..problem.instance import Instance
from ..problem.solution import Checkpoint, Solution
from ..runtime.arguments import Seconds, Seed, Share, Threads, checked
from ..runtime.limits import RunLimits
from ..runtime.progress import Progress
from ..vocabulary.vocabulary import Vocabulary
from .branch_and_bound import prove_by_relaxations
from .solver_io import Log
from .solver_run import SolverRun
from .staged_run import StagedRun

__all__ = ["prove"]


@checked
def prove(
    instance: Instance,
    *,
    solver: str | None = None,
    warm_start: Vocabulary | None = None,
    start_certificate: Certificate | None = None,
    time_limit: Seconds | None = None,
    gap: Share = 0.0,
    seed: Seed = 0,
    threads: Threads = 1,
    log: Log | None = None,
    progress: Progress | None = None,
    checkpoint: Checkpoint | None = None,
) -> tuple[Solution, Certificate]:
    """Finds an optimal vocabulary and a certificate of its lower bound, for corpora of any size.

    It is `solve`, but a certificate is always there: instances whose model is small have a few
    seconds of branch and bound on the linear relaxation
    (`partcover.exact.branch_and_bound.prove_by_relaxations`) instead of a solver alone, and branch
    and cut takes what is larger or not closed then.

    Parameters
    ----------
    instance : Instance
        The instance; a small one where a solver is named.
    solver : {"highs", "scip", "cp-sat", "cbc"}, optional
        The solver that finds the vocabulary for branch and bound on the relaxation, which then has
        all the time; ``highs`` where a log is wanted.
    warm_start, start_certificate, gap, seed, threads, log, progress, checkpoint
        As for `solve`.  Cases within `gap` are not split.
    time_limit : float, optional
        Seconds.

    Returns
    -------
    solution : Solution
        As of `solve`; ``extra["certified"]`` is what the certificate proves, ``extra["leaves"]``
        the number of its cases, ``extra["solver"]`` "glop" where the relaxation is whole.
    certificate : Certificate
        The certificate of the solution.  At a time limit or after Ctrl-C it proves less than the
        optimum, and at least a token for each counted word.

    Raises
    ------
    InputError
        As `solve` does.
    VerificationError
        If solver and certificate contradict each other.

    Examples
    --------
    >>> from partcover import Instance, check_certificate, prove
    >>> instance = Instance({"banana": 2, "bandana": 1}, 1)
    >>> solution, certificate = prove(instance)
    >>> solution.tokens, solution.status, certificate.lower_bound
    (9, 'optimal', 9)
    >>> check_certificate(instance, certificate).ok
    True
    """
    limits = RunLimits(time_limit, seed, threads)
    staged = StagedRun(instance, warm_start, start_certificate, limits, gap, progress, checkpoint)
    if solver is None and log is None:
        solution = staged.run(prove_by_relaxations)
    else:
        listener = staged.progress or Progress()
        run = SolverRun(instance, solver or "highs", "path", limits, gap, log, listener)
        solution = prove_by_relaxations(run, warm_start, start_certificate)
    assert solution.certificate is not None
    return solution, solution.certificate
