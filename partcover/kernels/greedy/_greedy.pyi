from collections.abc import Callable

import numpy as np
import numpy.typing as npt

Int32 = npt.NDArray[np.int32]
Int64 = npt.NDArray[np.int64]
Positions = Int32 | Int64

class Greedy:
    relaxed: bool
    is_late: bool
    def __init__(
        self,
        text: Int32,
        sa: Positions,
        word_of: Int32,
        counts: Int64,
        relaxed: bool,
        threads: int = ...,
        ahead: int = ...,
    ) -> None: ...
    def load(
        self,
        lo: Positions,
        hi: Positions,
        length: Int32,
        weight: Int64,
        limit: int,
        groups: npt.NDArray[np.uint64] | None = None,
        left: Int64 | None = None,
    ) -> None: ...
    def unload(self) -> None: ...
    def blocked(self) -> npt.NDArray[np.uint8]: ...
    def run(
        self,
        steps: int,
        least: int = ...,
        for_each: Callable[[Callable[[int], None], int], None] | None = ...,
        end: float = ...,
    ) -> tuple[Int32, Int64]: ...
    def place(self, lo: int, hi: int, length: int) -> int: ...
