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
def link_payments(
    tokens: Int32,
    bridge_first: Int64,
    bridges: Int32,
    first: Int64,
    position: Int64,
    multiplier: Int64,
    start_first: Int64,
    starts: Int32,
    length: Int32,
) -> Int64: ...
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
