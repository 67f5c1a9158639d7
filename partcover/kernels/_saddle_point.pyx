# cython: boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""Computes rewards of prices in exact integers, and the primal-dual steps to good prices.

An arc is an occurrence of a candidate in a word.  Positions are those of the symbols of all
words, one word after another.  Functions over words or candidates take a range of them, so that
threads can share the work; the sums of a range do not depend on the others.
"""

import numpy as np

from libc.math cimport fabs
from libc.stdint cimport int32_t, int64_t, uint8_t
from libc.stdlib cimport calloc, free, malloc, qsort

cdef extern from *:
    """
    typedef __int128 wide_t;
    """
    ctypedef long long wide_t  # 128 bits


cdef int _ascending(const void *a, const void *b) noexcept nogil:
    cdef int32_t x = (<const int32_t *> a)[0]
    cdef int32_t y = (<const int32_t *> b)[0]
    return (x > y) - (x < y)


def self_overlaps(const int32_t[::1] text, const int32_t[::1] sa, const int32_t[::1] lo,
                  const int32_t[::1] hi, const int32_t[::1] length):
    """Returns which candidates have a border, so that two of their occurrences may overlap."""
    cdef Py_ssize_t n = lo.shape[0], c, j, b, size, done = 0
    cdef Py_ssize_t room = 0, current = -1
    cdef const int32_t *word
    overlaps = np.zeros(n, np.uint8)
    cdef uint8_t[::1] view = overlaps
    for c in range(n):
        room = max(room, length[c])
    cdef int32_t *border = <int32_t *> malloc((room + 1) * sizeof(int32_t))
    if border == NULL:
        raise MemoryError
    with nogil:
        for c in range(n):
            if hi[c] - lo[c] < 2:
                continue
            size = length[c]
            if lo[c] != current:  # candidates with the same prefix share its borders
                current = lo[c]
                done = 1
                border[0] = 0
            word = &text[sa[current]]
            b = border[done - 1]
            for j in range(done, size):
                while b > 0 and word[j] != word[b]:
                    b = border[b - 1]
                if word[j] == word[b]:
                    b += 1
                border[j] = <int32_t> b
            done = max(done, size)
            view[c] = border[size - 1] > 0
    free(border)
    return overlaps


def rewards(const int32_t[::1] places, const int64_t[::1] before, const int64_t[::1] count_at,
            int64_t one, const int32_t[::1] lo, const int32_t[::1] hi, const int32_t[::1] length,
            const uint8_t[::1] overlaps, const int32_t[::1] which, int64_t[::1] out,
            int64_t[::1] low, int shift, Py_ssize_t first, Py_ssize_t last):
    """Computes the rewards of candidates ``which[first:last]`` into ``out[c]`` of each c.

    ``before[p]`` is the sum of the prices before position p.  A reward is summed in 128 bits; its
    last `shift` bits go to `low`, which may be empty if `shift` is 0, the others to `out`.  The
    caller ensures that the latter fit in 63 bits, and a sum of prices in 64.
    """
    cdef Py_ssize_t n, c, i, j, room = 0
    cdef int64_t worth
    cdef wide_t total
    cdef int32_t p, size
    cdef int32_t *positive = NULL   # places with a positive reward
    cdef wide_t *best = NULL
    for n in range(first, last):
        c = which[n]
        if overlaps[c]:
            room = max(room, hi[c] - lo[c])
    if room:
        positive = <int32_t *> malloc(room * sizeof(int32_t))
        best = <wide_t *> malloc((room + 1) * sizeof(wide_t))
        if positive == NULL or best == NULL:
            free(positive)
            free(best)
            raise MemoryError
    with nogil:
        for n in range(first, last):
            c = which[n]
            size = length[c]
            total = 0
            if overlaps[c]:
                j = 0
                for i in range(lo[c], hi[c]):
                    p = places[i]
                    if before[p + size] - before[p] > one:
                        positive[j] = p
                        j += 1
                total = _best_disjoint(positive, best, j, size, before, count_at, one)
            else:
                for i in range(lo[c], hi[c]):
                    p = places[i]
                    worth = before[p + size] - before[p] - one
                    if worth > 0:
                        total += <wide_t> worth * count_at[p]
            out[c] = <int64_t> (total >> shift)
            if shift:
                low[c] = <int64_t> (total - ((total >> shift) << shift))
    free(positive)
    free(best)


cdef wide_t _best_disjoint(int32_t *places, wide_t *best, Py_ssize_t n, int32_t size,
                           const int64_t[::1] before, const int64_t[::1] count_at,
                           int64_t one) noexcept nogil:
    """The largest reward of places that do not overlap; sorts the places."""
    cdef Py_ssize_t i, n_clear = 0   # places that end at p or before
    cdef wide_t value
    cdef int32_t p
    qsort(places, n, sizeof(int32_t), _ascending)
    best[0] = 0
    for i in range(n):
        p = places[i]
        while places[n_clear] + size <= p:
            n_clear += 1
        value = best[n_clear] + <wide_t> (before[p + size] - before[p] - one) * count_at[p]
        best[i + 1] = value if value > best[i] else best[i]
    return best[n]


def arcs(const int32_t[::1] places, const int32_t[::1] lo, const int32_t[::1] hi,
         const int32_t[::1] length, Py_ssize_t positions):
    """Returns the occurrences of candidates: (candidate, start, end), by start, then candidate.

    A fourth array tells how far back the last arc of the same candidate is that overlaps it, 0
    if none does.
    """
    cdef Py_ssize_t n = lo.shape[0], c, i, at, total = 0
    cdef int32_t p
    first = np.zeros(positions + 1, np.int64)
    cdef int64_t[::1] next_view = first
    for c in range(n):
        total += hi[c] - lo[c]
    which = np.empty(total, np.int32)
    start = np.empty(total, np.int32)
    end = np.empty(total, np.int32)
    back = np.zeros(total, np.int32)
    latest = np.full(n, -1, np.int64)
    cdef int32_t[::1] which_view = which, start_view = start, end_view = end, back_view = back
    cdef int64_t[::1] latest_view = latest
    with nogil:
        for c in range(n):
            for i in range(lo[c], hi[c]):
                next_view[places[i]] += 1
        at = 0
        for i in range(positions + 1):
            at += next_view[i]
            next_view[i] = at - next_view[i]
        for c in range(n):
            for i in range(lo[c], hi[c]):
                p = places[i]
                at = next_view[p]
                next_view[p] += 1
                which_view[at] = <int32_t> c
                start_view[at] = p
                end_view[at] = p + length[c]
        for i in range(total):
            c = which_view[i]
            if latest_view[c] >= 0 and end_view[latest_view[c]] > start_view[i]:
                back_view[i] = <int32_t> (i - latest_view[c])
            latest_view[c] = i
    return which, start, end, back


def project(const double[::1] x, const double[::1] gain, const double[::1] step, double budget,
            double fee, double[::1] out):
    """Projects x + step·gain onto the budget: writes clip(x + step·(gain − fee), 0, 1) to `out`.

    The fee is the smallest that keeps the budget; it is returned, and `fee` is a guess of it.  The
    result is the nearest point to x + step·gain in the metric of 1/step.  Newton's method on a
    piecewise linear function, inside a bracket.
    """
    cdef Py_ssize_t n = x.shape[0], c, turn
    cdef double low = 0, high = 0, total, slope, value, guess = fee
    with nogil:
        for c in range(n):
            high = max(high, gain[c] + x[c] / step[c])
        fee = 0
        for turn in range(200):
            total = 0
            slope = 0
            for c in range(n):
                value = x[c] + step[c] * (gain[c] - fee)
                if value >= 1:
                    total += 1
                elif value > 0:
                    total += value
                    slope += step[c]
            if abs(total - budget) <= 1e-12 * budget or (turn == 0 and total < budget):
                break
            if turn == 0:
                fee = guess if 0 < guess < high else high / 2
                continue
            if total > budget:
                low = fee
            else:
                high = fee
            if high - low <= 1e-15 * high:
                fee = high
                break
            value = fee + (total - budget) / slope if slope > 0 else high
            fee = value if low < value < high else (low + high) / 2
        for c in range(n):
            out[c] = min(max(x[c] + step[c] * (gain[c] - fee), 0), 1)
    return fee


cdef inline double _positive(double value) noexcept nogil:
    """Returns the larger of value and 0, without a branch: their signs cannot be foreseen."""
    return 0.5 * (value + fabs(value))


cdef struct Scratch:    # of one range of words
    double *before      # prices before each position of a word
    double *cover       # flows over its positions, as differences
    double *inverse     # steps of arcs, by length + 1
    double *bars        # reflected flows of its arcs
    double *push        # rows over its arcs
    double *n_rows      # the number of rows over its arcs


cdef bint _allocate(Scratch *scratch, Py_ssize_t max_length, Py_ssize_t max_arcs) noexcept:
    scratch.before = <double *> malloc((max_length + 4) * sizeof(double))
    scratch.cover = <double *> calloc(max_length + 4, sizeof(double))
    scratch.inverse = <double *> malloc((max_length + 4) * sizeof(double))
    scratch.bars = <double *> malloc((max_arcs + 1) * sizeof(double))
    scratch.push = <double *> malloc((max_arcs + 1) * sizeof(double))
    scratch.n_rows = <double *> malloc((max_arcs + 1) * sizeof(double))
    if (scratch.before and scratch.cover and scratch.inverse and scratch.bars and scratch.push
            and scratch.n_rows):
        return True
    _free(scratch)
    return False


cdef void _free(Scratch *scratch) noexcept:
    free(scratch.before)
    free(scratch.cover)
    free(scratch.inverse)
    free(scratch.bars)
    free(scratch.push)
    free(scratch.n_rows)


cdef class Saddle:
    """Iterates towards the saddle point of prices and arcs.

    Parameters
    ----------
    offsets : ndarray of int64, shape (words + 1,)
        The first position of each word.
    counts : ndarray of float64, shape (words,)
        How often each word occurs.
    which, start, end, back : ndarray of int32, shape (arcs,)
        The result of `arcs`.

    Notes
    -----
    With a flow f on each arc, a price d on each position and a row λ for each arc: ::

        min over f ≥ 0, x in X   max over d ≤ 1, λ ≥ 0
            Σ_W c(W) [Σ d_p + Σ_o f_o (1 − Σ_{p in o} d_p) + Σ_o λ_o (Σ_{q in row o} f_q − x_T(o))]

    The row of an arc holds it and the earlier arcs of its candidate that overlap it.  Step sizes
    are those of Pock and Chambolle (2011); a word's count is in the metric, so that they do not
    depend on it.
    """
    cdef const int64_t[::1] offsets
    cdef const double[::1] counts
    cdef const int32_t[::1] which, start, end, back
    cdef readonly object first      # of each word's arcs
    cdef const int64_t[::1] first_view
    cdef readonly object flow, row, price, made, flow_from, row_from, price_from, over
    cdef float[::1] f, lam, f0, lam0
    cdef double[::1] d, d0, d_made, over_view
    cdef uint8_t[::1] overlapping   # words with overlapping arcs of one candidate
    cdef Py_ssize_t max_length, max_arcs

    def __init__(self, offsets, counts, which, start, end, back):
        cdef Py_ssize_t w, o, n_arcs = which.shape[0]
        cdef int64_t[::1] first
        cdef double[::1] over
        self.offsets = offsets
        self.counts = counts
        self.which, self.start, self.end, self.back = which, start, end, back
        self.first = np.searchsorted(start, offsets).astype(np.int64)
        self.first_view = self.first
        first = self.first
        self.max_length = int(np.diff(offsets).max(initial=0))
        self.max_arcs = int(np.diff(self.first).max(initial=0))
        cdef Py_ssize_t size = offsets[-1]
        self.flow, self.row = np.zeros(n_arcs, np.float32), np.zeros(n_arcs, np.float32)
        self.flow_from, self.row_from = np.zeros(n_arcs, np.float32), np.zeros(n_arcs, np.float32)
        self.price, self.price_from, self.made = np.zeros(size), np.zeros(size), np.zeros(size)
        self.f, self.lam, self.f0, self.lam0 = self.flow, self.row, self.flow_from, self.row_from
        self.d, self.d0, self.d_made = self.price, self.price_from, self.made
        self.over = np.zeros(size + 1)
        over = self.over
        self.overlapping = np.zeros(counts.shape[0], np.uint8)
        for w in range(self.counts.shape[0]):
            for o in range(first[w], first[w + 1]):
                over[self.start[o]] += 1
                over[self.end[o]] -= 1
                self.overlapping[w] |= self.back[o] > 0
        self.over = np.maximum(np.cumsum(self.over)[:-1], 1)
        self.over_view = self.over

    def anchor(self):
        """Makes the current point the anchor of the next steps."""
        self.flow_from[:] = self.flow
        self.row_from[:] = self.row
        self.price_from[:] = self.price

    def distance(self):
        """Returns the squared distances from the anchor: of flows, and of prices and rows."""
        cdef Py_ssize_t w, o, p
        cdef double moved, flows = 0, prices = 0, flow, price
        with nogil:
            for w in range(self.counts.shape[0]):
                flow = price = 0
                for o in range(self.first_view[w], self.first_view[w + 1]):
                    moved = self.f[o] - self.f0[o]
                    flow += moved * moved * (self.end[o] - self.start[o] + 1)
                    moved = self.lam[o] - self.lam0[o]
                    price += 2 * moved * moved
                for p in range(self.offsets[w], self.offsets[w + 1]):
                    moved = self.d[p] - self.d0[p]
                    price += moved * moved * self.over_view[p]
                flows += self.counts[w] * flow
                prices += self.counts[w] * price
        return flows, prices

    def step(self, Py_ssize_t words_from, Py_ssize_t words_to, double weight, double keep,
             const double[::1] ahead, double[::1] gain, double[::1] moves):
        """Makes one reflected step for a range of words, averaged with the anchor.

        Parameters
        ----------
        words_from, words_to : int
            The range of words.
        weight : float
            The primal weight: prices move by it, flows by its inverse.
        keep : float
            The weight of the new point in the average; the anchor has the rest.
        ahead : ndarray of float64, shape (candidates,)
            The extrapolated x.
        gain : ndarray of float64, shape (candidates,)
            Receives Σ c·λ of each candidate at the new point.
        moves : ndarray of float64, shape (2,)
            Receives the squared moves of flows, and of prices and rows.
        """
        cdef Py_ssize_t w, n
        cdef Scratch scratch
        cdef double count
        cdef double[2] moved
        if not _allocate(&scratch, self.max_length, self.max_arcs):
            raise MemoryError
        with nogil:
            for n in range(gain.shape[0]):
                gain[n] = 0
            for n in range(1, self.max_length + 4):
                scratch.inverse[n] = 1 / (n * weight)
            moves[0] = moves[1] = 0
            for w in range(words_from, words_to):
                count = self.counts[w]
                moved[0] = moved[1] = 0
                if self.first_view[w] < self.first_view[w + 1]:
                    self._prices_before(w, &scratch)
                    if self.overlapping[w]:
                        self._overlapping_arcs(w, weight, keep, &ahead[0], &gain[0], &scratch,
                                               moved)
                    else:
                        self._arcs(w, weight, keep, &ahead[0], &gain[0], &scratch, moved)
                self._prices(w, weight, keep, &scratch, moved)
                moves[0] += count * moved[0]
                moves[1] += count * moved[1]
        _free(&scratch)

    cdef void _prices_before(self, Py_ssize_t w, Scratch *scratch) noexcept nogil:
        cdef Py_ssize_t p, base = self.offsets[w], n = self.offsets[w + 1] - base
        cdef const double *d = &self.d[base]
        cdef double total = 0
        for p in range(n):
            scratch.before[p] = total
            total += d[p]
        scratch.before[n] = total

    cdef void _arcs(self, Py_ssize_t w, double weight, double keep, const double *ahead,
                    double *gain, Scratch *scratch, double *moved) noexcept nogil:
        """Moves the flows and rows of a word without overlapping arcs of one candidate."""
        cdef Py_ssize_t o, s, e, c, first = self.first_view[w], last = self.first_view[w + 1]
        cdef int32_t base = <int32_t> self.offsets[w]
        cdef const int32_t *which = &self.which[0]
        cdef const int32_t *start = &self.start[0]
        cdef const int32_t *end = &self.end[0]
        cdef float *f = &self.f[0]
        cdef float *lam = &self.lam[0]
        cdef const float *f0 = &self.f0[0]
        cdef const float *lam0 = &self.lam0[0]
        cdef const double *before = scratch.before
        cdef const double *inverse = scratch.inverse
        cdef double *cover = scratch.cover
        cdef double old, new, bar, row, made, value, drop = 1 - keep, count = self.counts[w]
        cdef double flows = 0, rows = 0
        for o in range(first, last):
            s = start[o] - base
            e = end[o] - base
            c = which[o]
            old = f[o]
            row = lam[o]
            new = _positive(old - (1 + row - before[e] + before[s]) * inverse[e - s + 1])
            bar = new + new - old
            flows += (new - old) * (new - old) * (e - s + 1)
            f[o] = <float> (keep * bar + drop * f0[o])
            cover[s] += bar
            cover[e] -= bar
            made = _positive(row + 0.5 * weight * (bar - ahead[c]))
            rows += (made - row) * (made - row)
            value = keep * (made + made - row) + drop * lam0[o]
            lam[o] = <float> value
            gain[c] += count * value
        moved[0] += flows
        moved[1] += 2 * rows

    cdef void _overlapping_arcs(self, Py_ssize_t w, double weight, double keep,
                                const double *ahead, double *gain, Scratch *scratch,
                                double *moved) noexcept nogil:
        """Moves the flows and rows of any word."""
        cdef Py_ssize_t o, q, s, e, c, first = self.first_view[w], last = self.first_view[w + 1]
        cdef Py_ssize_t base = self.offsets[w]
        cdef double old, new, bar, row, made, value, total, size, count = self.counts[w]
        for o in range(first, last):
            scratch.push[o - first] = self.lam[o]
            scratch.n_rows[o - first] = 1
            q = self._earlier(o, o)
            while q >= 0:
                scratch.push[q - first] += self.lam[o]
                scratch.n_rows[q - first] += 1
                q = self._earlier(q, o)
        for o in range(first, last):
            s = self.start[o] - base
            e = self.end[o] - base
            c = self.which[o]
            old = self.f[o]
            size = e - s + scratch.n_rows[o - first]
            value = 1 + scratch.push[o - first] - scratch.before[e] + scratch.before[s]
            new = max(0, old - value / (size * weight))
            bar = new + new - old
            moved[0] += (new - old) * (new - old) * size
            self.f[o] = <float> (keep * bar + (1 - keep) * self.f0[o])
            scratch.cover[s] += bar
            scratch.cover[e] -= bar
            scratch.bars[o - first] = bar
            total, size = bar, 2
            q = self._earlier(o, o)
            while q >= 0:
                total += scratch.bars[q - first]
                size += 1
                q = self._earlier(q, o)
            row = self.lam[o]
            made = max(0, row + weight * (total - ahead[c]) / size)
            moved[1] += (made - row) * (made - row) * size
            value = keep * (made + made - row) + (1 - keep) * self.lam0[o]
            self.lam[o] = <float> value
            gain[c] += count * value

    cdef inline Py_ssize_t _earlier(self, Py_ssize_t q, Py_ssize_t o) noexcept nogil:
        """The arc of o's candidate before q if it overlaps o, else −1."""
        if self.back[q] == 0 or self.end[q - self.back[q]] <= self.start[o]:
            return -1
        return q - self.back[q]

    cdef void _prices(self, Py_ssize_t w, double weight, double keep, Scratch *scratch,
                      double *moved) noexcept nogil:
        """Moves the prices of a word by the flows over its positions; clears `cover`."""
        cdef Py_ssize_t p, base = self.offsets[w], n = self.offsets[w + 1] - base
        cdef double *d = &self.d[base]
        cdef const double *d0 = &self.d0[base]
        cdef double *d_made = &self.d_made[base]
        cdef const double *arcs_over = &self.over_view[base]
        cdef double old, new, total = 0, prices = 0
        for p in range(n):
            total += scratch.cover[p]
            scratch.cover[p] = 0
            old = d[p]
            new = 1 - _positive(1 - (old + weight * (1 - total) / arcs_over[p]))
            prices += (new - old) * (new - old) * arcs_over[p]
            d_made[p] = new
            d[p] = keep * (new + new - old) + (1 - keep) * d0[p]
        scratch.cover[n] = 0
        moved[1] += prices

    def cost(self, Py_ssize_t words_from, Py_ssize_t words_to, const double[::1] x):
        """Returns the tokens of the flows, scaled down so that x and the words allow them.

        It is at least the value of the relaxation, if x is in X.
        """
        cdef Py_ssize_t w, o, q, p, base, n, first, last
        cdef double used, total = 0, largest, value, whole
        cdef Scratch scratch
        if not _allocate(&scratch, self.max_length, self.max_arcs):
            raise MemoryError
        cdef double *cover = scratch.cover
        cdef double *flow = scratch.bars
        with nogil:
            for w in range(words_from, words_to):
                base = self.offsets[w]
                n = self.offsets[w + 1] - base
                first, last = self.first_view[w], self.first_view[w + 1]
                for o in range(first, last):
                    value = self.f[o]
                    used = 0
                    if value > 0:
                        q = self._earlier(o, o)
                        while q >= 0:
                            used += flow[q - first]
                            q = self._earlier(q, o)
                        value = max(0, min(value, x[self.which[o]] - used))
                        cover[self.start[o] - base] += value
                        cover[self.end[o] - base] -= value
                    else:
                        value = 0
                    flow[o - first] = value
                used = 0
                for p in range(n):
                    used += cover[p]
                    cover[p] = used
                whole = n
                for o in range(first, last):
                    value = flow[o - first]
                    if value > 0:
                        largest = 1
                        for p in range(self.start[o] - base, self.end[o] - base):
                            largest = max(largest, cover[p])
                        whole -= value / largest * (self.end[o] - self.start[o] - 1)
                for p in range(n + 1):
                    cover[p] = 0
                total += self.counts[w] * whole
        _free(&scratch)
        return total
