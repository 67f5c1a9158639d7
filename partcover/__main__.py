"""``python -m partcover``."""

from .cli import entry

entry()
