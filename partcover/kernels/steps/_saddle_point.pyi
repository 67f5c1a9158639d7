from typing import overload

import numpy as np
import numpy.typing as npt

Float64 = npt.NDArray[np.float64]
Int8 = npt.NDArray[np.int8]
Int32 = npt.NDArray[np.int32]
Int64 = npt.NDArray[np.int64]
Positions = Int32 | Int64

@overload
def arcs(
    places: Int32, lo: Int32, hi: Int32, length: Int32, positions: int
) -> tuple[Int32, Int32, Int32, Int32]: ...
@overload
def arcs(
    places: Positions, lo: Positions, hi: Positions, length: Int32, positions: int
) -> tuple[Int32, Positions, Positions, Int32]: ...
def same_arcs(which: Int32, start: Int32, other_which: Int32, other_start: Int32) -> Int64: ...
def project(
    x: Float64, gain: Float64, step: Float64, budget: float, fee: float, out: Float64
) -> float: ...

class Saddle:
    first: Int64
    moving: Int32
    cuts: list[int]
    flow: Float64
    row: Float64
    price: Float64
    made: Float64
    flow_from: Float64
    row_from: Float64
    price_from: Float64
    over: Float64
    pair_rows: Int64
    pair_row: Float64
    pair_made: Float64
    pair_from: Float64
    def __init__(
        self,
        offsets: Int64,
        counts: Float64,
        which: Int32,
        start: Int32,
        end: Int32,
        back: Int32,
        prices: Float64 | None = None,
    ) -> None: ...
    def set_pairs(
        self, first: Int64, arcs: Int32, target: Int32, sign: Int8, limit: Int8
    ) -> None: ...
    def share_out(self, shards: int, words: Int32 | None = None) -> None: ...
    def anchor(self) -> None: ...
    def distance(self) -> tuple[float, float]: ...
    def gains(self, gain: Float64) -> None: ...
    def gains_at_rest(self, gain: Float64) -> None: ...
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
