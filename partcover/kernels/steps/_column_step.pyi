import numpy as np
import numpy.typing as npt

Float64 = npt.NDArray[np.float64]
Int32 = npt.NDArray[np.int32]
Int64 = npt.NDArray[np.int64]

def subtract_pushes(
    first: Int64, column: Int32, coef: Float64, multiplier: Float64, gain: Float64
) -> None: ...
def add_values(
    first: Int64, column: Int32, coef: Float64, values: Float64, out: Float64
) -> None: ...
def move_columns(
    made: Float64, start: Float64, metric: Float64, keep: float, x: Float64, ahead: Float64
) -> float: ...
def move_rows(
    over: Float64,
    pace: Float64,
    start: Float64,
    weight: float,
    keep: float,
    multiplier: Float64,
    made: Float64,
) -> float: ...
