# Arrays of numbers that are made without NumPy, which counting words and training need not import.
# Each is Python's memory view of zeros, which NumPy takes as an array (`np.asarray`).

cdef object _array(Py_ssize_t n, str kind):
    """Zeros: int32 if the kind is "i", int64 if it is "q", uint8 if it is "B"."""
    size = 1 if kind == "B" else 4 if kind == "i" else 8
    if kind == "q" and sizeof(long) == 8:
        kind = "l"      # what NumPy calls int64
    return memoryview(bytearray(n * size)).cast(kind)


cdef object _filled(Py_ssize_t n, int32_t value):
    """So many times the same int32."""
    array = _array(n, "i")
    cdef int32_t[::1] values = array
    values[:] = value
    return array


cdef object _copied(const int64_t *values, Py_ssize_t n):
    """So many int64 as an array of their own."""
    array = _array(n, "q")
    cdef int64_t[::1] copy = array
    cdef Py_ssize_t i
    for i in range(n):
        copy[i] = values[i]
    return array


def _array_of(list numbers):
    """Numbers of a list as int32."""
    cdef Py_ssize_t i
    array = _array(len(numbers), "i")
    cdef int32_t[::1] values = array
    for i in range(values.shape[0]):
        values[i] = numbers[i]
    return array
