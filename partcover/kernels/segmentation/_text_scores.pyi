from typing import Self

import numpy as np
import numpy.typing as npt

Int32 = npt.NDArray[np.int32]
Int64 = npt.NDArray[np.int64]
Float64 = npt.NDArray[np.float64]
UInt8 = npt.NDArray[np.uint8]

INSIDE: int
SINGLE: int

class Trie:
    longest: int
    displacement: int
    def __init__(self, tokens: Int32, offsets: Int64) -> None: ...
    def endings(self) -> tuple[Int64, Int32]: ...

class TextScores(Trie):
    def set_scores(
        self, links: Int64, scores: npt.NDArray[np.void], singles: Float64, narrow: bool
    ) -> Self: ...
    def scores_of_numbers(self) -> Float64: ...
    def ways_to_go_on(self) -> object: ...
    def cut(self, data: UInt8, offsets: Int64, first: int, last: int, which: Int32) -> None: ...
    def cut_behind(self, word: UInt8, total: float) -> tuple[Int32, float]: ...
    def reach(self, word: UInt8) -> tuple[float, Int32, list[float]]: ...
