"""Finds a good vocabulary and bounds its gap: GreedTok, then the bound, then the search."""

from __future__ import annotations

from dataclasses import replace

from ..errors import InputError
from ..heuristics.greedy import greedtok
from ..heuristics.local_search import local_search
from ..heuristics.search_space import legal_start
from ..problem.certificate import Certificate
from ..problem.instance import Instance
from ..problem.solution import Solution
from ..runtime.arguments import Seconds, Seed, Share, Threads, checked
from ..runtime.limits import Deadline
from ..runtime.progress import Event, Progress
from ..segmentation.segmentation import segment
from ..verification.recount import recount_seconds
from ..vocabulary.vocabulary import Vocabulary
from .bound import Bound
from .lower_bound import lower_bound

__all__ = ["PhaseEvents", "improve"]


_BOUND_SHARE = 0.4  # of the time: enough for 99.9 % of the linear relaxation
_GREEDY_SECONDS = 0.5  # what GreedTok gets at least: a vocabulary is worth the wait


@checked
def improve(
    instance: Instance,
    warm_start: Vocabulary | Solution | None = None,
    *,
    bound: bool = True,
    start_certificate: Certificate | None = None,
    gap: Share = 0.0,
    time_limit: Seconds | None = None,
    seed: Seed = 0,
    threads: Threads = 1,
    progress: Progress | None = None,
) -> Solution:
    """Find a vocabulary that needs few tokens, and prove how far from optimal it is.

    First GreedTok; then a lower bound, whose prices guide the search; then tokens are exchanged
    by what adding and dropping them is worth under the shortest path, exactly.

    Parameters
    ----------
    instance : Instance
        The words, candidates, budget and conditions.
    warm_start : Vocabulary or Solution, optional
        A vocabulary to start from, besides GreedTok's.  A solution's certificate is the one to
        start from, where no other is given.
    bound : bool
        Look for a lower bound; without it nothing says how far from optimal the result is.
    start_certificate : Certificate, optional
        A proof to start from, for the same words and conditions.  Prices of any k are a start; of
        one for this k the bound counts, and it is kept where nothing better is found.
    gap : float
        Stop at this relative gap.
    time_limit : float, optional
        Seconds, for all of it; two fifths go to the bound.  Enumerating the candidates, half a
        second for GreedTok and the recount of the result take place whatever the limit is.
        Without one the bound ends with the relaxation solved, the search after five cycles.
    seed : int
        Random seed.
    threads : int
        Threads; the result is the same for any number, where no limit cuts.
    progress : Progress, optional
        Gets an `Event` for each phase, better vocabulary and better bound, all on one clock.

    Returns
    -------
    Solution
        Rule ``shortest_path``; at most as many tokens as GreedTok's vocabulary and as `warm_start`
        need.  ``certificate`` proves ``lower_bound``.  At the time limit or on Ctrl-C: the best
        so far.

    Raises
    ------
    InputError
        For a bad limit or gap, a start over other symbols, and as `lower_bound` does.
    VerificationError
        If a recount finds other numbers.

    Notes
    -----
    `partcover.heuristics.local_search` and `lower_bound` are the two parts, for use on their own.
    """
    clock = Deadline(time_limit)
    if isinstance(warm_start, Solution):
        start_certificate = start_certificate or (warm_start.certificate if bound else None)
        warm_start = warm_start.vocabulary
    if start_certificate is not None and not bound:
        raise InputError("a certificate to start from is given, and no bound is asked for")
    if warm_start is not None and warm_start.symbols != instance.symbols:
        raise InputError(
            f"the start is over {warm_start.symbols}, the words over {instance.symbols}"
        )
    phases = PhaseEvents(clock, progress or Progress())
    phases.enter("greedtok")
    _ = instance.index
    patience = None if clock.left is None else max(clock.left, _GREEDY_SECONDS)
    greedy = greedtok(instance, time_limit=patience, threads=threads)
    found: Bound | None = None
    stopped = greedy.termination == "interrupted"
    try:
        phases.meet("incumbent", int(greedy.extra["tokens_shortest_path"]), None, "greedtok")
        if warm_start is not None:
            legal = legal_start(instance, warm_start)
            cut = segment(instance.words, legal, "shortest_path", threads=threads)
            phases.meet("incumbent", cut.tokens, None, "start")
        if bound:
            phases.enter("bound")
            left = clock.left
            if left is not None:
                kept = recount_seconds(instance.words, greedy.vocabulary)
                left = max(0.0, min(_BOUND_SHARE * left, left - 1.5 * kept))
            found = lower_bound(
                instance,
                incumbent=phases.tokens,
                warm_start=start_certificate,
                greedy=greedy,
                time_limit=left,
                target_gap=gap or None,
                seed=seed,
                threads=threads,
                progress=phases,
            )
            stopped = stopped or found.termination == "interrupted"
        phases.enter("search")
    except KeyboardInterrupt:
        stopped = True
    solution = local_search(
        instance,
        warm_start,
        greedy=greedy,
        x=None if found is None else found.x,
        reduced_costs=None if found is None else found.reduced_costs / found.unit,
        lower_bound=None if found is None else found.lower_bound,
        gap=gap,
        time_limit=0.0 if stopped else clock.left,
        seed=seed,
        threads=threads,
        progress=phases,
    )
    return replace(
        solution,
        certificate=None if found is None else found.certificate,
        termination="interrupted" if stopped else solution.termination,
        seconds=clock.seconds,
    )


class PhaseEvents(Progress):
    """Passes the events of all phases on, on one clock, with the best that any has found."""

    def __init__(self, clock: Deadline, progress: Progress) -> None:
        self.clock = clock
        self.progress = progress
        self.phase = ""
        self.tokens: int | None = None
        self.lower_bound: int | None = None

    def enter(self, phase: str) -> None:
        """A phase begins."""
        self.phase = phase
        self._send("phase", "")

    def meet(self, kind: str, tokens: int | None, lower_bound: int | None, source: str) -> None:
        """Something may be better than what is known."""
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
        self.meet(event.kind, event.tokens, event.lower_bound, event.source)

    def _send(self, kind: str, source: str) -> None:
        self.progress.event(
            Event(
                self.clock.seconds,
                kind,  # type: ignore[arg-type]
                self.tokens,
                self.lower_bound,
                source,
                self.phase,
                self.clock.left,
            )
        )
