"""Fixtures that several tests share."""

from __future__ import annotations

import re
import signal
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

import pytest
from interop.cases import counted_words

from partcover.cli import main as cli
from partcover.errors import MissingExtra

# What a script starts in the background ignores Ctrl-C, and so does all that it starts in turn, as
# nohup does with SIGHUP: the processes that tests interrupt must not.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)
if hasattr(signal, "SIGHUP") and signal.getsignal(signal.SIGHUP) is signal.SIG_IGN:
    signal.signal(signal.SIGHUP, lambda *_: None)  # which a started process does not inherit

ROOT = Path(__file__).parents[1]
CACHES = {".hypothesis", ".mypy_cache", ".pytest_cache", ".ruff_cache", "build"}


@pytest.fixture(scope="session", autouse=True)
def _nothing_is_left_in_the_repository():
    """Tests write below ``tmp_path`` alone."""
    before = {path.name for path in ROOT.iterdir()} | CACHES
    yield
    left = sorted({path.name for path in ROOT.iterdir()} - before)
    assert not left, f"left in the repository by some test: {left}"


def _skip_without_library(message):
    """Skip the test if it needs an optional library that is not installed here."""
    missing = re.search(r"needs '([\w.-]+)', which is not installed", message)
    if missing:
        try:
            version(missing[1])
        except PackageNotFoundError:
            pytest.skip(missing[0])


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call():
    try:
        return (yield)
    except MissingExtra as missing:
        _skip_without_library(str(missing))
        raise


@pytest.fixture
def run(capsys, tmp_path, monkeypatch):
    """Run the command in an empty folder: (status, standard output, standard error)."""
    monkeypatch.chdir(tmp_path)

    def call(*arguments):
        with pytest.raises(SystemExit) as stop:
            cli.main([str(a) for a in arguments])
        captured = capsys.readouterr()
        if stop.value.code:
            _skip_without_library(captured.err)
        return stop.value.code, captured.out, captured.err

    return call


@pytest.fixture
def counted():
    """Words that exports are tried on."""
    return counted_words()
