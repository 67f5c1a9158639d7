# cython: boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""Rows of links in words, and how much of both of two tokens words use.

Take the last symbol of an occurrence of a token, and the first symbol of the next occurrence of
another token behind it.  Only one token lies over a symbol.  So if the first token lies over the
one, the second over the other, or a third over both, that is one token, or both of the two.
"""

from libc.stdint cimport int32_t, int64_t

include "../shared/_numpy.pxi"
include "_rows.pxi"

cdef enum:
    UNIT = 1 << 28


def link_rows(const int64_t[::1] offsets, const int32_t[::1] which, const int32_t[::1] start,
              const int32_t[::1] end, const int64_t[::1] first, const int32_t[::1] partner,
              const int32_t[::1] number):
    """Returns the rows of links that some third token bridges.

    A token bridges if an arc of it lies over both symbols, and it does not have arcs over the one
    only as well as arcs over the other only.

    Parameters
    ----------
    offsets, which, start, end
        The merged parts and their arcs.
    first : ndarray of int64, shape (candidates + 1,)
    partner, number : ndarray of int32, shape (links,)
        The second tokens of the links of candidate a, ascending, and the numbers of these links are
        at ``first[a]:first[a + 1]``.

    Returns
    -------
    rows : ndarray of int64, shape (rows, 2)
        The number of the link and the last symbol of the first token, ordered by part.
    row_first : ndarray of int64, shape (rows + 1,)
    row_arcs : ndarray of int32
        The arcs of each row: the first token's over the one symbol, the second's over the other,
        and those over both of the tokens that bridge.
    """
    cdef _Rows rows = _Rows(3), members = _Rows(1)
    cdef Py_ssize_t w, i, j, q, r, link, at = 0, begin, n_early, n_late, n_both, n_bridges
    cdef int64_t *row
    cdef int32_t a, c, t, last, then
    cdef bint full = False, early, late, repeated
    with nogil:
        for w in range(offsets.shape[0] - 1):
            begin = at
            while at < start.shape[0] and start[at] < offsets[w + 1]:
                at += 1
            for i in range(begin, at):
                a = which[i]
                if first[a] == first[a + 1]:
                    continue
                last = end[i] - 1
                for j in range(i + 1, at):
                    c = which[j]
                    if start[j] <= last:
                        continue
                    link = _link(first, partner, number, a, c)
                    if link < 0:
                        continue
                    repeated = False
                    for q in range(i + 1, j):
                        repeated |= which[q] == c and start[q] > last
                    if repeated:
                        continue
                    then = start[j]
                    row = rows.add()
                    if row == NULL:
                        full = True
                        break
                    row[0], row[1], row[2] = link, last, members.size
                    n_bridges = 0
                    for q in range(begin, at):
                        if start[q] > then:
                            break
                        t = which[q]
                        early = start[q] <= last < end[q]
                        late = end[q] > then
                        if t == a:
                            if not early:
                                continue
                        elif t == c:
                            if not late:
                                continue
                        else:
                            if not early or not late:
                                continue
                            n_early = n_late = n_both = 0
                            for r in range(begin, at):
                                if start[r] > then:
                                    break
                                if which[r] == t:
                                    n_early += start[r] <= last < end[r]
                                    n_late += end[r] > then
                                    n_both += start[r] <= last and end[r] > then
                            if n_both < n_early and n_both < n_late:
                                continue
                            n_bridges += 1
                        row = members.add()
                        if row == NULL:
                            full = True
                            break
                        row[0] = q
                    if n_bridges == 0:
                        rows.size -= 1
                        members.size = rows.data[3 * rows.size + 2]
    if full:
        raise MemoryError
    found, arcs = rows.array(), members.array()
    row_first = np.append(found[:, 2], members.size)
    return found[:, :2].copy(), row_first, arcs[:, 0].astype(np.int32)


def link_demands(const int64_t[::1] offsets, const int32_t[::1] which, const int32_t[::1] start,
                 const int32_t[::1] end, const double[::1] flow, const double[::1] x,
                 double smallest, double least):
    """Returns how much of both of two tokens the flows of each part use.

    Parameters
    ----------
    offsets, which, start, end
        The merged parts and their arcs.
    flow : ndarray of float64, shape (arcs,)
        The flow of each arc; arcs with a flow of at most `smallest` are left out.
    x : ndarray of float64, shape (candidates,)
        How much of each token is chosen.
    least : float
        By how much a demand must exceed what x asks for.

    Returns
    -------
    ndarray of int64, shape (demands, 3)
        The link, the part and the demand in units of 1/2^28; a link is the first token << 32 | the
        second.  A link may be listed several times for a part.
    """
    cdef _Rows out = _Rows(3)
    cdef Py_ssize_t w, i, j, q, n, at = 0
    cdef int64_t *row
    cdef int32_t a, c
    cdef double over, demand
    cdef bint full = False
    cdef int32_t[::1] live = np.empty(which.shape[0] + 1, np.int32)
    with nogil:
        for w in range(offsets.shape[0] - 1):
            n = 0
            while at < start.shape[0] and start[at] < offsets[w + 1]:
                if flow[at] > smallest:
                    live[n] = <int32_t> at
                    n += 1
                at += 1
            if n < 3:
                continue
            for i in range(n):
                a = which[live[i]]
                for j in range(i + 1, n):
                    c = which[live[j]]
                    if start[live[j]] < end[live[i]] or a == c:
                        continue
                    over = 0
                    for q in range(j):
                        if (start[live[q]] < end[live[i]] and end[live[q]] > start[live[j]]):
                            over += flow[live[q]]
                    demand = flow[live[i]] + flow[live[j]] + over - 1
                    if over > 0 and demand > least and demand > x[a] + x[c] - 1 + least:
                        row = out.add()
                        if row == NULL:
                            full = True
                            break
                        row[0], row[1] = <int64_t> a << 32 | c, w
                        row[2] = <int64_t> (demand * UNIT)
    if full:
        raise MemoryError
    return out.array()


cdef Py_ssize_t _link(const int64_t[::1] first, const int32_t[::1] partner,
                      const int32_t[::1] number, int32_t a, int32_t c) noexcept nogil:
    """Returns the number of the link of two candidates, or −1 if there is none."""
    cdef Py_ssize_t low = first[a], high = first[a + 1], middle
    while low < high:
        middle = (low + high) >> 1
        if partner[middle] < c:
            low = middle + 1
        else:
            high = middle
    return number[low] if low < first[a + 1] and partner[low] == c else -1
