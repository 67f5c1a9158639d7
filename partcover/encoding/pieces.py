"""Changes the decoded text of single ids as the tokenizer's own library does."""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set

_LOST = "\ufffd".encode()


class Pieces:
    """Changes the texts of ids before they are joined; ids may come in several parts.

    Parameters
    ----------
    front : int, optional
        Number of leading spaces to remove, each from a token of its own: 1 for one, 0 for none,
        None for one from each of the first tokens until there is text.
    bare : set of int
        The ids whose space is kept.
    passed : set of int
        The ids that have no text.
    fallback : set of int
        The ids of single bytes; U+FFFD replaces those that are not UTF-8.
    whole : bool
        Whether U+FFFD then replaces all bytes of the run.
    firsts : mapping of int to bytes
        The text of each id where it is the first, if that is another than elsewhere.
    """

    def __init__(
        self,
        *,
        front: int | None,
        bare: Set[int],
        passed: Set[int],
        fallback: Set[int],
        whole: bool,
        firsts: Mapping[int, bytes],
    ) -> None:
        self._each = front is None
        self._begun = front == 0
        self._bare, self._passed = bare, passed
        self._fallback, self._whole = fallback, whole
        self._firsts = firsts
        self._run: list[bytes] = []

    def more(self, numbers: Sequence[int], texts: list[bytes]) -> list[bytes]:
        """Returns the changed texts of the next ids."""
        place = 0
        while not self._begun and place < len(texts):
            if texts is not None and numbers[place] not in self._passed:
                texts[place] = self._front(numbers[place], texts[place])
            place += 1
        if self._firsts and texts:
            texts[0] = self._firsts.get(numbers[0], texts[0])
            self._firsts = {}
        if self._run or not self._fallback.isdisjoint(numbers):
            return [self._text(number, text) for number, text in zip(numbers, texts, strict=True)]
        return texts

    def rest(self) -> bytes:
        """Returns the remaining bytes of a run."""
        data = b"".join(self._run)
        self._run = []
        try:
            data.decode("utf-8")
        except UnicodeDecodeError:
            return _LOST * len(data) if self._whole else _with_lost(data)
        return data

    def _front(self, number: int, text: bytes) -> bytes:
        if number not in self._bare and text.startswith(b" "):
            text = text[1:]
            self._begun = not self._each or bool(text)
        elif text:
            self._begun = True
        return text

    def _text(self, number: int, text: bytes) -> bytes:
        if number in self._fallback:
            self._run.append(text)
            return b""
        return self.rest() + text


def _with_lost(data: bytes) -> bytes:
    """Returns bytes with U+FFFD for each byte that is not part of a character."""
    text = data.decode("utf-8", "surrogateescape")
    return b"".join(_LOST if "\udc80" <= c <= "\udcff" else c.encode() for c in text)
