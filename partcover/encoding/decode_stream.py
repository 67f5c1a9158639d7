"""Decodes ids as they arrive, in whole characters."""

from __future__ import annotations

import codecs
from collections.abc import Callable

from ..errors import InputError
from .text import exchange


class Stages:
    """Applies the steps of decoding to bytes that arrive part by part.

    Each stage holds back the bytes that later bytes may change, so that all parts together equal
    what `Decoder.decode` returns for all ids at once.

    Parameters
    ----------
    mark : bytes
        The mark that replaces a space; a space if there is none.
    written : bytes, optional
        The text that becomes a space.
    front : int, optional
        Maximum number of leading spaces that are removed; None for all.
    fronted, ended : bool
        Whether one more space is removed at the front, and one at the end.
    errors : str
        How bytes that are not UTF-8 are handled.
    stripped : bool
        Whether white space is removed at both ends.
    """

    def __init__(
        self,
        mark: bytes,
        written: bytes | None,
        *,
        fronted: bool,
        front: int | None,
        ended: bool,
        errors: str,
        stripped: bool = False,
    ) -> None:
        self._mark = mark
        self._run = _Replacing(mark, lambda data: exchange(data, mark))
        self._rest: list[_Replacing | _Front] = []
        if written is not None:
            self._rest.append(_Replacing(written, lambda data: data.replace(written, b" ")))
            if fronted:
                self._rest.append(_Front(1))
        if front != 0:
            self._rest.append(_Front(front))
        self._ended = ended
        self._space = b""  # a space at the end so far, which may have to be removed
        self._characters = codecs.getincrementaldecoder("utf-8")(errors)
        self._done = 0
        self._stripped = stripped
        self._white: str | None = None  # white space so far, after text

    def of_token(self, text: bytes) -> str:
        """Returns the characters that are complete after another token."""
        return self._shown(text if self._mark == b" " else self._run.more(text))

    def of_special(self, text: bytes) -> str:
        """Returns the characters before a special token, and those of the token."""
        before = b"" if self._mark == b" " else self._run.rest()
        return self._shown(before + text)

    def end(self) -> str:
        """Returns the remaining characters at the end of the ids."""
        before = b"" if self._mark == b" " else self._run.rest()
        for stage in self._rest:
            before = stage.more(before) + stage.rest()
        return self._decoded(self._without_space(before), final=True)

    def _shown(self, data: bytes) -> str:
        for stage in self._rest:
            data = stage.more(data)
        return self._decoded(self._without_space(data), final=False)

    def _without_space(self, data: bytes) -> bytes:
        if not self._ended or not data:
            return data
        data = self._space + data
        self._space = b" " if data.endswith(b" ") else b""
        return data[: len(data) - len(self._space)]

    def _decoded(self, data: bytes, *, final: bool) -> str:
        try:
            found = self._characters.decode(data, final)
        except UnicodeDecodeError as error:
            before = len(self._characters.getstate()[0])
            raise InputError(
                f"byte {self._done - before + error.start} of the decoded text is not UTF-8: "
                "errors='replace' puts U+FFFD there, decode_bytes keeps it"
            ) from None
        self._done += len(data)
        return self._without_white(found) if self._stripped else found

    def _without_white(self, text: str) -> str:
        """Returns characters with the white space before them; that at the end is kept back."""
        if self._white is None:
            text = text.lstrip()
        if not text:
            return ""
        text = (self._white or "") + text
        shown = text.rstrip()
        self._white = text[len(shown) :]
        return shown


class _Replacing:
    """Replaces a pattern, and holds back what may be the beginning of one."""

    def __init__(self, pattern: bytes, replace: Callable[[bytes], bytes]) -> None:
        self._pattern, self._replace = pattern, replace
        self._kept = b""

    def more(self, data: bytes) -> bytes:
        data = self._kept + data
        tail = data.split(self._pattern)[-1]  # after the last match, from the left
        longest = min(len(self._pattern) - 1, len(tail))
        size = next((n for n in range(longest, 0, -1) if self._pattern.startswith(tail[-n:])), 0)
        self._kept = data[len(data) - size :]
        return self._replace(data[: len(data) - size])

    def rest(self) -> bytes:
        data, self._kept = self._kept, b""
        return self._replace(data)


class _Front:
    """Removes leading spaces."""

    def __init__(self, most: int | None) -> None:
        self._most = most
        self._begun = False

    def more(self, data: bytes) -> bytes:
        if self._begun:
            return data
        spaces = len(data) - len(data.lstrip(b" "))
        self._begun = spaces < len(data)
        if self._most is None:
            return data[spaces:]
        spaces = min(spaces, self._most)
        self._most -= spaces
        return data[spaces:]

    def rest(self) -> bytes:
        return b""
