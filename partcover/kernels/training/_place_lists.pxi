# Lists of places in blocks of one array: memory of its own would cost each list a header, and fall
# into pieces.  Included by _merge_training.pyx.

cdef enum:
    UNIT = 4            # a block has a multiple of this number of items; the first says which
    SIZES = 40


cdef void *_grown(void *block, Py_ssize_t *room, Py_ssize_t needed, size_t size) except NULL nogil:
    """Returns the block, reallocated to at least twice its size if `needed` items do not fit."""
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


cdef struct Lists:
    int32_t *items
    Py_ssize_t room
    Py_ssize_t used              # the items that have been in a block
    int64_t free[SIZES]          # where the first free block of 2^i units begins, or -1


cdef inline int64_t *_next(const Lists *lists, int64_t block) noexcept nogil:
    """Where a free block stores the next one of its size."""
    return <int64_t *> &lists.items[block]


cdef void _give_back(Lists *lists, int64_t block, int64_t units) noexcept nogil:
    """Frees a block, as blocks of 2^i units."""
    cdef int size
    while units:
        size = _length(units) - 1
        _next(lists, block)[0] = lists.free[size]
        lists.free[size] = block
        block += <int64_t> UNIT << size
        units -= <int64_t> 1 << size


cdef int64_t _taken(Lists *lists, int64_t units) except -1 nogil:
    """Returns where a new block begins, in `items`, which may move."""
    cdef int size = _length(units - 1) if units > 1 else 0
    cdef int64_t block
    while size < SIZES and lists.free[size] < 0:
        size += 1
    if size < SIZES:
        block = lists.free[size]
        lists.free[size] = _next(lists, block)[0]
        _give_back(lists, block + UNIT * units, (<int64_t> 1 << size) - units)
    else:
        block = lists.used
        lists.items = <int32_t *> _grown(lists.items, &lists.room, block + UNIT * units,
                                         sizeof(int32_t))
        lists.used += UNIT * units
    lists.items[block] = <int32_t> units
    return block


cdef inline int32_t *_places_of(const Lists *lists, Places *places, uint32_t number) noexcept nogil:
    """The list of a number of places."""
    return &lists.items[places.many + 1] if number > FEW else &places.few[0]


cdef inline int _list_place(Lists *lists, Pair *pair, int32_t place) except -1 nogil:
    """Adds a place to the list of a pair, if it has one."""
    if pair.n_places >= MERGED:
        return 0
    if pair.n_places >= FEW:
        _make_room(lists, pair)
    pair.n_places += 1
    _places_of(lists, &pair.places, pair.n_places)[pair.n_places - 1] = place
    return 0


cdef inline int _make_room(Lists *lists, Pair *pair) except -1 nogil:
    """Moves the places of a pair to a block of twice the size if theirs is full."""
    cdef int64_t units = lists.items[pair.places.many] if pair.n_places > FEW else 0
    cdef int64_t block
    if pair.n_places + 1 < UNIT * units:
        return 0
    block = _taken(lists, 2 * units if units else 1)
    memcpy(&lists.items[block + 1], _places_of(lists, &pair.places, pair.n_places),
           pair.n_places * sizeof(int32_t))
    _free_places(lists, &pair.places, pair.n_places)
    pair.places.many = block
    return 0


cdef inline void _free_places(Lists *lists, const Places *places, uint32_t number) noexcept nogil:
    """Frees the list of a number of places."""
    if number > FEW:
        _give_back(lists, places.many, lists.items[places.many])


cdef inline void _free_rest(Lists *lists, const Pair *pair) noexcept nogil:
    """Frees what the places of a pair leave of their block: few new pairs will get more."""
    cdef int32_t needed = <int32_t> (pair.n_places // UNIT + 1)
    cdef int32_t *units
    if FEW < pair.n_places < MERGED:
        units = &lists.items[pair.places.many]
        _give_back(lists, pair.places.many + UNIT * needed, units[0] - needed)
        units[0] = needed
