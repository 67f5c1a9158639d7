"""Names the option to write instead of one that is gone."""

from __future__ import annotations

__all__ = ["NO_EFFECT", "RENAMED", "renamed"]

# a command and its former option: what to write instead
RENAMED = {
    ("bound", "--start"): "a certificate to start from is --start-certificate now",
    ("bound", "--target-gap"): "--target-gap is --gap now",
    ("improve", "--certificate"): "the certificate is written by --write-certificate now; "
    "one to start from is --start-certificate",
    ("solve", "--certificate"): "the certificate is written by --write-certificate now; "
    "one to start from is --start-certificate",
    ("ratio", "--csv"): "CSV is written by -o FILE.csv now, and shown by --format csv",
}
# options that some commands have, where others would do nothing with them
NO_EFFECT = {
    "--seed": "nothing is random here: leave out --seed",
    "--threads": "it runs on one thread: leave out --threads",
}


def renamed(command: str, option: str) -> str | None:
    """Returns what to write for an option that a command had once; None for any other."""
    return RENAMED.get((command, option)) or NO_EFFECT.get(option)
