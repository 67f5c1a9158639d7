"""The public API and the command line as text, for `public_api.txt`.

    python tests/public_api.py > tests/public_api.txt

renews the snapshot that `test_stability.py` compares with.  docs/reference/stability.md
says what is public.
"""

from __future__ import annotations

import importlib
import inspect
import re
from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from pathlib import Path
from typing import Any

import click
from cli.helpers import COMMANDS

import partcover
from partcover import trainers

MODULES = Path(__file__).parents[1] / "docs" / "reference" / "api" / "modules.md"
RETURNED = "## What some functions return\n"  # the section whose classes are public, too


def names() -> dict[str, Any]:
    """Everything public, by its full name."""
    found = {f"partcover.{name}": getattr(partcover, name) for name in partcover.__all__}
    found |= {f"partcover.trainers.{name}": getattr(trainers, name) for name in trainers.__all__}
    return found | returned()


def returned() -> dict[str, Any]:
    """The classes of what functions return, whose constructors are not public."""
    found = {}
    section = MODULES.read_text("utf-8").partition(RETURNED)[2].partition("\n## ")[0]
    for path in re.findall(r"~(partcover\.\S+)", section):
        module, _, name = path.rpartition(".")
        found[path] = getattr(importlib.import_module(module), name)
    return found


def signature(called: Any, leave_out: int = 0) -> str:
    """The parameters of a call with their defaults; types are checked by mypy."""
    try:
        parameters = list(inspect.signature(called).parameters.values())[leave_out:]
    except ValueError:  # of a class that is built in
        return "(...)"
    for number, parameter in enumerate(parameters):
        default = parameter.default
        if isinstance(default, frozenset):  # in an order that the hash seed does not change
            default = sorted(default)
        parameters[number] = inspect.Parameter(parameter.name, parameter.kind, default=default)
    return str(inspect.Signature(parameters))


def members(path: str, kind: type) -> Iterator[str]:
    """The public methods, properties and fields of a class, those of its bases too."""
    listed = {field.name for field in fields(kind)} if is_dataclass(kind) else set()
    listed |= {name for base in kind.__mro__ for name in vars(base) if base is not object}
    for name in sorted(name for name in listed if not name.startswith("_")):
        if any(name in vars(base) for base in (Exception, BaseException)):
            continue
        value = inspect.getattr_static(kind, name, None)
        if inspect.isfunction(value) and not value.__module__.startswith("partcover"):
            continue  # as of every mapping
        if isinstance(value, classmethod | staticmethod):
            yield f"{path}.{name}{signature(getattr(kind, name))}"
        elif inspect.isfunction(value):
            yield f"{path}.{name}{signature(value, 1)}"
        else:
            yield f"{path}.{name}"


def python() -> Iterator[str]:
    """A line for each public name of Python, and for each member of a class."""
    public = names()
    known = [value for value in public.values() if inspect.isclass(value)]
    for path, value in sorted(public.items()):
        if inspect.isclass(value):
            bases = [base.__name__ for base in value.__bases__ if base in known]
            parameters = "" if path in returned() else signature(value)
            yield " is ".join([f"{path}{parameters}", *bases])
            yield from members(path, value)
        else:
            yield f"{path}{signature(value)}" if callable(value) else path


def command_line() -> Iterator[str]:
    """A line for each command with its arguments, and for each of its options."""
    for name, command in sorted(COMMANDS.items()):
        arguments = [part for part in command.params if isinstance(part, click.Argument)]
        shown = " ".join(
            f"{part.name}{'' if part.nargs == 1 else '...'}{'' if part.required else '?'}"
            for part in arguments
        )
        yield f"partcover {name} {shown}".rstrip()
        for part in sorted(command.params, key=lambda part: part.opts):
            if isinstance(part, click.Option):
                kind = "" if part.is_flag else f" {_kind(part.type)}"
                known = not part.is_flag and isinstance(part.default, str | int | float)
                given = f" = {part.default}" if known else ""
                many = " (repeatable)" if part.multiple else ""
                must = " (required)" if part.required else ""
                yield f"    {', '.join(part.opts)}{kind}{given}{many}{must}"


def _kind(kind: click.ParamType[Any]) -> str:
    return "|".join(kind.choices) if isinstance(kind, click.Choice) else kind.name


def snapshot() -> str:
    """The text of `public_api.txt`."""
    return "\n".join([*python(), "", *command_line(), ""])


if __name__ == "__main__":
    print(snapshot(), end="")
