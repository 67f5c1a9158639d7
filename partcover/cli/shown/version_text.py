"""Writes what ``partcover --version --verbose`` shows."""

from __future__ import annotations

from collections.abc import Mapping

from ...runtime.versions import describe_installation

__all__ = ["version_text"]


def version_text() -> str:
    """Returns the versions of all parts, and how the kernels were compiled, as indented lines."""
    installed = describe_installation()
    lines = [f"{key:<9} {installed[key]}" for key in ("partcover", "python", "platform")]
    lines += _section("compiled", installed["build"])
    lines += _section("libraries", installed["libraries"])
    for extra, libraries in installed["extras"].items():
        lines += _section(f"partcover[{extra}]", libraries)
    return "\n".join(lines)


def _section(title: str, rows: Mapping[str, str | None]) -> list[str]:
    return [title, *(f"  {name:<15} {text or 'not installed'}" for name, text in rows.items())]
