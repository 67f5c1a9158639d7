# Which parts of a text the chosen tokens cover, and what a candidate would add.  Included by
# _greedy.pyx.
#
# The state has one bit for each text position p: whether the pair (p, p + 1) is covered.  Pairs
# with a separator are never covered.  Occurrences that can never count again are removed from a
# candidate's list.

from libc.stdint cimport UINT64_MAX, int32_t, int64_t, uint8_t, uint64_t
from libc.stdlib cimport calloc, free, malloc, qsort
from libc.string cimport memcpy

include "../shared/_bits.pxi"
include "../shared/_prefetch.pxi"

cdef extern from *:
    """
    #ifdef PARTCOVER_WIDE
    typedef int64_t position_t;
    #else
    typedef int32_t position_t;
    #endif
    """
    ctypedef int64_t position_t    # the type of an entry of the suffix array; C chooses its size


cdef enum:
    AHEAD = 16          # how many occurrences ahead memory is prefetched
    SHORT_BORDER = 16   # borders are searched in tokens of at most this many symbols per occurrence


cdef struct Candidate:
    position_t *places  # occurrences that may still count; NULL until the candidate is first scored
    position_t n_places  # how many they are; -1 until the candidate is first scored
    position_t room      # how many places are allocated
    position_t lo
    position_t hi
    int32_t length
    bint overlaps        # some occurrences overlap; then `places` are in ascending order
    int32_t scored       # how many tokens had been chosen when it was last scored; -1 if never
    int64_t score        # its score at that time


cdef struct Scratch:
    uint64_t *mark       # for sorting: a bit for each position
    int64_t *best_upto   # for the bound on overlapping occurrences
    int32_t *border      # for the failure function
    position_t *listed   # for listing occurrences
    Py_ssize_t room
    Py_ssize_t border_room
    Py_ssize_t listed_room
    int64_t n_listed     # allocated places in the lists made with this scratch memory


cdef int _ascending(const void *a, const void *b) noexcept nogil:
    cdef position_t x = (<const position_t *> a)[0]
    cdef position_t y = (<const position_t *> b)[0]
    return (x > y) - (x < y)


cdef inline bint _is_covered(const uint64_t *cover, Py_ssize_t p) noexcept nogil:
    return cover[p >> 6] >> (p & 63) & 1


cdef inline bint _is_blocked(const uint64_t *cover, Py_ssize_t p, Py_ssize_t inner) noexcept nogil:
    """Whether an occurrence at p of a token with `inner` pairs has a covered pair at a border."""
    return _is_covered(cover, p - 1) or _is_covered(cover, p + inner)


cdef inline int32_t _covered(const uint64_t *cover, Py_ssize_t begin,
                             Py_ssize_t end) noexcept nogil:
    """The number of covered pairs from begin to before end, at least one pair."""
    cdef Py_ssize_t block = begin >> 6
    cdef Py_ssize_t last = (end - 1) >> 6
    cdef uint64_t from_begin = UINT64_MAX << (begin & 63)
    cdef uint64_t to_end = UINT64_MAX >> (-end & 63)
    cdef int32_t n_covered
    if block == last:
        return popcount(cover[block] & from_begin & to_end)
    n_covered = popcount(cover[block] & from_begin) + popcount(cover[last] & to_end)
    for block in range(block + 1, last):
        n_covered += popcount(cover[block])
    return n_covered


cdef void _sort(position_t *places, Py_ssize_t count, uint64_t *mark) noexcept nogil:
    """Sorts positions; if they are dense, by setting a bit for each in a bitmap of the text."""
    cdef position_t least = places[0]
    cdef position_t most = places[0]
    cdef position_t p
    cdef Py_ssize_t i
    cdef Py_ssize_t at = 0
    cdef uint64_t bits
    for i in range(count):
        least = min(least, places[i])
        most = max(most, places[i])
    if (most >> 6) - (least >> 6) > count:
        qsort(places, count, sizeof(position_t), _ascending)
        return
    for i in range(count):
        mark[places[i] >> 6] |= (<uint64_t> 1) << (places[i] & 63)
    for i in range(least >> 6, (most >> 6) + 1):
        bits = mark[i]
        mark[i] = 0
        p = <position_t> (i << 6)
        while bits:
            if bits & 1:
                places[at] = p
                at += 1
            bits >>= 1
            p += 1


cdef class _Cover:
    """The pairs of a text that the chosen tokens cover.

    Parameters
    ----------
    text, sa, word_of : ndarray
        As in `CandidateIndex`; the entries of `sa` are `position_t`.
    counts : ndarray of int64, shape (words,)
        How often each word occurs.
    relaxed : bool
        Whether to score by weighted maximum coverage (occurrences may overlap) instead of
        GreedTok's partition cover.
    threads : int
        How many threads score candidates; each has its own scratch memory.
    """

    cdef const int32_t[::1] text
    cdef const position_t[::1] sa
    cdef const int32_t[::1] word_of
    cdef const int64_t[::1] counts
    cdef uint64_t[::1] cover           # one bit for each position
    cdef readonly bint relaxed
    cdef Scratch *scratch              # one for each thread
    cdef Py_ssize_t threads
    cdef int64_t n_forgotten           # places in the lists that were freed

    def __init__(self, text, sa, word_of, counts, bint relaxed, Py_ssize_t threads):
        cdef Py_ssize_t t
        self.text = text
        self.sa = sa
        self.word_of = word_of
        self.counts = counts
        self.relaxed = relaxed
        self.cover = np.zeros((self.text.shape[0] >> 6) + 1, np.uint64)
        self.scratch = <Scratch *> calloc(threads, sizeof(Scratch))
        if self.scratch == NULL:
            raise MemoryError
        self.threads = threads
        for t in range(threads):
            self.scratch[t].mark = <uint64_t *> calloc((self.text.shape[0] >> 6) + 1,
                                                       sizeof(uint64_t))
            if self.scratch[t].mark == NULL:
                raise MemoryError

    def __dealloc__(self):
        cdef Py_ssize_t t
        for t in range(self.threads):
            free(self.scratch[t].mark)
            free(self.scratch[t].best_upto)
            free(self.scratch[t].border)
            free(self.scratch[t].listed)
        free(self.scratch)

    def blocked(self):
        """Returns for each position, as uint8, whether an occurrence that begins there is useless.

        Such an occurrence adds nothing now or later, for any token.
        """
        cdef Py_ssize_t n = self.text.shape[0]
        cdef Py_ssize_t p
        cdef bint dead = True
        cdef const uint64_t *cover = &self.cover[0]
        out = np.zeros(n, np.uint8)
        cdef uint8_t[::1] view = out
        with nogil:
            if not self.relaxed:
                for p in range(1, n):
                    view[p] = _is_covered(cover, p - 1)
            else:
                for p in range(n - 2, 0, -1):
                    if self.text[p] == 0 or self.text[p + 1] == 0:
                        dead = True         # no pair begins here
                    elif not _is_covered(cover, p):
                        dead = False
                    view[p] = dead
        return out

    def place(self, position_t lo, position_t hi, int32_t length):
        """Places one token, even if it gains nothing; returns the gain."""
        cdef Candidate one
        cdef int64_t key = 0
        cdef int64_t score = 0
        one.lo = lo
        one.hi = hi
        one.length = length
        one.places = NULL
        one.n_places = -1
        one.room = 0
        one.overlaps = False
        with nogil:
            score = self._score(&one, &key, self.scratch)
            self._place(&one)
            self._forget(&one)
        return score

    cdef int64_t _n_kept(self) noexcept nogil:
        """The number of places in all existing lists."""
        cdef Py_ssize_t t
        cdef int64_t n_kept = -self.n_forgotten
        for t in range(self.threads):
            n_kept += self.scratch[t].n_listed
        return n_kept

    cdef void _forget(self, Candidate *c) noexcept nogil:
        """Frees a candidate's list of occurrences; it is built again when it is needed."""
        free(c.places)
        self.n_forgotten += c.room
        c.places = NULL
        c.n_places = -1
        c.room = 0

    cdef int _find_places(self, Candidate *c, Scratch *scratch) except -1 nogil:
        """Lists the occurrences that may still count, in ascending order if some of them overlap.

        If earlier tokens block most of them, the list is short from the beginning.
        """
        cdef Py_ssize_t inner = c.length - 1
        cdef Py_ssize_t count = 0
        cdef Py_ssize_t i
        cdef position_t p
        cdef const uint64_t *cover = &self.cover[0]
        if scratch.listed_room < c.hi - c.lo:
            free(scratch.listed)
            scratch.listed_room = 0
            scratch.listed = <position_t *> malloc(2 * <size_t> (c.hi - c.lo)
                                                   * sizeof(position_t))
            if scratch.listed == NULL:
                with gil:
                    raise MemoryError
            scratch.listed_room = 2 * <Py_ssize_t> (c.hi - c.lo)
        for i in range(c.lo, c.hi):
            if i + AHEAD < c.hi:
                prefetch(&cover[self.sa[i + AHEAD] >> 6])
            p = self.sa[i]
            if self.relaxed:
                if _covered(cover, p, p + inner) == inner:
                    continue
            elif _is_blocked(cover, p, inner):
                continue
            prefetch(&self.word_of[p])
            scratch.listed[count] = p
            count += 1
        c.overlaps = False
        if count > 1 and (c.length > SHORT_BORDER * count or self._has_border(c, scratch)):
            _sort(scratch.listed, count, scratch.mark)
            for i in range(1, count):
                if scratch.listed[i] - scratch.listed[i - 1] < c.length:
                    c.overlaps = True
                    break
        c.places = <position_t *> malloc((count + 1) * sizeof(position_t))
        if c.places == NULL:
            with gil:
                raise MemoryError
        if count:
            memcpy(c.places, scratch.listed, count * sizeof(position_t))
        c.n_places = <position_t> count
        c.room = <position_t> count
        scratch.n_listed += count
        return 0

    cdef bint _has_border(self, const Candidate *c, Scratch *scratch) except -1 nogil:
        """Whether a proper prefix of the token is its suffix; only then can it overlap itself."""
        cdef Py_ssize_t length = c.length
        cdef Py_ssize_t i
        cdef int32_t j = 0
        cdef const int32_t *token = &self.text[self.sa[c.lo]]
        if scratch.border_room < length:
            free(scratch.border)
            scratch.border = <int32_t *> malloc(2 * length * sizeof(int32_t))
            if scratch.border == NULL:
                with gil:
                    raise MemoryError
            scratch.border_room = 2 * length
        scratch.border[0] = 0
        for i in range(1, length):
            while j and token[i] != token[j]:
                j = scratch.border[j - 1]
            if token[i] == token[j]:
                j += 1
            scratch.border[i] = j
        return j > 0

    cdef int64_t _score(self, Candidate *c, int64_t *key, Scratch *scratch) except -1 nogil:
        """The current score; `key` receives an upper bound on it, valid now and later."""
        if c.n_places < 0:
            self._find_places(c, scratch)
        if self.relaxed:
            key[0] = self._score_union(c)
            return key[0]
        if c.overlaps:
            return self._score_overlapping(c, key, scratch)
        key[0] = self._score_disjoint(c)
        return key[0]

    cdef int64_t _score_disjoint(self, Candidate *c) noexcept nogil:
        """The number of uncovered pairs in placeable occurrences, which do not overlap."""
        cdef position_t *places = c.places
        cdef Py_ssize_t inner = c.length - 1
        cdef Py_ssize_t kept = 0
        cdef Py_ssize_t i
        cdef position_t p
        cdef int32_t open_pairs
        cdef int64_t score = 0
        cdef const uint64_t *cover = &self.cover[0]
        for i in range(c.n_places):
            self._prefetch(c, i)
            p = places[i]
            if _is_blocked(cover, p, inner):
                continue
            open_pairs = <int32_t> inner - _covered(cover, p, p + inner)
            if open_pairs:
                places[kept] = p
                kept += 1
                score += open_pairs * self.counts[self.word_of[p]]
        c.n_places = <position_t> kept
        return score

    cdef int64_t _score_overlapping(self, Candidate *c, int64_t *key,
                                    Scratch *scratch) except -1 nogil:
        """The number of uncovered pairs in occurrences placed from left to right without overlaps.

        The score itself may rise later (a covered pair can block a first occurrence and so free
        a second), so the key is the weight of the best set of disjoint placeable occurrences.
        """
        cdef position_t *places = c.places
        cdef Py_ssize_t inner = c.length - 1
        cdef Py_ssize_t kept = 0
        cdef Py_ssize_t i, free_before
        cdef position_t p
        cdef int32_t open_pairs
        cdef int32_t covered = 0
        cdef position_t counted = -c.length    # the position for which `covered` was counted
        cdef position_t placed = -c.length
        cdef int64_t gain
        cdef int64_t score = 0
        cdef const uint64_t *cover = &self.cover[0]
        if scratch.room < c.n_places + 1:
            free(scratch.best_upto)
            scratch.best_upto = <int64_t *> malloc(2 * (c.n_places + 1) * sizeof(int64_t))
            if scratch.best_upto == NULL:
                scratch.room = 0
                with gil:
                    raise MemoryError
            scratch.room = 2 * (c.n_places + 1)
        scratch.best_upto[0] = 0
        free_before = 0
        for i in range(c.n_places):
            self._prefetch(c, i)
            p = places[i]
            if _is_blocked(cover, p, inner):
                continue
            # it overlaps much of the previous occurrence, so update that count
            if 2 * (p - counted) < inner:
                covered -= _covered(cover, counted, p)
                covered += _covered(cover, counted + inner, p + inner)
            else:
                covered = _covered(cover, p, p + inner)
            counted = p
            open_pairs = <int32_t> inner - covered
            if open_pairs == 0:
                continue
            places[kept] = p
            gain = open_pairs * self.counts[self.word_of[p]]
            if p - placed >= c.length:
                placed = p
                score += gain
            while places[free_before] + c.length <= p:
                free_before += 1
            # best_upto[j] is the best weight of the first j kept occurrences
            scratch.best_upto[kept + 1] = max(scratch.best_upto[kept],
                                              scratch.best_upto[free_before] + gain)
            kept += 1
        c.n_places = <position_t> kept
        key[0] = scratch.best_upto[kept]
        return score

    cdef int64_t _score_union(self, Candidate *c) noexcept nogil:
        """The number of uncovered pairs under any occurrence, each pair counted once."""
        cdef position_t *places = c.places
        cdef Py_ssize_t inner = c.length - 1
        cdef Py_ssize_t kept = 0
        cdef Py_ssize_t i, begin
        cdef Py_ssize_t end = 0
        cdef position_t p
        cdef int32_t open_pairs
        cdef int64_t score = 0
        cdef const uint64_t *cover = &self.cover[0]
        for i in range(c.n_places):
            self._prefetch(c, i)
            p = places[i]
            begin = p
            if c.overlaps and end > p:
                begin = end
            end = p + inner
            open_pairs = <int32_t> (end - begin) - _covered(cover, begin, end)
            if open_pairs:
                places[kept] = p
                kept += 1
                score += open_pairs * self.counts[self.word_of[p]]
        c.n_places = <position_t> kept
        return score

    cdef inline void _prefetch(self, const Candidate *c, Py_ssize_t i) noexcept nogil:
        """Prefetches what scoring reads for the occurrence AHEAD places after the i-th."""
        if i + 2 * AHEAD < c.n_places:
            prefetch(&self.cover[c.places[i + 2 * AHEAD] >> 6])
            prefetch(&self.word_of[c.places[i + 2 * AHEAD]])
        if i + AHEAD < c.n_places:
            prefetch(&self.counts[self.word_of[c.places[i + AHEAD]]])

    cdef void _place(self, Candidate *c) noexcept nogil:
        """Marks as covered the pairs that `_score` counted."""
        cdef Py_ssize_t inner = c.length - 1
        cdef Py_ssize_t i, begin
        cdef Py_ssize_t end = 0
        cdef position_t p
        cdef const uint64_t *cover = &self.cover[0]
        for i in range(c.n_places):
            p = c.places[i]
            if not self.relaxed and _is_blocked(cover, p, inner):
                continue
            begin = p
            if c.overlaps and end > p:
                begin = end
            end = p + inner
            self._cover(begin, end)

    cdef void _cover(self, Py_ssize_t begin, Py_ssize_t end) noexcept nogil:
        """Marks the pairs from begin to before end as covered."""
        cdef Py_ssize_t until
        while begin < end:
            until = min(end, (begin | 63) + 1)
            self.cover[begin >> 6] |= UINT64_MAX << (begin & 63) & UINT64_MAX >> (-until & 63)
            begin = until
