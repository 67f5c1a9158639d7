import numpy as np
import numpy.typing as npt

Int32 = npt.NDArray[np.int32]
Int64 = npt.NDArray[np.int64]
UInt8 = npt.NDArray[np.uint8]

class Segmenter:
    longest: int
    def __init__(self, tokens: Int32, offsets: Int64) -> None: ...
    def shortest_path(
        self, data: Int32, offsets: Int64, first: int, last: int, pieces: Int32, ends: UInt8
    ) -> None: ...
    def priority(
        self, data: Int32, offsets: Int64, first: int, last: int, pieces: Int32, ends: UInt8
    ) -> None: ...
