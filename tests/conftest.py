"""Fixtures that several tests share."""

from __future__ import annotations

import pytest

from partcover import cli


@pytest.fixture
def run(capsys, tmp_path, monkeypatch):
    """Run the command in an empty folder: (status, standard output, standard error)."""
    monkeypatch.chdir(tmp_path)

    def call(*arguments):
        with pytest.raises(SystemExit) as stop:
            cli.main([str(a) for a in arguments])
        captured = capsys.readouterr()
        return stop.value.code, captured.out, captured.err

    return call
