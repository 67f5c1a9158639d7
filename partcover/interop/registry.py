"""Finds formats by name or by what a file looks like: partcover's own, and other packages'."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from ..errors import InputError
from ..runtime.entry_points import EntryPointRegistry, load_entry_point, package_of
from .format import Format
from .gguf import GGUF
from .greedtok import GREEDTOK
from .huggingface import HUGGINGFACE
from .priority_tokenizer import PRIORITY_TOKENIZER
from .ranks.hex_vocab import PATHPIECE, SAGE
from .ranks.rwkv import RWKV
from .ranks.tekken import TEKKEN
from .ranks.tiktoken import TIKTOKEN
from .sentencepiece import SENTENCEPIECE
from .tiktoken_package import TIKTOKEN_PACKAGE
from .token_list import LIST
from .vocab_merges import VOCAB_MERGES

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint


class FormatRegistry(EntryPointRegistry[Format]):
    """Formats by name: partcover's own, then those of other packages.

    Another package names each of its formats in the entry point group ``partcover.formats``:
    ``name = "package.module:FORMAT"``, where `FORMAT` is a `Format` of that name.  It is imported
    when it is asked for, or when a path has to be recognized that looks like none of the formats
    given.  A name that is given goes before theirs.

    Parameters
    ----------
    given : mapping of str to Format
        Formats that are there already, in the order in which a path is tried.

    Raises
    ------
    InputError
        When a format of another package is asked for that cannot be loaded, or is no `Format` of
        its entry point's name.

    Examples
    --------
    >>> from partcover.interop import FORMATS
    >>> "tiktoken" in FORMATS
    True
    >>> FORMATS["list"].title
    'a plain list: one token per line, escaped as in word counts'
    """

    group = "partcover.formats"

    def load(self, entry: EntryPoint) -> Format:
        """Imports another package's format."""
        format_ = load_entry_point(entry, "format")
        if not isinstance(format_, Format) or format_.name != entry.name:
            raise InputError(
                f"{entry.value}{package_of(entry)} is not a format named {entry.name}: make it a "
                f'partcover.interop.Format(name="{entry.name}", …)'
            )
        return format_


#: Every format by name, in the order in which a path is tried when none is named, and behind them
#: those of other packages.
FORMATS = FormatRegistry(
    {
        format_.name: format_
        for format_ in (
            HUGGINGFACE,
            PRIORITY_TOKENIZER,
            VOCAB_MERGES,
            SENTENCEPIECE,
            GGUF,
            TIKTOKEN,
            TIKTOKEN_PACKAGE,
            TEKKEN,
            RWKV,
            GREEDTOK,
            SAGE,
            PATHPIECE,
            LIST,
        )
    }
)


def recognised(path: Path) -> Iterator[Format]:
    """Yields the formats that can be read and that a file or folder looks like, likeliest first.

    A format of another package that cannot be loaded is passed over: it is refused by name.
    """
    for name in FORMATS:
        try:
            format_ = FORMATS[name]
        except InputError:
            continue
        if format_.read is not None and format_.recognises(path):
            yield format_


def recognise(path: Path) -> Format:
    """Finds the format that a file or folder looks like.

    Raises
    ------
    InputError
        If it looks like no format.
    """
    for format_ in recognised(path):
        return format_
    if path.is_dir():
        known = [file for file in sorted(path.iterdir()) if file.is_file() and _is_some(file)]
        which = f", as {known[0]}" if known else ""
        raise InputError(
            f"{path}: this folder is not recognized as a tokenizer: name a file{which}"
        )
    raise InputError(
        f"{path}: format not recognized. Name it with `import --from` (format=…): "
        f"{', '.join(FORMATS)}"
    )


def _is_some(path: Path) -> bool:
    return any(format_ is not LIST for format_ in recognised(path))
