"""Optimal vocabularies for several corpora: seconds of the processor, the largest ratio, cases.

    python benchmarks/proofs/several_corpora.py NOVEL.txt [--chapters 1,2] [-k 16,32,64]
        [--seconds 300]

Each chapter of the novel is a corpus, measured by the tokens that it needs with a vocabulary of its
own.  Each optimum has a certificate, which `check_certificate` recounts.
"""

from __future__ import annotations

import argparse
import re
import time
from pathlib import Path

from partcover import Corpora, Instance, WordCounts, check_certificate, reference_counts, solve

HEADING = re.compile(r"^chapter +[0-9ivxlc]+\.?[ \t]*$", re.IGNORECASE | re.MULTILINE)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("novel", type=Path)
    parser.add_argument("--chapters", default="1,2")
    parser.add_argument("-k", default="16,32,64")
    parser.add_argument("--seconds", type=float, default=300)
    parser.add_argument("--threads", type=int, default=1)
    given = parser.parse_args()
    chapters = HEADING.split(given.novel.read_text(encoding="utf-8"))
    numbers = list(map(int, given.chapters.split(",")))
    words = [WordCounts.from_texts([chapters[n]], pretokenizer="gpt2") for n in numbers]
    print("| k | largest ratio | gap | cases | CPU s |")
    print("|--:|--:|--:|--:|--:|")
    for k in map(int, given.k.split(",")):
        corpora = Corpora(words, reference_counts(words, "own", k), map(str, numbers))
        instance = Instance(corpora, k)
        started = time.process_time()
        solution = solve(instance, time_limit=given.seconds, threads=given.threads)
        took = time.process_time() - started
        assert solution.certificate is not None
        check = check_certificate(instance, solution.certificate)
        assert (check.ok, check.lower_bound) == (True, solution.lower_bound)
        cells = f"{float(solution.worst):.6f}", f"{solution.gap:.3%}", solution.extra["leaves"]
        print(f"| {k} |", " | ".join(map(str, cells)), f"| {took:.1f} |", flush=True)


if __name__ == "__main__":
    main()
