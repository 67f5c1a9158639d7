"""Finds a good vocabulary and bounds its gap: GreedTok, a lower bound, and a local search."""

from __future__ import annotations

from dataclasses import replace
from typing import Literal

import numpy as np

from ..errors import InputError
from ..heuristics.greedy import greedtok
from ..heuristics.local_search import local_search
from ..heuristics.search_space import legal_start
from ..problem.certificate import Certificate
from ..problem.instance import Instance
from ..problem.solution import Solution
from ..runtime.arguments import Seconds, Seed, Share, Threads, checked
from ..runtime.limits import Deadline, RunLimits
from ..runtime.progress import Event, Progress
from ..segmentation.segmentation import segment
from ..verification.recount import recount_seconds
from ..vocabulary.vocabulary import Vocabulary
from .bound import Bound
from .lower_bound import lower_bound

__all__ = ["PhaseEvents", "improve"]


_BOUND_SHARE = 0.4  # of the time: enough for 99.9 % of the linear relaxation
_GREEDY_SECONDS = 0.5  # GreedTok has these whatever the limit: a vocabulary is worth the wait


@checked
def improve(
    instance: Instance,
    warm_start: Vocabulary | Solution | None = None,
    *,
    bound: bool = True,
    cuts: bool = True,
    start_certificate: Certificate | None = None,
    gap: Share = 0.0,
    time_limit: Seconds | None = None,
    seed: Seed = 0,
    threads: Threads = 1,
    progress: Progress | None = None,
) -> Solution:
    """Finds a vocabulary that needs few tokens, and proves how far from optimal it is.

    GreedTok comes first, then a lower bound, whose prices guide a local search: it exchanges
    tokens by what adding and dropping them is worth under the shortest path, exactly.

    Parameters
    ----------
    instance : Instance
        The words, candidates, budget and conditions.
    warm_start : Vocabulary or Solution, optional
        A warm start beside GreedTok's vocabulary.  The certificate of a solution is the one to
        start from, where no other is given.
    bound : bool
        Whether to look for a lower bound; without one nothing shows how far from optimal the
        result is.
    cuts : bool
        Whether the bound uses cuts; see `lower_bound`.
    start_certificate : Certificate, optional
        A warm start for the bound, of the same words and conditions.  The prices of any k are a
        start; of a certificate for this k the bound counts, and it is kept where no better one is
        proven.
    gap : float
        The relative gap at which to stop.
    time_limit : float, optional
        Seconds for the whole call; two fifths go to the bound.  Enumerating the candidates, half
        a second for GreedTok and the recount of the result take place whatever the limit is.
        Without a limit the bound ends when the relaxation is solved, the search after five
        cycles.
    seed : int
        Random seed.
    threads : int
        Number of threads; the result is the same for any number where no limit cuts.
    progress : Progress, optional
        Receives an `Event` for each phase, better vocabulary and better bound, all on one clock.

    Returns
    -------
    Solution
        Rule ``shortest_path``; at most as many tokens as GreedTok's vocabulary and as `warm_start`
        need.  ``certificate`` proves ``lower_bound``.  At the time limit or after Ctrl-C: the
        best so far.

    Raises
    ------
    InputError
        For a bad limit or gap, a start over other symbols, and as `lower_bound` does.
    VerificationError
        If a recount finds other numbers.

    Notes
    -----
    `partcover.heuristics.local_search` and `lower_bound` are the two parts, for use on their own.

    Examples
    --------
    >>> from partcover import Instance, improve
    >>> solution = improve(Instance({"banana": 2, "bandana": 1}, 1))
    >>> solution.tokens, solution.lower_bound, solution.status
    (9, 9, 'optimal')
    """
    deadline = RunLimits(time_limit, seed, threads).start()
    if isinstance(warm_start, Solution):
        start_certificate = start_certificate or (warm_start.certificate if bound else None)
        warm_start = warm_start.vocabulary
    if start_certificate is not None and not bound:
        raise InputError("a certificate to start from is given, and no bound is asked for")
    if warm_start is not None and warm_start.symbols != instance.symbols:
        raise InputError(
            f"the start is over {warm_start.symbols}, the words over {instance.symbols}"
        )
    phases = PhaseEvents(deadline, progress or Progress())
    phases.enter("greedtok")
    _ = instance.index
    patience = None if deadline.left is None else max(deadline.left, _GREEDY_SECONDS)
    greedy = greedtok(instance, time_limit=patience, threads=threads)
    proven: Bound | None = None
    interrupted = greedy.termination == "interrupted"
    try:
        phases.offer("incumbent", int(greedy.extra["tokens_shortest_path"]), None, "greedtok")
        if warm_start is not None:
            legal = legal_start(instance, warm_start)
            cut = segment(instance.words, legal, "shortest_path", threads=threads)
            phases.offer("incumbent", cut.tokens, None, "start")
        if bound:
            phases.enter("bound")
            left = deadline.left
            if left is not None:
                recount = recount_seconds(instance.words, greedy.vocabulary)
                left = max(0.0, min(_BOUND_SHARE * left, left - 1.5 * recount))
            proven = lower_bound(
                instance,
                incumbent=phases.tokens,
                warm_start=start_certificate,
                greedy=greedy,
                cuts=cuts,
                time_limit=left,
                target_gap=gap or None,
                threads=threads,
                progress=phases,
            )
            interrupted = interrupted or proven.termination == "interrupted"
        phases.enter("search")
    except KeyboardInterrupt:
        interrupted = True
    solution = local_search(
        instance,
        warm_start,
        greedy=greedy,
        x=None if proven is None else np.stack([proven.x, proven.plain_x]),
        reduced_costs=None if proven is None else proven.reduced_costs / proven.unit,
        lower_bound=None if proven is None else proven.lower_bound,
        gap=gap,
        time_limit=0.0 if interrupted else deadline.left,
        seed=seed,
        threads=threads,
        progress=phases,
    )
    return replace(
        solution,
        certificate=None if proven is None else proven.certificate,
        termination="interrupted" if interrupted else solution.termination,
        seconds=deadline.seconds,
    )


class PhaseEvents(Progress):
    """Passes the events of all phases on, on one clock, with the best of all phases so far.

    Parameters
    ----------
    deadline : Deadline
        The clock.
    progress : Progress
        Receives each event that is news.
    """

    def __init__(self, deadline: Deadline, progress: Progress) -> None:
        self.deadline = deadline
        self.progress = progress
        self.phase = ""
        self.tokens: int | None = None
        self.lower_bound: int | None = None

    def enter(self, phase: str) -> None:
        """Begins a phase."""
        self.phase = phase
        self._send("phase", "")

    def offer(self, kind: str, tokens: int | None, lower_bound: int | None, source: str) -> None:
        """Reports an incumbent or a lower bound if it is better than all before."""
        if kind == "incumbent" and tokens is not None:
            if self.tokens is not None and tokens >= self.tokens:
                return
            self.tokens = tokens
            self._send("incumbent", source)
        if kind == "bound" and lower_bound is not None:
            if self.lower_bound is not None and lower_bound <= self.lower_bound:
                return
            self.lower_bound = lower_bound
            self._send("bound", source)

    def event(self, event: Event) -> None:
        """Passes on an event of a phase if it is news."""
        if event.kind == "phase":
            self.enter(event.phase)
        self.offer(event.kind, event.tokens, event.lower_bound, event.source)

    def _send(self, kind: Literal["phase", "incumbent", "bound"], source: str) -> None:
        """Sends an event with the best so far."""
        self.progress.event(
            Event(
                self.deadline.seconds,
                kind,
                self.tokens,
                self.lower_bound,
                source,
                self.phase,
                self.deadline.left,
            )
        )
