"""What each character is to the kernel that finds words."""

from __future__ import annotations

from functools import cache

import numpy as np
import numpy.typing as npt
import regex

from ...kernels.encoding import _encoder

__all__ = ["character_kinds"]

_KINDS = {
    _encoder.LETTER: r"\p{L}+",
    _encoder.NUMBER: r"\p{N}+",
    _encoder.WHITE: r"\s+",
    _encoder.UPPER: r"[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+",
    _encoder.LOWER: r"[\p{Ll}\p{Lm}\p{Lo}\p{M}]+",
    _encoder.DECIMAL: r"\p{Nd}+",
    _encoder.MARK: r"\p{M}+",
    _encoder.SIGN: r"[\p{P}\p{S}]+",
}


@cache
def character_kinds() -> npt.NDArray[np.uint8]:
    """Returns the kinds of each code point, as bits of the encoder's kernel.

    They come from the library that runs the patterns, so that both have the same Unicode version.

    Returns
    -------
    ndarray of uint8, shape (0x110000,)
        Read-only.
    """
    kinds = np.zeros(0x110000, np.uint8)
    text = np.arange(len(kinds), dtype="<u4").tobytes().decode("utf-32-le", "surrogatepass")
    for bit, pattern in _KINDS.items():
        for match in regex.finditer(pattern, text):
            kinds[match.start() : match.end()] |= bit
    kinds.setflags(write=False)
    return kinds
