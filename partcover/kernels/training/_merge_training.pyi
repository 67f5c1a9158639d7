import numpy as np
import numpy.typing as npt

Int32 = npt.NDArray[np.int32]
Int64 = npt.NDArray[np.int64]

class MergeTrainer:
    tokens: int
    n_spelled: int
    displacement: int
    def __init__(
        self,
        text: Int32,
        offsets: Int64,
        counts: Int64,
        which: Int32,
        starts: Int64,
        lengths: Int64,
        given: int,
        merges: Int32,
        alphabet: int,
        room: int,
        max_length: int,
        min_count: int,
        scored: bool,
    ) -> None: ...
    def run(self, tokens: int) -> bool: ...
    def merges(self) -> tuple[Int32, Int64]: ...
    def places(self) -> tuple[Int64, Int64]: ...
