"""Writes the audit of a tokenizer as a report page."""

from __future__ import annotations

from collections.abc import Sequence
from os import PathLike
from pathlib import Path

from ..runtime.progress import Progress
from ..studies.tokenizer_audit import TokenizerAudit
from ..vocabulary.vocabulary import Vocabulary
from .html_page import write_page
from .runs import Runs, file_digest

__all__ = ["write_audit_page"]


def write_audit_page(
    audit: TokenizerAudit,
    vocabulary: Vocabulary,
    path: str | PathLike[str],
    *,
    tokenizer: str,
    texts: Sequence[str],
    threads: int = 1,
    progress: Progress | None = None,
) -> None:
    """Writes a report page with the audit of a tokenizer on top.

    Parameters
    ----------
    audit : TokenizerAudit
        The audit.
    vocabulary : Vocabulary
        The tokenizer.
    path : path
        The file to write.  It is written under another name and renamed when it is complete.
    tokenizer, texts : str, sequence of str
        Their files, which the page lists with their SHA-256.
    threads : int
        Number of threads.
    progress : Progress, optional
        Gets the name of each part as it begins.

    Raises
    ------
    MissingExtra
        Without Jinja.
    InputError
        If `path` cannot be written.
    """
    name = Path(tokenizer).stem
    others = f" and {len(texts) - 1:,} more" if len(texts) > 1 else ""
    runs = Runs(
        vocabularies={name: vocabulary},
        words=audit.words,
        corpus=f"{name} on {Path(texts[0]).stem}{others}",
        certificate=audit.bound.certificate,
        audit=audit,
        files=[(Path(tokenizer).name, "tokenizer", file_digest(tokenizer))]
        + [(Path(text).name, "text", file_digest(text)) for text in texts],
    )
    write_page(runs, path, threads=threads, progress=progress)
