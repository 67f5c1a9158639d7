import numpy as np
import numpy.typing as npt

UInt8 = npt.NDArray[np.uint8]
Int32 = npt.NDArray[np.int32]
Int64 = npt.NDArray[np.int64]
Float64 = npt.NDArray[np.float64]

def merge_parts(
    count_at: Int64, which: Int32, start: Int32, end: Int32
) -> tuple[Int32, Int64, Int64, Int64]: ...
def demands(
    offsets: Int64,
    counts: Float64,
    which: Int32,
    start: Int32,
    end: Int32,
    flow: Float64,
    smallest: float,
    unit: float,
) -> Int64: ...
def pair_rows(
    offsets: Int64, which: Int32, start: Int32, end: Int32, keys: Int64, in_pair: UInt8
) -> tuple[Int64, Int64, Int32]: ...
def charged_rewards(
    places: Int32,
    before: Int64,
    count_at: Int64,
    one: int,
    lo: Int32,
    hi: Int32,
    length: Int32,
    which: Int32,
    first: Int64,
    positions: Int32,
    sums: Int64,
    out: Int64,
    low: Int64,
    shift: int,
) -> None: ...

class CutSteps:
    flow: Float64
    flow_made: Float64
    price: Float64
    price_made: Float64
    row: Float64
    row_made: Float64
    degree: Float64
    def __init__(
        self,
        offsets: Int64,
        counts: Float64,
        start: Int32,
        end: Int32,
        row_first: Int64,
        row_arcs: Int32,
        row_part: Int32,
        row_target: Int32,
    ) -> None: ...
    def anchor(self) -> None: ...
    def distance(self) -> tuple[float, float]: ...
    def step(
        self,
        parts_from: int,
        parts_to: int,
        weight: float,
        keep: float,
        ahead: Float64,
        gain: Float64,
        moves: Float64,
    ) -> None: ...
