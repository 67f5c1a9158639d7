# cython: boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""Price bounds: rewards in exact integers, and the primal-dual steps that find good prices.

An arc is an occurrence of a candidate in a word.  Positions are those of the symbols of all
words, one word after another.  Everything that runs over words or candidates takes a range of
them, so that threads can share the work; what a range adds up does not depend on the others.
"""

import numpy as np

from libc.stdint cimport int32_t, int64_t, uint8_t
from libc.stdlib cimport free, malloc, qsort


cdef int _ascending(const void *a, const void *b) noexcept nogil:
    cdef int32_t x = (<const int32_t *> a)[0]
    cdef int32_t y = (<const int32_t *> b)[0]
    return (x > y) - (x < y)


def self_overlaps(const int32_t[::1] text, const int32_t[::1] sa, const int32_t[::1] lo,
                  const int32_t[::1] hi, const int32_t[::1] length):
    """Which candidates have a border, so that two of their occurrences may overlap."""
    cdef Py_ssize_t many = lo.shape[0], c, j, b, size
    cdef Py_ssize_t room = 0
    cdef const int32_t *word
    found = np.zeros(many, np.uint8)
    cdef uint8_t[::1] view = found
    for c in range(many):
        room = max(room, length[c])
    cdef int32_t *border = <int32_t *> malloc((room + 1) * sizeof(int32_t))
    if border == NULL:
        raise MemoryError
    with nogil:
        for c in range(many):
            if hi[c] - lo[c] < 2:
                continue
            size = length[c]
            word = &text[sa[lo[c]]]
            border[0] = 0
            b = 0
            for j in range(1, size):
                while b > 0 and word[j] != word[b]:
                    b = border[b - 1]
                if word[j] == word[b]:
                    b += 1
                border[j] = <int32_t> b
            view[c] = border[size - 1] > 0
    free(border)
    return found


def rewards(const int32_t[::1] places, const int64_t[::1] before, const int64_t[::1] count_at,
            int64_t one, const int32_t[::1] lo, const int32_t[::1] hi, const int32_t[::1] length,
            const uint8_t[::1] overlaps, const int32_t[::1] which, int64_t[::1] out,
            Py_ssize_t first, Py_ssize_t last):
    """Put the rewards of candidates ``which[first:last]`` into `out`, at the candidates' places.

    ``before[p]`` is the sum of the prices before position p.  The caller sees to it that
    largest price · symbols counted fits in 63 bits.
    """
    cdef Py_ssize_t n, c, i, j, room = 0
    cdef int64_t worth, total
    cdef int32_t p, size
    cdef int32_t *held = NULL
    cdef int64_t *best = NULL
    for n in range(first, last):
        c = which[n]
        if overlaps[c]:
            room = max(room, hi[c] - lo[c])
    if room:
        held = <int32_t *> malloc(room * sizeof(int32_t))
        best = <int64_t *> malloc((room + 1) * sizeof(int64_t))
        if held == NULL or best == NULL:
            free(held)
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
                        held[j] = p
                        j += 1
                total = _apart(held, best, j, size, before, count_at, one)
            else:
                for i in range(lo[c], hi[c]):
                    p = places[i]
                    worth = before[p + size] - before[p] - one
                    if worth > 0:
                        total += worth * count_at[p]
            out[c] = total
    free(held)
    free(best)


cdef int64_t _apart(int32_t *held, int64_t *best, Py_ssize_t many, int32_t size,
                    const int64_t[::1] before, const int64_t[::1] count_at,
                    int64_t one) noexcept nogil:
    """The most that places which do not overlap are worth."""
    cdef Py_ssize_t i, clear = 0
    cdef int64_t value
    cdef int32_t p
    qsort(held, many, sizeof(int32_t), _ascending)
    best[0] = 0
    for i in range(many):
        p = held[i]
        while held[clear] + size <= p:
            clear += 1
        value = best[clear] + (before[p + size] - before[p] - one) * count_at[p]
        best[i + 1] = max(best[i], value)
    return best[many]


def arcs(const int32_t[::1] places, const int32_t[::1] lo, const int32_t[::1] hi,
         const int32_t[::1] length, Py_ssize_t positions):
    """The occurrences of candidates: (candidate, start, end), by start, then by candidate.

    Each also says how far back the last arc of the same candidate is that overlaps it (0: none).
    """
    cdef Py_ssize_t many = lo.shape[0], c, i, at, total = 0
    cdef int32_t p
    first = np.zeros(positions + 1, np.int64)
    cdef int64_t[::1] next_view = first
    for c in range(many):
        total += hi[c] - lo[c]
    which = np.empty(total, np.int32)
    start = np.empty(total, np.int32)
    end = np.empty(total, np.int32)
    back = np.zeros(total, np.int32)
    latest = np.full(many, -1, np.int64)
    cdef int32_t[::1] which_view = which, start_view = start, end_view = end, back_view = back
    cdef int64_t[::1] latest_view = latest
    with nogil:
        for c in range(many):
            for i in range(lo[c], hi[c]):
                next_view[places[i]] += 1
        at = 0
        for i in range(positions + 1):
            at += next_view[i]
            next_view[i] = at - next_view[i]
        for c in range(many):
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
    """Put into `out` clip(x + step·(gain − fee), 0, 1), with the least fee ≥ 0 that keeps Σ ≤ budget.

    The nearest point to x + step·gain in the metric of 1/step.  `fee` is a guess; the fee is
    returned.  Newton's method on a piecewise linear function, kept inside a bracket.
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


cdef class Saddle:
    """The saddle point of prices and arcs, and where the iteration stands.

    Parameters
    ----------
    offsets : ndarray of int64, shape (words + 1,)
        First position of each word.
    counts : ndarray of float64, shape (words,)
        Word counts.
    which, start, end, back : ndarray of int32, shape (arcs,)
        From `arcs`.
    candidates : int
        How many there are.

    Notes
    -----
    With a flow f on each arc, a price d on each position and a row λ for each arc: ::

        min over f ≥ 0, x in X   max over d ≤ 1, λ ≥ 0
            Σ_W c(W) [Σ d_p + Σ_o f_o (1 − Σ_{p in o} d_p) + Σ_o λ_o (Σ_{q in row o} f_q − x_T(o))]

    The row of an arc holds it and the earlier arcs of its candidate that overlap it.  Step sizes
    are Pock and Chambolle's (2011), and a word's count is in the metric, so that it does not
    bear on them.
    """
    cdef const int64_t[::1] offsets
    cdef const double[::1] counts
    cdef const int32_t[::1] which, start, end, back
    cdef readonly object first      # of each word's arcs
    cdef const int64_t[::1] first_view
    cdef readonly object flow, row, price, made, flow_from, row_from, price_from, sigma
    cdef float[::1] f, lam, f0, lam0
    cdef double[::1] d, d0, d_made, sigma_view
    cdef uint8_t[::1] tangled       # words with arcs of one candidate that overlap
    cdef Py_ssize_t longest, most

    def __init__(self, offsets, counts, which, start, end, back):
        cdef Py_ssize_t w, o, p, many = which.shape[0]
        cdef int64_t[::1] first
        cdef double[::1] sigma
        self.offsets = offsets
        self.counts = counts
        self.which, self.start, self.end, self.back = which, start, end, back
        self.first = np.searchsorted(start, offsets).astype(np.int64)
        self.first_view = self.first
        first = self.first
        self.longest = int(np.diff(offsets).max(initial=0))
        self.most = int(np.diff(self.first).max(initial=0))
        cdef Py_ssize_t size = offsets[-1]
        self.flow, self.row = np.zeros(many, np.float32), np.zeros(many, np.float32)
        self.flow_from, self.row_from = np.zeros(many, np.float32), np.zeros(many, np.float32)
        self.price, self.price_from, self.made = np.zeros(size), np.zeros(size), np.zeros(size)
        self.f, self.lam, self.f0, self.lam0 = self.flow, self.row, self.flow_from, self.row_from
        self.d, self.d0, self.d_made = self.price, self.price_from, self.made
        over = np.zeros(size + 1)
        sigma = over
        tangled = np.zeros(counts.shape[0], np.uint8)
        self.tangled = tangled
        for w in range(self.counts.shape[0]):
            for o in range(first[w], first[w + 1]):
                sigma[self.start[o]] += 1
                sigma[self.end[o]] -= 1
                self.tangled[w] |= self.back[o] > 0
        self.sigma = 1 / np.maximum(np.cumsum(over)[:-1], 1)
        self.sigma_view = self.sigma

    def anchor(self):
        """Let the present point be where the next steps start from."""
        self.flow_from[:] = self.flow
        self.row_from[:] = self.row
        self.price_from[:] = self.price

    def distance(self):
        """How far the point is from where the steps started: (flows, prices and rows), squared."""
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
                    price += moved * moved / self.sigma_view[p]
                flows += self.counts[w] * flow
                prices += self.counts[w] * price
        return flows, prices

    def step(self, Py_ssize_t words_from, Py_ssize_t words_to, double weight, double keep,
             const double[::1] ahead, double[::1] gain, double[::1] moves):
        """One reflected step of the words in a range, drawn back to where the steps started.

        Parameters
        ----------
        words_from, words_to : int
            The range.
        weight : float
            Primal weight: prices move by it, flows by its inverse.
        keep : float
            How much of the new point counts; the rest is the point the steps started from.
        ahead : ndarray of float64, shape (candidates,)
            x, extrapolated.
        gain : ndarray of float64, shape (candidates,)
            Gets Σ c·λ of each candidate, of the new point.
        moves : ndarray of float64, shape (2,)
            Gets the squares of the moves of flows, and of prices and rows.
        """
        cdef Py_ssize_t w, o, q, p, base, n
        cdef double old, new, bar, sum_, value, length, rows, count, flows, prices
        cdef double *before = <double *> malloc((self.longest + 1) * sizeof(double))
        cdef double *cover = <double *> malloc((self.longest + 1) * sizeof(double))
        cdef double *bars = <double *> malloc((self.most + 1) * sizeof(double))
        cdef double *push = <double *> malloc((self.most + 1) * sizeof(double))
        cdef double *held = <double *> malloc((self.most + 1) * sizeof(double))
        cdef bint tangled
        if before == NULL or cover == NULL or bars == NULL or push == NULL or held == NULL:
            free(before)
            free(cover)
            free(bars)
            free(push)
            free(held)
            raise MemoryError
        with nogil:
            for n in range(gain.shape[0]):
                gain[n] = 0
            moves[0] = moves[1] = 0
            for w in range(words_from, words_to):
                base = self.offsets[w]
                n = self.offsets[w + 1] - base
                before[0] = cover[0] = 0
                for p in range(n):
                    before[p + 1] = before[p] + self.d[base + p]
                    cover[p + 1] = 0
                count = self.counts[w]
                tangled = self.tangled[w]
                flows = prices = 0
                if tangled:
                    for o in range(self.first_view[w], self.first_view[w + 1]):
                        q = o - self.first_view[w]
                        push[q] = self.lam[o]
                        held[q] = 1
                        q = o
                        while self.back[q] > 0:
                            q -= self.back[q]
                            if self.end[q] <= self.start[o]:
                                break
                            push[q - self.first_view[w]] += self.lam[o]
                            held[q - self.first_view[w]] += 1
                for o in range(self.first_view[w], self.first_view[w + 1]):
                    old = self.f[o]
                    length = self.end[o] - self.start[o]
                    if tangled:
                        q = o - self.first_view[w]
                        value, rows = push[q], held[q]
                    else:
                        value, rows = self.lam[o], 1
                    value += 1 - before[self.end[o] - base] + before[self.start[o] - base]
                    new = max(0, old - value / ((length + rows) * weight))
                    bar = new + new - old
                    flows += (new - old) * (new - old) * (length + rows)
                    self.f[o] = <float> (keep * bar + (1 - keep) * self.f0[o])
                    cover[self.start[o] - base] += bar
                    cover[self.end[o] - base] -= bar
                    sum_, rows = bar, 2
                    if tangled:
                        bars[o - self.first_view[w]] = bar
                        q = o
                        while self.back[q] > 0:
                            q -= self.back[q]
                            if self.end[q] <= self.start[o]:
                                break
                            sum_ += bars[q - self.first_view[w]]
                            rows += 1
                    old = self.lam[o]
                    new = max(0, old + weight * (sum_ - ahead[self.which[o]]) / rows)
                    prices += (new - old) * (new - old) * rows
                    value = keep * (new + new - old) + (1 - keep) * self.lam0[o]
                    self.lam[o] = <float> value
                    gain[self.which[o]] += count * value
                sum_ = 0
                for p in range(n):
                    sum_ += cover[p]
                    old = self.d[base + p]
                    new = min(1, old + weight * self.sigma_view[base + p] * (1 - sum_))
                    prices += (new - old) * (new - old) / self.sigma_view[base + p]
                    self.d_made[base + p] = new
                    self.d[base + p] = keep * (new + new - old) + (1 - keep) * self.d0[base + p]
                moves[0] += count * flows
                moves[1] += count * prices
        free(before)
        free(cover)
        free(bars)
        free(push)
        free(held)

    def cost(self, Py_ssize_t words_from, Py_ssize_t words_to, const double[::1] x):
        """Tokens that the flows need once they are scaled down to what x and the words allow.

        At least the value of the relaxation, if x is in X.
        """
        cdef Py_ssize_t w, o, q, p, base, n
        cdef double sum_, total = 0, most, value, whole
        cdef double *cover = <double *> malloc((self.longest + 1) * sizeof(double))
        cdef double *flow = <double *> malloc((self.most + 1) * sizeof(double))
        if cover == NULL or flow == NULL:
            free(cover)
            free(flow)
            raise MemoryError
        with nogil:
            for w in range(words_from, words_to):
                base = self.offsets[w]
                n = self.offsets[w + 1] - base
                for p in range(n + 1):
                    cover[p] = 0
                for o in range(self.first_view[w], self.first_view[w + 1]):
                    value = max(0, self.f[o])
                    sum_ = 0
                    q = o
                    while self.back[q] > 0:
                        q -= self.back[q]
                        if self.end[q] <= self.start[o]:
                            break
                        sum_ += flow[q - self.first_view[w]]
                    value = min(value, max(0, x[self.which[o]] - sum_))
                    flow[o - self.first_view[w]] = value
                    cover[self.start[o] - base] += value
                    cover[self.end[o] - base] -= value
                sum_ = 0
                for p in range(n):
                    sum_ += cover[p]
                    cover[p] = sum_
                whole = n
                for o in range(self.first_view[w], self.first_view[w + 1]):
                    value = flow[o - self.first_view[w]]
                    if value > 0:
                        most = 1
                        for p in range(self.start[o] - base, self.end[o] - base):
                            most = max(most, cover[p])
                        whole -= value / most * (self.end[o] - self.start[o] - 1)
                total += self.counts[w] * whole
        free(cover)
        free(flow)
        return total
