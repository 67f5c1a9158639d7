# NumPy, imported when it is first used: counting words and training need none, and it is large.

cdef class _NumPy:
    cdef object module

    def __getattr__(self, name):
        if self.module is None:
            import numpy
            self.module = numpy
        return getattr(self.module, name)


np = _NumPy()
