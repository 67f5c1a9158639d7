"""Pickles dataclasses by their fields, without cached values."""

from __future__ import annotations

from dataclasses import fields
from types import MappingProxyType
from typing import Any


def by_fields(self: Any) -> tuple[type, tuple[Any, ...]]:
    """Reduces a dataclass to a call of its class with all of its fields, as in `__reduce__`.

    Cached values are left out, so that an object pickles the same before and after its use, and
    values that cannot be pickled (a kernel's own memory) are computed again.
    """
    values = (getattr(self, field.name) for field in fields(self))
    # a read-only view of a mapping cannot be pickled
    return type(self), tuple(dict(v) if type(v) is MappingProxyType else v for v in values)
