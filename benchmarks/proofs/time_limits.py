"""How well ``solve`` keeps its time limit: every solver and formulation, building included.

    python benchmarks/proofs/time_limits.py [COUNTS.tsv] [-n 2000] [--limits 2,10,30]

The n most frequent words with k = n/10, which nothing proves in that time.  Printed is the
wall-clock time over the limit, and whether it is within 2 s or 5 %.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
from pathlib import Path

from frontier import names

RUN = """
import sys, time
from partcover import Instance, WordCounts, solve
from partcover.errors import PartcoverError
words = WordCounts.load(sys.argv[1])
n, formulation, solver, limit = int(sys.argv[2]), *sys.argv[3:5], float(sys.argv[5])
instance = Instance(words.most_frequent(n), n // 10)
started = time.monotonic()
try:
    s = solve(instance, formulation=formulation, solver=solver, time_limit=limit)
    what = f"{s.termination} {s.status} {s.tokens} {s.lower_bound}"
except PartcoverError as error:
    what = f"refused: {error}"
print(time.monotonic() - started, what)
"""


def main() -> None:
    """Run and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("counts", nargs="?", type=Path)
    parser.add_argument("-n", type=int, default=2000)
    parser.add_argument("--limits", default="2,10,30")
    parser.add_argument("--formulations", default="path,occurrence,printed,wmc")
    parser.add_argument("--solvers", default="highs,scip,cp-sat,cbc")
    options = parser.parse_args()
    counts = options.counts or names()
    kept = True
    for limit in map(float, options.limits.split(",")):
        for formulation in options.formulations.split(","):
            for solver in options.solvers.split(","):
                command = [sys.executable, "-c", RUN, counts, options.n, formulation, solver, limit]
                done = subprocess.run(list(map(str, command)), capture_output=True, text=True)
                seconds, _, what = done.stdout.strip().partition(" ")
                over = float(seconds or "inf") - limit
                within = over <= max(2.0, 0.05 * limit)
                kept &= within
                mark = "kept" if within else "NOT KEPT"
                print(
                    f"{limit:5g} s  {formulation:10}  {solver:6}  {over:+7.2f} s  {mark:8}  {what}"
                    f"{done.stderr[-200:] if done.returncode else ''}",
                    flush=True,
                )
    sys.exit(0 if kept else 1)


if __name__ == "__main__":
    main()
