"""Writes the audit of a tokenizer as a report page."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate
from os import PathLike
from pathlib import Path

from ..bounds.bound_curve import bound_curve
from ..bounds.lower_bound import bounds
from ..runtime.limits import RunLimits
from ..runtime.progress import Progress
from ..studies.tokenizer_audit import TokenizerAudit
from ..vocabulary.vocabulary import Vocabulary
from .html_page import write_page
from .runs import Runs, file_digest

_HALVINGS = 4  # bounds for smaller sizes
_SIZES = 36  # of the chart, besides those


def write_audit_page(
    audit: TokenizerAudit,
    vocabulary: Vocabulary,
    path: str | PathLike[str],
    *,
    tokenizer: str,
    texts: Sequence[str],
    time_limit: float = 2.0,
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
    time_limit : float
        Seconds for the lower bounds of smaller vocabularies, which the chart of sizes shows.
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
    progress = progress or Progress()
    name = Path(tokenizer).stem
    others = f" and {len(texts) - 1:,} more" if len(texts) > 1 else ""
    runs = Runs(
        vocabularies={name: vocabulary},
        words=audit.words,
        corpus=f"{name} on {Path(texts[0]).stem}{others}",
        certificate=audit.bound.certificate,
        audit=audit,
        sizes=size_rows(audit, RunLimits(time_limit, threads=threads), progress),
        files=[(Path(tokenizer).name, "tokenizer", file_digest(tokenizer))]
        + [(Path(text).name, "text", file_digest(text)) for text in texts],
    )
    write_page(runs, path, threads=threads, progress=progress)


def size_rows(audit: TokenizerAudit, limits: RunLimits, progress: Progress) -> list[dict[str, int]]:
    """Returns the lower bound, and what GreedTok needs, over the size of the vocabulary.

    Parameters
    ----------
    audit : TokenizerAudit
        The audit, whose bounds and certificates are used.
    limits : RunLimits
        Time for bounds of four smaller sizes, together, and threads.
    progress : Progress
        Gets the name of the part.

    Returns
    -------
    list of dict
        ``size``, ``lower_bound`` and ``greedtok``, for some 40 sizes up to the tokenizer's; none
        if the audit was interrupted, or the text uses no more than one of its tokens.
    """
    greedy = audit.greedy
    if audit.is_interrupted or audit.bound_used is None or greedy is None or audit.used < 2:
        return []
    progress.stage("sizes")
    proven = [audit.bound, audit.bound_used]
    smaller = [audit.used >> n for n in range(1, _HALVINGS + 1) if audit.used >> n]
    each = None if limits.time_limit is None else limits.time_limit / len(smaller)
    proven += bounds(
        audit.bound.instance,
        dict.fromkeys(smaller),
        audit.bound_used.certificate,
        time_limit=each,
        threads=limits.threads,
    )
    least, most = smaller[-1], audit.size
    ratio = (most / least) ** (1 / _SIZES)
    sizes = sorted({most, audit.used, *smaller, *(int(least * ratio**n) for n in range(_SIZES))})
    symbols = audit.words.total_symbols
    needed = [*accumulate(greedy.gains, int.__sub__, initial=symbols)]
    curve = bound_curve(proven, sizes, threads=limits.threads)
    return [
        {"size": size, "lower_bound": bound, "greedtok": needed[min(size, len(needed) - 1)]}
        for size, bound in zip(sizes, curve, strict=True)
    ]
