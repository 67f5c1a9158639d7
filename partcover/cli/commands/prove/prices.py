"""Implements the command ``prices``."""

from __future__ import annotations

import partcover as pc

from ...command import Options, command
from ...inputs import InstanceSource
from ...shown.output import Output


@command("prices")
def prices_command(out: Output, source: InstanceSource, asked: Options) -> int:
    r"""Show the dual prices of words and the tokens in them.

    The lower bound of a certificate assigns a price to each position of a word. A token's reward is
    the most that it can save over all words at these prices, and the bound subtracts the k largest
    rewards. The output shows, for each WORD, its prices and the tokens in it with their rewards.

    Options:
    corpus
    words WORD...: Words, written as in the counts file: \xHH is a byte, and spaces separate
      integers.
    --certificate <P.cert (required): Certificate with the prices.
    -k, conditions, -o, tables
    $ partcover prices book.tsv -k 1000 --certificate p.cert ' whale'
    """
    from ....bounds.price_report import price_report
    from ....corpus.files.tsv import parse_word
    from ....report.tables.studies import price_tables

    instance = source.read()
    shown = price_report(
        instance,
        pc.Certificate.load(asked.certificate),
        [
            parse_word(word.encode("utf-8", "surrogateescape"), instance.symbols)
            for word in asked.words
        ],
    )
    out.result({"k": instance.k, "words": [word.to_json() for word in shown]}, *price_tables(shown))
    return 0
