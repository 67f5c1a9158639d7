"""The types of arrays that are used throughout."""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
import numpy.typing as npt

__all__ = ["Bools", "Float64", "Int8", "Int32", "Int64", "Integers", "Positions", "UInt8"]

Bools: TypeAlias = npt.NDArray[np.bool_]
Float64: TypeAlias = npt.NDArray[np.float64]
Int32: TypeAlias = npt.NDArray[np.int32]
Int64: TypeAlias = npt.NDArray[np.int64]
Integers: TypeAlias = npt.NDArray[np.integer]
Positions: TypeAlias = Int32 | Int64
Int8: TypeAlias = npt.NDArray[np.int8]
UInt8: TypeAlias = npt.NDArray[np.uint8]
