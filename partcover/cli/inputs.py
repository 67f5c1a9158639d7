"""Reads what commands are given: an instance, tokens, budgets."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from ..corpus import symbols as sym
from ..corpus import tsv
from ..corpus.word_counts import WordCounts
from ..errors import InputError
from ..problem.group_budget import GroupBudget
from ..problem.instance import Instance
from ..runtime.file_kinds import HEADER, likely_mistake
from ..vocabulary.vocabulary import Vocabulary

__all__ = ["other_words", "parse_budgets", "read_group", "read_instance", "read_tokens"]

_TOKEN_FILES = ("candidates", "required", "forbidden", "prefix", "protected")


def read_group(text: str, symbols: sym.Symbols) -> GroupBudget:
    """The group that ``NAME=N:WHAT`` describes."""
    match = re.fullmatch(r"(.+?)=(\d+):(.+)", text)
    if match is None:
        raise InputError(
            f"--group {text}: NAME=N:WHAT is expected, as long=10:8- or de=50:german.txt"
        )
    name, limit, what = match.groups()
    lengths = re.fullmatch(r"(\d*)-(\d*)", what)
    if lengths is None:
        return GroupBudget(name, int(limit), frozenset(read_tokens(what, symbols)))
    least, most = (int(number) if number else None for number in lengths.groups())
    return GroupBudget(name, int(limit), None, 2 if least is None else least, most)


def parse_budgets(text: str | None, option: str = "-k") -> list[int]:
    """Budgets written with commas and ranges: ``1,2,5-10``; none of nothing."""
    budgets: list[int] = []
    for part in text.split(",") if text is not None else ():
        match = re.fullmatch(r"\s*(\d{1,9})\s*(?:-\s*(\d{1,9})\s*)?", part, re.ASCII)
        if match is None:
            raise InputError(
                f"{option} is {text!r}: whole numbers and ranges with commas are expected "
                "(1,2,5-10)"
            )
        first, last = int(match[1]), int(match[2] or match[1])
        if last < first or last - first >= 10_000:
            raise InputError(
                f"{option} is {text!r}: {part.strip()} is not a range of 1 to 10,000 numbers"
            )
        budgets += range(first, last + 1)
    return budgets


def other_words(vocabulary: Vocabulary, words: WordCounts) -> list[str]:
    """A remark where a vocabulary is for words of another pre-tokenizer than these."""
    names = vocabulary.pretokenizer, words.pretokenizer
    if None in names or names[0] == names[1]:
        return []
    return [f"the vocabulary is for words of {names[0]}, these were counted with {names[1]}"]


def read_instance(
    corpus: str,
    k: int | None,
    options: dict[str, Any],
    pretokenizer: str | None = None,
    *,
    free: bool = False,
) -> Instance:
    """The instance that a command's argument and options describe; `free`: k may be missing.

    `pretokenizer` is what the words were counted with, where their file does not say it.
    """
    symbols = options["symbols"]
    base: Instance | None = None
    if corpus.endswith(".json"):
        base = Instance.load(corpus)
        if symbols not in (None, base.symbols):
            raise InputError(f"{corpus}: the instance is over {base.symbols}, not {symbols}")
        words = base.words
    else:
        words = WordCounts.load(corpus, symbols)
    try:
        words = words.counted_with(pretokenizer)
    except InputError as error:
        raise InputError(f"{corpus}: {error}; leave --pretokenizer out") from None
    if k is None and free and base is None:
        k = len(words.data)  # no vocabulary uses more
    if k is None:
        if base is None:
            raise InputError("-k is missing: how many tokens may be chosen?")
        k = base.k
    given: dict[str, Any] = {}
    if base is not None:
        names = ("max_length", "min_count", "groups", "threshold", "source")
        given = {name: getattr(base, name) for name in (*names, *_TOKEN_FILES)}
    if options["weights"] is not None:
        weights = tsv.read_table(options["weights"], words.symbols)
        try:
            words = words.weighted(dict(weights))
        except InputError as error:
            raise InputError(f"{options['weights']}: {error}") from None
    if options["groups"]:
        groups = list(given.get("groups", ()))
        for text in options["groups"]:
            group = read_group(text, words.symbols)
            if any(group.name == other.name for other in groups):
                raise InputError(f"--group {text}: there is a group {group.name!r} already")
            groups.append(group)
        given["groups"] = groups
    for name in _TOKEN_FILES:
        if options[name] is not None:
            given[name] = read_tokens(options[name], words.symbols)
    for name in ("max_length", "min_count"):
        if options[name] is not None:  # 0 is for Instance to refuse
            given[name] = options[name]
    return Instance(words, k, **given)


def read_tokens(path: str, symbols: sym.Symbols) -> tuple[sym.Token, ...]:
    """Tokens from a vocabulary file (.json) or one a line, escaped as in the TSV."""
    if path.endswith(".json"):
        vocabulary = Vocabulary.load(path)
        if vocabulary.symbols != symbols:
            raise InputError(f"{path}: tokens over {vocabulary.symbols}, words over {symbols}")
        return vocabulary.tokens
    try:
        lines = Path(path).read_bytes().decode("utf-8-sig").split("\n")
    except OSError as error:
        raise InputError(f"{path}: cannot be read ({error.strerror or error})") from None
    except UnicodeDecodeError:
        raise InputError(f"{path}: not UTF-8; write other bytes as \\xHH") from None
    tokens = []
    for number, line in enumerate(lines, 1):
        if line in ("", "\r"):
            continue
        try:
            if "\t" in line or line.startswith(HEADER.decode()):
                raise InputError(
                    "tokens stand one a line, and a tab in one is written \\t"
                    f"{likely_mistake(path, 'text')}"
                )
            if symbols == "ints":
                token = sym.to_token([int(part) for part in line.split()], symbols)
            else:
                token = sym.unescape(line.removesuffix("\r"), symbols)
            if len(token) < 2:
                raise InputError(f"token {line!r} has fewer than two symbols")
        except ValueError as error:
            raise InputError(f"{path}:{number}: {error}") from None
        tokens.append(token)
    return tuple(tokens)
