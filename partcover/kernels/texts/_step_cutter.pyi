import numpy as np
import numpy.typing as npt

UInt8 = npt.NDArray[np.uint8]
UInt32 = npt.NDArray[np.uint32]
Int32 = npt.NDArray[np.int32]
Int64 = npt.NDArray[np.int64]

SET: int
EITHER: int
AHEAD: int
BEHIND: int
BEGIN: int
END: int
FOUND: int
ISOLATED: int
REMOVED: int
MERGED_WITH_PREVIOUS: int
MERGED_WITH_NEXT: int
CONTIGUOUS: int
WORD: int
GAP: int

class StepCutter:
    def __init__(
        self,
        sets: UInt32,
        nodes: Int32,
        steps: list[tuple[int, int, int, bool] | tuple[bytes | None, bytes, bytes, bool]],
    ) -> None: ...
    def marks(self, data: UInt8, offsets: Int64) -> UInt8 | None: ...
    def cut(self, data: UInt8, offsets: Int64) -> tuple[UInt8, Int64, Int64] | None: ...
