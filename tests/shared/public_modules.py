"""Finds the modules behind the public names that a file uses as ``pc.NAME``."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

WHOLE = "import partcover as pc"  # a name is imported when it is first used
_STUB = Path(__file__).parents[2] / "partcover" / "__init__.pyi"


@cache
def _modules() -> dict[str, tuple[str, ...]]:
    """Returns the module of each public name."""
    lines = re.findall(r"^from \.(\S+) import (\w+)", _STUB.read_text(), re.MULTILINE)
    return {name: tuple(module.split(".")) for module, name in lines}


def public_modules(text: str) -> set[tuple[str, ...]]:
    """Returns the modules whose public names a source uses."""
    return {_modules()[name] for name in re.findall(r"\bpc\.(\w+)", text)}
