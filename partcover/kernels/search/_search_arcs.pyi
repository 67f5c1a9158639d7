import numpy as np
import numpy.typing as npt

Int32 = npt.NDArray[np.int32]
Int64 = npt.NDArray[np.int64]

def search_arcs(
    sa: Int32, word_of: Int32, offsets: Int64, lo: Int32, hi: Int32, length: Int32
) -> tuple[Int32, Int64, Int64, Int32, Int32]: ...
def repeated_steps(arcs: Int32, word_first: Int64) -> float: ...
