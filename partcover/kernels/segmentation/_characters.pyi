import numpy as np
import numpy.typing as npt

UInt8 = npt.NDArray[np.uint8]
Int32 = npt.NDArray[np.int32]
Int64 = npt.NDArray[np.int64]

def characters(data: UInt8, offsets: Int64, first: int, last: int) -> tuple[Int32, Int64]: ...
def to_bytes(codes: Int32, chosen: Int32, tokens: Int32, singles: Int32, which: Int32) -> None: ...
