import numpy as np
import numpy.typing as npt

UInt8 = npt.NDArray[np.uint8]
Int32 = npt.NDArray[np.int32]
Int64 = npt.NDArray[np.int64]

def optimum(
    text: UInt8, offsets: Int64, counts: Int64, k: int, relaxed: bool = False
) -> tuple[int, list[tuple[int, int]]]: ...
def method_cover(
    text: UInt8, offsets: Int64, counts: Int64, k: int, method: int
) -> tuple[int, list[tuple[int, int]]]: ...

class Search:
    seen: int
    examined: int
    numerator: int
    denominator: int
    words: list[int]
    def __init__(
        self,
        table: UInt8,
        lengths: Int32,
        images: Int32,
        k: int,
        method: int,
        of_tokens: bool = False,
    ) -> None: ...
    def start(self, size: int) -> None: ...
    def run(self, limit: int) -> bool: ...
