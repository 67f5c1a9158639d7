r"""Spells bytes as llama.cpp's model ``rwkv`` has them: as Python writes them, without quotes."""

from __future__ import annotations

import re

_ESCAPE = re.compile(rb"\\(?:x([0-9a-f]{2})|(.)|$)", re.DOTALL)
_LETTERS = {b"t": b"\t", b"n": b"\n", b"r": b"\r"}


def spelled(token: bytes) -> str:
    r"""Spells a token.

    Examples
    --------
    >>> from partcover.interop.gguf.rwkv_spelling import spelled
    >>> spelled("é\n".encode())
    '\\xc3\\xa9\\n'
    """
    return repr(token)[2:-1]


def read_spelled(text: str) -> bytes | None:
    r"""Returns the token that `spelled` wrote; None for what is spelled otherwise.

    Examples
    --------
    >>> from partcover.interop.gguf.rwkv_spelling import read_spelled
    >>> read_spelled(r"\xc3\xa9\n")
    b'\xc3\xa9\n'
    """
    lost = False

    def byte(found: re.Match[bytes]) -> bytes:
        nonlocal lost
        if found[1]:
            return bytes([int(found[1], 16)])
        lost = lost or not found[2] or found[2] == b"x"
        return _LETTERS.get(found[2] or b"", found[2] or b"")

    token = _ESCAPE.sub(byte, text.encode())
    return None if lost else token or None
