"""Runs the command line as ``python -m partcover``."""

from .cli.main import entry

entry()
