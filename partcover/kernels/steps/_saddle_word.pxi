# The steps towards the saddle point for one word, with arcs that are stored or built on the fly.

from libc.math cimport fabs
from libc.stdint cimport int8_t, int32_t


cdef struct Word:
    Py_ssize_t n                # number of arcs
    Py_ssize_t base             # the first position
    Py_ssize_t size             # number of symbols
    double count
    bint overlapping            # whether arcs of one candidate overlap
    const int32_t *which
    const int32_t *start
    const int32_t *end
    const int32_t *back         # see `arcs`; read only where arcs overlap
    const int32_t *n_rows       # number of rows that contain each arc, besides its own row
    double *f                   # flows and multipliers of rows, and their anchors
    double *lam
    const double *f0
    const double *lam0
    double *d  # prices of its positions, those of the anchor, and those of the last step
    const double *d0
    double *d_made
    const double *over          # number of arcs over each position, at least 1
    Py_ssize_t first            # first of its arcs in `pair_arcs`
    Py_ssize_t n_pairs          # number of rows of pairs
    const int64_t *pair_first
    const int32_t *pair_arcs
    const int32_t *target
    const int8_t *sign          # of each of `pair_arcs`; read only for signed rows
    const int8_t *limit         # of each row; −1 if it is not signed
    double *pair_lam
    double *pair_made
    const double *pair_lam0


cdef struct Step:
    double weight               # multiplies the steps of prices and divides those of flows
    double keep  # weight of the new point in the average; the anchor has the remaining weight
    const double *ahead         # extrapolated z of each target
    double *gain                # receives Σ c·λ of each target at the new point


cdef class _Scratch:
    """Memory that the steps of one range of words read and write."""

    cdef double[::1] before     # sum of the prices before each position of a word
    cdef double[::1] cover      # sum of flows over each position, as differences
    cdef double[::1] inverse    # step size of arcs, indexed by length + 1
    cdef double[::1] bars       # reflected flows of its arcs
    cdef double[::1] push       # 1 plus the multipliers of the rows that contain each arc

    def __init__(self, Py_ssize_t max_length, Py_ssize_t max_arcs):
        self.before, self.cover, self.inverse = np.zeros((3, max_length + 4))
        self.bars, self.push = np.empty((2, max_arcs + 1))

    cdef void begin(self, const Step *step) noexcept nogil:
        """Prepares for a step."""
        cdef Py_ssize_t n
        for n in range(1, self.inverse.shape[0]):
            self.inverse[n] = 1 / (n * step.weight)


cdef inline double _positive(double value) noexcept nogil:
    """Returns the larger of value and 0, without a branch, because signs are not predictable."""
    return 0.5 * (value + fabs(value))


cdef inline Py_ssize_t _earlier(const Word *word, Py_ssize_t q, Py_ssize_t o) noexcept nogil:
    """Returns the arc of o's candidate that precedes q if it overlaps o, else −1."""
    if word.back[q] == 0 or word.end[q - word.back[q]] <= word.start[o]:
        return -1
    return q - word.back[q]


cdef void _step_word(Word *word, const Step *step, _Scratch scratch, double *moves) noexcept nogil:
    """Makes the step of a word; adds the squared moves of flows, and of prices and multipliers."""
    cdef Py_ssize_t p
    cdef double total = 0
    cdef double[2] moved
    moved[0] = moved[1] = 0
    if word.n:
        for p in range(word.size):
            scratch.before[p] = total
            total += word.d[p]
        scratch.before[word.size] = total
        if word.overlapping or word.n_pairs:
            _joined_arcs(word, step, scratch, moved)
        else:
            _single_arcs(word, step, scratch, moved)
    _prices(word, step, scratch, moved)
    moves[0] += word.count * moved[0]
    moves[1] += word.count * moved[1]


cdef void _single_arcs(Word *word, const Step *step, _Scratch scratch,
                       double *moved) noexcept nogil:
    """Updates the flows and multipliers of a word without overlapping arcs of one candidate."""
    cdef Py_ssize_t o, s, e, c, base = word.base
    cdef const int32_t *which = word.which
    cdef const int32_t *start = word.start
    cdef const int32_t *end = word.end
    cdef double *f = word.f
    cdef double *lam = word.lam
    cdef const double *f0 = word.f0
    cdef const double *lam0 = word.lam0
    cdef const double *before = &scratch.before[0]
    cdef const double *inverse = &scratch.inverse[0]
    cdef const double *ahead = step.ahead
    cdef double *cover = &scratch.cover[0]
    cdef double *gain = step.gain
    cdef double old, new, bar, row, made, value, weight = step.weight, keep = step.keep
    cdef double drop = 1 - keep, count = word.count, flows = 0, rows = 0
    for o in range(word.n):
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


cdef void _joined_arcs(Word *word, const Step *step, _Scratch scratch,
                       double *moved) noexcept nogil:
    """Updates the flows and multipliers of any word."""
    cdef Py_ssize_t o, q, r, i, s, e, base = word.base, first = word.first
    cdef const int32_t *which = word.which
    cdef const int32_t *pair_arcs = word.pair_arcs
    cdef const int64_t *pair_first = word.pair_first
    cdef const int8_t *sign = word.sign
    cdef const double *before = &scratch.before[0]
    cdef const double *ahead = step.ahead
    cdef double *cover = &scratch.cover[0]
    cdef double *bars = &scratch.bars[0]
    cdef double *push = &scratch.push[0]
    cdef double *gain = step.gain
    cdef double old, new, bar, row, made, value, total, size, flows = 0, prices = 0
    cdef double weight = step.weight, keep = step.keep
    cdef double drop = 1 - keep, slow = 1 / weight, count = word.count
    for o in range(word.n):
        push[o] = 1 + word.lam[o]
    if word.overlapping:
        for o in range(word.n):
            q = _earlier(word, o, o)
            while q >= 0:
                push[q] += word.lam[o]
                q = _earlier(word, q, o)
    for r in range(word.n_pairs):
        row = word.pair_lam[r]
        if word.limit[r] < 0:
            for i in range(pair_first[r], pair_first[r + 1]):
                push[pair_arcs[i] - first] += row
        else:
            for i in range(pair_first[r], pair_first[r + 1]):
                push[pair_arcs[i] - first] += sign[i] * row
    for o in range(word.n):
        s = word.start[o] - base
        e = word.end[o] - base
        old = word.f[o]
        size = e - s + 1 + word.n_rows[o]
        new = _positive(old - (push[o] - before[e] + before[s]) * slow / size)
        bar = new + new - old
        flows += (new - old) * (new - old) * size
        word.f[o] = (keep * bar + drop * word.f0[o])
        cover[s] += bar
        cover[e] -= bar
        bars[o] = bar
        total, size = bar, 2
        if word.overlapping:
            q = _earlier(word, o, o)
            while q >= 0:
                total += bars[q]
                size += 1
                q = _earlier(word, q, o)
        row = word.lam[o]
        made = _positive(row + weight * (total - ahead[which[o]]) / size)
        prices += (made - row) * (made - row) * size
        value = keep * (made + made - row) + drop * word.lam0[o]
        word.lam[o] = value
        gain[which[o]] += count * value
    for r in range(word.n_pairs):
        total = -ahead[word.target[r]]
        if word.limit[r] < 0:
            for i in range(pair_first[r], pair_first[r + 1]):
                total += bars[pair_arcs[i] - first]
        else:
            total = -total - word.limit[r]
            for i in range(pair_first[r], pair_first[r + 1]):
                total += sign[i] * bars[pair_arcs[i] - first]
        size = pair_first[r + 1] - pair_first[r] + 1
        row = word.pair_lam[r]
        made = _positive(row + weight * total / size)
        prices += (made - row) * (made - row) * size
        word.pair_made[r] = made
        value = keep * (made + made - row) + drop * word.pair_lam0[r]
        word.pair_lam[r] = value
        gain[word.target[r]] += count * value if word.limit[r] < 0 else -count * value
    moved[0] += flows
    moved[1] += prices


cdef void _prices(Word *word, const Step *step, _Scratch scratch, double *moved) noexcept nogil:
    """Updates the prices of a word by the flows over its positions; clears `cover`."""
    cdef Py_ssize_t p
    cdef double *d = word.d
    cdef const double *over = word.over
    cdef double old, new, total = 0, prices = 0, weight = step.weight, keep = step.keep
    for p in range(word.size):
        total += scratch.cover[p]
        scratch.cover[p] = 0
        old = d[p]
        new = 1 - _positive(1 - (old + weight * (1 - total) / over[p]))
        prices += (new - old) * (new - old) * over[p]
        word.d_made[p] = new
        d[p] = keep * (new + new - old) + (1 - keep) * word.d0[p]
    scratch.cover[word.size] = 0
    moved[1] += prices


cdef void _distance(const Word *word, double *moves) noexcept nogil:
    """Adds the squared distances from the anchor: of flows, and of prices and multipliers."""
    cdef Py_ssize_t o, p, r
    cdef double moved, flow = 0, price = 0
    for o in range(word.n):
        moved = word.f[o] - word.f0[o]
        flow += moved * moved * (word.end[o] - word.start[o] + 1 + word.n_rows[o])
        moved = word.lam[o] - word.lam0[o]
        price += 2 * moved * moved
    for r in range(word.n_pairs):
        moved = word.pair_lam[r] - word.pair_lam0[r]
        price += moved * moved * (word.pair_first[r + 1] - word.pair_first[r] + 1)
    for p in range(word.size):
        moved = word.d[p] - word.d0[p]
        price += moved * moved * word.over[p]
    moves[0] += word.count * flow
    moves[1] += word.count * price


cdef double _cost(const Word *word, const double *x, _Scratch scratch) noexcept nogil:
    """Returns the tokens of the flows of a word, scaled down to what x and the word allow."""
    cdef Py_ssize_t o, q, p, r, i, base = word.base
    cdef double used, value, largest, whole = word.size
    cdef double *cover = &scratch.cover[0]
    cdef double *flow = &scratch.bars[0]
    for o in range(word.n):
        value = word.f[o]
        used = 0
        if value > 0:
            if word.overlapping:
                q = _earlier(word, o, o)
                while q >= 0:
                    used += flow[q]
                    q = _earlier(word, q, o)
            value = max(0, min(value, x[word.which[o]] - used))
        else:
            value = 0
        flow[o] = value
    for r in range(word.n_pairs):
        used = 0
        for i in range(word.pair_first[r], word.pair_first[r + 1]):
            used += flow[word.pair_arcs[i] - word.first]
        if used > x[word.target[r]]:
            for i in range(word.pair_first[r], word.pair_first[r + 1]):
                flow[word.pair_arcs[i] - word.first] *= x[word.target[r]] / used
    for o in range(word.n):
        cover[word.start[o] - base] += flow[o]
        cover[word.end[o] - base] -= flow[o]
    used = 0
    for p in range(word.size):
        used += cover[p]
        cover[p] = used
    for o in range(word.n):
        value = flow[o]
        if value > 0:
            largest = 1
            for p in range(word.start[o] - base, word.end[o] - base):
                largest = max(largest, cover[p])
            whole -= value / largest * (word.end[o] - word.start[o] - 1)
    for p in range(word.size + 1):
        cover[p] = 0
    return word.count * whole
