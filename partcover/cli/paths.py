"""Declares parameters that name files, and checks them before a command starts."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ..corpus.files.sources import find_sources
from ..errors import InputError
from ..runtime.files.kinds import kind_of
from ..runtime.files.writing import check_writable, in_place

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

_ENDLESS = ("/dev/zero", "/dev/full", "/dev/random", "/dev/urandom")


class _Path(click.ParamType[str]):
    """A file, which a shell completes."""

    name = "file"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """Returns the path as text."""
        path = str(value)
        if not path:
            self.fail("expected a file name, not an empty text", param, ctx)
        if "\0" in path:
            self.fail(f"{path!r}: a file name cannot contain a zero byte", param, ctx)
        return path

    def shell_complete(
        self, ctx: click.Context, param: click.Parameter, incomplete: str
    ) -> list[CompletionItem[str]]:
        """Leaves the completion to the shell."""
        from click.shell_completion import CompletionItem

        return [CompletionItem(incomplete, type="file")]


class ReadablePath(_Path):
    """A file or folder that a command reads; ``-`` is standard input."""

    def paths(self, value: str) -> Iterator[str]:
        """Yields the files that a value names."""
        yield value


class GroupText(ReadablePath):
    """The text of ``--group``, which may name a file of tokens to read."""

    name = "group"

    def paths(self, value: str) -> Iterator[str]:
        """Yields the file behind ``NAME=N:``, unless that is a range of lengths."""
        members = value.rpartition(":")[2]
        if re.fullmatch(r"[0-9]*-[0-9]*", members) is None:
            yield members


class WritablePath(_Path):
    """A file that a command writes.

    It is a TABLE, which may be CSV, a FIGURE, a FOLDER or DIR, which may exist, or anything else.
    """

    def __init__(self, kind: str) -> None:
        self.kind = kind
        self.is_folder = kind in ("FOLDER", "DIR")

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """Returns the path as text."""
        path = super().convert(value, param, ctx)
        if path.startswith("-") and path != "-":
            self.fail(
                f"{path!r} looks like an option: name a file (./{path} if that is its name)",
                param, ctx,
            )  # fmt: skip
        if self.kind not in ("TABLE", "FIGURE") and path.lower().endswith(".csv"):
            name = param.opts[0] if param is not None else "this"
            self.fail(f"{path!r}: {name} does not write CSV; use another ending", param, ctx)
        return path


def check_paths(parameters: Sequence[click.Parameter], values: Mapping[str, Any]) -> list[str]:
    """Checks the files that a command reads and writes before it starts.

    Inputs that are devices without an end are refused, and outputs that cannot be written, that are
    an input (by whatever path), one of the files of an input folder, or the folder of an input, or
    that are another output.  Returns the files that no other run may write meanwhile.
    """
    read: list[tuple[str, str]] = []
    written: list[tuple[str, str]] = []
    figures: list[str] = []
    held: list[str] = []
    for parameter in parameters:
        value, kind, label = values.get(parameter.name or ""), parameter.type, _label(parameter)
        if isinstance(kind, ReadablePath):
            for text in value if isinstance(value, tuple) else (value,) if value else ():
                paths = list(kind.paths(text))
                if endless := [path for path in paths if os.path.realpath(path) in _ENDLESS]:
                    raise InputError(f"{endless[0]}: this device never ends: name a file")
                if _is(Path.is_dir, text) and _is(Path.is_file, output := values.get("path") or ""):
                    paths += _files_in(text, output, values.get("all_files"))
                read += [(label, path) for path in paths]
        elif isinstance(kind, WritablePath) and value is not None:
            written.append((label, value))
            figures += [value] if kind.kind == "FIGURE" else []
            if not (kind.is_folder and _is(Path.is_dir, value)):
                check_writable(value)
            # a folder may take the parts of several runs
            held += [] if kind.is_folder or in_place(value) else [value]
    check_apart(written, read)
    for path in figures:
        from ..report.figures import check_figure

        check_figure(path)
    return held


def check_apart(written: Sequence[tuple[str, str]], read: Iterable[tuple[str, str]] = ()) -> None:
    """Refuses outputs that are inputs or one another."""
    inputs = [(label, path) for label, path in read if path != "-"]
    for number, (label, path) in enumerate(written):
        if in_place(path):
            continue
        for other, source in inputs:
            if _same(path, source):
                raise InputError(
                    f"{label} {path}: would overwrite an input of {other}; name another file"
                )
            if _inside(source, path):
                raise InputError(
                    f"{label} {path}: it contains {source}, an input of {other}; name another "
                    "directory"
                )
        for other, target in written[:number]:
            if not in_place(target) and _same(path, target):
                raise InputError(f"{label} {path}: {other} writes the same file; name another file")


def _files_in(path: str, output: str, all_files: bool | None) -> list[str]:
    """Returns the files that are read of a folder, of those of a tokenizer only an output.

    `all_files` is None where the command reads no text.
    """
    files = [output] if _inside(output, path) and kind_of(output) == "tokenizer" else []
    if all_files is not None:
        with suppress(InputError):  # no text is there, as in the folder of a tokenizer
            files += [source.path for source in find_sources([path], all_files=all_files)]
    return files


def _label(parameter: click.Parameter) -> str:
    """Returns what messages call a parameter."""
    if isinstance(parameter, click.Argument):
        return "the command"
    return parameter.opts[0] if parameter.opts[0].startswith("-") else f"--{parameter.name}"


def _same(first: str, second: str) -> bool:
    """Whether two paths lead to one file, through links, hard links or letter case too."""
    try:
        return Path(first).samefile(second)
    except (OSError, ValueError):  # one of them does not exist
        return os.path.realpath(first) == os.path.realpath(second)


def _inside(source: str, target: str) -> bool:
    """Whether a file, an input or an output, lies in a folder."""
    if not _is(Path.is_dir, target) or _is(Path.is_dir, source):
        return False
    return os.path.realpath(source).startswith(os.path.realpath(target) + os.sep)


def _is(kind: Callable[[Path], bool], path: str) -> bool:
    """Whether a path is of a kind, ``Path.is_dir`` or ``Path.is_file``."""
    try:
        return kind(Path(path))
    except OSError:  # a name too long, say
        return False
