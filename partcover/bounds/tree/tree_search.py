"""Bounds and splits the cases of a tree, the smallest bound first, until none is open."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor, wait
from dataclasses import InitVar, dataclass, field, replace
from fractions import Fraction
from itertools import islice

import numpy as np

from ...analysis.by_corpus import tokens_by_corpus
from ...errors import VerificationError
from ...heuristics.closed_tokens import ClosedTokens
from ...heuristics.rounding import round_relaxation
from ...heuristics.search import Search, Target
from ...heuristics.search_space import SearchSpace
from ...problem.certificates.certificate import Certificate
from ...problem.instance import Instance
from ...problem.solution import Checkpoint, Solution, Termination
from ...runtime.arrays import Bools, Float64
from ...runtime.checkpoints import Checkpoints
from ...runtime.limits import Deadline, RunLimits
from ...runtime.phase_events import PhaseEvents
from ...runtime.processes.parallel import ForEach, call_in_turn
from ...runtime.progress import Progress
from ...segmentation.segmentation import segment
from ...verification.certificate_check import check_certificate
from ...verification.recount import verify
from ...vocabulary.vocabulary import Vocabulary
from ..climbing.leaf_prices import rounds_at
from ..climbing.warm_start import first_point
from ..counting.price_counter import PriceCounter, largest
from ..steps.word_ascent import WordAscent
from .balance import Balance
from .branch_tree import Node, Proof, certificate_of, leaves_of, only_vocabulary, settle
from .branching import Split, Splitter
from .spread import Spread, graft

_BATCH = 2  # cases at a time, for any number of threads, so that the tree does not depend on it
# share of the gap: a case that gains less in a round is split; the same if there are no new cuts
_SLOW, _SLOW_ALONE = 0.04, 0.1
_MOST_ROUNDS = 40  # most rounds of a case
_ROUNDS_BACK = 8  # most rounds until a case is back at the bound that it begins with
_MOST_ENTRIES = 1 << 24  # most arcs and rows of open cases; each takes about 100 bytes
_SEARCHED = 3  # on every so many levels of the tree, each case is searched for a vocabulary
_SEARCH_STEPS = 100  # steps of a search near the x of a case
_NO_OTHERS = 1 << 62  # in tokens: no candidate saves as many
_PULSE = 0.5  # seconds between reports while cases are bounded side by side


@dataclass(frozen=True)
class _Outcome:
    """The result of work on a case: a vocabulary, and the cases that it is split into."""

    vocabulary: Vocabulary
    best: int | Fraction
    split: Split = field(default_factory=Split)


def with_known(instance: Instance, solution: Solution, known: Certificate | None) -> Solution:
    """Returns a solution with the certificate that it began from, if that still proves more."""
    lower_bound = solution.lower_bound
    assert lower_bound is not None
    if known is None or known.k != instance.k or known.lower_bound <= lower_bound:
        return solution
    # it may have more digits than are read here
    proven = check_certificate(instance, known).lower_bound
    if proven <= lower_bound:
        return solution
    return replace(
        solution,
        lower_bound=proven,
        certificate=replace(known, lower_bound=proven),
        status="optimal" if proven == _reached(solution) else "feasible",
    )


def _reached(solution: Solution) -> int | Fraction:
    """Returns the tokens of a solution, or its largest ratio over several corpora."""
    return solution.tokens if solution.worst is None else solution.worst


def recounted(
    instance: Instance, vocabulary: Vocabulary, run: Solution | RunLimits, deadline: Deadline
) -> Solution:
    """Returns a vocabulary as a solution of a run, recounted in plain Python."""
    recount = verify(instance, vocabulary)
    if not recount.ok:
        raise VerificationError(recount.problems[0])
    return Solution.of(
        instance,
        vocabulary.with_(method="improve"),
        sum(recount.by_corpus) or recount.tokens,
        by_corpus=recount.by_corpus,
        seconds=deadline.seconds,
        seed=run.seed,
        threads=run.threads,
    )


@dataclass(eq=False)
class TreeSearch:
    """The search for an optimum in a tree of cases, which may be a single one at the start.

    It stops when a vocabulary needs at most `threshold` tokens, or when it is proven that none
    does.
    """

    counter: PriceCounter
    root: Node
    solution: Solution
    greedy: Solution  # GreedTok's solution, used in searches for better vocabularies
    ascent: WordAscent  # the steps without cuts, where cases begin that have no rounds yet
    phases: PhaseEvents
    checkpoint: InitVar[Checkpoint | None]
    termination: Termination  # why the start ended
    threshold: int | None = None

    def __post_init__(self, checkpoint: Checkpoint | None) -> None:
        counter, self.deadline = self.counter, self.phases.deadline
        self.clock = self.deadline.earlier(0.0)  # stops when the call is interrupted
        self.splitter = Splitter(len(counter.lo), self.clock)
        self.checkpoints: Checkpoints[Solution] = Checkpoints(checkpoint, self.best)
        self.asked = counter.asked
        self.closed = None if counter.merges is None else ClosedTokens(counter.merged)

    @property
    def reached(self) -> int | Fraction:
        """The incumbent's tokens, or its largest ratio over several corpora."""
        return _reached(self.solution)

    @property
    def goal(self) -> int | Fraction:
        """The goal that closes a case: the incumbent's tokens, or one above the threshold."""
        if self.threshold is None:
            return self.reached
        return min(self.reached, self.threshold + 1)

    @property
    def lower_bound(self) -> int | Fraction:
        """The lower bound over all cases."""
        return min(self.reached, *(leaf.proof.proven for leaf in leaves_of(self.root)))

    def best(self) -> Solution:
        """Returns the incumbent with the certificate of the present tree."""
        lower_bound = self.lower_bound
        certificate = certificate_of(self.counter, self.root, lower_bound)
        return replace(
            self.solution,
            lower_bound=lower_bound,
            status="optimal" if lower_bound == self.reached else "feasible",
            certificate=certificate,
            seconds=self.deadline.seconds,
            extra={**self.solution.extra, "leaves": (len(certificate.tree) + 1) // 2},
        )

    def grow(self, gap: float, threads: int, spread: Spread | None = None) -> Termination:
        """Bounds and splits cases until none is open or a limit is reached; returns why it ended.

        With two or more threads, two cases are bounded side by side.  The workers of `spread` are
        used once there are enough open cases.
        """
        share = self.counter.share
        pool = ThreadPoolExecutor(_BATCH) if threads > 1 else None
        try:
            self.phases.enter("branches")
            self.checkpoints.make()
            termination = self._grow(gap, share, pool, spread)
        except KeyboardInterrupt:
            termination = "interrupted"
        except Exception:
            self.checkpoints.make()
            raise
        finally:
            self.clock.stop()  # for work that is still running
            if spread is not None:
                spread.end()
            if pool is not None:
                pool.shutdown(cancel_futures=True)
            self.counter.share = share
        try:
            self.checkpoints.make()
        except KeyboardInterrupt:
            termination = "interrupted"
        return termination

    def _grow(
        self, gap: float, share: ForEach, pool: ThreadPoolExecutor | None, spread: Spread | None
    ) -> Termination:
        for leaf in leaves_of(self.root):
            settle(leaf)
        if not self.ascent.begun and self.clock.has_time_for(self.ascent.first_seconds):
            self.ascent.begin()
        while True:
            goal, reached = self.goal, self.reached
            opened = []
            for leaf in leaves_of(self.root):
                if leaf.is_offered or leaf.proof.closes(goal):
                    leaf.pack()
                else:
                    opened.append(leaf)
            self._report(opened)
            if not opened or (self.threshold is not None and reached <= self.threshold):
                return "completed"
            if gap and reached - self.lower_bound <= Fraction(gap) * reached:
                return "gap"
            if self.clock.is_over or not self.ascent.begun:
                return "time_limit"
            opened.sort(key=lambda node: node.level)
            _forget(opened)
            if spread is not None and self._is_spread(spread, opened):
                continue
            batch = opened[:_BATCH]
            if pool is None or len(batch) == 1:
                # with one case, the threads share each step
                _use(share, batch)
                outcomes = [self._work(node, self.goal, self._pulse) for node in batch]
            else:
                _use(call_in_turn, batch)
                outcomes = self._side_by_side(batch, pool)
            for node, outcome in zip(batch, outcomes, strict=True):
                self.splitter.learn(outcome.split)
                node.is_offered = node.is_settled
                if outcome.split.children:
                    node.divide(outcome.split.token, [*outcome.split.children])
                self._offer(outcome)

    def _is_spread(self, spread: Spread, opened: list[Node]) -> bool:
        """Hands out the first cases and inserts the results; False if no worker has a case."""
        able = [node for node in opened if spread.is_able(node)]
        if not spread.at_work and len(able) < spread.workers:
            return False  # more cases are needed first
        for node in able[: spread.workers - len(spread.at_work)]:
            spread.hand_out(node, self.solution, self.deadline.left)
        for node, solution in spread.finished(_PULSE):
            graft(node, solution)
            self._offer(_Outcome(solution.vocabulary, _reached(solution)))
        return True

    def _side_by_side(self, batch: list[Node], pool: ThreadPoolExecutor) -> list[_Outcome]:
        """Works on several cases, each in its own thread."""
        goal = self.goal
        futures = [pool.submit(self._work, node, goal, lambda: None) for node in batch]
        pending: set[Future[_Outcome]] = set(futures)
        while pending:
            _, pending = wait(pending, _PULSE)
            self._pulse()
        return [future.result() for future in futures]

    def _work(self, node: Node, goal: int | Fraction, pulse: Callable[[], None]) -> _Outcome:
        """Bounds a case, rounds its x, and splits it unless it is closed."""
        if node.is_settled:
            return _Outcome(*only_vocabulary(node))
        self._bound(node, goal, pulse)
        hopeful = self._hopeful(node, goal) if node.depth % _SEARCHED == 0 else None
        counter = node.proof.counter
        if self.closed is not None:
            vocabulary, tokens = self.closed.near(node.x)
        else:
            vocabulary, tokens = vocabulary_near(counter.instance, node.x, hopeful, self.clock)
        best: int | Fraction = tokens
        if counter.corpora is not None:
            best = max(counter.corpora.ratios(tokens_by_corpus(self.asked, vocabulary)))
        if node.proof.closes(goal) or self.clock.is_over:
            return _Outcome(vocabulary, best)
        return _Outcome(vocabulary, best, self.splitter.split(node, goal, pulse))

    def _bound(self, node: Node, goal: int | Fraction, pulse: Callable[[], None]) -> None:
        """Makes rounds of cuts until the case is closed or the rounds gain little."""
        if node.rounds is None:
            self._begin(node)
        assert node.rounds is not None
        # bounds of these rounds: those that begin at another case's point start below its bound,
        # and a case is not split before they are back, since its x says little until then
        best: list[int] = []
        known = node.proof.value
        balance = None if self.asked.corpora is None else Balance(node.rounds.counter)
        for _ in range(_MOST_ROUNDS):
            if node.proof.closes(goal) or self.clock.is_over:
                return
            counter = node.rounds.counter
            result = node.rounds.round(self.clock)
            node.improve(Proof(result.value, result.prices, counter))
            node.x = node.rounds.steps.x_all()
            node.remark = "; " + node.rounds.remark(result.prices)
            best.append(max([result.value, *best[-1:]]))
            pulse()
            if balance is not None and (other := balance.after(node.rounds, node.level, goal)):
                node.rounds = node.rounds.counted_by(counter.counted_by(other))
                best, known = [], 0
                continue
            if best[-1] < known and len(best) < _ROUNDS_BACK:
                continue
            left = counter.goal(goal) - best[-1]
            slow = _SLOW if result.new or result.violated else _SLOW_ALONE
            if len(best) > 1 and best[-1] - best[-2] < slow * left:
                return

    def _hopeful(self, node: Node, goal: int | Fraction) -> Bools | None:
        """Returns which candidates may be in a better vocabulary of a case; None if all may.

        Choosing a candidate raises the bound by the difference between the k-th largest reward and
        its own.  If that raises the bound to the goal, no better vocabulary contains the candidate.
        """
        proof = node.proof
        counter = proof.counter
        if proof.closes(goal):
            return None
        units = proof.prices.rewards(counter).optional
        optional = ~(node.case.inside | node.case.outside)
        threshold = largest(units[optional], node.case.free)[1]
        gap = (counter.goal(goal) - proof.value >> counter.low_bits) + 1
        if gap >= threshold:
            return None
        hopeful = optional & (units > threshold - gap)
        hopeful = hopeful[: len(counter.instance.index)]
        left = int(np.count_nonzero(hopeful))
        node.remark += f", {left:,} of {len(hopeful):,} candidates left"
        return hopeful

    def _begin(self, node: Node) -> None:
        """Makes the rounds of a case from its known prices."""
        prices, counter = node.proof.prices, node.proof.counter
        rewards = prices.rewards(counter)
        ascent = self.ascent
        if counter is not self.counter:
            ascent, _ = first_point(counter, self.greedy, None)
            ascent.begin()
        node.rounds = rounds_at(ascent, node.case, prices, rewards)

    def _offer(self, outcome: _Outcome) -> None:
        """Keeps the vocabulary of a result if it is better."""
        if outcome.best >= self.reached:
            return
        before = self.reached
        found = recounted(self.asked, outcome.vocabulary, self.solution, self.deadline)
        self.solution = replace(found, extra=self.solution.extra)
        if self.reached < before:
            self.phases.offer("incumbent", self.reached, None, "rounding")
            self.checkpoints.offer(news=True)

    def _pulse(self) -> None:
        """Reports a better bound, and makes a checkpoint if it is time for one."""
        self.phases.offer("bound", None, self.lower_bound, "branches")
        self.checkpoints.offer()

    def _report(self, opened: list[Node]) -> None:
        """Reports the state of the tree."""
        self._pulse()
        n_cases = 2 * sum(1 for _ in leaves_of(self.root)) - 1
        remark = f"{len(opened)} open of {n_cases} cases"
        if opened:
            remark += min(opened, key=lambda node: node.level).remark
        self.phases.advance(n_cases - len(opened), None, remark)


def _use(share: ForEach, nodes: list[Node]) -> None:
    """Sets the function that distributes the work on cases."""
    for node in nodes:
        node.proof.counter.share = share
        if node.rounds is not None:
            node.rounds.counter.share = share


def _forget(nodes: list[Node]) -> None:
    """Drops the rounds of the cases that come last if all together take too much memory."""
    room = _MOST_ENTRIES
    for node in nodes:
        if node.rounds is not None:
            steps = node.rounds.steps
            room -= len(steps.parts.start) + len(steps.rows.arcs)
            if room < 0:
                node.rounds = None  # made again from the prices when needed


def vocabulary_near(
    instance: Instance, x: Float64, hopeful: Bools | None, clock: Deadline
) -> tuple[Vocabulary, int]:
    """Returns a vocabulary rounded from x, and the tokens that it needs.

    Tokens are exchanged for `hopeful` candidates, which a better vocabulary may contain, in a fixed
    number of steps, so that the result is the same on any machine.  Without them x is only rounded.
    """
    rounded = round_relaxation(instance, x)
    if hopeful is None or clock.is_over:
        return rounded, segment(instance.words, rounded, "shortest_path").tokens
    space = SearchSpace(instance, rounded, _NO_OTHERS, np.where(hopeful, 1.0, x))
    search = Search(space, Target(), 0.0, RunLimits(), Deadline(), Progress())
    for _ in islice(search.steps([("rounding", list(rounded))]), _SEARCH_STEPS):
        if clock.is_over:
            break
    return search.incumbent()
