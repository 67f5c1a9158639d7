# cython: boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""Makes primal-dual steps towards good prices with arcs that are made word by word.

An arc is an occurrence of a candidate in a word.  Arcs are not held: at each position stands the
last of the candidates that begin there, and each candidate has a chain of those before it.  Of
flows and rows, most of which are 0, those that are not are held, in the order of the arcs.  The
numbers are those of `_saddle_point.Saddle`, bit by bit.
"""

import numpy as np

from libc.stdint cimport int32_t, int64_t, uint8_t, uint64_t
from libc.stdlib cimport calloc, free, malloc, realloc

include "_saddle_word.pxi"

cdef extern from *:
    """
    #include <string.h>
    /* The value if the mask is all ones, 0 if it is 0: without a branch, which could not be
       foreseen. */
    static inline double masked(const double *value, uint64_t mask) {
        uint64_t bits;
        double result;
        memcpy(&bits, value, sizeof bits);
        bits &= mask;
        memcpy(&result, &bits, sizeof bits);
        return result;
    }
    """
    double masked(const double *value, uint64_t mask) noexcept nogil


cdef enum:
    FLOW = 1                    # an arc has a flow, here or at the anchor
    ROW = 2                     # and likewise a row
    SLACK = 4                   # values that may be read or written behind the last


cdef struct Link:               # of a chain: the candidates that begin where its last one does
    int32_t token
    int32_t length


cdef struct Stream:             # of the arcs of a shard
    double *values              # f and f0 of each flow, λ and λ0 of each row
    Py_ssize_t size
    Py_ssize_t room


cdef struct Cursor:             # where to read, or to write
    uint8_t *marks
    double *values


cdef struct Arcs:               # of one word, and what belongs to them
    int32_t *which
    int32_t *start
    int32_t *end
    int32_t *back
    int32_t *n_rows
    double *f
    double *lam
    double *f0
    double *lam0
    double *over
    int32_t *begun              # arcs that begin at each position, less those that end; mostly 0
    int32_t *latest             # the last arc of each candidate whose occurrences may overlap


cdef bint _hold(Arcs *arcs, Py_ssize_t max_length, Py_ssize_t max_arcs,
                Py_ssize_t tokens) noexcept:
    cdef Py_ssize_t n = max_arcs + 1
    arcs.which = <int32_t *> malloc(n * sizeof(int32_t))
    arcs.start = <int32_t *> malloc(n * sizeof(int32_t))
    arcs.end = <int32_t *> malloc(n * sizeof(int32_t))
    arcs.back = <int32_t *> malloc(n * sizeof(int32_t))
    arcs.n_rows = <int32_t *> calloc(n, sizeof(int32_t))
    arcs.f = <double *> malloc(n * sizeof(double))
    arcs.lam = <double *> malloc(n * sizeof(double))
    arcs.f0 = <double *> malloc(n * sizeof(double))
    arcs.lam0 = <double *> malloc(n * sizeof(double))
    arcs.over = <double *> malloc((max_length + 2) * sizeof(double))
    arcs.begun = <int32_t *> calloc(max_length + 2, sizeof(int32_t))
    arcs.latest = <int32_t *> calloc(tokens + 1, sizeof(int32_t))
    if (arcs.which and arcs.start and arcs.end and arcs.back and arcs.n_rows and arcs.f
            and arcs.lam and arcs.f0 and arcs.lam0 and arcs.over and arcs.begun
            and arcs.latest):
        return True
    _release(arcs)
    return False


cdef void _release(Arcs *arcs) noexcept:
    free(arcs.which)
    free(arcs.start)
    free(arcs.end)
    free(arcs.back)
    free(arcs.n_rows)
    free(arcs.f)
    free(arcs.lam)
    free(arcs.f0)
    free(arcs.lam0)
    free(arcs.over)
    free(arcs.begun)
    free(arcs.latest)


cdef inline bint _room(Stream *stream, Py_ssize_t n) noexcept nogil:
    """Makes room for all values of n arcs more; returns whether there is memory."""
    cdef Py_ssize_t needed = stream.size + 4 * n + SLACK
    cdef double *values
    if needed <= stream.room:
        return True
    needed += needed >> 2
    values = <double *> realloc(stream.values, needed * sizeof(double))
    if values == NULL:
        return False
    stream.values, stream.room = values, needed
    return True


cdef inline void _unpack(Arcs *arcs, Py_ssize_t n, Cursor *at) noexcept nogil:
    """Reads the flows and rows of the arcs of a word, and moves on."""
    cdef Py_ssize_t o
    cdef uint64_t flow, row
    cdef const double *v = at.values
    cdef const uint8_t *marks = at.marks
    for o in range(n):
        flow, row = marks[o] & 1, marks[o] >> 1
        arcs.f[o], arcs.f0[o] = masked(v, 0 - flow), masked(v + 1, 0 - flow)
        v += 2 * flow
        arcs.lam[o], arcs.lam0[o] = masked(v, 0 - row), masked(v + 1, 0 - row)
        v += 2 * row
    at.values = <double *> v
    at.marks += n


cdef inline void _pack(Arcs *arcs, Py_ssize_t n, uint8_t *marks, Stream *out) noexcept nogil:
    """Writes the flows and rows of the arcs of a word, for which there is room."""
    cdef Py_ssize_t o
    cdef bint flow, row
    cdef double *v = out.values + out.size
    for o in range(n):
        flow = (arcs.f[o] != 0) | (arcs.f0[o] != 0)
        row = (arcs.lam[o] != 0) | (arcs.lam0[o] != 0)
        v[0], v[1] = arcs.f[o], arcs.f0[o]
        v += 2 * flow
        v[0], v[1] = arcs.lam[o], arcs.lam0[o]
        v += 2 * row
        marks[o] = <uint8_t> (flow * FLOW + row * ROW)
    out.size = v - out.values


cdef class WordSteps:
    """Iterates towards the saddle point of prices and arcs, as `Saddle` does without pairs.

    Parameters
    ----------
    offsets : ndarray of int64, shape (words + 1,)
        The first position of each word.
    counts : ndarray of int64, shape (words,)
        How often each word occurs.
    sa, word_of : ndarray of int32
        Of the index of the words.
    lo, hi, length : ndarray of int32, shape (tokens,)
        The active candidates; none occurs more often than one before it.
    borders : ndarray of uint8, shape (tokens,)
        Which of them may overlap themselves.
    prices : ndarray of float64, shape (3, positions)
        Where to keep prices, those of the anchor, and those of the last step.
    shards : int
        Into how many ranges of words the work is cut.

    Attributes
    ----------
    n_arcs : int
        The number of arcs.
    n_links : int
        The number of links that chains hold, no more than there are arcs.
    price, made : ndarray of float64, shape (positions,)
        The prices, and those of the last step before they were drawn back.

    Notes
    -----
    The candidates that begin at a position are prefixes of each other.  One with a smaller number
    occurs at least as often, and so wherever the other does; each therefore has the same ones
    before it wherever it begins.  Memory is 28 bytes for a position, 8 for a link, 1 for an arc and
    16 for each flow and each row.
    """
    cdef const int64_t[::1] offsets
    cdef const int64_t[::1] counts
    cdef readonly object price, made, cuts
    cdef readonly Py_ssize_t n_arcs, n_links
    cdef object price_from
    cdef double[::1] d, d0, d_made
    cdef int32_t[::1] tops          # the last candidate at each position
    cdef int64_t[::1] chains        # where the chain of each candidate that is last begins
    cdef Link *links
    cdef const uint8_t[::1] borders
    cdef uint8_t[::1] overlapping   # words with overlapping arcs of one candidate
    cdef uint8_t[::1] marks         # of all arcs
    cdef int64_t[::1] first         # arc of each shard
    cdef Stream *streams
    cdef Stream *spares             # streams that are not in use
    cdef Py_ssize_t n_spares, shards, tokens, max_length, max_arcs

    def __cinit__(self, *args):
        self.links = NULL
        self.streams = self.spares = NULL

    def __init__(self, offsets, counts, const int32_t[::1] sa, const int32_t[::1] word_of,
                 const int32_t[::1] lo, const int32_t[::1] hi, const int32_t[::1] length,
                 const uint8_t[::1] borders, prices, Py_ssize_t shards):
        cdef Py_ssize_t size = offsets[len(offsets) - 1], c, i
        cdef int32_t p, t, last, link
        self.offsets, self.counts = offsets, counts
        self.shards, self.tokens = shards, lo.shape[0]
        self.max_length = int(np.diff(offsets).max(initial=0))
        self.price, self.price_from, self.made = prices
        self.d, self.d0, self.d_made = self.price, self.price_from, self.made
        self.tops = np.full(size, -1, np.int32)
        self.streams = <Stream *> calloc(shards, sizeof(Stream))
        self.spares = <Stream *> calloc(shards, sizeof(Stream))
        if self.streams == NULL or self.spares == NULL:
            raise MemoryError
        self.borders = borders
        self.chains = np.zeros(self.tokens + 1, np.int64)
        cdef int32_t[::1] tops = self.tops
        cdef int64_t[::1] chains = self.chains
        cdef int32_t[::1] below = np.empty(self.tokens, np.int32)
        cdef int32_t[::1] depth = np.empty(self.tokens, np.int32)
        with nogil:
            for c in range(self.tokens):
                last = -1
                for i in range(lo[c], hi[c]):
                    t = sa[i]
                    p = t - word_of[t] - 1
                    last = tops[p]
                    tops[p] = <int32_t> c
                below[c] = last
                depth[c] = depth[last] + 1 if last >= 0 else 1
            # of those that are last somewhere: of all, long candidates would make it quadratic
            for i in range(size):
                if tops[i] >= 0:
                    chains[tops[i] + 1] = depth[tops[i]]
            for c in range(self.tokens):
                chains[c + 1] += chains[c]
        self.n_links = chains[self.tokens]
        self.links = <Link *> malloc((self.n_links + 1) * sizeof(Link))
        if self.links == NULL:
            raise MemoryError
        with nogil:
            for c in range(self.tokens):
                link = <int32_t> c
                for i in range(chains[c + 1] - 1, chains[c] - 1, -1):
                    self.links[i].token, self.links[i].length = link, length[link]
                    link = below[link]
        self._cut()
        self._find_overlaps()

    def __dealloc__(self):
        cdef Py_ssize_t s
        for s in range(self.shards if self.streams != NULL else 0):
            free(self.streams[s].values)
        for s in range(self.n_spares):
            free(self.spares[s].values)
        free(self.streams)
        free(self.spares)
        free(self.links)

    def _cut(self):
        """Cuts the words into shards with about as many arcs and positions in each."""
        cdef Py_ssize_t w, p, n, n_words = self.counts.shape[0], total = 0
        load = np.zeros(n_words + 1, np.int64)
        cdef int64_t[::1] view = load
        with nogil:
            for w in range(n_words):
                n = 0
                for p in range(self.offsets[w], self.offsets[w + 1]):
                    if self.tops[p] >= 0:
                        n += self.chains[self.tops[p] + 1] - self.chains[self.tops[p]]
                self.max_arcs = max(self.max_arcs, n)
                total += n
                view[w + 1] = total + self.offsets[w + 1]
        self.n_arcs = total
        cuts = np.searchsorted(load, np.linspace(0, load[n_words], self.shards + 1)).tolist()
        cuts[0], cuts[self.shards] = 0, n_words
        self.cuts = cuts
        self.first = load[cuts] - np.asarray(self.offsets)[cuts]
        self.marks = np.zeros(total, np.uint8)

    def _find_overlaps(self):
        """Finds the words in which arcs of one candidate overlap."""
        cdef Py_ssize_t w, o
        cdef Arcs arcs
        cdef Word word
        self.overlapping = np.ones(self.counts.shape[0], np.uint8)
        if not _hold(&arcs, self.max_length, self.max_arcs, self.tokens):
            raise MemoryError
        with nogil:
            for w in range(self.counts.shape[0]):
                self._set(w, &arcs, &word)
                self.overlapping[w] = 0
                for o in range(word.n):
                    if arcs.back[o]:
                        self.overlapping[w] = 1
                        break
        _release(&arcs)

    cdef void _set(self, Py_ssize_t w, Arcs *arcs, Word *word) noexcept nogil:
        """Makes the arcs of a word."""
        cdef Py_ssize_t n = 0, i, p, base = self.offsets[w]
        cdef int32_t top
        word.size = self.offsets[w + 1] - base
        for p in range(word.size):
            top = self.tops[base + p]
            if top < 0:
                continue
            for i in range(self.chains[top], self.chains[top + 1]):
                arcs.which[n] = self.links[i].token
                arcs.start[n] = <int32_t> p
                arcs.end[n] = <int32_t> p + self.links[i].length
                n += 1
        word.n, word.base, word.count = n, 0, <double> self.counts[w]
        word.which, word.start, word.end = arcs.which, arcs.start, arcs.end
        word.back, word.n_rows = arcs.back, arcs.n_rows
        word.f, word.lam, word.f0, word.lam0 = arcs.f, arcs.lam, arcs.f0, arcs.lam0
        word.over = arcs.over
        word.first = word.n_pairs = 0
        if word.size:
            word.d, word.d0, word.d_made = &self.d[base], &self.d0[base], &self.d_made[base]
        word.overlapping = self.overlapping[w]
        if word.overlapping:
            self._join(arcs, n)

    cdef void _join(self, Arcs *arcs, Py_ssize_t n) noexcept nogil:
        """Finds how far back the last arc of the same candidate is that overlaps each."""
        cdef Py_ssize_t o
        cdef int32_t c, q
        for o in range(n):
            arcs.back[o] = 0
            c = arcs.which[o]
            if self.borders[c]:
                q = arcs.latest[c]  # of this word if it is an arc of c at all
                if q < o and arcs.which[q] == c and arcs.end[q] > arcs.start[o]:
                    arcs.back[o] = <int32_t> o - q
                arcs.latest[c] = <int32_t> o

    cdef void _count(self, Arcs *arcs, Word *word) noexcept nogil:
        """Counts the arcs over each position, and the rows over each arc."""
        cdef Py_ssize_t o, p, q
        cdef double total = 0
        for p in range(word.size + 1):
            arcs.over[p] = 0
        for o in range(word.n):
            arcs.over[arcs.start[o]] += 1
            arcs.over[arcs.end[o]] -= 1
        for p in range(word.size):
            total += arcs.over[p]
            arcs.over[p] = max(total, 1)
        if not word.overlapping:
            return
        for o in range(word.n):
            arcs.n_rows[o] = 0
        for o in range(word.n):
            q = _earlier(word, o, o)
            while q >= 0:
                arcs.n_rows[q] += 1
                q = _earlier(word, q, o)

    cdef void _clear(self, Arcs *arcs, Word *word) noexcept nogil:
        """Forgets the rows over the arcs of a word: those of most are 0."""
        cdef Py_ssize_t o
        if word.overlapping:
            for o in range(word.n):
                arcs.n_rows[o] = 0

    cdef Cursor _begin(self, Py_ssize_t shard) noexcept nogil:
        """Returns where the flows and rows of a shard begin."""
        cdef Cursor at
        at.marks = &self.marks[0] + self.first[shard]
        at.values = self.streams[shard].values
        return at

    def start(self, const int32_t[::1] piece, const double[::1] before, const double[::1] x):
        """Sets the flows to pieces, and the rows to what candidates that are chosen are worth.

        Parameters
        ----------
        piece : ndarray of int32, shape (positions,)
            Where a piece begins: where it ends.
        before : ndarray of float64, shape (positions + 1,)
            The sum of the prices before each position.
        x : ndarray of float64, shape (tokens,)
            How much of each candidate is chosen.
        """
        cdef Py_ssize_t w, o, s, e, base, shard
        cdef bint ok = True
        cdef Arcs arcs
        cdef Word word
        cdef Cursor at
        if not _hold(&arcs, self.max_length, self.max_arcs, self.tokens):
            raise MemoryError
        bounds = np.array(self.cuts, np.int64)
        cdef int64_t[::1] cuts = bounds
        with nogil:
            for shard in range(self.shards):
                at = self._begin(shard)
                self.streams[shard].size = 0
                for w in range(cuts[shard], cuts[shard + 1]):
                    self._set(w, &arcs, &word)
                    base = self.offsets[w]
                    for o in range(word.n):
                        s, e = base + arcs.start[o], base + arcs.end[o]
                        arcs.f[o] = piece[s] == e
                        arcs.lam[o] = max(before[e] - before[s] - 1, 0) * x[arcs.which[o]]
                        arcs.f0[o] = arcs.lam0[o] = 0
                    ok = _room(&self.streams[shard], word.n)
                    if not ok:
                        break
                    _pack(&arcs, word.n, at.marks, &self.streams[shard])
                    at.marks += word.n
                if not ok:
                    break
        _release(&arcs)
        if not ok:
            raise MemoryError

    def place(self, const int32_t[::1] which, const int32_t[::1] start, const double[::1] flow,
              const double[::1] row):
        """Sets the flows and rows of the arcs that are given as by `used`; all others are 0.

        Parameters
        ----------
        which, start : ndarray of int32
            Candidates, −1 for those that are not active, and places: by place, then candidate.
        flow, row : ndarray of float64
            Their values.
        """
        cdef Py_ssize_t w, o, shard, q = 0, n = which.shape[0]
        cdef int32_t base
        cdef bint ok = True
        cdef Arcs arcs
        cdef Word word
        cdef Cursor at
        if not _hold(&arcs, self.max_length, self.max_arcs, self.tokens):
            raise MemoryError
        bounds = np.array(self.cuts, np.int64)
        cdef int64_t[::1] cuts = bounds
        with nogil:
            for shard in range(self.shards):
                at = self._begin(shard)
                self.streams[shard].size = 0
                for w in range(cuts[shard], cuts[shard + 1]):
                    self._set(w, &arcs, &word)
                    base = <int32_t> self.offsets[w]
                    for o in range(word.n):
                        arcs.f[o] = arcs.lam[o] = arcs.f0[o] = arcs.lam0[o] = 0
                        while q < n and (
                            start[q] < base + arcs.start[o]
                            or (start[q] == base + arcs.start[o] and which[q] < arcs.which[o])
                        ):
                            q += 1
                        if q < n and start[q] == base + arcs.start[o] and which[q] == arcs.which[o]:
                            arcs.f[o], arcs.lam[o] = flow[q], row[q]
                    ok = _room(&self.streams[shard], word.n)
                    if not ok:
                        break
                    _pack(&arcs, word.n, at.marks, &self.streams[shard])
                    at.marks += word.n
                if not ok:
                    break
        _release(&arcs)
        if not ok:
            raise MemoryError

    def anchor(self):
        """Makes the current point the anchor of the next steps."""
        cdef Py_ssize_t shard, o
        cdef Stream *stream
        cdef const double *source
        cdef double *target
        cdef uint8_t mark
        with nogil:
            for shard in range(self.shards):
                stream = &self.streams[shard]
                source, target = stream.values, stream.values
                for o in range(self.first[shard], self.first[shard + 1]):
                    mark = self.marks[o]
                    self.marks[o] = 0
                    if mark & FLOW:
                        if source[0] != 0:
                            target[1] = target[0] = source[0]
                            target += 2
                            self.marks[o] = FLOW
                        source += 2
                    if mark & ROW:
                        if source[0] != 0:
                            target[1] = target[0] = source[0]
                            target += 2
                            self.marks[o] |= ROW
                        source += 2
                stream.size = target - stream.values
        self.price_from[:] = self.price

    def distance(self):
        """Returns the squared distances from the anchor: of flows, and of prices and rows."""
        cdef Py_ssize_t w, shard
        cdef Arcs arcs
        cdef Word word
        cdef Cursor at
        cdef double[2] moves
        moves[0] = moves[1] = 0
        if not _hold(&arcs, self.max_length, self.max_arcs, self.tokens):
            raise MemoryError
        bounds = np.array(self.cuts, np.int64)
        cdef int64_t[::1] cuts = bounds
        with nogil:
            for shard in range(self.shards):
                at = self._begin(shard)
                for w in range(cuts[shard], cuts[shard + 1]):
                    self._set(w, &arcs, &word)
                    self._count(&arcs, &word)
                    _unpack(&arcs, word.n, &at)
                    _distance(&word, moves)
                    self._clear(&arcs, &word)
        _release(&arcs)
        return moves[0], moves[1]

    def gains(self, double[::1] gain):
        """Adds Σ c·λ of the rows of each candidate to `gain`."""
        cdef Py_ssize_t w, o, shard
        cdef Arcs arcs
        cdef Word word
        cdef Cursor at
        if not _hold(&arcs, self.max_length, self.max_arcs, self.tokens):
            raise MemoryError
        bounds = np.array(self.cuts, np.int64)
        cdef int64_t[::1] cuts = bounds
        with nogil:
            for shard in range(self.shards):
                at = self._begin(shard)
                for w in range(cuts[shard], cuts[shard + 1]):
                    self._set(w, &arcs, &word)
                    _unpack(&arcs, word.n, &at)
                    for o in range(word.n):
                        gain[arcs.which[o]] += word.count * arcs.lam[o]
        _release(&arcs)

    def used(self):
        """Returns the arcs with a flow or a row, by start, then candidate.

        Returns
        -------
        which, start : ndarray of int32
            Candidates and places.
        flow, row : ndarray of float64
            Their values.
        """
        cdef Py_ssize_t w, o, shard, n = 0, total = 0
        cdef const uint8_t[::1] marks = self.marks
        for o in range(self.n_arcs):
            total += marks[o] != 0
        which, start = np.empty(total, np.int32), np.empty(total, np.int32)
        flow, row = np.empty(total), np.empty(total)
        cdef int32_t[::1] which_view = which, start_view = start
        cdef double[::1] flow_view = flow, row_view = row
        cdef Arcs arcs
        cdef Word word
        cdef Cursor at
        if not _hold(&arcs, self.max_length, self.max_arcs, self.tokens):
            raise MemoryError
        bounds = np.array(self.cuts, np.int64)
        cdef int64_t[::1] cuts = bounds
        with nogil:
            for shard in range(self.shards):
                at = self._begin(shard)
                for w in range(cuts[shard], cuts[shard + 1]):
                    self._set(w, &arcs, &word)
                    _unpack(&arcs, word.n, &at)
                    for o in range(word.n):
                        if arcs.f[o] != 0 or arcs.lam[o] != 0:
                            which_view[n] = arcs.which[o]
                            start_view[n] = <int32_t> (self.offsets[w] + arcs.start[o])
                            flow_view[n], row_view[n] = arcs.f[o], arcs.lam[o]
                            n += 1
        _release(&arcs)
        return which[:n], start[:n], flow[:n], row[:n]

    def step(self, Py_ssize_t shard, double weight, double keep, const double[::1] ahead,
             double[::1] gain, double[::1] moves):
        """Makes one reflected step for a shard, averaged with the anchor.

        Parameters
        ----------
        shard : int
            The number of the shard.  Shards share nothing, so that threads may work on several.
        weight, keep, ahead, gain, moves
            As for `Saddle.step`.
        """
        cdef Py_ssize_t w, n, begin = self.cuts[shard], stop = self.cuts[shard + 1]
        cdef bint ok = True
        cdef Scratch scratch
        cdef Arcs arcs
        cdef Step made
        cdef Cursor at = self._begin(shard)
        cdef Stream out
        if not _allocate(&scratch, self.max_length, self.max_arcs):
            raise MemoryError
        if not _hold(&arcs, self.max_length, self.max_arcs, self.tokens):
            _free(&scratch)
            raise MemoryError
        made.weight, made.keep = weight, keep
        made.ahead, made.gain = &ahead[0], &gain[0]
        out.values, out.size, out.room = NULL, 0, 0
        if self.n_spares:
            self.n_spares -= 1
            out = self.spares[self.n_spares]
            out.size = 0
        with nogil:
            for n in range(gain.shape[0]):
                gain[n] = 0
            for n in range(1, self.max_length + 4):
                scratch.inverse[n] = 1 / (n * weight)
            moves[0] = moves[1] = 0
            for w in range(begin, stop):
                if self.overlapping[w]:
                    ok = self._joined(w, &arcs, &made, &scratch, &at, &out, &moves[0])
                else:
                    ok = self._single(w, arcs.begun, &made, &scratch, &at, &out, &moves[0])
                if not ok:
                    break
        self.spares[self.n_spares] = self.streams[shard]
        self.n_spares += 1
        self.streams[shard] = out
        _free(&scratch)
        _release(&arcs)
        if not ok:
            raise MemoryError

    cdef bint _joined(self, Py_ssize_t w, Arcs *arcs, const Step *step, Scratch *scratch,
                      Cursor *at, Stream *out, double *moves) noexcept nogil:
        """Makes the step of any word; returns whether there is memory for it."""
        cdef Word word
        cdef uint8_t *marks = at.marks
        self._set(w, arcs, &word)
        if not _room(out, word.n):
            return False
        self._count(arcs, &word)
        _unpack(arcs, word.n, at)
        _step_word(&word, step, scratch, moves)
        _pack(arcs, word.n, marks, out)
        self._clear(arcs, &word)
        return True

    cdef bint _single(self, Py_ssize_t w, int32_t *over, const Step *step, Scratch *scratch,
                      Cursor *at, Stream *out, double *moves) noexcept nogil:
        """Makes the step of a word without overlapping arcs of one candidate.

        As `_step_word`; but arcs without a flow and a row that get none are only looked at.
        """
        cdef Py_ssize_t p, e, i, size = self.offsets[w + 1] - self.offsets[w]
        cdef int32_t c, top
        cdef const int32_t *tops = &self.tops[self.offsets[w]] if size else NULL
        cdef const Link *link
        cdef double *before = scratch.before
        cdef const double *inverse = scratch.inverse
        cdef const double *ahead = step.ahead
        cdef double *cover = scratch.cover
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
            over[p] += <int32_t> (self.chains[top + 1] - self.chains[top])
            left = before[p]
            covered = cover[p]
            for i in range(self.chains[top], self.chains[top + 1]):
                link = &self.links[i]
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

    def cost(self, Py_ssize_t shard, const double[::1] x):
        """Returns the tokens of the flows of a shard, as `Saddle.cost`."""
        cdef Py_ssize_t w, begin = self.cuts[shard], stop = self.cuts[shard + 1]
        cdef double total = 0
        cdef Scratch scratch
        cdef Arcs arcs
        cdef Word word
        cdef Cursor at = self._begin(shard)
        if not _allocate(&scratch, self.max_length, self.max_arcs):
            raise MemoryError
        if not _hold(&arcs, self.max_length, self.max_arcs, self.tokens):
            _free(&scratch)
            raise MemoryError
        with nogil:
            for w in range(begin, stop):
                self._set(w, &arcs, &word)
                _unpack(&arcs, word.n, &at)
                total += _cost(&word, &x[0], &scratch)
        _free(&scratch)
        _release(&arcs)
        return total
