from typing import Any

FIRST_SYMBOL: int

class MergeSegmenter:
    def __init__(self, left: Any, right: Any, rank: Any, token: Any, names: Any) -> None: ...
    @property
    def displacement(self) -> int: ...
    def last_pairs(self, tokens: Any, offsets: Any) -> tuple[Any, Any, Any]: ...
    def merge(
        self,
        data: Any,
        offsets: Any,
        first: int,
        last: int,
        which: Any,
        dropout: float,
        seed: int,
        draws: Any,
    ) -> None: ...
