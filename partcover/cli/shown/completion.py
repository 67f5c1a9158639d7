"""Completes in the shell the names that a command takes, which are looked up only then."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from importlib import import_module
from typing import TypeAlias

import click

Completer: TypeAlias = Callable[[click.Context, click.Parameter, str], list[str]]


def _names(module: str, listing: str, separator: str = "") -> Completer:
    """Returns what completes a name of a listing, or the last of several that a separator joins.

    The listing is an iterable of names in a module of partcover, or a function that returns one.
    """

    def complete(context: click.Context, parameter: click.Parameter, incomplete: str) -> list[str]:
        names = getattr(import_module(f"partcover.{module}"), listing)
        place = incomplete.rfind(separator) + 1 if separator else 0
        before, last = incomplete[:place], incomplete[place:]
        listed: Iterable[str] = names() if callable(names) else names
        return [before + name for name in listed if name.startswith(last)]

    return complete


#: Completes one format of another library.
format_names = _names("interop", "FORMATS")
#: Completes one instance of the library.
instance_names = _names("instances.library", "names")
#: Completes the last of several methods.
method_names = _names("studies.methods", "METHODS", ",")
#: Completes the last rule of a pre-tokenizer.
pretokenizer_names = _names("corpus.pretokenizers.pretokenizer", "PRETOKENIZER_RULES", "+")
#: Completes one record.
record_names = _names("instances.records", "names")


def listed_formats() -> Iterable[tuple[str, Callable[[], str]]]:
    """Yields each format of another library, and what returns its title."""
    from ...interop import FORMATS

    for name in FORMATS:
        yield name, lambda name=name: FORMATS[name].title  # type: ignore[misc]
