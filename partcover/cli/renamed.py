"""Names the new option where an old one is given."""

from __future__ import annotations

__all__ = ["NO_EFFECT", "RENAMED", "renamed"]

# of a command, or of all that have none of their own: what it was, and what to write now
RENAMED = {
    ("bound", "--start"): "a certificate to start from is --start-certificate now",
    ("bound", "--target-gap"): "--target-gap is --gap now",
    ("improve", "--certificate"): "the certificate is written by --write-certificate now; "
    "one to start from is --start-certificate",
    ("solve", "--certificate"): "the certificate is written by --write-certificate now; "
    "one to start from is --start-certificate",
    ("ratio", "--csv"): "CSV is written by -o FILE.csv now, and shown by --format csv",
}
NO_EFFECT = {
    "--seed": "nothing is random here: leave out --seed",
    "--threads": "it runs on one thread: leave out --threads",
}


def renamed(command: str, option: str) -> str | None:
    """What to write for an option that a command had once; None for any other."""
    return RENAMED.get((command, option)) or NO_EFFECT.get(option)
