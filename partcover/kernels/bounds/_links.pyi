import numpy as np
import numpy.typing as npt

Float64 = npt.NDArray[np.float64]
Int32 = npt.NDArray[np.int32]
Int64 = npt.NDArray[np.int64]

def link_rows(
    offsets: Int64,
    which: Int32,
    start: Int32,
    end: Int32,
    first: Int64,
    partner: Int32,
    number: Int32,
) -> tuple[Int64, Int64, Int32]: ...
def link_demands(
    offsets: Int64,
    which: Int32,
    start: Int32,
    end: Int32,
    flow: Float64,
    x: Float64,
    smallest: float,
    least: float,
) -> Int64: ...
