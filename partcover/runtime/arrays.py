"""NumPy, imported when it is first used, types of arrays, and arrays that no caller can change."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar

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

_Kept = TypeVar("_Kept", bound=Array)

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
    "keep_arrays",
    "np",
    "read_only",
]


def read_only(array: _Kept) -> _Kept:
    """Returns a view of an array that an object keeps, through which a caller cannot change it.

    Examples
    --------
    >>> import numpy as np
    >>> from partcover.runtime.arrays import read_only
    >>> read_only(np.zeros(2)).flags.writeable
    False
    """
    view = array.view()
    view.flags.writeable = False
    return view


def keep_arrays(self: Any) -> None:
    """Makes the arrays of a dataclass read-only, for its `__post_init__`."""
    for name, value in vars(self).items():
        if isinstance(value, np.ndarray):
            self.__dict__[name] = read_only(value)
