"""Describes an installation: the versions of all its parts, and how it was compiled."""

from __future__ import annotations

import importlib.metadata
import importlib.resources
import json
import platform
import re
from typing import Any

from .._version import __version__

_DISTRIBUTION = "partcover"
_NAME = re.compile(r"[\w.-]+")
_EXTRA = re.compile(r"""extra\s*==\s*["']([^"']+)""")
#: Extras for developers of partcover, which are not needed at run time.
_DEVELOPMENT = {"all", "bench", "dev", "docs"}


def describe_installation() -> dict[str, Any]:
    """Returns the versions of partcover, Python and the libraries, and how it was compiled.

    Returns
    -------
    dict
        ``partcover``, ``python`` and ``platform``; ``build``, how the kernels were compiled (empty
        if not recorded); ``libraries``, the version of each library that every installation needs;
        ``extras``, the same for the libraries of each extra.  The version of a library that is not
        installed is None.

    Examples
    --------
    >>> from partcover.runtime.versions import describe_installation
    >>> installation = describe_installation()
    >>> list(installation)
    ['partcover', 'python', 'platform', 'build', 'libraries', 'extras']
    >>> "numpy" in installation["libraries"]
    True
    """
    libraries: dict[str, str | None] = {}
    extras: dict[str, dict[str, str | None]] = {}
    for requirement in _requirements():
        name = _NAME.match(requirement)
        if name is None or name[0] == _DISTRIBUTION:
            continue
        extra = _EXTRA.search(requirement)
        if extra is None:
            libraries[name[0]] = _version(name[0])
        elif extra[1] not in _DEVELOPMENT:
            extras.setdefault(extra[1], {})[name[0]] = _version(name[0])
    return {
        "partcover": __version__,
        "python": f"{platform.python_implementation()} {platform.python_version()}",
        "platform": platform.platform(),
        "build": _build(),
        "libraries": libraries,
        "extras": extras,
    }


def _requirements() -> list[str]:
    """Returns the requirements of the installed distribution; none if it is not installed."""
    try:
        return importlib.metadata.requires(_DISTRIBUTION) or []
    except importlib.metadata.PackageNotFoundError:
        return []


def _version(name: str) -> str | None:
    try:
        return importlib.metadata.version(name)
    except importlib.metadata.PackageNotFoundError:
        return None


def _build() -> dict[str, str]:
    """Returns the options that the build recorded next to the kernels."""
    file = importlib.resources.files("partcover.kernels") / "build.json"
    try:
        recorded: dict[str, str] = json.loads(file.read_text("utf-8"))
    except OSError:
        return {}
    return recorded
