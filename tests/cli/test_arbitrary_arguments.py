"""Commands with arguments that nobody means: a result or one line, and nothing written beside."""

from __future__ import annotations

import os
from random import Random

import click
import pytest
from cli.helpers import COMMANDS

VALUES = [
    "", " ", "-", "--", "0", "1", "-1", "2", "9" * 30, "1e999", "nan", "inf", "0.5", "1-", "-3",
    "1,,2", "1-9999999999", "\x00", "é\U0010ffff", "\udcff", "a" * 5000, "%s%n", "$(x)",
    "nowhere/f.json", ".", "C.tsv", "V.json", "I.json", "text.txt", "x=1:C.tsv", "x=-1:2-3",
    "{}", "[", "bytes", "ints",
]  # fmt: skip
FILES = ["C.tsv", "V.json", "I.json", "text.txt", "."]
LONG = {"demo", "worst", "reproduce", "instances check"}  # whatever their arguments
TRIES = int(os.environ.get("PARTCOVER_FUZZ", "8"))  # for each command; more by hand


@pytest.mark.parametrize("name", sorted(COMMANDS.keys() - LONG))
def test_any_arguments_end_in_a_result_or_a_line(run, tmp_path, name):
    (tmp_path / "C.tsv").write_text("abab\t3\nba\t1\n")
    (tmp_path / "text.txt").write_text("abab ba\n")
    (tmp_path / "V.json").write_text('{"version": 1, "symbols": "bytes", "tokens": ["ab"]}')
    words = '{"version": 1, "symbols": "bytes", "words": [["abab", 3]], "k": 1}'
    (tmp_path / "I.json").write_text(words)
    before = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    options = [each for each in COMMANDS[name].params if isinstance(each, click.Option)]
    options = [each for each in options if each.name not in ("help", "output", "write_certificate")]
    options = [
        each for each in options if not (each.name or "").startswith(("write", "plot", "ev"))
    ]
    limited = [each for each in options if each.name == "time_limit"]
    draw = Random(name)
    for _ in range(TRIES):
        arguments = draw.choices(FILES if draw.random() < 0.7 else VALUES, k=draw.randrange(4))
        for option in draw.sample(options, min(len(options), draw.randrange(4))):
            arguments.append(option.opts[-1])
            if not option.is_flag:
                arguments.append(draw.choice(VALUES))
        arguments += ["--time-limit", "0.1"] if limited else []
        status, _, error = run(*name.split(), *arguments)
        assert status in (0, 2, 3, 4, 5, 6), (arguments, error)
        assert "Traceback" not in error, arguments
        after = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
        assert before.items() <= after.items(), arguments
        assert name == "report" or after == before, arguments
