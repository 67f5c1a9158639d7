from typing import Any

INSIDE: int
SINGLE: int
SHORT_WORD: int

def piece_counts(which: Any, offsets: Any) -> memoryview: ...

class Trie:
    longest: int
    displacement: int
    def __init__(self, tokens: Any, offsets: Any) -> None: ...
    def endings(self) -> tuple[memoryview, memoryview]: ...

class Segmenter(Trie):
    def shortest_path(self, data: Any, offsets: Any, first: int, last: int, which: Any) -> None: ...
    def priority(
        self,
        data: Any,
        offsets: Any,
        first: int,
        last: int,
        which: Any,
        backward: Segmenter | None,
        links: Any,
        chain: Any,
    ) -> None: ...
    def longest_match(
        self,
        data: Any,
        offsets: Any,
        first: int,
        last: int,
        which: Any,
        draws: Any,
        dropout: float,
        seed: int,
        names: Any,
        keeps: Any,
    ) -> None: ...
    def likelihood(
        self,
        data: Any,
        offsets: Any,
        first: int,
        last: int,
        which: Any,
        links: Any,
        scores: Any,
        singles: Any,
    ) -> None: ...
    def paths(
        self,
        data: Any,
        offsets: Any,
        first: int,
        last: int,
        which: Any,
        draws: Any,
        links: Any,
        weights: Any,
        singles: Any,
        seed: int,
        names: Any,
    ) -> None: ...
    def join(self, left: Any, right: Any, rank: Any, tokens: Any, offsets: Any) -> None: ...
    def merges(
        self,
        data: Any,
        offsets: Any,
        first: int,
        last: int,
        which: Any,
        whole: bool,
    ) -> list[int]: ...
    def splits(self, tokens: Any, offsets: Any) -> tuple[Any, Any, Any]: ...
