"""Implements the command ``prices``."""

from __future__ import annotations

from typing import Any

import partcover as pc

from ....corpus import symbols as sym
from ....report.tables.listing import Listing, columns_of
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

    instance = source.read()
    shown = price_report(
        instance,
        pc.Certificate.load(asked.certificate),
        [
            parse_word(word.encode("utf-8", "surrogateescape"), instance.symbols)
            for word in asked.words
        ],
    )
    columns = columns_of("token reward worth best", worth="worth here", best="among k best")
    parts: list[Listing | str] = []
    records: list[dict[str, Any]] = []  # of the CSV: the tokens over all words
    for word in shown:
        symbols = [sym.show(word.word[n : n + 1]) for n in range(len(word.word))]
        line = "  ".join(f"{s} {p:.3f}" for s, p in zip(symbols, word.prices, strict=True))
        rows = [
            {"token": sym.show(token), "reward": reward, "worth": worth, "best": best}
            for token, reward, worth, best in word.tokens
        ]
        records += [{"word": sym.show(word.word), **row} for row in rows]
        parts += [
            f"{sym.show(word.word)} ×{word.count:,}: {sum(word.prices):.3f}\n{line}",
            Listing(rows, columns, data=records),
        ]
    out.result({"k": instance.k, "words": [word.to_json() for word in shown]}, *parts)
    return 0
