"""The largest n whose optimum partcover, SCIP, HiGHS, CP-SAT and CBC each prove in the same time.

    python benchmarks/proofs/frontier.py [COUNTS.tsv] [--seconds 600] [--methods partcover,highs,…]
        [--first 100] [--near 0.05]

The instance of n is the n most frequent words of COUNTS.tsv with k = n/10, all substrings
candidates.  n is doubled until a method fails, then bisected to ``--near``.  ``partcover`` is
`solve`: it must give a certificate that the checker confirms.  A solver gets the formulation
``path``, or that behind a colon (``highs:occurrence``), and its word is taken; ``printed`` and
``wmc`` have optima of their own.  Each try is a process of its own on two processors with two
threads (CBC, without native threads, uses one); its seconds are those of the call, with the index
of the substrings, the model and the recount, and it is killed at twice the limit.  Without
COUNTS.tsv the words are those of the character names of Unicode 3.2, which every Python carries.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path

from partcover import WordCounts

ROOT = Path(__file__).resolve().parents[2]
METHODS = "partcover,highs,scip,cp-sat,cbc"

TRY = """
import json, os, resource, sys, time
from partcover import Instance, WordCounts, check_certificate, solve
from partcover.errors import PartcoverError
counts, n, method, seconds = sys.argv[1], int(sys.argv[2]), sys.argv[3], float(sys.argv[4])
words = WordCounts.load(counts).most_frequent(n)
started = time.monotonic()
instance = Instance(words, n // 10)
limits = {"time_limit": seconds, "threads": 2}
found = {"proven": False, "gap": None}
try:
    if method == "partcover":
        solution = solve(instance, **limits)
        took = time.monotonic() - started
        check = check_certificate(instance, solution.certificate)
        proven = check.ok and check.lower_bound == solution.tokens
    else:
        solver, _, formulation = method.partition(":")
        solution = solve(instance, solver=solver, formulation=formulation or "path", **limits)
        took = time.monotonic() - started
        proven = solution.status == "optimal" or solution.extra.get("relaxation_solved", False)
except PartcoverError as error:
    found |= {"why": str(error), "seconds": time.monotonic() - started}
else:
    found |= {"proven": proven and took <= 1.05 * seconds + 1, "gap": solution.gap}
    found |= {"seconds": took, "tokens": solution.tokens, "why": solution.termination}
who = resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN  # CBC is a program of its own
peak = max(resource.getrusage(w).ru_maxrss for w in who)
found["peak"] = peak / (2**10 if sys.platform == "linux" else 2**20)
print(json.dumps(found), flush=True)
os._exit(0)  # a solver that overran may still be at work
"""


@dataclass
class Frontier:
    """How far one method comes."""

    counts: Path
    method: str
    seconds: float
    most: int
    near: float

    def climb(self, first: int) -> tuple[int, dict, str]:
        """The largest n that is proven, what that run says, and what became of the next."""
        proven, row, failed, why = 0, {}, None, "all words"
        n = min(first, self.most)
        while failed is None or failed - proven > max(1, self.near * proven):
            found = self.attempt(n)
            if found["proven"]:
                proven, row = n, found
                if n == self.most:
                    break
                n = min(2 * n, self.most) if failed is None else (proven + failed) // 2
            else:
                failed = n
                gap = "" if found["gap"] is None else f", gap {100 * found['gap']:.3f} %"
                why = f"n = {n:,}: {found['why']}{gap}"
                n = (proven + failed) // 2
            if n < 10:
                break
        return proven, row, why

    def attempt(self, n: int) -> dict:
        """One try in a process of its own."""
        command = [sys.executable, "-c", TRY, self.counts, n, self.method, self.seconds]
        pin = (lambda: os.sched_setaffinity(0, {0, 1})) if sys.platform == "linux" else None
        limit = 2 * self.seconds + 30
        try:
            done = subprocess.run(
                [*map(str, command)], capture_output=True, text=True, preexec_fn=pin, timeout=limit
            )
        except subprocess.TimeoutExpired:
            found = {"proven": False, "gap": None, "seconds": limit, "why": "had to be killed"}
        else:
            if done.returncode:
                last = (done.stderr.splitlines() or ["it died"])[-1]
                why = f"ended by signal {-done.returncode}" if done.returncode < 0 else last
                found = {"proven": False, "gap": None, "seconds": 0.0, "why": why}
            else:
                found = json.loads(done.stdout)
        state = "proven" if found["proven"] else f"not proven: {found['why']}"
        print(f"  {self.method} n = {n:,}: {state}, {found['seconds']:.1f} s", file=sys.stderr)
        return found


def names() -> Path:
    """The counted words of the Unicode 3.2 character names, in a file."""
    sys.path.insert(0, str(ROOT / "instances"))
    from build import unicode_names

    path = Path(tempfile.mkdtemp(prefix="partcover-")) / "names.tsv"
    WordCounts.from_counts(unicode_names()).save(path)
    return path


def main() -> None:
    """Climb and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("counts", nargs="?", type=Path)
    parser.add_argument("--seconds", type=float, default=600.0, help="for each try")
    parser.add_argument("--methods", default=METHODS)
    parser.add_argument("--first", type=int, default=100, help="the first n")
    parser.add_argument("--near", type=float, default=0.05, help="bisect n to this share of it")
    options = parser.parse_args()
    counts = options.counts or names()
    most = len(WordCounts.load(counts))
    versions = ", ".join(f"{name} {version(name)}" for name in ("partcover", "ortools", "pulp"))
    print(f"{options.counts or 'Unicode 3.2 names'}: {most:,} words, k = n/10,", end=" ")
    print(f"{options.seconds:g} s a try, two processors")
    print(f"{versions}, Python {platform.python_version()}, {platform.machine()}")
    print(f"{'method':10} {'largest n':>9} {'seconds':>8} {'MiB':>7}  next")
    reached = {}
    for method in options.methods.split(","):
        frontier = Frontier(counts, method, options.seconds, most, options.near)
        n, row, why = frontier.climb(options.first)
        reached[method] = n
        seconds, peak = row.get("seconds", 0.0), row.get("peak", 0.0)
        print(f"{method:10} {n:9,} {seconds:8.1f} {peak:7.0f}  {why}", flush=True)
    others = {method: n for method, n in reached.items() if method != "partcover" and n}
    if others and "partcover" in reached:
        best = max(others, key=others.__getitem__)
        print(f"partcover / {best}: {reached['partcover'] / others[best]:.1f} times the words")


if __name__ == "__main__":
    main()
