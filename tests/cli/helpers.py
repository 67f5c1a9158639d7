"""What tests of commands share: a text, the commands by name, and what results look like."""

from __future__ import annotations

import json

import click

from partcover.cli.main import cli

SHARED = {
    "method", "k", "words", "total_count", "symbols", "candidates", "tokens", "cover",
    "tokens_per_word", "lower_bound", "gap", "status", "termination", "seconds", "seed",
    "threads", "vocabulary", "rule",
}  # fmt: skip

TEXT = "the cat sat on the mat and the cat ate the rat that sat on the other mat\n" * 3


def as_json(result):
    status, out, _ = result
    assert out.count("\n") == 1, "one JSON object"
    return status, json.loads(out)


def fails(result, *parts, status=2):
    """One line on standard error that says what and where; nothing on standard output."""
    code, out, error = result
    assert (code, out) == (status, "")
    assert error.count("\n") == 1
    assert "Traceback" not in error
    for part in parts:
        assert part in error


def commands():
    """Every command with its name, those of `instances` too."""
    for name, later in cli.commands.items():
        command = later.load()
        assert (command.name, command.get_short_help_str(100)) == (name, later.short_help)
        if isinstance(command, click.Group):
            for inner, part in command.commands.items():
                yield f"{name} {inner}", part
        else:
            yield name, command


COMMANDS = dict(commands())
