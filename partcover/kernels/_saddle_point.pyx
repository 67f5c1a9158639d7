# cython: boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""Makes primal-dual steps towards good prices.

An arc is an occurrence of a candidate in a word.  Positions are those of the symbols of all
words, one word after another.  Steps take a range of words, so that threads can share the work;
the sums of a range do not depend on the others.
"""

import numpy as np

from libc.math cimport fabs
from libc.stdint cimport int32_t, int64_t, uint8_t
from libc.stdlib cimport calloc, free, malloc


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


def same_arcs(const int32_t[::1] which, const int32_t[::1] start, const int32_t[::1] other_which,
              const int32_t[::1] other_start):
    """Returns for each arc (candidate, start) where it stands among others; -1 if it does not.

    Both are in the order of `arcs`: arcs of one start stand together, and candidates that are in
    both come in the same order.
    """
    cdef Py_ssize_t n = which.shape[0], m = other_which.shape[0], i, j, first = 0
    cdef int32_t p = -1
    found = np.empty(n, np.int64)
    cdef int64_t[::1] view = found
    with nogil:
        for i in range(n):
            if start[i] != p:
                p = start[i]
                while first < m and other_start[first] < p:
                    first += 1
            j = first
            while j < m and other_start[j] == p and other_which[j] != which[i]:
                j += 1
            if j < m and other_start[j] == p:
                view[i] = j
                first = j + 1
            else:
                view[i] = -1
    return found


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


cdef bint _allocate(Scratch *scratch, Py_ssize_t max_length, Py_ssize_t max_arcs) noexcept:
    scratch.before = <double *> malloc((max_length + 4) * sizeof(double))
    scratch.cover = <double *> calloc(max_length + 4, sizeof(double))
    scratch.inverse = <double *> malloc((max_length + 4) * sizeof(double))
    scratch.bars = <double *> malloc((max_arcs + 1) * sizeof(double))
    scratch.push = <double *> malloc((max_arcs + 1) * sizeof(double))
    if (scratch.before and scratch.cover and scratch.inverse and scratch.bars and scratch.push):
        return True
    _free(scratch)
    return False


cdef void _free(Scratch *scratch) noexcept:
    free(scratch.before)
    free(scratch.cover)
    free(scratch.inverse)
    free(scratch.bars)
    free(scratch.push)


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
    With a flow f on each arc, a price d on each position, a multiplier λ of each row and a part z
    of each target that is chosen: ::

        min over f ≥ 0, z in Z   max over d ≤ 1, λ ≥ 0
            Σ_W c(W) [Σ d_p + Σ_o f_o (1 − Σ_{p in o} d_p) + Σ_r λ_r (Σ_{q in r} f_q − z_target(r))]

    Each arc has a row, of it and the earlier arcs of its candidate that overlap it, and with the
    candidate as its target.  `set_pairs` adds rows of any arcs of a word, whose targets are pairs
    of candidates, or single ones.  Step sizes are those of Pock and Chambolle (2011); a word's
    count is in the metric, so that they do not depend on it.  Z is the caller's.
    """
    cdef const int64_t[::1] offsets
    cdef const double[::1] counts
    cdef const int32_t[::1] which, start, end, back
    cdef readonly object first      # of each word's arcs
    cdef const int64_t[::1] first_view
    cdef readonly object flow, row, price, made, flow_from, row_from, price_from, over
    cdef double[::1] f, lam, f0, lam0
    cdef double[::1] d, d0, d_made, over_view
    cdef uint8_t[::1] overlapping   # words with overlapping arcs of one candidate
    cdef object own_rows
    cdef int32_t[::1] n_rows        # over each arc, beside its own
    cdef readonly object pair_row, pair_made, pair_from
    cdef double[::1] pair_lam, pair_lam_made, pair_lam0
    cdef readonly object pair_rows  # of each word
    cdef const int64_t[::1] pair_first, rows_view
    cdef const int32_t[::1] pair_arcs, pair_target
    cdef Py_ssize_t max_length, max_arcs

    def __init__(self, offsets, counts, which, start, end, back):
        cdef Py_ssize_t w, o, q, n_arcs = which.shape[0]
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
        cdef Py_ssize_t size = self.offsets[self.offsets.shape[0] - 1]
        self.flow, self.row = np.zeros(n_arcs), np.zeros(n_arcs)
        self.flow_from, self.row_from = np.zeros(n_arcs), np.zeros(n_arcs)
        self.price, self.price_from, self.made = np.zeros(size), np.zeros(size), np.zeros(size)
        self.f, self.lam, self.f0, self.lam0 = self.flow, self.row, self.flow_from, self.row_from
        self.d, self.d0, self.d_made = self.price, self.price_from, self.made
        self.over = np.zeros(size + 1)
        over = self.over
        self.overlapping = np.zeros(counts.shape[0], np.uint8)
        self.own_rows = np.zeros(n_arcs, np.int32)  # mostly 0: such pages take no memory
        self.n_rows = self.own_rows
        for w in range(self.counts.shape[0]):
            for o in range(first[w], first[w + 1]):
                over[self.start[o]] += 1
                over[self.end[o]] -= 1
                self.overlapping[w] |= self.back[o] > 0
                q = self._earlier(o, o)
                while q >= 0:
                    self.n_rows[q] += 1
                    q = self._earlier(q, o)
        self.over = np.maximum(np.cumsum(self.over)[:-1], 1)
        self.over_view = self.over
        self.set_pairs(np.zeros(1, np.int64), np.zeros(0, np.int32), np.zeros(0, np.int32))

    def set_pairs(self, first, arcs, target):
        """Sets the rows of pairs, with multipliers of 0.

        Parameters
        ----------
        first : ndarray of int64, shape (rows + 1,)
            Where the arcs of each row begin; the rows of a word stand together, in their order.
        arcs : ndarray of int32
            The arcs of the rows.
        target : ndarray of int32, shape (rows,)
            The target of each row: a candidate, or a number beyond those of the candidates.
        """
        n = len(target)
        self.pair_first, self.pair_arcs, self.pair_target = first, arcs, target
        self.pair_rows = np.searchsorted(arcs[first[:-1]], self.first).astype(np.int64)
        self.rows_view = self.pair_rows
        self.pair_row, self.pair_made, self.pair_from = (np.zeros(n) for _ in range(3))
        self.pair_lam, self.pair_lam_made = self.pair_row, self.pair_made
        self.pair_lam0 = self.pair_from
        pairs = np.bincount(arcs, minlength=len(self.own_rows)).astype(np.int32)
        self.n_rows = self.own_rows + pairs if n else self.own_rows

    def anchor(self):
        """Makes the current point the anchor of the next steps."""
        self.flow_from[:] = self.flow
        self.row_from[:] = self.row
        self.pair_from[:] = self.pair_row
        self.price_from[:] = self.price

    def distance(self):
        """Returns the squared distances from the anchor: of flows, and of prices and rows."""
        cdef Py_ssize_t w, o, p, r
        cdef double moved, flows = 0, prices = 0, flow, price
        with nogil:
            for w in range(self.counts.shape[0]):
                flow = price = 0
                for o in range(self.first_view[w], self.first_view[w + 1]):
                    moved = self.f[o] - self.f0[o]
                    flow += moved * moved * (self.end[o] - self.start[o] + 1 + self.n_rows[o])
                    moved = self.lam[o] - self.lam0[o]
                    price += 2 * moved * moved
                for r in range(self.rows_view[w], self.rows_view[w + 1]):
                    moved = self.pair_lam[r] - self.pair_lam0[r]
                    price += moved * moved * (self.pair_first[r + 1] - self.pair_first[r] + 1)
                for p in range(self.offsets[w], self.offsets[w + 1]):
                    moved = self.d[p] - self.d0[p]
                    price += moved * moved * self.over_view[p]
                flows += self.counts[w] * flow
                prices += self.counts[w] * price
        return flows, prices

    def gains(self, double[::1] gain):
        """Adds Σ c·λ of the rows of each target to `gain`."""
        cdef Py_ssize_t w, o, r
        with nogil:
            for w in range(self.counts.shape[0]):
                for o in range(self.first_view[w], self.first_view[w + 1]):
                    gain[self.which[o]] += self.counts[w] * self.lam[o]
                for r in range(self.rows_view[w], self.rows_view[w + 1]):
                    gain[self.pair_target[r]] += self.counts[w] * self.pair_lam[r]

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
        ahead : ndarray of float64, shape (targets,)
            z, extrapolated.
        gain : ndarray of float64, shape (targets,)
            Receives Σ c·λ of each target at the new point.
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
                    if self.overlapping[w] or self.rows_view[w] < self.rows_view[w + 1]:
                        self._joined_arcs(w, weight, keep, &ahead[0], &gain[0], &scratch, moved)
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
        cdef double *f = &self.f[0]
        cdef double *lam = &self.lam[0]
        cdef const double *f0 = &self.f0[0]
        cdef const double *lam0 = &self.lam0[0]
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
            f[o] = (keep * bar + drop * f0[o])
            cover[s] += bar
            cover[e] -= bar
            made = _positive(row + 0.5 * weight * (bar - ahead[c]))
            rows += (made - row) * (made - row)
            value = keep * (made + made - row) + drop * lam0[o]
            lam[o] = value
            gain[c] += count * value
        moved[0] += flows
        moved[1] += 2 * rows

    cdef void _joined_arcs(self, Py_ssize_t w, double weight, double keep, const double *ahead,
                           double *gain, Scratch *scratch, double *moved) noexcept nogil:
        """Moves the flows and rows of any word."""
        cdef Py_ssize_t o, q, r, i, s, e, first = self.first_view[w], last = self.first_view[w + 1]
        cdef Py_ssize_t base = self.offsets[w], rows = self.rows_view[w + 1]
        cdef const int32_t *pair_arcs = &self.pair_arcs[0] if rows else NULL
        cdef const int32_t *target = &self.pair_target[0] if rows else NULL
        cdef const int64_t *pair_first = &self.pair_first[0]
        cdef double *pair_lam = &self.pair_lam[0] if rows else NULL
        cdef double *pair_made = &self.pair_lam_made[0] if rows else NULL
        cdef const double *pair_lam0 = &self.pair_lam0[0] if rows else NULL
        cdef const int32_t *which = &self.which[0]
        cdef const int32_t *start = &self.start[0]
        cdef const int32_t *end = &self.end[0]
        cdef const int32_t *back = &self.back[0]
        cdef const int32_t *n_rows = &self.n_rows[0]
        cdef double *f = &self.f[0]
        cdef double *lam = &self.lam[0]
        cdef const double *f0 = &self.f0[0]
        cdef const double *lam0 = &self.lam0[0]
        cdef const double *before = scratch.before
        cdef double *cover = scratch.cover
        cdef double *bars = scratch.bars
        cdef double *push = scratch.push
        cdef double old, new, bar, row, made, value, total, size, flows = 0, prices = 0
        cdef double drop = 1 - keep, slow = 1 / weight, count = self.counts[w]
        for o in range(first, last):
            push[o - first] = 1 + lam[o]
        if self.overlapping[w]:
            for o in range(first, last):
                q = self._earlier(o, o)
                while q >= 0:
                    push[q - first] += lam[o]
                    q = self._earlier(q, o)
        for r in range(self.rows_view[w], rows):
            row = pair_lam[r]
            for i in range(pair_first[r], pair_first[r + 1]):
                push[pair_arcs[i] - first] += row
        for o in range(first, last):
            s = start[o] - base
            e = end[o] - base
            old = f[o]
            size = e - s + 1 + n_rows[o]
            new = _positive(old - (push[o - first] - before[e] + before[s]) * slow / size)
            bar = new + new - old
            flows += (new - old) * (new - old) * size
            f[o] = (keep * bar + drop * f0[o])
            cover[s] += bar
            cover[e] -= bar
            bars[o - first] = bar
            total, size = bar, 2
            if back[o]:
                q = self._earlier(o, o)
                while q >= 0:
                    total += bars[q - first]
                    size += 1
                    q = self._earlier(q, o)
            row = lam[o]
            made = _positive(row + weight * (total - ahead[which[o]]) / size)
            prices += (made - row) * (made - row) * size
            value = keep * (made + made - row) + drop * lam0[o]
            lam[o] = value
            gain[which[o]] += count * value
        for r in range(self.rows_view[w], rows):
            total = -ahead[target[r]]
            for i in range(pair_first[r], pair_first[r + 1]):
                total += bars[pair_arcs[i] - first]
            size = pair_first[r + 1] - pair_first[r] + 1
            row = pair_lam[r]
            made = _positive(row + weight * total / size)
            prices += (made - row) * (made - row) * size
            pair_made[r] = made
            value = keep * (made + made - row) + drop * pair_lam0[r]
            pair_lam[r] = value
            gain[target[r]] += count * value
        moved[0] += flows
        moved[1] += prices

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

        `x` has a value for each target.  The result is at least the value of the relaxation, if x
        is in Z.
        """
        cdef Py_ssize_t w, o, q, p, r, i, base, n, first, last
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
                    else:
                        value = 0
                    flow[o - first] = value
                for r in range(self.rows_view[w], self.rows_view[w + 1]):
                    used = 0
                    for i in range(self.pair_first[r], self.pair_first[r + 1]):
                        used += flow[self.pair_arcs[i] - first]
                    if used > x[self.pair_target[r]]:
                        for i in range(self.pair_first[r], self.pair_first[r + 1]):
                            flow[self.pair_arcs[i] - first] *= x[self.pair_target[r]] / used
                for o in range(first, last):
                    cover[self.start[o] - base] += flow[o - first]
                    cover[self.end[o] - base] -= flow[o - first]
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
