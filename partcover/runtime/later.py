"""Imports a module when it is first used: counting words and training need no NumPy."""

from __future__ import annotations

from importlib import import_module
from typing import Any


class Later:
    """Stands for a module, which is imported when something of it is first used.

    Parameters
    ----------
    name : str
        The module.
    """

    def __init__(self, name: str) -> None:
        self._name = name

    def __getattr__(self, name: str) -> Any:
        value = getattr(import_module(self._name), name)
        setattr(self, name, value)  # so it is found without this function from then on
        return value
