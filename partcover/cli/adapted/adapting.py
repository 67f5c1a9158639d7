"""Declares the options that ``extend`` and ``prune`` share, and shows what they found."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from ...corpus import symbols as sym
from ...errors import InputError
from ...report.tables import Listing
from ...runtime.arguments import counted
from ..command import Options
from ..exit_status import EXIT_INTERRUPTED
from ..results import save_proof
from ..shown.output import Output

if TYPE_CHECKING:
    from ...adaptation.results import Adaptation

_NAMED = 10  # tokens in a remark


def show_adaptation(
    out: Output, found: Adaptation, tables: Iterable[Listing], asked: Options
) -> int:
    """Saves the new vocabulary and its proof, shows what was found, returns the exit status."""
    tokens = found.unreachable
    if tokens:
        named = ", ".join(sym.glance(token) for token in tokens[:_NAMED])
        more = ", …" if len(tokens) > _NAMED else ""
        out.note(f"{counted(len(tokens), 'unreachable token')} in the base: {named}{more}")
    if lacking := _lacking(found):
        out.note(lacking)
    save_proof(out, found, asked.write_certificate, asked.write_instance)
    with out.saved(found.vocabulary.save):
        out.show(found.to_json(vocabulary=not out.no_vocabulary), *tables)
    return EXIT_INTERRUPTED if found.termination == "interrupted" else 0


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
