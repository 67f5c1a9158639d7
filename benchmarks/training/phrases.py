"""Bytes per token of GreedyPhrase, of BPE, SuperBPE and BoundlessBPE, and of published ranks.

    python benchmarks/training/phrases.py TEXT [-k 8192] [--ranks cl100k=FILE.tiktoken …]
        [--held-out 0.1]
                                 [--seconds 60]

TEXT is read as lines, each with its line feed a word to GreedyPhrase (phrases cross spaces, not
lines); BPE has the words of ``gpt2``'s pattern, SuperBPE and BoundlessBPE phrases of them.  All are
trained on the lines but for every n-th, which are held out.  A rank file of tiktoken's format, with
the pattern of its name (``cl100k`` or ``o200k``), is measured on the same lines; it has not been
trained on either.  What GreedyPhrase's authors print is of the text that it was trained on.  With
`--seconds`, `improve` has so long for each vocabulary, of all candidates and of those that occur 20
times.  Training is timed from the lines in memory to the vocabulary and its recount, cutting on the
distinct lines, both on one thread.
"""

from __future__ import annotations

import argparse
import base64
import time
from pathlib import Path

import numpy as np

from partcover import Instance, Vocabulary, WordCounts, improve, segment, trainers
from partcover.segmentation.cutters import cutter
from partcover.trainers.greedyphrase import greedyphrase


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("text", type=Path)
    parser.add_argument("-k", type=int, default=8192)
    parser.add_argument("--ranks", action="append", default=[], metavar="PATTERN=FILE")
    parser.add_argument("--seconds", type=float, default=0, help="for improve, each time")
    parser.add_argument("--held-out", type=float, default=0.1, metavar="PART")
    arguments = parser.parse_args()
    lines = arguments.text.read_bytes().splitlines(keepends=True)
    every = max(2, round(1 / arguments.held_out))
    parts = {
        "trained": [line for i, line in enumerate(lines) if i % every],
        "held out": lines[::every],
    }
    sizes = {name: sum(map(len, part)) for name, part in parts.items()}
    print(f"{arguments.text.name}: {sizes['trained']:,} bytes and {sizes['held out']:,} held out")
    print(f"{'':34}{'k':>9}{'training':>14}{'cutting':>12}" + "".join(f"{n:>12}" for n in parts))

    def row(name: str, pattern: str, vocabulary: Vocabulary, training: float | None) -> None:
        rates, cutting = [], ""
        for part, texts in parts.items():
            words = WordCounts.from_texts(texts, pretokenizer=pattern)
            if part == "trained" and pattern == "none":
                cut, which = cutter(vocabulary), np.empty(len(words.data), np.int32)
                started = time.process_time()
                cut(words.data, words.offsets, 0, len(words), which)
                cutting = f"{len(words.data) / (time.process_time() - started) / 1e6:.0f} MB/s"
            rates.append(sizes[part] / segment(words, vocabulary).tokens)
        took = "" if training is None else f"{sizes['trained'] / training / 1e6:.2f} MB/s"
        figures = "".join(f"{rate:>12.3f}" for rate in rates)
        print(f"{name:34}{len(vocabulary):>9,}{took:>14}{cutting:>12}{figures}", flush=True)

    for score in ("symbols", "count"):
        started = time.process_time()
        words = WordCounts.from_texts(parts["trained"], pretokenizer="none")
        solution = greedyphrase(Instance(words, arguments.k), score=score)
        row(f"GreedyPhrase, by {score}", "none", solution.vocabulary, time.process_time() - started)
    started = time.process_time()
    words = WordCounts.from_texts(parts["trained"], pretokenizer="gpt2")
    trained = trainers.bpe(Instance(words, arguments.k)).vocabulary
    row("BPE", "gpt2", trained, time.process_time() - started)
    for phrases in ("gpt2+phrases:4", "gpt2+phrases"):
        started = time.process_time()
        words = WordCounts.from_texts(parts["trained"], pretokenizer=phrases)
        counted = time.process_time() - started
        for name, train in (
            ("SuperBPE", trainers.superbpe),
            ("BoundlessBPE", trainers.boundlessbpe),
        ):
            started = time.process_time()
            vocabulary = train(Instance(words, arguments.k)).vocabulary
            row(f"{name}, {phrases}", phrases, vocabulary, counted + time.process_time() - started)
    for phrases in ("gpt2", "gpt2+phrases:4", "gpt2+phrases") if arguments.seconds else ():
        words = WordCounts.from_texts(parts["trained"], pretokenizer=phrases)
        for count in (1, 20):
            started = time.process_time()
            instance = Instance(words, arguments.k, min_count=count)
            solution = improve(instance, time_limit=arguments.seconds)
            name = f"improve, {phrases}" + (f", {count} times" if count > 1 else "")
            row(name, phrases, solution.vocabulary, time.process_time() - started)
    for given in arguments.ranks:
        pattern, _, path = given.partition("=")
        tokens = [
            base64.b64decode(line.split()[0])
            for line in Path(path).read_bytes().splitlines()
            if line
        ]
        ranks = Vocabulary((t for t in tokens if len(t) > 1), method=pattern, rule="merges")
        row(f"ranks of {pattern}", pattern, ranks, None)


if __name__ == "__main__":
    main()
