"""``bound`` and ``prices``."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import click
from rich.text import Text

from .. import symbols as sym
from ..errors import VerificationError
from ..files import write_atomic
from ..options import (
    Output,
    gap_option,
    instance_options,
    k_option,
    output_options,
    parse_budgets,
    read_instance,
    seconds_option,
)
from ..vocabulary import Vocabulary
from .outcome import EXIT_INTERRUPTED, EXIT_LIMIT
from .proof import save_certificate


@click.command("bound")
@click.option("-k", "ks", help="Budgets: 1000 or 100,1000 or 1-5.", metavar="K,K,…")
@click.option(
    "--vocab", metavar="V.json", help="A vocabulary to measure the gap to, and to prove tokens by."
)
@click.option(
    "--start-certificate",
    metavar="P.cert",
    help="Prices to start from, of any k; for its own k its bound is kept.",
)
@gap_option
@seconds_option(about="For each budget.")
@click.option("--iterations", type=int, metavar="N", help="Most steps, for each budget.")
@click.option("--tokens", is_flag=True, help="List the proven tokens in the JSON object.")
@click.option("--events", metavar="FILE", help="A JSON line for each better bound.")
@click.option("--plot", metavar="FILE", help="Draw the bound over time (.png, .svg, .pdf).")
@instance_options
@output_options
def bound_(
    out: Output,
    corpus: str,
    ks: str | None,
    vocab: str | None,
    start_certificate: str | None,
    gap: float | None,
    tokens: bool,
    events: str | None,
    plot: str | None,
    **options: Any,
) -> int:
    """Prove a lower bound on the tokens needed, for corpora of any size.

    -o P.cert writes the proof, which verify checks (of several budgets: P-100.cert, P-1000.cert).
    Without --vocab the gap is not known, and --gap is to GreedTok's vocabulary. A time
    limit or Ctrl-C leaves the best bound so far.
    """
    from ..bounds import Bound, bounds
    from ..certificate import Certificate
    from ..report import rows_table
    from ..verify import verify as check

    limits = {name: options.pop(name) for name in ("time_limit", "iterations")}
    budgets = parse_budgets(ks)
    instance = read_instance(corpus, max(budgets, default=None), options)
    budgets = budgets or [instance.k]
    incumbents = {}
    if vocab is not None:
        vocabulary = Vocabulary.load(vocab)
        result = check(instance, vocabulary)
        if not result.ok:
            raise VerificationError(f"{vocab}: {result.problems[0]}")
        incumbents = {k: result.tokens for k in budgets if k >= result.size}
    first = None if start_certificate is None else Certificate.load(start_certificate)

    def save(found: Bound) -> None:
        if out.path is not None:
            path = Path(out.path)
            if len(budgets) > 1:
                path = path.with_name(f"{path.stem}-{found.instance.k}{path.suffix}")
            save_certificate(out, path, found.certificate, found.instance)

    with out.events(events, plot=plot) as progress:
        found = bounds(
            instance,
            budgets,
            incumbents=incumbents,
            start=first,
            target_gap=gap,
            seed=out.seed,
            threads=out.threads,
            progress=progress,
            done=save,
            **limits,
        )
    rows = [bound.to_json(tokens=tokens) for bound in found]
    if out.json:
        out.object(rows[0] if len(budgets) == 1 else {"rows": rows})
    else:
        names = ("k", "tokens", "lower_bound", "gap", "relaxation", "proven_in", "proven_out")
        columns = {name: name.replace("_", " ") for name in (*names, "termination", "seconds")}
        whole = [
            {**row, "relaxation": None if row["relaxation"] is None else round(row["relaxation"])}
            for row in rows
        ]
        out.console.print(rows_table(whole, columns))
    ends = {bound.termination for bound in found}
    if "interrupted" in ends:
        return EXIT_INTERRUPTED
    return EXIT_LIMIT if "time_limit" in ends else 0


@click.command("prices")
@k_option
@click.option("--certificate", required=True, metavar="P.cert", help="Where the prices are.")
@instance_options
@click.argument("words", nargs=-1, required=True, metavar="WORD…")
@output_options
def prices_(
    out: Output,
    corpus: str,
    words: tuple[str, ...],
    k: int | None,
    certificate: str,
    **options: Any,
) -> int:
    r"""Show the prices of some words, and the tokens over them with their rewards.

    A WORD is written as in the counts file: \xHH is a byte, and of ints the numbers stand
    between spaces. A token's reward is what it is worth over all words; the k largest rewards
    are what a bound gives away.
    """
    from ..certificate import Certificate
    from ..pricing import explain
    from ..report import rows_table

    instance = read_instance(corpus, k, options)
    given = [_read_word(word, instance.symbols) for word in words]
    shown = explain(instance, Certificate.load(certificate), given)
    data = {"k": instance.k, "words": [word.to_json() for word in shown]}
    if out.path is not None:
        write_atomic(out.path, json.dumps(data, ensure_ascii=False, indent=1) + "\n")
        out.note(f"wrote {out.path}")
    if out.json:
        out.object(data)
        return 0
    for word in shown:
        symbols = [sym.show(word.word[n : n + 1]) for n in range(len(word.word))]
        line = "  ".join(f"{s} {p:.3f}" for s, p in zip(symbols, word.prices, strict=True))
        out.console.print(Text(f"{sym.show(word.word)} ×{word.count:,}: {sum(word.prices):.3f}"))
        out.console.print(Text(line))
        rows = [
            {"token": sym.show(token), "reward": reward, "worth": worth, "best": best}
            for token, reward, worth, best in word.tokens
        ]
        columns = {"token": "token", "reward": "reward", "worth": "worth here", "best": "k best"}
        out.console.print(rows_table(rows, columns))
    return 0


def _read_word(text: str, symbols: sym.Symbols) -> sym.Token:
    """A word as it stands in a counts file."""
    if symbols != "ints":
        return sym.unescape(text, symbols)
    try:
        return sym.to_token([int(part) for part in text.split()], symbols)
    except ValueError:
        raise click.UsageError(
            f"{text!r}: whole numbers with spaces between are expected"
        ) from None
