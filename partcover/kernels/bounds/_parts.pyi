import numpy as np
import numpy.typing as npt

Int32 = npt.NDArray[np.int32]
Int64 = npt.NDArray[np.int64]

def merge_parts(
    count_at: Int64, which: Int32, start: Int32, end: Int32
) -> tuple[Int32, Int64, Int64, Int64]: ...
def pair_rows(
    offsets: Int64,
    which: Int32,
    start: Int32,
    end: Int32,
    first: Int64,
    partner: Int32,
    number: Int32,
) -> tuple[Int64, Int64, Int32]: ...
def group_rows(
    first: Int64, members: Int32, which: Int32, start: Int32, end: Int32
) -> tuple[Int64, Int64, Int32]: ...
