# cython: boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""Finds tiny instances on which a method is furthest from the optimum."""

from libc.stdint cimport int32_t, int64_t, uint8_t, uint64_t

cdef extern from *:
    int lowest "__builtin_ctzll"(uint64_t mask) noexcept nogil

include "../shared/_numpy.pxi"
include "../shared/_bits.pxi"
include "_tiny_instance.pxi"
include "_tiny_methods.pxi"


cdef void _descend(const Tiny *t, const int *order, int size, int first, int left, int *chosen,
                   int depth, uint64_t mask, bint relaxed, Best *best) noexcept nogil:
    """Tries every choice of `left` more tokens, from `first` on, that may beat the best cover.

    The relaxed cover is submodular and at least as large as the cover.  So the next tokens add at
    most the sum of the largest remaining weights: weights of the pairs not yet under a token, or
    of all pairs; `order` is sorted by the latter.
    """
    cdef int64_t have = _weight(t, mask)
    cdef int64_t bound
    cdef int64_t cover
    cdef int64_t add
    cdef int64_t largest[MAX_SYMBOLS]
    cdef uint64_t now
    cdef int i, j
    if left > 2:
        for j in range(left):
            largest[j] = 0
        for i in range(first, size):
            add = _weight(t, t.token[order[i]].cover & ~mask)
            j = left - 1
            if add <= largest[j]:
                continue
            while j > 0 and largest[j - 1] < add:
                largest[j] = largest[j - 1]
                j -= 1
            largest[j] = add
        bound = have
        for j in range(left):
            bound += largest[j]
        if bound <= best.cover:
            return
    for i in range(first, size - left + 1):
        bound = have
        for j in range(left):
            bound += t.token[order[i + j]].weight
        if bound <= best.cover:
            return
        chosen[depth] = order[i]
        now = mask | t.token[order[i]].cover
        if left > 1:
            _descend(t, order, size, i + 1, left - 1, chosen, depth + 1, now, relaxed, best)
            continue
        cover = _weight(t, now)
        if cover > best.cover and not relaxed:
            cover = _cover(t, chosen, depth + 1)
        if cover > best.cover:
            best.cover = cover
            best.size = depth + 1
            for j in range(depth + 1):
                best.tokens[j] = chosen[j]


cdef void _optimum(const Tiny *t, int k, bint relaxed, int64_t floor, Best *best) noexcept nogil:
    """Finds the largest cover of k tokens above `floor`; else sets `best.cover` to `floor`.

    A token that occurs in only one word covers no more than the whole word as a token does.
    """
    cdef int order[MAX_TOKENS]
    cdef int chosen[MAX_SYMBOLS]
    cdef int size = 0
    cdef int c, i
    cdef const Token *a
    cdef const Token *b
    for c in range(t.tokens):
        a = &t.token[c]
        if a.word >= 0 and a.length < t.begin[a.word + 1] - t.begin[a.word]:
            continue
        i = size
        while i > 0:
            b = &t.token[order[i - 1]]
            if b.weight > a.weight or (b.weight == a.weight and (
                    b.length < a.length or (b.length == a.length and b.key < a.key))):
                break
            order[i] = order[i - 1]
            i -= 1
        order[i] = c
        size += 1
    best.cover = floor
    best.size = 0
    k = min(min(k, size), MAX_SYMBOLS)  # each useful token covers a pair that no other covers
    if k == 0:
        best.cover = max(floor, 0)
        return
    _descend(t, order, size, 0, k, chosen, 0, 0, relaxed, best)


cdef int _load(Tiny *t, const uint8_t[::1] text, const int64_t[::1] offsets,
               const int64_t[::1] counts) except -1:
    cdef int w
    cdef Py_ssize_t i
    if text.shape[0] > MAX_SYMBOLS:
        raise ValueError("more than 64 symbols")
    for i in range(text.shape[0]):
        if text[i] > MAX_SYMBOL:
            raise ValueError("a symbol above 15")
    t.symbols = 0
    t.words = 0
    t.tokens = 0
    for w in range(counts.shape[0]):
        if not 1 <= offsets[w + 1] - offsets[w] <= MAX_LENGTH:
            raise ValueError("a word has 1 to 16 symbols")
        _add_word(t, &text[offsets[w]], <int> (offsets[w + 1] - offsets[w]), counts[w])
    _find_tokens(t)
    return 0


def optimum(const uint8_t[::1] text, const int64_t[::1] offsets, const int64_t[::1] counts,
            int k, bint relaxed=False):
    """Finds the largest cover of k substrings, by branch and bound.

    Parameters
    ----------
    text, offsets, counts : ndarray
        Distinct words: at most 64 symbols, each from 0 to 15; at most 16 symbols in a word.
    k : int
        The number of tokens.
    relaxed : bool
        Whether tokens may overlap; the result is then the optimum of WMC.

    Returns
    -------
    tuple
        The cover, and (start, length) in `text` of each token.

    Notes
    -----
    Tokens are tried in the order of relaxed weight, largest first, then length, then symbols.
    The first best set is returned.  Time is exponential in k in the worst case.
    """
    cdef Tiny t
    cdef Best best
    cdef bint tied
    _load(&t, text, offsets, counts)
    with nogil:
        # the optimum is at least the cover of the greedy method
        _greedy(&t, min(k, MAX_SYMBOLS), relaxed, &best, &tied)
        _optimum(&t, k, relaxed, best.cover - 1, &best)
    return best.cover, [(t.token[best.tokens[i]].first, t.token[best.tokens[i]].length)
                        for i in range(best.size)]


def method_cover(const uint8_t[::1] text, const int64_t[::1] offsets, const int64_t[::1] counts,
                 int k, int method):
    """Runs a method on a tiny instance.

    Methods are 0 GreedTok (priority order), 1 GreedWMC (shortest path), 2 GreedWMC (relaxed
    cover), 3 BPE (its own merges).

    Returns
    -------
    tuple
        The cover, and (start, length) in `text` of each token in the method's order.

    Notes
    -----
    The arguments are those of `optimum`.  GreedTok and GreedWMC work as in `_greedy.Greedy`,
    including ties: O(k · substrings · symbols).  In BPE ties go to the lexicographically smallest
    pair of tokens.
    """
    cdef Tiny t
    cdef Best best
    cdef int lengths[MAX_SYMBOLS]
    cdef bint tied
    _load(&t, text, offsets, counts)
    k = min(k, MAX_SYMBOLS)
    if method == BPE:
        with nogil:
            _bpe(&t, k, &best, lengths, &tied)
        return best.cover, [(best.tokens[i], lengths[i]) for i in range(best.size)]
    with nogil:
        _run(&t, k, <Method> method, &best, &tied)
    return best.cover, [(t.token[best.tokens[i]].first, t.token[best.tokens[i]].length)
                        for i in range(best.size)]


cdef class Search:
    """Searches all multisets of words for one where a method is furthest from the optimum.

    Parameters
    ----------
    table : ndarray of uint8, shape (words, 16)
        The symbols, 0 to 15, of each available word.
    lengths : ndarray of int32, shape (words,)
        The number of symbols of each word.
    images : ndarray of int32, shape (2, renamings, words)
        The number of each word's image under each renaming of the symbols, of words forward and
        reversed; ``images[0, 0]`` is the identity.
    k, method : int
        As for `method_cover`.
    of_tokens : bool
        Whether the ratio is the optimum's tokens over the method's; otherwise it is the method's
        cover over the optimum's.

    Notes
    -----
    Renaming symbols and reversing words change no optimum, but may change how ties are broken and
    how tokens are placed from left to right.  So one multiset of each class is examined: its
    optimum is computed at most once, and the method runs on every image.  Further renamings are
    skipped if the method broke no tie in the first.

    The worst multiset has the smallest ratio, then the fewest symbols; then it is the first in
    lexicographic order of the words' numbers.
    """
    cdef const uint8_t[:, ::1] table
    cdef const int32_t[::1] lengths
    cdef const int32_t[:, :, ::1] images
    cdef int k
    cdef Method method
    cdef bint of_tokens
    cdef int size
    cdef bint fresh
    cdef int32_t ids[MAX_SYMBOLS]
    cdef readonly int64_t seen         # number of multisets so far
    cdef readonly int64_t examined     # number of classes examined so far
    cdef readonly int64_t numerator    # of the smallest ratio
    cdef readonly int64_t denominator
    cdef int symbols
    cdef int worst_size
    cdef int32_t worst[MAX_SYMBOLS]
    cdef Tiny tiny
    cdef Tiny image

    def __init__(self, table, lengths, images, int k, int method, bint of_tokens=False):
        self.table = table
        self.lengths = lengths
        self.images = images
        self.k = min(k, MAX_SYMBOLS)
        self.method = <Method> method
        self.of_tokens = of_tokens
        self.numerator = 1
        self.denominator = 1
        self.symbols = MAX_SYMBOLS + 1

    @property
    def words(self):
        """The numbers of the words of the worst multiset so far."""
        return [self.worst[i] for i in range(self.worst_size)]

    def start(self, int size):
        """Restarts at the first multiset of `size` words."""
        cdef int i
        if max(size, size * np.max(self.lengths, initial=0)) > MAX_SYMBOLS:
            raise ValueError("more than 64 symbols")
        self.size = size
        self.fresh = True
        for i in range(size):
            self.ids[i] = 0

    def run(self, int64_t limit):
        """Examines `limit` more multisets; returns False if there are no more."""
        cdef int64_t n = 0
        cdef bint more = True
        with nogil:
            while n < limit:
                more = self._next()
                if not more:
                    break
                n += 1
                self.seen += 1
                if self._first_of_its_class():
                    self.examined += 1
                    self._consider()
        return more

    cdef bint _next(self) noexcept nogil:
        cdef int i = self.size - 1
        cdef int j
        if self.fresh:
            self.fresh = False
            return self.lengths.shape[0] > 0
        while i >= 0 and self.ids[i] == self.lengths.shape[0] - 1:
            i -= 1
        if i < 0:
            return False
        self.ids[i] += 1
        for j in range(i + 1, self.size):
            self.ids[j] = self.ids[i]
        return True

    cdef bint _first_of_its_class(self) noexcept nogil:
        cdef int32_t other[MAX_SYMBOLS]
        cdef int32_t number
        cdef Py_ssize_t back, r
        cdef int i, j
        for back in range(2):
            for r in range(self.images.shape[1]):
                for i in range(self.size):
                    number = self.images[back, r, self.ids[i]]
                    j = i
                    while j > 0 and other[j - 1] > number:
                        other[j] = other[j - 1]
                        j -= 1
                    other[j] = number
                for i in range(self.size):
                    if other[i] != self.ids[i]:
                        if other[i] < self.ids[i]:
                            return False
                        break
        return True

    cdef void _build(self, Tiny *t, Py_ssize_t back, Py_ssize_t r) noexcept nogil:
        cdef int i = 0
        cdef int j
        cdef int32_t number
        t.symbols = 0
        t.words = 0
        while i < self.size:
            j = i + 1
            while j < self.size and self.ids[j] == self.ids[i]:
                j += 1
            number = self.images[back, r, self.ids[i]]
            _add_word(t, &self.table[number, 0], self.lengths[number], j - i)
            i = j
        _find_tokens(t)

    cdef void _consider(self) noexcept nogil:
        cdef int64_t smallest = -1     # smallest cover of the method over all images
        cdef int64_t now, floor, product
        cdef bint divides
        cdef Py_ssize_t back, r
        cdef Py_ssize_t at_back = 0
        cdef Py_ssize_t at_r = 0
        cdef bint tied
        cdef Best best
        cdef int i
        cdef int symbols = 0
        self._build(&self.tiny, 0, 0)
        for back in range(2):
            for r in range(self.images.shape[1]):
                self._build(&self.image, back, r)
                now = _run(&self.image, self.k, self.method, &best, &tied)
                if smallest < 0 or now < smallest:
                    smallest = now
                    at_back = back
                    at_r = r
                if r == 0 and not tied:
                    break
        for i in range(self.size):
            symbols += self.lengths[self.ids[i]]
        # this multiset is worse if its ratio is smaller, that is if the optimum's cover is above
        # `floor`
        if self.of_tokens:
            product = self.numerator * (symbols - smallest)
            floor = symbols - (product + self.denominator - 1) // self.denominator
            divides = product % self.denominator == 0
        else:
            product = smallest * self.denominator
            floor = product // self.numerator
            divides = product % self.numerator == 0
        if symbols < self.symbols and divides:
            floor -= 1
        if _weight(&self.tiny, ~(<uint64_t> 0)) <= floor:
            return
        _optimum(&self.tiny, self.k, self.method == RELAXED, floor, &best)
        if best.cover <= floor:
            return
        self.numerator = symbols - best.cover if self.of_tokens else smallest
        self.denominator = symbols - smallest if self.of_tokens else best.cover
        self.symbols = symbols
        self.worst_size = self.size
        for i in range(self.size):
            self.worst[i] = self.images[at_back, at_r, self.ids[i]]
