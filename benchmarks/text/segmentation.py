"""Words cut into tokens, beside the authors' encoder in greedtok; and what slows the rules down.

    python benchmarks/text/segmentation.py COUNTS.tsv TEXT [--ranks FILE] [--runs 5] [--no-peer]

Both sides get distinct words as a list of bytes and give one list of token numbers, in a process
of its own that is pinned to one processor; making the tokenizer ready is timed apart. The peer is
``pcatt.greedy_encoder`` of greedtok (see greedy_speed.py on how it is installed). The tokens are
those of FILE, in tiktoken's format (``cl100k_base.tiktoken``), of two bytes or more in the order of
their ranks; the peer cuts a few words otherwise than Algorithm 4 as written out in
``tests/oracles/greedy.py`` (with cl100k_base 200 of UN's 105,505, none of them by ours), so its
number of tokens is not quite the same; without FILE, GreedTok's 5,000 of the counted words.

Then every rule on a megabyte each of prose without pre-tokens, of one letter, of spaces, of random
ACGT and of base64, each as a single word: nanoseconds a byte, and how often those of prose.
"""

from __future__ import annotations

import argparse
import base64
import json
import os
import pickle
import platform
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from importlib.metadata import PackageNotFoundError, version
from itertools import pairwise
from pathlib import Path

import numpy as np
import regex

from partcover import Instance, Vocabulary, WordCounts, greedtok
from partcover.segmentation.cutters import cutter

RULES = ["shortest_path", "random_path", "priority", "longest_match", "merges", "likelihood"]


def flat(words: list[bytes]) -> tuple[np.ndarray, np.ndarray]:
    return np.frombuffer(b"".join(words), np.uint8), np.cumsum([0, *map(len, words)])


def ours(tokens: list[bytes], rule: str):
    scores = [-8.0 - i / len(tokens) for i in range(len(tokens))]
    cut = cutter(Vocabulary(tokens, scores=scores), rule)

    def encode(words: list[bytes]) -> list[int]:
        data, offsets = flat(words)
        which = np.empty(len(data), np.int32)
        cut(data, offsets, 0, len(words), which)
        return which[which != -2].tolist()

    return encode


def peer(tokens: list[bytes], rule: str):
    from pcatt import greedy_encoder

    return greedy_encoder.build(tokens, {}).tokenize_presplit


def one(side: str, path: str, runs: int) -> None:
    """Time a side: seconds to make it ready, seconds of each run, tokens, peak MiB."""
    with open(path, "rb") as file:
        tokens, words, rule = pickle.load(file)
    started = time.perf_counter()
    encode = {"ours": ours, "peer": peer}[side](tokens, rule)
    ready = time.perf_counter() - started
    seconds = []
    for _ in range(runs):
        started = time.perf_counter()
        found = encode(words)
        seconds.append(time.perf_counter() - started)
    scale = 1 if sys.platform == "darwin" else 1024
    mib = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * scale / 2**20
    print(json.dumps({"ready": ready, "s": seconds, "tokens": len(found), "mib": mib}))


def pin() -> None:
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})


def measure(side: str, path: str, runs: int) -> dict:
    libraries = os.environ.get("LD_LIBRARY_PATH", str(Path(sys.prefix) / "lib"))
    done = subprocess.run(
        [sys.executable, __file__, "--one", side, path, "--runs", str(runs)],
        stdout=subprocess.PIPE,
        check=True,
        env={**os.environ, "LD_LIBRARY_PATH": libraries},
        preexec_fn=pin,
    )
    found = json.loads(done.stdout.splitlines()[-1])
    return {**found, "s": statistics.median(found["s"])}


def compare(name: str, tokens: list[bytes], words: list[bytes], runs: int, with_peer: bool) -> None:
    size = sum(map(len, words))
    print(f"{name}: {len(words):,} distinct words, {size:,} bytes, {len(tokens):,} tokens")
    sides = [(rule, "ours") for rule in RULES] + [("priority", "peer")] * with_peer
    found = {}
    for rule, side in sides:
        with tempfile.NamedTemporaryFile(suffix=".pickle") as file:
            pickle.dump((tokens, words, rule), file)
            file.flush()
            row = found[rule, side] = measure(side, file.name, runs)
        print(
            f"  {rule if side == 'ours' else 'greedtok':<16}{len(words) / row['s'] / 1e6:8.2f} "
            f"million words/s {size / row['s'] / 1e6:8.1f} MB/s {row['mib']:7.0f} MiB   ready in "
            f"{row['ready']:.2f} s   {row['tokens']:,} tokens",
            flush=True,
        )
    if with_peer:
        mine, other = found["priority", "ours"], found["priority", "peer"]
        print(
            f"  ratio: priority is {other['s'] / mine['s']:.1f} times as fast as greedtok, "
            f"{mine['mib'] / other['mib']:.2f} of the memory"
        )


def pathological(tokens: list[bytes], prose: bytes, runs: int) -> None:
    random = np.random.default_rng(0)
    inputs = {
        "prose": (prose * (1 + 10**6 // len(prose)))[: 10**6],
        "one letter": b"a" * 10**6,
        "spaces": b" " * 10**6,
        "ACGT": random.choice(np.frombuffer(b"ACGT", np.uint8), 10**6).tobytes(),
        "base64": base64.b64encode(random.bytes(750_000)),
    }
    print("one word of a megabyte, ns a byte (times prose)")
    print(" " * 18 + "".join(f"{name:>18}" for name in inputs))
    scores = [-8.0 - i / len(tokens) for i in range(len(tokens))]
    for rule in RULES:
        cut = cutter(Vocabulary(tokens, scores=scores), rule)
        line, base = f"  {rule:<16}", None
        for data in inputs.values():
            words, offsets = flat([data])
            which = np.empty(len(words), np.int32)
            seconds = []
            for _ in range(runs):
                started = time.process_time()
                cut(words, offsets, 0, 1, which)
                seconds.append(time.process_time() - started)
            each = statistics.median(seconds) / len(data) * 1e9
            base = base or each
            line += f"{f'{each:.0f} ({each / base:.1f})':>18}"
        print(line, flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("counts", nargs="?", type=Path)
    parser.add_argument("text", nargs="?", type=Path)
    parser.add_argument("--ranks", type=Path)
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--no-peer", action="store_true")
    parser.add_argument("--one", nargs=2, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.one:
        one(*options.one, options.runs)
        return
    if options.text is None:
        parser.error("counted words and a text are needed")
    try:
        other = None if options.no_peer else version("greedtok")
    except PackageNotFoundError:
        other = None
        print("the peer is left out: greedtok is not installed")
    print(
        f"partcover {version('partcover')}, greedtok {other}, Python {platform.python_version()}, "
        f"{platform.machine()}, one processor; medians of {options.runs}"
    )
    counted = WordCounts.load(options.counts)
    if options.ranks is None:
        tokens = list(greedtok(Instance(counted, 5000)).vocabulary)
    else:
        lines = options.ranks.read_bytes().splitlines()
        ranked = sorted((int(line.split()[1]), line.split()[0]) for line in lines if line)
        tokens = [t for t in (base64.b64decode(b) for _, b in ranked) if len(t) > 1]
    un = [counted.data[a:b].tobytes() for a, b in pairwise(counted.offsets)]
    text = options.text.read_bytes()
    english = list(dict.fromkeys(regex.findall(rb" ?[A-Za-z]+|\s+|[^A-Za-z\s]+", text)))
    compare(options.counts.name, tokens, un, options.runs, other is not None)
    compare(options.text.name, tokens, english, options.runs, other is not None)
    pathological(tokens, text, options.runs)


if __name__ == "__main__":
    main()
