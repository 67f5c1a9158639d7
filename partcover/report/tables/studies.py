"""Makes the tables of studies: ratios, formulations, claims, prices, and the demo."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ...bounds.price_report import WordPrices
from ...corpus import symbols as sym
from ...studies.claims import Claim
from ...studies.formulations import Difference
from .comparison import COLUMNS
from .listing import Listing, columns_of

_RATIOS = columns_of(
    "instance k optimum_tokens greedtok_tokens ratio d certified_ratio greedwmc_ratio "
    "greedwmc_relaxed_ratio wmc lp_gap seconds",
    optimum_tokens="optimum",
    greedtok_tokens="GreedTok",
    certified_ratio="certified",
    greedwmc_ratio="GreedWMC",
    greedwmc_relaxed_ratio="GreedWMC relaxed",
    wmc="WMC / opt.",
    lp_gap="LP gap",
)


def ratio_table(rows: Sequence[dict[str, Any]]) -> Listing:
    """Returns a table in which a ratio that is only a bound is marked with ≥.

    Parameters
    ----------
    rows : sequence of dict
        The rows of `partcover.studies.ratios.ratios`.
    """
    return Listing([_with_marks(row) for row in rows], _RATIOS, data=[*rows])


def _with_marks(row: dict[str, Any]) -> dict[str, Any]:
    shown = {**row, "wmc": row["wmc_gap"]}  # a ratio: no key that ends in gap, no percentage
    keys = [] if row["proven"] else ["ratio", "greedwmc_ratio"]
    for key in keys if row["wmc_proven"] else [*keys, "greedwmc_relaxed_ratio"]:
        shown[key] = f"≥ {row[key]:.4f}"
    if not row["proven"]:
        shown["optimum_tokens"] = f"{row['lower_bound']:,} – {row['best_tokens']:,}"
    return shown


def formulation_tables(
    rows: Sequence[dict[str, Any]], difference: Difference | None
) -> list[Listing | str]:
    """Returns the rows, and the words on which the printed formulation differs.

    Parameters
    ----------
    rows : sequence of dict
        The rows of `partcover.studies.formulations.formulations`.
    difference : Difference or None
        Where the printed formulation differs from the problem.
    """
    columns = columns_of(
        "formulation variables rows nonzeros lp_tokens tokens", lp_tokens="LP tokens"
    )
    columns |= {name: name for row in rows for name in row.get("seconds", ())}
    parts: list[Listing | str] = [
        Listing([{**row, **_seconds(row)} for row in rows], columns, data=[*rows])
    ]
    if difference is not None:
        instance = difference.instance
        words = " ".join(sym.show(word) for word, _ in instance.words)
        kind = "the smallest set of words" if difference.smallest else "a set of words"
        parts.append(
            f"printed differs from the problem; {kind} that shows it: {words}, k = "
            f"{instance.k}: printed cover {difference.cover}, true cover {difference.true_cover}"
        )
    return parts


def _seconds(row: dict[str, Any]) -> dict[str, str]:
    """Returns what each solver took, or why it proved nothing."""
    return {
        name: f"> {row['termination'][name]}".replace("_", " ") if took is None else f"{took:.2f} s"
        for name, took in row.get("seconds", {}).items()
    }


def demo_tables(data: dict[str, Any]) -> list[Listing | str]:
    """Returns the tables of the demo, with what they show.

    Parameters
    ----------
    data : dict
        The results of `partcover.studies.demo.demo`.
    """
    corpus, exact, graph = data["corpus"], data["exact"], data["vertex_cover"]
    shown = ("method", "rule", "k", "tokens", "tokens_per_word", "d", "certified_ratio")
    rows, missing = graph["rows"], graph["missing"] or "No answer was found."
    confirmed = "confirmed" if exact["verified"] else "NOT confirmed"
    return [
        (
            f"1. Real text: {corpus['text']}\n{corpus['bytes']:,} bytes, {corpus['words']:,} "
            f"distinct words, {corpus['total_count']:,} counted; {corpus['candidates']:,} "
            "candidate tokens: every substring of every word.\n\n"
            "2. GreedTok, GreedWMC and BPE on all of it"
        ),
        Listing(data["greedy"], {key: COLUMNS[key] for key in shown}),
        (
            "d is GreedTok's cover over GreedWMC's relaxed cover: GreedTok covers at least "
            "d·(1 − 1/e), the column 'certified', of what any vocabulary of k tokens covers.\n\n"
            f"3. The optimum for the {exact['words']} most frequent words"
        ),
        Listing(exact["rows"], columns_of("method tokens cover ratio")),
        f"k = {exact['k']}, {exact['candidates']:,} candidates: {exact['status']}, lower bound "
        f"{exact['lower_bound']:,}, {confirmed} by the independent check, "
        f"{exact['seconds']:.1f} s. Certified for GreedTok without the optimum: "
        f"{exact['certified_ratio']:.4f}.\n\n4. Vertex cover as tokenization, and back\n"
        "Edges: " + "  ".join(f"{a}–{b}" for a, b in graph["edges"]),
        Listing(rows, columns_of(" ".join(rows[0]))) if rows else missing,
        (
            "A vocabulary of k tokens that needs at most 3 tokens per edge is a vertex cover of k "
            "vertices, and vice versa."
        ),
    ]


def claim_tables(found: Claim) -> list[Listing | str]:
    """Returns the verdict on a claim, the token counts, and words that the baseline lacks.

    Parameters
    ----------
    found : Claim
        The result of `partcover.studies.claims.check_claim`.
    """
    counted = {
        "baseline": found.baseline,
        "claimed": found.claimed,
        f"lower bound, k = {found.k:,}": found.lower_bound,
        "best vocabulary found": found.attained,
    }
    rows = [
        {"what": what, "tokens": tokens, "saved": f"{100 - 100 * tokens / found.baseline:.2f} %"}
        for what, tokens in counted.items()
    ]
    columns = columns_of("what tokens saved", what="")
    parts: list[Listing | str] = [
        f"{found.verdict}: {found.reason}",
        Listing(rows, columns, data=[found.to_json()]),
    ]
    if words := [{**word.to_json(), "tokens": len(word.pieces)} for word in found.lacking]:
        columns = columns_of("word count tokens", word="frequent words without a token")
        parts.append(Listing(words, columns))
    return parts


def price_tables(shown: Sequence[WordPrices]) -> list[Listing | str]:
    """Returns the prices of words, and a table of the tokens in each; the CSV has all tokens.

    Parameters
    ----------
    shown : sequence of WordPrices
        The result of `partcover.bounds.price_report.price_report`.
    """
    columns = columns_of("token reward worth best", worth="worth here", best="among k best")
    parts: list[Listing | str] = []
    records: list[dict[str, Any]] = []  # of the CSV: the tokens over all words
    for word in shown:
        symbols = [sym.show(word.word[n : n + 1]) for n in range(len(word.word))]
        line = "  ".join(f"{s} {p:.3f}" for s, p in zip(symbols, word.prices, strict=True))
        rows = [
            {"token": sym.show(token), "reward": reward, "worth": worth, "best": best}
            for token, reward, worth, best in word.tokens
        ]
        records += [{"word": sym.show(word.word), **row} for row in rows]
        parts += [
            f"{sym.show(word.word)} ×{word.count:,}: {sum(word.prices):.3f}\n{line}",
            Listing(rows, columns, data=records),
        ]
    return parts
