"""The schemas that are shipped, and what of a JSON value is not as one of them says."""

from __future__ import annotations

import json
from collections.abc import Iterator
from importlib.resources import files
from typing import Any

import pytest

SCHEMAS: dict[str, dict[str, Any]] = {
    path.name.removesuffix(".json"): json.loads(path.read_text("utf-8"))
    for path in files("partcover").joinpath("schemas").iterdir()
    if path.name.endswith(".json")
}


def closed(schema: Any) -> Any:
    """The schema without room for further keys: a new key has to be written into it."""
    if isinstance(schema, list):
        return [closed(part) for part in schema]
    if not isinstance(schema, dict):
        return schema
    inner = {key: closed(part) for key, part in schema.items()}
    return {"additionalProperties": False, **inner} if "properties" in inner else inner


def keys(schema: Any) -> Iterator[str]:
    """The keys of all objects that a schema names."""
    if isinstance(schema, dict):
        yield from schema.get("properties", ())
        for part in schema.values():
            yield from keys(part)


def fault(data: Any, name: str, part: str | None = None) -> str | None:
    """What is wrong with a value by the closed schema, or by one of its definitions; or None."""
    library = pytest.importorskip("jsonschema")
    schema = SCHEMAS[name]
    whole = {"$defs": {key: closed(each) for key, each in schema.get("$defs", {}).items()}}
    whole |= closed({key: each for key, each in schema.items() if key != "$defs"})
    if part is not None:
        whole["$ref"] = f"#/$defs/{part}"
    errors = list(library.Draft202012Validator(whole).iter_errors(data))
    while errors and errors[0].context:  # of several shapes that which fits best
        shapes: dict[Any, list[Any]] = {}
        for error in errors[0].context:
            shapes.setdefault(error.schema_path[0], []).append(error)
        errors = min(shapes.values(), key=len)
    if not errors:
        return None
    where = "".join(f"[{key!r}]" for key in errors[0].absolute_path)
    return f"{name}{where}: {errors[0].message[:300]}"
