# cython: boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""Parts of words, merged where they are equal, and the rows of pairs of tokens in them.

A word is split at all places that no arc crosses; what is left between two such places is a part.
An arc is an occurrence of an active candidate.
"""

from libc.stdint cimport int32_t, int64_t, uint32_t
from libc.string cimport memcmp

include "../shared/_numpy.pxi"
include "../shared/_hash.pxi"
include "_rows.pxi"


def merge_parts(const int64_t[::1] count_at, const int32_t[::1] which, const int32_t[::1] start,
                const int32_t[::1] end):
    """Merges the parts of words that have the same arcs, and adds their counts.

    Parameters
    ----------
    count_at : ndarray of int64, shape (positions,)
        The count of the word that each position belongs to.
    which, start, end : ndarray of int32, shape (arcs,)
        The candidate of each arc and its two ends, ordered by start.  No arc leaves its word.

    Returns
    -------
    place : ndarray of int32, shape (positions,)
        The position among the merged parts, or −1 where there is no arc.
    offsets : ndarray of int64, shape (merged + 1,)
        First position of each merged part.
    counts : ndarray of int64, shape (merged,)
        The count of each merged part.
    arcs : ndarray of int64
        The arcs of the first of the equal parts, in the order of the merged parts.
    """
    cdef Py_ssize_t n = which.shape[0], i = 0, j, o, size = 0, total = 0, n_arcs = 0, slots = 16
    cdef Py_ssize_t known
    cdef int32_t begin, far, p
    cdef uint32_t slot
    while slots < 2 * n:
        slots *= 2
    places = np.full(count_at.shape[0], -1, np.int32)
    packed = np.empty((n + 1, 2), np.int32)    # a token and where it ends, so where it begins, too
    arcs = np.empty(n, np.int64)
    offsets = np.zeros(n + 1, np.int64)
    counts = np.zeros(n, np.int64)
    cdef int32_t[::1] place = places
    cdef int32_t[:, ::1] rows = packed
    cdef int64_t[::1] arc = arcs, offset = offsets, count = counts
    # for each merged part, where its rows begin and end; for each slot of the table, its part
    cdef int64_t[::1] first = np.empty(n + 1, np.int64), last = np.empty(n + 1, np.int64)
    cdef int32_t[::1] table = np.full(slots, -1, np.int32)
    with nogil:
        while i < n:
            begin, far = start[i], end[i]
            j = i
            while j < n and start[j] < far:
                far = max(far, end[j])
                rows[j, 0] = which[j]
                rows[j, 1] = end[j] - begin
                j += 1
            slot = hash_symbols(&rows[i, 0], 2 * (j - i)) & <uint32_t> (slots - 1)
            while True:
                known = table[slot]
                if known < 0 or (last[known] - first[known] == j - i and memcmp(
                        &rows[i, 0], &rows[first[known], 0], 8 * (j - i)) == 0):
                    break
                slot = (slot + 1) & <uint32_t> (slots - 1)
            if known < 0:
                known = size
                table[slot] = <int32_t> size
                first[size], last[size] = i, j
                offset[size] = total
                total += far - begin
                size += 1
                for o in range(i, j):
                    arc[n_arcs] = o
                    n_arcs += 1
            count[known] += count_at[begin]
            for p in range(begin, far):
                place[p] = <int32_t> (offset[known] + p - begin)
            i = j
        offset[size] = total
    return places, offsets[:size + 1].copy(), counts[:size].copy(), arcs[:n_arcs].copy()


def pair_rows(const int64_t[::1] offsets, const int32_t[::1] which, const int32_t[::1] start,
              const int32_t[::1] end, const int64_t[::1] first, const int32_t[::1] partner,
              const int32_t[::1] number):
    """Returns the rows of pairs: in each part, the maximal sets of a pair's arcs over a position.

    Parameters
    ----------
    offsets, which, start, end
        The merged parts and their arcs.
    first : ndarray of int64, shape (candidates + 1,)
    partner, number : ndarray of int32, shape (2·pairs,)
        The partners of candidate a, ascending, and the numbers of the pairs that it forms with
        them are at ``first[a]:first[a + 1]``.

    Returns
    -------
    rows : ndarray of int64, shape (rows, 2)
        The number of the pair and the position of each row, ordered by part.
    row_first : ndarray of int64, shape (rows + 1,)
    row_arcs : ndarray of int32
        The arcs of each row: those of the pair's two tokens that cover the position.
    """
    cdef _Rows rows = _Rows(3), members = _Rows(1)
    cdef Py_ssize_t w, i, j, q, n, at = 0, pair
    cdef int64_t *row
    cdef int32_t p, a, b, stop
    cdef bint full = False, taken
    cdef int32_t[::1] live = np.empty(which.shape[0] + 1, np.int32)
    with nogil:
        for w in range(offsets.shape[0] - 1):
            n = 0
            while at < start.shape[0] and start[at] < offsets[w + 1]:
                if first[which[at]] < first[which[at] + 1]:
                    live[n] = <int32_t> at
                    n += 1
                at += 1
            for i in range(n):
                p = start[live[i]]
                a = which[live[i]]
                for j in range(n):
                    if start[live[j]] > p:
                        break
                    b = which[live[j]]
                    if end[live[j]] <= p or a == b:
                        continue
                    pair = _numbered(first, partner, number, a, b)
                    if pair < 0:
                        continue
                    # Visit each position and pair once: from the first arc of the one token that
                    # starts there, and the first of the other.  The set is maximal unless an arc of
                    # either token starts before all arcs of the set end.
                    taken = True
                    stop = 2147483647
                    for q in range(n):
                        if which[live[q]] != a and which[live[q]] != b:
                            continue
                        if start[live[q]] > p:
                            taken = start[live[q]] >= stop
                            break
                        if end[live[q]] > p:
                            if (q < i and start[live[q]] == p) or (q < j and which[live[q]] == b):
                                taken = False
                                break
                            stop = min(stop, end[live[q]])
                    if not taken:
                        continue
                    row = rows.add()
                    if row == NULL:
                        full = True
                        break
                    row[0], row[1], row[2] = pair, p, members.size
                    for q in range(n):
                        if ((which[live[q]] == a or which[live[q]] == b)
                                and start[live[q]] <= p < end[live[q]]):
                            row = members.add()
                            if row == NULL:
                                full = True
                                break
                            row[0] = live[q]
    if full:
        raise MemoryError
    return _rows_and_arcs(rows, members)


def group_rows(const int64_t[::1] first, const int32_t[::1] members, const int32_t[::1] which,
               const int32_t[::1] start, const int32_t[::1] end):
    """Returns in each group the maximal sets of arcs over a position with two or more candidates.

    Parameters
    ----------
    first : ndarray of int64, shape (groups + 1,)
        The arcs of group g are ``members[first[g]:first[g + 1]]``, ordered by start.
    members : ndarray of int32
        Numbers of arcs; all arcs of a group are in one word.
    which, start, end : ndarray of int32, shape (arcs,)
        The candidate of each arc and its two ends.

    Returns
    -------
    rows : ndarray of int64, shape (rows, 2)
        The group and the position of each row.
    row_first : ndarray of int64, shape (rows + 1,)
    row_arcs : ndarray of int32
        The arcs of each row.
    """
    cdef _Rows rows = _Rows(3), found = _Rows(1)
    cdef Py_ssize_t g, i, j, n, kept
    cdef int64_t *row
    cdef bint full = False, several
    cdef int32_t p
    # the arcs that cover the last start
    cdef int32_t[::1] live = np.empty(members.shape[0] + 1, np.int32)
    with nogil:
        for g in range(first.shape[0] - 1):
            n = 0
            for i in range(first[g], first[g + 1]):
                live[n] = members[i]
                n += 1
                if i + 1 < first[g + 1]:
                    p = start[members[i + 1]]
                    kept = 0
                    for j in range(n):
                        kept += end[live[j]] > p
                    if kept == n:  # the next set contains this one
                        continue
                several = False
                for j in range(1, n):
                    several |= which[live[j]] != which[live[0]]
                if several:
                    row = rows.add()
                    if row == NULL:
                        full = True
                        break
                    row[0], row[1], row[2] = g, start[live[n - 1]], found.size
                    for j in range(n):
                        row = found.add()
                        if row == NULL:
                            full = True
                            break
                        row[0] = live[j]
                if i + 1 < first[g + 1]:
                    kept = 0
                    for j in range(n):
                        if end[live[j]] > p:
                            live[kept] = live[j]
                            kept += 1
                    n = kept
    if full:
        raise MemoryError
    return _rows_and_arcs(rows, found)
