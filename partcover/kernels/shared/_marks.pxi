# What a segmentation writes at each symbol of a word: at the last symbol of a token the token's
# index, elsewhere one of these.  Included by the kernels that cut words.

cpdef enum:
    INSIDE = -2   # the symbol is inside a token, before its last
    SINGLE = -1   # the symbol stands alone
