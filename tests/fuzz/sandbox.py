"""Runs commands in a folder of small files, and checks how each ends and what it wrote."""

from __future__ import annotations

import io
import json
import os
import re
import shutil
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, chdir, redirect_stderr, redirect_stdout
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any
from unittest.mock import patch

from fuzz.arguments import CONDITIONS, NAMED, C, fitting, given, options
from fuzz.inputs import limited
from fuzz.targets import SEEDS

from partcover import WordCounts
from partcover.cli.main import main
from partcover.cli.paths import WritablePath
from partcover.instances.records import Record

DOCUMENTED = Path(__file__).parents[2] / "docs" / "reference" / "exit-statuses.md"
STATUSES = {int(row) for row in re.findall(r"(?m)^\| (\d+) \|", DOCUMENTED.read_text("utf-8"))}
# what a command writes beside a file that it was asked to write
BESIDE = r"(\.manifest\.json|\.part|\.part\.json|\.shards.*)?"


@dataclass(frozen=True)
class Outcome:
    """What a command did: its exit status, what it wrote, and the files that were asked for."""

    status: Any
    output: str
    error: str
    asked: list[str]


class Sandbox:
    """A folder in which commands are run, and which is put back as it was after each.

    Parameters
    ----------
    folder : Path
        An empty folder.
    """

    def __init__(self, folder: Path) -> None:
        self.root = folder.resolve()
        self.work, self.temporary = self.root / "work", self.root / "temporary"
        self.work.mkdir()
        self.temporary.mkdir()
        self._fill()
        self.before = dict(self._state())

    def _fill(self) -> None:
        """Writes the files that lines name."""
        words = {"A.tsv": "banana\t2\n", "B.tsv": "bandana\t1\nana\t3\n"}
        for name, text in {
            **words,
            "C.tsv": "".join(words.values()),
            "text.txt": "banana bandana ana\nana banana ana\n",
            "more.txt": "bandana ban\n",
            "tokens.txt": "an\nban\n",
            "whole.txt": "bandana\n",
            "weights.tsv": "banana\t2\nbandana\t3\nana\t1\n",
            "ids.txt": "97 98 256\n257 0\n",
            "V.json": '{"version": 1, "symbols": "bytes", "tokens": ["an", "ban"],'
            ' "pretokenizer": "gpt2", "special": {"<s>": 258}}',
            "empty": "",
        }.items():
            self.work.joinpath(name).write_text(text)
        self.work.joinpath("zeros").write_bytes(bytes(99))
        self.work.joinpath("noise").write_bytes(Random(0).randbytes(999))
        for seed, name in {
            "tokenizer/bpe.json": "bpe.json",
            "vocabulary/unigram.json": "unigram.json",
            "ids/bare.bin": "bare.bin",
            "instance/plain.json": "I.json",
            "graph/edges.txt": "graph.txt",
            "formula/small.cnf": "formula.cnf",
            "model/m.mps": "m.mps",
            "solution/highs.sol": "S.sol",
            "head_certificate/head.cert": "H.cert",
        }.items():
            shutil.copyfile(SEEDS / seed, self.work / name)
        counted = WordCounts.load(self.work / "C.tsv")
        about = Record("record", "bananas", "", (), counted.digest, len(counted), 6)
        about.save(self.work / "record.json")
        self.work.joinpath("folder").mkdir()
        self.work.joinpath("folder", "f.txt").write_text("banana\n")
        self.work.joinpath("odd").mkdir()
        self.work.joinpath("odd", "f.odd").write_text("banana\n")
        self.work.joinpath("loop").symlink_to("loop")
        self.work.joinpath("dangling").symlink_to("away")
        conditions = {each.name: given(each, fitting(each)[0]) for each in options("bound")}
        for line in (
            *(f"bound {C} -o {name}.cert {' '.join(conditions[name])}" for name in CONDITIONS),
            f"bound {C} --iterations 50 -o P.cert",
            "audit bpe.json text.txt --time-limit 0.1 --write-certificate U.cert",
            "extend bpe.json text.txt -m 1 -o E.json --write-certificate E.cert",
            "reduce graph.txt -k 2 -o R.json",
            "solve R.json -o S.json",
        ):
            done = self.run(line.split())
            assert done.status == 0, (line, done.error)

    def run(self, arguments: Sequence[str]) -> Outcome:
        """Runs ``partcover`` in this process, with a text as standard input."""
        asked: list[str] = []
        convert = WritablePath.convert

        def noted(self: WritablePath, value: Any, *about: Any) -> str:
            asked.append(convert(self, value, *about))
            return asked[-1]

        streams = [io.TextIOWrapper(io.BytesIO(), "utf-8", "backslashreplace") for _ in "oe"]
        text = io.TextIOWrapper(io.BytesIO(b"banana ana\n"))
        status: Any = None
        with ExitStack() as stack:
            stack.enter_context(chdir(self.work))
            stack.enter_context(patch.object(WritablePath, "convert", noted))
            stack.enter_context(patch.object(tempfile, "tempdir", str(self.temporary)))
            stack.enter_context(patch.dict(os.environ, {"TMPDIR": str(self.temporary)}))
            stack.enter_context(patch.object(sys, "stdin", text))
            stack.enter_context(redirect_stdout(streams[0]))
            stack.enter_context(redirect_stderr(streams[1]))
            stack.enter_context(limited())
            try:
                main(list(arguments))
            except SystemExit as stop:
                status = stop.code
        for stream in streams:
            stream.flush()
        # what is written to - may be no text
        output, error = (s.buffer.getvalue().decode(errors="backslashreplace") for s in streams)
        return Outcome(status, output, error, asked)

    def attempt(self, arguments: Sequence[str]) -> Outcome:
        """Runs a command, checks how it ends, and puts the folder back.

        Raises
        ------
        Hang
            After some seconds of the processor.
        AssertionError
            If the status is none of the documented ones, a refusal is no line, or a file has
            changed that the command was not asked to write.
        """
        try:
            done = self.run(arguments)
        finally:
            changed = self._restore()
        assert done.status in STATUSES, (done.status, done.error)
        assert "Traceback" not in done.error, done.error
        lines = done.error.splitlines()
        # a certificate that does not hold is an error of the commands that build on it
        refused = done.status == 2 or (done.status == 6 and not done.output)
        if refused and not done.output.startswith("Usage"):
            assert lines, "a refusal says what is wrong"
            assert lines[-1].startswith("partcover"), done.error
            assert lines[-1].isprintable(), done.error
        if not refused and "--json" in arguments and "-" not in done.asked:
            json.loads(done.output, parse_constant=_refuse)
        _check_hints(arguments, done.error)
        paths = [str(self.work / path) for path in done.asked]
        wanted = [follow(path) for path in paths for follow in (os.path.abspath, os.path.realpath)]
        wanted += [str(self.work / "report.html")] * (list(arguments[:1]) == ["report"])
        for path in changed:
            assert any(_belongs(str(path), file) for file in wanted), f"{path} was written"
        return done

    def _state(self) -> Iterator[tuple[Path, bytes | str | None]]:
        """Yields every path with what is there: bytes, the target of a link, or a folder."""
        for path in sorted(self.root.rglob("*")):
            if path.is_symlink():
                yield path, str(path.readlink())
            else:
                yield path, None if path.is_dir() else path.read_bytes()

    def _restore(self) -> list[Path]:
        """Puts the folder back as it was; returns what was changed."""
        after = dict(self._state())
        keys = sorted(self.before.keys() | after.keys())
        missing = object()
        changed = [
            path for path in keys if self.before.get(path, missing) != after.get(path, missing)
        ]
        for path in reversed(changed):
            if path in after:
                if path.is_dir() and not path.is_symlink():
                    path.rmdir()
                else:
                    path.unlink()
        for path in changed:
            if path in self.before:
                old = self.before[path]
                if old is None:
                    path.mkdir()
                elif isinstance(old, str):
                    path.symlink_to(old)
                else:
                    path.write_bytes(old)
        return changed


def _belongs(path: str, file: str) -> bool:
    """Whether a path is a file that was asked for, in a folder that was, or beside it.

    With several budgets, each has its own file, such as P-3.cert.
    """
    if path.startswith(file + os.sep):
        return True
    ending = Path(file).suffix
    of_budget = rf"{re.escape(file.removesuffix(ending))}-\d+{re.escape(ending)}"
    return re.fullmatch(f"{re.escape(file)}{BESIDE}|{of_budget}", path) is not None


def _check_hints(arguments: Sequence[str], said: str) -> None:
    """Checks that the command has each option that a message names, or one that it names does.

    What a message repeats of the arguments counts as none.
    """
    line = " ".join(arguments)
    named = NAMED.keys() - {""}
    commands = [name for name in named if re.match(rf"{name}( |$)", line)]
    commands += [name for name in named if f"`{name}" in said or f"{name} --" in said]
    known = {flag for name in commands for option in options(name) for flag in option.opts}
    for hint in re.findall(r"(?<![\w-])--[a-z][a-z-]*", said) if commands else ():
        repeated = any(argument.startswith(hint) for argument in arguments)
        assert repeated or hint in known | {"--help"}, f"{line} has no {hint}: {said}"


def _refuse(constant: str) -> None:
    raise AssertionError(f"{constant} is no JSON")
