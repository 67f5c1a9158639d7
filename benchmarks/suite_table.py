"""Prints a file of `make bench` as the table of docs/results/benchmarks.md.

python benchmarks/suite_table.py FILE
"""

from __future__ import annotations

import sys

import pyperf


def main():
    suite = pyperf.BenchmarkSuite.load(sys.argv[1])
    facts = suite.get_metadata()
    about = ("partcover_version", "python_version", "cpu_model_name")
    known = ", ".join(facts[key] for key in about if key in facts)
    print(f"{known}, {suite.get_dates()[0]:%Y-%m-%d}")
    print("\n| step | milliseconds | times partcover's |\n|---|---:|---:|")
    first = {}
    for benchmark in suite:
        name = benchmark.get_name()
        step, _, method = name.partition(": ")
        if step == "start":  # of an installed wheel: startup.py
            continue
        milliseconds = 1000 * benchmark.median()
        ratio = ""
        if method == "partcover":
            first[step] = milliseconds
        elif step in first and not method.startswith("partcover"):
            ratio = f"{milliseconds / first[step]:.2g}"
        shown = f"{milliseconds:,.{0 if milliseconds >= 100 else 1}f}"
        print(f"| {name} | {shown} | {ratio} |")


if __name__ == "__main__":
    main()
