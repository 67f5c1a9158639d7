from typing import Any

import numpy as np
import numpy.typing as npt

Int32 = npt.NDArray[np.int32]
Int64 = npt.NDArray[np.int64]

class KnownTokens:
    longest: int
    def __init__(
        self, data: npt.NDArray[Any], place: Int64, length: Int32, longest: int
    ) -> None: ...
    def weights(self, data: Int64, offsets: Int64, counts: Int64, most: int) -> Int64: ...

class TokenSums:
    sums: Int64
    classes: Int64
    used: npt.NDArray[np.bool_]
    total: int
    def __init__(
        self,
        known: KnownTokens,
        tolls: Int64,
        ignored: int,
        class_bits: int,
        one: int,
        longest_priced: int,
        sixteenths: int,
    ) -> None: ...
    def add(self, data: Int64, offsets: Int64, counts: Int64) -> None: ...

def largest_classes(
    classes: Int64,
    longest_priced: int,
    data: npt.NDArray[Any],
    offsets: Int64,
    words: Int32,
) -> Int64: ...
def largest_of_tokens(
    sums: Int64,
    lo: Int32,
    hi: Int32,
    sa: Int32,
    word_of: Int32,
    row_of: Int32,
    largest: Int64,
) -> None: ...
