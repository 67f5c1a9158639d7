import numpy as np
import numpy.typing as npt

Int32 = npt.NDArray[np.int32]
Int64 = npt.NDArray[np.int64]
Positions = Int32 | Int64

LENGTH_BITS: int
WIDE_LENGTH_BITS: int

class Nodes:
    candidates: int
    occurrences: int
    longest: int
    total: int
    def intervals(self) -> tuple[Positions, Positions, Int32, Int64]: ...

def shard_ends(lcp: Int32, first: int, n_shards: int) -> list[int]: ...
def candidate_nodes(
    sa: Positions,
    lcp: Int32,
    word_of: Int32,
    offsets: Int64,
    counts: Int64,
    whole: npt.NDArray[np.uint8],
    max_length: int,
    min_count: int,
    blocked: npt.NDArray[np.uint8] | None,
    begin: int,
    end: int,
    least: int = ...,
) -> Nodes: ...
def class_floor(number: int) -> int: ...
def promise_classes(
    sa: Positions,
    lcp: Int32,
    word_of: Int32,
    offsets: Int64,
    counts: Int64,
    whole: npt.NDArray[np.uint8],
    max_length: int,
    min_count: int,
    blocked: npt.NDArray[np.uint8] | None,
    begin: int,
    end: int,
) -> Int64: ...
