# cython: boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""Instances of at most 64 symbols, solved outright: one bit for each pair of symbols.

Bit p of a mask is about the pair of the symbols p and p + 1 of the text; the bit of a word's
last symbol is never set.  A token's symbols, four bits each from the left, make its key, so
that keys of one length compare as the tokens do.
"""

import numpy as np

from libc.stdint cimport int32_t, int64_t, uint8_t, uint64_t

cdef extern from *:
    int popcount "__builtin_popcountll"(uint64_t mask) noexcept nogil
    int lowest "__builtin_ctzll"(uint64_t mask) noexcept nogil

cdef enum:
    ROOM = 64           # symbols of an instance
    LONGEST = 16        # symbols of a word: a key holds no more
    MOST = 480          # substrings of two or more symbols: 64 · 15 / 2

cdef enum Method:
    GREEDTOK = 0
    GREEDWMC = 1
    RELAXED = 2         # GreedWMC by its own objective, against the optimum of that
    BPE = 3


cdef struct Token:
    uint64_t key
    uint64_t starts     # where it occurs
    uint64_t cover      # pairs under any occurrence
    int64_t weight      # of these pairs
    int length
    int first           # an occurrence
    int word            # the only word it occurs in, or -1


cdef struct Tiny:
    int symbols
    int words
    int tokens
    uint8_t text[ROOM]
    int begin[ROOM + 1]
    int64_t counts[ROOM]
    int word_of[ROOM]
    uint64_t pairs[ROOM]          # of each word
    Token token[MOST]


cdef struct Best:
    int64_t cover
    int many
    int tokens[ROOM]


cdef inline uint64_t _inside(int start, int length) noexcept nogil:
    return ((<uint64_t> 1 << (length - 1)) - 1) << start


cdef inline int64_t _weight(const Tiny *t, uint64_t mask) noexcept nogil:
    cdef int64_t total = 0
    cdef int w
    for w in range(t.words):
        total += t.counts[w] * popcount(mask & t.pairs[w])
    return total


cdef void _add_word(Tiny *t, const uint8_t *symbols, int length, int64_t count) noexcept nogil:
    """A word more, distinct from those there are."""
    cdef int i
    cdef int begin = t.symbols
    for i in range(length):
        t.text[begin + i] = symbols[i]
        t.word_of[begin + i] = t.words
    t.begin[t.words] = begin
    t.counts[t.words] = count
    t.pairs[t.words] = _inside(begin, length)
    t.symbols += length
    t.words += 1
    t.begin[t.words] = t.symbols


cdef void _find_tokens(Tiny *t) noexcept nogil:
    """All distinct substrings of two or more symbols."""
    cdef int w, start, end, c, length
    cdef uint64_t key
    cdef Token *token
    t.tokens = 0
    for w in range(t.words):
        for start in range(t.begin[w], t.begin[w + 1]):
            key = 0
            for end in range(start, t.begin[w + 1]):
                key |= <uint64_t> t.text[end] << (60 - 4 * (end - start))
                length = end - start + 1
                if length < 2:
                    continue
                token = NULL
                for c in range(t.tokens):
                    if t.token[c].key == key and t.token[c].length == length:
                        token = &t.token[c]
                        break
                if token == NULL:
                    token = &t.token[t.tokens]
                    t.tokens += 1
                    token.key = key
                    token.length = length
                    token.first = start
                    token.word = w
                    token.starts = 0
                    token.cover = 0
                elif token.word != w:
                    token.word = -1
                token.starts |= <uint64_t> 1 << start
                token.cover |= _inside(start, length)
    for c in range(t.tokens):
        t.token[c].weight = _weight(t, t.token[c].cover)


cdef int64_t _cover(const Tiny *t, const int *chosen, int many) noexcept nogil:
    """Pairs inside the tokens of the shortest paths."""
    cdef int64_t total = 0
    cdef int saved[ROOM + 1]
    cdef int w, end, i, start
    cdef const Token *token
    for w in range(t.words):
        saved[t.begin[w]] = 0
        for end in range(t.begin[w] + 1, t.begin[w + 1] + 1):
            saved[end] = saved[end - 1]
            for i in range(many):
                token = &t.token[chosen[i]]
                start = end - token.length
                if start >= t.begin[w] and token.starts >> start & 1:
                    saved[end] = max(saved[end], saved[start] + token.length - 1)
        total += t.counts[w] * saved[t.begin[w + 1]]
    return total


cdef void _descend(const Tiny *t, const int *order, int many, int first, int left, int *chosen,
                   int depth, uint64_t mask, bint relaxed, Best *best) noexcept nogil:
    """Every way to choose `left` more tokens from `first` on that may beat the best.

    The relaxed cover is submodular and no less than the cover: what the next tokens can add is
    at most the sum of the largest weights left, be it of pairs not yet under a token, or, as
    `order` has the largest first, of all.
    """
    cdef int64_t have = _weight(t, mask)
    cdef int64_t bound
    cdef int64_t cover
    cdef int64_t add
    cdef int64_t largest[ROOM]
    cdef uint64_t now
    cdef int i, j
    if left > 2:
        for j in range(left):
            largest[j] = 0
        for i in range(first, many):
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
    for i in range(first, many - left + 1):
        bound = have
        for j in range(left):
            bound += t.token[order[i + j]].weight
        if bound <= best.cover:
            return
        chosen[depth] = order[i]
        now = mask | t.token[order[i]].cover
        if left > 1:
            _descend(t, order, many, i + 1, left - 1, chosen, depth + 1, now, relaxed, best)
            continue
        cover = _weight(t, now)
        if cover > best.cover and not relaxed:
            cover = _cover(t, chosen, depth + 1)
        if cover > best.cover:
            best.cover = cover
            best.many = depth + 1
            for j in range(depth + 1):
                best.tokens[j] = chosen[j]


cdef void _optimum(const Tiny *t, int k, bint relaxed, int64_t floor, Best *best) noexcept nogil:
    """The most that k tokens cover, if above `floor`; else `best.cover` is `floor`.

    A token that occurs in one word only is no better than that word, which is one token.
    """
    cdef int order[MOST]
    cdef int chosen[ROOM]
    cdef int many = 0
    cdef int c, i
    cdef const Token *a
    cdef const Token *b
    for c in range(t.tokens):
        a = &t.token[c]
        if a.word >= 0 and a.length < t.begin[a.word + 1] - t.begin[a.word]:
            continue
        i = many
        while i > 0:
            b = &t.token[order[i - 1]]
            if b.weight > a.weight or (b.weight == a.weight and (
                    b.length < a.length or (b.length == a.length and b.key < a.key))):
                break
            order[i] = order[i - 1]
            i -= 1
        order[i] = c
        many += 1
    best.cover = floor
    best.many = 0
    k = min(min(k, many), ROOM)  # each token needed covers a pair of its own
    if k == 0:
        best.cover = max(floor, 0)
        return
    _descend(t, order, many, 0, k, chosen, 0, 0, relaxed, best)


cdef int64_t _place(const Tiny *t, const Token *token, uint64_t *mask) noexcept nogil:
    """Place a token left to right where no pair at its ends is covered; the weight it adds."""
    cdef uint64_t left = token.starts
    cdef uint64_t inside, one
    cdef int64_t gain = 0
    cdef int p
    while left:
        p = lowest(left)
        left &= left - 1
        one = <uint64_t> 1 << p
        if mask[0] & (one >> 1 | one << (token.length - 1)):
            continue
        inside = _inside(p, token.length)
        gain += t.counts[t.word_of[p]] * popcount(inside & ~mask[0])
        mask[0] |= inside
    return gain


cdef void _greedy(const Tiny *t, int k, bint relaxed, Best *best, bint *tied) noexcept nogil:
    """GreedTok or GreedWMC, with the tie rules of `_greedy.Greedy`.

    `tied` is set if two tokens of one length tied: the names of the symbols then matter.
    """
    cdef uint64_t mask = 0
    cdef uint64_t now
    cdef int64_t score, top
    cdef int pick, c
    cdef bint even
    cdef const Token *a
    cdef const Token *b
    best.cover = 0
    best.many = 0
    tied[0] = False
    while best.many < k:
        pick = -1
        top = 0
        even = False
        for c in range(t.tokens):
            a = &t.token[c]
            if a.weight < top:
                continue
            if relaxed:
                score = _weight(t, a.cover & ~mask)
            else:
                now = mask
                score = _place(t, a, &now)
            if score == 0 or score < top:
                continue
            if score == top:
                b = &t.token[pick]
                if a.length == b.length:
                    even = True
                    if a.key < b.key:
                        continue
                elif (a.length > b.length) != relaxed:
                    continue
                else:
                    even = False
            else:
                even = False
            pick = c
            top = score
        if pick < 0:
            break
        if even:
            tied[0] = True
        if relaxed:
            mask |= t.token[pick].cover
        else:
            _place(t, &t.token[pick], &mask)
        best.cover += top
        best.tokens[best.many] = pick
        best.many += 1


cdef struct Piece:
    uint64_t key
    int start
    int length


cdef inline int _order(const Piece *a, const Piece *b) noexcept nogil:
    """Lexicographic order of two pieces: -1, 0 or 1."""
    if a.key != b.key:
        return 1 if a.key > b.key else -1
    return (a.length > b.length) - (a.length < b.length)


cdef void _bpe(const Tiny *t, int k, Best *best, int *lengths, bint *tied) noexcept nogil:
    """Byte pair encoding: the most frequent adjacent pair of pieces becomes one, k times.

    An equal pair is counted without overlaps, from the left, as it is merged.  Ties go to the
    lexicographically smallest left piece, then right piece.  It goes on while there is a pair,
    even one that occurs once.  `best.tokens` are text positions, `lengths` their lengths.
    """
    cdef Piece pieces[ROOM]
    cdef int last[ROOM]           # pieces of the words up to this one
    cdef int w, i, j, v, kept, begin, pick, order
    cdef int many = 0
    cdef int64_t count, top
    cdef bint even
    cdef Piece left, right
    best.many = 0
    best.cover = 0
    tied[0] = False
    for w in range(t.words):
        for i in range(t.begin[w], t.begin[w + 1]):
            pieces[many].start = i
            pieces[many].length = 1
            pieces[many].key = <uint64_t> t.text[i] << 60
            many += 1
        last[w] = many
    while best.many < k:
        top = 0
        pick = -1
        even = False
        begin = 0
        for w in range(t.words):
            for i in range(begin, last[w] - 1):
                count = 0
                kept = 0
                for v in range(t.words):
                    j = kept
                    kept = last[v]
                    while j + 1 < last[v]:
                        if _order(&pieces[j], &pieces[i]) == 0 and \
                                _order(&pieces[j + 1], &pieces[i + 1]) == 0:
                            count += t.counts[v]
                            j += 1
                        j += 1
                if count < top:
                    continue
                if count == top:
                    order = _order(&pieces[i], &pieces[pick])
                    if order == 0:
                        order = _order(&pieces[i + 1], &pieces[pick + 1])
                    if order == 0:
                        continue
                    even = True
                    if order > 0:
                        continue
                else:
                    even = False
                top = count
                pick = i
            begin = last[w]
        if pick < 0:
            break
        if even:
            tied[0] = True
        left = pieces[pick]
        right = pieces[pick + 1]
        best.tokens[best.many] = left.start
        lengths[best.many] = left.length + right.length
        best.many += 1
        kept = 0
        j = 0
        for w in range(t.words):
            while j < last[w]:
                pieces[kept] = pieces[j]
                if j + 1 < last[w] and _order(&pieces[j], &left) == 0 and \
                        _order(&pieces[j + 1], &right) == 0:
                    pieces[kept].key |= pieces[j + 1].key >> (4 * left.length)
                    pieces[kept].length += right.length
                    best.cover += t.counts[w]
                    j += 1
                kept += 1
                j += 1
            last[w] = kept


cdef int64_t _run(const Tiny *t, int k, Method method, Best *best, bint *tied) noexcept nogil:
    """What a method covers."""
    cdef int lengths[ROOM]
    if method == BPE:
        _bpe(t, k, best, lengths, tied)
    else:
        _greedy(t, k, method != GREEDTOK, best, tied)
        if method == GREEDWMC:
            best.cover = _cover(t, best.tokens, best.many)
    return best.cover


cdef int _load(Tiny *t, const uint8_t[::1] text, const int64_t[::1] offsets,
               const int64_t[::1] counts) except -1:
    cdef int w
    cdef Py_ssize_t i
    if text.shape[0] > ROOM:
        raise ValueError("more than 64 symbols")
    for i in range(text.shape[0]):
        if text[i] > 15:
            raise ValueError("a symbol above 15")
    t.symbols = 0
    t.words = 0
    t.tokens = 0
    for w in range(counts.shape[0]):
        if not 1 <= offsets[w + 1] - offsets[w] <= LONGEST:
            raise ValueError("a word has 1 to 16 symbols")
        _add_word(t, &text[offsets[w]], <int> (offsets[w + 1] - offsets[w]), counts[w])
    _find_tokens(t)
    return 0


def optimum(const uint8_t[::1] text, const int64_t[::1] offsets, const int64_t[::1] counts,
            int k, bint relaxed=False):
    """The most that k substrings cover, by branch and bound.

    Parameters
    ----------
    text, offsets, counts : ndarray
        Distinct words: at most 64 symbols, each 0 to 15; at most 16 in a word.
    k : int
        The budget.
    relaxed : bool
        Tokens may overlap: the optimum of WMC.

    Returns
    -------
    tuple
        The cover, and (start, length) in `text` of each token.

    Notes
    -----
    Sets are tried by relaxed weight, largest first (then shorter, then smaller); the first of
    the best is returned.  Exponential in k at worst.
    """
    cdef Tiny t
    cdef Best best
    cdef bint tied
    _load(&t, text, offsets, counts)
    with nogil:
        # what greedy covers is found again, or beaten
        _greedy(&t, min(k, ROOM), relaxed, &best, &tied)
        _optimum(&t, k, relaxed, best.cover - 1, &best)
    return best.cover, [(t.token[best.tokens[i]].first, t.token[best.tokens[i]].length)
                        for i in range(best.many)]


def method_cover(const uint8_t[::1] text, const int64_t[::1] offsets, const int64_t[::1] counts,
                 int k, int method):
    """What a method covers: 0 GreedTok (priority order), 1 GreedWMC (shortest path), 2 GreedWMC
    (relaxed cover), 3 BPE (its own merges).

    Returns
    -------
    tuple
        The cover, and (start, length) in `text` of each token in the method's order.

    Notes
    -----
    Arguments as for `optimum`.  GreedTok and GreedWMC as in `_greedy.Greedy`, ties included:
    O(k · substrings · symbols).  BPE ties go to the lexicographically smallest pair of tokens.
    """
    cdef Tiny t
    cdef Best best
    cdef int lengths[ROOM]
    cdef bint tied
    _load(&t, text, offsets, counts)
    k = min(k, ROOM)
    if method == BPE:
        with nogil:
            _bpe(&t, k, &best, lengths, &tied)
        return best.cover, [(best.tokens[i], lengths[i]) for i in range(best.many)]
    with nogil:
        _run(&t, k, <Method> method, &best, &tied)
    return best.cover, [(t.token[best.tokens[i]].first, t.token[best.tokens[i]].length)
                        for i in range(best.many)]


cdef class Search:
    """All multisets of words, for the one where a method covers least of the optimum.

    Parameters
    ----------
    table : ndarray of uint8, shape (words, 16)
        Symbols 0 to 15 of each word there is.
    lengths : ndarray of int32, shape (words,)
        Symbols of each word.
    images : ndarray of int32, shape (2, renamings, words)
        What each word becomes under each renaming of the symbols, words forward and reversed;
        ``images[0, 0]`` changes nothing.
    k, method : int
        As for `method_cover`.

    Notes
    -----
    Renaming and reversing change no optimum, but ties and left-to-right placing may follow
    them.  So one multiset of each class is looked at, its optimum found once at most, and the
    method run on every image; renamings are left out where no tie was broken by them.

    The worst is kept: the smallest ratio, then the fewest symbols, then the first, multisets
    being taken in lexicographic order of their words' numbers.
    """
    cdef const uint8_t[:, ::1] table
    cdef const int32_t[::1] lengths
    cdef const int32_t[:, :, ::1] images
    cdef int k
    cdef Method method
    cdef int size
    cdef bint fresh
    cdef int32_t ids[ROOM]
    cdef readonly int64_t seen         # multisets
    cdef readonly int64_t examined     # classes
    cdef readonly int64_t cover
    cdef readonly int64_t optimum
    cdef int symbols
    cdef int worst_size
    cdef int32_t worst[ROOM]
    cdef Tiny tiny
    cdef Tiny image

    def __init__(self, table, lengths, images, int k, int method):
        self.table = table
        self.lengths = lengths
        self.images = images
        self.k = min(k, ROOM)
        self.method = <Method> method
        self.cover = 1
        self.optimum = 1
        self.symbols = ROOM + 1

    @property
    def words(self):
        """Numbers of the words of the worst multiset so far."""
        return [self.worst[i] for i in range(self.worst_size)]

    def start(self, int size):
        """Go to the first multiset of `size` words."""
        cdef int i
        if size > ROOM or size * (np.max(self.lengths) if len(self.lengths) else 0) > ROOM:
            raise ValueError("more than 64 symbols")
        self.size = size
        self.fresh = True
        for i in range(size):
            self.ids[i] = 0

    def run(self, int64_t limit):
        """Look at `limit` more multisets; False when there are no more."""
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
        cdef int32_t other[ROOM]
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
        cdef int64_t least = -1
        cdef int64_t now, floor
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
                if least < 0 or now < least:
                    least = now
                    at_back = back
                    at_r = r
                if r == 0 and not tied:
                    break
        for i in range(self.size):
            symbols += self.lengths[self.ids[i]]
        # worse than the worst is: least · self.optimum < self.cover · (the optimum here)
        floor = least * self.optimum // self.cover
        if symbols < self.symbols and least * self.optimum % self.cover == 0:
            floor -= 1
        if _weight(&self.tiny, ~(<uint64_t> 0)) <= floor:
            return
        _optimum(&self.tiny, self.k, self.method == RELAXED, floor, &best)
        if best.cover <= floor:
            return
        self.cover = least
        self.optimum = best.cover
        self.symbols = symbols
        self.worst_size = self.size
        for i in range(self.size):
            self.worst[i] = self.images[at_back, at_r, self.ids[i]]
