"""Measures what the paper states, and writes it to paper/results.json.

    python benchmarks/published/audit_people.py --fetch    # fetches the text, from Debian's archive
    python paper/results.py ~/.cache/partcover/tokenizers/texts/novel.txt

It takes some ten minutes on two cores.  `paper/figures.py` makes the figures and the numbers of the
paper of that file.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import platform
import time
from pathlib import Path
from typing import Any

import numpy as np

import partcover
from partcover import (
    EventLog,
    Instance,
    WordCounts,
    check_certificate,
    compare,
    improve,
    solve,
    verify,
)
from partcover.instances import library

RESULTS = Path(__file__).with_name("results.json")
METHODS = ("greedtok", "bpe", "unigram")
PROVEN = (64, 128, 256)  # budgets that are solved to the optimum
BOUNDED = (512, 1024, 2048, 4096)  # and those with a bound alone
SECONDS = 60  # of the search for a bounded budget


def tokens_of(words: WordCounts, k: int) -> dict[str, int]:
    """The tokens that each method needs by its own rule, and GreedTok by the shortest path."""
    rows = compare(Instance(words, k), [k], METHODS).rows
    own = {row["method"]: row["tokens"] for row in rows if row["rule"] != "shortest_path"}
    (short,) = (r for r in rows if (r["method"], r["rule"]) == ("greedtok", "shortest_path"))
    return own | {"greedtok, shortest path": short["tokens"]}


def optimum(words: WordCounts, k: int, threads: int) -> dict[str, Any]:
    """Proves the optimum, and checks it as `partcover verify` does."""
    instance = Instance(words, k)
    begun = time.perf_counter()
    found = solve(instance, threads=threads)
    solved = time.perf_counter()
    assert found.status == "optimal"
    assert found.certificate is not None
    alone = Instance(words, k)  # without an index that is there
    check = check_certificate(alone, found.certificate)
    assert verify(alone, found.vocabulary).tokens == check.lower_bound == found.tokens
    return {
        "k": k,
        "tokens": found.tokens,
        "candidates": found.candidates,
        "leaves": check.leaves,
        "solve_seconds": round(solved - begun, 1),
        "check_seconds": round(time.perf_counter() - solved, 1),
        "methods": tokens_of(words, k),
    }


def bounded(words: WordCounts, k: int, threads: int) -> dict[str, Any]:
    """Searches for a fixed time; keeps the events of the search."""
    log = EventLog()
    found = improve(Instance(words, k), time_limit=SECONDS, threads=threads, progress=log)
    events = [
        [round(event.seconds, 2), event.tokens, event.lower_bound]
        for event in log.events
        if None not in (event.tokens, event.lower_bound)
    ]
    places = np.unique(np.linspace(0, len(events) - 1, 80).astype(int)).tolist()
    return {
        "k": k,
        "tokens": found.tokens,
        "lower_bound": found.lower_bound,
        "seconds": SECONDS,
        "methods": tokens_of(words, k),
        "events": [events[place] for place in places],
    }


def shipped() -> dict[str, Any]:
    """How many instances come with partcover, and how many of their optima are proven."""
    entries = [library.entry(name) for name in library.names()]
    proven = [entry for entry in entries if entry.best.proven]
    return {"instances": len(entries), "proven": len(proven)}


def save(results: dict[str, Any]) -> None:
    """Writes the file, a line for each part and for each budget."""
    parts = []
    for key, part in results.items():
        if isinstance(part, list):
            rows = ",\n".join(f"  {json.dumps(row)}" for row in part)
            parts.append(f" {json.dumps(key)}: [\n{rows}\n ]")
        else:
            parts.append(f" {json.dumps(key)}: {json.dumps(part)}")
    RESULTS.write_text("{\n" + ",\n".join(parts) + "\n}\n", encoding="utf-8")


def main() -> None:
    """Measures, and writes the file after each part."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("novel", type=Path, help="Pride and Prejudice, as text")
    parser.add_argument("--threads", type=int, default=2)
    given = parser.parse_args()
    text = given.novel.read_bytes()
    words = WordCounts.from_texts([text.decode()], pretokenizer="gpt2")
    results: dict[str, Any] = {
        "partcover": partcover.__version__,
        "python": platform.python_version(),
        "machine": f"{platform.system()} {platform.machine()}, {given.threads} threads",
        "library": shipped(),
        "novel": {
            "bytes": len(text),
            "sha256": hashlib.sha256(text).hexdigest(),
            "words": len(words),
            "total_count": words.total_count,
        },
        "optima": [],
        "bounded": [],
    }
    for key, measure, budgets in (("optima", optimum, PROVEN), ("bounded", bounded, BOUNDED)):
        for k in budgets:
            results[key].append(measure(words, k, given.threads))
            print(json.dumps({n: v for n, v in results[key][-1].items() if n != "events"}))
            save(results)


if __name__ == "__main__":
    main()
