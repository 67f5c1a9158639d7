"""Writes and reads tiktoken's rank files: a token in base64 and its rank on each line."""

from __future__ import annotations

import base64
import binascii
import hashlib
from dataclasses import replace
from pathlib import Path

from ...errors import InputError
from ...runtime.files.writing import atomic_writer
from ...vocabulary.vocabulary import Vocabulary
from ..byte_level import pieces_of
from ..format import Format, Replay, only_rule
from ..given_up import GivenUp, with_ascending_ids
from ..merge_ranks import without_pairs
from ..splitting import described
from .numbered import begins_numbered, read_numbered, vocabulary_of_ids
from .published import PUBLISHED, published_as
from .replay import replay_with_tiktoken

_EMPTY = b"="  # how Whisper's file spells its empty token
_BY_NAME = {name: (rules, special) for name, rules, special in PUBLISHED.values()}


def _write(vocabulary: Vocabulary, path: Path) -> list[str]:
    own = "not known" if (name := vocabulary.pretokenizer) is None else described(name)
    remarks = [f"a rank file holds no pre-tokenizer; that of the vocabulary: {own}"]
    if vocabulary.special:
        listed = ", ".join(f"{text} {number}" for text, number in vocabulary.special.items())
        remarks.append(f"a rank file holds no special tokens: {listed}")
    return remarks + write_ranks(vocabulary, path)


def write_ranks(vocabulary: Vocabulary, path: Path) -> list[str]:
    """Writes the ranks of a vocabulary that `adapt_to_ranks` returned, and returns remarks."""
    remarks = []
    ranks = list(vocabulary.id_of)
    empty = [number for number, text in vocabulary.decode_only.items() if not text]
    taken = {*ranks, *empty, *vocabulary.special.values()}
    free = max(taken) + 1
    for byte in range(256):
        if ranks[byte] == -1:  # tiktoken needs a rank for each
            ranks[byte] = free
            remarks.append(f"byte 0x{byte:02X}, which has no id, was given {free}")
            free += 1
    if others := len(vocabulary.decode_only) - len(empty[:1]):
        remarks.append(f"left out {others:,} ids that no text is encoded to")
    listed = [*zip(ranks, pieces_of(vocabulary), strict=True), *((n, b"") for n in empty[:1])]
    with atomic_writer(path) as file:
        for rank, token in sorted(listed):
            file.write(b"%b %d\n" % (base64.b64encode(token) or _EMPTY, rank))
    return remarks


def adapt_to_ranks(vocabulary: Vocabulary, lost: list[GivenUp]) -> Vocabulary:
    """Returns a vocabulary without pairs and with ascending ids."""
    reason = (
        "any two neighbours that together are a token may merge, and a word that is a token stays "
        "whole"
    )
    vocabulary = without_pairs(vocabulary, lost, reason)
    return with_ascending_ids(vocabulary, lost, "an id is the rank by which tokens merge")


def _read(path: Path) -> tuple[Vocabulary, list[str]]:
    rank_of, digest = read_ranks(path)
    remarks = []
    pretokenizer: str | None = None
    special: dict[str, int] = {}
    if (known := published_as(digest, path.stem)) is not None:
        name, pretokenizer, special = known
        remarks.append(
            f"recognized {name} by its SHA-256; added its pre-tokenizer {pretokenizer} and "
            f"{len(special)} special tokens, which rank files do not store"
        )
    elif path.stem in _BY_NAME:
        pretokenizer, special = _BY_NAME[path.stem]
        taken = set(rank_of.values())
        special = {text: number for text, number in special.items() if number not in taken}
        remarks.append(
            f"the file is named {path.stem}, but its SHA-256 differs from the published file; "
            f"added pre-tokenizer {pretokenizer} and special tokens by the name alone"
        )
    else:
        remarks.append(
            "a rank file holds no pre-tokenizer and no special tokens, and neither its SHA-256 "
            "nor its name is known"
        )
    vocabulary = vocabulary_of_ids(rank_of, "merges", pretokenizer=pretokenizer, special=special)
    if b"" in rank_of:
        remarks.append(f"no text can use the token {rank_of[b'']}, which is empty")
    if missing := vocabulary.id_of[:256].count(-1):
        remarks.append(f"{missing} of the 256 bytes have no rank")
    return vocabulary, remarks


def read_ranks(path: Path) -> tuple[dict[bytes, int], str]:
    """Reads the ranks of the tokens, and computes the SHA-256 of the file.

    Raises
    ------
    InputError
        Naming the line that is no token and its rank, or holds one that was there before.
    """
    sha = hashlib.sha256()
    rank_of = read_numbered(path, _line, "rank", sha.update)
    if not rank_of:
        raise InputError(
            f"{path}: there are no ranks. Expected a token in base64 and its rank on each line"
        )
    return rank_of, sha.hexdigest()


def _line(line: bytes) -> tuple[bytes, int]:
    fields = line.split()
    if len(fields) != 2:
        raise InputError("expected a token in base64, a space and its rank")
    if fields[0] == _EMPTY:
        fields[0] = b""
    try:
        token = base64.b64decode(fields[0], validate=True)
    except binascii.Error:
        raise InputError(f"{fields[0][:40].decode(errors='replace')!r} is not base64") from None
    if not fields[1].isdigit() or len(fields[1]) > 10 or int(fields[1]) >= 2**31:
        shown = fields[1][:40].decode(errors="replace")
        raise InputError(f"the rank {shown!r} is not a whole number from 0 to 2,147,483,647")
    return token, int(fields[1])


def _replay(path: Path) -> Replay:
    ranks, _ = read_ranks(path)  # tiktoken's own loader keeps a copy under the path's name
    replay = replay_with_tiktoken(
        "replaying a rank file",
        name=path.stem,
        pat_str=r"[\s\S]+",
        mergeable_ranks=ranks,
        special_tokens={},
    )
    return replace(replay, text=None, special_id_of=None, whole=None)


#: How tiktoken expresses each rule.
RULES = only_rule(
    "merges", "rank merging, a whole word looked up first", "tiktoken merges bytes by rank"
)
TIKTOKEN = Format(
    name="tiktoken",
    title="tiktoken's rank file: one base64 token and rank per line (.tiktoken)",
    rules=RULES,
    write=_write,
    replay=_replay,
    read=_read,
    recognises=lambda path: begins_numbered(path, _line),
    adapt=adapt_to_ranks,
    unreached=True,
)
