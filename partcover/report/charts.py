"""Describes the charts of a page: bars of its template, and lines that ECharts draws."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ..analysis.costly_words import CostlyWord
from ..corpus.symbols import Symbols
from ..studies.paper_tables import EXPERIMENTS
from ..studies.tokenizer_audit import TokenizerAudit
from .tables.listing import is_finite_number, token_line

_MOST_PIECES = 12  # tokens of a costly word that are shown
_COLORS = 8  # of tokens, in the page's style
CHOSEN = "k, number of chosen tokens"
# what rows of a comparison are measured by: key, label, and whether it is a share
_MEASURES = {
    "gap": ("gap to the lower bound", True),
    "excess": ("excess over the best shown", True),
    "tokens_per_word": ("tokens per word", False),
    "bytes_per_token": ("bytes per token", False),
}


def comparison_lines(
    rows: Sequence[Mapping[str, Any]], key: str
) -> dict[tuple[str, str], list[tuple[float, float]]]:
    """Returns the lines of a measure over k by method and rule, shares in percent.

    With tokens per word there is a line for the lower bounds.
    """
    lines: dict[tuple[str, str], list[tuple[float, float]]] = {}
    _, share = _MEASURES[key]
    for row in rows:
        if (value := row.get(key)) is not None:
            line = (row["method"], row["rule"].replace("_", " "))
            lines.setdefault(line, []).append((row["k"], 100 * value if share else value))
    if key == "tokens_per_word" and (bound := _bound_per_word(rows)):
        lines["lower bound", ""] = bound
    return lines


def comparison_chart(rows: Sequence[Mapping[str, Any]], name: str = "") -> dict[str, Any] | None:
    """Returns the chart of methods over k: gaps, and other measures that the reader can select.

    Parameters
    ----------
    rows : sequence of dict
        Rows of a `Comparison`, or of `partcover.report.standings.measure`.
    name : str
        Title to add if there are several charts.

    Returns
    -------
    dict or None
        ``title``, ``short`` (for the navigation), ``across``, ``measures`` (each ``label``,
        ``share``, ``lines``); each line has ``name``, ``kind`` and ``points``.  None if the rows
        are not a comparison.

    Examples
    --------
    >>> from partcover import Instance, compare
    >>> from partcover.report.charts import comparison_chart
    >>> rows = compare(Instance({"banana": 2, "bandana": 1}, 0), [1, 2], ["greedtok"]).rows
    >>> chart = comparison_chart(rows)
    >>> [measure["label"] for measure in chart["measures"]]
    ['excess over the best shown', 'tokens per word', 'bytes per token']
    """
    if not any(map(is_answer, rows)) or not all(map(_is_compared, rows)):
        return None
    shown = [row for row in rows if row.get("tokens") is not None]
    fewest: dict[int, int] = {}
    for row in shown:
        fewest[row["k"]] = min(row["tokens"], fewest.get(row["k"], row["tokens"]))
    shown = [{**row, "excess": _excess(row, fewest)} for row in shown]
    measures = [
        {"label": label, "share": share, "lines": _lines(lines)}
        for key, (label, share) in _MEASURES.items()
        if (lines := comparison_lines(shown, key))
    ]
    gaps = measures[0]["label"] == _MEASURES["gap"][0]
    title = "Gap of each method to the lower bound" if gaps else "Tokens needed by each method"
    if name:
        title += f": {name}"
    short = name or ("Gaps" if gaps else "Methods")
    return {"title": title, "short": short, "across": CHOSEN, "measures": measures}


def _excess(row: Mapping[str, Any], fewest: Mapping[int, int]) -> float:
    """Returns the share of tokens that a row needs beyond the fewest of its k."""
    least = fewest[row["k"]]
    return float((row["tokens"] - least) / max(1, least))


def _bound_per_word(rows: Sequence[Mapping[str, Any]]) -> list[tuple[float, float]]:
    """Returns the lower bound for each k, in tokens per word."""
    bound = {
        row["k"]: row["lower_bound"] * row["tokens_per_word"] / row["tokens"]
        for row in rows
        if row.get("lower_bound") is not None and row["tokens"]
    }
    return sorted(bound.items())


def is_answer(row: Mapping[str, Any]) -> bool:
    """Whether a row is one of a comparison that has a number of tokens."""
    return type(row.get("tokens")) is int and _is_compared(row)


def _is_compared(row: Mapping[str, Any]) -> bool:
    """Whether a row is one of a comparison, perhaps without tokens."""
    numbers = ("tokens", "tokens_per_word", "bytes_per_token", "lower_bound", "gap")
    return (
        all(isinstance(row.get(key), str) for key in ("method", "rule"))
        and type(row.get("k")) is int
        and all(row.get(key) is None or is_finite_number(row[key]) for key in numbers)
        and (row.get("tokens") is None or is_finite_number(row.get("tokens_per_word")))
        and "target" not in row
    )


def experiment_chart(name: str, rows: Sequence[Mapping[str, Any]]) -> dict[str, Any] | None:
    """Returns the chart of an experiment of `reproduce`; None for rows of another kind."""
    experiment = EXPERIMENTS.get(name)
    if experiment is None or not rows:
        return None
    *texts, up = experiment.line
    for row in rows:
        if not all(isinstance(row.get(key), str) for key in texts):
            return None
        if not is_finite_number(row.get(experiment.across)):
            return None
        if row.get(up) is not None and not is_finite_number(row[up]):
            return None
    measure = {"label": experiment.up, "share": False, "lines": _lines(experiment.lines(rows))}
    return {
        "title": experiment.about.rstrip("."),
        "short": name,
        "across": experiment.across_label,
        "measures": [measure],
    }


def events_chart(name: str, events: Sequence[Mapping[str, Any]]) -> dict[str, Any] | None:
    """Returns the chart of a search over time: its gap, tokens and lower bound.

    Examples
    --------
    >>> from partcover.report.charts import events_chart
    >>> events = [{"seconds": 0.1, "tokens": 9, "lower_bound": None},
    ...           {"seconds": 0.5, "tokens": 9, "lower_bound": 6}]
    >>> chart = events_chart("search", events)
    >>> [measure["label"] for measure in chart["measures"]]
    ['gap', 'tokens']
    """
    lines: dict[tuple[str, str], list[list[float]]] = {}
    gaps: list[list[float]] = []
    for event in events:
        tokens, bound = event.get("tokens"), event.get("lower_bound")
        for key, value in (("tokens needed", tokens), ("lower bound", bound)):
            if value is not None:
                lines.setdefault((key, ""), []).append([event["seconds"], value])
        if tokens and bound is not None:
            gaps.append([event["seconds"], 100 * (tokens - bound) / tokens])
    measures = []
    if gaps:
        measures.append({"label": "gap", "share": True, "lines": _lines({("gap", ""): gaps})})
    if lines:
        measures.append({"label": "tokens", "share": False, "lines": _lines(lines)})
    if not measures:
        return None
    return {
        "title": f"Search over time: {name}",
        "short": "Search",
        "across": "seconds",
        "steps": True,
        "measures": measures,
    }


def parts_bar(audit: TokenizerAudit) -> dict[str, Any]:
    """Returns the bar of a tokenizer's tokens: the lower bound, and the parts of the gap.

    Parameters
    ----------
    audit : TokenizerAudit
        The audit.

    Returns
    -------
    dict
        ``total`` and ``parts``, which sum to it; of each part ``name``, ``tokens``, ``share`` of
        the total, and ``about``, a sentence that says what the number means.

    Examples
    --------
    >>> from partcover import Vocabulary, WordCounts, audit_tokenizer
    >>> from partcover.report.charts import parts_bar
    >>> words = WordCounts.from_counts({"that": 3, "hat": 2, "cat": 2})
    >>> bar = parts_bar(audit_tokenizer(Vocabulary(["th", "hat"], rule="priority"), words))
    >>> [(part["name"], part["tokens"]) for part in bar["parts"]]
    [('lower bound', 10), ('unused tokens', 0), ('choice of tokens', 4), ('segmentation rule', 3)]
    """
    size, used = f"{audit.size:,}", f"{audit.used:,}"
    unused = f"the {audit.size - audit.used:,} tokens that this text does not use"
    if audit.size == audit.used:
        unused = "unused tokens, of which there are none,"
    parts = [
        (
            "lower bound",
            audit.lower_bound,
            f"Any vocabulary of {size} tokens needs at least this many.",
        ),
        (
            "unused tokens",
            audit.lower_bound_used - audit.lower_bound,
            f"Replacing {unused} saves at most this many.",
        ),
        (
            "choice of tokens",
            audit.tokens_used - audit.lower_bound_used,
            f"Choosing {used} other tokens saves at most this many.",
        ),
        (
            "segmentation rule",
            audit.tokens - audit.tokens_used,
            "The best segmentation with the same tokens saves exactly this many.",
        ),
    ]
    return _bar(audit.tokens, parts)


def gap_bar(best: Mapping[str, Any]) -> dict[str, Any] | None:
    """Returns the bar of a vocabulary's tokens: the lower bound and the gap.

    Parameters
    ----------
    best : dict
        A row of a `Comparison`, or of `partcover.report.standings.measure`.

    Returns
    -------
    dict or None
        As `parts_bar`; None without a lower bound.

    Examples
    --------
    >>> from partcover.report.charts import gap_bar
    >>> [part["tokens"] for part in gap_bar({"k": 2, "tokens": 9, "lower_bound": 8})["parts"]]
    [8, 1]
    """
    tokens, bound = best["tokens"], best.get("lower_bound")
    if bound is None:
        return None
    needed = f"Any vocabulary of {best['k']:,} tokens needs at least this many."
    gap = "A better vocabulary or segmentation saves at most this many."
    return _bar(tokens, [("lower bound", bound, needed), ("gap", tokens - bound, gap)])


def _bar(total: int, parts: Sequence[tuple[str, int, str]]) -> dict[str, Any]:
    """Returns a bar of parts that sum to the total."""
    return {
        "total": total,
        "parts": [
            {"name": name, "tokens": tokens, "share": tokens / max(1, total), "about": about}
            for name, tokens, about in parts
        ],
    }


def costly_bars(words: Sequence[CostlyWord], symbols: Symbols) -> list[dict[str, Any]]:
    """Returns a bar for each of the costliest words: its extra tokens.

    Parameters
    ----------
    words : sequence of CostlyWord
        The words, the costliest first.
    symbols : {"bytes", "chars", "ints"}
        The alphabet.

    Returns
    -------
    list of dict
        ``word``, ``pieces`` (its first tokens, each with the number of its color), ``further``
        (how many more it has), ``count``, ``loss`` (the extra tokens) and ``share`` (the length of
        the bar: 1 for the first).

    Examples
    --------
    >>> from partcover.report.charts import costly_bars
    >>> from partcover.analysis.costly_words import CostlyWord
    >>> costly_bars([CostlyWord(b" hat", 5, (b" h", b"at"))], "bytes")[0]["pieces"]
    [('␣h', 0), ('at', 1)]
    """
    return [
        {
            "word": token_line([word.word], symbols),
            "pieces": [
                (token_line([piece], symbols), word.pieces.index(piece) % _COLORS)
                for piece in word.pieces[:_MOST_PIECES]
            ],
            "further": max(0, len(word.pieces) - _MOST_PIECES),
            "count": word.count,
            "loss": word.loss,
            "share": word.loss / words[0].loss,
        }
        for word in words
    ]


def sizes_chart(
    rows: Sequence[Mapping[str, int]], points: Mapping[str, tuple[int, int]]
) -> dict[str, Any]:
    """Returns the chart of tokens over vocabulary size: the lower bound, GreedTok, and points.

    Parameters
    ----------
    rows : sequence of dict
        ``size``, ``lower_bound`` and ``greedtok``: tokens that any vocabulary of that size needs,
        and tokens that GreedTok's needs.
    points : mapping of str to (int, int)
        Size and tokens of each vocabulary to compare, by its name.

    Examples
    --------
    >>> from partcover.report.charts import sizes_chart
    >>> rows = [{"size": 1, "lower_bound": 9, "greedtok": 9}]
    >>> [line["name"] for line in sizes_chart(rows, {"bpe": (1, 10)})["measures"][0]["lines"]]
    ['lower bound', 'GreedTok', 'bpe']
    """
    lines: dict[tuple[str, str], list[list[float]]] = {
        (name, ""): [[row["size"], row[key]] for row in rows]
        for name, key in (("lower bound", "lower_bound"), ("GreedTok", "greedtok"))
    }
    lines |= {(name, ""): [[*point]] for name, point in points.items()}
    return {
        "title": "Tokens needed over vocabulary size",
        "short": "Sizes",
        "across": "vocabulary size",
        "logarithmic": True,
        "note": f"The bound is proven at each of the {len(rows):,} sizes that the line joins. The "
        "fewest possible tokens lie between it and GreedTok, a greedy choice for this text. The "
        "sizes are on a logarithmic axis.",
        "measures": [{"label": "tokens needed", "share": False, "lines": _lines(lines)}],
    }


def _lines(
    points: Mapping[tuple[str, str], Sequence[Sequence[float]]],
) -> list[dict[str, Any]]:
    """Returns lines by name and kind as JSON."""
    return [
        {"name": name, "kind": kind, "points": sorted(map(list, line))}
        for (name, kind), line in points.items()
    ]
