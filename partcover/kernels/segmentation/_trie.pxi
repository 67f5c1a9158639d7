# A trie of tokens as a double array (Aoe 1989), with suffix links (Aho and Corasick 1975).
# Included by _segment.pyx and _text_scores.pyx, after _arrays.pxi, _hash.pxi and _queue.pxi.

cdef struct Node:
    int32_t base     # its child by the symbol with code c is at base + c
    int32_t parent   # the parent node, or -1 if the place is empty
    int32_t token    # the token that ends here, or -1


cdef struct Tail:    # for the string that a node stands for
    int32_t node     # the node of its longest proper suffix in the trie; the root's string is empty
    int32_t token    # the longest token that it ends with, or -1

cdef enum:
    MAX_TRIES = 64   # places tried for the children of a node before they are put at the end


cdef inline Py_ssize_t _free_place(int32_t *after, Py_ssize_t place) noexcept nogil:
    """The first empty place from `place` on; `after` points to it, or to a place nearer to it."""
    while after[place] != place:
        after[place] = after[after[place]]
        place = after[place]
    return place


cdef inline bint _fits(int32_t *after, Py_ssize_t base, const int32_t *codes, Py_ssize_t size,
                       Py_ssize_t end) noexcept nogil:
    """Whether the places for all children are empty."""
    cdef Py_ssize_t i, place
    for i in range(size):
        place = base + codes[i]
        if place >= end:
            return True  # codes ascend, so the remaining places are empty as well
        if after[place] != place:
            return False
    return True


cdef inline Py_ssize_t _slot(int64_t[::1] keys, int64_t key) noexcept nogil:
    """Returns the slot of `key` in the table, or the free slot where it belongs."""
    cdef uint64_t mask = keys.shape[0] - 1
    cdef uint64_t slot = hash_number(<uint64_t> key) & mask
    while keys[slot] != -1 and keys[slot] != key:
        slot = (slot + 1) & mask
    return slot


cdef _doubled(int64_t[::1] keys, int32_t[::1] children):
    cdef int64_t[::1] more_keys = _array(2 * keys.shape[0], "q")
    cdef int32_t[::1] more_children = _array(2 * keys.shape[0], "i")
    cdef Py_ssize_t i, slot
    more_keys[:] = -1
    for i in range(keys.shape[0]):
        if keys[i] != -1:
            slot = _slot(more_keys, keys[i])
            more_keys[slot] = keys[i]
            more_children[slot] = children[i]
    return more_keys, more_children


cdef int64_t _table_displacement(int64_t[::1] keys) noexcept nogil:
    cdef uint64_t mask = keys.shape[0] - 1
    cdef uint64_t i
    cdef int64_t total = 0
    for i in range(mask + 1):
        if keys[i] != -1:
            total += (i - hash_number(<uint64_t> keys[i])) & mask
    return total


def _counts(const int32_t[::1] symbols):
    """Returns how often each number occurs, up to the largest."""
    cdef Py_ssize_t i
    cdef int32_t largest = -1
    for i in range(symbols.shape[0]):
        largest = max(largest, symbols[i])
    counts = _array(<Py_ssize_t> largest + 1, "q")
    cdef int64_t[::1] count = counts
    for i in range(symbols.shape[0]):
        count[symbols[i]] += 1
    return counts


def _largest_first(const int64_t[::1] values, int64_t least):
    """Returns the places (int32) of values of at least `least`, large ones first, then in order.

    Values have 31 bits.
    """
    cdef Py_ssize_t i
    cdef Py_ssize_t n = 0
    # the second half is memory for sorting
    cdef uint64_t *keys = <uint64_t *> malloc((2 * values.shape[0] + 1) * sizeof(uint64_t))
    if keys == NULL:
        raise MemoryError
    for i in range(values.shape[0]):
        if values[i] >= least:
            keys[n] = (NEVER - <uint64_t> values[i]) << 32 | <uint64_t> i
            n += 1
    _sort(keys, n, keys + values.shape[0])
    places = _array(n, "i")
    cdef int32_t[::1] place = places
    for i in range(n):
        place[i] = <int32_t> keys[i]
    free(keys)
    return places


def _tree(const int32_t[::1] tokens, const int64_t[::1] offsets, const int32_t[::1] code_of):
    """Builds the tree of all tokens.

    The first child of a node is stored with the node; the others are in an open-addressing table
    from (node, code) to node.

    Returns
    -------
    parents, codes, ends : ndarray of int32, shape (nodes,)
        The parent of each node, its code, and the token that ends there, or −1.
    displacement : int
        Sum of the distances of the table's entries from their home slots.
    """
    cdef Py_ssize_t t, i, slot
    cdef int64_t key
    cdef int32_t node, child, code
    cdef int32_t size = 1
    cdef Py_ssize_t others = 0
    cdef int64_t[::1] keys = _array(16, "q")
    cdef int32_t[::1] children = _array(16, "i")
    cdef int32_t[::1] eldest = _array(tokens.shape[0] + 1, "i")
    tree = [_array(tokens.shape[0] + 1, "i") for _ in range(3)]
    cdef int32_t[::1] parents = tree[0]
    cdef int32_t[::1] codes = tree[1]
    cdef int32_t[::1] ends = tree[2]
    keys[:] = -1
    parents[0] = codes[0] = ends[0] = -1
    for t in range(offsets.shape[0] - 1):
        node = 0
        for i in range(offsets[t], offsets[t + 1]):
            code = code_of[tokens[i]]
            child = eldest[node]
            if child == 0:
                child = eldest[node] = size
            elif codes[child] != code:
                key = <int64_t> node << 32 | code
                slot = _slot(keys, key)
                if keys[slot] == -1:
                    keys[slot] = key
                    children[slot] = size
                    others += 1
                child = children[slot]
                if 2 * others > keys.shape[0]:
                    keys, children = _doubled(keys, children)
            if child == size:
                parents[size] = node
                codes[size] = code
                ends[size] = -1
                size += 1
            node = child
        ends[node] = <int32_t> t
    return *(column[:size] for column in tree), _table_displacement(keys)


def _families(const int32_t[::1] parents, const int32_t[::1] codes):
    """Lists the children of each node, ordered by their codes.

    The children of node ``n`` are ``children[first[n]:first[n + 1]]``.

    Returns
    -------
    first : ndarray of int32, shape (nodes + 1,)
    children : ndarray of int32, shape (nodes − 1,)
    """
    cdef Py_ssize_t n, i, size
    cdef Py_ssize_t largest = 1
    firsts = _array(parents.shape[0] + 2, "i")
    lists = _array(parents.shape[0] - 1, "i")
    cdef int32_t[::1] first = firsts
    cdef int32_t[::1] children = lists
    cdef uint64_t *keys
    for n in range(1, parents.shape[0]):
        first[parents[n] + 2] += 1
    for n in range(2, first.shape[0]):
        largest = max(largest, first[n])
        first[n] += first[n - 1]
    # first[n + 1] moves from the first child of n to the first child of n + 1
    for n in range(1, parents.shape[0]):
        children[first[parents[n] + 1]] = <int32_t> n
        first[parents[n] + 1] += 1
    # the second half is memory for sorting
    keys = <uint64_t *> malloc(2 * largest * sizeof(uint64_t))
    if keys == NULL:
        raise MemoryError
    for n in range(parents.shape[0]):
        size = first[n + 1] - first[n]
        if size > 1:
            for i in range(size):
                keys[i] = <uint64_t> codes[children[first[n] + i]] << 32 | children[first[n] + i]
            _sort(keys, size, keys + largest)
            for i in range(size):
                children[first[n] + i] = <int32_t> keys[i]
    free(keys)
    return firsts[:parents.shape[0] + 1], lists


def _bases(const int32_t[::1] codes, const int32_t[::1] first, const int32_t[::1] children,
           Py_ssize_t n_codes):
    """Places a tree in a double array, nodes with many children first; returns the nodes' bases.

    Children go to the first places that fit.  The search starts where it last succeeded for the
    same number of children; after `MAX_TRIES` failures the children go to the end.
    """
    cdef Py_ssize_t n_nodes = codes.shape[0]
    cdef int64_t[::1] sizes = _array(n_nodes, "q")
    cdef const int32_t[::1] wide
    bases = _array(n_nodes, "i")
    cdef int32_t[::1] base = bases
    cdef int32_t[::1] code = _array(max(1, n_codes), "i")   # codes of a node's children
    cdef Py_ssize_t room = n_nodes + n_codes + 1024
    cdef Py_ssize_t end = 1     # all places from here on are empty
    cdef Py_ssize_t cursor = 1
    cdef Py_ssize_t size = -1
    cdef Py_ssize_t n, node, i, tries, place, more
    cdef int32_t *after = NULL
    cdef int32_t *moved
    for n in range(n_nodes):
        sizes[n] = first[n + 1] - first[n]
    wide = _largest_first(sizes, 2)
    sizes = None
    try:
        after = <int32_t *> malloc(room * sizeof(int32_t))
        if after == NULL:
            raise MemoryError
        for i in range(room):
            after[i] = <int32_t> i
        after[0] = 1
        for n in range(wide.shape[0] + n_nodes):
            node = wide[n] if n < wide.shape[0] else n - wide.shape[0]
            i = first[node + 1] - first[node]
            if i == 0 or i > 1 and n >= wide.shape[0]:
                continue
            if i != size:
                size = i
                cursor = 1
            for i in range(size):
                code[i] = codes[children[first[node] + i]]
            place = _free_place(after, max(cursor, code[0]))
            tries = 0
            while place < end and not _fits(after, place - code[0], &code[0], size, end):
                tries += 1
                if tries == MAX_TRIES:
                    cursor = place
                    place = end
                else:
                    place = _free_place(after, place + 1)
            place = max(place, code[0])
            base[node] = <int32_t> (place - code[0])
            # leave room for a place after the last
            if base[node] + n_codes + 2 > room:
                more = room + room // 4 + n_codes
                moved = <int32_t *> realloc(after, more * sizeof(int32_t))
                if moved == NULL:
                    raise MemoryError
                after = moved
                for i in range(room, more):
                    after[i] = <int32_t> i
                room = more
            for i in range(size):
                place = base[node] + code[i]
                after[place] = <int32_t> (place + 1)
                end = max(end, place + 1)
    finally:
        free(after)
    return bases


cdef class Trie:
    """A trie of tokens in which one addition finds a child.

    Each node has a link to its longest proper suffix in the trie, and each token one to the longest
    other token that it ends with: so the tokens that end at a position are visited longest first.

    Parameters
    ----------
    tokens : ndarray of int32
        Symbols (>= 0) of all tokens, one token after another; tokens are distinct.
    offsets : ndarray of int64, shape (tokens + 1,)
        Token ``t`` is ``tokens[offsets[t]:offsets[t + 1]]``.
    """
    cdef int32_t[::1] codes      # codes of symbols: frequent ones are small; 0: in no token
    cdef Node *nodes             # the root is the first
    cdef Py_ssize_t n_nodes      # with empty places
    cdef int32_t[::1] lengths    # lengths of the tokens
    cdef Tail *tails             # one for each node
    cdef int32_t[::1] shorter    # for each token the longest other token that it ends with, or -1
    cdef readonly Py_ssize_t longest
    cdef readonly int64_t displacement   # the sum of `_tree` for the table used to build the tree

    def __init__(self, const int32_t[::1] tokens, const int64_t[::1] offsets):
        cdef Py_ssize_t i
        counts = _counts(tokens)
        cdef const int32_t[::1] symbols = _largest_first(counts, 1)
        self.codes = _array(max(256, len(counts)), "i")
        for i in range(symbols.shape[0]):
            self.codes[symbols[i]] = <int32_t> (i + 1)
        self.longest = 1
        self.lengths = _array(offsets.shape[0] - 1, "i")
        for i in range(offsets.shape[0] - 1):
            self.lengths[i] = <int32_t> (offsets[i + 1] - offsets[i])
            self.longest = max(self.longest, self.lengths[i])
        parents, codes, ends, self.displacement = _tree(tokens, offsets, self.codes)
        first, children = _families(parents, codes)
        bases = _bases(codes, first, children, symbols.shape[0])
        places = self._place(parents, codes, ends, bases, symbols.shape[0])
        del parents, ends, bases
        self._link_suffixes(codes, first, children, places)

    def __dealloc__(self):
        free(self.nodes)
        free(self.tails)

    def _place(self, const int32_t[::1] parents, const int32_t[::1] codes,
               const int32_t[::1] ends, const int32_t[::1] bases, Py_ssize_t n_codes):
        """Sets the double array, and returns the place of each node in it."""
        cdef Py_ssize_t n
        cdef int32_t largest = 0
        for n in range(bases.shape[0]):
            largest = max(largest, bases[n])
        self.n_nodes = largest + n_codes + 1
        self.nodes = <Node *> malloc(self.n_nodes * sizeof(Node))
        self.tails = <Tail *> malloc(self.n_nodes * sizeof(Tail))
        if self.nodes == NULL or self.tails == NULL:
            raise MemoryError
        places = _array(bases.shape[0], "i")
        cdef int32_t[::1] place = places
        for n in range(self.n_nodes):
            self.nodes[n] = Node(0, -1, -1)
        self.nodes[0] = Node(bases[0], -1, ends[0])
        for n in range(1, bases.shape[0]):
            place[n] = bases[parents[n]] + codes[n]
            self.nodes[place[n]] = Node(bases[n], place[parents[n]], ends[n])
        return places

    def _link_suffixes(self, const int32_t[::1] codes, const int32_t[::1] first,
                       const int32_t[::1] children, const int32_t[::1] places):
        """Finds `tails` and `shorter`, short strings first: O(symbols of tokens)."""
        cdef Py_ssize_t n, i, parent
        cdef Py_ssize_t size = 1
        cdef int32_t node, token, suffix
        # nodes by depth: a node's children come after it
        cdef int32_t[::1] queue = _array(places.shape[0], "i")
        self.tails[0] = Tail(0, -1)   # places without a node are never read
        self.shorter = _filled(self.lengths.shape[0], -1)
        queue[0] = 0
        for n in range(places.shape[0]):
            parent = queue[n]
            for i in range(first[parent], first[parent + 1]):
                queue[size] = children[i]
                size += 1
                node = places[children[i]]
                suffix = 0
                if parent:
                    suffix = self._walk(self.tails[places[parent]].node, codes[children[i]])
                token = self.nodes[node].token
                if token >= 0:
                    self.shorter[token] = self.tails[suffix].token
                else:
                    token = self.tails[suffix].token
                self.tails[node] = Tail(suffix, token)

    cdef inline int32_t _walk(self, int32_t node, int32_t code) noexcept nogil:
        """The node of the longest suffix in the trie of a node's string plus one more symbol."""
        cdef int32_t child
        while True:
            child = self.nodes[node].base + code
            if self.nodes[child].parent == node:
                return child
            if node == 0:
                return 0
            node = self.tails[node].node

    cdef inline int32_t _next(self, int32_t node, int32_t symbol) noexcept nogil:
        return self._walk(node, self.codes[symbol]) if symbol < self.codes.shape[0] else 0

    cdef inline int32_t _child(self, int32_t node, int32_t symbol) noexcept nogil:
        cdef int32_t child
        if symbol >= self.codes.shape[0]:
            return -1
        child = self.nodes[node].base + self.codes[symbol]
        return child if self.nodes[child].parent == node else -1

    def endings(self):
        """Returns the tokens that each token ends with: itself first, then by decreasing length.

        Token ``t`` ends with ``chain[links[t]:links[t + 1]]``.

        Returns
        -------
        links : ndarray of int64, shape (tokens + 1,)
        chain : ndarray of int32
            O(symbols of tokens) time and memory.
        """
        cdef Py_ssize_t t
        cdef int64_t size = 0
        cdef int32_t token
        links = _array(self.lengths.shape[0] + 1, "q")
        cdef int64_t[::1] link = links
        for t in range(self.lengths.shape[0]):
            token = <int32_t> t
            while token >= 0:
                size += 1
                token = self.shorter[token]
            link[t + 1] = size
        chain = _array(size, "i")
        cdef int32_t[::1] place = chain
        for t in range(self.lengths.shape[0]):
            token = <int32_t> t
            size = link[t]
            while token >= 0:
                place[size] = token
                size += 1
                token = self.shorter[token]
        return links, chain
