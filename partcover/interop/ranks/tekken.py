"""Writes and reads Mistral's tekken.json: ranks, pattern and special tokens in one file."""

from __future__ import annotations

import base64
import binascii
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

from ...errors import InputError
from ...runtime.files.kinds import begins_object
from ...runtime.files.writing import read_json, write_atomic
from ...vocabulary.vocabulary import Vocabulary
from ..byte_level import pieces_of
from ..format import Format, Replay
from ..given_up import GivenUp, give_up
from .numbered import vocabulary_of_ids
from .one_pattern import adapt_to_pattern, named_pattern, one_pattern
from .replay import replay_with_tiktoken
from .tiktoken import RULES, adapt_to_ranks

_HEAD = 1 << 14
_MOST_SPECIAL = 1 << 20
_VERSION = "v7"  # the first that lists its special tokens
# the special tokens of the files that do not list them, in the order of their ids
_SPECIAL = [
    "<unk>",
    "<s>",
    "</s>",
    "[INST]",
    "[/INST]",
    "[AVAILABLE_TOOLS]",
    "[/AVAILABLE_TOOLS]",
    "[TOOL_RESULTS]",
    "[/TOOL_RESULTS]",
    "[TOOL_CALLS]",
    "[IMG]",
    "<pad>",
    "[IMG_BREAK]",
    "[IMG_END]",
    "[PREFIX]",
    "[MIDDLE]",
    "[SUFFIX]",
    "[SYSTEM_PROMPT]",
    "[/SYSTEM_PROMPT]",
    "[TOOL_CONTENT]",
]


def _recognises(path: Path) -> bool:
    if not path.is_file() or not begins_object(path):
        return False
    with path.open("rb") as file:
        head = file.read(_HEAD)
    return b'"token_bytes"' in head


def _read(path: Path) -> tuple[Vocabulary, list[str]]:
    data = read_json(path)
    try:
        ranks = _ranks(data)
        special = _special(data)
        first = data["config"]["default_num_special_tokens"]
        pattern = data["config"]["pattern"]
        if not isinstance(pattern, str):
            raise InputError("its pattern is not text")
        pretokenizer, remarks = named_pattern(pattern)
        vocabulary = vocabulary_of_ids(
            {token: first + rank for token, rank in ranks.items()},
            "merges",
            pretokenizer=pretokenizer,
            special=special,
        )
    except InputError as error:
        raise InputError(f"{path}: {error}") from None
    except (AttributeError, KeyError, TypeError, ValueError, IndexError) as error:
        raise InputError(f"{path}: not a tekken.json ({type(error).__name__}: {error})") from None
    if unused := len(data["vocab"]) - len(ranks):
        remarks.append(
            f"{unused:,} tokens beyond its default_vocab_size are left out, as in mistral-common"
        )
    if filled := sum(text not in _listed(data) for text in special):
        remarks.append(f"{filled:,} ids of special tokens have no name and are called <SPECIAL_n>")
    if kinds := [kind for kind in ("image", "audio", "multimodal") if data.get(kind)]:
        remarks.append(f"its settings for {' and '.join(kinds)} are not kept")
    return vocabulary, remarks


def _ranks(data: dict[str, Any]) -> dict[bytes, int]:
    """Returns the rank of each token that has an id."""
    config = data["config"]
    size = config["default_vocab_size"] - config["default_num_special_tokens"]
    if not 0 <= size <= len(data["vocab"]):
        raise InputError(f"its sizes require {size:,} tokens, but it has {len(data['vocab']):,}")
    rank_of: dict[bytes, int] = {}
    for place, entry in enumerate(data["vocab"][:size]):
        try:
            token = base64.b64decode(entry["token_bytes"], validate=True)
        except (binascii.Error, ValueError):
            raise InputError(f"its token {place} is not base64") from None
        if entry["rank"] != place or not token or token in rank_of:
            raise InputError(f"its token {place} is empty, given twice or has another rank")
        if place < 256 and token != bytes([place]):
            raise InputError(f"its token {place} is not the byte 0x{place:02X}")
        rank_of[token] = place
    return rank_of


def _listed(data: dict[str, Any]) -> list[str]:
    """Returns the special tokens by name, in the order of their ids."""
    given = data.get("special_tokens")
    if given is None:
        return _SPECIAL[: data["config"]["default_num_special_tokens"]]
    names = [entry["token_str"] for entry in given]
    if [entry["rank"] for entry in given] != list(range(len(names))):
        raise InputError("its special tokens are not in the order of their ranks, 0 and on")
    return names


def _special(data: dict[str, Any]) -> dict[str, int]:
    """Returns all special tokens and their ids, those without a name as the library calls them."""
    names = _listed(data)
    count = data["config"]["default_num_special_tokens"]
    if not 0 <= count <= _MOST_SPECIAL:
        raise InputError(
            f"it has {count!r} special tokens: the number must be from 0 to {_MOST_SPECIAL:,}"
        )
    names += [f"<SPECIAL_{number}>" for number in range(len(names), count)]
    if len(set(names)) < len(names) or len(names) != count:
        raise InputError(f"its special tokens are not {count:,} different ones")
    return {name: number for number, name in enumerate(names)}


def _ordered(vocabulary: Vocabulary) -> bool:
    """Returns whether special tokens have the first ids, then bytes, then tokens."""
    ids = [*sorted(vocabulary.special.values()), *vocabulary.id_of]
    return ids == list(range(len(ids)))


def _adapt(vocabulary: Vocabulary, lost: list[GivenUp]) -> Vocabulary:
    vocabulary = adapt_to_ranks(vocabulary, lost)
    if not _ordered(vocabulary):
        names = sorted(vocabulary.special, key=vocabulary.special.__getitem__)
        first = len(names)
        vocabulary = give_up(
            vocabulary,
            lost,
            "ids in another order than special tokens, bytes, tokens",
            "an id is the number of special tokens and a rank",
            "ids in this order",
            ids=list(range(first, first + 256 + len(vocabulary))),
            special={name: number for number, name in enumerate(names)},
        )
    return adapt_to_pattern(vocabulary, lost)


def _write(vocabulary: Vocabulary, path: Path) -> list[str]:
    names = sorted(vocabulary.special, key=vocabulary.special.__getitem__)
    pieces = pieces_of(vocabulary)
    data = {
        "config": {
            "pattern": one_pattern(vocabulary.pretokenizer),
            "num_vocab_tokens": len(pieces),
            "default_vocab_size": len(names) + len(pieces),
            "default_num_special_tokens": len(names),
            "version": _VERSION,
        },
        "vocab": [
            {
                "rank": rank,
                "token_bytes": base64.b64encode(piece).decode(),
                "token_str": _text(piece),
            }
            for rank, piece in enumerate(pieces)
        ],
        "special_tokens": [
            {"rank": rank, "token_str": name, "is_control": True} for rank, name in enumerate(names)
        ],
    }
    write_atomic(path, json.dumps(data, ensure_ascii=False, indent=1) + "\n")
    return []


def _text(piece: bytes) -> str | None:
    try:
        return piece.decode("utf-8")
    except UnicodeDecodeError:
        return None


def _replay(path: Path) -> Replay:
    data = read_json(path)
    ranks, special = _ranks(data), _special(data)
    replay = replay_with_tiktoken(  # as mistral-common makes it
        "replaying a tekken.json",
        name=path.stem,
        pat_str=data["config"]["pattern"],
        mergeable_ranks=ranks,
        special_tokens={},
    )
    return replace(
        replay,
        id_of=lambda token: len(special) + ranks[token] if token in ranks else None,
        special_id_of=special.get,
        whole=None,
    )


TEKKEN = Format(
    name="tekken",
    title="Mistral's tekken.json",
    rules=RULES,
    write=_write,
    replay=_replay,
    read=_read,
    recognises=_recognises,
    adapt=_adapt,
)
