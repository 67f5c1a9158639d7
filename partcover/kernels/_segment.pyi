from typing import Any

import numpy as np
import numpy.typing as npt

Int32 = npt.NDArray[np.int32]
Int64 = npt.NDArray[np.int64]

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
