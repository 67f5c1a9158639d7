# The candidates that begin at each position.  Included by _word_steps.pyx.

from libc.stdint cimport int32_t, int64_t


cdef struct Link:               # of the chain of candidates that begin where its last one does
    int32_t token
    int32_t length


cdef class _Chains:
    """The candidates that begin at each position: the last of them, and a chain for each last one.

    Parameters
    ----------
    size : int
        Number of positions.
    sa, word_of : ndarray of int32
        The suffix array of the words, and the word of each position.
    lo, hi, length : ndarray of int32, shape (tokens,)
        The candidates, in an order in which none occurs more often than an earlier one.

    Attributes
    ----------
    n_links : int
        Number of links in all chains.

    Notes
    -----
    The candidates that begin at a position are prefixes of each other.  The one with the smaller
    number occurs at least as often as the other, so it occurs wherever the other does.  Hence each
    candidate has the same candidates before it in every place where it begins.
    """

    cdef readonly Py_ssize_t n_links
    cdef int32_t[::1] tops          # the last candidate at each position, or -1
    cdef int64_t[::1] first  # the first link of each candidate that is the last one somewhere
    cdef Link *links
    cdef object memory              # owns the memory of the links

    def __init__(self, Py_ssize_t size, const int32_t[::1] sa, const int32_t[::1] word_of,
                 const int32_t[::1] lo, const int32_t[::1] hi, const int32_t[::1] length):
        cdef Py_ssize_t tokens = lo.shape[0], c, i
        cdef int32_t p, t, last
        cdef int32_t[::1] tops = np.full(size, -1, np.int32)
        cdef int64_t[::1] first = np.zeros(tokens + 1, np.int64)
        cdef int32_t[::1] below = np.empty(tokens, np.int32)
        cdef int32_t[::1] depth = np.empty(tokens, np.int32)
        with nogil:
            for c in range(tokens):
                last = -1
                for i in range(lo[c], hi[c]):
                    t = sa[i]
                    p = t - word_of[t] - 1
                    last = tops[p]
                    tops[p] = <int32_t> c
                below[c] = last
                depth[c] = depth[last] + 1 if last >= 0 else 1
            # Only candidates that are last somewhere get a chain: with chains for all, long
            # candidates would need quadratic memory.
            for i in range(size):
                if tops[i] >= 0:
                    first[tops[i] + 1] = depth[tops[i]]
            for c in range(tokens):
                first[c + 1] += first[c]
        self.tops, self.first, self.n_links = tops, first, first[tokens]
        cdef int32_t[:, ::1] memory = np.empty((self.n_links + 1, 2), np.int32)
        self.links, self.memory = <Link *> &memory[0, 0], memory
        with nogil:
            for c in range(tokens):
                last = <int32_t> c
                for i in range(first[c + 1] - 1, first[c] - 1, -1):
                    self.links[i].token, self.links[i].length = last, length[last]
                    last = below[last]

    cdef inline Py_ssize_t begun(self, Py_ssize_t p) noexcept nogil:
        """Returns how many candidates begin at a position."""
        cdef int32_t top = self.tops[p]
        return self.first[top + 1] - self.first[top] if top >= 0 else 0
