import numpy as np
import numpy.typing as npt

Int32 = npt.NDArray[np.int32]
Int64 = npt.NDArray[np.int64]

def suffix_array(text: Int32, upper: int) -> Int32: ...
def common_prefixes(text: Int32, sa: Int32) -> Int32: ...
