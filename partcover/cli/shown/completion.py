"""Completes in the shell the names that a command takes, which are looked up only then."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TypeAlias

import click

__all__ = [
    "format_names",
    "instance_names",
    "listed_formats",
    "method_names",
    "pretokenizer_names",
    "record_names",
]

Completer: TypeAlias = Callable[[click.Context, click.Parameter, str], list[str]]


def _names(listed: Callable[[], Iterable[str]], separator: str = "") -> Completer:
    """Returns what completes a name, or the last of several that a separator joins."""

    def complete(context: click.Context, parameter: click.Parameter, incomplete: str) -> list[str]:
        place = incomplete.rfind(separator) + 1 if separator else 0
        before, last = incomplete[:place], incomplete[place:]
        return [before + name for name in listed() if name.startswith(last)]

    return complete


def _formats() -> Iterable[str]:
    from ...interop import FORMATS

    return FORMATS


def listed_formats() -> Iterable[tuple[str, Callable[[], str]]]:
    """Yields each format of another library, and what returns its title."""
    from ...interop import FORMATS

    for name in FORMATS:
        yield name, lambda name=name: FORMATS[name].title  # type: ignore[misc]


def _instances() -> Iterable[str]:
    from ...instances import library

    return library.names()


def _methods() -> Iterable[str]:
    from ...studies.methods import METHODS

    return METHODS


def _records() -> Iterable[str]:
    from ...instances import records

    return records.names()


def _pretokenizers() -> Iterable[str]:
    from ...corpus.pretokenizers.pretokenizer import PRETOKENIZER_RULES

    return PRETOKENIZER_RULES


#: Completes one format of another library.
format_names = _names(_formats)
#: Completes one instance of the library.
instance_names = _names(_instances)
#: Completes the last of several methods.
method_names = _names(_methods, ",")
#: Completes the last rule of a pre-tokenizer.
pretokenizer_names = _names(_pretokenizers, "+")
#: Completes one record.
record_names = _names(_records)
