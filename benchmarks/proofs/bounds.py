"""The price bound beside linear programming solvers, on the same relaxation in the same run.

    python benchmarks/proofs/bounds.py COUNTS.tsv [-n 2000] [-k 200] [--runs 3]
        [--solvers pdlp,highs,glop]
        [--limit 600] [--threads 1]

Of the COUNTS.tsv its n most frequent words.  Each solver solves the linear relaxation of the
path formulation (model building included); then the bound is timed to 99.9 % and to 99.99 % of
the value.  Every run is a process of its own: seconds are of the call, reading not included, and
peak memory of the whole process, as the operating system counts it.  What takes longer than the
limit counts as the limit, and its ratio is a lower bound.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import statistics
import subprocess
import sys
import tempfile
import time
from importlib.metadata import version
from pathlib import Path

READ = """
import json, sys, time
from partcover import Instance, Progress, WordCounts, lower_bound, relax
path, n, k, threads, limit, what = sys.argv[1:]
instance = Instance(WordCounts.load(path).most_frequent(int(n)), int(k))
instance.index
begun = time.perf_counter()
"""

SOLVER = """
found = relax(instance, solver=what, threads=int(threads), time_limit=float(limit))
print(json.dumps({"value": found.tokens, "seconds": time.perf_counter() - begun}))
"""

OURS = """
goal, reached = int(what), []
class Reached(Exception): pass
class Watch(Progress):
    def event(self, event):
        if event.lower_bound >= goal:
            reached.append((event.lower_bound, time.perf_counter() - begun))
            raise Reached
try:
    lower_bound(instance, threads=int(threads), time_limit=float(limit), progress=Watch())
except Reached:
    pass
value, seconds = reached[0] if reached else (None, time.perf_counter() - begun)
print(json.dumps({"value": value, "seconds": seconds}))
"""


def measure(code: str, options: argparse.Namespace, what: str) -> dict:
    """One run in a process of its own: the value, seconds of the call, peak MiB."""
    given = [options.counts, options.n, options.k, options.threads, options.limit, what]
    with tempfile.TemporaryFile() as out:
        process = subprocess.Popen(
            [sys.executable, "-c", READ + code, *map(str, given)],
            stdout=out,
            stderr=subprocess.DEVNULL,
            env={**os.environ, "PYTHONSAFEPATH": "1"},
        )
        # a solver may overrun its limit: it is ended, and counts as the limit
        end = time.monotonic() + 1.1 * options.limit + 30
        while True:
            done, status, usage = os.wait4(process.pid, os.WNOHANG)
            if done or time.monotonic() > end:
                break
            time.sleep(0.05)
        if not done:
            process.kill()
            _, status, usage = os.wait4(process.pid, 0)
            found = {"value": None, "seconds": options.limit}
        elif status:
            sys.exit(f"{what}: a run failed with status {status}")
        else:
            out.seek(0)
            found = json.loads(out.read().splitlines()[-1])
    scale = 1 if sys.platform == "darwin" else 1024
    return {**found, "mib": usage.ru_maxrss * scale / 2**20}


def repeat(code: str, options: argparse.Namespace, what: str) -> dict:
    rows = [measure(code, options, what) for _ in range(options.runs)]
    return {
        **rows[0],
        "seconds": statistics.median(row["seconds"] for row in rows),
        "mib": statistics.median(row["mib"] for row in rows),
    }


def show(name: str, row: dict) -> None:
    value = "not reached" if row["value"] is None else f"{row['value']:,.1f}"
    print(f"{name:<22}{row['seconds']:9.2f} s {row['mib']:8.0f} MiB   {value}", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("counts", type=Path)
    parser.add_argument("-n", type=int, default=2000)
    parser.add_argument("-k", type=int, default=200)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--limit", type=float, default=600)
    parser.add_argument("--solvers", default="pdlp,highs,glop")
    options = parser.parse_args()
    print(
        f"partcover {version('partcover')}, ortools {version('ortools')}, "
        f"Python {platform.python_version()}, {platform.machine()}, {options.threads} thread(s); "
        f"the {options.n:,} most frequent words, k = {options.k}; bounds: medians of "
        f"{options.runs}, solvers: one run each"
    )
    theirs = {}
    for solver in options.solvers.split(","):
        theirs[solver] = measure(SOLVER, options, solver)
        show(solver, theirs[solver])
    values = [row["value"] for row in theirs.values() if row["value"] is not None]
    if not values:
        print("no solver reached the relaxation's value: raise --limit")
        return
    value = min(values)
    best = min(theirs.values(), key=lambda row: (row["value"] is None, row["seconds"]))
    for part in (0.999, 0.9999):
        ours = repeat(OURS, options, str(int(part * value)))
        show(f"bound to {100 * part:g} %", ours)
        if ours["value"] is not None:
            times, memory = best["seconds"] / ours["seconds"], ours["mib"] / best["mib"]
            print(f"ratio: {times:.1f} times faster than the best, {memory:.2f} of its memory")


if __name__ == "__main__":
    main()
