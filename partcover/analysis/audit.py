"""Finds words that a vocabulary of its size should contain but does not."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ..corpus import symbols as sym
from ..corpus.symbols import Token
from ..corpus.word_counts import WordCounts
from ..runtime.arrays import Int64
from ..segmentation.segmentation import segment
from ..vocabulary.vocabulary import Vocabulary
from .token_gains import token_gains


@dataclass(frozen=True)
class MissingWord:
    """A word that a vocabulary should hold by the criterion of `audit`.

    Attributes
    ----------
    word : token
        The word.
    count : int
        How often it occurs.
    pieces : int
        Tokens that it takes as the vocabulary is, under the shortest path.
    saves : int
        count · (pieces − 1): what holding it saves in that word alone.
    gain : int
        What holding it saves on the whole corpus, the words that contain it included.

    Examples
    --------
    >>> from partcover.analysis.audit import MissingWord
    >>> MissingWord(b"hat", count=2, pieces=3, saves=4, gain=9).to_json()["word"]
    'hat'
    """

    word: Token
    count: int
    pieces: int
    saves: int
    gain: int

    def to_json(self) -> dict[str, Any]:
        """Returns the fields as a JSON object."""
        return {**vars(self), "word": sym.to_json(self.word)}


@dataclass(frozen=True)
class Audit:
    """Words that a vocabulary should hold.

    Attributes
    ----------
    tokens : int
        Tokens that the corpus needs as the vocabulary is, under the shortest path.
    total : int
        Number of words that meet the criterion.
    missing : tuple of MissingWord
        The first of them, those that save the most first.

    Examples
    --------
    >>> from partcover.analysis.audit import Audit
    >>> Audit(tokens=12, total=0, missing=()).to_json()
    {'tokens_shortest_path': 12, 'total': 0, 'missing': []}
    """

    tokens: int
    total: int
    missing: tuple[MissingWord, ...]

    def to_json(self) -> dict[str, Any]:
        """Returns the audit as a JSON object."""
        return {
            "tokens_shortest_path": self.tokens,
            "total": self.total,
            "missing": [word.to_json() for word in self.missing],
        }


def audit(
    vocabulary: Vocabulary,
    words: WordCounts,
    *,
    limit: int = 20,
    losses: Int64 | None = None,
    threads: int = 1,
) -> Audit:
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
    limit : int
        Number of words to list.
    losses : ndarray of int64, shape (tokens,), optional
        The losses from `token_gains`, if they are known.
    threads : int
        Number of threads; the result is the same for any.

    Returns
    -------
    Audit
        Exact counts under the shortest path, whatever the vocabulary's rule; of words that save
        the same the smaller comes first.

    Raises
    ------
    InputError
        If the symbols of words and vocabulary differ.

    Examples
    --------
    >>> from partcover import Vocabulary, WordCounts
    >>> from partcover.analysis.audit import audit
    >>> words = WordCounts.from_counts({" the": 5000, " of": 3000, " xy": 3})
    >>> report = audit(Vocabulary([" of", " xy"]), words)
    >>> report.total, report.missing[0].word, report.missing[0].saves
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
    shown = min(total, limit)
    # ties at the end of the list are broken by the word: look at all that save as much
    tied = lacking[saves[lacking] >= saves[lacking[shown - 1]]] if shown else lacking[:0]
    listed = sorted((-int(saves[w]), words.word(w), int(w)) for w in tied)[:shown]
    added = [word for _, word, _ in listed]
    gains = token_gains(words, vocabulary.tokens, added, threads=threads)[1].tolist()
    missing = tuple(
        MissingWord(word, int(words.counts[w]), int(cut.pieces[w]), -less, gain)
        for (less, word, w), gain in zip(listed, gains, strict=True)
    )
    return Audit(cut.tokens, total, missing)
