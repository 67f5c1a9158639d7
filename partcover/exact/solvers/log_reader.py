"""Reads solvers' logs line by line: incumbent, bound, and whether a warm start was accepted.

The numbers in a log are used only for progress, with one exception: the bound of a solver that was
stopped from outside and returned nothing.  It is used with the precision that was printed.
"""

from __future__ import annotations

import re
import threading
from collections.abc import Sequence

from ..solver_io import SolverOptions

_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?")
_HIGHS = re.compile(r"^ ?\S? +\d+ +\d+ +\d+ +[\d.]+% +(\S+) +(\S+) ")
_CP_SAT = re.compile(r"^#\S+ +\S+ +best:(\S+) +next:\[([^,\]]*),?([^\]]*)\]")
_CBC_NEW = re.compile(r"^Cbc0(?:004|012|016)I Integer solution of (\S+) found")
_CBC_AT = re.compile(r"^Cbc0010I After .* on tree, (\S+) best solution, best possible (\S+)")
_CBC_ROOT = re.compile(r"^Continuous objective value is (\S+) ")
# relative rounding error of a logged number with six, seven, nine or all digits
_ROUNDING = {"cbc": 1e-5, "scip": 1e-6, "highs": 1e-8, "cp-sat": 0.0}
_STARTS = {
    "highs": "MIP start solution is feasible",
    "scip": "given by solution candidate storage",
    "cp-sat": "solution hint is complete and is feasible",
    "cbc": "MIPStart provided solution with cost",
}


class LogReader:
    """Forwards a log, and keeps the incumbent and the bound that it shows.

    Attributes
    ----------
    incumbent, bound : float or None
        Objective values, as last printed.
    start_taken : bool
        Whether the solver reports that it accepted the warm start.
    lines : list of str
        The lines so far, if `keep` is set.
    """

    def __init__(
        self, solver: str, maximize: bool, options: SolverOptions, *, keep: bool = False
    ) -> None:
        self.solver = solver
        self.maximize = maximize
        self.options = options
        self.incumbent: float | None = None
        self.bound: float | None = None
        self.start_taken = False
        self.left_behind = False
        self.lines: list[str] = []
        self._keep = keep

    def read(self, lines: Sequence[str]) -> None:
        """Reads the next lines."""
        for line in lines:
            if self.left_behind:
                # block the solver's thread: it does no more work, and does not ask a closing
                # interpreter for its lock
                threading.Event().wait()
            if self._keep:
                self.lines.append(line)
            if self.options.log is not None:
                self.options.log(line)
            if _STARTS.get(self.solver, "\n") in line:
                self.start_taken = True
            incumbent, bound = map(_number, self._numbers(line))
            new_incumbent = incumbent is not None and incumbent != self.incumbent
            new_bound = bound is not None and bound != self.bound
            if new_incumbent or new_bound:
                self.incumbent = self.incumbent if incumbent is None else incumbent
                self.bound = self.bound if bound is None else bound
                if self.options.watch is not None:
                    up = -1.0 if self.maximize else 1.0
                    self.options.watch(
                        self._moved(self.incumbent, up), self._moved(self.bound, -up)
                    )

    def stepped_back(self) -> float | None:
        """Returns the bound lowered by its rounding error and once more."""
        down = 1.0 if self.maximize else -1.0
        moved = self._moved(self.bound, down)
        return None if moved is None else moved + down

    def _moved(self, value: float | None, sign: float) -> float | None:
        """Returns a number moved by its rounding error in one direction."""
        if value is None:
            return None
        return value + sign * _ROUNDING.get(self.solver, 0.0) * abs(value)

    def _numbers(self, line: str) -> tuple[str, str]:
        """Returns (incumbent, bound) as in the line; empty strings if it shows none."""
        if self.solver == "highs":
            match = _HIGHS.match(line)
            return (match.group(2), match.group(1)) if match else ("", "")
        if self.solver == "scip":
            fields = line.split("|")
            return (fields[-3], fields[-4]) if len(fields) > 15 else ("", "")
        if self.solver == "cp-sat":
            match = _CP_SAT.match(line)
            if match is None:
                return "", ""
            return match.group(1), match.group(3 if self.maximize else 2)
        if self.solver == "cbc":
            match = _CBC_AT.match(line)
            if match is not None:
                return self._turned(match.group(1)), self._turned(match.group(2))
            match = _CBC_ROOT.match(line)
            if match is not None:
                return "", self._turned(match.group(1))
            match = _CBC_NEW.match(line)
            return (self._turned(match.group(1)), "") if match else ("", "")
        return "", ""

    def _turned(self, value: str) -> str:
        """Removes the sign that CBC's log may put before the objective of a maximization."""
        return value.removeprefix("-") if self.maximize else value


def _number(text: str) -> float | None:
    """Returns the number in a text; None if there is none."""
    text = text.strip()
    if not _NUMBER.fullmatch(text):
        return None
    value = float(text)
    return value if abs(value) < 1e40 else None  # solvers write "none yet" as a huge number
