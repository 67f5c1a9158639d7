from typing import Any

import numpy as np
import numpy.typing as npt

Int32 = npt.NDArray[np.int32]
Int64 = npt.NDArray[np.int64]

FIRST_SYMBOL: int

class MergeSegmenter:
    def __init__(
        self, left: Int32, right: Int32, rank: Int32, token: Int32, names: Int64
    ) -> None: ...
    @property
    def displacement(self) -> int: ...
    def last_pairs(self, tokens: Int32, offsets: Int64) -> tuple[Int32, Int32, Int32]: ...
    def merge(
        self,
        data: npt.NDArray[Any],
        offsets: Int64,
        first: int,
        last: int,
        which: Int32,
        dropout: float,
        seed: int,
        draws: Int64,
    ) -> None: ...
