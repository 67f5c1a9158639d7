"""Implements the command ``inspect``: one vocabulary, the difference to another, what it lacks."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

import partcover as pc

from ....errors import InputError
from ....report.tables.inspection import inspection_tables
from ...command import Options, command
from ...inputs import note_other_words, read_vocabulary, read_words
from ...shown.output import Output

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from ....analysis.inspection import Inspection


@command("inspect")
def inspect_command(out: Output, vocab: str, corpus: str | None, view: Options) -> int:
    """Show how a corpus uses the tokens of a vocabulary.

    The tables show token lengths, uses, and gains, and tokens without effect. The gain of a token
    is the exact number of additional tokens that the corpus would need without it, under the best
    segmentation (shortest path). In tables ␣ stands for a space.

    To measure the vocabulary as a whole, use `score`.

    Options:
    vocab <V.json: Vocabulary file, or a tokenizer that `import` reads.
    corpus <[C.tsv|I.json]: Word counts, written by `count`, or an instance file.
    --diff <OTHER.json: Compare with another vocabulary.
    --plot >FIGURE: With --diff: plot the savings of tokens in only one vocabulary (.png, .svg,
      .pdf).
    --missing-words: List frequent words that should be tokens.
    --sort order|uses|gain|length = order: Order of the tokens in the table; uses, gain, and length:
      largest first.
    --top N>=0 = 10: Number of rows of each table, and of words of --missing-words.
    --rule, --no-vocabulary, --threads, -o, tables
    $ partcover inspect v.json book.tsv --sort gain
    $ partcover inspect v.json book.tsv --diff other.json --plot figure.svg
    $ partcover inspect v.json book.tsv --missing-words
    """
    _check(view, corpus)
    vocabulary = read_vocabulary(vocab)
    words = None if corpus is None else read_words(corpus, vocabulary)
    if words is not None:
        note_other_words(out, vocabulary, words)
    data, inspection = _inspect(out, vocab, vocabulary, words, view)
    if view.plot is not None:
        from ....report.plots import plot_difference

        plot_difference(data["diff"], view.plot, [Path(vocab).stem, Path(str(view.diff)).stem])
        out.wrote(view.plot)
    rows = [] if out.no_vocabulary else inspection.rows(_order(inspection, view)[: view.top])
    out.result(data, *inspection_tables(data, rows, view.diff, view.top))
    return 0


def _check(view: Options, corpus: str | None) -> None:
    """Refuses options that need a corpus where there is none, and those that exclude each other."""
    for name, given in (
        ("--missing-words", view.missing_words),
        ("--rule", view.rule is not None),
        (f"--sort {view.sort}", view.sort in ("uses", "gain")),
        ("--plot", view.plot is not None),
    ):
        if given and corpus is None:
            raise click.UsageError(f"{name} needs a corpus: inspect V.json C.tsv {name}")
    if view.plot is not None and view.diff is None:
        raise click.UsageError("--plot needs another vocabulary: --diff OTHER.json")


def _inspect(
    out: Output, path: str, vocabulary: pc.Vocabulary, words: pc.WordCounts | None, view: Options
) -> tuple[dict[str, Any], Inspection]:
    """Measures the vocabulary, the difference to another, and the words that it lacks."""
    from ....analysis.across_words import across_words
    from ....analysis.difference import difference
    from ....analysis.inspection import inspect_vocabulary
    from ....analysis.missing_words import missing_words

    here = inspect_vocabulary(vocabulary, words, view.rule, threads=out.threads)
    data = here.to_json(tokens=not out.no_vocabulary)
    if words is not None:
        across = across_words(words, vocabulary, view.rule, threads=out.threads)
        if across is not None:
            data |= {"tokens_within_words": across.within, "share_across_words": across.share}
    if view.diff is not None:
        other = read_vocabulary(view.diff)
        if other.symbols != vocabulary.symbols:
            raise InputError(
                f"{view.diff}: its symbols are {other.symbols}, those of {path} are "
                f"{vocabulary.symbols}"
            )
        there = inspect_vocabulary(other, words, threads=out.threads)
        data["diff"] = difference(here, there).to_json()
    if view.missing_words and words is not None:
        data["missing_words"] = missing_words(
            vocabulary, words, top=view.top, losses=here.gains, threads=out.threads
        ).to_json()
    return data, here


def _order(inspection: Inspection, view: Options) -> npt.NDArray[np.intp]:
    """Returns the numbers of the tokens in the order to show them in."""
    import numpy as np

    keys = {"uses": inspection.uses, "gain": inspection.gains, "length": inspection.lengths}
    key = keys.get(view.sort)
    return np.arange(len(inspection.lengths)) if key is None else np.argsort(-key, kind="stable")
