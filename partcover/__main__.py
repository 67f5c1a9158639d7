"""``python -m partcover``."""

from .cli import main

main()
