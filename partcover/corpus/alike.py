"""Refuses to combine corpora that were counted in different ways."""

from __future__ import annotations

from collections.abc import Sequence

from ..errors import InputError
from .word_counts import WordCounts


def refuse_unlike(corpora: Sequence[WordCounts]) -> None:
    """Refuses corpora over different symbols, of different pre-tokenizers or normalizers.

    Parameters
    ----------
    corpora : sequence of WordCounts
        The counted words.  One that does not say how it was counted goes with any.

    Raises
    ------
    InputError
        Naming what differs.

    Examples
    --------
    >>> from partcover import InputError, WordCounts
    >>> from partcover.corpus.alike import refuse_unlike
    >>> one = WordCounts.from_counts({"a": 1})
    >>> try:
    ...     refuse_unlike([one, WordCounts.from_counts({"a": 1}, "chars")])
    ... except InputError as error:
    ...     print(error)
    the corpora are over different symbols: bytes, chars
    """
    alphabets = sorted({words.symbols for words in corpora})
    if len(alphabets) > 1:
        raise InputError(f"the corpora are over different symbols: {', '.join(alphabets)}")
    names = {words.pretokenizer for words in corpora} - {None}
    if len(names) > 1:
        known = ", ".join(sorted(name for name in names if name is not None))
        raise InputError(f"the corpora were counted with different pre-tokenizers: {known}")
    known_how = [words for words in corpora if words.pretokenizer or words.normalizer]
    if len({words.normalizer for words in known_how}) > 1:
        raise InputError("the corpora were counted with different normalizers")
