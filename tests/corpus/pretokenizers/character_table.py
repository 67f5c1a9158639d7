"""Prints the module that holds the kinds of characters, which `regex` finds by its classes.

TABLE=corpus/pretokenizers/character_table.py
python tests/$TABLE > partcover/$TABLE
"""

from __future__ import annotations

import base64
import textwrap
import zlib

from partcover.corpus.pretokenizers.character_kinds import PLACES
from partcover.corpus.pretokenizers.unicode_tables import compiled
from partcover.kernels.words import _word_ends

ABOUT = "Kinds of code points, compressed, by `tests/corpus/pretokenizers/character_table.py`."


def kinds() -> bytes:
    """The kinds of each code point, as bits of the encoder's kernel, those of Unicode 16."""
    found = bytearray(0x110000)
    text = "".join(map(chr, range(len(found))))
    for bit, pattern in {
        _word_ends.LETTER: r"\p{L}",
        _word_ends.NUMBER: r"\p{N}",
        _word_ends.WHITE: r"\s",
        _word_ends.UPPER: r"[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]",
        _word_ends.LOWER: r"[\p{Ll}\p{Lm}\p{Lo}\p{M}]",
        _word_ends.DECIMAL: r"\p{Nd}",
        _word_ends.MARK: r"\p{M}",
        _word_ends.SIGN: r"[\p{P}\p{S}]",
    }.items():
        for match in compiled(pattern).finditer(text):
            found[match.start()] |= bit
    return bytes(found)


def module() -> str:
    """The text of the module."""
    found = kinds()
    stored = b"".join(found[place.start : place.stop] for place in PLACES)
    text = base64.b85encode(zlib.compress(stored, 9)).decode()
    lines = "\n".join(textwrap.wrap(text, 100))
    return f'"""{ABOUT}"""\n\nKINDS = """\n{lines}\n"""\n'


if __name__ == "__main__":
    print(module(), end="")
