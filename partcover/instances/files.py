"""Reads the files of instances and records: their names, and the objects in them."""

from __future__ import annotations

from collections.abc import Mapping
from importlib.resources.abc import Traversable
from typing import Any

from ..errors import InputError

LARGEST = 2**63  # all numbers are below


def names_in(folder: Traversable) -> list[str]:
    """Lists the names of the JSON files of a folder, without the ending, ascending."""
    names = (file.name for file in folder.iterdir())
    return sorted(name.removesuffix(".json") for name in names if name.endswith(".json"))


def fields_of(data: Any, kinds: Mapping[str, Any], what: str) -> dict[str, Any]:
    """Returns an object's values, whose keys and types must be those expected."""
    if not isinstance(data, dict) or set(data) != set(kinds):
        raise InputError(f"'{what}' must be an object of {', '.join(kinds)}")
    for key, kind in kinds.items():
        value = data[key]
        taken = (int, float) if kind is float else kind
        is_taken = isinstance(value, taken) and (kind is bool or not isinstance(value, bool))
        if is_taken and isinstance(value, int | float):
            is_taken = 0 <= value < LARGEST  # which no NaN is
        if not is_taken:
            raise InputError(f"'{what}': {key} is {value!r:.100}")
    return dict(data)
