# cython: boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""Chooses tokens greedily, lazily but exactly: GreedTok and GreedWMC.

A candidate is an interval of the suffix array and a length (see `_suffix_array`).  The state is one
bit for each text position p: whether the pair (p, p + 1) is covered.  Pairs with a separator
never are.

Every candidate in the heap has a key that its score can never exceed, now or later.  A candidate
whose score, computed now, beats every other key is the one that Algorithm 1 picks.  Occurrences
that can never count again are removed from a candidate's list.

Most of the time goes to the first list of a candidate's occurrences.  Threads make such lists for
many candidates near the top of the heap at once.  Their keys are exact then, and bounds later, so
that it does not matter who was scored ahead: the choice is the same.
"""

import math
import time

import numpy as np

from cpython.exc cimport PyErr_CheckSignals
from libc.stdint cimport INT32_MAX, UINT64_MAX, int32_t, int64_t, uint8_t, uint64_t
from libc.stdlib cimport calloc, free, malloc, qsort
from libc.string cimport memcpy

include "_popcount.pxi"
include "_prefetch.pxi"

cdef extern from *:
    """
    #ifdef PARTCOVER_WIDE
    typedef int64_t position_t;
    #else
    typedef int32_t position_t;
    #endif
    """
    ctypedef int64_t position_t    # in the suffix array: of as many bits as C says

cdef enum:
    AHEAD = 16          # occurrences, of which what is read next is prefetched
    SHORT_BORDER = 16   # a border is looked for among no more symbols for each occurrence
    KEPT_EACH = 5       # occurrences that are kept, for each position
    KEPT = 1 << 24      # and in any case
    MOST_AHEAD = 1 << 12        # candidates that are listed ahead at once
    SPARSE = 8          # entries of the heap that are looked at for one of these, at most
    PATIENCE = 64       # candidates that are listed in turn, where too few are listed ahead
    LIST_AHEAD = -3     # instead of a pick: threads have lists to make
    LOOK_UP = -4        # instead of a pick: it is time to look at the clock
    LOOK = 1 << 22      # symbols and occurrences that are scored between looks


cdef int _ascending(const void *a, const void *b) noexcept nogil:
    cdef position_t x = (<const position_t *> a)[0]
    cdef position_t y = (<const position_t *> b)[0]
    return (x > y) - (x < y)


cdef struct Candidate:
    position_t *places   # occurrences that may still count; NULL until first scored
    position_t n_places  # -1 until first scored
    position_t room      # for so many places
    position_t lo
    position_t hi
    int32_t length
    bint overlaps        # some occurrences overlap: `places` ascend
    int32_t scored       # how many tokens were chosen when it was last scored; -1 if never
    int64_t score        # the score then


cdef struct Entry:
    int64_t key          # upper bound of the candidate's score, now and later
    int32_t candidate


cdef struct Scratch:
    uint64_t *mark       # of a sort: a bit for each position
    int64_t *best_upto   # of the bound for overlapping occurrences
    int32_t *border      # of the failure function
    position_t *listed   # of a list of occurrences
    Py_ssize_t room
    Py_ssize_t border_room
    Py_ssize_t listed_room
    int64_t n_listed     # places in the lists that were made with this


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


cdef void _sort(position_t *places, Py_ssize_t count, uint64_t *mark) noexcept nogil:
    """Sorts positions: by marking them in the text, a bit for each, where they are dense."""
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


cdef class Greedy:
    """Chooses candidates in one text, the best first.

    Parameters
    ----------
    text, sa, word_of : ndarray
        As in `CandidateIndex`; `sa` of `position_t`.
    counts : ndarray of int64, shape (words,)
        How often each word occurs.
    relaxed : bool
        Whether to score by weighted maximum coverage (occurrences may overlap) instead of
        GreedTok's partition cover.
    threads : int
        How many threads make lists ahead.
    ahead : int
        How many occurrences they look at in one go.

    Notes
    -----
    Ties go to the shorter candidate for partition cover and to the longer one for maximum
    coverage (a longer one covers all that its substring covers in the same places), then to
    the lexicographically last.
    """
    cdef const int32_t[::1] text
    cdef const position_t[::1] sa
    cdef const int32_t[::1] word_of
    cdef const int64_t[::1] counts
    cdef uint64_t[::1] cover           # a bit for each position
    cdef const uint64_t[::1] groups    # of each candidate, a bit each; empty if there are none
    cdef int64_t[::1] left             # of each group: tokens that may still be chosen
    cdef uint64_t full
    cdef readonly bint relaxed
    cdef Candidate *items
    cdef Entry *heap
    cdef Py_ssize_t size           # of the heap
    cdef Py_ssize_t n_items
    cdef int32_t n_chosen          # since the candidates were loaded
    cdef int32_t best              # the best candidate that was scored for the next token, or -1
    cdef Py_ssize_t n_aside        # entries behind the heap: scored, and to go back into it
    cdef int64_t n_forgotten       # places in lists that were freed
    cdef int64_t most_kept
    cdef int64_t looked            # symbols and occurrences since the last look at the clock
    cdef readonly bint is_late     # whether the last run ended at its end
    cdef Scratch *scratch          # of each thread
    cdef Py_ssize_t threads
    cdef int64_t ahead
    cdef int64_t n_occurrences     # of the candidates that are listed ahead
    cdef Py_ssize_t n_slots
    cdef Py_ssize_t patience
    cdef Py_ssize_t[MOST_AHEAD] slots      # where they are in the heap

    def __init__(self, text, sa, word_of, counts, bint relaxed, Py_ssize_t threads=1,
                 int64_t ahead=1):
        cdef Py_ssize_t t
        self.text = text
        self.sa = sa
        self.word_of = word_of
        self.counts = counts
        self.relaxed = relaxed
        self.cover = np.zeros((self.text.shape[0] >> 6) + 1, np.uint64)
        self.most_kept = max(KEPT, KEPT_EACH * <int64_t> self.text.shape[0])
        self.ahead = ahead
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
        self.unload()
        for t in range(self.threads):
            free(self.scratch[t].mark)
            free(self.scratch[t].best_upto)
            free(self.scratch[t].border)
            free(self.scratch[t].listed)
        free(self.scratch)

    def unload(self):
        """Frees the candidates; what is placed stays."""
        cdef Py_ssize_t c, t
        for c in range(self.n_items):
            free(self.items[c].places)
        free(self.items)
        free(self.heap)
        self.items = NULL
        self.heap = NULL
        self.n_items = 0
        self.size = 0
        self.n_chosen = 0
        self.patience = 0
        self.best = -1
        self.n_aside = 0
        self.n_forgotten = 0
        for t in range(self.threads):
            self.scratch[t].n_listed = 0

    def load(self, const position_t[::1] lo, const position_t[::1] hi,
             const int32_t[::1] length, const int64_t[::1] weight, int64_t limit, groups=None,
             left=None):
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

    def run(self, Py_ssize_t steps, int64_t least=1, for_each=None, double end=math.inf):
        """Chooses up to `steps` more candidates that score at least `least`.

        Threads get their work by `for_each`, as of `partcover.runtime.parallel.workers`; it is
        needed where there are several.  At `end`, on the clock of `time.monotonic`, it `is_late`:
        what is under way is gone on with by the next run.

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
        self.is_late = False
        while done < chosen_view.shape[0]:
            with nogil:
                pick = self._pick(&score, least)
            if pick == LOOK_UP:
                PyErr_CheckSignals()
                self.looked = 0
                self.is_late = time.monotonic() >= end
                if self.is_late:
                    break
                continue
            if pick == LIST_AHEAD:
                for_each(self._list_share, self.threads)
                with nogil:
                    self._sift_listed(least)
                continue
            if pick < 0:
                break
            with nogil:
                if self.items[pick].n_places < 0:
                    self._find_places(&self.items[pick], self.scratch)
                self._place(&self.items[pick])
                if self.groups.shape[0]:
                    self._count_groups(self.groups[pick])
                self._forget(&self.items[pick])
                self.n_chosen += 1
            chosen_view[done] = pick
            gain_view[done] = score
            done += 1
        return chosen[:done], gains[:done]

    def place(self, position_t lo, position_t hi, int32_t length):
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
            score = self._score(&one, &key, self.scratch)
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

        -1 if none scores `least`, at least 1.  LIST_AHEAD where threads have lists to make, and
        LOOK_UP after some time: then it is called again for the same token.
        """
        cdef Py_ssize_t i, end
        cdef Entry top
        cdef Candidate *item
        cdef int32_t best
        while self.size and self.heap[0].key >= least:
            top = self.heap[0]
            item = &self.items[top.candidate]
            if self.best >= 0 and self._before(self.best, self.items[self.best].score,
                                               top.candidate, top.key):
                break
            if self.full and self.groups[top.candidate] & self.full:
                self.heap[0].key = 0    # a full group stays full
                self._sift(0)
            elif item.scored != self.n_chosen:
                if item.n_places < 0 and self._has_lists_ahead(least):
                    return LIST_AHEAD
                self._score_entry(0, self.scratch)
                self.looked += item.length + item.n_places
                self._sift_scored(0, least)
                if self.looked > LOOK:
                    return LOOK_UP
            else:
                if item.score >= least and (
                    self.best < 0
                    or self._before(top.candidate, item.score, self.best,
                                    self.items[self.best].score)
                ):
                    self.best = top.candidate
                self._pop()
                self.heap[self.size] = top
                self.n_aside += 1
        best = self.best
        end = self.size + self.n_aside
        for i in range(self.size, end):
            if self.heap[i].candidate != best:
                self._push(self.heap[i])
        self.best = -1
        self.n_aside = 0
        score[0] = self.items[best].score if best >= 0 else 0
        return best

    cdef bint _has_lists_ahead(self, int64_t least) noexcept nogil:
        """Whether enough candidates near the top of the heap have no list; notes where they are.

        None is made ahead that would not be kept.
        """
        cdef Py_ssize_t slot = 0
        cdef Candidate *item
        if self.threads == 1 or self._n_kept() + self.ahead > self.most_kept:
            return False
        if self.patience:
            self.patience -= 1
            return False
        self.n_slots = 0
        self.n_occurrences = 0
        while slot < min(self.size, SPARSE * (self.n_slots + 1)) and self.n_slots < MOST_AHEAD:
            item = &self.items[self.heap[slot].candidate]
            if (self.heap[slot].key >= least and item.n_places < 0
                    and item.scored != self.n_chosen):
                self.slots[self.n_slots] = slot
                self.n_slots += 1
                self.n_occurrences += item.hi - item.lo
                if self.n_occurrences >= self.ahead:
                    return True
            slot += 1
        self.patience = PATIENCE
        return False

    def _list_share(self, Py_ssize_t share):
        """Scores one thread's share of the candidates that are listed ahead."""
        cdef Py_ssize_t s, slot
        cdef int64_t before = 0
        cdef const Candidate *item
        with nogil:
            for s in range(self.n_slots):
                slot = self.slots[s]
                item = &self.items[self.heap[slot].candidate]
                if before * self.threads // self.n_occurrences == share:
                    self._score_entry(slot, &self.scratch[share])
                before += item.hi - item.lo

    cdef void _sift_listed(self, int64_t least) noexcept nogil:
        """Puts the heap in order again: from below, since keys only fall."""
        cdef Py_ssize_t s
        for s in range(self.n_slots - 1, -1, -1):
            self._sift_scored(self.slots[s], least)

    cdef int _score_entry(self, Py_ssize_t slot, Scratch *scratch) except -1 nogil:
        cdef Entry *entry = &self.heap[slot]
        cdef Candidate *item = &self.items[entry.candidate]
        item.score = self._score(item, &entry.key, scratch)
        item.scored = self.n_chosen
        return 0

    cdef void _sift_scored(self, Py_ssize_t slot, int64_t least) noexcept nogil:
        """Moves an entry down after its key fell.

        Its list is kept if it will be looked at again, as many as memory was planned for.
        """
        if self.heap[slot].key < least or self._n_kept() > self.most_kept:
            self._forget(&self.items[self.heap[slot].candidate])
        self._sift(slot)

    cdef int64_t _n_kept(self) noexcept nogil:
        """The number of places in all lists."""
        cdef Py_ssize_t t
        cdef int64_t n_kept = -self.n_forgotten
        for t in range(self.threads):
            n_kept += self.scratch[t].n_listed
        return n_kept

    cdef void _forget(self, Candidate *c) noexcept nogil:
        """Frees the list of occurrences, which is made again where it is needed."""
        free(c.places)
        self.n_forgotten += c.room
        c.places = NULL
        c.n_places = -1
        c.room = 0

    cdef int _find_places(self, Candidate *c, Scratch *scratch) except -1 nogil:
        """Lists the occurrences that may still count, ascending if some of them overlap.

        Where tokens were chosen over most of them, the list is short from the start.
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
        """Whether a prefix of the token is its suffix; only such tokens can overlap themselves."""
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
        """The score now; `key` receives an upper bound of it, now and later."""
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
        """The uncovered pairs in placeable occurrences, which do not overlap."""
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
        """The uncovered pairs in occurrences placed left to right without overlaps.

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
        cdef position_t counted = -c.length    # where `covered` was counted
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
            scratch.best_upto[kept + 1] = max(scratch.best_upto[kept],
                                              scratch.best_upto[free_before] + gain)
            kept += 1
        c.n_places = <position_t> kept
        key[0] = scratch.best_upto[kept]
        return score

    cdef int64_t _score_union(self, Candidate *c) noexcept nogil:
        """The uncovered pairs under any occurrence, each once."""
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
