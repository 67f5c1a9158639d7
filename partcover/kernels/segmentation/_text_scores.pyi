from typing import Any, Self

import numpy as np
import numpy.typing as npt

class TextScores:
    longest: int
    displacement: int
    def __init__(self, tokens: npt.NDArray[np.int32], offsets: npt.NDArray[np.int64]) -> None: ...
    def endings(self) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int32]]: ...
    def set_scores(
        self,
        links: npt.NDArray[np.int64],
        scores: npt.NDArray[np.void],
        singles: npt.NDArray[np.float64],
        narrow: bool,
    ) -> Self: ...
    def scores_of_numbers(self) -> npt.NDArray[np.float64]: ...
    def ways_to_go_on(self) -> object: ...
    def cut(
        self,
        data: npt.NDArray[np.uint8],
        offsets: npt.NDArray[np.int64],
        first: int,
        last: int,
        which: npt.NDArray[np.int32],
    ) -> None: ...
    def cut_behind(
        self, word: npt.NDArray[np.uint8], total: float
    ) -> tuple[npt.NDArray[np.int32], float]: ...
    def reach(
        self, word: npt.NDArray[np.uint8]
    ) -> tuple[float, npt.NDArray[np.int32], list[float]]: ...
