"""Errors that partcover raises on purpose, each with one clear line for a person."""

from __future__ import annotations

__all__ = ["InputError", "MissingExtra", "PartcoverError", "VerificationError"]


class PartcoverError(Exception):
    """Base class; the text is one line that says what, where, and what to do."""


class InputError(PartcoverError, ValueError):
    """Bad usage or bad input: the caller can mend it."""


class MissingExtra(PartcoverError, ImportError):
    """An optional library is not installed, or cannot be loaded.

    Parameters
    ----------
    library : str
        Name of the package that could not be imported.
    extra : str or None
        The partcover extra that installs it; none where its own needs clash with partcover's,
        and it is to be installed without them.
    purpose : str
        What needs the library, as a noun phrase.
    wrong : str
        What is wrong with it.
    remedy : str, optional
        What to do; by default to install the extra.
    """

    def __init__(
        self,
        library: str,
        extra: str | None,
        purpose: str,
        wrong: str = "is not installed",
        remedy: str | None = None,
    ) -> None:
        what = f"--no-deps {library}" if extra is None else f"'partcover[{extra}]'"
        remedy = remedy or f"pip install {what}"
        super().__init__(f"{purpose} needs {library!r}, which {wrong}: {remedy}")


class VerificationError(PartcoverError):
    """The independent check does not confirm a claim."""
