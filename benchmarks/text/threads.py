"""How much faster several threads encode, by the clock.

    python benchmarks/text/threads.py [--threads 1,2,4,8] [--size 100] [--repeat 5] [--text FILE]

The tokenizer is cl100k_base, fetched by `published_tokenizers.py`.  The texts are prose and code as
in `encoders.py`, repeated up to `--size` megabytes, or the file.  Each number is megabytes of text
per second of wall-clock time, the best of all calls; the thread counts take turns of ten calls, of
which the first is not counted.  In parentheses are the ratio to the first thread count, and the
ratio of CPU time, of which all above 1 is what sharing costs.  Measure on a machine with nothing
else to do and as many cores as threads.
"""

from __future__ import annotations

import argparse
import os
import platform
import time
from functools import partial
from pathlib import Path

from encoders import file_of, repeated, texts

from partcover import Encoder, Vocabulary

CALLS = 10


def best_of(repeat, jobs):
    """The least wall-clock and CPU seconds of each job; the jobs take turns, of `CALLS` calls."""
    best = [(float("inf"), float("inf")) for _ in jobs]
    for _ in range(repeat):
        for place, job in enumerate(jobs):
            for call in range(CALLS):
                clock, cpu = time.perf_counter(), time.process_time()
                job()
                spent = time.perf_counter() - clock, time.process_time() - cpu
                if call:  # the first finds tables of words that are empty, or not in the cache
                    best[place] = tuple(map(min, best[place], spent))
    return best


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--threads", default="1,2,4,8")
    parser.add_argument("--size", type=float, default=100, help="megabytes of text")
    parser.add_argument("--repeat", type=int, default=5)
    parser.add_argument("--text")
    options = parser.parse_args()
    counts = [int(count) for count in options.threads.split(",")]
    import published_tokenizers as published

    published.fetch([one for one in published.PUBLISHED if one.name == "gpt35turbo"])
    vocabulary = Vocabulary.load(file_of("cl100k"))
    found = {options.text: Path(options.text).read_text()} if options.text else texts()
    print(f"{platform.processor() or platform.machine()}, {os.cpu_count()} processors\n")
    print("| text | " + " | ".join(f"{count} threads" for count in counts) + " |")
    print("|---|" + "--:|" * len(counts), flush=True)
    for label, text in found.items():
        text = repeated(text, int(options.size * 1e6))
        short = [text[at : at + 200] for at in range(0, len(text), 200)]
        size = len(text.encode()) / 1e6
        encoders = [Encoder(vocabulary, threads=count) for count in counts]
        for what, given, name in (
            ("to an array", text, "encode_to_numpy"),
            ("texts of 200 characters", short, "encode_batch_to_numpy"),
            ("counted", text, "count"),
        ):
            calls = [getattr(encoder, name) for encoder in encoders]
            spent = best_of(options.repeat, [partial(call, given) for call in calls])
            cells = [
                f"{size / clock:,.0f} ({spent[0][0] / clock:.2f}, {cpu / spent[0][1]:.2f})"
                for clock, cpu in spent
            ]
            print(f"| {label}, {what} | " + " | ".join(cells) + " |", flush=True)


if __name__ == "__main__":
    main()
