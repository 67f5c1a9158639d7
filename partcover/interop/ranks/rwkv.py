r"""Writes and reads RWKV's vocabulary: on each line an id, a Python literal and its size in bytes.

The literal is of text, or of bytes that are not UTF-8: ``257 '\t\t' 2``.  A text is segmented as a
whole, by the longest match.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from ...encoding.encoder import Encoder
from ...errors import InputError
from ...runtime.files.writing import atomic_writer
from ...vocabulary.vocabulary import Vocabulary
from ..byte_level import pieces_of
from ..format import Format, Replay, only_rule
from ..given_up import GivenUp, split_otherwise, without_unknown
from ..origin import ORIGIN, kept_origin
from ..token_list import not_carried, own_replay
from .numbered import begins_numbered, read_numbered, vocabulary_of_ids

_LINE_END = "line_end"
_LONGEST = 1 << 16  # bytes of a line
_ESCAPE = r"\\(?:x[0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8}|[\\'\"abfnrtv])"
_LINE = re.compile(
    rf"([0-9]{{1,10}}) (b?(?:'(?:[^'\\\n]|{_ESCAPE})*'|\"(?:[^\"\\\n]|{_ESCAPE})*\")) "
    r"([0-9]{1,10})\s*"
)
# what Python writes as \xHH and \uHHHH, whatever its version; what it does not know is written so,
# too, by older versions
_HIDDEN = re.compile(
    "[\x00-\x1f\x7f-\xa0\xad\u0600-\u0605\u061c\u06dd\u070f\u1680\u180e\u2000-\u200f\u2028-\u202f"
    "\u205f-\u206f\u3000\ud800-\uf8ff\ufeff\ufff9-\ufffb\U000e0000-\U0010ffff]"
)
_SHORT = {"\t": "\\t", "\n": "\\n", "\r": "\\r"}


def _line(line: bytes) -> tuple[bytes, int]:
    """Returns the token and the id of a line.

    Raises
    ------
    InputError
        If it holds none.
    """
    try:
        found = _LINE.fullmatch(line.decode("utf-8")) if len(line) <= _LONGEST else None
    except UnicodeDecodeError:
        found = None
    if found is None:
        raise InputError("expected an id, a token as a Python literal, and its size in bytes")
    try:
        value = ast.literal_eval(found[2])
        token = value.encode("utf-8") if isinstance(value, str) else bytes(value)
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        raise InputError(f"{found[2][:40]} is not a Python literal of text or bytes") from None
    if len(token) != int(found[3]):
        raise InputError(f"the token has {len(token)} bytes, not {found[3]}")
    if not token or int(found[1]) >= 2**31:
        raise InputError("the token is empty" if not token else f"the id {found[1]} is too large")
    return token, int(found[1])


def _read(path: Path) -> tuple[Vocabulary, list[str]]:
    ends: set[bytes] = set()
    number_of = read_numbered(
        path, _line, "id", lambda line: ends.add(line[-2:]), longest=_LONGEST + 1
    )
    if not number_of:
        raise InputError(f"{path}: there are no tokens")
    provenance = {ORIGIN: {_LINE_END: "\r\n"}} if ends == {b"\r\n"} else {}
    vocabulary = vocabulary_of_ids(
        number_of, "longest_match", pretokenizer="none", provenance=provenance
    )
    remarks = ["the file holds no special tokens: RWKV's models take 0 for the end of a text"]
    if missing := vocabulary.id_of[:256].count(-1):
        remarks.append(f"{missing} of the 256 bytes have no id")
    return vocabulary, remarks


def _literal(token: bytes) -> str:
    """Spells a token as Python does."""
    try:
        text = token.decode("utf-8")
    except UnicodeDecodeError:
        return repr(token)
    quote = '"' if "'" in text and '"' not in text else "'"
    text = text.replace("\\", "\\\\").replace(quote, f"\\{quote}")
    return quote + _HIDDEN.sub(_escaped, text) + quote


def _escaped(found: re.Match[str]) -> str:
    code = ord(found[0])
    if found[0] in _SHORT:
        return _SHORT[found[0]]
    if code < 0x100:
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def _write(vocabulary: Vocabulary, path: Path) -> list[str]:
    placed = sorted(
        (number, token)
        for number, token in zip(vocabulary.id_of, pieces_of(vocabulary), strict=True)
        if number >= 0
    )
    end = "\r\n" if kept_origin(vocabulary, _LINE_END).get(_LINE_END) == "\r\n" else "\n"
    with atomic_writer(path) as file:
        for number, token in placed:
            file.write(f"{number} {_literal(token)} {len(token)}{end}".encode())
    return not_carried(vocabulary.with_(pretokenizer=None))


def _adapt(vocabulary: Vocabulary, lost: list[GivenUp]) -> Vocabulary:
    vocabulary = without_unknown(vocabulary, lost, "its tokens are bytes")
    if vocabulary.pretokenizer in (None, "none"):
        return vocabulary
    return split_otherwise(vocabulary, lost, "RWKV takes the longest match of a whole text")


def _replay(path: Path) -> Replay:
    vocabulary, _ = _read(path)
    try:
        from importlib.metadata import version

        from rwkv.rwkv_tokenizer import TRIE_TOKENIZER
    except ImportError:
        pieces = dict(zip(vocabulary.id_of, pieces_of(vocabulary), strict=True))
        encode = Encoder(vocabulary).encode
        own = own_replay(vocabulary)
        return replace(own, text=lambda text: [pieces[number] for number in encode(text)])
    tokenizer = TRIE_TOKENIZER(str(path))
    known = set(tokenizer.token2idx)
    bytes_ = {token[0] for token in known if len(token) == 1}

    def cut(piece: bytes) -> list[bytes]:
        return [tokenizer.idx2token[number] for number in tokenizer.encodeBytes(piece)]

    def words(pieces: Sequence[bytes]) -> list[list[bytes] | None]:
        return [cut(piece) if bytes_.issuperset(piece) else None for piece in pieces]

    return Replay(
        f"rwkv {version('rwkv')}", words, lambda text: cut(text.encode()), tokenizer.token2idx.get
    )


RWKV = Format(
    name="rwkv",
    title="RWKV's vocabulary: one id, Python literal, and size per line (rwkv_vocab_v20230424.txt)",
    rules=only_rule(
        "longest_match", "longest match of a whole text", "RWKV takes the longest match"
    ),
    write=_write,
    replay=_replay,
    read=_read,
    recognises=lambda path: begins_numbered(path, _line),
    adapt=_adapt,
)
