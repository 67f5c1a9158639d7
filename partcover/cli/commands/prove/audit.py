"""Implements the command ``audit``."""

from __future__ import annotations

from contextlib import suppress
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any

import partcover as pc

from ....corpus.files.sources import find_sources, is_url
from ....errors import InputError
from ...base_files import note_other_than_utf8, read_tokenizer, refuse_tokenizers
from ...command import Options, command
from ...exit_status import EXIT_GAP, EXIT_INTERRUPTED
from ...inputs import note_remarks, read_certificate
from ...results import save_proof
from ...shown.output import Output, say

if TYPE_CHECKING:
    from ....studies.tokenizer_audit import TokenizerAudit

_PAGES = (".html", ".htm")


@command("audit", keeps_best=True)
def audit_command(out: Output, tokenizer: str, files: tuple[str, ...], asked: Options) -> int:
    """Measure how far a tokenizer is from optimal on a text, and why.

    The gap compares the tokenizer with a proven lower bound: no vocabulary of the same size needs
    fewer tokens for this text. It has three parts: what the best segmentation with the same tokens
    would save, what other tokens could save at most, as many as the text uses, and what could be
    saved at most by replacing the tokens that the text does not use. More time can lower the last
    two.

    The bound holds for this text alone. A tokenizer for many texts cannot reach the bound of each.

    Options:
    tokenizer <TOKENIZER: Vocabulary file, or a tokenizer that `import` reads.
    files <TEXT...: Text that `count` reads.
    --top N>=0 = 10: Number of costliest words to list.
    --max-gap SHARE: Exit with status 7 if the gap is larger, for example 10%.
    --time-limit SECONDS = 4: Time for the lower bounds, after the text is counted.
    -o >TABLE: Write the result as JSON, or as CSV, Markdown, or an HTML page by its ending.
    --start-certificate, --pretokenizer, --key, --write-certificate, --write-instance, --all-files,
    --threads, tables
    $ partcover audit tokenizer.json book.txt
    $ partcover audit cl100k_base.tiktoken book.txt -o page.html  # write an HTML page
    $ partcover audit tokenizer.json texts/ --time-limit 60  # spend more time on the bounds
    $ partcover audit tokenizer.json texts/ --max-gap 10%  # check a limit, for example in CI
    """
    from ....report.tables.audit import audit_remarks, audit_tables
    from ....studies.audited_text import words_of_files

    is_page = Path(out.path or "").suffix.lower() in _PAGES
    if is_page:
        from ....report.html_page import check_page

        check_page()
    if asked.max_gap is not None and not 0 <= asked.max_gap <= 1:
        raise InputError(
            f"--max-gap is {float(asked.max_gap):.0%}: expected a share from 0% to 100%"
        )
    start = read_certificate(asked.start_certificate)
    vocabulary = read_tokenizer(tokenizer, asked.pretokenizer)
    if not asked.all_files:
        refuse_tokenizers(files)
    reading = {"key": asked.key, "all_files": asked.all_files}
    text = out.run("counting", words_of_files, vocabulary, files, **reading)
    note_other_than_utf8(out, files, all_files=asked.all_files)
    own = None
    sources = find_sources(files, all_files=asked.all_files)
    if all(s.size is not None or is_url(s.path) for s in sources):  # no pipe is read twice
        with suppress(InputError):  # what lacks ids cannot be encoded
            encoder = pc.Encoder(vocabulary, threads=out.threads)
            own = out.run("encoding", encoder.count_files, files, **reading)
    audit = out.run(
        "bound",
        pc.audit_tokenizer,
        vocabulary,
        text.words,
        own_tokens=own,
        added_found=text.added,
        time_limit=asked.time_limit,
        start_certificate=start,
        top=asked.top,
    )
    save_proof(out, audit.bound, asked.write_certificate, asked.write_instance)
    note_remarks(out, vocabulary)
    for remark in audit_remarks(audit):
        out.note(remark)
    data = {"tokenizer": Path(tokenizer).name, **audit.to_json()}
    if is_page:
        from ....report.audit_page import write_audit_page

        about: dict[str, Any] = {"tokenizer": tokenizer, "texts": files}
        page = (audit, vocabulary, str(out.path))
        out.run("page", write_audit_page, *page, time_limit=asked.time_limit / 2, **about)
        out.wrote(str(out.path))
        out.show(data, *audit_tables(audit))
    else:
        out.result(data, *audit_tables(audit))
    if audit.is_interrupted:
        return EXIT_INTERRUPTED
    return 0 if asked.max_gap is None else _within(audit, asked.max_gap)


def _within(audit: TokenizerAudit, max_gap: Fraction) -> int:
    """Returns the exit status: whether the gap is at most as large as allowed."""
    excess = audit.tokens - audit.lower_bound
    if excess <= max_gap * audit.tokens:
        return 0
    say(
        f"partcover: the gap is {audit.gap:.3%}, above --max-gap {float(max_gap):.3%}: "
        f"{excess:,} of {audit.tokens:,} tokens more than the lower bound"
    )
    return EXIT_GAP
