"""Finds words that a vocabulary of its size should contain but does not."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ..corpus.word_counts import WordCounts
from ..runtime.arrays import Int64
from ..segmentation.segmentation import segment
from ..vocabulary.vocabulary import Vocabulary
from .costly_words import CostlyWord
from .token_gains import token_gains


@dataclass(frozen=True)
class MissingWord(CostlyWord):
    """A word that a vocabulary should hold by the criterion of `missing_words`.

    Attributes
    ----------
    word, count, pieces, loss
        As for a `CostlyWord`; the pieces are those of the shortest path, and `loss` is what holding
        the word saves in that word alone.
    gain : int
        What holding it saves on the whole corpus, the words that contain it included.

    Examples
    --------
    >>> from partcover.analysis.missing_words import MissingWord
    >>> word = MissingWord(b"hat", count=2, pieces=(b"h", b"a", b"t"), gain=9)
    >>> word.loss, word.to_json()["gain"]
    (4, 9)
    """

    gain: int

    def to_json(self) -> dict[str, Any]:
        """Returns the word as a JSON object."""
        return {**super().to_json(), "gain": self.gain}


@dataclass(frozen=True)
class MissingWords:
    """Words that a vocabulary should hold.

    Attributes
    ----------
    tokens : int
        Tokens that the corpus needs as the vocabulary is, under the shortest path.
    total : int
        Number of words that meet the criterion.
    words : tuple of MissingWord
        The first of them, those that save the most first.

    Examples
    --------
    >>> from partcover.analysis.missing_words import MissingWords
    >>> MissingWords(tokens=12, total=0, words=()).to_json()
    {'tokens_shortest_path': 12, 'total': 0, 'words': []}
    """

    tokens: int
    total: int
    words: tuple[MissingWord, ...]

    def to_json(self) -> dict[str, Any]:
        """Returns the fields as a JSON object."""
        return {
            "tokens_shortest_path": self.tokens,
            "total": self.total,
            "words": [word.to_json() for word in self.words],
        }


def missing_words(
    vocabulary: Vocabulary,
    words: WordCounts,
    *,
    top: int = 10,
    losses: Int64 | None = None,
    threads: int = 1,
) -> MissingWords:
    """Finds frequent words that a vocabulary lacks although its weakest tokens save less.

    Words that take more than one token are ranked by what holding them saves,
    count · (tokens − 1), and the tokens of the vocabulary by what leaving out that one token
    costs (`token_gains`), the cheapest first.  The word in place j is listed while it saves more
    than the token in place j costs, as if they were exchanged one for one.  So a word that every
    vocabulary of this size holds stands at the top if a slip, such as an overflow of its count,
    has left it out.

    Parameters
    ----------
    vocabulary : Vocabulary
        The tokens.
    words : WordCounts
        The corpus, segmented with the vocabulary's own pre-tokenizer.
    top : int
        Number of words to list.
    losses : ndarray of int64, shape (tokens,), optional
        The losses from `token_gains`, if they are known.
    threads : int
        Number of threads; the result is the same for any.

    Returns
    -------
    MissingWords
        Exact counts under the shortest path, whatever the vocabulary's rule; of words that save
        the same the smaller comes first.

    Raises
    ------
    InputError
        If the symbols of words and vocabulary differ.

    Examples
    --------
    >>> from partcover import Vocabulary, WordCounts
    >>> from partcover.analysis.missing_words import missing_words
    >>> words = WordCounts.from_counts({" the": 5000, " of": 3000, " xy": 3})
    >>> found = missing_words(Vocabulary([" of", " xy"]), words)
    >>> found.total, found.words[0].word, found.words[0].loss
    (1, b' the', 15000)
    """
    cut = segment(words, vocabulary, "shortest_path", threads=threads)
    if losses is None:
        losses = token_gains(words, vocabulary.tokens, threads=threads)[0]
    saves = words.counts * (cut.pieces - 1)
    lacking = np.flatnonzero(saves > 0)
    lacking = lacking[np.argsort(-saves[lacking], kind="stable")]
    cheapest = np.sort(losses)
    n_pairs = min(len(lacking), len(cheapest))
    better = saves[lacking[:n_pairs]] > cheapest[:n_pairs]
    total = n_pairs if better.all() else int(np.argmin(better))
    shown = min(total, top)
    # ties at the end of the list are broken by the word: look at all that save as much
    tied = lacking[saves[lacking] >= saves[lacking[shown - 1]]] if shown else lacking[:0]
    listed = sorted((-int(saves[w]), words.word(w), int(w)) for w in tied)[:shown]
    added = [word for _, word, _ in listed]
    gains = token_gains(words, vocabulary.tokens, added, threads=threads)[1].tolist()
    missing = (MissingWord.of(cut, w, gain) for (*_, w), gain in zip(listed, gains, strict=True))
    return MissingWords(cut.tokens, total, tuple(missing))
