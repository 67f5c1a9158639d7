"""Optimal vocabularies under budgets of groups: seconds of the processor, tokens and cases.

    python benchmarks/proofs/group_budgets.py COUNTS.tsv [--words 1000] [-k 100] [--limits 60,40,20]

The n most frequent words of COUNTS.tsv, of which at most so many tokens have two to four bytes;
the last row has three groups, two of which share tokens.  Each optimum has a certificate, which
`check_certificate` recounts.
"""

from __future__ import annotations

import argparse
import time

from partcover import GroupBudget, Instance, WordCounts, check_certificate, solve


def row(about: str, instance: Instance, seconds: float) -> None:
    """Prints what is proven of an instance."""
    started = time.process_time()
    solution = solve(instance, time_limit=seconds)
    took = time.process_time() - started
    assert solution.certificate is not None
    check = check_certificate(instance, solution.certificate)
    assert (check.ok, check.lower_bound) == (True, solution.lower_bound)
    cells = f"{solution.tokens:,}", f"{solution.gap:.2%}", solution.extra["leaves"], f"{took:.1f}"
    print("|", about, "|", " | ".join(map(str, cells)), "|", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("counts")
    parser.add_argument("--words", type=int, default=1000)
    parser.add_argument("-k", type=int, default=100)
    parser.add_argument("--limits", default="60,40,20")
    parser.add_argument("--seconds", type=float, default=60)
    given = parser.parse_args()
    words = WordCounts.load(given.counts).most_frequent(given.words)
    print("| groups | tokens | gap | cases | CPU s |")
    print("|---|--:|--:|--:|--:|")
    row("none", Instance(words, given.k), given.seconds)
    for limit in map(int, given.limits.split(",")):
        short = GroupBudget("short", limit, max_length=4)
        about = f"at most {limit} of 2 to 4 bytes"
        row(about, Instance(words, given.k, groups=[short]), given.seconds)
    third = given.k * 3 // 10
    groups = [
        GroupBudget("short", third, max_length=3),
        GroupBudget("middle", third, min_length=3, max_length=6),
        GroupBudget("frequent", 0, tokens=["the", "and"]),
    ]
    about = f"at most {third} of 2 to 3 bytes, {third} of 3 to 6, neither `the` nor `and`"
    row(about, Instance(words, given.k, groups=groups), given.seconds)


if __name__ == "__main__":
    main()
