from typing import Any

import numpy as np
import numpy.typing as npt

Int32 = npt.NDArray[np.int32]
Int64 = npt.NDArray[np.int64]
Float64 = npt.NDArray[np.float64]

INSIDE: int
SINGLE: int
SHORT_WORD: int

def piece_counts(which: Int32, offsets: Int64) -> Int64: ...

class Trie:
    longest: int
    displacement: int
    def __init__(self, tokens: Int32, offsets: Int64) -> None: ...
    def endings(self) -> tuple[Int64, Int32]: ...

class Segmenter(Trie):
    def shortest_path(
        self, data: npt.NDArray[Any], offsets: Int64, first: int, last: int, which: Int32
    ) -> None: ...
    def priority(
        self,
        data: npt.NDArray[Any],
        offsets: Int64,
        first: int,
        last: int,
        which: Int32,
        backward: Segmenter | None,
        links: Int64,
        chain: Int32,
    ) -> None: ...
    def longest_match(
        self,
        data: npt.NDArray[Any],
        offsets: Int64,
        first: int,
        last: int,
        which: Int32,
        draws: Int64,
        dropout: float,
        seed: int,
        names: Int64,
    ) -> None: ...
    def likelihood(
        self,
        data: npt.NDArray[Any],
        offsets: Int64,
        first: int,
        last: int,
        which: Int32,
        links: Int64,
        scores: npt.NDArray[np.void],
        singles: Float64,
    ) -> None: ...
    def paths(
        self,
        data: npt.NDArray[Any],
        offsets: Int64,
        first: int,
        last: int,
        which: Int32,
        draws: Int64,
        links: Int64,
        weights: npt.NDArray[np.void],
        singles: npt.NDArray[np.void],
        seed: int,
        names: Int64,
    ) -> None: ...
    def join(
        self, left: Int32, right: Int32, rank: Int32, tokens: Int32, offsets: Int64
    ) -> None: ...
    def merges(
        self,
        data: npt.NDArray[Any],
        offsets: Int64,
        first: int,
        last: int,
        which: Int32,
        whole: bool,
    ) -> Int64: ...
    def splits(self, tokens: Int32, offsets: Int64) -> tuple[Int32, Int32, Int32]: ...
