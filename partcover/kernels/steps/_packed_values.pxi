# Flows and rows of the arcs of words.  Most are 0, so only the others are stored, in the order of
# the arcs.  Included by _word_steps.pyx.

from libc.stdint cimport int64_t, uint8_t, uint64_t
from libc.stdlib cimport calloc, free, realloc

cdef extern from *:
    """
    #include <string.h>
    /* The value if the mask is all ones, 0 if it is 0; without a branch, which would be
       mispredicted. */
    static inline double masked(const double *value, uint64_t mask) {
        uint64_t bits;
        double result;
        memcpy(&bits, value, sizeof bits);
        bits &= mask;
        memcpy(&result, &bits, sizeof bits);
        return result;
    }
    """
    double masked(const double *value, uint64_t mask) noexcept nogil


cdef enum:
    FLOW = 1                    # the arc has a flow that is not 0, now or at the anchor
    ROW = 2                     # the same for the multiplier of its row
    SLACK = 4                   # values that may be read or written after the last one


cdef struct Values:             # the values of some arcs
    double *f                   # flows and multipliers of rows, and their anchors
    double *lam
    double *f0
    double *lam0


cdef struct Stream:             # the stored values of the arcs of a shard
    double *values              # f and f0 of each stored flow, λ and λ0 of each stored row
    Py_ssize_t size
    Py_ssize_t room


cdef struct Cursor:             # a place to read from or to write to
    uint8_t *marks
    double *values


cdef inline bint _room(Stream *stream, Py_ssize_t n) noexcept nogil:
    """Makes room for all values of n more arcs; returns whether there is enough memory."""
    cdef Py_ssize_t needed = stream.size + 4 * n + SLACK
    cdef double *values
    if needed <= stream.room:
        return True
    needed += needed >> 2
    values = <double *> realloc(stream.values, needed * sizeof(double))
    if values == NULL:
        return False
    stream.values, stream.room = values, needed
    return True


cdef inline void _unpack(const Values *to, Py_ssize_t n, Cursor *at) noexcept nogil:
    """Reads the values of n arcs, and moves to those of the next arcs."""
    cdef Py_ssize_t o
    cdef uint64_t flow, row
    cdef const double *v = at.values
    cdef const uint8_t *marks = at.marks
    for o in range(n):
        flow, row = marks[o] & 1, marks[o] >> 1
        to.f[o], to.f0[o] = masked(v, 0 - flow), masked(v + 1, 0 - flow)
        v += 2 * flow
        to.lam[o], to.lam0[o] = masked(v, 0 - row), masked(v + 1, 0 - row)
        v += 2 * row
    at.values = <double *> v


cdef inline void _pack(const Values *values, Py_ssize_t n, uint8_t *marks,
                       Stream *out) noexcept nogil:
    """Writes the values of n arcs; there must be room for them."""
    cdef Py_ssize_t o
    cdef bint flow, row
    cdef double *v = out.values + out.size
    for o in range(n):
        flow = (values.f[o] != 0) | (values.f0[o] != 0)
        row = (values.lam[o] != 0) | (values.lam0[o] != 0)
        v[0], v[1] = values.f[o], values.f0[o]
        v += 2 * flow
        v[0], v[1] = values.lam[o], values.lam0[o]
        v += 2 * row
        marks[o] = <uint8_t> (flow * FLOW + row * ROW)
    out.size = v - out.values


cdef class _PackedValues:
    """The flows and rows of the arcs of shards; at first all are 0.

    Parameters
    ----------
    first : ndarray of int64, shape (shards + 1,)
        The first arc of each shard.
    """

    cdef readonly object marks      # for each arc, which of its values are stored
    cdef uint8_t[::1] mark
    cdef const int64_t[::1] first
    cdef Stream *streams
    cdef Stream *spares             # streams that are not in use
    cdef Py_ssize_t n_spares, shards

    def __cinit__(self, const int64_t[::1] first):
        self.first, self.shards = first, first.shape[0] - 1
        self.marks = np.zeros(first[self.shards], np.uint8)
        self.mark = self.marks
        self.streams = <Stream *> calloc(self.shards, sizeof(Stream))
        self.spares = <Stream *> calloc(self.shards, sizeof(Stream))
        if self.streams == NULL or self.spares == NULL:
            raise MemoryError

    def __dealloc__(self):
        cdef Py_ssize_t s
        for s in range(self.shards if self.streams != NULL else 0):
            free(self.streams[s].values)
        for s in range(self.n_spares):
            free(self.spares[s].values)
        free(self.streams)
        free(self.spares)

    cdef Cursor begin(self, Py_ssize_t shard) noexcept nogil:
        """Returns where the values of a shard begin."""
        cdef Cursor at
        at.marks = &self.mark[0] + self.first[shard]
        at.values = self.streams[shard].values
        return at

    cdef void clear(self) noexcept nogil:
        """Discards all values, before they are written anew."""
        cdef Py_ssize_t shard
        for shard in range(self.shards):
            self.streams[shard].size = 0

    cdef Stream empty(self) noexcept:
        """Returns an empty stream, which will replace another."""
        cdef Stream stream
        stream.values, stream.room = NULL, 0
        with cython.critical_section(self):     # threads share the spare streams
            if self.n_spares:
                self.n_spares -= 1
                stream = self.spares[self.n_spares]
        stream.size = 0
        return stream

    cdef void put(self, Py_ssize_t shard, Stream stream) noexcept:
        """Replaces the stream of a shard, and keeps the old one as a spare."""
        with cython.critical_section(self):
            self.spares[self.n_spares] = self.streams[shard]
            self.n_spares += 1
        self.streams[shard] = stream

    cdef void anchor(self) noexcept nogil:
        """Sets all values to those of the anchor."""
        cdef Py_ssize_t shard, o
        cdef Stream *stream
        cdef const double *source
        cdef double *target
        cdef uint8_t mark
        for shard in range(self.shards):
            stream = &self.streams[shard]
            source, target = stream.values, stream.values
            for o in range(self.first[shard], self.first[shard + 1]):
                mark = self.mark[o]
                self.mark[o] = 0
                if mark & FLOW:
                    if source[0] != 0:
                        target[1] = target[0] = source[0]
                        target += 2
                        self.mark[o] = FLOW
                    source += 2
                if mark & ROW:
                    if source[0] != 0:
                        target[1] = target[0] = source[0]
                        target += 2
                        self.mark[o] |= ROW
                    source += 2
            stream.size = target - stream.values
