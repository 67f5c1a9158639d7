# cython: boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""Segments for the largest sum of scores, added over a whole text, in 32 bits or 64."""

cimport cython

from cpython.pycapsule cimport PyCapsule_New
from libc.math cimport INFINITY, fabs
from libc.stdint cimport int32_t, int64_t, uint8_t, uint32_t, uint64_t
from libc.stdlib cimport abs, free, malloc, realloc
from libc.string cimport memcpy, memmove, memset

ctypedef fused Real:
    float
    double

include "../shared/_arrays.pxi"
include "../shared/_going_on.pxi"
include "../shared/_hash.pxi"
include "../shared/_heap.pxi"
include "../shared/_marks.pxi"
include "../shared/_numpy.pxi"
include "../shared/_pairs.pxi"
include "../shared/_prefetch.pxi"
include "_queue.pxi"
include "_trie.pxi"
include "_scored_arcs.pxi"

cdef enum:
    REACHED = 255        # bytes of the longest word that `reach` accepts
    HIGHEST = 100000     # a 32-bit sum with a larger absolute value is reset
    # bytes whose tokens are found before their sums are added up
    NEAR = 32
    FAR = 1024           # of each of several walks
    WALKS = 8            # as many walks wait for memory at the same time
    BEGUN = 32           # bytes after which a walk is mostly in the right state

cdef extern from *:
    """
    /* the largest relative rounding error of a sum for each term: half a unit in the last place */
    #define PC_NARROW_ERROR 0x1p-24
    #define PC_WIDE_ERROR 0x1p-53
    """
    const double NARROW_ERROR "PC_NARROW_ERROR"
    const double WIDE_ERROR "PC_WIDE_ERROR"


cdef struct State:      # a node of the trie, in one cache line
    int32_t base        # as in `Node`
    int32_t parent
    int32_t suffix      # the node of its longest proper suffix
    int32_t arcs        # the first of the tokens that its string ends with, in `arcs`; -1: none


cdef struct Reset:      # a point where the sums were reset
    Py_ssize_t at       # the position
    float sum           # the sum that was subtracted


cdef struct Resets:     # the resets that a token may reach across, the first one first
    Reset *at
    Py_ssize_t n, room


cdef int _add_reset(Resets *resets, Py_ssize_t at, float total, Py_ssize_t longest) noexcept nogil:
    """Adds a reset and removes those that no token reaches across; returns -1 on failure."""
    cdef Py_ssize_t old = 0
    cdef Py_ssize_t room
    cdef Reset *grown
    while old < resets.n and resets.at[old].at + longest < at:
        old += 1
    if old:
        memmove(resets.at, resets.at + old, (resets.n - old) * sizeof(Reset))
        resets.n -= old
    if resets.n == resets.room:
        room = 2 * resets.room + 4
        grown = <Reset *> realloc(resets.at, room * sizeof(Reset))
        if grown == NULL:
            return -1
        resets.at = grown
        resets.room = room
    resets.at[resets.n] = Reset(at, total)
    resets.n += 1
    return 0


@cython.final
cdef class TextScores(Trie):
    """Segments texts of bytes for the largest sum of scores, as sentencepiece and Hugging Face do.

    A text is segmented as a whole.  It may be given word by word if no token reaches across the
    places between words: then the sum of each word continues that of the words before it.

    Sums have 64 bits, or, if `narrow`, 32 bits as in sentencepiece from 0.2.2 on
    (`unigram_model.cc`, `EncodeOptimized`): each sum is rounded, and once a sum at the start of a
    character is beyond ±100,000, it is subtracted from all sums of places from there on.

    Of the tokens that end at a place, the one with the largest sum is taken; ties go to the one
    that starts first.  A character that is not a token counts as its single bytes.

    Parameters
    ----------
    tokens : ndarray of int32
        Bytes of all tokens, one token after another; tokens are distinct.
    offsets : ndarray of int64, shape (tokens + 1,)
        Token ``t`` is ``tokens[offsets[t]:offsets[t + 1]]``.
    """

    cdef const int64_t[::1] links
    # for each entry of the chain of `endings`; the length of the last one for a token is negative
    cdef Scored[::1] arcs
    cdef State[::1] states          # replaces the nodes of the trie and their tails
    cdef double singles[256]
    cdef double largest             # the largest absolute value of a score
    cdef bint narrow
    cdef GoingOn ways

    def set_scores(self, const int64_t[::1] links not None, const Scored[::1] scores not None,
                   const double[::1] singles not None, bint narrow):
        """Sets the scores, which must fit into 32 bits if sums are `narrow`; returns itself.

        `scores` has a row for each entry of the chain of `endings`, whose links are `links`.
        `singles` has the score of each byte; its last entry is for all larger ones.
        """
        cdef Py_ssize_t i
        if self.nodes == NULL:
            raise ValueError("the scores are set already")
        if scores.shape[0] >= 1 << 31:
            raise MemoryError
        self.links = links
        self.arcs = np.array(scores)
        for i in range(links.shape[0] - 1):
            self.arcs[links[i + 1] - 1].length *= -1
        state = [(name, np.int32) for name in ("base", "parent", "suffix", "arcs")]
        self.states = np.empty(self.n_nodes, state)
        for i in range(self.n_nodes):
            self.states[i] = State(self.nodes[i].base, self.nodes[i].parent, 0, -1)
            if self.nodes[i].parent >= 0:
                self.states[i].suffix = self.tails[i].node
                if self.tails[i].token >= 0:
                    self.states[i].arcs = <int32_t> links[self.tails[i].token]
        free(self.nodes)
        free(self.tails)
        self.nodes = NULL
        self.tails = NULL
        self.narrow = narrow
        self.largest = 0
        for i in range(256):
            self.singles[i] = singles[min(i, singles.shape[0] - 1)]
            self.largest = max(self.largest, fabs(self.singles[i]))
        for i in range(scores.shape[0]):
            self.largest = max(self.largest, fabs(scores[i].score))
        self.ways = GoingOn(<void *> self, _cut, _reach, narrow)
        return self

    def scores_of_numbers(self):
        """Returns the scores of the 256 bytes, and those of the tokens."""
        cdef Py_ssize_t i
        out = np.empty(256 + self.lengths.shape[0])
        cdef double[::1] score = out
        for i in range(256):
            score[i] = self.singles[i]
        for i in range(self.lengths.shape[0]):
            score[256 + i] = self.arcs[self.links[i]].score
        return out

    def ways_to_go_on(self):
        """Returns a capsule of a `GoingOn`, which is valid as long as this object exists."""
        return PyCapsule_New(&self.ways, "partcover.GoingOn", NULL)

    def cut(self, const uint8_t[::1] data, const int64_t[::1] offsets,
            Py_ssize_t first, Py_ssize_t last, int32_t[::1] which):
        """Segments words first..last - 1, each as a text of its own; output as of `Segmenter`.

        O(symbols + occurrences of tokens) time, O(longest word) memory.
        """
        cdef Py_ssize_t w
        cdef double total
        cdef int status = 0
        with nogil:
            for w in range(first, last):
                total = 0
                if offsets[w] < offsets[w + 1]:
                    status = self._go_on(&data[offsets[w]], offsets[w + 1] - offsets[w], &total,
                                         &which[offsets[w]])
                if status < 0:
                    break
        if status < 0:
            raise MemoryError

    def cut_behind(self, const uint8_t[::1] word not None, double total):
        """Segments a word after a text with the sum `total`; returns the pieces and the new sum."""
        which = np.empty(word.shape[0], np.int32)
        cdef int32_t[::1] w = which
        if word.shape[0] and self._go_on(&word[0], word.shape[0], &total, &w[0]) < 0:
            raise MemoryError
        return which, total

    def reach(self, const uint8_t[::1] word not None):
        """Returns the pieces of a word of 1 to 255 bytes, and what they add to the sum.

        Returns
        -------
        limit : float
            This segmentation holds after any text whose sum has at most this absolute value; below
            0 if no sum is known to be low enough.
        which : ndarray of int32
            The pieces, as `Segmenter` writes them.
        adds : list of float
            The terms that they add to the sum, in order.
        """
        if not 0 < word.shape[0] <= REACHED:
            raise ValueError("a word has 1 to 255 bytes")
        cdef double adds[REACHED]
        cdef int32_t n_adds = 0
        which = np.empty(word.shape[0], np.int32)
        cdef int32_t[::1] w = which
        limit = self._reach(&word[0], word.shape[0], &w[0], adds, &n_adds)
        return limit, which, [adds[i] for i in range(n_adds)]

    cdef inline void _trace(self, int32_t *which, Py_ssize_t end) noexcept nogil:
        """Keeps of the best tokens that end at each byte only those on the path from the end."""
        cdef Py_ssize_t i, start
        cdef int32_t token
        while end > 0:
            token = which[end - 1]
            start = end - (1 if token < 0 else self.lengths[token])
            for i in range(start, end - 1):
                which[i] = INSIDE
            end = start

    cdef int _go_on(self, const uint8_t *p, Py_ssize_t n, double *total,
                    int32_t *which) noexcept nogil:
        """Segments a word after a text with the sum `total`, and updates it; -1 on failure."""
        cdef double few[REACHED + 1]
        cdef size_t width = sizeof(float) if self.narrow else sizeof(double)
        cdef void *best = few
        cdef int status
        if n > REACHED:
            best = malloc((n + 1) * width)
            if best == NULL:
                return -1
        if self.narrow:
            (<float *> best)[0] = <float> total[0]
            status = self._add_up(p, n, <float *> best, which)
            total[0] = (<float *> best)[n]
        else:
            (<double *> best)[0] = total[0]
            status = self._add_up(p, n, <double *> best, which)
            total[0] = (<double *> best)[n]
        if n > REACHED:
            free(best)
        self._trace(which, n)
        return status

    cdef int _add_up(self, const uint8_t *p, Py_ssize_t n, Real *best,
                     int32_t *which) noexcept nogil:
        """Finds the best sum and token that end at each byte; returns -1 if memory runs out.

        `best[0]` is the sum before the word.
        """
        cdef Py_ssize_t i, length, far
        cdef Py_ssize_t known = 0       # how many bytes have their tokens in `which`
        cdef Py_ssize_t start = 0       # where the character starts
        cdef Py_ssize_t reset = -1      # where the sums were last reset
        cdef int32_t state = 0
        cdef int32_t taken
        cdef Real score, single, best_score
        cdef const Scored *arc
        cdef Resets resets = Resets(NULL, 0, 0)
        for i in range(n):
            if i == known:
                far = min(<Py_ssize_t> FAR, (n - i) // WALKS)
                if far >= 2 * self.longest:
                    known = i + WALKS * far
                    state = self._walk_far(state, p + i, far, which + i)
                else:
                    known = min(i + NEAR, n)
                    state = self._walk_on(state, p + i, known - i, which + i)
            if p[i] & 0xC0 != 0x80:
                start = i
                if Real is float:
                    if not -HIGHEST <= best[i] <= HIGHEST:
                        if _add_reset(&resets, i, best[i], self.longest) < 0:
                            free(resets.at)
                            return -1
                        best[i] = 0
                        reset = i
            single = best[i] + <Real> self.singles[p[i]]
            if which[i] < 0:
                best[i + 1] = single
                which[i] = SINGLE
                continue
            arc = &self.arcs[which[i]]
            length = abs(arc.length)
            if Real is float:
                if i + 1 - length < reset:
                    which[i] = self._across(&resets, arc, best, i, start, single)
                    continue
            best_score = best[i + 1 - length] + <Real> arc.score
            taken = arc.token
            while arc.length > 0:
                arc += 1
                length = abs(arc.length)
                score = best[i + 1 - length] + <Real> arc.score
                if score > best_score:
                    best_score = score
                    taken = arc.token
            # unless the character itself is a token
            if length != i + 1 - start and single > best_score:
                best_score = single
                taken = SINGLE
            best[i + 1] = best_score
            which[i] = taken
        free(resets.at)
        return 0

    cdef inline int32_t _from(self, int32_t state, int32_t child, int32_t code) noexcept nogil:
        """The state after `state`, if `child` is where its child by the code would be."""
        cdef const State *states = &self.states[0]
        while states[child].parent != state:
            if state == 0:
                return 0
            state = states[state].suffix
            child = states[state].base + code
        return child

    cdef inline int32_t _walk_on(self, int32_t state, const uint8_t *p, Py_ssize_t n,
                                 int32_t *first) noexcept nogil:
        """Follows `n` bytes from a state on; writes the first arc of each place, or -1."""
        cdef Py_ssize_t i
        cdef int32_t code
        for i in range(n):
            code = self.codes[p[i]]
            state = self._from(state, self.states[state].base + code, code)
            first[i] = self.states[state].arcs
            prefetch(&self.arcs[0] + first[i])
        return state

    cdef int32_t _walk_far(self, int32_t state, const uint8_t *p, Py_ssize_t far,
                           int32_t *first) noexcept nogil:
        """Does the same for WALKS * `far` bytes, by several walks side by side.

        A walk waits for memory at each byte.  A state is the longest suffix of the text in the
        trie, which has at most `longest` bytes: so all walks end in the right states, although all
        but the first begin in the state of an empty text.  Then each goes on where the next one
        began, until that was in the same state, and so in the right ones from there on.
        """
        cdef int32_t at[WALKS]
        cdef int32_t begun[WALKS][BEGUN]    # the states of the first places
        cdef Py_ssize_t i
        cdef int32_t last
        cdef int k, n
        at[0] = state
        for k in range(1, WALKS):
            at[k] = 0
        for i in range(far):
            self._step(at, WALKS, p + i, far, first + i)
            if i < BEGUN:
                for k in range(WALKS):
                    begun[k][i] = at[k]
        last = at[WALKS - 1]
        n = WALKS - 1
        i = 0
        while n and i < self.longest:
            self._step(at, n, p + far + i, far, first + far + i)
            while n and i < BEGUN and at[n - 1] == begun[n][i]:
                n -= 1
            i += 1
        return last

    cdef inline void _step(self, int32_t *at, int n, const uint8_t *p, Py_ssize_t far,
                           int32_t *first) noexcept nogil:
        """Follows one byte in each of n walks, which are `far` bytes from each other."""
        cdef int32_t child[WALKS]
        cdef int k
        for k in range(n):
            child[k] = self.states[at[k]].base + self.codes[p[k * far]]
            prefetch(&self.states[child[k]])
            prefetch(&self.states[self.states[at[k]].suffix])
        for k in range(n):
            at[k] = self._from(at[k], child[k], self.codes[p[k * far]])
            first[k * far] = self.states[at[k]].arcs
            prefetch(&self.arcs[0] + first[k * far])

    cdef int32_t _across(self, const Resets *resets, const Scored *arc, float *best,
                         Py_ssize_t i, Py_ssize_t start, float single) noexcept nogil:
        """Returns the best token that ends at byte `i`, or SINGLE, and sets its sum.

        The tokens are visited by their starts.  If sums were reset between two starts, what the
        later sums have lost is also subtracted from the best sum so far.
        """
        cdef Py_ssize_t k = 0
        cdef Py_ssize_t length = abs(arc.length)
        cdef int32_t taken = arc.token
        cdef float score
        cdef float best_score = best[i + 1 - length] + <float> arc.score
        while k < resets.n and resets.at[k].at <= i + 1 - length:
            k += 1
        while arc.length > 0:
            arc += 1
            length = abs(arc.length)
            while k < resets.n and resets.at[k].at <= i + 1 - length:
                best_score = best_score - resets.at[k].sum
                k += 1
            score = best[i + 1 - length] + <float> arc.score
            if score > best_score:
                best_score = score
                taken = arc.token
        while k < resets.n:     # no reset is after the start of this character
            best_score = best_score - resets.at[k].sum
            k += 1
        if length != i + 1 - start and single > best_score:
            best_score = single
            taken = SINGLE
        best[i + 1] = best_score
        return taken

    cdef double _margin(self, const uint8_t *p, Py_ssize_t n, const double *best,
                        const int32_t *which) noexcept nogil:
        """Returns the smallest difference between the best token and another token at a place.

        The places are those on the path, whose pieces are in `which`.
        """
        cdef Py_ssize_t end = n
        cdef double margin = INFINITY
        cdef int32_t taken
        cdef const Scored *arc
        cdef int32_t first[REACHED]       # the first arc of each place
        self._walk_on(0, p, n, first)
        while end > 0:
            taken = which[end - 1]
            if taken >= 0:
                margin = min(margin, best[end] - (best[end - 1] + self.singles[p[end - 1]]))
            if first[end - 1] >= 0:
                arc = &self.arcs[first[end - 1]]
                while True:
                    if arc.token != taken:
                        margin = min(margin,
                                     best[end] - (best[end - abs(arc.length)] + arc.score))
                    if arc.length < 0:
                        break
                    arc += 1
            end -= 1 if taken < 0 else self.lengths[taken]
        return margin

    cdef double _reach(self, const uint8_t *p, Py_ssize_t n, int32_t *which,
                       double *adds, int32_t *n_adds) noexcept nogil:
        """Segments a short word after any text with a low sum; returns how large that sum may be.

        Proof.  Let the word have c characters, so that a path has at most c terms that are not 0,
        and let |score| <= A, so that sums of the word alone are at most T = c A.  Let S be the sum
        before the word, let no sum be reset in the word, and let M = |S| + T.  The sum of a place
        is the largest of some candidates.  Each is the sum of another place plus a score, with a
        rounding error of at most e M (1 + 1/1000), where e is half a unit in the last place, and
        the 1/1000 covers the errors of the sums themselves, since 255 e is far less.  The largest
        of numbers that have errors of at most x has an error of at most x.  So at each place each
        candidate has an error of at most E = c e M (1 + 1/1000).  If the candidate on the best path
        is better than each other candidate at its place by more than 2 E, then it is also better in
        rounded sums, however ties are broken.  So the path from the end is this one, and the sum
        after the word is the sum of its scores, rounded one by one.  The margin is computed from
        sums of 64 bits, which have errors of at most c 2^-53 T (1 + 1/1000) each; it contains two
        of them, and subtracting 2^-50 c T makes up for that.

        No sum of 32 bits is reset in the word if |S| + T + E <= 100,000, and E < 2 then.
        """
        cdef double best[REACHED + 1]
        cdef double margin, most, limit
        cdef double error = NARROW_ERROR if self.narrow else WIDE_ERROR
        cdef Py_ssize_t i
        cdef int64_t c = 0
        cdef double add
        best[0] = 0
        self._add_up(p, n, &best[0], which)    # allocates no memory in 64 bits
        self._trace(which, n)
        n_adds[0] = 0
        for i in range(n):
            # a byte that follows none of its kind is a term as well
            c += p[i] & 0xC0 != 0x80 or self.singles[p[i]] != 0
            if which[i] == INSIDE:
                continue
            add = self.singles[p[i]] if which[i] < 0 else 0
            if which[i] >= 0:
                add = self.arcs[self.links[which[i]]].score
            if add != 0:
                adds[n_adds[0]] = add
                n_adds[0] += 1
        c = max(c, 1)
        most = c * self.largest
        if not most < 1e290:
            return -1
        margin = self._margin(p, n, best, which) - 8 * WIDE_ERROR * c * most
        limit = margin / (2 * c * error * 1.002) - most
        if self.narrow:
            limit = min(limit, HIGHEST - 2 - most)
        return limit


cdef int _cut(void *scores, const uint8_t *p, int64_t n, double *total,
              int32_t *which) noexcept nogil:
    return (<TextScores> scores)._go_on(p, n, total, which)


cdef double _reach(void *scores, const uint8_t *p, int64_t n, int32_t *which,
                   double *adds, int32_t *n_adds) noexcept nogil:
    return (<TextScores> scores)._reach(p, n, which, adds, n_adds)
