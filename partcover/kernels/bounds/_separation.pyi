import numpy as np
import numpy.typing as npt

Int32 = npt.NDArray[np.int32]
Int64 = npt.NDArray[np.int64]
Float64 = npt.NDArray[np.float64]

ONE: int

def demands(
    offsets: Int64, which: Int32, start: Int32, end: Int32, flow: Float64, smallest: float
) -> Int64: ...
def odd_cycles(first: Int64, neighbour: Int32, slack: Int64, roots: int) -> list[list[int]]: ...
def triangles(first: Int64, neighbour: Int32, slack: Int64) -> Int64: ...
def cliques(first: Int64, neighbour: Int32, slack: Int64, x: Int64, seeds: Int64) -> Int64: ...
