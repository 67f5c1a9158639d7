# cython: boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""Price bounds: rewards in exact integers, and the primal-dual steps that find good prices.

An arc is an occurrence of a candidate in a word.  Positions are those of the symbols of all
words, one word after another.  Everything that runs over words or candidates takes a range of
them, so that threads can share the work; what a range adds up does not depend on the others.
"""

import numpy as np

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
    """Which candidates have a border, so that two of their occurrences may overlap."""
    cdef Py_ssize_t many = lo.shape[0], c, j, b, size, done = 0
    cdef Py_ssize_t room = 0, current = -1
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
            if lo[c] != current:  # candidates of one beginning share its borders
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
    return found


def rewards(const int32_t[::1] places, const int64_t[::1] before, const int64_t[::1] count_at,
            int64_t one, const int32_t[::1] lo, const int32_t[::1] hi, const int32_t[::1] length,
            const uint8_t[::1] overlaps, const int32_t[::1] which, int64_t[::1] out,
            int64_t[::1] low, int shift, Py_ssize_t first, Py_ssize_t last):
    """Put the rewards of candidates ``which[first:last]`` into `out`, at the candidates' places.

    ``before[p]`` is the sum of the prices before position p.  A reward is summed in 128 bits; its
    last `shift` bits go to `low`, which may be empty where `shift` is 0, the others to `out`.  The
    caller sees to it that those fit in 63 bits, and a sum of prices in a word.
    """
    cdef Py_ssize_t n, c, i, j, room = 0
    cdef int64_t worth
    cdef wide_t total
    cdef int32_t p, size
    cdef int32_t *held = NULL
    cdef wide_t *best = NULL
    for n in range(first, last):
        c = which[n]
        if overlaps[c]:
            room = max(room, hi[c] - lo[c])
    if room:
        held = <int32_t *> malloc(room * sizeof(int32_t))
        best = <wide_t *> malloc((room + 1) * sizeof(wide_t))
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
                        total += <wide_t> worth * count_at[p]
            out[c] = <int64_t> (total >> shift)
            if shift:
                low[c] = <int64_t> (total - ((total >> shift) << shift))
    free(held)
    free(best)


cdef wide_t _apart(int32_t *held, wide_t *best, Py_ssize_t many, int32_t size,
                   const int64_t[::1] before, const int64_t[::1] count_at,
                   int64_t one) noexcept nogil:
    """The most that places which do not overlap are worth."""
    cdef Py_ssize_t i, clear = 0
    cdef wide_t value
    cdef int32_t p
    qsort(held, many, sizeof(int32_t), _ascending)
    best[0] = 0
    for i in range(many):
        p = held[i]
        while held[clear] + size <= p:
            clear += 1
        value = best[clear] + <wide_t> (before[p + size] - before[p] - one) * count_at[p]
        best[i + 1] = value if value > best[i] else best[i]
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
    """Put clip(x + step·(gain − fee), 0, 1) into `out`; the fee is the least that keeps the budget.

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


cdef struct Room:
    # scratch of one range of words
    double *before      # prices before each position of a word
    double *cover       # flows over its positions, as differences
    double *inverse     # steps of arcs, by length + 1
    double *bars        # reflected flows of its arcs
    double *push        # rows over its arcs
    double *held        # how many those are


cdef bint _make(Room *room, Py_ssize_t longest, Py_ssize_t most) noexcept:
    room.before = <double *> malloc((longest + 4) * sizeof(double))
    room.cover = <double *> calloc(longest + 4, sizeof(double))
    room.inverse = <double *> malloc((longest + 4) * sizeof(double))
    room.bars = <double *> malloc((most + 1) * sizeof(double))
    room.push = <double *> malloc((most + 1) * sizeof(double))
    room.held = <double *> malloc((most + 1) * sizeof(double))
    if (room.before and room.cover and room.inverse and room.bars and room.push
            and room.held):
        return True
    _free(room)
    return False


cdef void _free(Room *room) noexcept:
    free(room.before)
    free(room.cover)
    free(room.inverse)
    free(room.bars)
    free(room.push)
    free(room.held)


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
    cdef readonly object flow, row, price, made, flow_from, row_from, price_from, over
    cdef float[::1] f, lam, f0, lam0
    cdef double[::1] d, d0, d_made, over_view
    cdef uint8_t[::1] tangled       # words with arcs of one candidate that overlap
    cdef Py_ssize_t longest, most

    def __init__(self, offsets, counts, which, start, end, back):
        cdef Py_ssize_t w, o, many = which.shape[0]
        cdef int64_t[::1] first
        cdef double[::1] over
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
        self.over = np.zeros(size + 1)
        over = self.over
        tangled = np.zeros(counts.shape[0], np.uint8)
        self.tangled = tangled
        for w in range(self.counts.shape[0]):
            for o in range(first[w], first[w + 1]):
                over[self.start[o]] += 1
                over[self.end[o]] -= 1
                self.tangled[w] |= self.back[o] > 0
        self.over = np.maximum(np.cumsum(self.over)[:-1], 1)
        self.over_view = self.over

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
                    price += moved * moved * self.over_view[p]
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
        cdef Py_ssize_t w, n
        cdef Room room
        cdef double count
        cdef double[2] moved
        if not _make(&room, self.longest, self.most):
            raise MemoryError
        with nogil:
            for n in range(gain.shape[0]):
                gain[n] = 0
            for n in range(1, self.longest + 4):
                room.inverse[n] = 1 / (n * weight)
            moves[0] = moves[1] = 0
            for w in range(words_from, words_to):
                count = self.counts[w]
                moved[0] = moved[1] = 0
                if self.first_view[w] < self.first_view[w + 1]:
                    self._prices_before(w, &room)
                    if self.tangled[w]:
                        self._tangled_arcs(w, weight, keep, &ahead[0], &gain[0], &room, moved)
                    else:
                        self._arcs(w, weight, keep, &ahead[0], &gain[0], &room, moved)
                self._prices(w, weight, keep, &room, moved)
                moves[0] += count * moved[0]
                moves[1] += count * moved[1]
        _free(&room)

    cdef void _prices_before(self, Py_ssize_t w, Room *room) noexcept nogil:
        cdef Py_ssize_t p, base = self.offsets[w], n = self.offsets[w + 1] - base
        cdef const double *d = &self.d[base]
        cdef double total = 0
        for p in range(n):
            room.before[p] = total
            total += d[p]
        room.before[n] = total

    cdef void _arcs(self, Py_ssize_t w, double weight, double keep, const double *ahead,
                    double *gain, Room *room, double *moved) noexcept nogil:
        """Flows and rows of a word whose arcs of one candidate do not overlap."""
        cdef Py_ssize_t o, s, e, c, first = self.first_view[w], last = self.first_view[w + 1]
        cdef int32_t base = <int32_t> self.offsets[w]
        cdef const int32_t *which = &self.which[0]
        cdef const int32_t *start = &self.start[0]
        cdef const int32_t *end = &self.end[0]
        cdef float *f = &self.f[0]
        cdef float *lam = &self.lam[0]
        cdef const float *f0 = &self.f0[0]
        cdef const float *lam0 = &self.lam0[0]
        cdef const double *before = room.before
        cdef const double *inverse = room.inverse
        cdef double *cover = room.cover
        cdef double old, new, bar, row, made, value, drop = 1 - keep, count = self.counts[w]
        cdef double flows = 0, rows = 0
        for o in range(first, last):
            s = start[o] - base
            e = end[o] - base
            c = which[o]
            old = f[o]
            row = lam[o]
            new = old - (1 + row - before[e] + before[s]) * inverse[e - s + 1]
            new = new if new > 0 else 0
            bar = new + new - old
            flows += (new - old) * (new - old) * (e - s + 1)
            f[o] = <float> (keep * bar + drop * f0[o])
            cover[s] += bar
            cover[e] -= bar
            made = row + 0.5 * weight * (bar - ahead[c])
            made = made if made > 0 else 0
            rows += (made - row) * (made - row)
            value = keep * (made + made - row) + drop * lam0[o]
            lam[o] = <float> value
            gain[c] += count * value
        moved[0] += flows
        moved[1] += 2 * rows

    cdef void _tangled_arcs(self, Py_ssize_t w, double weight, double keep, const double *ahead,
                            double *gain, Room *room, double *moved) noexcept nogil:
        """Flows and rows of any word."""
        cdef Py_ssize_t o, q, s, e, c, first = self.first_view[w], last = self.first_view[w + 1]
        cdef Py_ssize_t base = self.offsets[w]
        cdef double old, new, bar, row, made, value, total, size, count = self.counts[w]
        for o in range(first, last):
            room.push[o - first] = self.lam[o]
            room.held[o - first] = 1
            q = self._earlier(o, o)
            while q >= 0:
                room.push[q - first] += self.lam[o]
                room.held[q - first] += 1
                q = self._earlier(q, o)
        for o in range(first, last):
            s = self.start[o] - base
            e = self.end[o] - base
            c = self.which[o]
            old = self.f[o]
            size = e - s + room.held[o - first]
            value = 1 + room.push[o - first] - room.before[e] + room.before[s]
            new = max(0, old - value / (size * weight))
            bar = new + new - old
            moved[0] += (new - old) * (new - old) * size
            self.f[o] = <float> (keep * bar + (1 - keep) * self.f0[o])
            room.cover[s] += bar
            room.cover[e] -= bar
            room.bars[o - first] = bar
            total, size = bar, 2
            q = self._earlier(o, o)
            while q >= 0:
                total += room.bars[q - first]
                size += 1
                q = self._earlier(q, o)
            row = self.lam[o]
            made = max(0, row + weight * (total - ahead[c]) / size)
            moved[1] += (made - row) * (made - row) * size
            value = keep * (made + made - row) + (1 - keep) * self.lam0[o]
            self.lam[o] = <float> value
            gain[c] += count * value

    cdef inline Py_ssize_t _earlier(self, Py_ssize_t q, Py_ssize_t o) noexcept nogil:
        """The arc of o's candidate before q, if it overlaps o; else −1."""
        if self.back[q] == 0 or self.end[q - self.back[q]] <= self.start[o]:
            return -1
        return q - self.back[q]

    cdef void _prices(self, Py_ssize_t w, double weight, double keep, Room *room,
                      double *moved) noexcept nogil:
        """Prices of a word, from what covers its positions; `cover` is cleared."""
        cdef Py_ssize_t p, base = self.offsets[w], n = self.offsets[w + 1] - base
        cdef double *d = &self.d[base]
        cdef const double *d0 = &self.d0[base]
        cdef double *d_made = &self.d_made[base]
        cdef const double *arcs_over = &self.over_view[base]
        cdef double old, new, total = 0, prices = 0
        for p in range(n):
            total += room.cover[p]
            room.cover[p] = 0
            old = d[p]
            new = old + weight * (1 - total) / arcs_over[p]
            new = new if new < 1 else 1
            prices += (new - old) * (new - old) * arcs_over[p]
            d_made[p] = new
            d[p] = keep * (new + new - old) + (1 - keep) * d0[p]
        room.cover[n] = 0
        moved[1] += prices

    def cost(self, Py_ssize_t words_from, Py_ssize_t words_to, const double[::1] x):
        """Tokens that the flows need once they are scaled down to what x and the words allow.

        At least the value of the relaxation, if x is in X.
        """
        cdef Py_ssize_t w, o, q, p, base, n, first, last
        cdef double taken, total = 0, most, value, whole
        cdef Room room
        if not _make(&room, self.longest, self.most):
            raise MemoryError
        cdef double *cover = room.cover
        cdef double *flow = room.bars
        with nogil:
            for w in range(words_from, words_to):
                base = self.offsets[w]
                n = self.offsets[w + 1] - base
                first, last = self.first_view[w], self.first_view[w + 1]
                for o in range(first, last):
                    value = self.f[o]
                    taken = 0
                    if value > 0:
                        q = self._earlier(o, o)
                        while q >= 0:
                            taken += flow[q - first]
                            q = self._earlier(q, o)
                        value = max(0, min(value, x[self.which[o]] - taken))
                        cover[self.start[o] - base] += value
                        cover[self.end[o] - base] -= value
                    else:
                        value = 0
                    flow[o - first] = value
                taken = 0
                for p in range(n):
                    taken += cover[p]
                    cover[p] = taken
                whole = n
                for o in range(first, last):
                    value = flow[o - first]
                    if value > 0:
                        most = 1
                        for p in range(self.start[o] - base, self.end[o] - base):
                            most = max(most, cover[p])
                        whole -= value / most * (self.end[o] - self.start[o] - 1)
                for p in range(n + 1):
                    cover[p] = 0
                total += self.counts[w] * whole
        _free(&room)
        return total
