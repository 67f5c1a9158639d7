"""Pickles dataclasses by what they are made from, not by what is computed since."""

from __future__ import annotations

from dataclasses import fields
from typing import Any

__all__ = ["by_fields"]


def by_fields(self: Any) -> tuple[type, tuple[Any, ...]]:
    """Reduce a dataclass to a call of its class with all of its fields, as `__reduce__` does.

    What is cached is left out, so that an object pickles alike before and after its use, and what
    cannot be pickled (a kernel's own memory) is made anew.
    """
    return type(self), tuple(getattr(self, field.name) for field in fields(self))
