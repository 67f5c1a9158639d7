# cython: boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""Separation of cuts over tokens that conflict: odd cycles, triangles and cliques.

A conflict graph has a node for each token, and an edge for each two tokens that have
overlapping occurrences.  The neighbors of node a are ``neighbour[first[a]:first[a + 1]]``,
ascending, and each edge is listed at both of its ends.  The slack of an edge is
1/2 + (x_A + x_B)/2 − y_AB, which is at least 0: x_A is x of token A,
and y_AB the sum of the flows of A and B over one position.  All numbers are integers in units of
1/`ONE`, so that the results do not depend on rounding.
"""

from libc.stdint cimport int32_t, int64_t, uint32_t, uint64_t
from libc.stdlib cimport free, malloc

include "../shared/_numpy.pxi"
include "../shared/_heap.pxi"
include "_rows.pxi"

ONE = 1 << 28
"""The integer that stands for 1."""

cdef enum:
    UNIT = 1 << 28
    HALF = 1 << 27
    LARGEST = 6         # most tokens of a clique


def demands(const int64_t[::1] offsets, const int32_t[::1] which, const int32_t[::1] start,
            const int32_t[::1] end, const double[::1] flow, double smallest):
    """Returns the sum of the flows of each two tokens where they overlap.

    Parameters
    ----------
    offsets : ndarray of int64, shape (parts + 1,)
        First position of each part of the words.
    which, start, end : ndarray of int32, shape (arcs,)
        The token of each arc and its two ends, ordered by start.  No arc leaves its part.
    flow : ndarray of float64, shape (arcs,)
        The flow of each arc; arcs with a flow of at most `smallest` are left out.

    Returns
    -------
    ndarray of int64, shape (overlaps, 3)
        A row for each part and each two tokens with flows that overlap in it: the pair as
        ``smaller << 32 | larger``, the part, and the largest sum of their flows over a position,
        in units of 1/`ONE`.
    """
    cdef _Rows out = _Rows(3)
    cdef Py_ssize_t w, i, j, q, n, at = 0, begun
    cdef int64_t key
    cdef int64_t *row
    cdef int32_t p, a, b
    cdef double total
    cdef bint full = False
    cdef int32_t[::1] used = np.empty(which.shape[0] + 1, np.int32)
    with nogil:
        for w in range(offsets.shape[0] - 1):
            n = _used_arcs(start, flow, offsets[w + 1], smallest, &at, used)
            begun = out.size
            for i in range(n):
                for j in range(i):
                    # both arcs cover the later of the two starts
                    p = start[used[i]]
                    a, b = which[used[i]], which[used[j]]
                    if a == b or end[used[j]] <= p:
                        continue
                    total = 0
                    for q in range(n):
                        if ((which[used[q]] == a or which[used[q]] == b)
                                and start[used[q]] <= p < end[used[q]]):
                            total += flow[used[q]]
                    key = <int64_t> min(a, b) << 32 | max(a, b)
                    row = NULL
                    for q in range(begun, out.size):
                        if out.data[3 * q] == key:
                            row = out.data + 3 * q
                            break
                    else:
                        row = out.add()
                        if row == NULL:
                            full = True
                            break
                        row[0], row[1], row[2] = key, w, 0
                    row[2] = max(row[2], <int64_t> (total * UNIT))
    if full:
        raise MemoryError
    return out.array()


def odd_cycles(const int64_t[::1] first, const int32_t[::1] neighbour,
               const int64_t[::1] slack, Py_ssize_t roots):
    """Finds for each of the first nodes an odd cycle in the least-slack closed walk through it.

    The inequality of an odd cycle is violated if the sum of its slacks is less than 1/2, and the
    violation is the difference.  A shortest closed walk with an odd number of edges through a node
    is a shortest path between the two copies of the node in the graph doubled by parity; a walk
    that visits a node twice contains an odd cycle that is no longer.  So the function finds a
    violated cycle if any violated odd cycle contains one of the roots (Gerards and Schrijver
    1986).  An edge has the same slack in both directions, so the search may stop at half of the
    walk's length.

    Parameters
    ----------
    first : ndarray of int64, shape (nodes + 1,)
    neighbour : ndarray of int32, shape (2·edges,)
    slack : ndarray of int64, shape (2·edges,)
        The conflict graph; slacks are 0 to 2·`ONE`.
    roots : int
        The search begins at each of the first `roots` nodes.

    Returns
    -------
    list of list of int
        The violated cycles, each as its nodes in order; a cycle may be listed several times.
        O(roots · edges · log nodes) time.
    """
    cdef Py_ssize_t n = first.shape[0] - 1, root, e, size, length, i, n_seen
    cdef int64_t distance, other, least
    cdef uint64_t item
    cdef int32_t node, parity, state, next_state, here, there
    cdef int64_t[::1] best = np.full(2 * n, HALF, np.int64)
    cdef int32_t[::1] previous = np.empty(2 * n, np.int32)
    cdef int32_t[::1] seen = np.empty(2 * n + 1, np.int32)
    cdef int32_t[::1] place = np.full(n, -1, np.int32)
    cdef int32_t[::1] walk = np.empty(4 * n + 2, np.int32)
    cdef uint64_t *heap = <uint64_t *> malloc((neighbour.shape[0] * 2 + 2) * sizeof(uint64_t))
    if heap == NULL:
        raise MemoryError
    cycles = []
    try:
        for root in range(roots):
            with nogil:
                # A state is a node and a parity; each state is pushed at most once for each edge.
                # Some edge of a shortest closed walk has both ends within half of the walk's length
                # from the root.
                best[2 * root] = 0
                previous[2 * root] = -1
                seen[0] = <int32_t> (2 * root)
                n_seen = 1
                least = HALF
                here = there = -1
                size = 0
                _push(heap, &size, 2 * root)
                while size:
                    item = _pop(heap, &size)
                    distance = item >> 32
                    if 2 * distance >= least:
                        break
                    state = <int32_t> <uint32_t> item
                    if distance > best[state]:
                        continue
                    node, parity = state >> 1, state & 1
                    for e in range(first[node], first[node + 1]):
                        other = distance + slack[e]
                        next_state = 2 * neighbour[e] + parity
                        if other + best[next_state] < least:
                            least = other + best[next_state]
                            here, there = state, next_state
                        next_state ^= 1
                        if other < best[next_state] and 2 * other < least:
                            if best[next_state] == HALF:
                                seen[n_seen] = next_state
                                n_seen += 1
                            best[next_state] = other
                            previous[next_state] = state
                            _push(heap, &size, <uint64_t> other << 32 | <uint64_t> next_state)
                length = 0
                if least < HALF:
                    while here >= 0:
                        walk[length] = here >> 1
                        length += 1
                        here = previous[here]
                    for i in range(length // 2):
                        walk[i], walk[length - 1 - i] = walk[length - 1 - i], walk[i]
                    while there >= 0:
                        walk[length] = there >> 1
                        length += 1
                        there = previous[there]
                    length = _odd_cycle(&walk[0], length, &place[0])
                for i in range(n_seen):
                    best[seen[i]] = HALF
            if length:
                cycles.append([walk[i] for i in range(length)])
    finally:
        free(heap)
    return cycles


cdef Py_ssize_t _odd_cycle(int32_t *walk, Py_ssize_t length, int32_t *place) noexcept nogil:
    """Reduces a closed walk of an odd number of edges to a cycle of an odd number of edges.

    A closed part of the walk is removed if it has an even number of edges; the first closed part
    with an odd number is the result.  Returns its number of nodes.
    """
    cdef Py_ssize_t i, j, size = 0, begin
    for i in range(length):
        begin = place[walk[i]]
        if begin < 0:
            place[walk[i]] = <int32_t> size
            walk[size] = walk[i]
            size += 1
        elif (size - begin) & 1:
            for j in range(size):
                place[walk[j]] = -1
            for j in range(begin, size):
                walk[j - begin] = walk[j]
            return size - begin
        else:
            for j in range(begin + 1, size):
                place[walk[j]] = -1
            size = begin + 1
    for j in range(size):
        place[walk[j]] = -1
    return 0


def triangles(const int64_t[::1] first, const int32_t[::1] neighbour,
              const int64_t[::1] slack):
    """Returns all triangles whose inequality is violated.

    Parameters
    ----------
    first, neighbour, slack
        The conflict graph, as for `odd_cycles`.

    Returns
    -------
    ndarray of int64, shape (triangles, 4)
        Three nodes, ascending, and the violation of their inequality.
        O(sum over edges of the degrees of their ends) time.
    """
    cdef Py_ssize_t a, e, i, j
    cdef int32_t b
    cdef int64_t total
    cdef int64_t *row
    cdef bint full = False
    cdef _Rows rows = _Rows(4)
    with nogil:
        for a in range(first.shape[0] - 1):
            for e in range(first[a], first[a + 1]):
                b = neighbour[e]
                if b <= a or slack[e] >= HALF:
                    continue
                i, j = e + 1, first[b]
                while i < first[a + 1] and j < first[b + 1]:
                    if neighbour[i] < neighbour[j]:
                        i += 1
                    elif neighbour[j] < neighbour[i]:
                        j += 1
                    else:
                        total = slack[e] + slack[i] + slack[j]
                        if total < HALF and neighbour[i] > b:
                            row = rows.add()
                            if row == NULL:
                                full = True
                                break
                            row[0], row[1], row[2], row[3] = a, b, neighbour[i], HALF - total
                        i += 1
                        j += 1
    if full:
        raise MemoryError
    return rows.array()


cdef int64_t _violation(Py_ssize_t n, int64_t x, int64_t slack, int64_t *line) noexcept nogil:
    """Returns the largest violation of the clique inequality for n tokens that conflict pairwise.

    `x` and `slack` are the sums over the tokens and over the edges; `line` receives the r of the
    most violated inequality.  The sum of y over the edges is C(n,2)/2 + (n − 1)/2·x − slack.
    """
    cdef int64_t r, rest, touched, value, most = -(<int64_t> 1 << 62)
    cdef int64_t edges = n * (n - 1) / 2
    for r in range(1, n - 1):
        rest = n - r
        touched = edges - rest * (rest - 1) / 2
        # twice the violation, which is an integer
        value = (edges * UNIT + (n - 1) * x - 2 * slack
                 - 2 * (touched - (rest - 1) * r) * UNIT - 2 * (rest - 1) * x)
        if value > most:
            most = value
            line[0] = r
    return most >> 1


def cliques(const int64_t[::1] first, const int32_t[::1] neighbour, const int64_t[::1] slack,
            const int64_t[::1] x, const int64_t[:, ::1] seeds):
    """Grows triangles into cliques of 4 to 6 tokens whose inequality is violated.

    Each step adds to a seed the token that conflicts with all its tokens and increases the
    violation most; ties go to the first such token.

    Parameters
    ----------
    first, neighbour, slack
        The conflict graph, as for `odd_cycles`.
    x : ndarray of int64, shape (nodes,)
        The tokens' x, in units of 1/`ONE`.
    seeds : ndarray of int64, shape (seeds, 4)
        From `triangles`.

    Returns
    -------
    ndarray of int64, shape (cliques, 9)
        The number of tokens, the r of the inequality, its violation, and the tokens, ascending,
        followed by −1; a clique may be listed several times.
    """
    cdef Py_ssize_t s, n, i, j, e, at
    cdef int64_t total_x, total, joint, value, most, r, best_r, slack_of
    cdef int32_t node, best_node
    cdef int64_t *row
    cdef bint full = False
    cdef int64_t[LARGEST + 1] members
    cdef _Rows rows = _Rows(9)
    for s in range(seeds.shape[0]):
        n = 3
        total_x = total = 0
        for i in range(3):
            members[i] = seeds[s, i]
            total_x += x[members[i]]
        total = HALF - seeds[s, 3]
        most = 0
        while n < LARGEST:
            best_node = -1
            joint = 0
            for e in range(first[members[0]], first[members[0] + 1]):
                node = neighbour[e]
                slack_of = slack[e]
                for i in range(1, n):
                    if members[i] == node:
                        slack_of = -1
                        break
                    at = _edge(first, neighbour, members[i], node)
                    if at < 0:
                        slack_of = -1
                        break
                    slack_of += slack[at]
                if slack_of < 0:
                    continue
                value = _violation(n + 1, total_x + x[node], total + slack_of, &r)
                if value > most:
                    most = value
                    best_node, best_r, joint = node, r, slack_of
            if best_node < 0:
                break
            members[n] = best_node
            n += 1
            total_x += x[best_node]
            total += joint
        if n == 3:
            continue
        row = rows.add()
        if row == NULL:
            full = True
            break
        row[0], row[1], row[2] = n, best_r, most
        for i in range(LARGEST):
            row[3 + i] = -1
        for i in range(n):      # sort them in ascending order
            j = i
            while j and row[2 + j] > members[i]:
                row[3 + j] = row[2 + j]
                j -= 1
            row[3 + j] = members[i]
    if full:
        raise MemoryError
    return rows.array()
