"""Makes the tables of a tokenizer's audit."""

from __future__ import annotations

from typing import Any

from ..studies.tokenizer_audit import TokenizerAudit
from .tables import Listing, token_line

__all__ = ["SCOPE", "audit_tables"]

SCOPE = (
    "The bounds are for this text alone: a tokenizer that serves many texts cannot reach them on "
    "each."
)
"""What is said beside every audit."""

_FIRST = 3  # additional tokens that are named


def audit_tables(audit: TokenizerAudit, *, costly: bool = True) -> list[Listing]:
    """Returns what an audit found as tables, the answer first.

    Parameters
    ----------
    audit : TokenizerAudit
        The audit.
    costly : bool
        Whether the words that lose most are one of them.

    Returns
    -------
    list of Listing
        The gap in its parts, facts, words that lose most, and what additional tokens would save;
        the last two only where there are any.
    """
    tables = [_parts(audit), _facts(audit)]
    symbols = audit.words.symbols
    if audit.costly and costly:
        rows = [
            {
                "word": token_line([word.word], symbols),
                "cut": token_line(word.pieces, symbols),
                "count": word.count,
                "loss": word.loss,
            }
            for word in audit.costly
        ]
        columns = {"word": "word", "cut": "its tokens", "count": "count", "loss": "beyond one each"}
        tables.append(Listing(rows, columns, "Words that lose most"))
    if audit.additions:
        rows = [
            {
                "added": len(more.tokens),
                "saves": more.saves,
                "share": more.saves / audit.tokens,
                "at_most": more.at_most,
                "first": token_line(more.tokens, symbols, _FIRST),
            }
            for more in audit.additions
        ]
        columns = {"added": "more tokens", "saves": "save", "share": "", "at_most": "at most"}
        columns["first"] = "the first"
        tables.append(Listing(rows, columns, "What more tokens would save"))
    return tables


def _facts(audit: TokenizerAudit) -> Listing:
    """The tokenizer on the text."""
    each = audit.bytes_per_token
    values: list[tuple[str, Any]] = [
        ("bytes per token", None if each is None else f"{each:.3f}"),
        ("tokens held", audit.size),
        ("of them used on this text", audit.used),
        ("that can never come out", len(audit.unreachable)),
        (f"{audit.words.symbols} it has no token for", audit.unknown or None),
    ]
    rows = [{"what": what, "value": value} for what, value in values if value is not None]
    return Listing(rows, {"what": "", "value": ""}, "The tokenizer")


def _parts(audit: TokenizerAudit) -> Listing:
    """The gap, and what it is made of."""
    used, size = f"{audit.used:,}", f"{audit.size:,}"
    rows: list[dict[str, Any]] = []
    if audit.own_tokens not in (None, audit.tokens):
        rows.append({"what": "tokens that it makes of the text", "tokens": audit.own_tokens})
    rows += [
        {"what": f"tokens needed, {audit.rule.replace('_', ' ')}", "tokens": audit.tokens},
        {"what": f"at least needed, with any {size}", "tokens": audit.lower_bound},
        {"what": f"with any {used}, as many as are used", "tokens": audit.lower_bound_used},
        {"what": "gap", "tokens": audit.tokens - audit.lower_bound, "gap": audit.gap},
        {
            "what": "of it by the rule of segmentation",
            "tokens": audit.tokens - audit.tokens_used,
            "gap": audit.rule_gap,
        },
        {
            "what": f"by the choice of the {used} used",
            "tokens": audit.tokens_used - audit.lower_bound_used,
            "gap": audit.vocabulary_gap,
        },
        {
            "what": f"by the {audit.size - audit.used:,} not used here",
            "tokens": audit.lower_bound_used - audit.lower_bound,
            "gap": audit.unused_gap,
        },
    ]
    return Listing(
        rows,
        {"what": "", "tokens": "tokens", "gap": ""},
        "How far from optimal",
        (audit.to_json(),),
    )
