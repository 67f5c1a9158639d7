# The cache of words whose segmentation depends on the text before them.  Included by _encoder.pyx,
# after `WordCache`.
#
# The segmentation of a cached word is valid if the absolute value of the sum of scores before the
# word is at most a limit.  If sums have 32 bits, the slot of a word with up to PIECES numbers
# and a limit of at least LOW holds these numbers, padded with the number whose score is 0; a table
# holds the scores.  Any other word has a record in `numbers`, at an index divisible by RECORD: the
# limit (8 bytes), how many numbers and how many scores it has (4 bytes each), the scores (8 bytes
# each), and the numbers.

cdef enum:
    RECORD = 4          # records are aligned to this many numbers
    LOW = 99500
    CAP = 255           # bytes of the longest word that is cached


cdef class RunningCache(WordCache):
    """A `WordCache` of words segmented by sums of scores that run through a whole text.

    For each cached word it stores the pieces, their scores, and a limit on the absolute value of
    the sum before the word.  If that sum exceeds the limit, the word is segmented again.  Words of
    more than 255 bytes are not cached.
    So the only new words are those with a byte that has no id.  `start_text` resets the sum to 0,
    and `find` continues it.
    """

    cdef object scores          # keeps alive the object that `ways` belongs to
    cdef GoingOn *ways
    cdef double score_sum       # sum of the scores of the words so far
    cdef bint plain             # whether the mark is a space
    cdef const uint8_t *space   # the mark
    cdef int64_t width          # length of the mark
    cdef const float[::1] scores_of     # score of each number or id; the last one is 0
    cdef int32_t none           # the number whose score is 0; -1 without `scores_of`
    cdef bint lacks[256]        # whether a byte has no id
    cdef int32_t unknown  # this + n is the number of n unknown bytes; 0: unknown bytes are an error
    # whether each unknown character has a number of its own, instead of each run of them
    cdef bint apart
    cdef int32_t *which         # the pieces of a word
    cdef int64_t which_room
    cdef uint8_t *word          # a word with marks and spaces exchanged
    cdef int64_t word_room

    def set_scores(self, scores, const uint8_t[::1] lacks not None, int32_t unknown, bint apart,
                   const float[::1] scores_of=None):
        """Sets how words are segmented and how bytes without an id are numbered; returns itself.

        Parameters
        ----------
        scores : TextScores
            Segments words; its scores are set.
        lacks : ndarray of uint8, shape (256,)
            Whether each byte lacks an id.
        unknown : int
            `unknown` + n is the number of n unknown bytes; 0 if unknown bytes are an error.
        apart : bool
            Whether each unknown character has a number of its own, instead of each run of them.
        scores_of : ndarray of float32, optional
            Only if sums have 32 bits: the score of each number, or of each id if the cache stores
            ids; the last one is 0 and belongs to none.  It makes known words faster.
        """
        cdef int i
        self.plain = self.mark == b" "
        self.space = self.mark
        self.width = len(self.mark)
        self.none = -1
        if scores_of is not None:
            self.scores_of = scores_of
            self.none = <int32_t> scores_of.shape[0] - 1
        self.cap = min(self.cap, CAP)
        self.scores = scores
        self.ways = <GoingOn *> PyCapsule_GetPointer(scores.ways_to_go_on(), "partcover.GoingOn")
        for i in range(256):
            self.lacks[i] = lacks[i]
        self.unknown = unknown
        self.apart = apart
        return self

    def __dealloc__(self):
        free(self.which)
        free(self.word)

    cdef void _begin_text(self) noexcept nogil:
        self.score_sum = 0

    cdef int _copy_known(self, const Key *keys, int i, int n) noexcept nogil:
        """Appends the numbers of words from i on up to the first not in a slot; returns that."""
        cdef const Slots *slots = &self.slots
        cdef const Slot *slot
        cdef float total = <float> self.score_sum
        cdef const float *scores
        cdef int32_t *at = self.out + self.n_out
        if self.none < 0:
            return i
        scores = &self.scores_of[0]
        while i < n and -LOW <= total <= LOW:
            slot = _known(slots, keys + i, self.arena)
            if slot == NULL:
                break
            if slot.more & PIECES == 0:
                break
            memcpy(at, slot.pieces, 16)     # always copy 16 bytes; the excess is overwritten later
            total = total + scores[slot.pieces[0]]
            total = total + scores[slot.pieces[1]]
            total = total + scores[slot.pieces[2]]
            at += slot.more & PIECES
            i += 1
        self.n_out = at - self.out
        self.score_sum = total
        return i

    cdef int _look_up(self, const Key *key, const uint8_t *base) noexcept nogil:
        """Appends the numbers of a word, and adds its scores to the sum; -1: no memory."""
        cdef const uint8_t *p = key.start
        cdef int64_t n = _size(key)
        cdef Key own
        cdef Slot *slot
        cdef const int32_t *record
        cdef const double *adds
        cdef int32_t i, n_adds
        cdef float narrow
        cdef int64_t count, size
        cdef const uint8_t *word
        if n <= self.cap:
            own = key[0]        # after a rehash the home is another one
            own.home = _home(&self.slots, key.a, key.b)
            slot = _slot_of(&self.slots, &own, self.arena)
            if slot == NULL:
                slot = self._new_record(&own, p, n)
                if slot == NULL:
                    return -1
            record = self.numbers + RECORD * <int64_t> slot.pieces[0]
            # a valid word in a slot was copied by `_copy_known` already, unless it has just become
            # known
            if slot.more & PIECES == 0 and (
                -(<const double *> record)[0] <= self.score_sum <= (<const double *> record)[0]
            ):
                count = record[2]
                n_adds = record[3]
                adds = <const double *> (record + 4)
                if self.ways.narrow:
                    narrow = <float> self.score_sum
                    for i in range(n_adds):
                        narrow = narrow + <float> adds[i]
                    self.score_sum = narrow
                else:
                    for i in range(n_adds):
                        self.score_sum = self.score_sum + adds[i]
                if _grow(<void **> &self.out, &self.out_room, self.n_out + count + SPARE,
                         sizeof(int32_t)) < 0:
                    return -1
                memcpy(self.out + self.n_out, adds + n_adds, count * sizeof(int32_t))
                self.n_out += count
                return 0
        word = self._exchanged(p, n, &size)
        if (word == NULL
                or _grow(<void **> &self.which, &self.which_room, size, sizeof(int32_t)) < 0
                or self.ways.cut(self.ways.scores, word, size, &self.score_sum, self.which) < 0):
            return -1
        count = _pieces_of(self.which, size)
        if _grow(<void **> &self.out, &self.out_room, self.n_out + count + SPARE,
                 sizeof(int32_t)) < 0:
            return -1
        count = self._number(word, size, self.out + self.n_out)
        if count < 0:
            return self._skip(p - base, n)
        self.n_out += count
        return 0

    cdef Slot *_new_record(self, const Key *key, const uint8_t *p, int64_t n) noexcept nogil:
        """Caches a word; returns its slot, or NULL if memory runs out.

        The entry of a word with a byte that has no id is valid after no sum.
        """
        cdef double adds[CAP]
        cdef int32_t n_adds = 0
        cdef int64_t count = 0
        cdef int64_t at = (self.n_numbers + RECORD - 1) // RECORD
        cdef int32_t *record
        cdef Slot *slot
        cdef double limit
        cdef uint64_t home
        cdef bint low
        cdef int64_t i, size
        cdef const uint8_t *word = self._exchanged(p, n, &size)
        if word == NULL:
            return NULL
        if (_grow(<void **> &self.numbers, &self.numbers_room,
                  RECORD * (at + 1) + 3 * size, sizeof(int32_t)) < 0
                or _grow(<void **> &self.which, &self.which_room, size, sizeof(int32_t)) < 0):
            return NULL
        record = self.numbers + RECORD * at
        limit = -1
        if size <= CAP:
            limit = self.ways.reach(self.ways.scores, word, size, self.which, adds, &n_adds)
        if limit >= 0:
            count = self._number(word, size, record + 4 + 2 * n_adds)
            if count < 0:
                limit = -1
        if not limit >= 0:
            limit = -1
            count = n_adds = 0
        low = limit >= LOW and 0 < count <= PIECES and self.none >= 0
        for i in range(size if low else 0):
            if self.which[i] == SINGLE and self.lacks[word[i]]:
                low = False     # the numbers of unknown bytes have no scores
        (<double *> record)[0] = limit
        record[2] = <int32_t> count
        record[3] = n_adds
        memcpy(record + 4, adds, n_adds * sizeof(double))
        if n > INLINE:
            if _grow(<void **> &self.arena, &self.room, self.used + n, 1) < 0:
                return NULL
            memcpy(self.arena + self.used, p, n)
            self.used += n
        if self.n_kept + 1 > _most(&self.slots) and self._rehash() < 0:
            return NULL
        if not low:
            self.n_numbers = RECORD * at + 4 + 2 * n_adds + count
        self.n_kept += 1
        home = _home(&self.slots, key.a, key.b)
        slot = _add_slot(&self.slots, home)
        slot.a = key.a if n <= INLINE else <uint64_t> (self.used - n) + 1
        slot.b = key.b
        slot.more = 0
        slot.pieces[0] = <int32_t> at
        if low:
            slot.more = <uint32_t> count
            for i in range(PIECES):
                slot.pieces[i] = record[4 + 2 * n_adds + i] if i < count else self.none
        return slot

    cdef const uint8_t *_exchanged(self, const uint8_t *p, int64_t n,
                                   int64_t *size) noexcept nogil:
        """Returns a word with marks and spaces exchanged, and sets its size; NULL: no memory."""
        size[0] = n
        if self.plain:
            return p
        if _grow(<void **> &self.word, &self.word_room, n * self.width, 1) < 0:
            return NULL
        size[0] = _exchange(p, n, self.space, self.width, self.word) - self.word
        return self.word

    cdef int64_t _number(self, const uint8_t *p, int64_t n, int32_t *to) noexcept nogil:
        """Writes the numbers of the pieces in `which`; returns how many; -1: a byte has no id."""
        cdef int64_t i, count = 0
        cdef int32_t unknown = 0        # number of unknown bytes so far
        cdef int32_t piece
        for i in range(n):
            piece = self.which[i]
            if piece == SINGLE and self.lacks[p[i]]:
                if self.unknown == 0:
                    return -1
                if unknown and not (self.apart and p[i] & 0xC0 != 0x80):
                    count -= 1
                else:
                    unknown = 0
                unknown += 1
                to[count] = self._kept(self.unknown + unknown)
                count += 1
                continue
            unknown = 0
            if piece != INSIDE:
                to[count] = self._kept(piece + 256 if piece >= 0 else p[i])
                count += 1
        return count


cdef int64_t _pieces_of(const int32_t *which, int64_t n) noexcept nogil:
    """Returns how many pieces a word has."""
    cdef int64_t i, count = 0
    for i in range(n):
        count += which[i] != INSIDE
    return count
