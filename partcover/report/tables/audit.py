"""Makes the tables of a tokenizer's audit."""

from __future__ import annotations

from typing import Any

from ...runtime.arguments import counted
from ...studies.tokenizer_audit import TokenizerAudit
from .listing import Listing, token_line

SCOPE = (
    "The bounds hold for this text alone. A tokenizer for many texts cannot reach the bound of "
    "each."
)
"""The remark of every audit."""

_FIRST = 3  # additional tokens that are named


def audit_remarks(audit: TokenizerAudit) -> list[str]:
    """Returns remarks on what an audit compares and what it leaves out.

    Parameters
    ----------
    audit : TokenizerAudit
        The audit.

    Returns
    -------
    list of str
        The last one is `SCOPE`, which every audit has.
    """
    symbols = audit.words.symbols
    remarks = []
    if audit.added_found:
        tokens = counted(len(audit.added_found), "added token")
        times = counted(sum(audit.added_found.values()), "time")
        remarks.append(
            f"The text contains {tokens} of the tokenizer {times}. All other numbers are for the "
            "text between them."
        )
    if audit.unknown:
        tokens = counted(audit.unknown_tokens, f"{audit.unknown_token} token")
        does = "reports an error" if audit.unknown_token is None else f"uses {tokens} instead"
        lacking = counted(audit.unknown, symbols.removesuffix("s"))
        words = counted(audit.unknown_words, "word")
        remarks.append(
            f"The tokenizer has no token for {lacking} in {words} and {does}. All other numbers "
            "leave them out."
        )
    if audit.is_split_at_spaces:
        across = (
            f"{audit.tokens_across:,} of its tokens in the text contain a space after another "
            "character. The bounds allow such tokens only where the tokenizer has one."
        )
        if not audit.tokens_across:
            across = (
                "none of its tokens in the text contains a space after another character. The "
                "bounds do not allow such tokens either."
            )
        remarks.append(
            f"The tokenizer treats the text as one word. {across[0].upper()}{across[1:]}"
        )
    if audit.max_length is not None:
        remarks.append(
            f"The text has long parts without spaces. The bounds hold for tokens of at most "
            f"{audit.max_length:,} {symbols}, the length of the longest token in the text."
        )
    return [*remarks, SCOPE]


def audit_tables(audit: TokenizerAudit, *, costly: bool = True) -> list[Listing]:
    """Returns the results of an audit as tables.

    Parameters
    ----------
    audit : TokenizerAudit
        The audit.
    costly : bool
        Whether to include the costliest words.

    Returns
    -------
    list of Listing
        The parts of the gap, facts, the costliest words, and savings from additional tokens; the
        last two only if there are any.
    """
    tables = [_parts(audit), _facts(audit)]
    symbols = audit.words.symbols
    if audit.costly and costly:
        rows = [
            {
                "word": token_line([word.word], symbols),
                "pieces": token_line(word.pieces, symbols),
                "count": word.count,
                "loss": word.loss,
            }
            for word in audit.costly
        ]
        columns = {"word": "word", "pieces": "its tokens", "count": "count", "loss": "extra tokens"}
        tables.append(Listing(rows, columns, "Costliest words"))
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
        columns = {"added": "more tokens", "saves": "tokens saved", "share": "share"}
        columns |= {"at_most": "upper bound", "first": "first tokens"}
        tables.append(Listing(rows, columns, "Savings from additional tokens"))
    return tables


def _facts(audit: TokenizerAudit) -> Listing:
    """The tokenizer on the text."""
    each = audit.bytes_per_token
    values: list[tuple[str, Any]] = [
        ("bytes per token", None if each is None else f"{each:.3f}"),
        ("tokens in vocabulary", audit.size),
        ("used tokens", audit.used),
        ("unreachable tokens", len(audit.unreachable)),
        (f"{audit.words.symbols} without a token", audit.unknown or None),
        ("tokens across spaces", audit.tokens_across or None),
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
    rounding = "rounding" if audit.is_split_at_spaces else "tokens of other words"
    if audit.own_tokens is not None and audit.own_tokens != audit.tokens:
        rows.append({"what": "tokens of the text", "tokens": audit.own_tokens})
    parts = [
        ("added tokens", added),
        ("unknown tokens", audit.unknown_tokens),
        (rounding, audit.rounding),
    ]
    rows += [{"what": what, "tokens": tokens} for what, tokens in parts if tokens]
    rows += [
        {"what": f"tokens needed, {audit.rule.replace('_', ' ')}", "tokens": audit.tokens},
        {"what": f"lower bound, {size} tokens", "tokens": audit.lower_bound},
        {"what": f"lower bound, {used} tokens (the number used)", "tokens": audit.lower_bound_used},
        {"what": "gap", "tokens": audit.tokens - audit.lower_bound, "gap": audit.gap},
        {
            "what": "segmentation rule",
            "tokens": audit.tokens - audit.tokens_used,
            "gap": audit.rule_gap,
        },
        {
            "what": "choice of tokens",
            "tokens": audit.tokens_used - audit.lower_bound_used,
            "gap": audit.vocabulary_gap,
        },
        {
            "what": "unused tokens",
            "tokens": audit.lower_bound_used - audit.lower_bound,
            "gap": audit.unused_gap,
        },
    ]
    if audit.set_apart:
        what = "lower bound, tokens of the text"
        rows.append({"what": what, "tokens": audit.own_lower_bound})
    return Listing(
        rows,
        {"what": "", "tokens": "tokens", "gap": ""},
        "How far from optimal",
        (audit.to_json(),),
    )
