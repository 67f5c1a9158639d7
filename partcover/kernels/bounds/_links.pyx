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
                    link = _numbered(first, partner, number, a, c)
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
    return _rows_and_arcs(rows, members)


def link_payments(const int32_t[:, ::1] tokens, const int64_t[::1] bridge_first,
                  const int32_t[::1] bridges, const int64_t[::1] first,
                  const int64_t[::1] position, const int64_t[::1] multiplier,
                  const int64_t[::1] start_first, const int32_t[::1] starts,
                  const int32_t[::1] length):
    """Returns what the tokens of links pay, each at one of two positions.

    Parameters
    ----------
    tokens : ndarray of int32, shape (links, 2)
        The two tokens of each link.
    bridge_first, bridges
        The tokens that bridge link i are ``bridges[bridge_first[i]:bridge_first[i + 1]]``.
    first, position, multiplier
        The rows of link i are ``first[i]:first[i + 1]``; the position of each is that of the last
        symbol of the first token.
    start_first, starts
        The first positions of the occurrences of token t, ascending, are
        ``starts[start_first[t]:start_first[t + 1]]``.
    length : ndarray of int32, shape (tokens,)

    Returns
    -------
    ndarray of int64, shape (payments, 3)
        The token, the position and the multiplier.
    """
    cdef _Rows out = _Rows(3)
    cdef Py_ssize_t link, r, q, n_both, n_early, n_late, after
    cdef int64_t *row
    cdef int64_t one, then, place, size
    cdef int32_t a, c, t
    cdef bint full = False, lost = False
    with nogil:
        for link in range(tokens.shape[0]):
            a, c = tokens[link, 0], tokens[link, 1]
            for r in range(first[link], first[link + 1]):
                one = position[r]
                after = _upto(start_first, starts, c, one)
                if after == start_first[c + 1]:
                    lost = True
                    break
                then = starts[after]
                for q in range(bridge_first[link] - 2, bridge_first[link + 1]):
                    if q == bridge_first[link] - 2:
                        t, place = a, one
                    elif q == bridge_first[link] - 1:
                        t, place = c, then
                    else:
                        t = bridges[q]
                        size = length[t]
                        n_early = _upto(start_first, starts, t, one)
                        n_late = _upto(start_first, starts, t, then)
                        n_both = n_early - _upto(start_first, starts, t, then - size)
                        n_early -= _upto(start_first, starts, t, one - size)
                        n_late -= _upto(start_first, starts, t, then - size)
                        if n_both <= 0 or (n_both < n_early and n_both < n_late):
                            continue
                        place = one if n_both == n_early else then
                    row = out.add()
                    if row == NULL:
                        full = True
                        break
                    row[0], row[1], row[2] = t, place, multiplier[r]
    if full:
        raise MemoryError
    if lost:
        raise ValueError("a row of a link has no occurrence of its second token")
    return out.array()


cdef Py_ssize_t _upto(const int64_t[::1] first, const int32_t[::1] starts, int32_t token,
                      int64_t limit) noexcept nogil:
    """Returns the place behind the starts of a token up to a limit."""
    cdef Py_ssize_t low = first[token], high = first[token + 1], middle
    while low < high:
        middle = (low + high) >> 1
        if starts[middle] <= limit:
            low = middle + 1
        else:
            high = middle
    return low


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
    cdef int32_t[::1] used = np.empty(which.shape[0] + 1, np.int32)
    with nogil:
        for w in range(offsets.shape[0] - 1):
            n = _used_arcs(start, flow, offsets[w + 1], smallest, &at, used)
            if n < 3:
                continue
            for i in range(n):
                a = which[used[i]]
                for j in range(i + 1, n):
                    c = which[used[j]]
                    if start[used[j]] < end[used[i]] or a == c:
                        continue
                    over = 0
                    for q in range(j):
                        if (start[used[q]] < end[used[i]] and end[used[q]] > start[used[j]]):
                            over += flow[used[q]]
                    demand = flow[used[i]] + flow[used[j]] + over - 1
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
