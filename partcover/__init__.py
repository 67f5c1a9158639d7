"""Find good vocabularies, prove how good they are, and use them: the tokenization problem.

A name is imported when it is first used; ``__init__.pyi`` lists all of them.
"""

import sys

from ._version import __version__ as __version__


def _read_names() -> None:
    """Replaces the functions below; not done at once, since it takes longer than all else here."""
    import lazy_loader

    names = "__getattr__", "__dir__", "__all__"
    globals().update(zip(names, lazy_loader.attach_stub(__name__, __file__), strict=True))


def __getattr__(name: str) -> object:
    _read_names()
    return getattr(sys.modules[__name__], name)


def __dir__() -> list[str]:
    _read_names()
    return dir(sys.modules[__name__])
