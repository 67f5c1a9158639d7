"""Fixtures that tests of several commands share."""

from __future__ import annotations

import contextlib
import io
import shutil

import pytest
from cli.helpers import TEXT

from partcover.cli.main import main


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """Fills a folder by a function, once a module, and copies it: made(fill, to).

    `fill` gets a function that runs a command in the folder; the command must succeed.
    """
    folders = {}

    def run(*arguments):
        with (
            contextlib.redirect_stdout(io.StringIO()),
            contextlib.redirect_stderr(io.StringIO()) as error,
            pytest.raises(SystemExit) as stop,
        ):
            main([str(argument) for argument in arguments])
        assert stop.value.code == 0, error.getvalue()

    def copied(fill, to):
        if fill not in folders:
            folder = tmp_path_factory.mktemp("made")
            with contextlib.chdir(folder):
                fill(run)
            folders[fill] = folder
        shutil.copytree(folders[fill], to, dirs_exist_ok=True)

    return copied


@pytest.fixture
def counts(run, tmp_path):
    """A counted-words file made by ``partcover count``."""
    (tmp_path / "text.txt").write_text(TEXT)
    assert run("count", "text.txt", "-o", "C.tsv", "--quiet")[0] == 0
    return "C.tsv"
