"""Segments with tiktoken itself."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ...errors import MissingExtra
from ..format import Replay, WholeTexts


def replay_with_tiktoken(purpose: str, **arguments: Any) -> Replay:
    """Returns the replay of the encoding that tiktoken makes of its arguments."""
    try:
        import tiktoken
    except ImportError:
        raise MissingExtra("tiktoken", "tiktoken", purpose) from None
    encoding = tiktoken.Encoding(**arguments)

    def words(pieces: Sequence[bytes]) -> list[list[bytes] | None]:
        single = encoding._encode_single_piece  # one word, not segmented by the pattern before
        return [encoding.decode_tokens_bytes(single(piece)) for piece in pieces]

    return Replay(
        f"tiktoken {tiktoken.__version__}",
        words,
        lambda text: list(encoding.decode_tokens_bytes(encoding.encode_ordinary(text))),
        arguments["mergeable_ranks"].get,
        arguments["special_tokens"].get,
        WholeTexts(
            encoding.encode_ordinary,
            lambda text: encoding.encode(text, allowed_special="all"),
            encoding.decode,
        ),
    )
