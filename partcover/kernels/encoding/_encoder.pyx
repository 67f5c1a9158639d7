# cython: boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""Finds the words of a text, and caches the pieces that they are segmented into.

A piece is a token or a single byte.  Each piece has a number, which `ids` may map to an id.
"""

from cpython.buffer cimport PyBUF_WRITABLE, PyBuffer_Release, PyObject_GetBuffer
from cpython.bytes cimport PyBytes_AS_STRING
from cpython.pycapsule cimport PyCapsule_GetPointer
from cpython.unicode cimport PyUnicode_DATA
from libc.stdint cimport (int32_t, int64_t, uint8_t, uint16_t, uint32_t, uint64_t,
                          uintptr_t)
from libc.stdlib cimport calloc, free, malloc, realloc
from libc.string cimport memchr, memcmp, memcpy, memset

cdef object _empty = None   # NumPy's, once there is a cache: it is called for each short text

cdef enum:
    # a table with fewer slots grows to four times its size, a larger one to twice its size
    SMALL = 1 << 17
    FEW = 16            # up to this many pieces of a word are copied without checking for room
    BRIEF = 1 << 12     # bytes of text that are looked up without releasing the interpreter lock
    UNCACHED = -2147483648  # marks in `out` the first word of a section that is not cached

include "../shared/_arrays.pxi"
include "../shared/_going_on.pxi"
include "../shared/_hash.pxi"
include "_list_values.pxi"
include "../shared/_marks.pxi"
include "../shared/_numpy.pxi"
include "../shared/_pairs.pxi"
include "_short_merges.pxi"
include "_word_slots.pxi"
include "_token_table.pxi"
include "../shared/_word_ends.pxi"
include "../words/_windows.pxi"
include "_word_keys.pxi"

cdef enum:
    # room for the numbers of the words of which `_next_keys` finds the keys, and for an excess
    SPARE = (AHEAD + WINDOW) * FEW + 4


cdef struct Entry:      # a word with several numbers, or whose numbers are not known yet
    int64_t first       # index of its first number
    int64_t count       # how many numbers it has; −1: not known yet

cdef struct NewWord:    # a word of this section
    int64_t start       # its place in the text
    int64_t length
    int32_t entry


cdef extern from *:
    """
    /* without a look-up of the method isascii, which a short text would wait for */
    static int pc_is_ascii(PyObject *text)
    {
    #if PY_VERSION_HEX < 0x030C0000
        if (PyUnicode_READY(text) < 0)
            return -1;
    #endif
        return PyUnicode_IS_ASCII(text);
    }
    """
    int pc_is_ascii(object text) except -1


cdef const uint8_t *_utf8(object text) except NULL:
    """Returns the bytes of a text, which is bytes or a str of ASCII characters only."""
    if isinstance(text, bytes):
        return <const uint8_t *> PyBytes_AS_STRING(text)
    if isinstance(text, str) and pc_is_ascii(text):
        return <const uint8_t *> PyUnicode_DATA(text)
    raise TypeError("bytes or ASCII characters are expected")


cdef Py_ssize_t _text_length(object text) except -1:
    """Returns the bytes of such a text; a class of its own may have another `len`."""
    _utf8(text)     # checks the type
    return len(<bytes> text) if isinstance(text, bytes) else len(<str> text)


cdef void _narrowed(uint16_t *to, const int32_t *from_, int64_t n) noexcept nogil:
    cdef int64_t i
    for i in range(n):
        to[i] = <uint16_t> from_[i]


cdef class WordCache:
    """A cache of the pieces that words are segmented into, with a limit in bytes.

    For each section of text, call `find`, which looks its words up; then `new_words` and
    `add_pieces` if there are new ones; then `write` or `array_of_words`.
    `find_texts` looks up several texts.  Only one thread at a time may use a cache; words are
    found without the interpreter lock.  A cache that has outgrown `limit` is emptied.  Words of
    more than an eighth of `limit` are not cached, nor are words of 2^24 bytes or more.

    Parameters
    ----------
    mode : int
        Where words end: `FIRST_SPACE` to `MARKED`.  `MARKED` needs a call of `set_marks` before
        texts are searched.
    kinds : ndarray of uint8, shape (0x110000,)
        The classes of each code point: bits from `LETTER` to `DECIMAL`.
    mark : bytes
        The bytes that stand for a space, not empty.  If they are not a space, a mark within a word
        becomes a space.
    limit : int
        Bytes of memory that the cache may use, at least 0.
    tokens : TokenTable, optional
        Words that are one token.  Words that are not cached are not looked up in it.
    phrase : int
        The largest number of words in a phrase.
    merges : ShortMerges, optional
        Segments short words that are cached and not in `tokens`, so that they are never new.
    ids : ndarray of int32, optional
        The id of each number, at least 0; the cache then stores ids instead of numbers.  The last
        id is also that of all larger numbers.
    """

    cdef TokenTable tokens
    cdef ShortMerges merges
    cdef const int32_t[::1] ids
    cdef const int32_t *id_of   # NULL: the cache stores numbers
    cdef int32_t last           # the last number with an id of its own
    cdef Scanner scanner
    cdef const uint8_t[::1] kinds
    cdef const uint8_t[::1] marks
    cdef int64_t marks_at       # where the part of the text begins that the marks describe
    cdef bytes mark
    cdef int64_t limit
    cdef int64_t cap            # bytes of the longest word that is cached
    cdef Slots slots
    cdef int64_t n_kept         # number of words in slots
    cdef uint8_t *arena         # bytes of the words that are too long for a slot
    cdef int64_t used, room
    cdef Entry *entries
    cdef int64_t n_entries, entries_room
    cdef int32_t *numbers       # the numbers of all entries, one after another
    cdef int64_t n_numbers, numbers_room
    cdef NewWord *new  # words of this section that are cached and whose pieces are not known yet
    cdef int64_t n_new, new_room
    cdef NewWord *uncached      # words of this section that are not cached, one for each occurrence
    cdef int64_t n_uncached, uncached_room
    cdef int64_t n_own  # number of entries without those of `uncached`, once these have pieces
    # the section's numbers; −1 − i: the numbers of entry i; `UNCACHED` + i: of `uncached[i]`
    cdef int32_t *out
    cdef int64_t n_out, out_room
    cdef int64_t *bounds        # where each text of several ends in `out`
    cdef int64_t n_bounds, bounds_room

    def __cinit__(self, int mode, const uint8_t[::1] kinds, bytes mark, int64_t limit,
                  TokenTable tokens=None, int phrase=1, ShortMerges merges=None,
                  const int32_t[::1] ids=None):
        global _empty
        _empty = np.empty
        if ids is not None:
            self.ids = ids
            self.id_of = &ids[0]
            self.last = <int32_t> ids.shape[0] - 1
        self.tokens = tokens
        self.merges = merges
        self.kinds = kinds
        self.scanner = _scanner(kinds, mode, phrase, True)
        self.mark = mark
        # larger caches would need slot and entry numbers of more than 30 bits
        self.limit = min(limit, <int64_t> 1 << 33)
        self.cap = min(self.limit >> 3, LONGEST)
        if _new_slots(&self.slots, (1 << 9) - 1) < 0:
            raise MemoryError

    def __dealloc__(self):
        free(self.slots.memory)
        free(self.arena)
        free(self.entries)
        free(self.numbers)
        free(self.new)
        free(self.uncached)
        free(self.out)
        free(self.bounds)

    def __len__(self):
        """Returns the number of cached words."""
        return self.n_kept

    @property
    def nbytes(self):
        """The memory of the cache in bytes."""
        return self._nbytes()

    @property
    def displacement(self):
        """The sum of the words' positions in their chains; a word in its home has position 0."""
        cdef uint64_t i, total = 0, place
        cdef const Slot *slot
        for i in range(1, self.slots.mask + 1, 2):
            slot = self.slots.at + i
            place = 0
            while slot != NULL:
                total += place
                place += 1
                slot = _next_slot(&self.slots, slot)
        return total

    cdef int64_t _nbytes(self) noexcept nogil:
        return (self.used + self.n_entries * sizeof(Entry) + self.slots.used * sizeof(Slot)
                + self.n_numbers * sizeof(int32_t))

    cdef int _rehash(self) noexcept nogil:
        cdef Slots old = self.slots
        cdef const Slot *slot
        cdef Slot *to
        cdef uint64_t i
        if _new_slots(&self.slots, (4 if old.mask < SMALL else 2) * (old.mask + 1) - 1) < 0:
            self.slots = old
            return -1
        for i in range(old.used):
            slot = old.at + i
            if slot.b:
                to = _add_slot(&self.slots, _home(&self.slots, slot.a, slot.b))
                to[0] = slot[0]
                to.more = slot.more & PIECES
        free(old.memory)
        return 0

    cdef inline int32_t _kept(self, int32_t number) noexcept nogil:
        """Returns what the cache stores for a number: the id, or the number itself."""
        return number if self.id_of == NULL else self.id_of[min(number, self.last)]

    cdef int _keep(self, const Key *key, const uint8_t *base) noexcept nogil:
        """Caches a word of the text at `base`, and appends its numbers to the section's."""
        cdef int64_t n = _size(key)
        cdef int64_t count = -1
        cdef int64_t i
        cdef Slot *slot
        cdef int32_t *numbers
        cdef int32_t token = 0
        if self.tokens is not None:
            token = self.tokens.find(key)
        if n > INLINE and _grow(<void **> &self.arena, &self.room, self.used + n, 1) < 0:
            return -1
        if (token == 0
                and (_grow(<void **> &self.entries, &self.entries_room, self.n_entries + 1,
                           sizeof(Entry)) < 0
                     or _grow(<void **> &self.numbers, &self.numbers_room,
                              self.n_numbers + min(n, MERGED) + 4, sizeof(int32_t)) < 0
                     or _grow(<void **> &self.new, &self.new_room, self.n_new + 1,
                              sizeof(NewWord)) < 0)):
            return -1
        slot = _add_slot(&self.slots, _home(&self.slots, key.a, key.b))
        slot.a = key.a
        slot.b = key.b
        slot.more = 0
        if n > INLINE:
            memcpy(self.arena + self.used, key.start, n)
            self.used += n
            slot.a = <uint64_t> (self.used - n) + 1
        if token:
            slot.more = 1
            slot.pieces[0] = self._kept(token)
        else:
            if self.merges is not None and n <= MERGED:
                numbers = self.numbers + self.n_numbers
                count = self.merges.merge(key.start, n, numbers)
                for i in range(count):
                    numbers[i] = self._kept(numbers[i])
            if 0 < count <= PIECES:
                slot.more = <uint32_t> count
                # copies of a fixed size need no call; the excess is never read
                memcpy(slot.pieces, numbers, PIECES * sizeof(int32_t))
            else:
                slot.pieces[0] = <int32_t> self.n_entries
                if count < 0:
                    self.new[self.n_new] = NewWord(key.start - base, n, <int32_t> self.n_entries)
                    self.n_new += 1
                self.entries[self.n_entries] = Entry(self.n_numbers, count)
                self.n_entries += 1
                self.n_numbers += max(count, 0)
        self.n_kept += 1
        if self._put(slot) < 0:
            return -1
        return self._rehash() if self.n_kept > _most(&self.slots) else 0

    cdef int _copy_known(self, const Key *keys, int i, int n) noexcept nogil:
        """Appends the numbers of words from i on, up to the first unknown word; returns its index.

        After a rehash the keys still have homes in the smaller table, so some words are not found.
        """
        cdef const Slots *slots = &self.slots
        cdef const Slot *slot
        cdef const Entry *entry
        cdef const int32_t *numbers
        cdef int64_t j
        cdef int32_t *at = self.out + self.n_out
        while i < n:
            slot = _known(slots, keys + i, self.arena)
            if slot == NULL:
                break
            if slot.more & PIECES:
                memcpy(at, slot.pieces, 16)  # always copy 16 bytes; the excess is overwritten later
                at += slot.more & PIECES
            else:
                entry = self.entries + slot.pieces[0]
                if not 0 <= entry.count <= FEW:
                    break
                numbers = self.numbers + entry.first
                j = 0
                while True:
                    memcpy(at + j, numbers + j, 16)
                    j += 4
                    if j >= entry.count:
                        break
                at += entry.count
            i += 1
        self.n_out = at - self.out
        return i

    cdef int _put(self, Slot *slot) noexcept nogil:
        """Appends the numbers of a slot to the section's, and makes room for those of a window."""
        cdef const Entry *entry
        if slot.more & PIECES:
            memcpy(self.out + self.n_out, slot.pieces, 16)  # the excess is overwritten later
            self.n_out += slot.more & PIECES
            return 0
        entry = self.entries + slot.pieces[0]
        if entry.count < 0:
            self.out[self.n_out] = -1 - slot.pieces[0]
            self.n_out += 1
            return 0
        if _grow(<void **> &self.out, &self.out_room,
                 self.n_out + entry.count + SPARE, sizeof(int32_t)) < 0:
            return -1
        memcpy(self.out + self.n_out, self.numbers + entry.first, entry.count * sizeof(int32_t))
        self.n_out += entry.count
        return 0

    cdef int _look_up(self, const Key *key, const uint8_t *base) noexcept nogil:
        """Appends the numbers of a word of the text at `base`, which may be new; -1: no memory."""
        cdef Key own = key[0]
        cdef Slot *slot
        if _size(key) > self.cap:
            return self._skip(key.start - base, _size(key))
        own.home = _home(&self.slots, key.a, key.b)
        slot = _slot_of(&self.slots, &own, self.arena)
        return self._keep(key, base) if slot == NULL else self._put(slot)

    cdef int _skip(self, int64_t start, int64_t length) noexcept nogil:
        if _grow(<void **> &self.uncached, &self.uncached_room, self.n_uncached + 1,
                 sizeof(NewWord)) < 0:
            return -1
        self.out[self.n_out] = <int32_t> (UNCACHED + self.n_uncached)
        self.n_out += 1
        self.uncached[self.n_uncached] = NewWord(start, length, 0)
        self.n_uncached += 1
        return 0

    def find(self, text, int64_t at, int64_t upto):
        """Looks up the words from `at` on, up to the end of the word that reaches `upto`.

        Parameters
        ----------
        text : bytes or str
            The whole text, since a word's end may depend on what follows; ASCII only if a str.
        at : int
            A place where a word starts.
        upto : int
            A place after `at`.  A section is shorter than 2^30 bytes plus one word.

        Returns
        -------
        end : int
            The place where the next section starts.
        misses : int
            Number of words whose pieces are not known.
        """
        cdef Py_ssize_t size = _text_length(text)
        if at >= size:
            raise ValueError("there is no text from there on")
        at = self._find(text, at, min(upto, <int64_t> size))
        return at, self.n_new + self.n_uncached

    def set_marks(self, const uint8_t[::1] marks not None, int64_t at=0):
        """Sets the marks of the next text, from byte `at` on; only for the mode `MARKED`.

        Text after the part that the marks describe is not searched.
        """
        self.marks = marks
        self.marks_at = at

    cdef int64_t _marked(self, const uint8_t *base, int64_t at, int64_t size) except -1:
        """Sets the marks of a text, and returns how many bytes of it are searched."""
        if self.scanner.mode != MARKED:
            return size
        size = min(size, self.marks_at + len(self.marks))
        if not self.marks_at <= at <= size:
            raise ValueError("there are no marks for this text")
        self.scanner.text = base + self.marks_at
        self.scanner.marks = &self.marks[0] if len(self.marks) else NULL
        return size

    cdef int64_t _find(self, text, int64_t at, int64_t upto) except -1:
        cdef const uint8_t *base = _utf8(text)
        cdef int64_t size = self._marked(base, at, _text_length(text))
        if upto > size:
            raise ValueError("there are no marks for this text")
        self.scanner.readable = base + size
        if upto - at <= BRIEF:
            self._begin()
            at = self._look(base, at, upto, size)
        else:
            with nogil:
                self._begin()
                at = self._look(base, at, upto, size)
        if at < 0:
            raise MemoryError
        return at

    def find_texts(self, bytes data not None, const int64_t[::1] offsets):
        """Looks up the words of several texts, which are one after another.

        Parameters
        ----------
        data : bytes
            The texts.
        offsets : ndarray of int64, shape (texts + 1,)
            Where each text starts, and the end of the last one.

        Returns
        -------
        misses : int
            Number of words whose pieces are not known.
        """
        cdef const uint8_t *base = _utf8(data)
        cdef Py_ssize_t i, n = offsets.shape[0] - 1
        if n < 0 or offsets[0] < 0 or offsets[n] > len(data):
            raise ValueError("there is no such text")
        if offsets[n] > self._marked(base, offsets[0], len(data)):
            raise ValueError("there are no marks for this text")
        for i in range(n):
            if offsets[i] > offsets[i + 1]:
                raise ValueError("texts stand one behind another")
        if _grow(<void **> &self.bounds, &self.bounds_room, n, sizeof(int64_t)) < 0:
            raise MemoryError
        self.scanner.readable = base + len(data)
        with nogil:
            self._begin()
            for i in range(n):
                self._begin_text()
                if self._look(base, offsets[i], offsets[i + 1], offsets[i + 1]) < 0:
                    with gil:
                        raise MemoryError
                self.bounds[i] = self.n_out
                self.n_bounds = i + 1
        return self.n_new + self.n_uncached

    def ends(self):
        """Returns where each text of `find_texts` ends among the numbers, int64."""
        ends = np.empty(self.n_bounds, np.int64)
        cdef int64_t[::1] e = ends
        cdef Py_ssize_t i
        for i in range(self.n_bounds):
            e[i] = self.bounds[i]
        return ends

    def start_text(self):
        """Begins a text."""
        self._begin_text()

    cdef void _begin_text(self) noexcept nogil:
        """Resets the state that depends on the preceding text; there is none here."""

    cdef void _begin(self) noexcept nogil:
        """Begins a section."""
        if self._nbytes() > self.limit and self.n_kept:
            _clear(&self.slots)
            self.used = self.n_entries = self.n_numbers = self.n_kept = 0
        self.n_new = self.n_uncached = self.n_out = self.n_bounds = 0

    cdef void _prefetch_tokens(self, const Key *keys, int i, int n) noexcept nogil:
        """Prefetches where words from i on would be in the table of tokens, unless they are known.

        The first new word is seldom the only one.
        """
        cdef const Slot *slot
        if self.tokens is None:
            return
        for i in range(i, n):
            slot = self.slots.at + keys[i].home
            if slot[0].b != keys[i].b and slot[1].b != keys[i].b:
                self.tokens.prefetch_slot(keys + i)

    cdef int64_t _look(self, const uint8_t *base, int64_t at, int64_t upto,
                       int64_t size) noexcept nogil:
        """Looks up words from `at` on; returns the end of the word that reaches `upto`, or -1."""
        cdef Cut cut = Cut(base + at, 0)
        cdef const uint8_t *stop = base + upto
        cdef const uint8_t *end = base + size
        cdef Key keys[AHEAD + WINDOW]
        cdef int i, ready
        while True:
            # the time goes to waiting for memory, so slots are prefetched some words ahead
            ready = _next_keys(&self.scanner, &cut, stop, end, self.cap, &self.slots, keys)
            if ready == 0:
                return cut.p - base
            if _grow(<void **> &self.out, &self.out_room, self.n_out + SPARE, sizeof(int32_t)) < 0:
                return -1
            i = self._copy_known(keys, 0, ready)
            if i < ready:
                self._prefetch_tokens(keys, i + 1, ready)
            while i < ready:
                if self._look_up(&keys[i], base) < 0:
                    return -1
                i = self._copy_known(keys, i + 1, ready)

    cdef inline const NewWord *_new_word(self, int64_t i) noexcept nogil:
        return self.new + i if i < self.n_new else self.uncached + (i - self.n_new)

    def new_words(self, text):
        """Returns the words whose pieces are not known, with marks and spaces exchanged.

        Returns
        -------
        data : ndarray of uint8
            The words, one after another.
        offsets : ndarray of int64, shape (misses + 1,)
            Where each word starts, and the end of the last one.
        """
        cdef int64_t i, total = 0
        cdef int64_t n = self.n_new + self.n_uncached
        cdef const uint8_t *mark = self.mark
        cdef int64_t width = len(self.mark)
        cdef const uint8_t *base = _utf8(text)
        cdef const NewWord *word
        cdef uint8_t *out
        cdef uint8_t[::1] d
        cdef int64_t[::1] o
        for i in range(n):
            total += self._new_word(i).length
        offsets = np.zeros(n + 1, np.int64)
        data = np.empty(total * width, np.uint8)     # pages that are never written take no memory
        o = offsets
        d = data
        if n == 0:
            return data, offsets
        with nogil:
            out = &d[0]
            for i in range(n):
                word = self._new_word(i)
                out = _exchange(base + word.start, word.length, mark, width, out)
                o[i + 1] = out - &d[0]
        return data[:o[n]], offsets

    def uncached_starts(self):
        """Returns where the section's words that are not cached start in the text, int64."""
        cdef int64_t i
        starts = np.empty(self.n_uncached, np.int64)
        cdef int64_t[::1] s = starts
        for i in range(self.n_uncached):
            s[i] = self.uncached[i].start
        return starts

    def add_pieces(self, const int64_t[::1] offsets, const uint8_t[::1] data,
                   const int32_t[::1] which):
        """Adds the pieces that the words of `new_words` were segmented into.

        Parameters
        ----------
        offsets, data : ndarray
            The result of `new_words`.
        which : ndarray of int32, shape (len(data),)
            At the last symbol of each piece: the token's index, or −1 for a single byte; elsewhere
            −2.  The numbers that `write` gives are 0 to 255 for bytes, and 256 + t for token t.
        """
        cdef int64_t i, j
        cdef int64_t n = self.n_new + self.n_uncached
        cdef Entry entry
        self.n_own = self.n_entries
        if (_grow(<void **> &self.numbers, &self.numbers_room, self.n_numbers + data.shape[0] + 4,
                  sizeof(int32_t)) < 0
                or _grow(<void **> &self.entries, &self.entries_room,
                         self.n_entries + self.n_uncached, sizeof(Entry)) < 0):
            raise MemoryError
        with nogil:
            for i in range(n):
                entry.first = self.n_numbers
                for j in range(offsets[i], offsets[i + 1]):
                    if which[j] != INSIDE:
                        self.numbers[self.n_numbers] = self._kept(
                            which[j] + 256 if which[j] >= 0 else data[j])
                        self.n_numbers += 1
                entry.count = self.n_numbers - entry.first
                if i < self.n_new:
                    self.entries[self.new[i].entry] = entry
                else:
                    self.entries[self.n_own + i - self.n_new] = entry
        self._insert()

    cdef inline const Entry *_entry(self, int32_t value) noexcept nogil:
        """Returns the entry that a negative value of `out` refers to."""
        if value < UNCACHED + self.n_uncached:
            return self.entries + (self.n_own + value - <int64_t> UNCACHED)
        return self.entries + (-1 - value)

    cdef int _insert(self) except -1:
        """Inserts the pieces of new words into the section's numbers."""
        cdef int64_t i, total = 0, text = 0
        cdef const Entry *entry
        cdef int32_t *old = self.out
        cdef int32_t *at
        for i in range(self.n_out):
            total += 1 if old[i] >= 0 else self._entry(old[i]).count
        self.out = NULL
        self.out_room = 0
        if _grow(<void **> &self.out, &self.out_room, total + 1, sizeof(int32_t)) < 0:
            free(old)
            self.n_out = 0
            raise MemoryError
        with nogil:
            at = self.out
            for i in range(self.n_out):
                while text < self.n_bounds and self.bounds[text] == i:
                    self.bounds[text] = at - self.out
                    text += 1
                if old[i] >= 0:
                    at[0] = old[i]
                    at += 1
                    continue
                entry = self._entry(old[i])
                memcpy(at, self.numbers + entry.first, entry.count * sizeof(int32_t))
                at += entry.count
        for i in range(text, self.n_bounds):
            self.bounds[i] = total
        free(old)
        self.n_out = total
        if self.n_uncached:
            self.n_numbers = self.entries[self.n_own].first
        return 0

    @property
    def total(self):
        """How many numbers the section's words have, once no word is new."""
        return self.n_out

    cpdef void write(self, out, int64_t at) except *:
        """Writes the numbers, or ids, of the section's words to `out`, beginning at index `at`.

        `out` has room for `total` of them.  Its type is int32, or uint32 or uint16 if all fit.
        """
        cdef Py_buffer to
        PyObject_GetBuffer(out, &to, PyBUF_WRITABLE)
        try:
            if not 0 <= at <= to.len // to.itemsize - self.n_out:
                raise ValueError("there is no room for these numbers")
            if to.itemsize == sizeof(uint16_t):
                with nogil:
                    _narrowed(<uint16_t *> to.buf + at, self.out, self.n_out)
            elif to.itemsize == sizeof(int32_t):
                if self.n_out:                  # before the first word no memory is allocated
                    memcpy(<int32_t *> to.buf + at, self.out, self.n_out * sizeof(int32_t))
            else:
                raise TypeError("numbers have two or four bytes")
        finally:
            PyBuffer_Release(&to)

    cpdef array_of_words(self, kind):
        """Returns the numbers of the section's words as an array of two or four bytes each."""
        out = _empty(self.n_out, kind)
        self.write(out, 0)
        return out


include "_running_words.pxi"
include "_short_texts.pxi"


cdef uint8_t *_exchange(const uint8_t *p, int64_t n, const uint8_t *mark, int64_t width,
                        uint8_t *out) noexcept nogil:
    """Writes a word with each space as the mark and each mark as a space."""
    cdef const uint8_t *end = p + n
    if width == 1 and mark[0] == c' ':
        memcpy(out, p, n)
        return out + n
    while p < end:
        if p[0] == c' ':
            memcpy(out, mark, width)
            out += width
            p += 1
        elif p[0] == mark[0] and end - p >= width and memcmp(p, mark, width) == 0:
            out[0] = c' '
            out += 1
            p += width
        else:
            out[0] = p[0]
            out += 1
            p += 1
    return out


cdef int _grow(void **array, int64_t *room, int64_t wanted, size_t width) noexcept nogil:
    cdef void *grown
    cdef int64_t new_room
    if wanted <= room[0]:
        return 0
    new_room = max(2 * room[0], wanted)
    grown = realloc(array[0], new_room * width)
    if grown == NULL:
        return -1
    array[0] = grown
    room[0] = new_room
    return 0
