"""Registers an encoding with tiktoken; its data are in the two files beside this one."""

import base64
import json
from pathlib import Path

_SETTINGS = Path(__file__).with_suffix(".json")
_NAME = json.loads(_SETTINGS.read_bytes())["name"]


def _encoding() -> dict[str, object]:
    settings = json.loads(_SETTINGS.read_bytes())
    lines = _SETTINGS.with_suffix(".tiktoken").read_bytes().splitlines()
    return {
        "name": _NAME,
        "pat_str": settings["pattern"],
        "mergeable_ranks": {
            base64.b64decode(token): int(rank) for token, rank in map(bytes.split, lines)
        },
        "special_tokens": settings["special_tokens"],
    }


ENCODING_CONSTRUCTORS = {_NAME: _encoding}
