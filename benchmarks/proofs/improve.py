"""How few tokens improve needs after so many seconds, beside GreedTok in the same run.

    python benchmarks/proofs/improve.py COUNTS.tsv [-k 100,1000,5000] [--seconds 60] [--threads 2]

Every budget is a process of its own; peak memory is of the whole process (interpreter, imports,
reading, searching), as the operating system counts it.  Seconds are since the search began, with
GreedTok's run in them, and the gain is over GreedTok under its own rule.
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

RUN = """
import json, sys
from partcover import EventLog, Instance, WordCounts, greedtok, improve
counts, k, seconds, threads = sys.argv[1], *map(int, sys.argv[2:])
instance = Instance(WordCounts.load(counts), k)
first = greedtok(instance)
log = EventLog()
s = improve(instance, bound=False, time_limit=seconds, threads=threads, progress=log)
events = [e for e in log.events if e.kind == "incumbent"]
print(json.dumps({
    "priority": first.tokens, "greedtok": first.extra["tokens_shortest_path"],
    "greedtok_seconds": first.seconds, "tokens": s.tokens, "seconds": s.seconds,
    "swaps": s.extra["swaps_tried"], "events": [(e.seconds, e.tokens, e.source) for e in events],
}))
"""


def measure(counts: Path, k: int, seconds: int, threads: int) -> dict:
    """One run in a process of its own: what it found, and its peak MiB."""
    with tempfile.TemporaryFile() as out:
        arguments = [str(counts), str(k), str(seconds), str(threads)]
        process = subprocess.Popen(
            [sys.executable, "-c", RUN, *arguments],
            stdout=out,
            env={**os.environ, "PYTHONSAFEPATH": "1"},
        )
        _, status, usage = os.wait4(process.pid, 0)
        if status:
            sys.exit(f"a run failed with status {status}")
        out.seek(0)
        found = json.loads(out.read().splitlines()[-1])
    scale = 1 if sys.platform == "darwin" else 1024
    return {**found, "mib": usage.ru_maxrss * scale / 2**20}


def gain(row: dict, tokens: int) -> str:
    return f"{100 * (row['priority'] - tokens) / row['priority']:7.3f} %"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("counts", type=Path)
    parser.add_argument("-k", default="100,1000,5000")
    parser.add_argument("--seconds", type=int, default=60)
    parser.add_argument("--threads", type=int, default=2)
    options = parser.parse_args()
    print(
        f"partcover {version('partcover')}, numpy {version('numpy')}, "
        f"Python {platform.python_version()}, {platform.machine()}, {options.threads} threads"
    )
    for k in map(int, options.k.split(",")):
        row = measure(options.counts, k, options.seconds, options.threads)
        print(f"k = {k}: {row['swaps']:,} swaps tried, {row['mib']:.0f} MiB")
        print(f"{row['greedtok_seconds']:9.1f} s {row['priority']:>14,}            greedtok")
        shortest = gain(row, row["greedtok"])
        print(f"{'':11} {row['greedtok']:>14,} {shortest}  its vocabulary, shortest path")
        marks = [1, 2, 5, 10, 20, 30, 60, 120, 300, 600]
        for mark in [mark for mark in marks if mark < options.seconds]:
            best = [event for event in row["events"] if event[0] <= mark]
            if best:
                _, tokens, source = best[-1]
                print(f"{mark:9.1f} s {tokens:>14,} {gain(row, tokens)}  {source}")
        print(f"{row['seconds']:9.1f} s {row['tokens']:>14,} {gain(row, row['tokens'])}  recounted")


if __name__ == "__main__":
    main()
