# Encodes short texts, for which a call in Python would take as long as their words.
# Included by `_encoder.pyx`.

cdef extern from *:
    """
    // how an array of NumPy begins: its C API compiles this into each extension that uses it
    typedef struct { PyObject_HEAD void *data; } pc_array;
    """
    ctypedef struct pc_array:
        void *data

cdef enum:
    COUNT
    VALUES
    ARRAY


cdef class ShortTexts:
    """Encodes texts that need no more than their words looked up; returns None for others.

    Parameters
    ----------
    workers : Workers
        Lends workers; `idle` holds those that no thread has.
    takes_ascii, takes_other : bool
        Whether nothing changes ASCII before, and other text.
    absent : callable, optional
        Returns whether a text has no token that is searched for in any text.
    utf8 : callable
        Encodes characters of a text.
    longest : int
        Bytes or characters of the longest text.
    values : list of int, optional
        The value of each number for lists.
    kind : dtype
        The type of arrays: uint16 or uint32.
    """

    cdef object workers, take, put_back, absent, utf8, kind, array_type
    cdef list numbers
    cdef bint takes_ascii, takes_other, is_narrow
    cdef Py_ssize_t longest

    def __cinit__(self, workers, bint takes_ascii, bint takes_other, absent, utf8,
                  Py_ssize_t longest, list values, kind):
        self.workers, self.take, self.put_back = workers, workers.idle.pop, workers.idle.append
        self.takes_ascii, self.takes_other = takes_ascii, takes_other
        self.absent, self.utf8, self.longest = absent, utf8, longest
        self.numbers, self.kind, self.array_type = values, kind, np.ndarray
        if kind.itemsize not in (sizeof(uint16_t), sizeof(uint32_t)):
            raise TypeError("ids have two or four bytes")
        self.is_narrow = kind.itemsize == sizeof(uint16_t)

    def count(self, text, special):
        """Returns how many tokens a text has."""
        return self._encoded(text, special, COUNT)

    def values(self, text, special):
        """Returns the values of a text's numbers as a list."""
        return None if self.numbers is None else self._encoded(text, special, VALUES)

    def array(self, text, special):
        """Returns the ids of a text as an array."""
        return self._encoded(text, special, ARRAY)

    cdef object _encoded(self, text, special, int form):
        cdef WordCache cache
        if not (isinstance(special, str) and special == "text"):
            return None
        if isinstance(text, str):
            if len(<str> text) > self.longest:
                return None
            if not (self.takes_ascii if pc_is_ascii(text) else self.takes_other):
                return None
            if not pc_is_ascii(text):
                try:
                    text = self.utf8(text, 0, len(<str> text))
                except UnicodeEncodeError:
                    return None
        elif not (self.takes_other and isinstance(text, bytes)
                  and len(<bytes> text) <= self.longest):
            return None
        if self.absent is not None and not self.absent(text, special):
            return None
        try:
            worker = self.take()
        except IndexError:
            worker = self.workers.new()
        cache = worker.cache
        if cache.scanner.mode == MARKED:
            worker.mark_words(text, 0, _text_length(text))
        cache._begin_text()
        cache._find(text, 0, _text_length(text))
        if cache.n_new + cache.n_uncached:
            worker.learn(text, 0)
        if form == COUNT:
            found = cache.n_out
        elif form == VALUES:
            found = _listed(cache.out, cache.n_out, self.numbers)
        else:
            found = self._array(cache)
        self.put_back(worker)   # after an error the worker is not used again
        return found

    cdef object _array(self, WordCache cache):
        cdef void *data
        array = _empty(cache.n_out, self.kind)
        if type(array) is not self.array_type:
            raise TypeError("numpy.empty makes no array")
        data = (<pc_array *> array).data
        if self.is_narrow:
            _narrowed(<uint16_t *> data, cache.out, cache.n_out)
        elif cache.n_out:
            memcpy(data, cache.out, cache.n_out * sizeof(int32_t))
        return array
