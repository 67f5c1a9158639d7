"""Defines a vectorizer of scikit-learn: texts as counts of tokens that it chooses itself."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from ..corpus import symbols as sym
from ..corpus.files.columns import values_of
from ..corpus.word_counts import WordCounts
from ..encoding.encoder import Encoder
from ..errors import InputError, MissingExtra
from ..problem.instance import Instance
from ..runtime.arguments import closest, shown
from ..vocabulary.vocabulary import Vocabulary
from .methods import METHODS

try:
    from scipy.sparse import csr_matrix
    from sklearn.base import BaseEstimator, TransformerMixin
    from sklearn.utils.validation import check_is_fitted
except ImportError:
    raise MissingExtra("scikit-learn", "scikit-learn", "a vectorizer") from None


class TokenVectorizer(TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """Learns a vocabulary from texts, and counts its tokens in each text.

    It stands where `sklearn.feature_extraction.text.CountVectorizer` would: in pipelines and in
    searches over its parameters.  Only this module imports scikit-learn.

    Parameters
    ----------
    k : int
        The number of tokens to choose, besides the 256 single bytes.
    method : str
        What chooses them: ``greedtok``, ``bpe``, ``unigram`` or another method of
        ``partcover compare``.
    pretokenizer : str
        How text becomes words.
    vocabulary : Vocabulary, optional
        A vocabulary to use; `fit` then chooses none, and the other parameters are not used.
    time_limit : float, optional
        Seconds for the method, if it takes a limit.
    seed, threads : int
        As everywhere in partcover.

    Attributes
    ----------
    vocabulary_ : Vocabulary
        The vocabulary in use.
    encoder_ : Encoder
        Its encoder.

    Raises
    ------
    InputError
        In `fit` and `transform`, for a parameter or a text that is not valid.
    MissingExtra
        When the module is imported without scikit-learn.

    Examples
    --------
    >>> from partcover.studies.token_vectorizer import TokenVectorizer
    >>> vectorizer = TokenVectorizer(k=2, method="bpe").fit(["the hat", "the cat"])
    >>> vectorizer.transform(["that"]).shape
    (1, 258)
    >>> vectorizer.get_feature_names_out()[256:].tolist()
    ['at', 'he']
    """

    def __init__(
        self,
        k: int = 1000,
        *,
        method: str = "greedtok",
        pretokenizer: str = "gpt2",
        vocabulary: Vocabulary | None = None,
        time_limit: float | None = None,
        seed: int = 0,
        threads: int = 1,
    ) -> None:
        self.k = k
        self.method = method
        self.pretokenizer = pretokenizer
        self.vocabulary = vocabulary
        self.time_limit = time_limit
        self.seed = seed
        self.threads = threads

    def fit(self, X: Iterable[str], y: Any = None) -> Self:  # noqa: N803 - as everywhere there
        """Chooses the tokens that are best for the texts; `y` is not used."""
        if self.vocabulary is None:
            if self.method not in METHODS:
                hint = closest(self.method, METHODS)
                raise InputError(f"unknown method {shown(self.method)}: {hint}")
            words = WordCounts.from_texts(_texts(X), pretokenizer=self.pretokenizer)
            found = METHODS[self.method].train(
                Instance(words, self.k),
                time_limit=self.time_limit,
                seed=self.seed,
                threads=self.threads,
            )
            self.vocabulary_ = found.vocabulary
        else:
            self.vocabulary_ = self.vocabulary
        self.encoder_ = Encoder(self.vocabulary_, threads=self.threads)
        return self

    def transform(self, X: Iterable[str]) -> csr_matrix:  # noqa: N803
        """Returns the counts, shape (texts, ids): how often each id occurs in each text."""
        check_is_fitted(self)
        ids, offsets = self.encoder_.encode_batch_to_numpy(_texts(X))
        shape = len(offsets) - 1, max(self.vocabulary_.id_of) + 1
        counts = csr_matrix((np.ones(len(ids), np.int64), ids, offsets), shape)
        counts.sum_duplicates()
        return counts

    def get_feature_names_out(self, input_features: Any = None) -> npt.NDArray[Any]:
        """Returns the tokens by their ids, as partcover's files write them; no two are equal."""
        check_is_fitted(self)
        pieces = [*(bytes([byte]) for byte in range(256)), *self.vocabulary_.tokens]
        names = np.full(max(self.vocabulary_.id_of) + 1, "", object)
        for piece, number in zip(pieces, self.vocabulary_.id_of, strict=True):
            if number >= 0:
                names[number] = sym.to_json(piece)
        return names

    def __sklearn_tags__(self) -> Any:
        """Says that texts are expected, not numbers."""
        tags = super().__sklearn_tags__()
        tags.input_tags.string = True
        tags.input_tags.two_d_array = False
        return tags


def _texts(texts: Iterable[str]) -> list[str]:
    """Returns the texts as a list; a single text is refused, as CountVectorizer refuses it."""
    if isinstance(texts, str | bytes):
        raise InputError("expected a list of texts, not a single text: put it into a list")
    return list(values_of(texts, "texts", "a list of texts"))
