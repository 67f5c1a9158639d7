"""Whether vocabularies nearer the optimum take fewer bits per byte.

    python benchmarks/quality/bits_per_byte.py run novel.txt python -o rows.json
    python benchmarks/quality/bits_per_byte.py show rows.json
        [--chart docs/images/bits-per-byte.svg]

``python`` is the modules at the top of Python's own library whose names begin with a to i.  Every
fifth piece of a text (of about 10 kB, ended by an empty line; of Python, a module) is held out.
Every method makes its vocabulary of the rest, on which the gap is proven; n-gram models over its
tokens are trained on the rest, too, and measured on what is held out.  ``show`` prints the tables
of docs/results/bits-per-byte.md.
"""

from __future__ import annotations

import argparse
import json
import re
import sysconfig
from math import sqrt
from pathlib import Path

import numpy as np

from partcover import Instance, WordCounts, compare, improve
from partcover.analysis.scores import score_words
from partcover.studies.bits_per_byte import segment_texts

METHODS = (
    "greedtok,greedwmc,bpe,wordpiece,unigram,unigram_sentencepiece,pathpiece,greedyphrase,"
    "convextok,frequent,randtrain"
)
MODELS = {  # by name: what `SegmentedTexts.model` takes
    "order 2": {"order": 2},
    "order 3": {"order": 3},
    "order 5": {"order": 5},
    "4 bytes": {"context_bytes": 4},
    "8 bytes": {"context_bytes": 8},
    "16 bytes": {"context_bytes": 16},
}
BASE = "bpe", "merges"  # whose bits the others' are set beside
PIECE = 10_000
LISTED = [name for name in MODELS if name != "4 bytes"]
LAST = "16 bytes"  # the model of most context
NEAR = 0.12  # a gap below which methods are meant to be used
SHOWN = 0.35  # the largest gap in the chart
DRAWN = {"order 2": "one token of context", "order 3": "two tokens", LAST: "16 bytes"}
COLORS = "#0072B2", "#D55E00", "#009E73", "#CC79A7"
GRAY = "#57606A"
MARKERS = {
    "best": ("best known", "*"),
    "greedtok": ("GreedTok", "D"),
    "bpe": ("BPE", "s"),
    "unigram": ("Unigram", "^"),
}
OTHER = "others", "o"


def pieces(name, end=rb"\n\n"):
    """The pieces of a text: paragraphs, or what else has such an end, up to some 10 kB."""
    if name == "python":
        modules = Path(sysconfig.get_path("stdlib")).glob("[a-i]*.py")
        return [path.read_bytes() for path in sorted(modules)]
    parts, size = [[]], 0
    for paragraph in re.split(rb"(?<=" + end + rb")", Path(name).read_bytes()):
        parts[-1].append(paragraph)
        size += len(paragraph)
        if size > PIECE:
            parts.append([])
            size = 0
    return [b"".join(part) for part in parts if part]


def run(name, budgets, methods, limit):
    """The rows of a text."""
    text = pieces(name)
    train = [piece for place, piece in enumerate(text) if place % 5 != 4]
    test = text[4::5]
    words = WordCounts.from_texts(train, pretokenizer="gpt2")
    held_out = WordCounts.from_texts(test, pretokenizer="gpt2")
    corpus = {
        "corpus": Path(name).stem,
        "bytes": sum(map(len, text)),
        "held_out_bytes": sum(map(len, test)),
        "words": len(words),
        "total_count": words.total_count,
    }
    print(corpus, flush=True)
    for k in budgets:
        best = improve(Instance(words, k), time_limit=limit, threads=2)
        print(f"best of k = {k}: {best.tokens:,} over {best.lower_bound:,}", flush=True)
        comparison = compare(
            Instance(words, k),
            [k],
            [*methods, "bytes"],
            vocabularies={"best": best.vocabulary},
            certificates={"best": best.certificate},
            held_out=held_out,
            time_limit=limit,
        )
        vocabularies = {answer.method: answer.vocabulary for answer in comparison.answers}
        for row in comparison.rows:
            if row["tokens"] is None:
                print(row.get("remark", row), flush=True)
                continue
            vocabulary = vocabularies[row["method"]].with_(pretokenizer="gpt2")
            yield {**corpus, **measured(row, vocabulary, train, test, held_out)}


def measured(row, vocabulary, train, test, held_out):
    """What is known of a row of a comparison, with the bits of every piece that is held out."""
    cut = segment_texts(vocabulary, train, rule=row["rule"])
    cut_test = segment_texts(vocabulary, test, rule=row["rule"])
    bits = {}
    for name, options in MODELS.items():
        model = cut.model(**options)
        bits[name] = [round(model.bits([piece]), 3) for piece in cut_test.numbers]
    scores = score_words(vocabulary, held_out, row["rule"])
    assert scores.tokens == cut_test.tokens
    keys = ("method", "rule", "k", "size", "tokens", "lower_bound", "gap", "seconds")
    done = {
        **{key: row[key] for key in keys},
        "held_out_tokens": scores.tokens,
        "renyi_efficiency": scores.renyi_efficiency,
        "whole_share": scores.whole_share,
        "piece_bytes": [len(piece) for piece in test],
        "bits": bits,
    }
    per_byte = {name: round(sum(each) / cut_test.bytes, 4) for name, each in bits.items()}
    print(row["k"], row["method"], row["rule"], f"{row['gap']:.4f}", per_byte, flush=True)
    return done


def bits_per_byte(row, model):
    return sum(row["bits"][model]) / row["held_out_bytes"]


def spread(row, base, model):
    """The standard error of the difference in bits per byte of two rows, over the pieces."""
    more = np.subtract(row["bits"][model], base["bits"][model])
    sizes = np.array(base["piece_bytes"])
    rest = more - sizes * more.sum() / sizes.sum()
    n = len(sizes)
    return sqrt(n / (n - 1) * float((rest**2).sum())) / float(sizes.sum())


def rank_correlation(x, y):
    """Spearman's coefficient: Pearson's of the ranks, those of equal values their mean."""
    ranks = []
    for values in (x, y):
        _, place, counts = np.unique(values, return_inverse=True, return_counts=True)
        ranks.append((np.cumsum(counts) - (counts - 1) / 2)[place])
    varies = len(x) > 2 and all(np.ptp(each) for each in ranks)
    return float(np.corrcoef(ranks)[0, 1]) if varies else float("nan")


def tables(rows):
    """The tables of the page, as Markdown."""
    for corpus, here in grouped(rows, "corpus"):
        first = here[0]
        print(
            f"\n## {corpus}: {first['bytes']:,} bytes, {first['held_out_bytes']:,} held out, "
            f"{first['words']:,} distinct words to choose tokens for\n"
        )
        print_table(
            ["k", "method", "gap", "tokens", "Rényi", *LISTED, f"{LAST}, beside BPE"],
            [line(row, here) for row in sorted(here, key=by_gap) if is_own(row, here)],
        )
    print("\n## Rank correlations\n")
    print_table(
        ["text", "k", "rows", "of bits per byte with", *MODELS],
        [list(cells) for cells in correlations(rows)],
    )
    print("\n## The same tokens by the shortest path\n")
    print_table(["text", "k", "method", "tokens", *MODELS], list(by_shortest_path(rows)))


def by_gap(row):
    return row["k"], row["gap"]


def print_table(columns, lines):
    for cells in (columns, ["---"] * len(columns), *lines):
        line = f"| {' | '.join(cells)} |"
        print(line if "---" in line else line.replace("| -", "| −"))


def grouped(rows, key):
    """The rows of each value of a key."""
    for value in dict.fromkeys(row[key] for row in rows):
        yield value, [row for row in rows if row[key] == value]


def is_own(row, rows):
    """Whether a row is under the method's own rule, which comes first."""
    same = (r for r in rows if (r["k"], r["method"]) == (row["k"], row["method"]))
    return next(same) is row


def line(row, rows):
    base = next(r for r in rows if (r["k"], r["method"], r["rule"]) == (row["k"], *BASE))
    more = bits_per_byte(row, LAST) - bits_per_byte(base, LAST)
    return [
        f"{row['k']:,}",
        row["method"],
        f"{row['gap']:.2%}".replace("%", " %"),
        f"{row['held_out_tokens']:,}",
        f"{row['renyi_efficiency']:.3f}",
        *(f"{bits_per_byte(row, model):.4f}" for model in LISTED),
        "" if row is base else f"{more:+.4f} ± {spread(row, base, LAST):.4f}",
    ]


def correlations(rows):
    """Of bits per byte with each measure, over the methods for one text and k."""
    measures = {
        "gap": lambda row: row["gap"],
        "tokens held out": lambda row: row["held_out_tokens"],
        "Rényi efficiency": lambda row: row["renyi_efficiency"],
    }
    for corpus, of_corpus in grouped(rows, "corpus"):
        for k, of_k in grouped(sorted(of_corpus, key=lambda row: row["k"]), "k"):
            near = [row for row in of_k if row["gap"] < NEAR]
            for about, those in (("all", of_k), (f"gap below {100 * NEAR:.0f} %", near)):
                for name, measure in measures.items():
                    x = [measure(row) for row in those]
                    yield [
                        corpus,
                        f"{k:,}",
                        f"{about}: {len(those)}",
                        name,
                    ] + [
                        f"{rank_correlation(x, [bits_per_byte(row, m) for row in those]):+.2f}"
                        for m in MODELS
                    ]


def by_shortest_path(rows):
    """What the shortest path changes where it is not the method's own rule."""
    for row in sorted(rows, key=lambda row: (row["corpus"], row["k"])):
        own = next(r for r in rows if all(r[key] == row[key] for key in ("corpus", "k", "method")))
        if own is row or row["method"] in ("wordpiece", "bytes"):
            continue
        yield [
            row["corpus"],
            f"{row['k']:,}",
            row["method"],
            f"{row['held_out_tokens'] / own['held_out_tokens'] - 1:+.2%}".replace("%", " %"),
            *(f"{bits_per_byte(row, m) - bits_per_byte(own, m):+.4f}" for m in MODELS),
        ]


def draw(rows, path):
    """Bits per byte over the gap, a row of panels for each text."""
    import matplotlib
    from matplotlib.figure import Figure

    corpora = list(grouped(rows, "corpus"))
    figure = Figure(figsize=(9, 3.4 * len(corpora)), layout="constrained")
    panels = figure.subplots(len(corpora), len(DRAWN), squeeze=False)
    for (corpus, of_corpus), places in zip(corpora, panels, strict=True):
        for model, place in zip(DRAWN, places, strict=True):
            ordered = sorted(of_corpus, key=by_gap)
            for (_, of_k), color in zip(grouped(ordered, "k"), COLORS, strict=False):
                near = [row for row in of_k if row["gap"] < SHOWN and is_own(row, of_corpus)]
                for row in near:
                    at = 100 * row["gap"], bits_per_byte(row, model)
                    _, shape = MARKERS.get(row["method"], OTHER)
                    size = 80 if shape == "*" else 34
                    place.scatter(*at, size, color, marker=shape, linewidths=0)
            place.set_title(f"{corpus}: {DRAWN[model]}", loc="left", fontsize=10, weight="bold")
            place.set_xlabel("gap in percent", fontsize=9)
            place.tick_params(labelsize=8)
            place.spines[["top", "right"]].set_visible(False)
        places[0].set_ylabel("bits per byte", fontsize=9)
    budgets = sorted({row["k"] for row in rows})
    for k, color in zip(budgets, COLORS, strict=False):
        panels[0][0].scatter([], [], 34, color, marker="s", label=f"k = {k:,}")
    for name, shape in (*MARKERS.values(), OTHER):
        panels[0][1].scatter([], [], 34, GRAY, marker=shape, label=name)
    for place in panels[0][:2]:
        place.legend(fontsize=8, frameon=False, loc="upper left")
    matplotlib.rcParams["svg.hashsalt"] = "partcover"  # the same bytes each time
    figure.savefig(path, metadata={"Date": None} if path.suffix == ".svg" else None, dpi=150)


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    commands = parser.add_subparsers(required=True, dest="command")
    runs = commands.add_parser("run")
    runs.add_argument("texts", nargs="+")
    runs.add_argument("-k", default="256,1000,4000")
    runs.add_argument("--methods", default=METHODS)
    runs.add_argument("--limit", type=float, default=60, help="seconds for each run of a method")
    runs.add_argument("-o", type=Path, default=Path("rows.json"))
    shows = commands.add_parser("show")
    shows.add_argument("rows", type=Path)
    shows.add_argument("--chart", type=Path)
    options = parser.parse_args()
    if options.command == "run":
        rows = []
        for name in options.texts:
            budgets = list(map(int, options.k.split(",")))
            for row in run(name, budgets, options.methods.split(","), options.limit):
                rows.append(row)
                options.o.write_text(json.dumps(rows))
        return
    rows = json.loads(options.rows.read_text())
    tables(rows)
    if options.chart:
        draw(rows, options.chart)


if __name__ == "__main__":
    main()
