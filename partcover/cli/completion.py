"""Completes in the shell the names that options take, which are looked up only then."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TypeAlias

import click

__all__ = ["format_names", "method_names", "pretokenizer_names"]

Completer: TypeAlias = Callable[[click.Context, click.Parameter, str], list[str]]


def _names(listed: Callable[[], Iterable[str]], separator: str) -> Completer:
    """Returns what completes the last of some names that a separator joins."""

    def complete(context: click.Context, parameter: click.Parameter, incomplete: str) -> list[str]:
        before, joined, last = incomplete.rpartition(separator)
        return [before + joined + name for name in listed() if name.startswith(last)]

    return complete


def _formats() -> Iterable[str]:
    from ..interop import FORMATS

    return FORMATS


def _methods() -> Iterable[str]:
    from ..studies.methods import METHODS

    return METHODS


def _pretokenizers() -> Iterable[str]:
    from ..corpus.pretokenizers import PRETOKENIZER_RULES

    return PRETOKENIZER_RULES


#: Completes one format of another library.
format_names = _names(_formats, "\0")
#: Completes the last of several methods.
method_names = _names(_methods, ",")
#: Completes the last rule of a pre-tokenizer.
pretokenizer_names = _names(_pretokenizers, "+")
