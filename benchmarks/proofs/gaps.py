"""The gap between the best vocabulary found and the bound proven, with time and memory.

    python benchmarks/proofs/gaps.py COUNTS.tsv -k 100,1000,5000 [--limit 300] [--check]
    python benchmarks/proofs/gaps.py COUNTS.tsv -k 1000 --parts 10,25,50,100
    python benchmarks/proofs/gaps.py --integrality

A run is ``improve`` with its bound, in a process of its own on two threads; its seconds and peak
memory are those of the whole process.  Fewer: than GreedTok's tokens in its own priority order.
``--check`` recounts the certificate with ``verify``.  ``--parts`` takes the most frequent words,
in percent of them.
``--integrality`` says what part of a gap no prices can close: how far the linear relaxation is from
the optimum, on the instances of the library whose optimum is proven.
"""

from __future__ import annotations

import argparse
import json
import platform
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from partcover import Instance, WordCounts, greedtok, relax
from partcover.instances import library

COMMAND = [sys.executable, "-m", "partcover"]


def run(counts: Path, k: int, limit: float, *, check: bool) -> None:
    """One row."""
    with tempfile.TemporaryDirectory() as folder:
        proof, vocabulary = Path(folder) / "P.cert", Path(folder) / "V.json"
        command = ["improve", counts, "-k", k, "--time-limit", limit, "--threads", 2, "--json"]
        command += ["--no-vocabulary", "--quiet", "--write-certificate", proof, "-o", vocabulary]
        peak, out, seconds = measured([*COMMAND, *map(str, command)])
        found = json.loads(out)
        verified = ""
        if check:
            command = ["verify", counts, "-k", k, "--vocab", vocabulary, "--certificate", proof]
            done = subprocess.run(
                [*COMMAND, *map(str, command), "--json"], capture_output=True, text=True
            )
            verified = "  verified" if json.loads(done.stdout)["ok"] else "  NOT VERIFIED"
    greedy = greedtok(Instance(WordCounts.load(counts), k)).tokens or 1
    saved = 100 * (1 - found["tokens"] / greedy)
    print(
        f"{found['words']:9,} {k:7,} {found['tokens']:13,} {found['lower_bound']:13,} "
        f"{100 * found['gap']:7.3f} %  {saved:6.3f} % {seconds:8.1f} {peak:7.0f}{verified}",
        flush=True,
    )


def measured(command: list[str]) -> tuple[float, str, float]:
    """(peak MiB, standard output, seconds) of a process."""
    code = (
        "import json, resource, subprocess, sys, time\n"
        "begun = time.monotonic()\n"
        "done = subprocess.run(sys.argv[1:], capture_output=True, text=True)\n"
        "took = time.monotonic() - begun\n"
        "peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss\n"
        "print(json.dumps([peak, done.stdout, took, done.stderr]))"
    )
    done = subprocess.run([sys.executable, "-c", code, *command], capture_output=True, text=True)
    peak, out, took, error = json.loads(done.stdout)
    if not out:
        sys.exit(error)
    return peak / (1024 if sys.platform == "linux" else 2**20), out, took


def integrality() -> None:
    """How far the relaxation is from the optimum, on the library's ladders."""
    print(f"{'instance':24} {'optimum':>9} {'LP':>13} {'gap':>9} {'fractional':>10}")
    for name in library.names():
        entry = library.entry(name)
        if not entry.best.proven or not name.startswith(("names-", "html5-")):
            continue
        begun = time.monotonic()
        found = relax(entry.instance, time_limit=120)
        if found.tokens is None:
            print(
                f"{name:24} {entry.best.tokens:9,}   no value in {time.monotonic() - begun:.0f} s"
            )
            continue
        gap = 100 * (entry.best.tokens - found.tokens) / entry.best.tokens
        print(
            f"{name:24} {entry.best.tokens:9,} {found.tokens:13,.3f} {gap:7.4f} % "
            f"{found.fractional:10}",
            flush=True,
        )


def main() -> None:
    """Run and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("counts", nargs="?", type=Path)
    parser.add_argument("-k", default="100,1000,5000")
    parser.add_argument("--limit", type=float, default=300.0)
    parser.add_argument("--parts")
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--integrality", action="store_true")
    options = parser.parse_args()
    print(f"Python {platform.python_version()}, {platform.machine()}")
    if options.integrality:
        integrality()
        return
    if options.counts is None:
        parser.error("COUNTS.tsv is missing")
    heads = ("words", "k", "tokens", "bound", "gap", "fewer", "seconds", "MiB")
    print("{:>9} {:>7} {:>13} {:>13} {:>9} {:>8} {:>8} {:>7}".format(*heads))
    words = WordCounts.load(options.counts)
    for part in options.parts.split(",") if options.parts else ["100"]:
        with tempfile.TemporaryDirectory() as folder:
            counts = Path(folder) / "part.tsv"
            words.most_frequent(len(words) * int(part) // 100).save(counts)
            for k in options.k.split(","):
                run(counts, int(k), options.limit, check=options.check)


if __name__ == "__main__":
    main()
