from typing import Any

import numpy as np
import numpy.typing as npt

Int32 = npt.NDArray[np.int32]
Int64 = npt.NDArray[np.int64]
Float64 = npt.NDArray[np.float64]

INSIDE: int
SINGLE: int

class Segmenter:
    longest: int
    def __init__(self, tokens: Int32, offsets: Int64) -> None: ...
    def shortest_path(
        self, data: npt.NDArray[Any], offsets: Int64, first: int, last: int, which: Int32
    ) -> None: ...
    def priority(
        self, data: npt.NDArray[Any], offsets: Int64, first: int, last: int, which: Int32
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
        scores: Float64,
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
        parts: Float64,
        powers: Int64,
        single_parts: Float64,
        single_powers: Int64,
        seed: int,
        names: Int64,
    ) -> None: ...
    def whole(self, data: npt.NDArray[Any], offsets: Int64, first: int, last: int) -> Int32: ...
    def splits(self, tokens: Int32, offsets: Int64) -> tuple[Int32, Int32, Int32]: ...
