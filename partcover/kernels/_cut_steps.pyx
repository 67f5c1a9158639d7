# cython: boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""First-order steps for the relaxation with cuts, over parts of words that are merged.

A part is what is left of a word where it is cut at all places that no arc crosses; an arc is an
occurrence of an active candidate.  Parts with the same arcs are merged, and their counts added.
"""

import numpy as np

from libc.stdint cimport int32_t, int64_t, uint8_t
from libc.stdlib cimport calloc, free, malloc, qsort, realloc

cdef extern from *:
    """
    typedef __int128 wide_t;
    """
    ctypedef long long wide_t  # 128 bits


def merge_parts(const int64_t[::1] count_at, const int32_t[::1] which, const int32_t[::1] start,
                const int32_t[::1] end):
    """Merges the parts of words that have the same arcs.

    Parameters
    ----------
    count_at : ndarray of int64, shape (positions,)
        The count of the word of each position.
    which, start, end : ndarray of int32, shape (arcs,)
        The candidate of each arc and its positions, by start; no arc leaves its word.

    Returns
    -------
    place : ndarray of int32, shape (positions,)
        The position among the merged parts, or −1 where no arc lies.
    offsets : ndarray of int64, shape (merged + 1,)
        First position of each merged part.
    counts : ndarray of int64, shape (merged,)
        The count of each merged part.
    arcs : ndarray of int64
        The arcs of the first part of each, in the order of the merged parts.
    """
    cdef Py_ssize_t n = which.shape[0], i, j, number, size = 0, total = 0
    cdef int32_t begin, far, p
    places = np.full(count_at.shape[0], -1, np.int32)
    packed = np.empty((n, 3), np.int32)
    arcs = np.empty(n, np.int64)
    offsets = np.empty(n + 1, np.int64)
    counts = np.zeros(n, np.int64)
    cdef int32_t[::1] place = places
    cdef int32_t[:, ::1] rows = packed
    cdef int64_t[::1] arc = arcs, offset = offsets, count = counts
    with nogil:
        i = 0
        while i < n:
            begin, far = start[i], end[i]
            j = i
            while j < n and start[j] < far:
                far = max(far, end[j])
                rows[j, 0] = which[j]
                rows[j, 1] = start[j] - begin
                rows[j, 2] = end[j] - begin
                j += 1
            i = j
    raw = packed.tobytes()
    known = {}
    i = 0
    n_arcs = 0
    while i < n:
        begin, far = start[i], end[i]
        j = i
        while j < n and start[j] < far:
            far = max(far, end[j])
            j += 1
        key = raw[12 * i:12 * j]
        merged = known.get(key)
        if merged is None:
            number = size
            known[key] = size
            offset[size] = total
            total += far - begin
            size += 1
            while i < j:
                arc[n_arcs] = i
                n_arcs += 1
                i += 1
        else:
            number = merged
        count[number] += count_at[begin]
        for p in range(begin, far):
            place[p] = <int32_t> (offset[number] + p - begin)
        i = j
    offset[size] = total
    return places, offsets[:size + 1].copy(), counts[:size].copy(), arcs[:n_arcs].copy()


cdef class CutSteps:
    """The saddle point of prices, arcs and rows, and where the iteration stands.

    Parameters
    ----------
    offsets : ndarray of int64, shape (parts + 1,)
        First position of each part.
    counts : ndarray of float64, shape (parts,)
        Counts of the parts.
    start, end : ndarray of int32, shape (arcs,)
        Positions of the arcs, by start.
    row_first : ndarray of int64, shape (rows + 1,)
        Where the arcs of each row stand in `row_arcs`.  The rows of a part stand together, in the
        order of the parts.
    row_arcs : ndarray of int32
        Arcs of the rows.
    row_part, row_target : ndarray of int32, shape (rows,)
        The part of each row, and its target: a token, or a pair of tokens.

    Notes
    -----
    With a flow f on each arc, a price d on each position, a multiplier λ of each row and a part z
    of each target that is chosen: ::

        min over f ≥ 0, z in Z   max over d ≤ 1, λ ≥ 0
            Σ c [Σ d_p + Σ_o f_o (1 − Σ_{p in o} d_p) + Σ_r λ_r (Σ_{o in r} f_o − z_target(r))]

    Steps are those of `_saddle_point.Saddle`; Z and its cuts are the caller's.
    """

    cdef const int64_t[::1] offsets, row_first, arc_first, part_rows
    cdef const double[::1] counts
    cdef const int32_t[::1] start, end, row_arcs, row_part, row_target
    cdef readonly object flow, flow_made, price, price_made, row, row_made
    cdef readonly object flow_from, price_from, row_from, over, degree
    cdef double[::1] f, f_made, f0, d, d_made, d0, lam, lam_made, lam0, over_view, degree_view
    cdef Py_ssize_t longest, most_arcs

    def __init__(self, offsets, counts, start, end, row_first, row_arcs, row_part, row_target):
        n_parts, n_arcs, n_rows = len(counts), len(start), len(row_part)
        self.offsets, self.counts, self.start, self.end = offsets, counts, start, end
        self.row_first, self.row_arcs = row_first, row_arcs
        self.row_part, self.row_target = row_part, row_target
        arc_first = np.searchsorted(start, offsets).astype(np.int64)
        self.arc_first = arc_first
        self.part_rows = np.searchsorted(row_part, np.arange(n_parts + 1)).astype(np.int64)
        self.longest = int(np.diff(offsets).max(initial=0))
        self.most_arcs = int(np.diff(arc_first).max(initial=0))
        size = int(offsets[-1])
        self.flow, self.flow_made, self.flow_from = (np.zeros(n_arcs) for _ in range(3))
        self.price, self.price_made, self.price_from = (np.zeros(size) for _ in range(3))
        self.row, self.row_made, self.row_from = (np.zeros(n_rows) for _ in range(3))
        self.f, self.f_made, self.f0 = self.flow, self.flow_made, self.flow_from
        self.d, self.d_made, self.d0 = self.price, self.price_made, self.price_from
        self.lam, self.lam_made, self.lam0 = self.row, self.row_made, self.row_from
        over = np.zeros(size + 1)
        np.add.at(over, start, 1)
        np.add.at(over, end, -1)
        self.over = np.maximum(np.cumsum(over)[:-1], 1)
        self.over_view = self.over
        self.degree = np.bincount(row_arcs, minlength=n_arcs).astype(float) + (end - start)
        self.degree_view = self.degree

    def anchor(self):
        """Makes the present point the one that steps are drawn back to."""
        self.flow_from[:] = self.flow
        self.row_from[:] = self.row
        self.price_from[:] = self.price

    def distance(self):
        """Returns how far the point is from the anchor: (flows, prices and rows), squared."""
        counts = np.asarray(self.counts)
        per_arc = np.repeat(counts, np.diff(self.arc_first))
        per_place = np.repeat(counts, np.diff(self.offsets))
        per_row = counts[np.asarray(self.row_part)] * (np.diff(self.row_first) + 1)
        flows = float(np.dot(per_arc * self.degree, (self.flow - self.flow_from) ** 2))
        prices = float(np.dot(per_place * self.over, (self.price - self.price_from) ** 2))
        return flows, prices + float(np.dot(per_row, (self.row - self.row_from) ** 2))

    def step(self, Py_ssize_t parts_from, Py_ssize_t parts_to, double weight, double keep,
             const double[::1] ahead, double[::1] gain, double[::1] moves):
        """Makes one reflected step of a range of parts, drawn back to the anchor.

        Parameters
        ----------
        parts_from, parts_to : int
            The range.
        weight : float
            Primal weight: prices move by it, flows by its inverse.
        keep : float
            The share of the new point; the rest is the anchor.
        ahead : ndarray of float64, shape (targets,)
            z, extrapolated.
        gain : ndarray of float64, shape (targets,)
            Receives Σ c·λ of each target at the new point.
        moves : ndarray of float64, shape (2,)
            Receives the squares of the moves of flows, and of prices and rows.
        """
        cdef Py_ssize_t w, n, o, r, i, p, s, e, base, first, last
        cdef double count, old, new, bar, total, value, flows, prices, drop = 1 - keep
        cdef double *before = <double *> malloc((self.longest + 2) * sizeof(double))
        cdef double *cover = <double *> calloc(self.longest + 2, sizeof(double))
        cdef double *bars = <double *> malloc((self.most_arcs + 1) * sizeof(double))
        cdef double *push = <double *> malloc((self.most_arcs + 1) * sizeof(double))
        if before == NULL or cover == NULL or bars == NULL or push == NULL:
            free(before)
            free(cover)
            free(bars)
            free(push)
            raise MemoryError
        with nogil:
            for n in range(gain.shape[0]):
                gain[n] = 0
            moves[0] = moves[1] = 0
            for w in range(parts_from, parts_to):
                count = self.counts[w]
                base = self.offsets[w]
                first, last = self.arc_first[w], self.arc_first[w + 1]
                flows = prices = total = 0
                for p in range(base, self.offsets[w + 1]):
                    before[p - base] = total
                    total += self.d[p]
                before[self.offsets[w + 1] - base] = total
                for o in range(last - first):
                    push[o] = 1
                for r in range(self.part_rows[w], self.part_rows[w + 1]):
                    value = self.lam[r]
                    for i in range(self.row_first[r], self.row_first[r + 1]):
                        push[self.row_arcs[i] - first] += value
                for o in range(first, last):
                    s = self.start[o] - base
                    e = self.end[o] - base
                    old = self.f[o]
                    value = push[o - first] - before[e] + before[s]
                    new = old - value / (self.degree_view[o] * weight)
                    new = new if new > 0 else 0
                    bar = new + new - old
                    flows += (new - old) * (new - old) * self.degree_view[o]
                    self.f_made[o] = new
                    self.f[o] = keep * bar + drop * self.f0[o]
                    cover[s] += bar
                    cover[e] -= bar
                    bars[o - first] = bar
                for r in range(self.part_rows[w], self.part_rows[w + 1]):
                    total = -ahead[self.row_target[r]]
                    for i in range(self.row_first[r], self.row_first[r + 1]):
                        total += bars[self.row_arcs[i] - first]
                    n = self.row_first[r + 1] - self.row_first[r] + 1
                    old = self.lam[r]
                    new = old + weight * total / n
                    new = new if new > 0 else 0
                    prices += (new - old) * (new - old) * n
                    self.lam_made[r] = new
                    value = keep * (new + new - old) + drop * self.lam0[r]
                    self.lam[r] = value
                    gain[self.row_target[r]] += count * value
                total = 0
                for p in range(base, self.offsets[w + 1]):
                    total += cover[p - base]
                    cover[p - base] = 0
                    old = self.d[p]
                    new = old + weight * (1 - total) / self.over_view[p]
                    new = new if new < 1 else 1
                    prices += (new - old) * (new - old) * self.over_view[p]
                    self.d_made[p] = new
                    self.d[p] = keep * (new + new - old) + drop * self.d0[p]
                cover[self.offsets[w + 1] - base] = 0
                moves[0] += count * flows
                moves[1] += count * prices
        free(before)
        free(cover)
        free(bars)
        free(push)


cdef class _Triples:
    """Growing columns."""

    cdef int64_t *data
    cdef Py_ssize_t size, room

    def __cinit__(self):
        self.room = 1024
        self.data = <int64_t *> malloc(3 * self.room * sizeof(int64_t))
        if self.data == NULL:
            raise MemoryError

    def __dealloc__(self):
        free(self.data)

    cdef bint add(self, int64_t a, int64_t b, int64_t c) noexcept nogil:
        cdef int64_t *grown
        if self.size == self.room:
            grown = <int64_t *> realloc(self.data, 6 * self.room * sizeof(int64_t))
            if grown == NULL:
                return False
            self.data = grown
            self.room *= 2
        self.data[3 * self.size] = a
        self.data[3 * self.size + 1] = b
        self.data[3 * self.size + 2] = c
        self.size += 1
        return True

    cdef array(self):
        rows = np.empty((self.size, 3), np.int64)
        cdef int64_t[:, ::1] view = rows
        cdef Py_ssize_t i, j
        for i in range(self.size):
            for j in range(3):
                view[i, j] = self.data[3 * i + j]
        return rows


def demands(const int64_t[::1] offsets, const double[::1] counts, const int32_t[::1] which,
            const int32_t[::1] start, const int32_t[::1] end, const double[::1] flow,
            double smallest, double unit):
    """Returns what the flows of two tokens sum to where they overlap.

    Parameters
    ----------
    offsets, counts, which, start, end
        The merged parts and their arcs.
    flow : ndarray of float64, shape (arcs,)
        The flows; those below `smallest` are left out.
    unit : float
        Sums are given in units of 1 / unit.

    Returns
    -------
    ndarray of int64, shape (overlaps, 3)
        For each part and two tokens with flows that overlap in it: the pair as
        ``smaller << 32 | larger``, the part, and the largest sum of their flows over a position.
    """
    cdef _Triples out = _Triples()
    cdef Py_ssize_t w, i, j, q, n, first = 0, last
    cdef int64_t key
    cdef int32_t p, a, b
    cdef double total
    cdef bint full = False
    cdef Py_ssize_t begun
    cdef int32_t *live = <int32_t *> malloc((which.shape[0] + 1) * sizeof(int32_t))
    if live == NULL:
        raise MemoryError
    with nogil:
        for w in range(counts.shape[0]):
            n = 0
            last = first
            while last < start.shape[0] and start[last] < offsets[w + 1]:
                if flow[last] > smallest:
                    live[n] = <int32_t> last
                    n += 1
                last += 1
            first = last
            begun = out.size
            for i in range(n):
                for j in range(i):
                    # the later of the two starts is where both lie
                    p = start[live[i]]
                    a, b = which[live[i]], which[live[j]]
                    if a == b or end[live[j]] <= p:
                        continue
                    total = 0
                    for q in range(n):
                        if ((which[live[q]] == a or which[live[q]] == b)
                                and start[live[q]] <= p < end[live[q]]):
                            total += flow[live[q]]
                    key = <int64_t> min(a, b) << 32 | max(a, b)
                    for q in range(begun, out.size):
                        if out.data[3 * q] == key:
                            break
                    else:
                        q = out.size
                        if not out.add(key, w, 0):
                            full = True
                            break
                    out.data[3 * q + 2] = max(out.data[3 * q + 2], <int64_t> (total * unit))
    free(live)
    if full:
        raise MemoryError
    return out.array()


def pair_rows(const int64_t[::1] offsets, const int32_t[::1] which, const int32_t[::1] start,
              const int32_t[::1] end, const int64_t[::1] keys, const uint8_t[::1] in_pair):
    """Returns the rows of pairs: for each part and pair, the largest sets of arcs over a position.

    Parameters
    ----------
    offsets, which, start, end
        The merged parts and their arcs.
    keys : ndarray of int64, shape (pairs,)
        The pairs, as `demands` gives them, ascending.
    in_pair : ndarray of uint8, shape (candidates,)
        Whether a candidate is in some pair.

    Returns
    -------
    rows : ndarray of int64, shape (rows, 3)
        The part, the pair's number and the position of each row, by part.
    row_first : ndarray of int64, shape (rows + 1,)
    row_arcs : ndarray of int32
        The arcs of each row: those of the two tokens that lie over the position.
    """
    cdef _Triples out = _Triples()
    cdef Py_ssize_t w, i, j, q, n, first = 0, last, low, high, middle
    cdef int64_t key
    cdef int32_t p, a, b, stop
    cdef bint full = False, covered
    cdef int32_t *live = <int32_t *> malloc((which.shape[0] + 1) * sizeof(int32_t))
    if live == NULL:
        raise MemoryError
    row_first, row_arcs = [0], []
    for w in range(offsets.shape[0] - 1):
        n = 0
        last = first
        while last < start.shape[0] and start[last] < offsets[w + 1]:
            if in_pair[which[last]]:
                live[n] = <int32_t> last
                n += 1
            last += 1
        first = last
        done = set()
        for i in range(n):
            p = start[live[i]]
            for j in range(n):
                a, b = which[live[i]], which[live[j]]
                if a == b or start[live[j]] > p or end[live[j]] <= p:
                    continue
                key = <int64_t> min(a, b) << 32 | max(a, b)
                if (key, p) in done:
                    continue
                done.add((key, p))
                low, high = 0, keys.shape[0]
                while low < high:
                    middle = (low + high) >> 1
                    if keys[middle] < key:
                        low = middle + 1
                    else:
                        high = middle
                if low == keys.shape[0] or keys[low] != key:
                    continue
                # the set over p is largest unless an arc of the two starts before all of it end
                stop = 2147483647
                for q in range(n):
                    if ((which[live[q]] == a or which[live[q]] == b)
                            and start[live[q]] <= p < end[live[q]]):
                        stop = min(stop, end[live[q]])
                covered = False
                for q in range(n):
                    if ((which[live[q]] == a or which[live[q]] == b)
                            and p < start[live[q]] < stop):
                        covered = True
                        break
                if covered:
                    continue
                for q in range(n):
                    if ((which[live[q]] == a or which[live[q]] == b)
                            and start[live[q]] <= p < end[live[q]]):
                        row_arcs.append(live[q])
                row_first.append(len(row_arcs))
                if not out.add(w, low, p):
                    full = True
    free(live)
    if full:
        raise MemoryError
    return out.array(), np.array(row_first, np.int64), np.array(row_arcs, np.int32)


cdef int _ascending(const void *a, const void *b) noexcept nogil:
    cdef int32_t x = (<const int32_t *> a)[0]
    cdef int32_t y = (<const int32_t *> b)[0]
    return (x > y) - (x < y)


def charged_rewards(const int32_t[::1] places, const int64_t[::1] before,
                    const int64_t[::1] count_at, int64_t one, const int32_t[::1] lo,
                    const int32_t[::1] hi, const int32_t[::1] length, const int32_t[::1] which,
                    const int64_t[::1] first, const int32_t[::1] positions,
                    const int64_t[::1] sums, int64_t[::1] out, int64_t[::1] low, int shift):
    """Puts the rewards of candidates that pay multipliers of pairs into `out` and `low`.

    As `_saddle_point.rewards`; an occurrence of ``which[n]`` pays, besides its symbol, the
    multipliers at its positions: those of the candidate are at
    ``positions[first[n]:first[n + 1]]``, ascending, and ``sums`` holds at n + first[n] a 0 and
    behind it their partial sums.
    """
    cdef Py_ssize_t n, c, i, j, clear, room = 0
    cdef int64_t worth
    cdef wide_t value
    cdef int32_t p, size
    for n in range(which.shape[0]):
        room = max(room, hi[which[n]] - lo[which[n]])
    cdef int32_t *occurrence = <int32_t *> malloc((room + 1) * sizeof(int32_t))
    cdef wide_t *best = <wide_t *> malloc((room + 1) * sizeof(wide_t))
    if occurrence == NULL or best == NULL:
        free(occurrence)
        free(best)
        raise MemoryError
    with nogil:
        for n in range(which.shape[0]):
            c = which[n]
            size = length[c]
            j = hi[c] - lo[c]
            for i in range(j):
                occurrence[i] = places[lo[c] + i]
            qsort(occurrence, j, sizeof(int32_t), _ascending)
            best[0] = 0
            clear = 0
            for i in range(j):
                p = occurrence[i]
                while occurrence[clear] + size <= p:
                    clear += 1
                worth = before[p + size] - before[p] - one - (
                    sums[n + _until(positions, first[n], first[n + 1], p + size)]
                    - sums[n + _until(positions, first[n], first[n + 1], p)]
                )
                value = best[clear] + <wide_t> worth * count_at[p]
                best[i + 1] = value if value > best[i] else best[i]
            out[c] = <int64_t> (best[j] >> shift)
            if shift:
                low[c] = <int64_t> (best[j] - ((best[j] >> shift) << shift))
    free(occurrence)
    free(best)


cdef inline Py_ssize_t _until(const int32_t[::1] positions, Py_ssize_t begin, Py_ssize_t end,
                              int32_t p) noexcept nogil:
    """Returns the first place from `begin` on whose position is not before p."""
    cdef Py_ssize_t middle
    while begin < end:
        middle = (begin + end) >> 1
        if positions[middle] < p:
            begin = middle + 1
        else:
            end = middle
    return begin
