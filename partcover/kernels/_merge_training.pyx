# cython: boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""Training by merges: the best neighbouring pair of pieces becomes one piece, again and again.

The state is the words cut into pieces, at each piece's first symbol: which piece, which pair it
begins, and where the piece before it begins.  A pair keeps its exact count and a list of where it
was seen; a place counts only while the pair still begins there.  Pairs stand in an indexed heap
under keys that are brought up to date, for the pairs that changed, after each merge.
"""

import numpy as np

from libc.stdint cimport int32_t, int64_t, uint64_t
from libc.stdlib cimport free, malloc, qsort, realloc

include "_hash.pxi"

cdef extern from *:
    """
    /* the sign of a·b·c − d·e·f, exactly: each factor is below 2^63 */
    static int compare_products(uint64_t a, uint64_t b, uint64_t c,
                                uint64_t d, uint64_t e, uint64_t f) {
        unsigned __int128 p = (unsigned __int128) b * c, q = (unsigned __int128) e * f;
        unsigned __int128 low_p = (unsigned __int128) (uint64_t) p * a;
        unsigned __int128 low_q = (unsigned __int128) (uint64_t) q * d;
        unsigned __int128 high_p = (p >> 64) * a + (low_p >> 64);
        unsigned __int128 high_q = (q >> 64) * d + (low_q >> 64);
        if (high_p != high_q) return high_p > high_q ? 1 : -1;
        if ((uint64_t) low_p != (uint64_t) low_q)
            return (uint64_t) low_p > (uint64_t) low_q ? 1 : -1;
        return 0;
    }
    """
    int compare_products(uint64_t a, uint64_t b, uint64_t c,
                         uint64_t d, uint64_t e, uint64_t f) noexcept nogil

cdef enum:
    LAST = -1           # instead of a pair: the last piece of its word
    INSIDE = -2         # instead of a pair: no piece begins here


cdef struct Pair:
    int64_t count        # neighbours now
    int64_t key          # the count it stands in the heap for; 0: it does not
    int64_t left_count   # with `key`, where pairs are scored: how often its parts stand
    int64_t right_count
    double score         # key / (left_count · right_count), rounded
    int32_t left
    int32_t right
    int32_t seen         # the last of its places, in the list of places
    int32_t place        # in the heap, or -1
    int32_t rank         # of the merge that it is, or -1
    int32_t next_left    # the next pair with the same left part, where pairs are scored
    int32_t next_right
    bint in_left         # whether it is in that list
    bint in_right
    bint changed
    bint barred          # never to be merged: too long, or forbidden


cdef struct At:
    int32_t piece        # that begins at this symbol
    int32_t pair         # that it begins, or LAST or INSIDE
    int32_t before       # where the piece before begins, or -1
    int32_t word


cdef struct Place:
    int32_t at
    int32_t next


cdef struct Merge:
    int32_t left
    int32_t right
    int32_t token
    int64_t joined


cdef int _ascending(const void *a, const void *b) noexcept nogil:
    cdef int32_t x = (<const int32_t *> a)[0]
    cdef int32_t y = (<const int32_t *> b)[0]
    return (x > y) - (x < y)


cdef void *_room(void *block, Py_ssize_t *room, Py_ssize_t needed, size_t size) except NULL nogil:
    """The block, moved to twice the room if `needed` items do not fit."""
    cdef void *moved
    if needed <= room[0]:
        return block
    while room[0] < needed:
        room[0] = 2 * room[0] + 1024
    moved = realloc(block, room[0] * size)
    if moved == NULL:
        with gil:
            raise MemoryError
    return moved


cdef class MergeTrainer:
    """Words, and the merges that have been made in them.

    Parameters
    ----------
    text : ndarray of int32
        Symbols 0 … alphabet − 1: of the words, then of the given tokens, then of the forbidden.
    offsets : ndarray of int64, shape (words + 1,)
        Word ``w`` is ``text[offsets[w]:offsets[w + 1]]``.
    counts : ndarray of int64, shape (words,)
        How often each word occurs; Σ count · symbols fits in int64.
    which : ndarray of int32
        How the words are cut at first: at the last symbol of each piece the given token it is, or
        −1 for a symbol; −2 elsewhere.
    starts, lengths : ndarray of int64
        Where the given tokens and then the forbidden ones stand in `text`.
    given : int
        How many of them are given.
    merges : ndarray of int32, shape (merges, 3)
        Merges made before: left, right and resulting piece.  The words are cut as these cut them.
    alphabet, room : int
        Symbols; the most tokens there will be, given ones included.
    longest : int
        The longest token that a merge may make.
    least : int
        The smallest count of a pair that may be merged.
    scored : bool
        The best pair is that of highest count / (count of its left part · count of its right
        part), not of highest count.

    Notes
    -----
    Pieces are numbered: symbols first, then tokens as they are made.  Pieces of equal spelling
    are one.  The count of a pair is the number of its neighbours, overlapping ones too: in
    x x x the pair x x counts twice.  Ties go to the smaller left piece, then right piece; where
    pairs are scored, first to the higher count.

    The words are always cut as the merges so far cut them: the neighbouring pair that was merged
    first is joined first, then the leftmost.  For a new token that is: join it from left to
    right.  For one that another merge made before, its neighbours may have been merged before as
    well, and the words are cut on.

    O(symbols · log(pairs)) time in all, as each join takes one symbol boundary away, but for the
    words that are cut on, and where pairs are scored: then each merge also takes the pairs that
    share a part with it.  O(symbols) memory.
    """
    cdef const int32_t[::1] text
    cdef const int64_t[::1] counts
    cdef int32_t alphabet
    cdef Py_ssize_t room
    cdef int64_t longest
    cdef int64_t least
    cdef bint scored
    cdef At *at
    cdef const int64_t[::1] offsets
    cdef int64_t[::1] starts       # of tokens in `text`; the forbidden ones stand from `room` on
    cdef int64_t[::1] lengths
    cdef int32_t[::1] spellings    # open addressing: entry of `starts`, or -1
    cdef int64_t[::1] part_count   # of pieces, where pairs are scored
    cdef int32_t[::1] with_left    # first pair with a piece as its left part
    cdef int32_t[::1] with_right
    cdef int32_t[::1] changed_parts
    cdef int32_t[::1] part_changed
    cdef Py_ssize_t n_changed_parts
    cdef readonly Py_ssize_t tokens
    cdef Pair *pairs
    cdef Py_ssize_t n_pairs
    cdef Py_ssize_t pair_room
    cdef int32_t *table            # open addressing: pair of a left and right, or -1
    cdef uint64_t mask
    cdef int32_t *heap
    cdef Py_ssize_t in_heap
    cdef Py_ssize_t heap_room
    cdef Place *places
    cdef Py_ssize_t n_places
    cdef Py_ssize_t place_room
    cdef int32_t *changed
    cdef Py_ssize_t n_changed
    cdef Py_ssize_t changed_room
    cdef Merge *done
    cdef Py_ssize_t n_done
    cdef Py_ssize_t done_room
    cdef Py_ssize_t n_given
    cdef int32_t *found
    cdef Py_ssize_t found_room

    def __init__(self, const int32_t[::1] text, const int64_t[::1] offsets,
                 const int64_t[::1] counts, const int32_t[::1] which,
                 const int64_t[::1] starts, const int64_t[::1] lengths, Py_ssize_t given,
                 const int32_t[:, ::1] merges, Py_ssize_t alphabet, Py_ssize_t room,
                 int64_t longest, int64_t least, bint scored):
        cdef Py_ssize_t size = offsets[counts.shape[0]]
        cdef Py_ssize_t slots = 16
        cdef Py_ssize_t pieces = alphabet + room
        cdef Py_ssize_t i, t
        self.text = text
        self.offsets = offsets
        self.counts = counts
        self.alphabet = <int32_t> alphabet
        self.room = room
        self.longest = longest
        self.least = least
        self.scored = scored
        self.starts = np.zeros(room + starts.shape[0] - given, np.int64)
        self.lengths = np.zeros(room + starts.shape[0] - given, np.int64)
        while slots < 2 * self.starts.shape[0]:
            slots *= 2
        self.spellings = np.full(slots, -1, np.int32)
        for i in range(starts.shape[0]):
            t = i if i < given else room + i - given
            self.starts[t] = starts[i]
            self.lengths[t] = lengths[i]
            self.spellings[self._slot_of(starts[i], lengths[i])] = <int32_t> t
        self.tokens = given
        if scored:
            self.part_count = np.zeros(pieces, np.int64)
            self.with_left = np.full(pieces, -1, np.int32)
            self.with_right = np.full(pieces, -1, np.int32)
            self.changed_parts = np.empty(pieces, np.int32)
            self.part_changed = np.zeros(pieces, np.int32)
        self.mask = (1 << 16) - 1
        self.table = <int32_t *> malloc((self.mask + 1) * sizeof(int32_t))
        self.at = <At *> malloc((size + 1) * sizeof(At))
        if self.table == NULL or self.at == NULL:
            raise MemoryError
        with nogil:
            for i in range(<Py_ssize_t> self.mask + 1):
                self.table[i] = -1
            for i in range(merges.shape[0]):
                t = self._pair(merges[i, 0], merges[i, 1])
                self.pairs[t].rank = <int32_t> i
                self._note(merges[i, 0], merges[i, 1], merges[i, 2])
            self._start(which)
        self.n_given = self.n_done

    def __dealloc__(self):
        free(self.at)
        free(self.pairs)
        free(self.table)
        free(self.heap)
        free(self.places)
        free(self.changed)
        free(self.done)
        free(self.found)

    def run(self, Py_ssize_t tokens):
        """Merge until there are `tokens` tokens; False if there is no pair left to merge."""
        cdef bint more = True
        if tokens > self.room:
            raise ValueError("more tokens than there is room for")
        with nogil:
            while more and self.tokens < tokens:
                more = self._merge_best()
        return more

    def merges(self):
        """The merges made by `run`, in order.

        Returns
        -------
        tuple
            Left, right and resulting pieces, ndarray of int32, shape (merges, 3); and how often
            the words were joined at each, counts of words considered, ndarray of int64, shape
            (merges,).
        """
        cdef Py_ssize_t many = self.n_done - self.n_given
        cdef Py_ssize_t i
        pieces = np.empty((many, 3), np.int32)
        joined = np.empty(many, np.int64)
        cdef int32_t[:, ::1] out = pieces
        cdef int64_t[::1] times = joined
        for i in range(many):
            out[i, 0] = self.done[self.n_given + i].left
            out[i, 1] = self.done[self.n_given + i].right
            out[i, 2] = self.done[self.n_given + i].token
            times[i] = self.done[self.n_given + i].joined
        return pieces, joined

    def spelling(self, Py_ssize_t token):
        """Where a token stands in the text: start and end."""
        return self.starts[token], self.starts[token] + self.lengths[token]

    # --- pieces ---------------------------------------------------------------------------------

    cdef int _start(self, const int32_t[::1] which) except -1 nogil:
        cdef Py_ssize_t w, i, begin
        cdef Py_ssize_t p
        cdef int32_t before
        for w in range(self.counts.shape[0]):
            begin = self.offsets[w]
            before = -1
            for i in range(begin, self.offsets[w + 1]):
                self.at[i].word = <int32_t> w
                self.at[i].pair = INSIDE
                if which[i] == -2:
                    continue
                self.at[begin].piece = self.text[i] if which[i] < 0 else self.alphabet + which[i]
                self.at[begin].before = before
                self.at[begin].pair = LAST
                if self.scored:
                    self.part_count[self.at[begin].piece] += self.counts[w]
                if before >= 0:
                    self._see(before, self.at[before].piece, self.at[begin].piece, self.counts[w])
                before = <int32_t> begin
                begin = i + 1
        # the order of first sight does not matter: the heap's order is total
        for p in range(self.n_changed):
            self._refresh(self.changed[p])
        self.n_changed = 0
        return 0

    cdef inline int64_t _length(self, int32_t piece) noexcept nogil:
        return 1 if piece < self.alphabet else self.lengths[piece - self.alphabet]

    cdef int _join(self, int32_t p, int32_t token) except -1 nogil:
        """Make one piece of the piece at p and the next."""
        cdef int64_t count = self.counts[self.at[p].word]
        cdef int32_t q = <int32_t> (p + self._length(self.at[p].piece))
        cdef int32_t r = <int32_t> (q + self._length(self.at[q].piece))
        cdef int32_t before = self.at[p].before
        cdef int32_t after = self.at[q].pair
        self._add(self.at[p].pair, -count)
        if self.scored:
            self._add_part(self.at[p].piece, -count)
            self._add_part(self.at[q].piece, -count)
            self._add_part(token, count)
        self.at[p].piece = token
        self.at[q].pair = INSIDE
        self.at[p].pair = LAST
        if after >= 0:
            self._add(after, -count)
            self.at[r].before = p
            self._see(p, token, self.at[r].piece, count)
        if before >= 0:
            self._add(self.at[before].pair, -count)
            self._see(before, self.at[before].piece, token, count)
        self.done[self.n_done - 1].joined += count
        return 0

    cdef int _cut_on(self, int32_t word) except -1 nogil:
        """Join in a word what has been merged before, the first merge first, then the leftmost."""
        cdef int32_t p, best, rank, least
        while True:
            best = -1
            least = 0
            p = <int32_t> self.offsets[word]
            while self.at[p].pair >= 0:
                rank = self.pairs[self.at[p].pair].rank
                if rank >= 0 and (best < 0 or rank < least):
                    best = p
                    least = rank
                p += <int32_t> self._length(self.at[p].piece)
            if best < 0:
                return 0
            self._join(best, self.done[least].token)

    # --- spellings ------------------------------------------------------------------------------

    cdef Py_ssize_t _slot_of(self, int64_t start, int64_t length) noexcept nogil:
        """The slot that holds a spelling, or would."""
        cdef uint64_t last = self.spellings.shape[0] - 1
        cdef uint64_t slot = hash_symbols(&self.text[start], length) & last
        cdef int64_t i
        cdef int32_t entry
        while True:
            entry = self.spellings[slot]
            if entry < 0:
                return slot
            if self.lengths[entry] == length:
                i = 0
                while i < length and self.text[self.starts[entry] + i] == self.text[start + i]:
                    i += 1
                if i == length:
                    return slot
            slot = (slot + 1) & last

    # --- pairs ----------------------------------------------------------------------------------

    cdef inline uint64_t _slot(self, int32_t left, int32_t right) noexcept nogil:
        return hash_number(<uint64_t> left << 32 | <uint64_t> right) & self.mask

    @property
    def displacement(self):
        """How far pairs are from their homes in the table, summed."""
        cdef uint64_t i, total = 0
        cdef const Pair *pair
        for i in range(self.mask + 1):
            if self.table[i] >= 0:
                pair = &self.pairs[self.table[i]]
                total += (i - self._slot(pair.left, pair.right)) & self.mask
        return total

    cdef int32_t _pair(self, int32_t left, int32_t right) except -1 nogil:
        """The pair, made if it is new."""
        cdef uint64_t slot = self._slot(left, right)
        cdef int32_t number
        cdef Pair *pair
        while self.table[slot] >= 0:
            number = self.table[slot]
            if self.pairs[number].left == left and self.pairs[number].right == right:
                return number
            slot = (slot + 1) & self.mask
        number = <int32_t> self.n_pairs
        self.pairs = <Pair *> _room(self.pairs, &self.pair_room, number + 1, sizeof(Pair))
        pair = &self.pairs[number]
        pair.left = left
        pair.right = right
        pair.count = 0
        pair.key = 0
        pair.score = 0
        pair.seen = -1
        pair.place = -1
        pair.rank = -1
        pair.in_left = False
        pair.in_right = False
        pair.changed = False
        pair.barred = self._length(left) + self._length(right) > self.longest
        self.table[slot] = number
        self.n_pairs += 1
        if <uint64_t> self.n_pairs * 2 > self.mask:
            self._widen()
        return number

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
        for i in range(self.n_pairs):
            slot = self._slot(self.pairs[i].left, self.pairs[i].right)
            while table[slot] >= 0:
                slot = (slot + 1) & self.mask
            table[slot] = <int32_t> i
        return 0

    cdef int _add(self, int32_t number, int64_t count) except -1 nogil:
        self.pairs[number].count += count
        return self._mark(number)

    cdef int _mark(self, int32_t number) except -1 nogil:
        if not self.pairs[number].changed:
            self.pairs[number].changed = True
            self.changed = <int32_t *> _room(self.changed, &self.changed_room, self.n_changed + 1,
                                             sizeof(int32_t))
            self.changed[self.n_changed] = number
            self.n_changed += 1
        return 0

    cdef int _see(self, int32_t p, int32_t left, int32_t right, int64_t count) except -1 nogil:
        """The pair now begins at p."""
        cdef int32_t number = self._pair(left, right)
        cdef Pair *pair = &self.pairs[number]
        self.places = <Place *> _room(self.places, &self.place_room, self.n_places + 1,
                                      sizeof(Place))
        self.places[self.n_places] = Place(p, pair.seen)
        pair.seen = <int32_t> self.n_places
        self.n_places += 1
        self.at[p].pair = number
        if self.scored:
            if not pair.in_left:
                pair.in_left = True
                pair.next_left = self.with_left[left]
                self.with_left[left] = number
            if not pair.in_right:
                pair.in_right = True
                pair.next_right = self.with_right[right]
                self.with_right[right] = number
        return self._add(number, count)

    cdef void _add_part(self, int32_t piece, int64_t count) noexcept nogil:
        self.part_count[piece] += count
        if not self.part_changed[piece]:
            self.part_changed[piece] = True
            self.changed_parts[self.n_changed_parts] = piece
            self.n_changed_parts += 1

    cdef int _mark_parts(self) except -1 nogil:
        """Mark the pairs whose parts' counts changed; those that are gone leave their lists."""
        cdef Py_ssize_t i
        cdef int32_t piece
        cdef int32_t *link
        cdef Pair *pair
        for i in range(self.n_changed_parts):
            piece = self.changed_parts[i]
            self.part_changed[piece] = False
            link = &self.with_left[piece]
            while link[0] >= 0:
                pair = &self.pairs[link[0]]
                self._mark(link[0])
                if pair.count:
                    link = &pair.next_left
                else:
                    pair.in_left = False
                    link[0] = pair.next_left
            link = &self.with_right[piece]
            while link[0] >= 0:
                pair = &self.pairs[link[0]]
                self._mark(link[0])
                if pair.count:
                    link = &pair.next_right
                else:
                    pair.in_right = False
                    link[0] = pair.next_right
        self.n_changed_parts = 0
        return 0

    # --- the heap -------------------------------------------------------------------------------

    cdef inline bint _before(self, const Pair *a, const Pair *b) noexcept nogil:
        cdef int order
        if self.scored:
            # each rounded score is within 10^-15 of the true one, relatively
            if a.score > b.score * (1 + 1e-14):
                return True
            if b.score > a.score * (1 + 1e-14):
                return False
            order = compare_products(a.key, b.left_count, b.right_count,
                                     b.key, a.left_count, a.right_count)
            if order:
                return order > 0
        if a.key != b.key:
            return a.key > b.key
        if a.left != b.left:
            return a.left < b.left
        return a.right < b.right

    cdef int _refresh(self, int32_t number) except -1 nogil:
        """Let a pair's key be its count, and its place in the heap follow."""
        cdef Pair *pair = &self.pairs[number]
        cdef int32_t place = pair.place
        pair.changed = False
        pair.key = 0 if pair.barred or pair.count < self.least else pair.count
        if self.scored and pair.key:
            pair.left_count = self.part_count[pair.left]
            pair.right_count = self.part_count[pair.right]
            pair.score = <double> pair.key / (<double> pair.left_count * <double> pair.right_count)
        if pair.key == 0:
            if place >= 0:
                pair.place = -1
                self.in_heap -= 1
                if place < self.in_heap:
                    self._sift(place, self.heap[self.in_heap])
            return 0
        if place < 0:
            self.heap = <int32_t *> _room(self.heap, &self.heap_room, self.in_heap + 1,
                                          sizeof(int32_t))
            place = <int32_t> self.in_heap
            self.in_heap += 1
        self._sift(place, number)
        return 0

    cdef void _sift(self, Py_ssize_t place, int32_t number) noexcept nogil:
        """Put a pair where it belongs, starting from a place that is free."""
        cdef const Pair *pair = &self.pairs[number]
        cdef Py_ssize_t other
        while place and self._before(pair, &self.pairs[self.heap[(place - 1) // 2]]):
            other = (place - 1) // 2
            self.heap[place] = self.heap[other]
            self.pairs[self.heap[place]].place = <int32_t> place
            place = other
        while 2 * place + 1 < self.in_heap:
            other = 2 * place + 1
            if other + 1 < self.in_heap and self._before(&self.pairs[self.heap[other + 1]],
                                                         &self.pairs[self.heap[other]]):
                other += 1
            if not self._before(&self.pairs[self.heap[other]], pair):
                break
            self.heap[place] = self.heap[other]
            self.pairs[self.heap[place]].place = <int32_t> place
            place = other
        self.heap[place] = number
        self.pairs[number].place = <int32_t> place

    # --- merging --------------------------------------------------------------------------------

    cdef int _note(self, int32_t left, int32_t right, int32_t token) except -1 nogil:
        self.done = <Merge *> _room(self.done, &self.done_room, self.n_done + 1, sizeof(Merge))
        self.done[self.n_done] = Merge(left, right, token, 0)
        self.n_done += 1
        return 0

    cdef int _merge_best(self) except -1 nogil:
        """Merge the best pair, or find that it is forbidden; 0 if there is none."""
        cdef int32_t number, token, place, left, right
        cdef Py_ssize_t slot, i
        cdef Py_ssize_t many = 0
        cdef int64_t length
        cdef bint fresh
        if not self.in_heap:
            return 0
        number = self.heap[0]
        left = self.pairs[number].left
        right = self.pairs[number].right
        place = self.pairs[number].seen
        while place >= 0:
            if self.at[self.places[place].at].pair == number:
                self.found = <int32_t *> _room(self.found, &self.found_room, many + 1,
                                               sizeof(int32_t))
                self.found[many] = self.places[place].at
                many += 1
            place = self.places[place].next
        length = self._length(left) + self._length(right)
        slot = self._slot_of(self.found[0], length)
        token = self.spellings[slot]
        if token >= self.room:
            self.pairs[number].barred = True
            self._refresh(number)
            return 1
        fresh = token < 0
        if fresh:
            token = <int32_t> self.tokens
            self.spellings[slot] = token
            self.starts[token] = self.found[0]
            self.lengths[token] = length
            self.tokens += 1
        token += self.alphabet
        self.pairs[number].seen = -1
        self.pairs[number].rank = <int32_t> self.n_done
        self._note(left, right, token)
        if left == right:  # places may overlap: from left to right
            qsort(self.found, many, sizeof(int32_t), _ascending)
        for i in range(many):
            if self.at[self.found[i]].pair == number:
                if fresh:
                    self._join(self.found[i], token)
                else:
                    self._cut_on(self.at[self.found[i]].word)
        if self.scored:
            self._mark_parts()
        for i in range(self.n_changed):
            self._refresh(self.changed[i])
        self.n_changed = 0
        return 1
