"""The blocks of a Markdown document, run in order as a reader would run them.

A ``console`` block holds commands after ``$`` and what they print, both streams; a command must
succeed.  ``python`` blocks of a document are one program; an indented block, or one of ``text``,
right behind one is what it prints.  The cells of a tutorial run likewise, those that begin with
``%%sh`` in a shell; what they print is not in the document.  Of an output

- ``...`` stands for anything, a line of it for any lines;
- ``[2–5]`` is a number that the clock decides: any from 2 to 5;
- spaces, empty lines and the length of rules say nothing.

A comment before a block says what else there is to know: ``<!-- exit status 2 -->`` of its last
command, ``<!-- not run: WHY -->`` of a block that needs what a test has not got.  Of what is not
run, blocks that name no language included, the commands and options are looked up.
"""

from __future__ import annotations

import contextlib
import hashlib
import io
import os
import re
import shlex
import subprocess
import sys
from dataclasses import dataclass, field
from functools import cache
from importlib import import_module
from pathlib import Path

import click
from markdown_it import MarkdownIt
from shared.command_server import counting_clock

from partcover.cli.main import cli
from partcover.errors import MissingExtra

# pydoc_data.topics, the text of the documents, is another one in each version of Python: outputs
# are compared where it is the one that they were written with
TOPICS = "621dd9979c0fa9352b0cf488f3e69a7e2e1a088c8a017efb984d3863dd26bf7c"
TIME = 240  # seconds that a command may take
CLOCK = 0.02  # seconds of a time limit that are over when the clock is looked at
LANGUAGES = {"", "bash", "bibtex", "console", "json", "python", "text", "toml", "yaml"}
CELL = "{code-cell}"
RUN = ("console", "python", CELL)
SHELL = "%%sh\n"
_PYTHON = Path(sys.executable).parent
_STATUS = re.compile(r"<!-- exit status (\d+) -->")
_NOT_RUN = re.compile(r"<!-- not run: \S.* -->")
_VARY = "<!-- numbers vary -->"
_OPEN = re.compile(r"(\.\.\.|\[[\d,.]+–[\d,.]+\])")
_NUMBER = r"([\d,]*\.?\d+)"


@cache
def outputs_hold() -> bool:
    """Whether this Python has the text that the documents show."""
    topics = import_module("pydoc_data.topics").topics
    return hashlib.sha256(" ".join(topics.values()).encode()).hexdigest() == TOPICS


@dataclass
class Block:
    """A block of a document."""

    line: int
    language: str
    text: str
    remark: str = ""
    output: str | None = None

    @property
    def is_run(self) -> bool:
        return self.language in RUN and not _NOT_RUN.fullmatch(self.remark)

    def commands(self) -> list[tuple[str, str]]:
        """The commands of a console, each with what it prints."""
        parts = re.split(r"^\$ ", self.text.replace("\\\n", " "), flags=re.MULTILINE)
        assert not parts[0].strip(), f"line {self.line}: a console begins with $"
        return [(part.partition("\n")[0], part.partition("\n")[2]) for part in parts[1:]]


def is_known(language: str) -> bool:
    """Whether a block is run, only shown, or a directive that the site's build runs."""
    return language in LANGUAGES or language.startswith("{")


def blocks(path: Path) -> list[Block]:
    """The blocks of code of a document, outputs of Python with their programs."""
    found: list[Block] = []
    remark, behind_python = "", False
    for token in MarkdownIt("commonmark").parse(path.read_text("utf-8")):
        line = token.map[0] + 1 if token.map else 0
        if token.type in ("fence", "code_block"):
            language = token.info.strip()
            if behind_python and language in ("", "text"):
                found[-1].output = token.content
                if remark == _VARY:
                    found[-1].output = re.sub(r"\d[\d,.]*", "...", token.content)
                behind_python = False
            else:
                found.append(Block(line, language, token.content, remark))
                behind_python = language == "python"
            remark = ""
        elif token.type == "html_block":
            remark = token.content.strip()
        elif token.nesting >= 0:
            remark, behind_python = "", False
    return found


def matches(shown: str, printed: str) -> bool:
    """Whether an output is as a document shows it."""
    pattern = ""
    ranges = []
    for line in _lines(shown):
        if line == "...":
            pattern += r"(?:.*\n)*?"
            continue
        for part in _OPEN.split(line):
            if part == "...":
                pattern += ".*?"
            elif _OPEN.fullmatch(part):
                pattern += _NUMBER
                ranges.append([_value(end) for end in part[1:-1].split("–")])
            else:
                pattern += re.escape(part)
        pattern += "\n"
    match = re.fullmatch(pattern, "".join(f"{line}\n" for line in _lines(printed)))
    return match is not None and all(
        low <= _value(number) <= high
        for (low, high), number in zip(ranges, match.groups(), strict=True)
    )


def _value(number: str) -> float:
    return float(number.replace(",", ""))


def _lines(text: str) -> list[str]:
    """The lines that say something, with single spaces and short rules."""
    lines = (re.sub(r"([─-])\1{3,}", r"\1", " ".join(line.split())) for line in text.split("\n"))
    return [line for line in lines if line]


class Missing(Exception):
    """An optional library is not installed."""


@dataclass
class Reader:
    """One who types every block of a document, in order, in an empty folder.

    `commands` is the folder in which the command ``partcover`` is.  In programs the clock of time
    limits counts how often it is looked at (`command_server.counting_clock`).
    """

    folder: Path
    commands: Path
    names: dict[str, object] = field(default_factory=lambda: {"__name__": "__main__"})

    def read(self, block: Block) -> None:
        """Runs a block and holds what it prints against what is shown."""
        if not block.is_run:
            text = block.text.replace("\\\n", " ")
            for command in re.findall(r"^(?:\$ )?(partcover .*)", text, re.MULTILINE):
                look_up(command)
        elif block.language == CELL and block.text.startswith(SHELL):
            cell = block.text.removeprefix(SHELL)
            done = self._shell(["sh", "-e", "-c", cell])
            assert done.returncode == 0, f"{cell}\n{done.stdout}"
        elif block.language in ("python", CELL):
            self._python(block)
        else:
            commands = block.commands()
            status = _STATUS.fullmatch(block.remark)
            for number, (command, shown) in enumerate(commands, 1):
                wanted = int(status[1]) if status and number == len(commands) else 0
                self._command(command, shown, wanted)

    def _command(self, command: str, shown: str, status: int) -> None:
        done = self._shell(["bash", "-c", command])
        if "pip install 'partcover[" in done.stdout and "pip install 'partcover[" not in shown:
            raise Missing(done.stdout)
        assert done.returncode == status, f"$ {command}\n{done.stdout}"
        self._compare(f"$ {command}", shown, done.stdout)

    def _shell(self, line: list[str]) -> subprocess.CompletedProcess[str]:
        path = os.pathsep.join(map(str, (self.commands, _PYTHON, os.environ["PATH"])))
        return subprocess.run(
            line,
            cwd=self.folder,
            env={**os.environ, "PATH": path, "PYTHONUTF8": "1"},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=TIME,
            check=False,
        )

    def _python(self, block: Block) -> None:
        printed = io.StringIO()
        with (
            contextlib.chdir(self.folder),
            contextlib.redirect_stdout(printed),
            counting_clock(CLOCK),
        ):
            try:
                exec(compile(block.text, f"line {block.line}", "exec"), self.names)
            except ModuleNotFoundError as missing:  # another library that a page is about
                if (missing.name or "partcover").startswith("partcover"):
                    raise
                raise Missing(f"{missing.name} is not installed") from None
            except MissingExtra as missing:
                raise Missing(str(missing)) from None
        if block.language != CELL:
            self._compare(block.text, block.output or "", printed.getvalue())

    def _compare(self, typed: str, shown: str, printed: str) -> None:
        if outputs_hold():
            assert matches(shown, printed), f"{typed}\n\nshown:\n{shown}\nprinted:\n{printed}"


def look_up(command: str) -> None:
    """Finds the command of partcover and its options, without running it."""
    words = shlex.split(re.sub(r"[][]", "", command), comments=True)
    with click.Context(cli) as context:
        here: click.Command | None = cli
        for word in words[1:]:
            if word in ("|", "&&", ">"):
                break
            if isinstance(here, click.Group):
                here = here.get_command(context, word)
                assert here is not None, f"{command}: no command {word}"
            elif word.startswith("-") and len(word) > 1:
                names = {name for option in here.params for name in option.opts}
                assert word.partition("=")[0] in names, f"{command}: no option {word}"
