# The cost of a word with one candidate less or one more.  Included by _local_search.pyx, after
# _arc.pxi.
#
# `active` lists the arcs of the chosen candidates, and `used` is their number; `cost` is scratch
# memory for the fewest tokens up to each boundary.

cdef inline int32_t _cost_without(const Arc *arcs, const int32_t *active, Py_ssize_t used,
                                  Py_ssize_t size, int32_t c, int32_t *cost) noexcept nogil:
    """The cost of a word without the chosen candidate c."""
    cdef Py_ssize_t i
    cdef Py_ssize_t j = 0
    cdef int32_t now
    for i in range(size + 1):
        cost[i] = <int32_t> i
    for i in range(size):
        now = cost[i] + 1
        cost[i + 1] = min(cost[i + 1], now)
        while j < used and arcs[active[j]].start == i:
            if arcs[active[j]].candidate != c:
                cost[arcs[active[j]].end] = min(cost[arcs[active[j]].end], now)
            j += 1
    return cost[size]


cdef inline int32_t _cost_with(const Arc *arcs, const int32_t *active, Py_ssize_t used,
                               Py_ssize_t size, int32_t base, Py_ssize_t head,
                               int32_t *cost) noexcept nogil:
    """The cost of a word when the candidate whose first arc is `head` is also chosen."""
    cdef Py_ssize_t i
    cdef Py_ssize_t j = 0
    cdef int32_t place = <int32_t> head
    cdef int32_t now
    for i in range(size + 1):
        cost[i] = <int32_t> i
    for i in range(size):
        now = cost[i] + 1
        cost[i + 1] = min(cost[i + 1], now)
        while j < used and arcs[active[j]].start == i:
            cost[arcs[active[j]].end] = min(cost[arcs[active[j]].end], now)
            j += 1
        while place >= 0 and arcs[place].start == i:
            cost[arcs[place].end] = min(cost[arcs[place].end], now)
            place = arcs[place].next - base if arcs[place].next >= 0 else -1
    return cost[size]
