"""Makes the tables of a tokenizer's audit."""

from __future__ import annotations

from typing import Any

from ..studies.tokenizer_audit import TokenizerAudit
from .tables import Listing, token_line

__all__ = ["SCOPE", "audit_remarks", "audit_tables"]

SCOPE = (
    "The bounds are for this text alone: a tokenizer that serves many texts cannot reach them on "
    "each."
)
"""What is said beside every audit."""

_FIRST = 3  # additional tokens that are named


def audit_remarks(audit: TokenizerAudit) -> list[str]:
    """Returns what an audit compares, and what it sets apart, a sentence or two for each.

    Parameters
    ----------
    audit : TokenizerAudit
        The audit.

    Returns
    -------
    list of str
        The last one, `SCOPE`, stands beside every audit.
    """
    symbols = audit.words.symbols
    remarks = []
    if audit.added_found:
        remarks.append(
            f"{len(audit.added_found):,} added tokens of the tokenizer are found "
            f"{sum(audit.added_found.values()):,} times. All other numbers are for the text "
            "between them: vocabularies of the bounds have the same ones."
        )
    if audit.unknown:
        made = f"makes {audit.unknown_tokens:,} tokens of them ({audit.unknown_token})"
        remarks.append(
            f"{audit.unknown:,} {symbols} in {audit.unknown_words:,} words have no token: the "
            f"tokenizer {'ends with an error' if audit.unknown_token is None else made}. All other "
            "numbers are for what is left."
        )
    if audit.is_cut_at_spaces:
        across = (
            f"{audit.tokens_across:,} of its tokens in the text reach from another character "
            "across a space: the bounds are for tokens that do so only where one of these does."
        )
        if not audit.tokens_across:
            across = (
                "no token of it in the text reaches from another character across a space: the "
                "bounds are for such tokens."
            )
        remarks.append(f"The tokenizer takes a text as one word, and {across}")
    if audit.max_length is not None:
        remarks.append(
            f"The text has long parts without spaces: the bounds are for tokens of at most "
            f"{audit.max_length:,} {symbols}, as its longest token in the text has."
        )
    return [*remarks, SCOPE]


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
        ("tokens across spaces, used or not", audit.tokens_across or None),
        (f"longest candidate, {audit.words.symbols}", audit.max_length),
    ]
    rows = [{"what": what, "value": value} for what, value in values if value is not None]
    return Listing(rows, {"what": "", "value": ""}, "The tokenizer")


def _parts(audit: TokenizerAudit) -> Listing:
    """The gap, and what it is made of."""
    used, size = f"{audit.used:,}", f"{audit.size:,}"
    rows: list[dict[str, Any]] = []
    added = sum(audit.added_found.values())
    # other counts come only from a caller who gives other words than those of the text
    rounding = "of them " + ("by rounding" if audit.is_cut_at_spaces else "of other words")
    if audit.own_tokens is not None and audit.own_tokens != audit.tokens:
        rows.append({"what": "tokens that it makes of the text", "tokens": audit.own_tokens})
    parts = [
        ("of them added tokens", added),
        ("of them unknown tokens", audit.unknown_tokens),
        (rounding, audit.rounding),
    ]
    rows += [{"what": what, "tokens": tokens} for what, tokens in parts if tokens]
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
    if audit.set_apart:
        what = "at least, with what is set apart"
        rows.append({"what": what, "tokens": audit.own_lower_bound})
    return Listing(
        rows,
        {"what": "", "tokens": "tokens", "gap": ""},
        "How far from optimal",
        (audit.to_json(),),
    )
