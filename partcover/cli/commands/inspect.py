"""Implements the command ``inspect``: one vocabulary, two compared, or what one lacks."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import click
import numpy as np

from ...corpus.word_counts import WordCounts
from ...errors import InputError
from ...problem.instance import Instance
from ...report.tables import Listing, facts
from ...vocabulary.rules import SEGMENTATION_RULES
from ...vocabulary.vocabulary import Vocabulary
from ..inputs import other_words
from ..options import argument, command, no_vocabulary_option, option, output_options
from ..output import Output
from ..paths import ReadablePath


@command(
    "inspect",
    examples=[
        ("partcover inspect v.json book.tsv --sort gain", ""),
        ("partcover inspect v.json book.tsv --only absent --top 1000", ""),
        ("partcover inspect v.json book.tsv --diff other.json", ""),
        ("partcover inspect v.json book.tsv --audit", ""),
    ],
)
@option(
    "--rule", type=click.Choice(SEGMENTATION_RULES), help="How words are cut. Default: its own."
)
@option(
    "--diff", type=ReadablePath(), metavar="OTHER.json", help="Compare with another vocabulary."
)
@option("--audit", "audited", is_flag=True, help="List frequent words that it should hold.")
@option("--no-gains", is_flag=True, help="Leave out what each token gains: quicker.")
@option(
    "--sort",
    type=click.Choice(["order", "uses", "gain", "length"]),
    default="order",
    show_default=True,
    help="Which tokens the table shows; all but order the largest first.",
)
@option(
    "--only",
    type=click.Choice(["unused", "absent", "parts", "words", "cut"]),
    help="Show these alone: never used; in no word; never used, but parts of others; words of "
    "the corpus; cutting a character.",
)
@option(
    "--top",
    type=click.IntRange(0),
    default=20,
    show_default=True,
    help="Rows of each table, and words that --audit lists.",
)
@no_vocabulary_option
@argument("vocab", metavar="V.json")
@argument("corpus", metavar="[C.tsv|I.json]", required=False)
@output_options(threads=True)
def inspect_command(
    out: Output,
    vocab: str,
    corpus: str | None,
    rule: Any,
    diff: str | None,
    audited: bool,
    no_gains: bool,
    sort: str,
    only: str | None,
    top: int,
    no_vocabulary: bool,
) -> int:
    """Take a vocabulary apart.

    Its lengths, uses and gains, and tokens that do nothing.

    The gain of a token is how many more tokens the corpus needs when that one is left out,
    exactly, under the shortest path whatever the rule is; so is what --audit counts. --audit
    ranks the words that take more than one token by what holding them would save, and lists them
    while they save more than the tokens held gain, weakest first, as if they were exchanged one
    for one. In tables a space is shown as ␣.
    """
    from ...analysis.token_gains import anatomy, audit, difference

    vocabulary = Vocabulary.load(vocab)
    words = None if corpus is None else _words(corpus, vocabulary)
    if words is None:
        for option, given in (
            ("--audit", audited),
            ("--rule", rule is not None),
            (f"--sort {sort}", sort in ("uses", "gain")),
            (f"--only {only}", only not in (None, "cut")),
        ):
            if given:
                raise click.UsageError(f"{option} needs a corpus: inspect V.json C.tsv {option}")
    for option, given in (("--sort gain", sort == "gain"), ("--only absent", only == "absent")):
        if no_gains and given:
            raise click.UsageError(f"--no-gains and {option} exclude each other")
    if words is not None:
        for remark in other_words(vocabulary, words):
            out.note(remark)
    found = anatomy(vocabulary, words, rule, with_gains=not no_gains, threads=out.threads)
    data = found.to_json(tokens=not no_vocabulary)
    if diff is not None:
        other = Vocabulary.load(diff)
        if other.symbols != vocabulary.symbols:
            raise InputError(f"{diff}: over {other.symbols}, {vocab} is over {vocabulary.symbols}")
        there = anatomy(other, words, with_gains=False, threads=out.threads)
        data["diff"] = difference(found, there).to_json()
    if audited and words is not None:
        data["audit"] = audit(
            vocabulary, words, most=top, losses=found.gains, threads=out.threads
        ).to_json()
    keys = {"uses": found.uses, "gain": found.gains, "length": found.lengths}
    key = keys.get(sort)
    order = np.arange(len(vocabulary)) if key is None else np.argsort(-key, kind="stable")
    shown = {
        "unused": None if found.uses is None else found.uses == 0,
        "absent": None if found.occurrences is None else found.occurrences == 0,
        "parts": found.intermediate,
        "words": found.whole_words,
        "cut": found.cuts_character,
    }
    if only is not None and (mask := shown[only]) is not None:
        order = order[mask[order]]
    rows = [] if no_vocabulary else found.rows(order[:top])
    out.result(data, *_parts(data, rows, diff, top))
    return 0


def _words(corpus: str, vocabulary: Vocabulary) -> WordCounts:
    if corpus.endswith(".json"):
        words = Instance.load(corpus).words
        if words.symbols != vocabulary.symbols:
            raise InputError(
                f"{corpus}: words over {words.symbols}, the vocabulary is over {vocabulary.symbols}"
            )
        return words
    return WordCounts.load(corpus, vocabulary.symbols)


_FACTS = {
    "method": "method",
    "rule": "segmentation rule",
    "pretokenizer": "pre-tokenizer",
    "size": "tokens held",
    "special": "special tokens",
    "cut_characters": "that cut a character",
    "whole_words": "that are words of the corpus",
    "never_occur": "that are in no word",
    "never_used": "never used",
    "intermediate": "of them only parts of others",
    "without_gain": "that gain nothing",
    "words": "distinct words",
    "total_count": "words counted",
    "tokens": "tokens needed",
    "tokens_per_word": "tokens per word",
    "single_symbols": "of them single symbols",
}


def _parts(
    data: dict[str, Any], rows: list[dict[str, Any]], diff: str | None, top: int
) -> list[Listing | str]:
    """The tables to show; the CSV has the tokens."""
    known = {name: data[key] for key, name in _FACTS.items() if data.get(key) is not None}
    if "rule" in data:
        known["segmentation rule"] = data["rule"].replace("_", " ")
    lengths = _few(data["by_length"])
    names = {
        "order": "order",
        "token": "token",
        "length": "length",
        "occurrences": "occurs",
        "uses": "uses",
        "gain": "gain",
        "whole_word": "word",
        "cuts_character": "cuts a character",
        "intermediate": "only a part",
    }
    columns = {key: name for key, name in names.items() if rows and key in rows[0]}
    parts: list[Listing | str] = [replace(facts(known), data=rows)]
    parts.append(Listing(lengths, {key: key for key in lengths[0]} if lengths else {}, "by length"))
    if rows:
        parts.append(Listing(_shown(rows), columns))
    if "audit" in data:
        audit = data["audit"]
        columns = {
            "word": "word",
            "count": "count",
            "pieces": "tokens",
            "saves": "would save",
            "gain": "in all words",
        }
        title = f"words it should hold: {audit['total']:,} (tokens by the shortest path)"
        parts.append(Listing(_shown(audit["missing"], "word"), columns, title))
    if "diff" in data:
        two = data["diff"]
        sides = {"shared": two["shared"]}
        for side in ("here", "there"):
            sides[f"only {side}"] = len(two[f"only_{side}"])
            if two[f"tokens_{side}"] is not None:
                rule = two[f"rule_{side}"].replace("_", " ")
                sides[f"tokens needed {side}, {rule}"] = two[f"tokens_{side}"]
        parts += ["", facts(sides, f"here and there, in {diff}")]
        for side in ("here", "there"):
            listed = two[f"only_{side}"][:top]
            if listed:
                used = listed[0]["uses"] is not None
                columns = {"token": "token", **({"uses": "uses"} if used else {})}
                parts.append(Listing(_shown(listed), columns, f"only {side}"))
    return parts


def _shown(rows: list[dict[str, Any]], key: str = "token") -> list[dict[str, Any]]:
    return [{**row, key: _visible(row[key])} for row in rows]


def _few(lengths: list[dict[str, Any]], rows: int = 16) -> list[dict[str, Any]]:
    """The first lengths as they are, the others in one row."""
    if len(lengths) <= rows + 1:
        return lengths
    rest = lengths[rows:]
    row: dict[str, Any] = {key: sum(length[key] for length in rest) for key in rest[0]}
    row["length"] = f"{rest[0]['length']} to {rest[-1]['length']}"
    return [*lengths[:rows], row]


def _visible(token: str | list[int]) -> str:
    if isinstance(token, list):
        return " ".join(map(str, token))
    plain = token.replace("\t", "\\t").replace("\n", "\\n").replace("\r", "\\r")
    return plain.replace(" ", "␣")
