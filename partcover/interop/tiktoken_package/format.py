"""Defines the format of a package for tiktoken: its rank file, its pattern and its name."""

from __future__ import annotations

import hashlib
import json
import re
from pathlib import Path
from typing import Any

from ...errors import InputError
from ...runtime.files.writing import read_json, write_atomic
from ...vocabulary.vocabulary import Vocabulary
from ..format import Format, Replay, exported_module
from ..given_up import GivenUp
from ..ranks.numbered import vocabulary_of_ids
from ..ranks.one_pattern import adapt_to_pattern, one_pattern
from ..ranks.published import PUBLISHED
from ..ranks.replay import replay_with_tiktoken
from ..ranks.tiktoken import RULES, adapt_to_ranks, read_ranks, write_ranks

_FOLDER = "tiktoken_ext"  # the namespace package in which tiktoken looks for encodings
_FORMAT = "partcover-tiktoken-package"
# names of tiktoken's own: a second encoding of such a name makes every look-up fail
_TAKEN = {name for name, *_ in PUBLISHED.values() if name.endswith("_base")}
_TAKEN |= {"gpt2", "o200k_harmony", "p50k_edit"}
_PROJECT = """\
[build-system]
requires = ["setuptools>=61"]
build-backend = "setuptools.build_meta"

[project]
name = "{distribution}"
version = "1"
description = "An encoding that tiktoken.get_encoding finds by its name"
dependencies = ["tiktoken>=0.7"]

[tool.setuptools]
packages = ["{folder}"]

[tool.setuptools.package-data]
{folder} = ["{module}.json", "{module}.tiktoken"]
"""


def _adapt(vocabulary: Vocabulary, lost: list[GivenUp]) -> Vocabulary:
    return adapt_to_pattern(adapt_to_ranks(vocabulary, lost), lost)


def _write(vocabulary: Vocabulary, path: Path) -> list[str]:
    name = path.name
    if name in _TAKEN:
        raise InputError(
            "the folder's name becomes the encoding's, but tiktoken already has an encoding "
            f"{name!r}: name another folder"
        )
    distribution, module = _package_names(name)
    settings = {
        "format": _FORMAT,
        "version": 1,
        "name": name,
        "pretokenizer": vocabulary.pretokenizer,
        "pattern": one_pattern(vocabulary.pretokenizer),
        "special_tokens": dict(vocabulary.special),
    }
    project = _PROJECT.format(distribution=distribution, folder=_FOLDER, module=module)
    code = Path(__file__).with_name("encoding_module.py").read_text("utf-8")
    (path / _FOLDER).mkdir(parents=True)
    write_atomic(path / "pyproject.toml", project)
    remarks = write_ranks(vocabulary, path / _FOLDER / f"{module}.tiktoken")
    write_atomic(path / _FOLDER / f"{module}.json", json.dumps(settings, indent=1) + "\n")
    write_atomic(path / _FOLDER / f"{module}.py", code)
    return [*remarks, f"pip install it, then tiktoken.get_encoding({name!r})"]


def _package_names(name: str) -> tuple[str, str]:
    """Returns the names of the distribution and of the module, in ASCII, of an encoding's name."""
    plain = re.sub("[^a-z0-9]+", "-", name.lower()).strip("-")
    if not (plain and re.fullmatch(r"[\w.-]+", name, re.ASCII)):  # tell two such names apart
        plain = f"{plain}-{hashlib.sha256(name.encode()).hexdigest()[:8]}".lstrip("-")
    return f"tiktoken-{plain}", plain.replace("-", "_")


def _settings_of(path: Path) -> tuple[Path, dict[str, Any]]:
    """Returns the only settings of a folder, and what they hold."""
    found = sorted((path / _FOLDER).glob("*.json"))
    if len(found) != 1:
        raise InputError(f"{path / _FOLDER}: {len(found)} encodings, expected one")
    return found[0], read_json(found[0])


def _read(path: Path) -> tuple[Vocabulary, list[str]]:
    file, settings = _settings_of(path)
    special = settings.get("special_tokens")
    if settings.get("format") != _FORMAT or not isinstance(special, dict):
        raise InputError(f"{file}: not the settings of an encoding")
    rank_of, _ = read_ranks(file.with_suffix(".tiktoken"))
    pretokenizer, remarks = settings.get("pretokenizer"), []
    try:
        known = one_pattern(pretokenizer) == settings.get("pattern")
    except (AttributeError, InputError):  # no text, or no name of one
        known = False
    if not known:
        pretokenizer = None
        remarks.append("its pattern is not supported: name a pre-tokenizer with --pretokenizer")
    try:
        vocabulary = vocabulary_of_ids(
            rank_of, "merges", pretokenizer=pretokenizer, special=special
        )
    except InputError as error:
        raise InputError(f"{file}: {error}") from None
    return vocabulary, remarks


def _replay(path: Path) -> Replay:
    file, _ = _settings_of(path)
    [constructor] = exported_module(file.with_suffix(".py")).ENCODING_CONSTRUCTORS.values()
    return replay_with_tiktoken("replaying a package for tiktoken", **constructor())


TIKTOKEN_PACKAGE = Format(
    name="tiktoken-package",
    title="a package to install, in which tiktoken.get_encoding finds the folder's name",
    rules=RULES,
    write=_write,
    replay=_replay,
    read=_read,
    recognises=lambda path: any((path / _FOLDER).glob("*.tiktoken")),
    adapt=_adapt,
    unreached=True,
)
