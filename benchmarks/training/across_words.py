"""Measures what phrases take and bring: distinct phrases, tokens, bounds, the share across words.

    python benchmarks/training/across_words.py TEXT [-k 1000] [--phrases 1,2,3,4,8,all]
        [--seconds 60]

The words are those of ``gpt2``'s pattern, and for each number of words to a phrase a vocabulary of
k tokens is made by BPE, SuperBPE (transition at 0.8 k) and `improve` with its certified bound.  BPE
is that of words in each line: what it needs does not change.  One thread.
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path

from partcover import Instance, WordCounts, improve, trainers
from partcover.analysis.across_words import across_words
from partcover.corpus.files.joining import ALL_WORDS
from partcover.corpus.pretokenizers.phrases import with_phrases


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("text", type=Path)
    parser.add_argument("-k", type=int, default=1000)
    parser.add_argument("--phrases", default="1,2,3,4,8,all")
    parser.add_argument("--seconds", type=float, default=60)
    arguments = parser.parse_args()
    k, size = arguments.k, arguments.text.stat().st_size
    print(f"{arguments.text.name}: {size:,} bytes, k = {k:,}")
    heads = ("distinct", "counted", "symbols", "BPE", "SuperBPE", "improve", "bound", "gap %",
             "across %", "CPU s")  # fmt: skip
    print(f"{'words':>6}" + "".join(f"{head:>12}" for head in heads))
    for given in arguments.phrases.split(","):
        started = time.process_time()
        most = ALL_WORDS if given == "all" else int(given)
        words = WordCounts.from_files(arguments.text, pretokenizer=with_phrases("gpt2", most))
        instance = Instance(words, k)
        bpe = trainers.bpe(instance).tokens
        superbpe = trainers.superbpe(instance, transition=8 * k // 10).tokens
        found = improve(instance, time_limit=arguments.seconds)
        across = across_words(words, found.vocabulary, found.rule)
        share = 0 if across is None else across.share
        took = time.process_time() - started
        cells = (
            *(f"{n:,}" for n in (len(words), words.total_count, len(words.data))),
            *(f"{n:,}" for n in (bpe, superbpe, found.tokens, found.lower_bound)),
            *(f"{100 * part:.2f}" for part in (found.gap, share)),
            f"{took:.0f}",
        )
        print(f"{given:>6}" + "".join(f"{cell:>12}" for cell in cells), flush=True)


if __name__ == "__main__":
    main()
