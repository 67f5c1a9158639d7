# A priority queue of keys, each with a rank in the high bits and a place in the low bits; the
# smallest key comes first.  Included after _heap.pxi by the kernels that segment long words.
#
# In a heap of a million keys each step would wait for memory.  Here the keys of one rank are in a
# list of blocks, which is sorted as a whole when the rank becomes the smallest; only the ranks are
# in a heap.

cdef enum:
    SHORT = 64   # words of up to this length have few keys
    BLOCK = 14   # places in a block, which is one cache line
    AHEAD = 8    # how many keys ahead places are prefetched
    FEW = 48     # up to this many keys are sorted by insertion


cdef struct Block:
    int32_t previous   # the previous block of its list, or -1
    int32_t count
    int32_t[BLOCK] places


cdef struct Queue:
    uint64_t *ranks      # a heap of the ranks that have keys
    Py_ssize_t n_ranks
    int32_t *last        # for each rank the last block of its list, or -1
    Block *blocks
    int32_t unused       # the first free block, in a list of free blocks, or -1
    int32_t fresh        # this block and those after it have never been in use
    uint64_t *open       # keys of the open rank, in descending order
    Py_ssize_t n_open
    uint64_t *late  # a heap of keys that were added while their rank was open, or of a short word
    Py_ssize_t n_late
    uint64_t *spare      # memory for sorting


cdef void _sort(uint64_t *keys, Py_ssize_t count, uint64_t *spare) noexcept nogil:
    """Sorts by insertion if there are few keys, else by radix; `spare` has room for `count`."""
    cdef Py_ssize_t i, j, at
    cdef Py_ssize_t[256] places
    cdef Py_ssize_t size
    cdef uint64_t key
    cdef uint64_t differing = 0
    cdef uint64_t *here = keys
    cdef int shift
    if count <= FEW:
        for i in range(1, count):
            key = keys[i]
            j = i
            while j and keys[j - 1] > key:
                keys[j] = keys[j - 1]
                j -= 1
            keys[j] = key
        return
    for i in range(1, count):
        differing |= keys[i] ^ keys[0]
    for shift in range(0, 64, 8):
        if not differing >> shift & 255:
            continue
        memset(places, 0, sizeof(places))
        for i in range(count):
            places[here[i] >> shift & 255] += 1
        at = 0
        for i in range(256):
            size = places[i]
            places[i] = at
            at += size
        for i in range(count):
            j = here[i] >> shift & 255
            spare[places[j]] = here[i]
            places[j] += 1
        here, spare = spare, here
    if here != keys:
        memcpy(keys, here, count * sizeof(uint64_t))


cdef int _new_queue(Queue *queue, Py_ssize_t ranks, Py_ssize_t keys) noexcept nogil:
    """Allocates a queue for ranks below `ranks` and up to `keys` keys; returns -1 on failure.

    `_free_queue` must follow in both cases.
    """
    cdef Py_ssize_t i
    queue[0] = Queue(NULL, 0, NULL, NULL, -1, 0, NULL, 0, NULL, 0, NULL)
    queue.ranks = <uint64_t *> malloc((ranks + 1) * sizeof(uint64_t))
    queue.last = <int32_t *> malloc((ranks + 1) * sizeof(int32_t))
    queue.blocks = <Block *> malloc((keys // BLOCK + min(ranks, keys) + 1) * sizeof(Block))
    queue.open = <uint64_t *> malloc((keys + 1) * sizeof(uint64_t))
    queue.late = <uint64_t *> malloc((keys + 1) * sizeof(uint64_t))
    queue.spare = <uint64_t *> malloc((keys + 1) * sizeof(uint64_t))
    if (queue.ranks == NULL or queue.last == NULL or queue.blocks == NULL
            or queue.open == NULL or queue.late == NULL or queue.spare == NULL):
        return -1
    for i in range(ranks):
        queue.last[i] = -1
    return 0


cdef void _free_queue(Queue *queue) noexcept nogil:
    free(queue.ranks)
    free(queue.last)
    free(queue.blocks)
    free(queue.open)
    free(queue.late)
    free(queue.spare)


cdef inline void _enqueue(Queue *queue, int32_t rank, int32_t place, bint few) noexcept nogil:
    """Adds a key; if the word has few keys (`few`), one heap of keys is faster."""
    if few:
        _push(queue.late, &queue.n_late, <uint64_t> rank << 32 | <uint64_t> place)
    else:
        _append(queue, rank, place)


cdef void _append(Queue *queue, int32_t rank, int32_t place) noexcept nogil:
    cdef int32_t last = queue.last[rank]
    cdef int32_t new = queue.unused
    cdef Block *block
    if last < 0 or queue.blocks[last].count == BLOCK:
        if new >= 0:
            queue.unused = queue.blocks[new].previous
        else:
            new = queue.fresh
            queue.fresh += 1
        if last < 0:
            _push(queue.ranks, &queue.n_ranks, <uint64_t> rank)
        queue.blocks[new].previous = last
        queue.blocks[new].count = 0
        queue.last[rank] = last = new
    block = queue.blocks + last
    block.places[block.count] = place
    block.count += 1


cdef void _open(Queue *queue) noexcept nogil:
    """Moves the keys of the smallest rank to `open`, or to `late` if this rank is open already."""
    cdef uint64_t rank = _pop(queue.ranks, &queue.n_ranks)
    cdef int32_t first = queue.last[rank]
    cdef int32_t next = first
    cdef Block *block
    cdef bint late = queue.n_open and queue.open[queue.n_open - 1] >> 32 == rank
    cdef bint ascending = True, descending = True
    cdef uint64_t *run = queue.open + queue.n_open
    cdef uint64_t key
    cdef Py_ssize_t count = 0, i
    while next >= 0:
        block = queue.blocks + next
        next = block.previous
        for i in range(block.count - 1, -1, -1):
            key = rank << 32 | <uint64_t> block.places[i]
            if late:
                _push(queue.late, &queue.n_late, key)
            else:
                ascending &= count == 0 or run[count - 1] < key
                descending &= count == 0 or run[count - 1] > key
                run[count] = key
                count += 1
    block.previous = queue.unused
    queue.unused = first
    queue.last[rank] = -1
    queue.n_open += count
    if descending:
        return
    if not ascending:
        _sort(run, count, queue.spare)
    for i in range(count // 2):
        run[i], run[count - 1 - i] = run[count - 1 - i], run[i]


cdef inline bint _dequeue(Queue *queue, uint64_t *key) noexcept nogil:
    """Takes the smallest key; returns False if there is none."""
    if queue.n_ranks or queue.n_open:
        return _smallest(queue, key)
    if not queue.n_late:
        return False
    key[0] = _pop(queue.late, &queue.n_late)
    return True


cdef bint _smallest(Queue *queue, uint64_t *key) noexcept nogil:
    while queue.n_ranks and (not queue.n_open
                             or queue.ranks[0] <= queue.open[queue.n_open - 1] >> 32):
        _open(queue)
    if queue.n_late and (not queue.n_open or queue.late[0] < queue.open[queue.n_open - 1]):
        key[0] = _pop(queue.late, &queue.n_late)
        return True
    queue.n_open -= 1
    key[0] = queue.open[queue.n_open]
    return True
