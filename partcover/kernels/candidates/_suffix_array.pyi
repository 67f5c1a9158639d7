import numpy as np
import numpy.typing as npt

Int32 = npt.NDArray[np.int32]
Int64 = npt.NDArray[np.int64]
Positions = Int32 | Int64

def lay_out(
    ranks: npt.NDArray[np.integer], offsets: Int64, text: Int32, word_of: Int32
) -> None: ...
def suffix_array(text: Int32, upper: int, sa: Positions) -> None: ...
def suffix_ranks(sa: Positions, rank: Positions, begin: int, end: int) -> None: ...
def common_prefixes(
    text: Int32, sa: Positions, rank: Positions, lcp: Int32, begin: int, end: int
) -> None: ...
def find(
    text: Int32, sa: Positions, patterns: Int32, offsets: Int64
) -> tuple[Positions, Positions]: ...
def interval_words(
    sa: Positions, word_of: Int32, counts: Int64, lo: Positions, hi: Positions
) -> tuple[Int32, Int64]: ...
