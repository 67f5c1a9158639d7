# cython: boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""Trains by merges: repeatedly joins the best pair of adjacent pieces to one piece.

A piece is a token or a single symbol.  The state is the segmentation of the words into pieces.
For the first symbol of each piece it stores the pair that begins there, and for the last symbol of
a longer piece its length.  A pair has its exact count and a list of the places where it began; a
place is valid only while the pair still begins there.  Frequent pairs are in an indexed heap; if
none is left there, it takes less frequent ones.
"""

from libc.stdint cimport INT64_MAX, int32_t, int64_t, uint8_t, uint32_t, uint64_t
from libc.stdlib cimport calloc, free, malloc, qsort, realloc
from libc.string cimport memcmp, memcpy

include "../shared/_arrays.pxi"
include "../shared/_ascending.pxi"
include "../shared/_hash.pxi"
include "../shared/_marks.pxi"
include "_pair_heap.pxi"
include "../shared/_bits.pxi"
include "../shared/_prefetch.pxi"
include "_place_lists.pxi"

cdef enum:
    # what is at a symbol where no pair begins; a piece of n symbols, two or more, ends at -1 - n
    LAST = -1           # the last piece of its word begins here
    WITHIN = -2         # neither does a piece begin here nor does a longer one end
    AHEAD = 16          # how many places ahead memory is prefetched
    SHARE = 2           # the heap is filled with pairs of at least 1/SHARE of the highest count


cdef struct Begins:
    # where words begin among 64 symbols
    uint64_t bits
    int32_t before       # words that begin before these symbols


cdef struct Merge:
    int32_t left
    int32_t right
    int32_t token
    int64_t joined


cdef class MergeTrainer:
    """Makes merges in the words of a corpus, always the best pair next.

    Parameters
    ----------
    text : ndarray of int32
        Symbols 0 … alphabet − 1 of the words, then of the given tokens, then of the forbidden
        tokens.  The trainer takes it over and overwrites it.
    offsets : ndarray of int64, shape (words + 1,)
        Word ``w`` is ``text[offsets[w]:offsets[w + 1]]``, and not empty.
    counts : ndarray of int64, shape (words,)
        How often each word occurs; Σ count · symbols must fit in int64.
    which : ndarray of int32
        The initial segmentation of the words: the index of a given token at its last symbol,
        SINGLE at a symbol that stands alone, INSIDE elsewhere.  Empty if all symbols stand alone.
    starts, lengths : ndarray of int64
        Where the given tokens, and after them the forbidden ones, are in `text`.
    given : int
        The number of given tokens.
    merges : ndarray of int32, shape (3 · merges,)
        The merges made before: of each the left, right and resulting piece.  The initial
        segmentation must be the result of these merges.
    alphabet, room : int
        The number of symbols; the largest number of tokens, given ones included.
    max_length : int
        Maximum length of a token that a merge may make.
    min_count : int
        Minimum count of a pair that may be merged.
    scored : bool
        Whether the best pair is the one with the highest count / (count of its left part · count
        of its right part), rather than with the highest count.

    Notes
    -----
    Pieces are numbered: symbols first, then tokens in the order in which they are made.  Pieces
    with equal spelling are the same piece.  The count of a pair includes overlapping occurrences:
    in x x x the pair x x counts twice.  Ties go to the smaller left piece, then right piece; if
    pairs are scored, first to the higher count.

    The segmentation of the words is always the result of the merges so far: the pair with the
    earliest merge is joined first, then the leftmost one.  A new token is joined from left to
    right.  If the token existed before, given or made by another merge, then it may also have
    merges with its neighbors, and these are applied at once.

    O(symbols · log(pairs)) time in total, since each join removes one boundary.  If pairs are
    scored, each merge also updates the pairs that share a part with it.  O(symbols) memory.
    """
    cdef const int64_t[::1] counts
    cdef int32_t alphabet
    cdef Py_ssize_t room
    cdef int64_t max_length
    cdef int64_t min_count
    cdef int64_t least             # pairs in the heap have this count or a higher one
    cdef bint scored
    cdef int32_t[::1] text
    cdef int32_t *at               # of each symbol: the pair that begins there, or see LAST
    cdef Begins *begins
    cdef const int64_t[::1] offsets
    # where each token is in `text`; forbidden ones have indices from `room` on
    cdef int64_t[::1] starts
    cdef int64_t[::1] lengths
    cdef int64_t[::1] spelled_at   # where each token is in `spelled`
    cdef int32_t *spelled          # the symbols of tokens
    cdef readonly Py_ssize_t n_spelled
    cdef Py_ssize_t spelled_room
    cdef int32_t[::1] spellings    # open addressing: index in `starts`, or -1
    cdef int64_t[::1] part_count   # count of each piece, if pairs are scored
    cdef int32_t[::1] with_left    # first pair that has a piece as its left part
    cdef int32_t[::1] with_right
    cdef int32_t[::1] changed_parts
    cdef int32_t[::1] part_changed
    cdef Py_ssize_t n_changed_parts
    cdef readonly Py_ssize_t tokens
    cdef Pair *pairs
    cdef Py_ssize_t n_pairs
    cdef Py_ssize_t pair_room
    cdef Lists lists               # the places of pairs
    cdef Score *scores             # one for each pair if pairs are scored, else NULL
    cdef Py_ssize_t score_room
    cdef int32_t newest            # the piece that the current merge makes, or -1 if it was there
    cdef int32_t *left_of_new      # the pair of each piece and `newest`, or another pair
    cdef int32_t *right_of_new     # the pair of `newest` and each piece, or another pair
    cdef int32_t unused            # a pair that no longer occurs, or -1
    cdef int32_t *table            # open addressing: the pair of a left and a right piece, or -1
    cdef Py_ssize_t n_listed       # the pairs in the table: the first ones
    cdef uint64_t mask
    cdef Entry *heap
    cdef Py_ssize_t in_heap
    cdef Py_ssize_t heap_room
    cdef int32_t *changed
    cdef Py_ssize_t n_changed
    cdef Py_ssize_t changed_room
    cdef Merge *done
    cdef Py_ssize_t n_done
    cdef Py_ssize_t done_room
    cdef Py_ssize_t n_given

    def __init__(self, int32_t[::1] text, const int64_t[::1] offsets,
                 const int64_t[::1] counts, const int32_t[::1] which,
                 const int64_t[::1] starts, const int64_t[::1] lengths, Py_ssize_t given,
                 const int32_t[::1] merges, Py_ssize_t alphabet, Py_ssize_t room,
                 int64_t max_length, int64_t min_count, bint scored):
        cdef Py_ssize_t size = offsets[counts.shape[0]]
        cdef Py_ssize_t slots = 16
        cdef Py_ssize_t pieces = alphabet + room
        cdef Py_ssize_t i, t
        self.text = text
        self.at = &text[0] if text.shape[0] else NULL
        self.offsets = offsets
        self.counts = counts
        self.alphabet = <int32_t> alphabet
        self.room = room
        self.max_length = max_length
        self.min_count = max(min_count, 1)
        self.least = INT64_MAX  # until the heap is filled
        self.scored = scored
        self.starts = _array(room + starts.shape[0] - given, "q")
        self.lengths = _array(room + starts.shape[0] - given, "q")
        self.spelled_at = _array(room + starts.shape[0] - given, "q")
        while slots < 2 * self.starts.shape[0]:
            slots *= 2
        self.spellings = _filled(slots, -1)
        for i in range(starts.shape[0]):
            t = i if i < given else room + i - given
            self.starts[t] = starts[i]
            self.lengths[t] = lengths[i]
            self._spell(&text[starts[i]], lengths[i])
            self.spellings[self._slot_of(lengths[i])] = <int32_t> t
            self._keep_spelling(t)
        self.tokens = given
        if scored:
            self.part_count = _array(pieces, "q")
            self.with_left = _filled(pieces, -1)
            self.with_right = _filled(pieces, -1)
            self.changed_parts = _array(pieces, "i")
            self.part_changed = _array(pieces, "i")
        self.mask = (1 << 16) - 1
        self.table = <int32_t *> malloc((self.mask + 1) * sizeof(int32_t))
        self.begins = <Begins *> calloc(size // 64 + 1, sizeof(Begins))
        self.left_of_new = <int32_t *> calloc(pieces, sizeof(int32_t))
        self.right_of_new = <int32_t *> calloc(pieces, sizeof(int32_t))
        if (self.table == NULL or self.begins == NULL
                or self.left_of_new == NULL or self.right_of_new == NULL):
            raise MemoryError
        self.newest = self.unused = -1
        for i in range(SIZES):
            self.lists.free[i] = -1
        with nogil:
            for i in range(<Py_ssize_t> self.mask + 1):
                self.table[i] = -1
            for i in range(merges.shape[0] // 3):
                t = self._pair(merges[3 * i], merges[3 * i + 1])
                self.pairs[t].n_places = MERGED
                self.pairs[t].places.rank = <int32_t> i
                self._record(merges[3 * i], merges[3 * i + 1], merges[3 * i + 2])
            self._start(which)
        self.n_given = self.n_done

    def __dealloc__(self):
        free(self.begins)
        free(self.lists.items)
        free(self.left_of_new)
        free(self.right_of_new)
        free(self.pairs)
        free(self.scores)
        free(self.table)
        free(self.heap)
        free(self.spelled)
        free(self.changed)
        free(self.done)

    def run(self, Py_ssize_t tokens):
        """Makes merges until there are `tokens` tokens; returns False if no pair is left."""
        cdef bint more = True
        if tokens > self.room:
            raise ValueError("more tokens than there is room for")
        with nogil:
            while more and self.tokens < tokens:
                more = self._merge_best()
        return more

    def merges(self):
        """Returns the merges made by `run`, in order.

        Returns
        -------
        lefts, rights, made : buffer of int32
            Left, right and resulting pieces.
        joined : buffer of int64
            How many times each merge joined two pieces, in all occurrences of the words.
        """
        cdef Py_ssize_t i
        cdef Py_ssize_t n = self.n_done - self.n_given
        cdef const Merge *done = &self.done[self.n_given]
        arrays = _array(n, "i"), _array(n, "i"), _array(n, "i"), _array(n, "q")
        cdef int32_t[::1] lefts = arrays[0]
        cdef int32_t[::1] rights = arrays[1]
        cdef int32_t[::1] made = arrays[2]
        cdef int64_t[::1] joined = arrays[3]
        for i in range(n):
            lefts[i] = done[i].left
            rights[i] = done[i].right
            made[i] = done[i].token
            joined[i] = done[i].joined
        return arrays

    def places(self):
        """Returns where each token begins and ends in the text: buffers of int64."""
        cdef Py_ssize_t t
        arrays = _array(self.tokens, "q"), _array(self.tokens, "q")
        cdef int64_t[::1] begins = arrays[0]
        cdef int64_t[::1] ends = arrays[1]
        for t in range(self.tokens):
            begins[t] = self.starts[t]
            ends[t] = self.starts[t] + self.lengths[t]
        return arrays

    # --- pieces ---------------------------------------------------------------------------------

    cdef int _start(self, const int32_t[::1] which) except -1 nogil:
        """Sets up the pieces of the words, and the pairs."""
        cdef Py_ssize_t w, i, begin
        cdef int32_t before, left, piece, token, number
        cdef bint all_single = which.shape[0] == 0
        for w in range(self.counts.shape[0]):
            begin = self.offsets[w]
            self.begins[begin >> 6].bits |= <uint64_t> 1 << (begin & 63)
            before = left = -1
            for i in range(begin, self.offsets[w + 1]):
                token = SINGLE if all_single else which[i]
                piece = self.at[i] if token < 0 else self.alphabet + token
                self.at[i] = WITHIN
                if token == INSIDE:
                    continue
                if i > begin:
                    self.at[i] = <int32_t> (begin - i - 2)
                self.at[begin] = LAST
                if self.scored:
                    self.part_count[piece] += self.counts[w]
                if before >= 0:
                    number = self._begin(before, left, piece, self.counts[w])
                    if self.pairs[number].n_places < MERGED:
                        self.pairs[number].n_places += 1
                before = <int32_t> begin
                left = piece
                begin = i + 1
        for i in range(1, (self.offsets[self.counts.shape[0]] >> 6) + 1):
            self.begins[i].before = self.begins[i - 1].before + popcount(self.begins[i - 1].bits)
        self._list_all()
        self._refresh_changed()
        return 0

    cdef int _list_all(self) except -1 nogil:
        """Lists the places of all pairs, whose numbers are known, so that each has one block."""
        cdef Py_ssize_t i
        cdef int32_t number
        cdef Pair *pair
        cdef uint32_t *listed = <uint32_t *> calloc(self.n_pairs + 1, sizeof(uint32_t))
        if listed == NULL:
            with gil:
                raise MemoryError
        for i in range(self.n_pairs):
            pair = &self.pairs[i]
            if FEW < pair.n_places < MERGED:
                pair.places.many = _taken(&self.lists, pair.n_places // UNIT + 1)
        for i in range(self.offsets[self.counts.shape[0]]):
            number = self.at[i]
            if number >= 0 and self.pairs[number].n_places < MERGED:
                pair = &self.pairs[number]
                _places_of(&self.lists, &pair.places, pair.n_places)[listed[number]] = <int32_t> i
                listed[number] += 1
        free(listed)
        return 0

    cdef inline int32_t _word(self, int32_t p) noexcept nogil:
        """The word that has the symbol at p."""
        cdef const Begins *begins = &self.begins[p >> 6]
        return begins.before + popcount(begins.bits << (63 - (p & 63))) - 1

    cdef inline int64_t _length(self, int32_t piece) noexcept nogil:
        return 1 if piece < self.alphabet else self.lengths[piece - self.alphabet]

    cdef inline int32_t _before(self, int32_t p) noexcept nogil:
        """Where the piece before the one at p begins; -1 if p is at the first piece of its word."""
        cdef int32_t before = p - 1
        if p == 0:
            return -1
        if self.at[before] < WITHIN:
            before = p + 1 + self.at[before]
        return -1 if self.at[before] == LAST else before

    cdef int _join(self, int32_t p, int32_t token) except -1 nogil:
        """Joins the piece at p with the next piece."""
        cdef int64_t count = self.counts[self._word(p)]
        cdef int32_t number = self.at[p]
        cdef int32_t left = self.pairs[number].left
        cdef int32_t right = self.pairs[number].right
        cdef int32_t q = <int32_t> (p + self._length(left))
        cdef int32_t r = <int32_t> (q + self._length(right))
        cdef int32_t before = self._before(p)
        cdef int32_t after = self.at[q]
        self._take(number, count)
        if self.scored:
            self._add_part(left, -count)
            self._add_part(right, -count)
            self._add_part(token, count)
        self.at[q] = WITHIN
        self.at[r - 1] = p - r - 1
        self.at[p] = LAST
        if after >= 0:
            right = self.pairs[after].right
            self._take(after, count)
            self._add_place(p, token, right, count)
        if before >= 0:
            number = self.at[before]
            left = self.pairs[number].left
            self._take(number, count)
            self._add_place(before, left, token, count)
        self.done[self.n_done - 1].joined += count
        return 0

    cdef inline int32_t _rank(self, int32_t p) noexcept nogil:
        """The number of the merge of the pair that begins at p, or -1."""
        cdef const Pair *pair = &self.pairs[self.at[p]]
        return pair.places.rank if self.at[p] >= 0 and pair.n_places == MERGED else -1

    cdef int _join_on(self, int32_t p, int32_t token) except -1 nogil:
        """Joins the pair at p, and applies all merges so far to the new piece.

        Apart from the pair of the current merge further to the right, only the pairs of the piece
        joined last can have merges.  The earliest merge comes first, then the leftmost pair.
        """
        cdef int32_t before, rank, rank_before
        while True:
            self._join(p, token)
            before = self._before(p)
            rank = self._rank(p)
            rank_before = self._rank(before) if before >= 0 else -1
            if rank_before >= 0 and (rank < 0 or rank_before <= rank):
                p = before
                rank = rank_before
            if rank < 0:
                return 0
            token = self.done[rank].token

    # --- spellings ------------------------------------------------------------------------------

    cdef int _spell(self, const int32_t *symbols, int64_t length) except -1 nogil:
        """Writes symbols after the stored spellings."""
        self.spelled = <int32_t *> _grown(self.spelled, &self.spelled_room,
                                          self.n_spelled + length, sizeof(int32_t))
        memcpy(&self.spelled[self.n_spelled], symbols, length * sizeof(int32_t))
        return 0

    cdef int _spell_pair(self, int32_t left, int32_t right) except -1 nogil:
        """Writes the symbols of two pieces after the stored spellings."""
        cdef int32_t pieces[2]
        cdef int64_t at = self.n_spelled
        cdef int64_t i, begin
        cdef int side
        pieces[0], pieces[1] = left, right
        self.spelled = <int32_t *> _grown(self.spelled, &self.spelled_room,
                                          at + self._length(left) + self._length(right),
                                          sizeof(int32_t))
        for side in range(2):
            if pieces[side] < self.alphabet:
                self.spelled[at] = pieces[side]
                at += 1
                continue
            begin = self.spelled_at[pieces[side] - self.alphabet]
            for i in range(self._length(pieces[side])):
                self.spelled[at] = self.spelled[begin + i]
                at += 1
        return 0

    cdef void _keep_spelling(self, Py_ssize_t token) noexcept nogil:
        """Stores the spelling written last as that of a token."""
        self.spelled_at[token] = self.n_spelled
        self.n_spelled += self.lengths[token]

    cdef Py_ssize_t _slot_of(self, int64_t length) noexcept nogil:
        """The slot that holds the spelling written last, or the free slot where it belongs."""
        cdef uint64_t last = self.spellings.shape[0] - 1
        cdef const int32_t *symbols = &self.spelled[self.n_spelled]
        cdef uint64_t slot = hash_symbols(symbols, length) & last
        cdef int32_t entry
        while True:
            entry = self.spellings[slot]
            if entry < 0 or (self.lengths[entry] == length and not memcmp(
                    &self.spelled[self.spelled_at[entry]], symbols, length * sizeof(int32_t))):
                return slot
            slot = (slot + 1) & last

    # --- pairs ----------------------------------------------------------------------------------

    cdef inline uint64_t _slot(self, int32_t left, int32_t right) noexcept nogil:
        return hash_number(<uint64_t> left << 32 | <uint64_t> right) & self.mask

    @property
    def displacement(self):
        """The sum of the pairs' distances from their home slots in the table."""
        cdef uint64_t i, total = 0
        cdef const Pair *pair
        for i in range(self.mask + 1):
            if self.table[i] >= 0:
                pair = &self.pairs[self.table[i]]
                total += (i - self._slot(pair.left, pair.right)) & self.mask
        return total

    cdef int32_t _pair(self, int32_t left, int32_t right) except -1 nogil:
        """The number of a pair; a new pair is added."""
        cdef uint64_t slot
        cdef int32_t number
        if self.n_listed < self.n_pairs:
            self.unused = -1  # all pairs are listed now
        while self.n_listed < self.n_pairs:
            self._list_next()
        slot = self._slot(left, right)
        while self.table[slot] >= 0:
            number = self.table[slot]
            if self.pairs[number].left == left and self.pairs[number].right == right:
                return number
            slot = (slot + 1) & self.mask
        return self._new_pair(left, right)

    cdef int32_t _pair_of_new(self, int32_t left, int32_t right) except -1 nogil:
        """The number of a pair with the token that the current merge makes; see `_pair`.

        No pair of that token is older than the merge, so an array finds them.
        """
        cdef bint is_left = left == self.newest
        cdef int32_t *known = (self.right_of_new if is_left else self.left_of_new) + (
            right if is_left else left)
        if self.pairs[known[0]].left != left or self.pairs[known[0]].right != right:
            known[0] = self._new_pair(left, right)
        return known[0]

    cdef int32_t _new_pair(self, int32_t left, int32_t right) except -1 nogil:
        """Adds a pair, which is not yet in the table, and returns its number."""
        cdef int32_t number = self.unused
        cdef Pair *pair
        if number >= 0:
            self.unused = self.pairs[number].places.next
        else:
            number = <int32_t> self.n_pairs
            self.pairs = <Pair *> _grown(self.pairs, &self.pair_room, number + 1, sizeof(Pair))
            self.n_pairs += 1
        pair = &self.pairs[number]
        pair.left = left
        pair.right = right
        pair.count = 0
        pair.n_places = (
            EXCLUDED if self._length(left) + self._length(right) > self.max_length else 0
        )
        pair.heap_place = OUTSIDE
        if self.scored:
            self.scores = <Score *> _grown(self.scores, &self.score_room, number + 1,
                                           sizeof(Score))
            self.scores[number] = Score(0, 0, 0, -1, -1, False, False, False)
        self._mark(number)
        pair.heap_place = NEW
        return number

    cdef int _list_next(self) except -1 nogil:
        """Enters the next pair into the table."""
        cdef const Pair *pair = &self.pairs[self.n_listed]
        cdef uint64_t slot
        if <uint64_t> self.n_listed * 2 + 2 > self.mask:
            self._widen()
        slot = self._slot(pair.left, pair.right)
        while self.table[slot] >= 0:
            slot = (slot + 1) & self.mask
        self.table[slot] = <int32_t> self.n_listed
        self.n_listed += 1
        return 0

    cdef int _widen(self) except -1 nogil:
        cdef Py_ssize_t size = 2 * (self.mask + 1)
        cdef int32_t *table = <int32_t *> malloc(size * sizeof(int32_t))
        cdef Py_ssize_t i
        cdef uint64_t slot
        if table == NULL:
            with gil:
                raise MemoryError
        free(self.table)
        self.table = table
        self.mask = size - 1
        for i in range(size):
            table[i] = -1
        for i in range(self.n_listed):
            slot = self._slot(self.pairs[i].left, self.pairs[i].right)
            while table[slot] >= 0:
                slot = (slot + 1) & self.mask
            table[slot] = <int32_t> i
        return 0

    cdef inline int _take(self, int32_t number, int64_t count) except -1 nogil:
        """Lowers the count of a pair; in the heap it stays too high until it is the best there."""
        self.pairs[number].count -= count
        if self.scored:
            return self._mark(number)
        return 0 if self.pairs[number].count else self._forget(number)

    cdef int _forget(self, int32_t number) except -1 nogil:
        """Frees the places of a pair that no longer occurs; a later pair may take its number."""
        cdef Pair *pair = &self.pairs[number]
        if pair.n_places == MERGED:
            return 0
        if pair.n_places != EXCLUDED:
            _free_places(&self.lists, &pair.places, pair.n_places)
            pair.n_places = 0
        if pair.heap_place >= 0:
            self._refresh(number)
        if number >= self.n_listed:
            pair.left = -1  # so that it is not found
            pair.places.next = self.unused
            self.unused = number
        return 0

    cdef inline int _mark(self, int32_t number) except -1 nogil:
        """Notes that a pair is new or that its count changed."""
        if self.pairs[number].heap_place == NEW:
            return 0
        if self.scored:
            if self.scores[number].changed:
                return 0
            self.scores[number].changed = True
        self.changed = <int32_t *> _grown(self.changed, &self.changed_room, self.n_changed + 1,
                                          sizeof(int32_t))
        self.changed[self.n_changed] = number
        self.n_changed += 1
        return 0

    cdef int _add_place(self, int32_t p, int32_t left, int32_t right,
                        int64_t count) except -1 nogil:
        """Records that a pair now begins at p, and lists the place."""
        return _list_place(&self.lists, &self.pairs[self._begin(p, left, right, count)], p)

    cdef int32_t _begin(self, int32_t p, int32_t left, int32_t right,
                        int64_t count) except -1 nogil:
        """Records that a pair now begins at p; returns its number."""
        cdef bint has_new = left == self.newest or right == self.newest
        cdef int32_t number = (self._pair_of_new(left, right) if has_new
                               else self._pair(left, right))
        cdef Score *score
        self.at[p] = number
        if self.scored:
            score = &self.scores[number]
            if not score.in_left:
                score.in_left = True
                score.next_left = self.with_left[left]
                self.with_left[left] = number
            if not score.in_right:
                score.in_right = True
                score.next_right = self.with_right[right]
                self.with_right[right] = number
        self.pairs[number].count += count
        self._mark(number)
        return number

    cdef void _add_part(self, int32_t piece, int64_t count) noexcept nogil:
        self.part_count[piece] += count
        if not self.part_changed[piece]:
            self.part_changed[piece] = True
            self.changed_parts[self.n_changed_parts] = piece
            self.n_changed_parts += 1

    cdef int _mark_parts(self) except -1 nogil:
        """Marks the pairs with a part whose count changed; unlinks pairs that no longer occur."""
        cdef Py_ssize_t i
        cdef int32_t piece
        cdef int32_t *link
        cdef Score *score
        for i in range(self.n_changed_parts):
            piece = self.changed_parts[i]
            self.part_changed[piece] = False
            link = &self.with_left[piece]
            while link[0] >= 0:
                score = &self.scores[link[0]]
                self._mark(link[0])
                if self.pairs[link[0]].count:
                    link = &score.next_left
                else:
                    score.in_left = False
                    link[0] = score.next_left
            link = &self.with_right[piece]
            while link[0] >= 0:
                score = &self.scores[link[0]]
                self._mark(link[0])
                if self.pairs[link[0]].count:
                    link = &score.next_right
                else:
                    score.in_right = False
                    link[0] = score.next_right
        self.n_changed_parts = 0
        return 0

    # --- the heap -------------------------------------------------------------------------------

    cdef int _refresh_changed(self) except -1 nogil:
        """Updates the pairs that are new or changed, in any order: that of the heap is total."""
        cdef Py_ssize_t i
        for i in range(self.n_changed):
            if self.pairs[self.changed[i]].heap_place == NEW:
                _free_rest(&self.lists, &self.pairs[self.changed[i]])
            self._refresh(self.changed[i])
        self.n_changed = 0
        return 0

    cdef int _refresh(self, int32_t number) except -1 nogil:
        """Updates a pair's place in the heap from its count."""
        cdef Pair *pair = &self.pairs[number]
        cdef Score *score
        cdef int32_t place = pair.heap_place
        cdef bint belongs = pair.n_places != EXCLUDED and pair.count >= self.least
        if self.scored:
            score = &self.scores[number]
            score.changed = False
        if self.scored and belongs:
            score.left_count = self.part_count[pair.left]
            score.right_count = self.part_count[pair.right]
            score.score = (<double> pair.count
                           / (<double> score.left_count * <double> score.right_count))
        if not belongs:
            pair.heap_place = OUTSIDE
            if place >= 0:
                self.in_heap -= 1
                if place < self.in_heap:
                    _sift(self.pairs, self.scores, self.heap, self.in_heap, place,
                          self.heap[self.in_heap])
            return 0
        if place < 0:
            self.heap = <Entry *> _grown(self.heap, &self.heap_room, self.in_heap + 1,
                                         sizeof(Entry))
            place = <int32_t> self.in_heap
            self.in_heap += 1
        _sift(self.pairs, self.scores, self.heap, self.in_heap, place, Entry(pair.count, number))
        return 0

    cdef int _refill(self) except -1 nogil:
        """Fills the empty heap with the most frequent pairs, or with all if pairs are scored."""
        cdef int64_t highest = 0
        cdef Py_ssize_t i
        for i in range(self.n_pairs):
            if self.pairs[i].n_places != EXCLUDED:
                highest = max(highest, self.pairs[i].count)
        self.least = self.min_count if self.scored else max(self.min_count, highest // SHARE)
        for i in range(self.n_pairs):
            self._refresh(<int32_t> i)
        return 0

    # --- merging --------------------------------------------------------------------------------

    cdef int _record(self, int32_t left, int32_t right, int32_t token) except -1 nogil:
        self.done = <Merge *> _grown(self.done, &self.done_room, self.n_done + 1, sizeof(Merge))
        self.done[self.n_done] = Merge(left, right, token, 0)
        self.n_done += 1
        return 0

    cdef int _merge_best(self) except -1 nogil:
        """Merges the best pair, or excludes it if its token is forbidden; 0 if no pair is left."""
        cdef int32_t number, token, left, right
        cdef Places places
        cdef Py_ssize_t slot, n_places
        cdef int64_t length
        cdef bint is_new
        while True:
            if not self.in_heap:
                self._refill()
            if not self.in_heap:
                return 0
            number = self.heap[0].number
            if self.heap[0].count == self.pairs[number].count:
                break
            self._refresh(number)
        left = self.pairs[number].left
        right = self.pairs[number].right
        places = self.pairs[number].places
        n_places = self.pairs[number].n_places
        length = self._length(left) + self._length(right)
        self._spell_pair(left, right)
        slot = self._slot_of(length)
        token = self.spellings[slot]
        if token >= self.room:
            _free_places(&self.lists, &places, n_places)
            self.pairs[number].n_places = EXCLUDED
            self._refresh(number)
            return 1
        is_new = token < 0
        if is_new:
            token = <int32_t> self.tokens
            self.spellings[slot] = token
            self.starts[token] = self._first(number, _places_of(&self.lists, &places, n_places))
            self.lengths[token] = length
            self._keep_spelling(token)
            self.tokens += 1
        token += self.alphabet
        self.newest = token if is_new else -1
        self.pairs[number].n_places = MERGED
        self.pairs[number].places.rank = <int32_t> self.n_done
        self._record(left, right, token)
        # joined occurrences may overlap, so go from left to right
        if left == right or not is_new:
            qsort(_places_of(&self.lists, &places, n_places), n_places, sizeof(int32_t), _ascending)
        self._join_all(number, &places, n_places, token, is_new)
        _free_places(&self.lists, &places, n_places)
        if self.scored:
            self._mark_parts()
        self._refresh_changed()
        return 1

    cdef int32_t _first(self, int32_t number, const int32_t *places) noexcept nogil:
        """The first place where a pair still begins; the pair must occur."""
        cdef Py_ssize_t i = 0
        while self.at[places[i]] != number:
            i += 1
        return places[i]

    cdef int _join_all(self, int32_t number, Places *listed, Py_ssize_t n_places,
                       int32_t token, bint is_new) except -1 nogil:
        """Joins a pair wherever it still begins; applies other merges if the token is not new."""
        cdef Py_ssize_t i
        cdef const int32_t *places
        cdef int32_t left_length = <int32_t> self._length(self.pairs[number].left)
        cdef int32_t ahead, before
        for i in range(n_places):
            places = _places_of(&self.lists, listed, n_places)  # which new places may have moved
            if i + 2 * AHEAD < n_places:
                prefetch(&self.at[places[i + 2 * AHEAD]])
                ahead = places[i + AHEAD]
                if self.at[ahead] == number:
                    prefetch(&self.counts[self._word(ahead)])
                    before = self._before(ahead)
                    prefetch(&self.pairs[self.at[before] if before >= 0 else 0])
                    prefetch(&self.pairs[self.at[ahead + left_length]])
            if self.at[places[i]] == number:
                if is_new:
                    self._join(places[i], token)
                else:
                    self._join_on(places[i], token)
        return 0
