# Keys, a rank above and a place below, the least first: included after _heap.pxi by the kernels
# that cut long words.
#
# A heap of a million keys waits for memory at each step.  Here what has one rank waits in a list of
# blocks, which is sorted at once when the rank's turn comes, and only ranks are in a heap.

cdef enum:
    SHORT = 64   # words up to this long have few keys
    BLOCK = 14   # makes a line of the cache
    AHEAD = 8    # keys whose places are worth asking for before their turn


cdef struct Block:
    int32_t before   # the block that came before it, or -1
    int32_t many
    int32_t[BLOCK] places


cdef struct Queue:
    uint64_t *ranks      # a heap of those that something waits for
    Py_ssize_t many
    int32_t *last        # of each rank, the block that came last, or -1
    Block *waiting
    int32_t unused       # the first free one of these, linked as lists are, or -1
    int32_t fresh        # none was in use from here on
    uint64_t *open       # keys whose turn has come, falling
    Py_ssize_t opened
    uint64_t *late       # a heap of those that came when their rank was open, or in short words
    Py_ssize_t lates
    uint64_t *spare      # to sort with


cdef void _sort(uint64_t *keys, Py_ssize_t many, uint64_t *spare) noexcept nogil:
    """By insertion where there are few, else byte by byte; `spare` has room for as many."""
    cdef Py_ssize_t i, j, at
    cdef Py_ssize_t[256] places
    cdef Py_ssize_t size
    cdef uint64_t key
    cdef uint64_t differing = 0
    cdef uint64_t *here = keys
    cdef int shift
    if many <= 48:
        for i in range(1, many):
            key = keys[i]
            j = i
            while j and keys[j - 1] > key:
                keys[j] = keys[j - 1]
                j -= 1
            keys[j] = key
        return
    for i in range(1, many):
        differing |= keys[i] ^ keys[0]
    for shift in range(0, 64, 8):
        if not differing >> shift & 255:
            continue
        memset(places, 0, sizeof(places))
        for i in range(many):
            places[here[i] >> shift & 255] += 1
        at = 0
        for i in range(256):
            size = places[i]
            places[i] = at
            at += size
        for i in range(many):
            j = here[i] >> shift & 255
            spare[places[j]] = here[i]
            places[j] += 1
        here, spare = spare, here
    if here != keys:
        memcpy(keys, here, many * sizeof(uint64_t))


cdef int _make(Queue *queue, Py_ssize_t ranks, Py_ssize_t keys) noexcept nogil:
    """Room for so many ranks, and keys at a time; −1 without memory.  `_unmake` follows."""
    cdef Py_ssize_t i
    queue[0] = Queue(NULL, 0, NULL, NULL, -1, 0, NULL, 0, NULL, 0, NULL)
    queue.ranks = <uint64_t *> malloc((ranks + 1) * sizeof(uint64_t))
    queue.last = <int32_t *> malloc((ranks + 1) * sizeof(int32_t))
    queue.waiting = <Block *> malloc((keys // BLOCK + min(ranks, keys) + 1) * sizeof(Block))
    queue.open = <uint64_t *> malloc((keys + 1) * sizeof(uint64_t))
    queue.late = <uint64_t *> malloc((keys + 1) * sizeof(uint64_t))
    queue.spare = <uint64_t *> malloc((keys + 1) * sizeof(uint64_t))
    if (queue.ranks == NULL or queue.last == NULL or queue.waiting == NULL
            or queue.open == NULL or queue.late == NULL or queue.spare == NULL):
        return -1
    for i in range(ranks):
        queue.last[i] = -1
    return 0


cdef void _unmake(Queue *queue) noexcept nogil:
    free(queue.ranks)
    free(queue.last)
    free(queue.waiting)
    free(queue.open)
    free(queue.late)
    free(queue.spare)


cdef inline void _enter(Queue *queue, int32_t rank, int32_t place, bint few) noexcept nogil:
    """Put a key in; where there are `few`, one heap is faster."""
    if few:
        _push(queue.late, &queue.lates, <uint64_t> rank << 32 | <uint64_t> place)
    else:
        _wait(queue, rank, place)


cdef void _wait(Queue *queue, int32_t rank, int32_t place) noexcept nogil:
    cdef int32_t last = queue.last[rank]
    cdef int32_t new = queue.unused
    cdef Block *block
    if last < 0 or queue.waiting[last].many == BLOCK:
        if new >= 0:
            queue.unused = queue.waiting[new].before
        else:
            new = queue.fresh
            queue.fresh += 1
        if last < 0:
            _push(queue.ranks, &queue.many, <uint64_t> rank)
        queue.waiting[new].before = last
        queue.waiting[new].many = 0
        queue.last[rank] = last = new
    block = queue.waiting + last
    block.places[block.many] = place
    block.many += 1


cdef void _open(Queue *queue) noexcept nogil:
    """Take what waits for the least rank, to the open ones or to the late ones."""
    cdef uint64_t rank = _pop(queue.ranks, &queue.many)
    cdef int32_t first = queue.last[rank]
    cdef int32_t next = first
    cdef Block *block
    cdef bint late = queue.opened and queue.open[queue.opened - 1] >> 32 == rank
    cdef bint rising = True, falling = True
    cdef uint64_t *run = queue.open + queue.opened
    cdef uint64_t key
    cdef Py_ssize_t many = 0, i
    while next >= 0:
        block = queue.waiting + next
        next = block.before
        for i in range(block.many - 1, -1, -1):
            key = rank << 32 | <uint64_t> block.places[i]
            if late:
                _push(queue.late, &queue.lates, key)
            else:
                rising &= many == 0 or run[many - 1] < key
                falling &= many == 0 or run[many - 1] > key
                run[many] = key
                many += 1
    block.before = queue.unused
    queue.unused = first
    queue.last[rank] = -1
    queue.opened += many
    if falling:
        return
    if not rising:
        _sort(run, many, queue.spare)
    for i in range(many // 2):
        run[i], run[many - 1 - i] = run[many - 1 - i], run[i]


cdef inline bint _leave(Queue *queue, uint64_t *key) noexcept nogil:
    """Take the least key out; False where there is none."""
    if queue.many or queue.opened:
        return _next_of(queue, key)
    if not queue.lates:
        return False
    key[0] = _pop(queue.late, &queue.lates)
    return True


cdef bint _next_of(Queue *queue, uint64_t *key) noexcept nogil:
    while queue.many and (not queue.opened
                          or queue.ranks[0] <= queue.open[queue.opened - 1] >> 32):
        _open(queue)
    if queue.lates and (not queue.opened or queue.late[0] < queue.open[queue.opened - 1]):
        key[0] = _pop(queue.late, &queue.lates)
        return True
    queue.opened -= 1
    key[0] = queue.open[queue.opened]
    return True
