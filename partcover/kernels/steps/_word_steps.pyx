# cython: boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""Makes primal-dual steps that improve prices, and builds the arcs word by word.

An arc is an occurrence of a candidate in a word.  Arcs are not stored: each position stores the
last candidate that begins there, and each candidate a chain of those before it.  Most flows and
rows are 0; the others are stored in the order of the arcs.  The numbers are bitwise equal to those
of `_saddle_point.Saddle`.
"""

cimport cython

from libc.stdint cimport int32_t, int64_t, uint8_t, uint64_t

include "../shared/_numpy.pxi"
include "_chains.pxi"
include "_packed_values.pxi"
include "_saddle_word.pxi"

cdef class WordSteps            # has the words that `_Words` visits


cdef class _Words:
    """Visits one word after another, and builds the arcs of each.

    Parameters
    ----------
    steps : WordSteps
        The steps whose words are visited.
    first, last : int
        The range of shards.
    """

    cdef WordSteps steps
    cdef Py_ssize_t shard, last     # the next shard, and the end of the range
    cdef Py_ssize_t w, stop         # the word, and the end of the words of its shard
    cdef Word word
    cdef Values values              # the values of the word's arcs
    cdef Cursor at                  # the marks and the values of the word, until they are read
    cdef Stream *out                # where to write values
    cdef int32_t[::1] which, start, end, back, n_rows
    cdef double[::1] f, lam, f0, lam0, over
    cdef int32_t[::1] latest        # for each candidate that may overlap itself, its last arc

    def __init__(self, WordSteps steps, Py_ssize_t first, Py_ssize_t last):
        cdef Py_ssize_t n = steps.max_arcs + 1
        self.steps, self.shard, self.last = steps, first, last
        self.w, self.stop = -1, 0
        self.which, self.start, self.end, self.back, self.n_rows = np.empty((5, n), np.int32)
        self.f, self.lam, self.f0, self.lam0 = np.empty((4, n))
        self.over = np.empty(steps.max_length + 1)
        self.latest = np.zeros(steps.tokens, np.int32)
        self.values.f, self.values.lam = &self.f[0], &self.lam[0]
        self.values.f0, self.values.lam0 = &self.f0[0], &self.lam0[0]
        self.word.which, self.word.start = &self.which[0], &self.start[0]
        self.word.end, self.word.back = &self.end[0], &self.back[0]
        self.word.n_rows, self.word.over = &self.n_rows[0], &self.over[0]
        self.word.f, self.word.lam = self.values.f, self.values.lam
        self.word.f0, self.word.lam0 = self.values.f0, self.values.lam0
        self.word.n = self.word.base = self.word.first = self.word.n_pairs = 0

    cdef bint next(self) noexcept nogil:
        """Moves to the next word and builds its arcs; returns False after the last word."""
        self.at.marks += self.word.n
        self.w += 1
        while self.w == self.stop:
            if self.shard == self.last:
                return False
            self.begin()
        self.make()
        return True

    cdef void begin(self) noexcept nogil:
        """Moves to the first word of the next shard."""
        self.w, self.stop = self.steps.bounds[self.shard], self.steps.bounds[self.shard + 1]
        self.at = self.steps.packed.begin(self.shard)
        self.out = &self.steps.packed.streams[self.shard]
        self.shard += 1

    cdef void make(self) noexcept nogil:
        """Builds the arcs of the word."""
        cdef Word *word = &self.word
        cdef Py_ssize_t n = 0, i, p, base = self.steps.offsets[self.w]
        cdef int32_t *which = &self.which[0]
        cdef int32_t *start = &self.start[0]
        cdef int32_t *end = &self.end[0]
        cdef const int64_t *first = &self.steps.chains.first[0]
        cdef const Link *links = self.steps.chains.links
        cdef int32_t top
        word.size = self.steps.offsets[self.w + 1] - base
        for p in range(word.size):
            top = self.steps.chains.tops[base + p]
            if top < 0:
                continue
            for i in range(first[top], first[top + 1]):
                which[n] = links[i].token
                start[n] = <int32_t> p
                end[n] = <int32_t> p + links[i].length
                n += 1
        word.n, word.count = n, <double> self.steps.counts[self.w]
        if word.size:
            word.d, word.d0 = &self.steps.d[base], &self.steps.d0[base]
            word.d_made = &self.steps.d_made[base]
        word.overlapping = self.steps.overlapping[self.w]
        if word.overlapping:
            self.join()

    cdef void join(self) noexcept nogil:
        """Finds for each arc the distance back to the last overlapping arc of its candidate."""
        cdef Py_ssize_t o
        cdef int32_t c, q
        for o in range(self.word.n):
            self.back[o] = 0
            c = self.which[o]
            if self.steps.borders[c]:
                q = self.latest[c]  # an arc of this word, if it is an arc of c at all
                if q < o and self.which[q] == c and self.end[q] > self.start[o]:
                    self.back[o] = <int32_t> o - q
                self.latest[c] = <int32_t> o

    cdef void count(self) noexcept nogil:
        """Counts the arcs over each position, and the rows that contain each arc."""
        cdef Py_ssize_t o, p, q
        cdef double total = 0
        for p in range(self.word.size + 1):
            self.over[p] = 0
        for o in range(self.word.n):
            self.over[self.start[o]] += 1
            self.over[self.end[o]] -= 1
            self.n_rows[o] = 0
        for p in range(self.word.size):
            total += self.over[p]
            self.over[p] = max(total, 1)
        if not self.word.overlapping:
            return
        for o in range(self.word.n):
            q = _earlier(&self.word, o, o)
            while q >= 0:
                self.n_rows[q] += 1
                q = _earlier(&self.word, q, o)

    cdef void read(self) noexcept nogil:
        """Reads the flows and rows of the word."""
        _unpack(&self.values, self.word.n, &self.at)

    cdef bint write(self) noexcept nogil:
        """Writes the flows and rows of the word; returns whether there is enough memory."""
        if not _room(self.out, self.word.n):
            return False
        _pack(&self.values, self.word.n, self.at.marks, self.out)
        return True


cdef class WordSteps:
    """Iterates towards the saddle point of prices and flows, like `Saddle` without pairs.

    Parameters
    ----------
    offsets : ndarray of int64, shape (words + 1,)
        The first position of each word.
    counts : ndarray of int64, shape (words,)
        How often each word occurs.
    sa, word_of : ndarray of int32
        The suffix array of the words, and the word of each position.
    lo, hi, length : ndarray of int32, shape (tokens,)
        The active candidates, in an order in which none occurs more often than an earlier one.
    borders : ndarray of uint8, shape (tokens,)
        Which of them may overlap themselves.
    prices : ndarray of float64, shape (3, positions)
        Memory for the prices, those of the anchor, and those of the last step.
    shards : int
        Number of ranges into which the words are split.

    Attributes
    ----------
    n_arcs : int
        Number of arcs.
    n_links : int
        Number of links in all chains, at most the number of arcs.
    price, made : ndarray of float64, shape (positions,)
        The prices, and those of the last step before it was averaged with the anchor.

    Notes
    -----
    It needs 28 bytes for a position, 8 for a link, 1 for an arc, and 16 for a stored flow or row.
    """

    cdef const int64_t[::1] offsets
    cdef const int64_t[::1] counts
    cdef readonly object price, made, cuts
    cdef readonly object pair_row, pair_made  # empty: other rows need arcs in memory
    cdef readonly Py_ssize_t n_arcs, n_links
    cdef object price_from
    cdef double[::1] d, d0, d_made
    cdef const uint8_t[::1] borders
    cdef uint8_t[::1] overlapping   # which words have overlapping arcs of one candidate
    cdef _Chains chains
    cdef _PackedValues packed
    cdef const int64_t[::1] bounds  # first word of each shard
    cdef Py_ssize_t shards, tokens, max_length, max_arcs

    def __init__(self, offsets, counts, const int32_t[::1] sa, const int32_t[::1] word_of,
                 const int32_t[::1] lo, const int32_t[::1] hi, const int32_t[::1] length,
                 const uint8_t[::1] borders, prices, Py_ssize_t shards):
        self.offsets, self.counts = offsets, counts
        self.shards, self.tokens = shards, lo.shape[0]
        self.max_length = int(np.diff(offsets).max(initial=0))
        self.price, self.price_from, self.made = prices
        self.d, self.d0, self.d_made = self.price, self.price_from, self.made
        self.pair_row = self.pair_made = np.zeros(0)
        self.borders = borders
        self.chains = _Chains(offsets[len(offsets) - 1], sa, word_of, lo, hi, length)
        self.n_links = self.chains.n_links
        self._cut()
        self._find_overlaps()

    def _cut(self):
        """Splits the words into shards with about equal numbers of arcs and positions."""
        cdef Py_ssize_t w, p, n, n_words = self.counts.shape[0], total = 0
        load = np.zeros(n_words + 1, np.int64)
        cdef int64_t[::1] view = load
        with nogil:
            for w in range(n_words):
                n = 0
                for p in range(self.offsets[w], self.offsets[w + 1]):
                    n += self.chains.begun(p)
                self.max_arcs = max(self.max_arcs, n)
                total += n
                view[w + 1] = total + self.offsets[w + 1]
        self.n_arcs = total
        cuts = np.searchsorted(load, np.linspace(0, load[n_words], self.shards + 1))
        cuts[0], cuts[self.shards] = 0, n_words
        self.bounds, self.cuts = cuts.astype(np.int64), cuts.tolist()
        self.packed = _PackedValues(load[cuts] - np.asarray(self.offsets)[cuts])

    def _find_overlaps(self):
        """Finds the words in which arcs of one candidate overlap."""
        cdef Py_ssize_t o
        self.overlapping = np.ones(self.counts.shape[0], np.uint8)
        cdef _Words words = _Words(self, 0, self.shards)
        with nogil:
            while words.next():
                self.overlapping[words.w] = 0
                for o in range(words.word.n):
                    if words.back[o]:
                        self.overlapping[words.w] = 1
                        break

    def start(self, const int32_t[::1] piece, const double[::1] before, const double[::1] x):
        """Sets the flows to a segmentation, and the rows to the rewards of the chosen candidates.

        Parameters
        ----------
        piece : ndarray of int32, shape (positions,)
            For each position where a token begins, the position where it ends.
        before : ndarray of float64, shape (positions + 1,)
            The sum of the prices before each position.
        x : ndarray of float64, shape (tokens,)
            The fraction of each candidate that is chosen.
        """
        cdef Py_ssize_t o, s, e, base
        cdef bint ok = True
        cdef _Words words = _Words(self, 0, self.shards)
        with nogil:
            self.packed.clear()
            while ok and words.next():
                base = self.offsets[words.w]
                for o in range(words.word.n):
                    s, e = base + words.start[o], base + words.end[o]
                    words.f[o] = piece[s] == e
                    words.lam[o] = max(before[e] - before[s] - 1, 0) * x[words.which[o]]
                    words.f0[o] = words.lam0[o] = 0
                ok = words.write()
        if not ok:
            raise MemoryError

    def place(self, const int32_t[::1] which, const int32_t[::1] start, const double[::1] flow,
              const double[::1] row):
        """Sets the flows and rows of the given arcs, as `used` returns them; all others become 0.

        Parameters
        ----------
        which, start : ndarray of int32
            Candidates, or −1 for those that are not active, and positions: ordered by position,
            then candidate.
        flow, row : ndarray of float64
            Their values.
        """
        cdef Py_ssize_t o, s, c, q = 0, n = which.shape[0]
        cdef bint ok = True
        cdef _Words words = _Words(self, 0, self.shards)
        with nogil:
            self.packed.clear()
            while ok and words.next():
                for o in range(words.word.n):
                    s, c = self.offsets[words.w] + words.start[o], words.which[o]
                    words.f[o] = words.lam[o] = words.f0[o] = words.lam0[o] = 0
                    while q < n and (start[q] < s or (start[q] == s and which[q] < c)):
                        q += 1
                    if q < n and start[q] == s and which[q] == c:
                        words.f[o], words.lam[o] = flow[q], row[q]
                ok = words.write()
        if not ok:
            raise MemoryError

    def anchor(self):
        """Makes the current point the anchor of the next steps."""
        with nogil:
            self.packed.anchor()
        self.price_from[:] = self.price

    def distance(self):
        """Returns the squared distances from the anchor: of flows, and of prices and rows."""
        cdef _Words words = _Words(self, 0, self.shards)
        cdef double[2] moves
        moves[0] = moves[1] = 0
        with nogil:
            while words.next():
                words.count()
                words.read()
                _distance(&words.word, moves)
        return moves[0], moves[1]

    def gains(self, double[::1] gain):
        """Adds Σ c·λ of the rows of each candidate to `gain`."""
        cdef Py_ssize_t o
        cdef _Words words = _Words(self, 0, self.shards)
        with nogil:
            while words.next():
                words.read()
                for o in range(words.word.n):
                    gain[words.which[o]] += words.word.count * words.lam[o]

    def used(self):
        """Returns the arcs whose flow or row is not 0, ordered by start, then candidate.

        Returns
        -------
        which, start : ndarray of int32
            Candidates and positions.
        flow, row : ndarray of float64
            Their values.
        """
        cdef Py_ssize_t o, n = 0, total = np.count_nonzero(self.packed.marks)
        which, start = np.empty(total, np.int32), np.empty(total, np.int32)
        flow, row = np.empty(total), np.empty(total)
        cdef int32_t[::1] which_view = which, start_view = start
        cdef double[::1] flow_view = flow, row_view = row
        cdef _Words words = _Words(self, 0, self.shards)
        with nogil:
            while words.next():
                words.read()
                for o in range(words.word.n):
                    if words.f[o] != 0 or words.lam[o] != 0:
                        which_view[n] = words.which[o]
                        start_view[n] = <int32_t> (self.offsets[words.w] + words.start[o])
                        flow_view[n], row_view[n] = words.f[o], words.lam[o]
                        n += 1
        return which[:n], start[:n], flow[:n], row[:n]

    def cost(self, Py_ssize_t shard, const double[::1] x):
        """Returns the tokens of the flows of a shard, like `Saddle.cost`."""
        cdef double total = 0
        cdef _Scratch scratch = _Scratch(self.max_length, self.max_arcs)
        cdef _Words words = _Words(self, shard, shard + 1)
        with nogil:
            while words.next():
                words.read()
                total += _cost(&words.word, &x[0], scratch)
        return total

    def step(self, Py_ssize_t shard, double weight, double keep, const double[::1] ahead,
             double[::1] gain, double[::1] moves):
        """Makes one reflected step for a shard, and averages it with the anchor.

        Parameters
        ----------
        shard : int
            The number of the shard.  Shards share no data, so threads may process several at once.
        weight, keep, ahead, gain, moves
            As for `Saddle.step`.
        """
        cdef Py_ssize_t n
        cdef bint ok = True
        cdef _Scratch scratch = _Scratch(self.max_length, self.max_arcs)
        cdef int32_t[::1] over = np.zeros(self.max_length + 1, np.int32)
        cdef _Words words = _Words(self, shard, shard + 1)
        cdef Step made
        cdef Stream out = self.packed.empty()
        made.weight, made.keep = weight, keep
        made.ahead, made.gain = &ahead[0], &gain[0]
        with nogil:
            for n in range(gain.shape[0]):
                gain[n] = 0
            moves[0] = moves[1] = 0
            scratch.begin(&made)
            words.begin()
            words.out = &out
            while ok and words.w < words.stop:
                if self.overlapping[words.w]:
                    ok = self._joined(words, &made, scratch, &moves[0])
                else:
                    ok = self._single(words.w, &over[0], &made, scratch, &words.at, &out, &moves[0])
                words.w += 1
        self.packed.put(shard, out)
        if not ok:
            raise MemoryError

    cdef bint _joined(self, _Words words, const Step *step, _Scratch scratch,
                      double *moves) noexcept nogil:
        """Makes the step of any word; returns whether there is enough memory."""
        words.make()
        words.count()
        words.read()
        _step_word(&words.word, step, scratch, moves)
        if not words.write():
            return False
        words.at.marks += words.word.n
        return True

    cdef bint _single(self, Py_ssize_t w, int32_t *over, const Step *step, _Scratch scratch,
                      Cursor *at, Stream *out, double *moves) noexcept nogil:
        """Makes the step of a word without overlapping arcs of one candidate.

        It does the same as `_step_word`, but arcs whose flow and row are and stay 0 are only read.
        """
        cdef Py_ssize_t p, e, i, size = self.offsets[w + 1] - self.offsets[w]
        cdef int32_t c, top
        cdef const int32_t *tops = &self.chains.tops[self.offsets[w]] if size else NULL
        cdef const int64_t *first = &self.chains.first[0]
        cdef const Link *links = self.chains.links
        cdef const Link *link
        cdef double *before = &scratch.before[0]
        cdef const double *inverse = &scratch.inverse[0]
        cdef const double *ahead = step.ahead
        cdef double *cover = &scratch.cover[0]
        cdef double *gain = step.gain
        cdef const double *v = at.values
        cdef double *t
        cdef uint8_t *marks = at.marks
        cdef uint64_t has_flow, has_row
        cdef double left, covered, old, new, bar, row, made, f0, lam0, arcs_over, total = 0
        cdef double weight = step.weight, keep = step.keep, drop = 1 - keep
        cdef double count = <double> self.counts[w], flows = 0, rows = 0, prices = 0
        cdef int32_t n_over = 0
        cdef double *d = &self.d[self.offsets[w]] if size else NULL
        cdef const double *d0 = &self.d0[self.offsets[w]] if size else NULL
        cdef double *d_made = &self.d_made[self.offsets[w]] if size else NULL
        if not _room(out, self.max_arcs):
            return False
        for p in range(size):
            before[p] = total
            total += d[p]
        before[size] = total
        t = out.values + out.size
        for p in range(size):
            top = tops[p]
            if top < 0:
                continue
            over[p] += <int32_t> (first[top + 1] - first[top])
            left = before[p]
            covered = cover[p]
            for i in range(first[top], first[top + 1]):
                link = &links[i]
                c, e = link.token, p + link.length
                over[e] -= 1
                if marks[0] == 0:
                    if 1 - before[e] + left >= 0 and ahead[c] >= 0:
                        marks += 1
                        continue
                    old = f0 = row = lam0 = 0
                else:
                    has_flow, has_row = marks[0] & 1, marks[0] >> 1
                    old, f0 = masked(v, 0 - has_flow), masked(v + 1, 0 - has_flow)
                    v += 2 * has_flow
                    row, lam0 = masked(v, 0 - has_row), masked(v + 1, 0 - has_row)
                    v += 2 * has_row
                new = _positive(old - (1 + row - before[e] + left) * inverse[e - p + 1])
                bar = new + new - old
                flows += (new - old) * (new - old) * (e - p + 1)
                covered += bar
                cover[e] -= bar
                made = _positive(row + 0.5 * weight * (bar - ahead[c]))
                rows += (made - row) * (made - row)
                old = keep * bar + drop * f0
                row = keep * (made + made - row) + drop * lam0
                gain[c] += count * row
                has_flow = (old != 0) | (f0 != 0)
                t[0], t[1] = old, f0
                t += 2 * has_flow
                has_row = (row != 0) | (lam0 != 0)
                t[0], t[1] = row, lam0
                t += 2 * has_row
                marks[0] = <uint8_t> (has_flow * FLOW + has_row * ROW)
                marks += 1
            cover[p] = covered
        out.size = t - out.values
        at.values, at.marks = <double *> v, marks
        rows *= 2
        total = 0
        for p in range(size):
            total += cover[p]
            n_over += over[p]
            cover[p] = over[p] = 0
            old = d[p]
            arcs_over = <double> max(n_over, 1)
            new = 1 - _positive(1 - (old + weight * (1 - total) / arcs_over))
            prices += (new - old) * (new - old) * arcs_over
            d_made[p] = new
            d[p] = keep * (new + new - old) + drop * d0[p]
        cover[size] = over[size] = 0
        moves[0] += count * flows
        moves[1] += count * (rows + prices)
        return True
