# Random numbers that depend only on (seed, draw, word).  Included by the kernels that draw, after
# `Symbol` is declared.

include "_splitmix.pxi"


cdef inline uint64_t _word_state(uint64_t seed, uint64_t draw, const Symbol *word, Py_ssize_t size,
                                 const int64_t[::1] names) noexcept nogil:
    """The initial state for a word; `names`, if not empty, has the values of its symbols."""
    cdef uint64_t state = _mix(_mix(seed + GOLDEN) ^ draw)
    cdef Py_ssize_t i
    for i in range(size):
        if names.shape[0]:
            state = _mix(state ^ <uint64_t> names[word[i]]) + 1
        else:
            state = _mix(state ^ <uint64_t> word[i]) + 1
    return state


cdef inline double _uniform(uint64_t *state) noexcept nogil:
    """The next random number: a multiple of 2^-53 in [0, 1)."""
    return <double> (_next_bits(state) >> 11) * (1.0 / 9007199254740992.0)
