import numpy as np
import numpy.typing as npt

Int32 = npt.NDArray[np.int32]
Int64 = npt.NDArray[np.int64]

def increases(
    begin: Int64,
    arcs: Int32,
    length: Int32,
    symbols: Int32,
    offsets: Int64,
    counts: Int64,
    first: int,
    last: int,
    removal: bool,
    randomly: bool,
    seed: int,
    draw: int,
    increase: Int64,
    uses: Int64,
) -> int: ...
