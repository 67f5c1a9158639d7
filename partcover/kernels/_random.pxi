# Random numbers that depend on (seed, draw, word) alone: included by the kernels that draw.

cdef inline uint64_t _mix(uint64_t x) noexcept nogil:
    """The finaliser of splitmix64 (Steele, Lea and Flood 2014)."""
    x = (x ^ (x >> 30)) * <uint64_t> 0xBF58476D1CE4E5B9
    x = (x ^ (x >> 27)) * <uint64_t> 0x94D049BB133111EB
    return x ^ (x >> 31)


cdef inline uint64_t _begin(uint64_t seed, uint64_t draw, const Symbol *word, Py_ssize_t size,
                            const int64_t[::1] names) noexcept nogil:
    """The state that a word's numbers begin from; `names` gives the values of its symbols."""
    cdef uint64_t state = _mix(_mix(seed + <uint64_t> 0x9E3779B97F4A7C15) ^ draw)
    cdef Py_ssize_t i
    for i in range(size):
        if names.shape[0]:
            state = _mix(state ^ <uint64_t> names[word[i]]) + 1
        else:
            state = _mix(state ^ <uint64_t> word[i]) + 1
    return state


cdef inline double _uniform(uint64_t *state) noexcept nogil:
    """The next number: a multiple of 2^-53 in [0, 1)."""
    state[0] += <uint64_t> 0x9E3779B97F4A7C15
    return <double> (_mix(state[0]) >> 11) * (1.0 / 9007199254740992.0)
