"""Describes the input of a count: its plan, and the manifest beside the finished counts.

The manifest of ``counts.tsv`` is ``counts.tsv.manifest.json``: how the words were counted, the
versions of what counted them, the counts file with its SHA-256, and of every input its size, when
it was last modified, and its SHA-256.  Of a URL there is, in place of the last two, what its file
system tells versions by (an ETag, say).
"""

from __future__ import annotations

import importlib.metadata
import json
import os
import platform
import unicodedata
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from ..._version import __version__
from ...runtime.files.writing import write_atomic
from ..files.sources import Source, sha256_of
from ..files.tsv import Header
from .count import CountSettings
from .counts_file import Totals


def describe_plan(
    sources: Sequence[Source], settings: CountSettings, shard_bytes: int
) -> dict[str, Any]:
    """Returns, for JSON, what decides the shards of a count and what is in them."""
    header = settings.header
    return {
        "format": "partcover-count-plan",
        "version": 1,
        "pretokenizer": header.pretokenizer,
        "normalizer": header.normalizer,
        "symbols": settings.symbols,
        "key": settings.key,
        "all_files": settings.all_files,
        "versions": _versions(),
        "shard_bytes": shard_bytes,
        "inputs": [
            {"path": source.path, "size": source.size, "modified": source.modified}
            for source in sources
        ],
    }


def describe_merge(paths: Sequence[str], header: Header) -> dict[str, Any]:
    """Returns, for JSON, which counts are added up; of what is no file there is the name alone."""
    files = [(path, Path(path).stat() if Path(path).is_file() else None) for path in paths]
    return {
        "version": 1,
        "pretokenizer": header.pretokenizer,
        "normalizer": header.normalizer,
        "symbols": header.symbols,
        "merged": True,
        "versions": _versions(),
        "inputs": [
            {
                "path": path,
                "size": facts and facts.st_size,
                "modified": facts and facts.st_mtime_ns,
            }
            for path, facts in files
        ],
    }


def difference(old: Mapping[str, Any], new: Mapping[str, Any]) -> str | None:
    """Returns the first difference in how words are counted, for a message; None if there is none.

    Examples
    --------
    >>> from partcover.corpus.counting.manifest import difference
    >>> difference({"key": "text"}, {"key": "body"})
    "key was 'text' and is 'body'"
    """
    for key, value in new.items():
        if key not in ("shard_bytes", "inputs") and old.get(key) != value:
            return f"{key} was {old.get(key)!r} and is {value!r}"
    return None


def manifest_of(
    plan: Mapping[str, Any], hashes: Mapping[str, str], path: str, totals: Totals
) -> dict[str, Any]:
    """Returns the manifest of a counts file, for JSON.

    Parameters
    ----------
    plan : mapping
        From `describe_plan`.
    hashes : mapping
        The SHA-256 of each input that has one, by its absolute path.
    path : str
        The counts file.
    totals : Totals
        How much is in it.
    """
    facts = {key: value for key, value in plan.items() if key not in ("shard_bytes", "inputs")}
    return facts | {
        "format": "partcover-count-manifest",
        "counts": {
            "file": Path(path).name,
            "size": Path(path).stat().st_size,
            "sha256": sha256_of(path),
            "words": totals.words,
            "total_count": totals.total_count,
            "total_symbols": totals.total_symbols,
        },
        "inputs": [
            file
            | {
                "modified": _time(file["modified"]),
                "sha256": hashes.get(os.path.abspath(file["path"])),  # noqa: PTH100
            }
            for file in plan["inputs"]
        ],
    }


def write_manifest(
    plan: Mapping[str, Any], hashes: Mapping[str, str], path: str, totals: Totals
) -> None:
    """Writes the manifest of a counts file beside it; parameters as for `manifest_of`."""
    text = json.dumps(manifest_of(plan, hashes, path, totals), indent=2, ensure_ascii=False)
    write_atomic(f"{path}.manifest.json", text + "\n")


def _time(modified: int | str | None) -> str | None:
    """Returns a time in nanoseconds as ISO 8601, exactly; what is no number stays."""
    if not isinstance(modified, int):
        return modified
    seconds, rest = divmod(modified, 10**9)
    return f"{datetime.fromtimestamp(seconds, UTC):%Y-%m-%dT%H:%M:%S}.{rest:09}Z"


def _versions() -> dict[str, str]:
    return {
        "partcover": __version__,
        "python": platform.python_version(),
        "unicode": unicodedata.unidata_version,
        "regex": importlib.metadata.version("regex"),
    }
