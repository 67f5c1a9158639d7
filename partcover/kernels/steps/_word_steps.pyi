import numpy as np
import numpy.typing as npt

Float64 = npt.NDArray[np.float64]
Int32 = npt.NDArray[np.int32]
Int64 = npt.NDArray[np.int64]
UInt8 = npt.NDArray[np.uint8]

class WordSteps:
    n_arcs: int
    n_links: int
    cuts: list[int]
    price: Float64
    made: Float64
    pair_row: Float64
    pair_made: Float64
    def __init__(
        self,
        offsets: Int64,
        counts: Int64,
        sa: Int32,
        word_of: Int32,
        lo: Int32,
        hi: Int32,
        length: Int32,
        borders: UInt8,
        prices: Float64,
        shards: int,
    ) -> None: ...
    def start(self, piece: Int32, before: Float64, x: Float64) -> None: ...
    def place(self, which: Int32, start: Int32, flow: Float64, row: Float64) -> None: ...
    def anchor(self) -> None: ...
    def distance(self) -> tuple[float, float]: ...
    def gains(self, gain: Float64) -> None: ...
    def used(self) -> tuple[Int32, Int32, Float64, Float64]: ...
    def step(
        self,
        shard: int,
        weight: float,
        keep: float,
        ahead: Float64,
        gain: Float64,
        moves: Float64,
    ) -> None: ...
    def cost(self, shard: int, x: Float64) -> float: ...
