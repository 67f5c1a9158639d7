"""Runs Hugging Face's tokenizers; version 1 has another interface than earlier versions."""

from __future__ import annotations

import importlib.metadata
import json
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from ...errors import InputError, MissingExtra
from ..format import WholeTexts
from .frame import frame_of, trim_of

_MORE = "; version 0.23 can do more (pip install 'tokenizers<1')"


class Library:
    """A tokenizer of the library; it treats special tokens in a text as text.

    Parameters
    ----------
    data : dict
        The content of its tokenizer.json.
    what : str
        What it is needed for, if it is not installed.

    Attributes
    ----------
    name : str
        The library, with its version.
    model : dict
        The model of `data`.
    ids : dict of str to int
        The id that each piece has there, special tokens included.
    """

    def __init__(self, data: dict[str, Any], what: str) -> None:
        self.name = f"tokenizers {_version(what)}"
        self.model: dict[str, Any] = data["model"]
        self._added: list[dict[str, Any]] = data.get("added_tokens") or []
        data = {**data, "truncation": None, "padding": None}
        self._whole = _loaded(data)
        self._words: Any = None
        self._asked: dict[str, Any] = {"add_special_tokens": False}
        self._set = hasattr(self._whole, "model")
        if self._set:
            self._whole.encode_special_tokens = True
            self.ids: dict[str, int] = self._whole.get_vocab()
        else:  # from version 1 on the model is not to be had alone
            self._asked["encode_special_tokens"] = True
            alone = {"normalizer": None, "pre_tokenizer": None, "post_processor": None}
            self._words = _loaded({**data, **alone, "added_tokens": []})
            # ids that it does not have are left out
            self.ids = {
                text: number
                for number in _numbers(data)
                for text in self._whole.decode_tokens([number])
            }
        self._texts = {number: text for text, number in self.ids.items()}

    def text(self, text: str) -> list[int]:
        """Returns the ids of a text."""
        with _in_one_line("encode with it"):
            ids: list[int] = self._whole.encode(text, **self._asked).ids
        return ids

    def whole(self) -> WholeTexts:
        """Returns its functions for whole texts."""

        def encoded(text: str, *, parsed: bool = False, framed: bool = False) -> Any:
            with _in_one_line("encode with it"):
                if not self._set:
                    return self._whole.encode(
                        text, add_special_tokens=framed, encode_special_tokens=not parsed
                    )
                self._whole.encode_special_tokens = not parsed
                try:
                    return self._whole.encode(text, add_special_tokens=framed)
                finally:
                    self._whole.encode_special_tokens = True

        special = {entry["id"] for entry in self._added if entry.get("special")}
        return WholeTexts(
            lambda text: list(encoded(text).ids),
            lambda text: list(encoded(text, parsed=True).ids),
            lambda ids: self._decoded(ids, ids, skip=False),
            lambda ids: self._decoded(ids, [i for i in ids if i not in special], skip=True),
            # which version 1 does not have
            (lambda text: list(encoded(text).offsets)) if self._set else None,
            lambda text: list(encoded(text, framed=True).ids),
            frame_of,
            trim_of,
        )

    def _decoded(self, ids: list[int], left: list[int], *, skip: bool) -> str:
        """Returns the text of ids; `left` are those that count."""
        if not left:  # of no tokens its BPEDecoder takes the last one
            return ""
        return str(self._whole.decode(ids, skip_special_tokens=skip))

    def pieces(self, text: str) -> list[str]:
        """Returns the pieces of a text, as they are spelled."""
        return [self._texts[number] for number in self.text(text)]

    def word(self, spelled: str) -> list[int] | None:
        """Returns the ids that the model makes of a word; None if it takes none such."""
        try:
            if self._words is None:
                return [token.id for token in self._whole.model.tokenize(spelled)]
            ids: list[int] = self._words.encode(spelled, **self._asked).ids
        except Exception:  # the library's own type, as at what has no id
            return None
        return ids

    def word_pieces(self, spelled: str) -> list[str] | None:
        """Returns the pieces that the model makes of a word; None if it takes none such."""
        ids = self.word(spelled)
        return None if ids is None else [self._texts[number] for number in ids]


def _numbers(data: dict[str, Any]) -> list[int]:
    """Returns the ids that a tokenizer.json names."""
    vocab = data["model"]["vocab"]
    ids = vocab.values() if isinstance(vocab, dict) else range(len(vocab))
    return sorted({*ids, *(entry["id"] for entry in data.get("added_tokens") or [])})


def _version(what: str) -> str:
    """Returns the library's version."""
    try:
        import tokenizers  # noqa: F401
    except ImportError:
        raise MissingExtra("tokenizers", "huggingface", what) from None
    return importlib.metadata.version("tokenizers")


def _loaded(data: dict[str, Any]) -> Any:
    """Returns the tokenizer of a tokenizer.json with this content."""
    from tokenizers import Tokenizer

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "tokenizer.json")
        path.write_text(json.dumps(data, ensure_ascii=False), "utf-8")
        with _in_one_line("load it"):
            return Tokenizer.from_file(str(path))


@contextmanager
def _in_one_line(does: str) -> Iterator[None]:
    """Raises what the library raises, and what it panics at, as an `InputError`."""
    try:
        yield
    except BaseException as error:  # the library's own types
        if not isinstance(error, Exception) and type(error).__name__ != "PanicException":
            raise
        version = importlib.metadata.version("tokenizers")
        why = " ".join(str(error).split())
        more = "" if version.startswith("0.") else _MORE
        raise InputError(f"tokenizers {version} does not {does}: {why}{more}") from None
