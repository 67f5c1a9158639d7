"""Makes the tables of a vocabulary that was extended or pruned."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ...corpus import symbols as sym
from ...errors import InputError
from ...runtime.arguments import counted
from .listing import Listing, token_line

if TYPE_CHECKING:
    from ...adaptation.results import Adaptation, BeforeAfter

_NAMED = 10  # tokens in a remark or a table


def adaptation_remarks(found: Adaptation) -> list[str]:
    """Returns remarks on what was added, and on what of base and corpus is lost.

    Parameters
    ----------
    found : Adaptation
        The result of extending or pruning.
    """
    remarks = []
    if found.vocabulary.method == "extend" and len(found.new) < found.asked:
        remarks.append(
            f"only {len(found.new):,} of {found.asked:,} tokens added: the search found no "
            "more that help"
        )
    if found.is_within_words:
        remarks.append(
            "tokens of BASE span several words here; new tokens lie within words, and the bound "
            "holds for such tokens"
        )
    if tokens := found.unreachable:
        named = ", ".join(sym.glance(token) for token in tokens[:_NAMED])
        more = ", …" if len(tokens) > _NAMED else ""
        remarks.append(f"{counted(len(tokens), 'unreachable token')} in the base: {named}{more}")
    if lacking := _lacking(found):
        remarks.append(lacking)
    return remarks


def extension_tables(extension: Adaptation) -> list[Listing]:
    """Returns the results of extending a vocabulary as tables."""
    corpora = [("corpus", extension.corpus)]
    if extension.keep is not None:
        corpora.append(("corpus to keep", extension.keep))
    added = f"{len(extension.new):,}"
    tables = [_counts(corpora), _proof(extension, f"lower bound, {added} new tokens")]
    ids: tuple[int | None, ...] = extension.new_ids or (None,) * len(extension.new)
    listed = list(zip(extension.new, ids, extension.gains, strict=True))[:_NAMED]
    if listed:
        rows = [
            {"token": token_line([token], extension.base.symbols), "id": number, "gain": gain}
            for token, number, gain in listed
        ]
        title = f"First of {added} new tokens"
        tables.append(Listing(rows, {"token": "token", "id": "id", "gain": "gain"}, title))
    return tables


def pruning_tables(pruning: Adaptation) -> list[Listing]:
    """Returns the results of pruning a vocabulary as tables."""
    kept = f"lower bound, {pruning.asked:,} tokens kept"
    return [_counts([("corpus", pruning.corpus)]), _proof(pruning, kept)]


def _counts(corpora: list[tuple[str, BeforeAfter]]) -> Listing:
    """The tokens before and after."""
    rows: list[dict[str, Any]] = []
    for name, corpus in corpora:
        total = corpus.words.total_count
        rows.append(
            {
                "corpus": name,
                "before": corpus.before,
                "after": corpus.after,
                "share": f"{100 * (corpus.after - corpus.before) / corpus.before:+.2f} %",
                "each_before": f"{corpus.before / total:.3f}",
                "each_after": f"{corpus.after / total:.3f}",
            }
        )
    columns = {"corpus": "", "before": "before", "after": "after", "share": "change"}
    columns |= {"each_before": "per word before", "each_after": "per word after"}
    return Listing(rows, columns, "Tokens before and after")


def _proof(adaptation: Adaptation, at_least: str) -> Listing:
    """The tokens needed, and the bound."""
    tokens, bound = adaptation.tokens, adaptation.lower_bound
    rows = [
        {"what": f"tokens needed, {adaptation.rule.replace('_', ' ')}", "tokens": tokens},
        {"what": at_least, "tokens": bound},
        {"what": "gap", "tokens": tokens - bound, "gap": adaptation.gap},
    ]
    data = (adaptation.to_json(vocabulary=False),)
    return Listing(rows, {"what": "", "tokens": "", "gap": ""}, "How far from optimal", data)


def _lacking(found: Adaptation) -> str | None:
    """Returns a remark on what of the corpus has no token; None if all has one."""
    from ...studies.audited_text import spelled

    new, words = found.vocabulary, found.corpus.words
    if new.symbols != "bytes" or min(new.id_of) >= 0:
        return None
    try:
        text = spelled(words, new)
    except InputError:
        return "The new vocabulary has no token for any part of the corpus."
    if not text.symbols:
        return None
    does = "reports an error"
    if new.unknown is not None:
        does = f"uses {counted(text.tokens, f'{new.unknown.token} token')} instead"
    return (
        f"The new vocabulary has no token for {counted(text.symbols, 'byte')} in "
        f"{counted(text.words, 'word')} of the corpus, and {does}. In these words the counts and "
        "the bound take each byte without a token as one token."
    )
