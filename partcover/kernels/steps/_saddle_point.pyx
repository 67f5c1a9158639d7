# cython: boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""Makes primal-dual steps that improve prices.

An arc is an occurrence of a candidate in a word.  Positions number the symbols of all words, one
word after another.  Each step takes a range of words, so that threads can share the work; the sums
of a range do not depend on other ranges.
"""

from libc.math cimport fabs
from libc.stdint cimport int8_t, int32_t, int64_t, uint8_t

include "../shared/_numpy.pxi"
include "../shared/_position.pxi"


def arcs(const position_t[::1] places, const position_t[::1] lo, const position_t[::1] hi,
         const int32_t[::1] length, Py_ssize_t positions):
    """Returns the occurrences of candidates: (candidate, start, end), by start, then candidate.

    A fourth array has for each arc the distance back to the last arc of the same candidate that
    overlaps it, or 0 if there is none.
    """
    cdef Py_ssize_t n = lo.shape[0], c, i, at, total = 0
    cdef position_t p
    first = np.zeros(positions + 1, np.int64)
    cdef int64_t[::1] next_view = first
    for c in range(n):
        total += hi[c] - lo[c]
    which = np.empty(total, np.int32)
    position = np.int32 if position_t is int32_t else np.int64
    start = np.empty(total, position)
    end = np.empty(total, position)
    back = np.zeros(total, np.int32)
    latest = np.full(n, -1, np.int64)
    cdef int32_t[::1] which_view = which, back_view = back
    cdef position_t[::1] start_view = start, end_view = end
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
    """Returns the index of each arc (candidate, start) among other arcs; -1 if it is not there.

    Both lists are in the order of `arcs`: arcs with the same start are adjacent, and candidates in
    both lists have the same order.
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
    """Projects x + step·gain onto the budget: writes clip(x + step·(gain − μ), 0, 1) to `out`.

    μ is the smallest multiplier of the budget with which the result keeps the budget.  The function
    returns it, and `fee` is a first guess of it.  The result is the point nearest to
    x + step·gain in the metric of 1/step.  It is found by Newton's method for a piecewise linear
    function, inside a bracket.
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


include "_saddle_word.pxi"


cdef class Saddle:
    """Iterates towards the saddle point of prices and flows.

    Parameters
    ----------
    offsets : ndarray of int64, shape (words + 1,)
        The first position of each word.
    counts : ndarray of float64, shape (words,)
        How often each word occurs.
    which, start, end, back : ndarray of int32, shape (arcs,)
        The result of `arcs`.
    prices : ndarray of float64, shape (3, positions), optional
        Memory for the prices, those of the anchor, and those of the last step; by default new
        arrays of zeros.

    Notes
    -----
    There is a flow f on each arc, a price d on each position, a multiplier λ for each row, and for
    each target the fraction z of it that is chosen: ::

        min over f ≥ 0, z in Z   max over d ≤ 1, λ ≥ 0
            Σ_W c(W) [Σ d_p + Σ_o f_o (1 − Σ_{p in o} d_p) + Σ_r λ_r (Σ_{q in r} f_q − z_target(r))]

    Each arc has its own row: the arc, the earlier arcs of its candidate that overlap it, and the
    candidate as the target.  `set_pairs` adds rows of any arcs of a word, whose targets are pairs
    of candidates or single candidates.  A signed row is λ (Σ_q ±f_q + z_target − limit).  Step
    sizes are those of Pock and Chambolle (2011); the metric contains the words' counts, so that
    step sizes do not depend on them.  The caller handles Z.
    """
    cdef const int64_t[::1] offsets
    cdef const double[::1] counts
    cdef const int32_t[::1] which, start, end, back
    cdef readonly object first      # first arc of each word
    cdef readonly object moving     # the words that steps move, and where each shard begins
    cdef readonly object cuts
    cdef const int32_t[::1] moving_view
    cdef const int64_t[::1] first_view
    cdef readonly object flow, row, price, made, flow_from, row_from, price_from, over
    cdef double[::1] f, lam, f0, lam0
    cdef double[::1] d, d0, d_made, over_view
    cdef uint8_t[::1] overlapping   # which words have overlapping arcs of one candidate
    cdef object own_rows
    cdef int32_t[::1] n_rows        # number of rows that contain each arc, besides its own row
    cdef readonly object pair_row, pair_made, pair_from
    cdef double[::1] pair_lam, pair_lam_made, pair_lam0
    cdef readonly object pair_rows  # rows of pairs in each word
    cdef const int64_t[::1] pair_first, rows_view
    cdef const int32_t[::1] pair_arcs, pair_target
    cdef const int8_t[::1] pair_sign, pair_limit
    cdef Py_ssize_t max_length, max_arcs

    def __init__(self, offsets, counts, which, start, end, back, prices=None):
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
        prices = np.zeros((3, size)) if prices is None else prices
        self.price, self.price_from, self.made = prices
        self.f, self.lam, self.f0, self.lam0 = self.flow, self.row, self.flow_from, self.row_from
        self.d, self.d0, self.d_made = self.price, self.price_from, self.made
        self.over = np.zeros(size + 1)
        over = self.over
        self.overlapping = np.zeros(counts.shape[0], np.uint8)
        # mostly 0, and pages that are never written take no memory
        self.own_rows = np.zeros(n_arcs, np.int32)
        self.n_rows = self.own_rows
        for w in range(self.counts.shape[0]):
            for o in range(first[w], first[w + 1]):
                over[self.start[o]] += 1
                over[self.end[o]] -= 1
                self.overlapping[w] |= self.back[o] > 0
                q = self._before(o, o)
                while q >= 0:
                    self.n_rows[q] += 1
                    q = self._before(q, o)
        self.over = np.maximum(np.cumsum(self.over)[:size], 1)
        self.over_view = self.over
        none, no_signs = np.zeros(0, np.int32), np.zeros(0, np.int8)
        self.set_pairs(np.zeros(1, np.int64), none, none, no_signs, no_signs)
        self.share_out(1)

    def share_out(self, Py_ssize_t shards, words=None):
        """Splits words into shards with about equal numbers of arcs, rows and positions.

        Steps move the shards alone.  By default all words are split.
        """
        load = np.diff(self.first + self.pair_rows + np.asarray(self.offsets))
        self.moving = np.arange(len(load), dtype=np.int32) if words is None else words
        self.moving_view = self.moving
        load = np.concatenate([[0], np.cumsum(load[self.moving])])
        cuts = np.searchsorted(load, np.linspace(0, load[len(load) - 1], shards + 1))
        cuts[0], cuts[shards] = 0, len(self.moving)
        self.cuts = cuts.tolist()

    def set_pairs(self, first, arcs, target, sign, limit):
        """Sets the rows of pairs, with multipliers of 0.

        Parameters
        ----------
        first : ndarray of int64, shape (rows + 1,)
            Where the arcs of each row begin; the rows of a word are adjacent, in the words' order.
        arcs : ndarray of int32
            The arcs of the rows.
        target : ndarray of int32, shape (rows,)
            The target of each row: a candidate, or a number larger than those of the candidates.
        sign : ndarray of int8, shape (arcs,)
            1 or −1 for each arc; only signed rows read it.
        limit : ndarray of int8, shape (rows,)
            The limit of a signed row, at least 0; −1 for other rows.
        """
        n = len(target)
        self.pair_first, self.pair_arcs, self.pair_target = first, arcs, target
        self.pair_sign, self.pair_limit = sign, limit
        self.pair_rows = np.searchsorted(arcs[first[:len(first) - 1]], self.first).astype(np.int64)
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
        cdef Py_ssize_t w
        cdef Word word
        cdef double[2] moves
        moves[0] = moves[1] = 0
        with nogil:
            for w in range(self.counts.shape[0]):
                self._set(w, &word)
                _distance(&word, moves)
        return moves[0], moves[1]

    def gains(self, double[::1] gain):
        """Adds Σ c·λ of the rows of each target to `gain`; subtracts it for signed rows."""
        self._gains(np.arange(self.counts.shape[0], dtype=np.int32), gain)

    def gains_at_rest(self, double[::1] gain):
        """Does the same as `gains` for the words that steps do not move."""
        rests = np.ones(self.counts.shape[0], bool)
        rests[self.moving] = False
        self._gains(np.flatnonzero(rests).astype(np.int32), gain)

    cdef _gains(self, const int32_t[::1] words, double[::1] gain):
        cdef Py_ssize_t w, o, r, i
        cdef double value
        with nogil:
            for i in range(words.shape[0]):
                w = words[i]
                for o in range(self.first_view[w], self.first_view[w + 1]):
                    gain[self.which[o]] += self.counts[w] * self.lam[o]
                for r in range(self.rows_view[w], self.rows_view[w + 1]):
                    value = self.counts[w] * self.pair_lam[r]
                    gain[self.pair_target[r]] += value if self.pair_limit[r] < 0 else -value

    def step(self, Py_ssize_t shard, double weight, double keep, const double[::1] ahead,
             double[::1] gain, double[::1] moves):
        """Makes one reflected step for a shard, and averages it with the anchor.

        Parameters
        ----------
        shard : int
            The shard.
        weight : float
            The primal weight: multiplies the steps of prices and divides those of flows.
        keep : float
            The weight of the new point in the average; the anchor has the remaining weight.
        ahead : ndarray of float64, shape (targets,)
            The extrapolated z.
        gain : ndarray of float64, shape (targets,)
            Receives Σ c·λ of each target at the new point.
        moves : ndarray of float64, shape (2,)
            Receives the squared distances moved by flows, and by prices and multipliers.
        """
        cdef Py_ssize_t i, n, first = self.cuts[shard], last = self.cuts[shard + 1]
        cdef _Scratch scratch = _Scratch(self.max_length, self.max_arcs)
        cdef Word word
        cdef Step made
        made.weight, made.keep = weight, keep
        made.ahead, made.gain = &ahead[0], &gain[0]
        with nogil:
            for n in range(gain.shape[0]):
                gain[n] = 0
            scratch.begin(&made)
            moves[0] = moves[1] = 0
            for i in range(first, last):
                self._set(self.moving_view[i], &word)
                _step_word(&word, &made, scratch, &moves[0])

    def cost(self, Py_ssize_t shard, const double[::1] x):
        """Returns the tokens of the flows of a shard, scaled down to what x and the words allow.

        `x` has a value for each target.  If x is in Z, the result is at least the value of the
        relaxation.
        """
        cdef Py_ssize_t i, first = self.cuts[shard], last = self.cuts[shard + 1]
        cdef double total = 0
        cdef _Scratch scratch = _Scratch(self.max_length, self.max_arcs)
        cdef Word word
        with nogil:
            for i in range(first, last):
                self._set(self.moving_view[i], &word)
                total += _cost(&word, &x[0], scratch)
        return total

    cdef void _set(self, Py_ssize_t w, Word *word) noexcept nogil:
        """Sets the pointers to the data of a word."""
        cdef Py_ssize_t base = self.offsets[w], first = self.first_view[w], row = self.rows_view[w]
        word.n = self.first_view[w + 1] - first
        word.base, word.size = base, self.offsets[w + 1] - base
        word.count = self.counts[w]
        word.overlapping = self.overlapping[w]
        word.first, word.n_pairs = first, self.rows_view[w + 1] - row
        if word.n:
            word.which, word.start = &self.which[first], &self.start[first]
            word.end, word.back = &self.end[first], &self.back[first]
            word.n_rows = &self.n_rows[first]
            word.f, word.lam = &self.f[first], &self.lam[first]
            word.f0, word.lam0 = &self.f0[first], &self.lam0[first]
        if word.size:
            word.d, word.d0 = &self.d[base], &self.d0[base]
            word.d_made, word.over = &self.d_made[base], &self.over_view[base]
        if word.n_pairs:
            word.pair_first, word.target = &self.pair_first[row], &self.pair_target[row]
            word.pair_arcs, word.sign = &self.pair_arcs[0], &self.pair_sign[0]
            word.limit = &self.pair_limit[row]
            word.pair_lam, word.pair_made = &self.pair_lam[row], &self.pair_lam_made[row]
            word.pair_lam0 = &self.pair_lam0[row]

    cdef inline Py_ssize_t _before(self, Py_ssize_t q, Py_ssize_t o) noexcept nogil:
        """Returns the arc of o's candidate that precedes q if it overlaps o, else −1."""
        if self.back[q] == 0 or self.end[q - self.back[q]] <= self.start[o]:
            return -1
        return q - self.back[q]
