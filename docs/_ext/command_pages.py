"""Writes a page for each command of partcover from the command itself, before Sphinx reads pages.

A page has what ``partcover COMMAND --help`` has: usage, description, options below their headings,
and examples. No text is kept here.
"""

from __future__ import annotations

import inspect
import re
import textwrap
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from partcover.cli.commands import SECTIONS
from partcover.cli.main import cli

if TYPE_CHECKING:
    from sphinx.application import Sphinx

FOLDER = "generated/commands"  # below the source folder; the build may be deleted at any time


def setup(app: Sphinx) -> dict[str, Any]:
    """Registers the extension."""
    app.connect("builder-inited", write_pages)
    return {"parallel_read_safe": True, "parallel_write_safe": True}


def write_pages(app: Sphinx) -> None:
    """Writes the pages of all commands and the page that lists them."""
    folder = Path(app.srcdir, FOLDER)
    folder.mkdir(parents=True, exist_ok=True)
    pages = {"index": _index_page()}
    with click.Context(cli, info_name="partcover") as context:
        for names in SECTIONS.values():
            for name in names:
                command = cli.get_command(context, name)
                assert command is not None
                pages[name] = "\n".join(_command_page(command, context, level=0))
    for old in folder.glob("*.rst"):
        if old.stem not in pages:
            old.unlink()
    for name, text in pages.items():
        path = folder / f"{name}.rst"
        if not path.exists() or path.read_text("utf-8") != text:  # else Sphinx reads it again
            path.write_text(text, "utf-8")


def _index_page() -> str:
    """Returns the page that lists the commands, by heading."""
    lines = [*_title("Commands", 0), ".. program:: partcover", ""]
    with click.Context(cli, info_name="partcover") as context:
        lines += [*_usage(cli, context), *_description(cli)]
    for heading, commands in SECTIONS.items():
        lines += [*_title(heading, 1), ".. list-table::", "   :widths: 20 80", ""]
        for name, about in commands.items():
            lines += [f"   * - :doc:`{name}`", f"     - {_escape(about)}"]
        lines += ["", ".. toctree::", "   :hidden:", "", *(f"   {name}" for name in commands), ""]
    return "\n".join(lines)


def _command_page(command: click.Command, parent: click.Context, level: int) -> Iterator[str]:
    """Yields the lines about a command and its subcommands."""
    context = click.Context(command, info_name=command.name, parent=parent)
    short = command.name if level == 0 else context.command_path.removeprefix("partcover ")
    yield from _title(short or "", level)
    yield from _description(command)
    yield from _usage(command, context)
    yield from (f".. program:: {context.command_path}", "")
    for heading, options in _options(command).items():
        records = [option.get_help_record(context) for option in options]
        shown = [record for record in records if record is not None]
        if shown:
            yield from (f".. rubric:: {heading}", "")
        for names, about in shown:
            yield from (f".. option:: {names}", "")
            yield from (f"   {line}" for line in (_escape(about), ""))
    examples = getattr(command, "examples", ())
    if examples:
        yield from (".. rubric:: Examples", "", ".. code-block:: console", "")
        for line, about in examples:
            yield f"   $ {line}" + (f"  # {about}" if about else "")
        yield ""
    if isinstance(command, click.Group):
        for name in command.list_commands(context):
            subcommand = command.get_command(context, name)
            assert subcommand is not None
            yield from _command_page(subcommand, context, level + 1)


def _options(command: click.Command) -> dict[str, list[click.Option]]:
    """Returns the options of a command by heading, in the order of its help."""
    headings = [group.title for group in getattr(command, "option_groups", ())]
    groups: dict[str, list[click.Option]] = {heading: [] for heading in headings}
    for parameter in command.params:
        if isinstance(parameter, click.Option):
            groups.setdefault(getattr(parameter, "heading", "Options"), []).append(parameter)
    return groups


def _usage(command: click.Command, context: click.Context) -> list[str]:
    """Returns a block with the line of usage."""
    pieces = " ".join(command.collect_usage_pieces(context))
    return [".. code-block:: text", "", f"   {context.command_path} {pieces}", ""]


def _description(command: click.Command) -> Iterator[str]:
    """Yields the help of a command; paragraphs that click does not fold are literal blocks."""
    for paragraph in re.split(r"\n\s*\n", inspect.cleandoc(command.help or "")):
        if paragraph.startswith("\b"):
            yield from (".. code-block:: text", "")
            yield from textwrap.indent(paragraph.removeprefix("\b").strip("\n"), "   ").split("\n")
        else:
            yield _escape(" ".join(paragraph.split()))
        yield ""


def _title(text: str, level: int) -> tuple[str, str, str]:
    """Returns a heading."""
    return text, "=-~"[level] * len(text), ""


def _escape(text: str) -> str:
    """Returns text that reStructuredText shows as it is, with options as code."""
    escaped = re.sub(r"([\\*`_|<>])", r"\\\1", text)
    return re.sub(r"(?<![\w\\-])(--?[a-z][\w-]*)(?![\w\\])", r"``\1``", escaped)
