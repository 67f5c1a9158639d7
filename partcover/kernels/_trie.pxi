# A trie of tokens as a double array (Aoe 1989), with suffix links (Aho and Corasick 1975): included
# by _segment.pyx, after _hash.pxi.

cdef struct Node:
    int32_t base     # its child by the symbol of code c is base + c
    int32_t parent   # the node it is a child of, or -1 for an empty place
    int32_t token    # the token that ends here, or -1


cdef struct Tail:    # of the string that a node stands for
    int32_t node     # the node of its longest proper suffix in the trie: the root's is empty
    int32_t token    # the longest token that it ends with, or -1

_NODE = np.dtype([("base", np.int32), ("parent", np.int32), ("token", np.int32)])
_TAIL = np.dtype([("node", np.int32), ("token", np.int32)])

cdef enum:
    MAX_TRIES = 64   # places that are tried for the children of a node before the end is taken


cdef inline Py_ssize_t _free_place(int32_t *after, Py_ssize_t place) noexcept nogil:
    """The first empty place from `place` on; `after` points to it, or nearer to it."""
    while after[place] != place:
        after[place] = after[after[place]]
        place = after[place]
    return place


cdef inline bint _fits(int32_t *after, Py_ssize_t base, const int32_t *codes, Py_ssize_t size,
                       Py_ssize_t end) noexcept nogil:
    """Whether the places of all children are empty."""
    cdef Py_ssize_t i, place
    for i in range(size):
        place = base + codes[i]
        if place >= end:
            return True  # codes ascend, so the remaining places are empty as well
        if after[place] != place:
            return False
    return True


cdef inline Py_ssize_t _slot(int64_t[::1] keys, int64_t key) noexcept nogil:
    """Returns where `key` is in the table, or the free slot where it belongs."""
    cdef uint64_t mask = keys.shape[0] - 1
    cdef uint64_t slot = hash_number(<uint64_t> key) & mask
    while keys[slot] != -1 and keys[slot] != key:
        slot = (slot + 1) & mask
    return slot


cdef _doubled(int64_t[::1] keys, int32_t[::1] children):
    cdef int64_t[::1] more_keys = np.full(2 * keys.shape[0], -1, np.int64)
    cdef int32_t[::1] more_children = np.empty(2 * keys.shape[0], np.int32)
    cdef Py_ssize_t i, slot
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


def _tree(const int32_t[::1] codes, const int64_t[::1] offsets):
    """Builds the tree of all tokens.

    The first child of a node stands beside it; the others are in an open-addressing table from
    (node, code) to node.

    Returns
    -------
    parents, codes, tokens : ndarray of int32, shape (nodes,)
        The parent of each node, its code, and the token that ends there, or −1.
    displacement : int
        Sum of the distances of the table's entries from their homes.
    """
    cdef Py_ssize_t t, i, slot
    cdef int64_t key
    cdef int32_t node, child
    cdef int32_t size = 1
    cdef Py_ssize_t others = 0
    cdef int64_t[::1] keys = np.full(16, -1, np.int64)
    cdef int32_t[::1] children = np.empty(16, np.int32)
    cdef int32_t[::1] eldest = np.zeros(codes.shape[0] + 1, np.int32)
    tree = np.full((3, codes.shape[0] + 1), -1, np.int32)
    cdef int32_t[:, ::1] rows = tree
    for t in range(offsets.shape[0] - 1):
        node = 0
        for i in range(offsets[t], offsets[t + 1]):
            child = eldest[node]
            if child == 0:
                child = eldest[node] = size
            elif rows[1, child] != codes[i]:
                key = <int64_t> node << 32 | codes[i]
                slot = _slot(keys, key)
                if keys[slot] == -1:
                    keys[slot] = key
                    children[slot] = size
                    others += 1
                child = children[slot]
                if 2 * others > keys.shape[0]:
                    keys, children = _doubled(keys, children)
            if child == size:
                rows[0, size] = node
                rows[1, size] = codes[i]
                size += 1
            node = child
        rows[2, node] = <int32_t> t
    return tree[0, :size], tree[1, :size], tree[2, :size], _table_displacement(keys)


def _double_array(parents, codes, ends, Py_ssize_t n_codes):
    """Lays out a tree as a double array, nodes with many children first.

    Children go to the first places that fit.  The search starts where the last one for as many
    children stood; after `MAX_TRIES` failures the children go to the end.  Returns the array and
    each node's place in it.
    """
    cdef Py_ssize_t n_nodes = len(parents)
    children = np.bincount(parents[1:], minlength=n_nodes)
    cdef const int64_t[::1] order = np.argsort(-children, kind="stable").astype(np.int64)
    cdef const int32_t[::1] code = codes[np.lexsort((codes, parents))]  # root's -1 is first
    cdef const int64_t[::1] first = np.concatenate([[1], 1 + np.cumsum(children)])
    bases = np.zeros(n_nodes, np.int32)
    cdef int32_t[::1] base = bases
    cdef Py_ssize_t room = 1024 + n_codes
    cdef Py_ssize_t end = 1     # all places from here on are empty
    cdef Py_ssize_t cursor = 1
    cdef Py_ssize_t size = -1
    cdef Py_ssize_t n, i, j, tries, place
    cdef int32_t *after = NULL
    cdef int32_t *moved
    try:
        after = <int32_t *> malloc(room * sizeof(int32_t))
        if after == NULL:
            raise MemoryError
        for i in range(room):
            after[i] = <int32_t> i
        after[0] = 1
        for n in range(n_nodes):
            i, j = first[order[n]], first[order[n] + 1]
            if i == j:
                break
            if j - i != size:
                size = j - i
                cursor = 1
            place = _free_place(after, max(cursor, code[i]))
            tries = 0
            while place < end and not _fits(after, place - code[i], &code[i], size, end):
                tries += 1
                if tries == MAX_TRIES:
                    cursor = place
                    place = end
                else:
                    place = _free_place(after, place + 1)
            place = max(place, code[i])
            base[order[n]] = <int32_t> (place - code[i])
            # room for a place after the last
            if base[order[n]] + n_codes + 2 > room:
                moved = <int32_t *> realloc(after, 2 * (room + n_codes) * sizeof(int32_t))
                if moved == NULL:
                    raise MemoryError
                after = moved
                for tries in range(room, 2 * (room + n_codes)):
                    after[tries] = <int32_t> tries
                room = 2 * (room + n_codes)
            for i in range(i, j):
                place = base[order[n]] + code[i]
                after[place] = <int32_t> (place + 1)
                end = max(end, place + 1)
    finally:
        free(after)
    places = bases[parents] + codes
    places[0] = 0
    nodes = np.zeros(int(bases.max()) + n_codes + 1, _NODE)
    nodes["parent"] = nodes["token"] = -1
    nodes["base"][places] = bases
    nodes["parent"][places[1:]] = places[parents[1:]]
    nodes["token"][places] = ends
    return nodes, places


cdef class Trie:
    """A trie of tokens: a child is found by one addition.

    Each node knows its longest proper suffix in the trie, and each token the longest token it
    ends with: the tokens that end at a position are met longest first.

    Parameters
    ----------
    tokens : ndarray of int32
        Symbols (>= 0) of all tokens, one token after another; tokens are distinct.
    offsets : ndarray of int64, shape (tokens + 1,)
        Token ``t`` is ``tokens[offsets[t]:offsets[t + 1]]``.
    """
    cdef int32_t[::1] codes      # of symbols: the frequent ones are small; 0: in no token
    cdef Node[::1] nodes         # the root is the first
    cdef int32_t[::1] lengths    # of tokens
    cdef Tail[::1] tails         # of nodes
    cdef int32_t[::1] shorter    # the longest token that a token ends with, itself aside, or -1
    cdef readonly Py_ssize_t longest
    cdef readonly int64_t displacement   # of the children, in the table that the tree was made by

    def __init__(self, const int32_t[::1] tokens, const int64_t[::1] offsets):
        symbols, counts = np.unique(tokens, return_counts=True)
        codes = np.zeros(max(256, symbols.max(initial=0) + 1), np.int32)
        codes[symbols[np.lexsort((symbols, -counts))]] = np.arange(1, len(symbols) + 1)
        self.codes = codes
        lengths = np.diff(offsets)
        self.longest = lengths.max(initial=1)
        self.lengths = lengths.astype(np.int32)
        parents, tree_codes, ends, self.displacement = _tree(codes[tokens], offsets)
        self.nodes, places = _double_array(parents, tree_codes, ends, len(symbols))
        self._link_suffixes(parents, tree_codes, places)

    def _link_suffixes(self, const int32_t[::1] parents, const int32_t[::1] codes,
                       const int32_t[::1] places):
        """Finds `tails` and `shorter`, short strings first: O(symbols of tokens)."""
        cdef Py_ssize_t i, n
        cdef int32_t place, token, suffix
        depths = np.zeros(parents.shape[0], np.int32)
        cdef int32_t[::1] depth = depths
        for n in range(1, parents.shape[0]):
            depth[n] = depth[parents[n]] + 1
        cdef const int64_t[::1] order = np.argsort(depths, kind="stable").astype(np.int64)
        tails = np.zeros(self.nodes.shape[0], _TAIL)
        tails["token"] = -1
        self.tails = tails
        self.shorter = np.full(self.lengths.shape[0], -1, np.int32)
        for i in range(1, order.shape[0]):
            n = order[i]
            place = places[n]
            suffix = 0
            if parents[n]:
                suffix = self._walk(self.tails[places[parents[n]]].node, codes[n])
            token = self.nodes[place].token
            if token >= 0:
                self.shorter[token] = self.tails[suffix].token
            self.tails[place].node = suffix
            self.tails[place].token = token if token >= 0 else self.tails[suffix].token

    cdef inline int32_t _walk(self, int32_t node, int32_t code) noexcept nogil:
        """The node of the longest suffix in the trie of a node's string and one more symbol."""
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
        """Returns the tokens that each token ends with, itself first, then the longest first.

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
        links = np.zeros(self.lengths.shape[0] + 1, np.int64)
        cdef int64_t[::1] link = links
        for t in range(self.lengths.shape[0]):
            token = <int32_t> t
            while token >= 0:
                size += 1
                token = self.shorter[token]
            link[t + 1] = size
        chain = np.empty(size, np.int32)
        cdef int32_t[::1] place = chain
        for t in range(self.lengths.shape[0]):
            token = <int32_t> t
            size = link[t]
            while token >= 0:
                place[size] = token
                size += 1
                token = self.shorter[token]
        return links, chain
