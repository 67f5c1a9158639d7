# A growing array of rows of integers.  Included by kernels that find a number of rows not known
# in advance.

from libc.stdint cimport int64_t
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
