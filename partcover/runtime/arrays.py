"""NumPy, imported when it is first used, and the types of arrays that are used throughout."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    Array: TypeAlias = npt.NDArray[Any]
    ArrayLike: TypeAlias = npt.ArrayLike
    Bools: TypeAlias = npt.NDArray[np.bool_]
    Float64: TypeAlias = npt.NDArray[np.float64]
    Indices: TypeAlias = npt.NDArray[np.intp]
    Int32: TypeAlias = npt.NDArray[np.int32]
    Int64: TypeAlias = npt.NDArray[np.int64]
    Integers: TypeAlias = npt.NDArray[np.integer]
    Positions: TypeAlias = Int32 | Int64
    Int8: TypeAlias = npt.NDArray[np.int8]
    Records: TypeAlias = npt.NDArray[np.void]
    UInt8: TypeAlias = npt.NDArray[np.uint8]
    UInt32: TypeAlias = npt.NDArray[np.uint32]
    UInt64: TypeAlias = npt.NDArray[np.uint64]
else:  # annotations are looked up when a program runs, which must not import NumPy
    from .later import Later

    np = Later("numpy")

    Array = ArrayLike = Bools = Float64 = Integers = Positions = Records = Any
    Indices = Int8 = Int32 = Int64 = UInt8 = UInt32 = UInt64 = Any

__all__ = [
    "Array",
    "ArrayLike",
    "Bools",
    "Float64",
    "Indices",
    "Int8",
    "Int32",
    "Int64",
    "Integers",
    "Positions",
    "Records",
    "UInt8",
    "UInt32",
    "UInt64",
    "np",
]
