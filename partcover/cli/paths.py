"""Declares parameters that name files, and checks them before a command starts."""

from __future__ import annotations

import contextlib
import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ..corpus.files.sources import find_sources
from ..errors import InputError
from ..runtime.files.locks import held_output
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


def check_paths(parameters: Sequence[click.Parameter], values: Mapping[str, Any]) -> None:
    """Checks the files that a command reads and writes before it starts.

    Inputs that are devices without an end are refused, and outputs that cannot be written, that are
    an input (by whatever path), one of the files of an input folder, or the folder of an input, or
    that are another output.
    """
    read: list[tuple[str, str]] = []
    written: list[tuple[str, str]] = []
    figures: list[str] = []
    for parameter in parameters:
        value = values.get(parameter.name or "")
        if value is None:
            continue
        label = _label(parameter)
        for text in value if isinstance(value, tuple) else (value,):
            if isinstance(parameter.type, ReadablePath):
                paths = list(parameter.type.paths(text))
                if endless := list(filter(_is_endless, paths)):
                    raise InputError(f"{endless[0]}: this device never ends: name a file")
                read += [(label, path) for path in paths]
                if "all_files" in values and _is(Path.is_file, values["path"] or ""):
                    read += [(label, path) for path in _files_in(text, values["all_files"])]
            elif isinstance(parameter.type, WritablePath):
                written.append((label, text))
                if not (parameter.type.is_folder and _is(Path.is_dir, text)):
                    check_writable(text)
                if parameter.type.kind == "FIGURE":
                    figures.append(text)
    check_apart(written, read)
    for path in figures:
        from ..report.figures import check_figure

        check_figure(path)


@contextlib.contextmanager
def held_outputs(
    parameters: Sequence[click.Parameter], values: Mapping[str, Any]
) -> Iterator[None]:
    """Keeps other runs from writing the files that a command writes, during the block."""
    with contextlib.ExitStack() as stack:
        for parameter in parameters:
            path, kind = values.get(parameter.name or ""), parameter.type
            if path is None or not isinstance(kind, WritablePath):
                continue
            # a folder may take the parts of several runs
            if not kind.is_folder and not in_place(path):
                stack.enter_context(held_output(Path(path)))
        yield


def _is_endless(path: str) -> bool:
    return os.path.realpath(path) in _ENDLESS


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


def _files_in(path: str, all_files: bool) -> list[str]:
    """Returns the files that are read of a folder."""
    if not _is(Path.is_dir, path):
        return []
    return [source.path for source in find_sources([path], all_files=all_files)]


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
    """Whether an input lies in a folder that is written."""
    if not _is(Path.is_dir, target) or _is(Path.is_dir, source):
        return False
    return os.path.realpath(source).startswith(os.path.realpath(target) + os.sep)


def _is(kind: Callable[[Path], bool], path: str) -> bool:
    """Whether a path is of a kind, ``Path.is_dir`` or ``Path.is_file``."""
    try:
        return kind(Path(path))
    except OSError:  # a name too long, say
        return False
