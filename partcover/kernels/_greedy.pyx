# cython: boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""Chooses tokens greedily, lazily but exactly: GreedTok and GreedWMC.

A candidate is an interval of the suffix array and a length (see `_suffix_array`).  The state is one
bit for each text position p: whether the pair (p, p + 1) is covered.  Pairs with a separator
never are.

Every candidate in the heap has a key that its score can never exceed, now or later.  A candidate
whose score, computed now, beats every other key is the one that Algorithm 1 picks.  Occurrences
that can never count again are removed from a candidate's list.
"""

import numpy as np

from libc.stdint cimport INT32_MAX, UINT64_MAX, int32_t, int64_t, uint8_t, uint64_t
from libc.stdlib cimport free, malloc, qsort
from libc.string cimport memcpy

include "_popcount.pxi"
include "_prefetch.pxi"

cdef enum:
    AHEAD = 16          # occurrences, of which what is read next is prefetched
    SHORT_BORDER = 16   # a border is looked for among no more symbols for each occurrence
    KEPT_EACH = 10      # occurrences that are kept, for each position
    KEPT = 1 << 24      # and in any case


cdef int _ascending(const void *a, const void *b) noexcept nogil:
    cdef int32_t x = (<const int32_t *> a)[0]
    cdef int32_t y = (<const int32_t *> b)[0]
    return (x > y) - (x < y)


cdef struct Candidate:
    int32_t *places      # occurrences that may still count; NULL until first scored
    int32_t n_places     # -1 until first scored
    int32_t room         # for so many places
    int32_t lo
    int32_t hi
    int32_t length
    bint overlaps        # some occurrences overlap: `places` ascend
    int32_t scored       # how many tokens were chosen when it was last scored; -1 if never
    int64_t score        # the score then


cdef struct Entry:
    int64_t key          # upper bound of the candidate's score, now and later
    int32_t candidate


cdef inline bint _is_covered(const uint64_t *cover, Py_ssize_t p) noexcept nogil:
    return cover[p >> 6] >> (p & 63) & 1


cdef inline bint _is_blocked(const uint64_t *cover, Py_ssize_t p, Py_ssize_t inner) noexcept nogil:
    """Whether a pair beside the occurrence at p is covered, of a token of `inner` pairs."""
    return _is_covered(cover, p - 1) or _is_covered(cover, p + inner)


cdef inline int32_t _covered(const uint64_t *cover, Py_ssize_t begin,
                             Py_ssize_t end) noexcept nogil:
    """Covered pairs from begin on, before end; one pair at least is asked for."""
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


cdef class Greedy:
    """Chooses candidates in one text, the best first.

    Parameters
    ----------
    text, sa, word_of : ndarray of int32
        As in `CandidateIndex`.
    counts : ndarray of int64, shape (words,)
        How often each word occurs.
    relaxed : bool
        Whether to score by weighted maximum coverage (occurrences may overlap) instead of
        GreedTok's partition cover.

    Notes
    -----
    Ties go to the shorter candidate for partition cover and to the longer one for maximum
    coverage (a longer one covers all that its substring covers in the same places), then to
    the lexicographically last.
    """
    cdef const int32_t[::1] text
    cdef const int32_t[::1] sa
    cdef const int32_t[::1] word_of
    cdef const int64_t[::1] counts
    cdef uint64_t[::1] cover           # a bit for each position
    cdef uint64_t[::1] mark            # scratch of a sort: a bit for each position
    cdef const uint64_t[::1] groups    # of each candidate, a bit each; empty if there are none
    cdef int64_t[::1] left             # of each group: tokens that may still be chosen
    cdef uint64_t full
    cdef readonly bint relaxed
    cdef Candidate *items
    cdef Entry *heap
    cdef Py_ssize_t size           # of the heap
    cdef Py_ssize_t n_items
    cdef int32_t n_chosen          # since the candidates were loaded
    cdef int64_t *best_upto        # scratch of the bound for overlapping occurrences
    cdef int32_t *border           # scratch of the failure function
    cdef Py_ssize_t room
    cdef Py_ssize_t border_room
    cdef int32_t *listed           # scratch of a list of occurrences
    cdef Py_ssize_t listed_room
    cdef int64_t n_kept            # places that are kept
    cdef int64_t most_kept

    def __init__(self, text, sa, word_of, counts, bint relaxed):
        self.text = text
        self.sa = sa
        self.word_of = word_of
        self.counts = counts
        self.relaxed = relaxed
        self.cover = np.zeros((self.text.shape[0] >> 6) + 1, np.uint64)
        self.mark = np.zeros((self.text.shape[0] >> 6) + 1, np.uint64)
        self.most_kept = max(KEPT, KEPT_EACH * <int64_t> self.text.shape[0])

    def __dealloc__(self):
        self.unload()
        free(self.best_upto)
        free(self.border)
        free(self.listed)

    def unload(self):
        """Frees the candidates; what is placed stays."""
        cdef Py_ssize_t c
        for c in range(self.n_items):
            free(self.items[c].places)
        free(self.items)
        free(self.heap)
        self.items = NULL
        self.heap = NULL
        self.n_items = 0
        self.size = 0
        self.n_kept = 0
        self.n_chosen = 0

    def load(self, const int32_t[::1] lo, const int32_t[::1] hi, const int32_t[::1] length,
             const int64_t[::1] weight, int64_t limit, groups=None, left=None):
        """Loads candidates instead of those that are there; what is placed stays.

        `weight` is that of the occurrences that may still count (`blocked`); `limit` is an upper
        bound of any score: the symbols of the corpus.  `groups`, uint64, has a bit for each group
        that a candidate belongs to; at most ``left[g]``, int64, candidates of group g are chosen.
        """
        cdef Py_ssize_t c
        cdef Py_ssize_t n = lo.shape[0]
        cdef Candidate *item
        cdef Entry *entry
        self.unload()
        self.groups = np.zeros(0, np.uint64) if groups is None else groups
        self.left = np.zeros(0, np.int64) if left is None else left.copy()
        self.full = 0
        for c in range(self.left.shape[0]):
            if self.left[c] <= 0:
                self.full |= (<uint64_t> 1) << c
        if n > INT32_MAX:
            raise OverflowError("the number of candidates does not fit in int32")
        self.items = <Candidate *> malloc((n + 1) * sizeof(Candidate))
        self.heap = <Entry *> malloc((n + 1) * sizeof(Entry))
        if self.items == NULL or self.heap == NULL:
            raise MemoryError
        with nogil:
            for c in range(n):
                item = &self.items[c]
                item.places = NULL
                item.n_places = -1
                item.room = 0
                item.lo, item.hi, item.length = lo[c], hi[c], length[c]
                item.overlaps = False
                item.scored = -1
                # saturating: weight * (length - 1) may pass int64 for overlapping occurrences
                entry = &self.heap[c]
                entry.candidate = <int32_t> c
                if weight[c] > limit // (length[c] - 1):
                    entry.key = limit
                else:
                    entry.key = weight[c] * (length[c] - 1)
            self.n_items = self.size = n
            for c in range(n // 2 - 1, -1, -1):
                self._sift(c)

    def blocked(self):
        """Returns for each position, as uint8, whether an occurrence that begins there is dead.

        It adds nothing, now and later, whatever its token.
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

    def run(self, Py_ssize_t steps, int64_t least=1):
        """Chooses up to `steps` more candidates that score at least `least`.

        Returns
        -------
        tuple of ndarray
            Candidates (int32) and gains (int64), in the order of choice; fewer than `steps` when
            no candidate gains so much.
        """
        chosen = np.empty(min(steps, self.n_items), np.int32)
        gains = np.empty(min(steps, self.n_items), np.int64)
        cdef int32_t[::1] chosen_view = chosen
        cdef int64_t[::1] gain_view = gains
        cdef Py_ssize_t done = 0
        cdef int32_t pick
        cdef int64_t score = 0
        with nogil:
            while done < chosen_view.shape[0]:
                pick = self._pick(&score, least)
                if pick < 0:
                    break
                if self.items[pick].n_places < 0:
                    self._find_places(&self.items[pick])
                self._place(&self.items[pick])
                if self.groups.shape[0]:
                    self._count_groups(self.groups[pick])
                self._forget(&self.items[pick])
                self.n_chosen += 1
                chosen_view[done] = pick
                gain_view[done] = score
                done += 1
        return chosen[:done], gains[:done]

    def place(self, int32_t lo, int32_t hi, int32_t length):
        """Places one token, whatever it gains; returns the gain."""
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
            score = self._score(&one, &key)
            self._place(&one)
            self._forget(&one)
        return score

    cdef void _count_groups(self, uint64_t groups) noexcept nogil:
        cdef Py_ssize_t g
        for g in range(self.left.shape[0]):
            if groups >> g & 1:
                self.left[g] -= 1
                if self.left[g] == 0:
                    self.full |= (<uint64_t> 1) << g

    cdef int32_t _pick(self, int64_t *score, int64_t least) except -2 nogil:
        """Takes the candidate that Algorithm 1 picks next from the heap.

        -1 if none scores `least`, at least 1.
        """
        cdef Py_ssize_t i, end
        cdef Py_ssize_t n_aside = 0         # behind the heap: scored, and to go back into it
        cdef Entry top
        cdef Candidate *item
        cdef int32_t best = -1
        score[0] = 0
        while self.size and self.heap[0].key >= least:
            top = self.heap[0]
            item = &self.items[top.candidate]
            if best >= 0 and self._before(best, score[0], top.candidate, top.key):
                break
            if self.full and self.groups[top.candidate] & self.full:
                self.heap[0].key = 0    # a full group stays full
                self._sift(0)
            elif item.scored != self.n_chosen:
                item.score = self._score(item, &self.heap[0].key)
                item.scored = self.n_chosen
                # kept are lists that will be looked at again, as many as memory was planned for
                if self.heap[0].key < least or self.n_kept > self.most_kept:
                    self._forget(item)
                self._sift(0)
            else:
                if item.score >= least and (best < 0 or self._before(top.candidate, item.score,
                                                                     best, score[0])):
                    best = top.candidate
                    score[0] = item.score
                self._pop()
                self.heap[self.size] = top
                n_aside += 1
        end = self.size + n_aside
        for i in range(self.size, end):
            if self.heap[i].candidate != best:
                self._push(self.heap[i])
        return best

    cdef void _forget(self, Candidate *c) noexcept nogil:
        """Frees the list of occurrences, which is made again where it is needed."""
        free(c.places)
        self.n_kept -= c.room
        c.places = NULL
        c.n_places = -1
        c.room = 0

    cdef int _find_places(self, Candidate *c) except -1 nogil:
        """Lists the occurrences that may still count, ascending if some of them overlap.

        Where tokens were chosen over most of them, the list is short from the start.
        """
        cdef Py_ssize_t inner = c.length - 1
        cdef Py_ssize_t count = 0
        cdef Py_ssize_t i
        cdef int32_t p
        cdef const uint64_t *cover = &self.cover[0]
        if self.listed_room < c.hi - c.lo:
            free(self.listed)
            self.listed_room = 0
            self.listed = <int32_t *> malloc(2 * <size_t> (c.hi - c.lo) * sizeof(int32_t))
            if self.listed == NULL:
                with gil:
                    raise MemoryError
            self.listed_room = 2 * <Py_ssize_t> (c.hi - c.lo)
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
            self.listed[count] = p
            count += 1
        c.overlaps = False
        if count > 1 and (c.length > SHORT_BORDER * count or self._has_border(c)):
            self._sort(self.listed, count)
            for i in range(1, count):
                if self.listed[i] - self.listed[i - 1] < c.length:
                    c.overlaps = True
                    break
        c.places = <int32_t *> malloc((count + 1) * sizeof(int32_t))
        if c.places == NULL:
            with gil:
                raise MemoryError
        if count:
            memcpy(c.places, self.listed, count * sizeof(int32_t))
        c.n_places = <int32_t> count
        c.room = <int32_t> count
        self.n_kept += count
        return 0

    cdef void _sort(self, int32_t *places, Py_ssize_t count) noexcept nogil:
        """Sorts positions: by marking them in the text where they are dense."""
        cdef int32_t least = places[0]
        cdef int32_t most = places[0]
        cdef int32_t p
        cdef Py_ssize_t i
        cdef Py_ssize_t at = 0
        cdef uint64_t bits
        for i in range(count):
            least = min(least, places[i])
            most = max(most, places[i])
        if (most >> 6) - (least >> 6) > count:
            qsort(places, count, sizeof(int32_t), _ascending)
            return
        for i in range(count):
            self.mark[places[i] >> 6] |= (<uint64_t> 1) << (places[i] & 63)
        for i in range(least >> 6, (most >> 6) + 1):
            bits = self.mark[i]
            self.mark[i] = 0
            p = <int32_t> (i << 6)
            while bits:
                if bits & 1:
                    places[at] = p
                    at += 1
                bits >>= 1
                p += 1

    cdef bint _has_border(self, const Candidate *c) except -1 nogil:
        """Whether a prefix of the token is its suffix; only such tokens can overlap themselves."""
        cdef Py_ssize_t length = c.length
        cdef Py_ssize_t i
        cdef int32_t j = 0
        cdef const int32_t *token = &self.text[self.sa[c.lo]]
        if self.border_room < length:
            free(self.border)
            self.border = <int32_t *> malloc(2 * length * sizeof(int32_t))
            if self.border == NULL:
                with gil:
                    raise MemoryError
            self.border_room = 2 * length
        self.border[0] = 0
        for i in range(1, length):
            while j and token[i] != token[j]:
                j = self.border[j - 1]
            if token[i] == token[j]:
                j += 1
            self.border[i] = j
        return j > 0

    cdef int64_t _score(self, Candidate *c, int64_t *key) except -1 nogil:
        """The score now; `key` receives an upper bound of it, now and later."""
        if c.n_places < 0:
            self._find_places(c)
        if self.relaxed:
            key[0] = self._score_union(c)
            return key[0]
        if c.overlaps:
            return self._score_overlapping(c, key)
        key[0] = self._score_disjoint(c)
        return key[0]

    cdef int64_t _score_disjoint(self, Candidate *c) noexcept nogil:
        """The uncovered pairs in placeable occurrences, which do not overlap."""
        cdef int32_t *places = c.places
        cdef Py_ssize_t inner = c.length - 1
        cdef Py_ssize_t kept = 0
        cdef Py_ssize_t i
        cdef int32_t p, open_pairs
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
        c.n_places = <int32_t> kept
        return score

    cdef int64_t _score_overlapping(self, Candidate *c, int64_t *key) except -1 nogil:
        """The uncovered pairs in occurrences placed left to right without overlaps.

        The score itself may rise later (a covered pair can block a first occurrence and so free
        a second), so the key is the weight of the best set of disjoint placeable occurrences.
        """
        cdef int32_t *places = c.places
        cdef Py_ssize_t inner = c.length - 1
        cdef Py_ssize_t kept = 0
        cdef Py_ssize_t i, free_before
        cdef int32_t p, open_pairs
        cdef int32_t covered = 0
        cdef int32_t counted = -c.length    # where `covered` was counted
        cdef int32_t placed = -c.length
        cdef int64_t gain
        cdef int64_t score = 0
        cdef const uint64_t *cover = &self.cover[0]
        if self.room < c.n_places + 1:
            free(self.best_upto)
            self.best_upto = <int64_t *> malloc(2 * (c.n_places + 1) * sizeof(int64_t))
            if self.best_upto == NULL:
                self.room = 0
                with gil:
                    raise MemoryError
            self.room = 2 * (c.n_places + 1)
        self.best_upto[0] = 0
        free_before = 0
        for i in range(c.n_places):
            self._prefetch(c, i)
            p = places[i]
            if _is_blocked(cover, p, inner):
                continue
            if 2 * (p - counted) < inner:  # much of it is the occurrence before
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
            # best_upto[j] is for the first j kept occurrences
            self.best_upto[kept + 1] = max(self.best_upto[kept],
                                           self.best_upto[free_before] + gain)
            kept += 1
        c.n_places = <int32_t> kept
        key[0] = self.best_upto[kept]
        return score

    cdef int64_t _score_union(self, Candidate *c) noexcept nogil:
        """The uncovered pairs under any occurrence, each once."""
        cdef int32_t *places = c.places
        cdef Py_ssize_t inner = c.length - 1
        cdef Py_ssize_t kept = 0
        cdef Py_ssize_t i, begin
        cdef Py_ssize_t end = 0
        cdef int32_t p, open_pairs
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
        c.n_places = <int32_t> kept
        return score

    cdef inline void _prefetch(self, const Candidate *c, Py_ssize_t i) noexcept nogil:
        """Prefetches what scoring reads of the occurrences after the i-th."""
        if i + 2 * AHEAD < c.n_places:
            prefetch(&self.cover[c.places[i + 2 * AHEAD] >> 6])
            prefetch(&self.word_of[c.places[i + 2 * AHEAD]])
        if i + AHEAD < c.n_places:
            prefetch(&self.counts[self.word_of[c.places[i + AHEAD]]])

    cdef void _place(self, Candidate *c) noexcept nogil:
        """Covers the pairs that `_score` counted."""
        cdef Py_ssize_t inner = c.length - 1
        cdef Py_ssize_t i, begin
        cdef Py_ssize_t end = 0
        cdef int32_t p
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
        """Covers the pairs from begin on, before end."""
        cdef Py_ssize_t until
        while begin < end:
            until = min(end, (begin | 63) + 1)
            self.cover[begin >> 6] |= UINT64_MAX << (begin & 63) & UINT64_MAX >> (-until & 63)
            begin = until

    cdef inline bint _before(self, int32_t a, int64_t a_score, int32_t b,
                             int64_t b_score) noexcept nogil:
        """The order: higher score; then shorter, or longer if relaxed; then lexicographically last.

        Distinct substrings of one length are disjoint intervals, in lexicographic order.
        """
        if a_score != b_score:
            return a_score > b_score
        return self._wins_tie(&self.items[a], &self.items[b])

    cdef bint _wins_tie(self, const Candidate *a, const Candidate *b) noexcept nogil:
        if a.length != b.length:
            return (a.length > b.length) == self.relaxed
        return a.lo > b.lo

    cdef inline bint _higher(self, Entry a, Entry b) noexcept nogil:
        return self._before(a.candidate, a.key, b.candidate, b.key)

    cdef void _sift(self, Py_ssize_t i) noexcept nogil:
        cdef Py_ssize_t child
        cdef Entry moving = self.heap[i]
        while True:
            child = 2 * i + 1
            if child >= self.size:
                break
            if child + 1 < self.size and self._higher(self.heap[child + 1], self.heap[child]):
                child += 1
            if not self._higher(self.heap[child], moving):
                break
            self.heap[i] = self.heap[child]
            i = child
        self.heap[i] = moving

    cdef void _pop(self) noexcept nogil:
        self.size -= 1
        if self.size:
            self.heap[0] = self.heap[self.size]
            self._sift(0)

    cdef void _push(self, Entry entry) noexcept nogil:
        cdef Py_ssize_t i = self.size
        cdef Py_ssize_t up
        self.size += 1
        while i:
            up = (i - 1) // 2
            if not self._higher(entry, self.heap[up]):
                break
            self.heap[i] = self.heap[up]
            i = up
        self.heap[i] = entry
