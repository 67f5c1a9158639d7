"""The largest rung of a ladder of real words that each formulation and solver proves in a minute.

    python benchmarks/frontier.py [COUNTS.tsv] [--seconds 60] [--formulations A,B] [--solvers A,B]

A rung is the n most frequent words with k = n/10.  Without COUNTS.tsv the words are those of
the character names of Unicode 3.2, which every Python carries.  Every run is a process of its own
on two processors; its seconds are those of ``solve``, building the model, the recount and the
check included.  A formulation climbs until it fails.  ``printed`` proves its own optimum, which is
not that of the instance.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import subprocess
import sys
import tempfile
from importlib.metadata import version
from pathlib import Path

from partcover import WordCounts

RUNGS = [25, 50, 100, 200, 350, 500, 700, 1000, 1500, 2000, 3000, 4000, 6000, 8000]
ROOT = Path(__file__).resolve().parents[1]

RUN = """
import json, os, sys, time
from partcover import Instance, WordCounts, solve
from partcover.errors import PartcoverError
words = WordCounts.load(sys.argv[1])
n, formulation, solver, seconds = int(sys.argv[2]), *sys.argv[3:5], float(sys.argv[5])
instance = Instance(words.most_frequent(n), n // 10)
started = time.monotonic()
try:
    s = solve(instance, formulation=formulation, solver=solver, time_limit=seconds, threads=2)
except PartcoverError as error:
    print(json.dumps({"proven": False, "seconds": 0, "why": str(error)}), flush=True)
else:
    exact = formulation in ("path", "occurrence")
    proven = s.status == "optimal" if exact else s.extra.get("relaxation_solved", False)
    print(json.dumps({
        "proven": proven, "seconds": time.monotonic() - started, "gap": s.gap,
        "nonzeros": s.extra.get("nonzeros"), "tokens": s.tokens, "why": s.termination,
    }), flush=True)
os._exit(0)  # a solver that overran may still be at work
"""


def run(counts: Path, n: int, formulation: str, solver: str, seconds: float) -> dict:
    """One run in a process of its own."""
    command = [sys.executable, "-c", RUN, str(counts), str(n), formulation, solver, str(seconds)]
    pin = (lambda: os.sched_setaffinity(0, {0, 1})) if sys.platform == "linux" else None
    try:
        done = subprocess.run(
            command, capture_output=True, text=True, preexec_fn=pin, timeout=3 * seconds + 60
        )
    except subprocess.TimeoutExpired:
        return {"proven": False, "seconds": 3 * seconds + 60, "why": "had to be killed"}
    if done.returncode:
        return {"proven": False, "seconds": 0.0, "why": (done.stderr or "?").splitlines()[-1]}
    return json.loads(done.stdout)


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
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--formulations", default="path,occurrence,printed,wmc")
    parser.add_argument("--solvers", default="highs,scip,cp-sat,cbc")
    parser.add_argument("--from", dest="first", type=int, default=RUNGS[0])
    options = parser.parse_args()
    counts = options.counts or names()
    most = len(WordCounts.load(counts))
    rungs = [rung for rung in RUNGS if options.first <= rung <= most]
    print(
        f"{options.counts or 'Unicode 3.2 names'}, {options.seconds:g} s, two processors;", end=" "
    )
    print(f"Python {platform.python_version()}, OR-Tools {version('ortools')},", end=" ")
    print(f"PuLP {version('pulp')}, {platform.machine()}")
    print(f"{'formulation':12} {'solver':7} {'largest n':>9} {'seconds':>8} {'nonzeros':>10}  next")
    for formulation in options.formulations.split(","):
        for solver in options.solvers.split(","):
            best: tuple[int, dict] | None = None
            after = "top of the ladder"
            for n in rungs:
                found = run(counts, n, formulation, solver, options.seconds)
                if not found["proven"]:
                    gap = found.get("gap")
                    left = f", gap {100 * gap:.2f} %" if gap is not None else ""
                    after = f"n = {n}: {found['why']}{left}, {found['seconds']:.1f} s"
                    break
                best = n, found
            n, row = best or (0, {"seconds": 0.0, "nonzeros": 0})
            print(
                f"{formulation:12} {solver:7} {n:9,} {row['seconds']:8.1f} "
                f"{row['nonzeros'] or 0:10,}  {after}",
                flush=True,
            )


if __name__ == "__main__":
    main()
