"""Time and memory of greedy methods, BPE, a bound and a search against the number of words.

    python benchmarks/training/large_instances.py [--words 10000,100000,1000000] [-k 10000] [--long]
    python benchmarks/training/large_instances.py --counts C.tsv --words 100000,1000000

Words are drawn from a seed: one to three parts each, of 3,000 parts with a Zipf distribution, or
with --long five to nine, which makes 28 symbols on average, as lines of code have.  With --counts
they are the most frequent of a file.  --keep FOLDER keeps what was drawn for the next time.  Every
run has a process of its own; seconds are those of all processors, without reading the words, and
memory is the peak above that of the words.  The exponent is of the last two sizes: e for time ~
words^e.
"""

from __future__ import annotations

import argparse
import gc
import json
import math
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

from partcover import Instance, WordCounts, greedtok, greedwmc, improve, lower_bound
from partcover.problem.memory_plan import memory_plan
from partcover.trainers import bpe

STEPS = 32  # of the bound
BATCH, BASE = 1 << 14, 0x9E3779B97F4A7C15  # words that are drawn at once; of their hashes
METHODS = {
    "greedtok": lambda instance, options: greedtok(instance, threads=options.threads),
    "greedwmc": lambda instance, options: greedwmc(instance, threads=options.threads),
    "bpe": lambda instance, options: bpe(instance, threads=options.threads),
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
    parts = ["".join(random.choice(letters, random.integers(1, 8))) for _ in range(3000)] + [""]
    lengths = np.array([len(part) for part in parts])
    # words are equal where their hashes are: polynomials of their symbols
    value = np.random.default_rng(1).integers(0, 2**63, 128).tolist()
    hashes = [
        sum(value[symbol] * BASE**place for place, symbol in enumerate(reversed(part.encode())))
        for part in parts
    ]
    hashes = np.array([number % 2**64 for number in hashes], np.uint64)
    powers = np.array([pow(BASE, len(part), 2**64) for part in parts], np.uint64)
    most = 9 if long else 3
    rows, known = [], np.zeros(0, np.uint64)
    while len(known) < n_words:
        places, keys = [], []
        for _ in range(max(1, n_words // BATCH // 4)):
            sizes = random.integers(5, 10, BATCH) if long else random.integers(1, 4, BATCH)
            row = np.full((BATCH, most), len(parts) - 1, np.int16)  # the part without symbols
            drawn_places = random.zipf(1.2, int(sizes.sum())) - 1
            row[np.arange(most) < sizes[:, None]] = np.minimum(drawn_places, len(parts) - 2)
            key = np.zeros(BATCH, np.uint64)
            for column in row.T:
                key = key * powers[column] + hashes[column]
            places.append(row)
            keys.append(key)
        keys, first = np.unique(np.concatenate(keys), return_index=True)
        is_new = ~np.isin(keys, known, assume_unique=True)
        rows.append(np.concatenate(places)[np.sort(first[is_new])])
        known = np.concatenate([known, keys[is_new]])
    chosen = np.concatenate(rows)[:n_words].ravel()
    del rows, known
    sizes = lengths[chosen]
    ends = np.cumsum(sizes)
    text = np.frombuffer("".join(parts).encode(), np.uint8)
    data = np.repeat((np.cumsum(lengths) - lengths)[chosen] - (ends - sizes), sizes)
    data = text[data + np.arange(len(data))]
    offsets = np.concatenate([[0], ends[most - 1 :: most]])
    return WordCounts(data, offsets, n_words // np.arange(1, n_words + 1))


def kept(size, options, folder):
    """Returns the file of the words, which are drawn, or read and cut, where it is not there."""
    path = folder / f"{'long' if options.long else 'short'}-{size}.npz"
    if options.counts:
        path = folder / "given.npz"
        words = WordCounts.load(options.counts).most_frequent(size)
    elif not path.exists():
        words = drawn(size, options.long)
    else:
        return path
    np.savez(path, data=words.data, offsets=words.offsets, counts=words.counts)
    return path


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
    begun, since = time.process_time(), time.perf_counter()
    instance = Instance(words, options.k)
    kind = {"bpe": "merges", "bound": "bound", "improve": "search"}.get(method, "greedy")
    planned = memory_plan(instance, kind).need
    result = METHODS[method](instance, options)
    row = {"method": method, "words": len(words), "symbols": len(words.data)}
    row["seconds"] = time.process_time() - begun
    row["wall"] = time.perf_counter() - since
    row["peak"] = peak_memory() - peak
    row["planned"] = planned
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
    parser.add_argument("--keep", type=Path)
    parser.add_argument("--one", type=Path, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.one:
        with np.load(options.one) as arrays:
            words = WordCounts(**arrays)
        measure(options.methods, words, options)
        return
    with tempfile.TemporaryDirectory() as folder:
        tabulate(options, options.keep or Path(folder))


def tabulate(options, folder):
    """Runs each method on words of each size, in a process of its own, and prints a table."""
    heads = (
        "method",
        "words",
        "symbols",
        "CPU s",
        "wall s",
        "MiB",
        "planned",
        "gap",
        "e",
        "e of MiB",
    )
    print(f"| {' | '.join(heads)} |")
    print("|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|")
    for method in options.methods.split(","):
        before = None
        for size in map(int, options.words.split(",")):
            line = [sys.executable, __file__, "--one", kept(size, options, folder)]
            line += ["--methods", method, "-k", str(options.k)]
            line += ["--seconds", str(options.seconds), "--threads", str(options.threads)]
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
            gap = "" if row["gap"] is None else f"{row['gap']:.2%}"
            print(
                f"| {method} | {row['words']:,} | {row['symbols']:,} | {row['seconds']:.1f} "
                f"| {row['wall']:.1f} | {row['peak'] / 2**20:,.0f} | {row['planned'] / 2**20:,.0f} "
                f"| {gap} | {' | '.join(exponents)} |",
                flush=True,
            )
            before = row


if __name__ == "__main__":
    main()
