import numpy as np
import numpy.typing as npt

UInt8 = npt.NDArray[np.uint8]
Int32 = npt.NDArray[np.int32]
Int64 = npt.NDArray[np.int64]

def self_overlaps(text: Int32, sa: Int32, lo: Int32, hi: Int32, length: Int32) -> UInt8: ...
def sums_before(prices: Int32 | Int64, offsets: Int64) -> Int64: ...
def in_order(prices: Int32 | Int64, offsets: Int64, order: Int32) -> Int32 | Int64: ...
def rewards(
    sa: Int32,
    word_of: Int32,
    counts: Int64,
    before: Int64,
    one: int,
    lo: Int32,
    hi: Int32,
    length: Int32,
    overlaps: UInt8,
    which: Int32,
    out: Int64,
    low: Int64,
    shift: int,
    first: int,
    last: int,
) -> None: ...
def charged_rewards(
    places: Int32,
    before: Int64,
    count_at: Int64,
    one: int,
    lo: Int32,
    hi: Int32,
    length: Int32,
    which: Int32,
    lists: Int64,
    listed: Int32,
    first: Int64,
    positions: Int32,
    sums: Int64,
    out: Int64,
    low: Int64,
    shift: int,
    begin: int,
    stop: int,
) -> None: ...
