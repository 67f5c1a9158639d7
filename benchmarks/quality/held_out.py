"""Whether fewer tokens on the text that chose the vocabulary are fewer on other text, too.

    python benchmarks/quality/held_out.py run novel.txt python … -o rows.json
    python benchmarks/quality/held_out.py run novel.txt … --methods improve
        --min-count 5 -o rows.json
    python benchmarks/quality/held_out.py show rows.json [--chart docs/images/held-out.svg]

A text is split ten times: each time a fifth of its pieces are drawn and held out.  Pieces are of
about 10 kB and end with an empty line, or with a line if no line is empty; those of ``python`` are
modules of Python's own library.  Every method chooses its vocabulary on the rest, and its tokens on
both parts are counted under its own rule.  ``show`` prints the tables of docs/results/held-out.md.
Rows are added to those of the file.  A row that the file has already is not made again, so a run
that was stopped can be started again.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from statistics import mean, stdev
from tempfile import TemporaryDirectory

import numpy as np
from bits_per_byte import COLORS, METHODS, grouped, pieces, print_table

from partcover import Instance, WordCounts, compare, lower_bound, round_relaxation, trainers
from partcover.analysis.scores import score_words
from partcover.errors import InputError

BASE = "bpe"  # beside whose tokens the others' are set
# the other methods need another limit, or much more time
METHODS_RUN = f"improve,{METHODS}".replace("unigram_sentencepiece,", "").replace("convextok,", "")
ROUNDINGS = {"convextok": "det", "convextok-bias": "bias", "convextok-int": "int"}
STEPS = 300  # of ConvexTok's relaxation: unlike seconds, they mean the same on every machine
SAGE_WORDS = 30_000  # with all words SaGe needs minutes for each vocabulary
OWN = {*ROUNDINGS, "sage"}  # run here, not by `compare`, which has no options for single methods
DRAWN = "improve", "greedtok", "improve, min-count 5", "unigram"


def run(name, budgets, methods, limit, splits, min_count, done):
    """Yields the rows of a text that are not done, split after split."""
    text = pieces(name)
    if len(text) < 2:  # without empty lines
        text = pieces(name, rb"\n")
    suffix = f", min-count {min_count}" if min_count > 1 else ""
    for split in range(splits):
        left = [
            method
            for method in methods
            if any((Path(name).stem, split, k, method + suffix) not in done for k in budgets)
        ]
        order = np.random.default_rng(split).permutation(len(text))
        test = set(order[: round(len(text) / 5)].tolist())
        parts = [[piece for at, piece in enumerate(text) if (at in test) == out] for out in (0, 1)]
        train, held_out = (WordCounts.from_texts(part, pretokenizer="gpt2") for part in parts)
        instance = Instance(train, max(budgets), min_count=min_count)
        for row in measured(instance, held_out, budgets, left, limit):
            row["method"] += suffix
            if (Path(name).stem, split, row["k"], row["method"]) in done:
                continue
            print(split, *row.values(), flush=True)
            yield {
                "text": Path(name).stem,
                "bytes": sum(map(len, text)),
                "split": split,
                "new_words": share_of_new(train, held_out),
                **row,
            }


def measured(instance, held_out, budgets, methods, limit):
    """Yields k, the method, and its tokens on both parts; no tokens without a vocabulary."""
    for method in methods:
        if method not in OWN:
            options = {"held_out": held_out, "time_limit": limit}
            for row in compare(instance, budgets, [method], ["own"], **options).rows:
                yield {key: row[key] for key in ("k", "method", "tokens", "held_out_tokens")}
    for k in budgets:
        for method, vocabulary in vocabularies(instance.with_k(k), methods):
            tokens = held_out_tokens = None
            if vocabulary is not None:
                tokens, held_out_tokens = (
                    score_words(vocabulary, words, vocabulary.rule).tokens
                    for words in (instance.words, held_out)
                )
            yield {"k": k, "method": method, "tokens": tokens, "held_out_tokens": held_out_tokens}


def vocabularies(instance, methods):
    """Yields the methods of `OWN` that are asked for, each with its vocabulary."""
    rounded = [method for method in methods if method in ROUNDINGS]
    if rounded:  # all from one relaxation
        x = lower_bound(instance, cuts=False, iterations=STEPS).x
        for method in rounded:
            yield method, round_relaxation(instance, x, ROUNDINGS[method])
    if "sage" in methods:
        yield "sage", sage(instance)


def sage(instance):
    """Returns SaGe's vocabulary, or None if there is none with so many tokens.

    Its text is the words in proportion to their counts, each at least once, and the tokens are
    dropped in one round.
    """
    total = instance.words.total_count
    with TemporaryDirectory() as folder:
        path = Path(folder) / "words.txt"
        with open(path, "w", encoding="utf-8", newline="\n") as file:
            for word, count in instance.words:
                line = word.decode("utf-8") + "\n"
                file.write(line * max(1, count * min(SAGE_WORDS, total) // total))
        try:
            return trainers.sage(instance, text=path, lines=10**9, rounds=1).vocabulary
        except InputError as error:
            print(error)
            return None


def share_of_new(train, held_out):
    """The share of the held-out occurrences whose word the other part does not have."""
    known = train.to_dict()
    new = sum(count for word, count in held_out.to_dict().items() if word not in known)
    return new / held_out.total_count


def beside(rows, key):
    """By k and method: how many more tokens than BPE, as a share, for each split."""
    base = {(row["k"], row["split"]): row[key] for row in rows if row["method"] == BASE}
    shares = {}
    for row in rows:
        if row[key] is not None:
            share = row[key] / base[row["k"], row["split"]] - 1
            shares.setdefault((row["k"], row["method"]), []).append(share)
    return shares


def tables(rows):
    """The tables of the page, as Markdown."""
    for text, here in grouped(rows, "text"):
        splits = len({row["split"] for row in here})
        new = mean(row["new_words"] for row in here)
        print(
            f"\n## {text}: {here[0]['bytes']:,} bytes, {splits} splits, {new:.1%} of the held-out "
            "words new\n".replace("%", " %")
        )
        budgets = sorted({row["k"] for row in here})
        train, test = beside(here, "tokens"), beside(here, "held_out_tokens")
        methods = sorted(
            {row["method"] for row in here} - {BASE},
            key=lambda name: mean(mean(test[k, name]) for k in budgets if (k, name) in test),
        )
        lines = [[name, *(cell(train, test, k, name) for k in budgets)] for name in methods]
        print_table(["method", *(f"k = {k:,}" for k in budgets)], lines)


def cell(train, test, k, name):
    """What a method needs beside BPE on the training text, and held out with its spread."""
    if (k, name) not in test:
        return ""
    shares = test[k, name]
    spread = f" ± {100 * stdev(shares):.2f}" if len(shares) > 1 else ""
    text = f"{100 * mean(train[k, name]):+.2f} → {100 * mean(shares):+.2f}{spread}"
    return text.replace("-", "−")


def draw(rows, path):
    """Draws tokens beside BPE's over k, on both parts, a panel for each text."""
    import matplotlib
    from matplotlib.figure import Figure

    texts = list(grouped(rows, "text"))
    figure = Figure(figsize=(9, 3.2 * ((len(texts) + 1) // 2)), layout="constrained")
    places = figure.subplots((len(texts) + 1) // 2, 2, squeeze=False).flat
    for (text, here), place in zip(texts, places, strict=False):
        parts = {"training": beside(here, "tokens"), "held out": beside(here, "held_out_tokens")}
        for name, color in zip(DRAWN, COLORS, strict=True):
            for part, shares in parts.items():
                budgets = sorted(k for k, method in shares if method == name)
                held = part == "held out"
                place.errorbar(
                    budgets,
                    [100 * mean(shares[k, name]) for k in budgets],
                    [100 * stdev(shares[k, name]) for k in budgets] if held else None,
                    color=color,
                    linestyle="-" if held else ":",
                    label=f"{name}, {part}",
                )
        place.axhline(0, color="#57606A", linewidth=0.8)
        place.set_xscale("log", base=2)
        place.set_title(text, loc="left", fontsize=10, weight="bold")
        place.set_ylabel("more tokens than BPE, percent", fontsize=8)
        place.tick_params(labelsize=8)
        place.spines[["top", "right"]].set_visible(False)
    figure.legend(*figure.axes[0].get_legend_handles_labels(), loc="outside lower center", ncols=4)
    matplotlib.rcParams["svg.hashsalt"] = "partcover"  # the same bytes each time
    figure.savefig(path, metadata={"Date": None})


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    commands = parser.add_subparsers(required=True, dest="command")
    runs = commands.add_parser("run")
    runs.add_argument("texts", nargs="+")
    runs.add_argument("-k", default="256,1024,4096,8192")
    runs.add_argument("--methods", default=METHODS_RUN)
    runs.add_argument("--limit", type=float, default=2, help="seconds for each run of a method")
    runs.add_argument("--min-count", type=int, default=1, help="of candidates")
    runs.add_argument("--splits", type=int, default=10)
    runs.add_argument("-o", type=Path, default=Path("rows.json"))
    shows = commands.add_parser("show")
    shows.add_argument("rows", type=Path)
    shows.add_argument("--chart", type=Path)
    options = parser.parse_args()
    if options.command == "run":
        rows = json.loads(options.o.read_text()) if options.o.exists() else []
        budgets = list(map(int, options.k.split(",")))
        done = {(row["text"], row["split"], row["k"], row["method"]) for row in rows}
        for name in options.texts:
            methods = options.methods.split(",")
            limits = options.limit, options.splits, options.min_count
            for row in run(name, budgets, methods, *limits, done):
                rows.append(row)
                options.o.write_text(json.dumps(rows))
        return
    rows = json.loads(options.rows.read_text())
    tables(rows)
    if options.chart:
        draw(rows, options.chart)


if __name__ == "__main__":
    main()
