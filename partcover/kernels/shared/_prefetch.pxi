# Prefetching.  Included by the kernels that know which memory they will read next.

cdef extern from *:
    """
    #if defined(__GNUC__) || defined(__clang__)
    #define pc_prefetch(p) __builtin_prefetch(p)
    #else
    #define pc_prefetch(p) ((void) 0)
    #endif
    """
    void prefetch "pc_prefetch"(const void *p) noexcept nogil
