"""What a bound by a head asks of the workers that read the other words, and what they send.

    python benchmarks/text/scale_shards.py COUNTS.tsv [-k 10000] [--head 68170] [--iterations 32]
    python benchmarks/text/scale_shards.py COUNTS.tsv --engines threads,processes,dask

The first runs all calls one after another in this process, packed and unpacked as for another one,
and prints for each step how often all words are read, the processor time of a million words, and
the bytes of a call, of its result, and of the file that all calls share.  The second runs `bound`
and `verify` with two workers of each engine, and compares their certificates with those of none.
"""

from __future__ import annotations

import argparse
import pickle
import tempfile
import time
from concurrent.futures import Executor, Future
from pathlib import Path

from scale import command, measured

from partcover import HeadAndTail, Instance, check_certificate, greedtok, lower_bound
from partcover.verification.recount import recount

STEPS = {
    "_numbers": "how often each count occurs",
    "_head_blocks": "the words of the head",
    "_pairs_of_tail": "pairs of the tail",
    "_tail_of": "digest of the tail",
    "_needed_by_tail": "tokens of the vocabulary",
    "_sums": "prices of the tail",
    "_sums_of_tail": "verify: prices, in Python",
    "_counted_in": "verify: tokens of the vocabulary, in Python",
}


class Measured(Executor):
    """Makes each call at once, packed and unpacked, and notes what it takes."""

    def __init__(self, scratch):
        self.scratch = scratch
        self.rows = {}

    @property
    def seconds(self):
        """Processor time of all calls."""
        return sum(row["seconds"] for row in self.rows.values())

    def submit(self, function, job):
        """Makes the call."""
        packed = pickle.dumps((function, job))
        call, job = pickle.loads(packed)
        step = call.work.__name__
        row = self.rows.setdefault(step, {"calls": 0, "seconds": 0.0, "to": 0, "back": 0})
        row["shared"] = sum(f.stat().st_size for f in self.scratch.rglob("*") if f.is_file())
        begun = time.process_time()
        result = call(job)
        row["seconds"] += time.process_time() - begun
        row["calls"] += 1
        row["to"] = max(row["to"], len(packed))
        row["back"] = max(row["back"], len(pickle.dumps(result)))
        future = Future()
        future.set_result(result)
        return future


def steps(options):
    """Prints what each step takes."""
    with tempfile.TemporaryDirectory() as folder:
        executor = Measured(Path(folder))
        given = {"executor": executor, "scratch": folder}
        words = HeadAndTail.load(options.counts, options.head, **given)
        begun = time.process_time() - executor.seconds
        instance = Instance(words, options.k)
        bound = lower_bound(instance, iterations=options.iterations)
        rest = time.process_time() - executor.seconds - begun
        begun = time.process_time() - executor.seconds
        check = check_certificate(instance, bound.certificate)
        assert check.lower_bound == bound.lower_bound
        in_head = time.process_time() - executor.seconds - begun
        tokens = recount(instance, greedtok(instance.alone).vocabulary)[0]
    every = len(words.head) + bound.to_json()["words"] - bound.to_json()["head_words"]
    print(f"{every:,} words, {len(words.head):,} in the head, {words.total_count:,} counted")
    gap = 1 - bound.lower_bound / tokens
    print(f"k = {options.k}, gap {gap:.3%}, {bound.certificate.scale_bits} digits\n")
    print("| step | passes | s for a million words | B to a call | B back | B shared |")
    print("|---|--:|--:|--:|--:|--:|")
    shards = executor.rows["_numbers"]["calls"]
    for name, row in executor.rows.items():
        step = STEPS.get(name, name)
        passes = row["calls"] // shards
        rate = row["seconds"] / passes / every * 1e6
        print(
            f"| {step} | {passes} | {rate:.2f} | {row['to']:,} | {row['back']:,} "
            f"| {row['shared']:,} |"
        )
    print(f"| all else of the bound: the head, and sums | | {rest:.1f} in all | | | |")
    print(f"| all else of verify: the head, in Python | | {in_head:.1f} in all | | | |")


def engines(options):
    """Runs `bound` and `verify` with two workers of each engine."""
    print("| workers | | processor s | s | peak MB |\n|---|---|--:|--:|--:|")
    certificates = set()
    with tempfile.TemporaryDirectory() as folder:
        where = Path(folder, "p.cert")
        base = [options.counts, "-k", options.k]
        bound = [*base, "--head", options.head, "--iterations", options.iterations, "-o", where]
        for name in ("none", *options.engines.split(",")):
            workers = [] if name == "none" else ["--threads", 2, "--engine", name]
            for what, line in (("bound", bound), ("verify", [*base, "--certificate", where])):
                found = measured(command(what, *line, "--quiet", *workers))
                if found is None:
                    print(f"| {name} | {what} | failed, or is not installed | | |")
                    continue
                processor, seconds, peak = found
                print(
                    f"| {name} | {what} | {processor:.1f} | {seconds:.1f} | {peak / 1e6:.0f} |",
                    flush=True,
                )
            certificates.add(where.read_bytes())
    print("\nthe certificates are", "the same" if len(certificates) == 1 else "DIFFERENT")


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("counts", type=Path)
    parser.add_argument("-k", type=int, default=10_000)
    parser.add_argument("--head", type=int, default=68_170)
    parser.add_argument("--iterations", type=int, default=32)
    parser.add_argument("--engines", help="threads, processes, dask, separated by commas")
    options = parser.parse_args()
    (engines if options.engines else steps)(options)


if __name__ == "__main__":
    main()
