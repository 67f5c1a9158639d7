"""Pickles dataclasses by their fields, without cached values."""

from __future__ import annotations

from dataclasses import fields
from typing import Any


def by_fields(self: Any) -> tuple[type, tuple[Any, ...]]:
    """Reduces a dataclass to a call of its class with all of its fields, as in `__reduce__`.

    Cached values are left out, so that an object pickles the same before and after its use, and
    values that cannot be pickled (a kernel's own memory) are computed again.
    """
    return type(self), tuple(getattr(self, field.name) for field in fields(self))
