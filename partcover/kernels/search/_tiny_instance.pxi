# Instances of at most 64 symbols, with one bit for each pair of adjacent symbols.  Included by
# _worst_case.pyx.
#
# Bit p of a mask stands for the pair of the symbols p and p + 1 of the text; the bit of a word's
# last symbol is never set.  The symbols of a token, four bits each from the left, form its key, so
# that keys of tokens of equal length compare as the tokens do.

cdef enum:
    MAX_SYMBOLS = 64    # most symbols in an instance
    MAX_LENGTH = 16     # most symbols in a word, since a key holds no more
    MAX_SYMBOL = 15     # largest symbol that fits in four bits
    MAX_TOKENS = 480    # most substrings of two or more symbols: 64 · 15 / 2


cdef struct Token:
    uint64_t key
    uint64_t starts     # one bit for each position where an occurrence starts
    uint64_t cover      # the pairs under any occurrence
    int64_t weight      # the total weight of these pairs
    int length
    int first           # where its first occurrence starts
    int word            # the only word in which it occurs, or -1


cdef struct Tiny:
    int symbols
    int words
    int tokens
    uint8_t text[MAX_SYMBOLS]
    int begin[MAX_SYMBOLS + 1]
    int64_t counts[MAX_SYMBOLS]
    int word_of[MAX_SYMBOLS]
    uint64_t pairs[MAX_SYMBOLS]          # the pairs of each word
    Token token[MAX_TOKENS]


cdef struct Best:       # a set of tokens and the weight that it covers
    int64_t cover
    int size
    int tokens[MAX_SYMBOLS]


cdef inline uint64_t _inside(int start, int length) noexcept nogil:
    """The pairs inside a token that starts at `start`."""
    return ((<uint64_t> 1 << (length - 1)) - 1) << start


cdef inline int64_t _weight(const Tiny *t, uint64_t mask) noexcept nogil:
    """The total weight of the pairs of a mask."""
    cdef int64_t total = 0
    cdef int w
    for w in range(t.words):
        total += t.counts[w] * popcount(mask & t.pairs[w])
    return total


cdef void _add_word(Tiny *t, const uint8_t *symbols, int length, int64_t count) noexcept nogil:
    """Adds a word that is not in the instance yet."""
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
    """Finds all distinct substrings of two or more symbols."""
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


cdef int64_t _cover(const Tiny *t, const int *chosen, int size) noexcept nogil:
    """The pairs inside tokens when each word is segmented into the fewest tokens."""
    cdef int64_t total = 0
    cdef int saved[MAX_SYMBOLS + 1]
    cdef int w, end, i, start
    cdef const Token *token
    for w in range(t.words):
        saved[t.begin[w]] = 0
        for end in range(t.begin[w] + 1, t.begin[w + 1] + 1):
            saved[end] = saved[end - 1]
            for i in range(size):
                token = &t.token[chosen[i]]
                start = end - token.length
                if start >= t.begin[w] and token.starts >> start & 1:
                    saved[end] = max(saved[end], saved[start] + token.length - 1)
        total += t.counts[w] * saved[t.begin[w + 1]]
    return total
