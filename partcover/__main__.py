"""``python -m partcover``."""

from .cli.main import entry

entry()
