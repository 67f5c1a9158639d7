"""Time and memory of GreedTok, BPE, a bound and a search against the number of distinct words.

    python benchmarks/large_instances.py [--words 10000,100000,1000000] [-k 10000] [--long]
    python benchmarks/large_instances.py --counts C.tsv --words 100000,1000000

Words are drawn from a seed: one to three parts each, of 3,000 parts with a Zipf distribution, or
with --long five to nine, which makes 28 symbols on average, as lines of code have.  With --counts
they are the most frequent of a file.  Every run has a process of its own; seconds are those of all
processors, without reading the words, and memory is the peak above that of the words.  The
exponent is of the last two sizes: e for time ~ words^e.
"""

from __future__ import annotations

import argparse
import gc
import json
import math
import resource
import subprocess
import sys
import time

import numpy as np

from partcover import Instance, WordCounts, greedtok, improve, lower_bound
from partcover.problem.memory_plan import memory_plan
from partcover.trainers import bpe

STEPS = 32  # of the bound
METHODS = {
    "greedtok": lambda instance, options: greedtok(instance, threads=options.threads),
    "bpe": lambda instance, options: bpe(instance),
    "bound": lambda instance, options: lower_bound(
        instance, iterations=STEPS, threads=options.threads
    ),
    "improve": lambda instance, options: improve(
        instance, time_limit=options.seconds, threads=options.threads
    ),
}


def drawn(n_words, long):
    """Returns so many distinct words, drawn from a seed; the n-th occurs n_words // n times."""
    random = np.random.default_rng(0)
    letters = list("etaoinshrdlucmfwypvbgkjqxz _(){};")
    parts = ["".join(random.choice(letters, random.integers(1, 8))) for _ in range(3000)]
    words = {}
    while len(words) < n_words:
        sizes = random.integers(5, 10, 1 << 14) if long else random.integers(1, 4, 1 << 14)
        places = np.minimum(random.zipf(1.2, int(sizes.sum())) - 1, len(parts) - 1).tolist()
        at = iter(places)
        for size in sizes.tolist():
            words.setdefault("".join(parts[next(at)] for _ in range(size)), 0)
    names = list(words)[:n_words]
    return WordCounts.from_counts({word: n_words // n for n, word in enumerate(names, 1)})


def peak_memory(*, since_now=False):
    """Returns the most bytes that this process had, or those that it has, as the new start."""
    if sys.platform != "linux":
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    if since_now:
        with open("/proc/self/clear_refs", "w") as file:
            file.write("5")
    with open("/proc/self/status") as file:
        return next(1024 * int(line.split()[1]) for line in file if line.startswith("VmHWM"))


def measure(method, words, options):
    """Runs a method in this process, and prints what it took."""
    gc.collect()
    peak = peak_memory(since_now=True)
    begun = time.process_time()
    instance = Instance(words, options.k)
    kind = "greedy" if method in ("greedtok", "bpe") else "bound"
    planned = memory_plan(instance, kind).need
    result = METHODS[method](instance, options)
    row = {"method": method, "words": len(words), "symbols": len(words.data)}
    row["seconds"] = time.process_time() - begun
    row["peak"] = peak_memory() - peak
    row["planned"] = None if method == "bpe" else planned
    row["gap"] = getattr(result, "gap", None)
    print(json.dumps(row))


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--words", default="10000,100000,1000000")
    parser.add_argument("--methods", default=",".join(METHODS))
    parser.add_argument("-k", type=int, default=10_000)
    parser.add_argument("--seconds", type=float, default=120, help="of improve")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--long", action="store_true")
    parser.add_argument("--counts")
    parser.add_argument("--one", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    sizes = [int(size) for size in options.words.split(",")]
    if options.one:
        if options.counts:
            words = WordCounts.load(options.counts).most_frequent(sizes[0])
        else:
            words = drawn(sizes[0], options.long)
        measure(options.methods, words, options)
        return
    print("| method | words | symbols | CPU s | MiB | planned | gap | e (time) | e (memory) |")
    print("|---|---:|---:|---:|---:|---:|---:|---:|---:|")
    for method in options.methods.split(","):
        before = None
        for size in sizes:
            line = [sys.executable, __file__, "--one", "--methods", method, "--words", str(size)]
            line += ["--seconds", str(options.seconds), "--threads", str(options.threads)]
            line += ["-k", str(options.k), *(["--long"] if options.long else [])]
            line += ["--counts", options.counts] if options.counts else []
            done = subprocess.run(line, capture_output=True, text=True)
            if done.returncode:
                print(f"| {method} | {size:,} | {done.stderr.strip().splitlines()[-1]} |")
                break
            row = json.loads(done.stdout)
            exponents = ["", ""]
            if before is not None:
                more = math.log(row["words"] / before["words"])
                exponents = [
                    f"{math.log(row[key] / before[key]) / more:.2f}" for key in ("seconds", "peak")
                ]
            planned = "" if row["planned"] is None else f"{row['planned'] / 2**20:,.0f}"
            gap = "" if row["gap"] is None else f"{row['gap']:.2%}"
            print(
                f"| {method} | {row['words']:,} | {row['symbols']:,} | {row['seconds']:.1f} "
                f"| {row['peak'] / 2**20:,.0f} | {planned} | {gap} | {' | '.join(exponents)} |",
                flush=True,
            )
            before = row


if __name__ == "__main__":
    main()
