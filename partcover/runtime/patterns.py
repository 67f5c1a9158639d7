"""The library `regex`, imported when it is first used: most patterns have a kernel."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import regex
else:
    from .later import Later

    regex = Later("regex")

__all__ = ["regex"]
