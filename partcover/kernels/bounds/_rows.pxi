# A growing array of rows of integers, and steps on words and pairs.  Included by kernels that find
# a number of rows not known in advance.

from libc.stdint cimport int32_t, int64_t
from libc.stdlib cimport free, malloc, realloc
from libc.string cimport memcpy


cdef class _Rows:
    """A growing array of rows of int64."""

    cdef int64_t *data
    cdef Py_ssize_t size, room, width

    def __cinit__(self, Py_ssize_t width):
        self.width = width
        self.room = 256
        self.data = <int64_t *> malloc(self.room * width * sizeof(int64_t))
        if self.data == NULL:
            raise MemoryError

    def __dealloc__(self):
        free(self.data)

    cdef int64_t *add(self) noexcept nogil:
        """Returns the next row, to be filled in, or NULL if memory runs out."""
        cdef int64_t *grown
        if self.size == self.room:
            grown = <int64_t *> realloc(self.data, 2 * self.room * self.width * sizeof(int64_t))
            if grown == NULL:
                return NULL
            self.data = grown
            self.room *= 2
        self.size += 1
        return self.data + (self.size - 1) * self.width

    cdef array(self):
        rows = np.empty((self.size, self.width), np.int64)
        cdef int64_t[:, ::1] view = rows
        if self.size:
            memcpy(&view[0, 0], self.data, self.size * self.width * sizeof(int64_t))
        return rows


cdef _rows_and_arcs(_Rows rows, _Rows members):
    """Returns rows as two columns, and the arcs of each; column 2 holds its first arc's place."""
    found, arcs = rows.array(), members.array()
    row_first = np.append(found[:, 2], members.size)
    return found[:, :2].copy(), row_first, arcs[:, 0].astype(np.int32)


cdef Py_ssize_t _edge(const int64_t[::1] first, const int32_t[::1] neighbour, int64_t a,
                      int32_t b) noexcept nogil:
    """Returns the index of the edge in the ascending row of a, or −1."""
    cdef Py_ssize_t low = first[a], high = first[a + 1], middle
    while low < high:
        middle = (low + high) >> 1
        if neighbour[middle] < b:
            low = middle + 1
        else:
            high = middle
    return low if low < first[a + 1] and neighbour[low] == b else -1


cdef Py_ssize_t _numbered(const int64_t[::1] first, const int32_t[::1] partner,
                          const int32_t[::1] number, int32_t a, int32_t b) noexcept nogil:
    """Returns the number of a pair of candidates, or −1 if it has none."""
    cdef Py_ssize_t at = _edge(first, partner, a, b)
    return number[at] if at >= 0 else -1


cdef Py_ssize_t _used_arcs(const int32_t[::1] start, const double[::1] flow, int64_t stop,
                           double smallest, Py_ssize_t *at, int32_t[::1] used) noexcept nogil:
    """Lists the arcs from `at` that start before `stop` and have a flow; moves `at` behind them."""
    cdef Py_ssize_t n = 0
    while at[0] < start.shape[0] and start[at[0]] < stop:
        if flow[at[0]] > smallest:
            used[n] = <int32_t> at[0]
            n += 1
        at[0] += 1
    return n
