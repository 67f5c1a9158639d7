"""GreedTok from the counts file to the chosen vocabulary, beside the authors' greedtok.

    python benchmarks/training/greedy_speed.py COUNTS.tsv [-k 5000] [--runs 3] [--no-peer]

Every run is a process of its own, pinned to one processor: wall-clock seconds and peak memory
are of the whole process (interpreter, imports, reading, solving), as the operating system
counts them.  The peer is ``greedtok`` from PyPI (0.14.1 needs: ``pip install pybind11 tbb-devel
setuptools wheel``, then ``pip install --no-build-isolation greedtok==0.14.1``).
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
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

OURS = """
import json, sys
from partcover import Instance, WordCounts, greedtok
s = greedtok(Instance(WordCounts.load(sys.argv[1]), int(sys.argv[2])))
print(json.dumps({"size": len(s.vocabulary), "cover": s.cover, "tokens": s.tokens}))
"""

PEER = r"""
import json, re, sys
import pcatt.pco_tokenizer as pco
PLAIN = {b"n": b"\n", b"t": b"\t", b"r": b"\r", b"\\": b"\\"}
def unescape(match):
    code = match.group(1)
    return bytes([int(code[1:], 16)]) if code[:1] == b"x" else PLAIN[code]
words = {}
with open(sys.argv[1], "rb") as file:
    for line in file:
        word, count = line.rstrip(b"\n").rsplit(b"\t", 1)
        if b"\\" in word:
            word = re.sub(rb"\\(x[0-9A-Fa-f]{2}|.)", unescape, word)
        words[word] = int(count)
tokenizer = pco.build(words, set(), 100, False)
tokenizer.initialize_graph(max(map(len, words)), 1)
tokens, gains = tokenizer.solve_to_step(int(sys.argv[2]))
print(json.dumps({"size": len(tokens), "cover": sum(gains), "tokens": None}))
"""


def measure(code: str, counts: Path, k: int) -> dict:
    """One run in a process of its own: what it found, wall seconds, peak MiB."""
    environment = {
        **os.environ,
        "LD_LIBRARY_PATH": os.environ.get("LD_LIBRARY_PATH", str(Path(sys.prefix) / "lib")),
    }
    environment["PYTHONSAFEPATH"] = "1"
    started = time.perf_counter()
    with tempfile.TemporaryFile() as out:
        process = subprocess.Popen(
            [sys.executable, "-c", code, str(counts), str(k)],
            stdout=out,
            stderr=subprocess.DEVNULL,
            env=environment,
            preexec_fn=pin,
        )
        _, status, usage = os.wait4(process.pid, 0)
        seconds = time.perf_counter() - started
        if status:
            sys.exit(f"a run failed with status {status}")
        out.seek(0)
        found = json.loads(out.read().splitlines()[-1])
    scale = 1 if sys.platform == "darwin" else 1024
    return {**found, "seconds": seconds, "mib": usage.ru_maxrss * scale / 2**20}


def pin() -> None:
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})


def median(runs: list[dict]) -> dict:
    return {
        **runs[0],
        "seconds": statistics.median(run["seconds"] for run in runs),
        "mib": statistics.median(run["mib"] for run in runs),
    }


def show(name: str, row: dict) -> None:
    print(
        f"{name:<34}{row['seconds']:9.2f} s {row['mib']:9.0f} MiB   "
        f"{row['size']:>7,} tokens, cover {row['cover']:,}",
        flush=True,
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("counts", type=Path)
    parser.add_argument("-k", type=int, default=5000)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--no-peer", action="store_true")
    options = parser.parse_args()
    try:
        peer = None if options.no_peer else version("greedtok")
    except PackageNotFoundError:
        peer = None
        print("the peer is left out: greedtok is not installed")
    print(
        f"partcover {version('partcover')}, greedtok {peer}, Python {platform.python_version()}, "
        f"{platform.machine()}, one processor; medians of {options.runs} whole processes"
    )
    k, runs = options.k, range(options.runs)
    if peer:  # in turn, so that a drift of the machine meets both
        pairs = [(measure(OURS, options.counts, k), measure(PEER, options.counts, k)) for _ in runs]
        ours, theirs = median([a for a, _ in pairs]), median([b for _, b in pairs])
        show(f"partcover k={k}", ours)
        show(f"greedtok {peer} k={k}", theirs)
        times = statistics.median(b["seconds"] / a["seconds"] for a, b in pairs)
        print(f"ratio: {times:.1f} times faster, {ours['mib'] / theirs['mib']:.2f} of the memory")
    else:
        show(f"partcover k={k}", median([measure(OURS, options.counts, k) for _ in runs]))
    for other in (1000, 10_000, 50_000):
        show(f"partcover k={other}", median([measure(OURS, options.counts, other) for _ in runs]))
    lines = options.counts.read_bytes().splitlines(keepends=True)
    for percent in (10, 25, 50, 100):
        with tempfile.NamedTemporaryFile(suffix=".tsv") as part:
            part.writelines(lines[:: 100 // percent])
            part.flush()
            row = median([measure(OURS, Path(part.name), k) for _ in runs])
        show(f"partcover k={k}, {percent} % of the words", row)


if __name__ == "__main__":
    main()
