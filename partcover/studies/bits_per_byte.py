"""Measures a vocabulary by the bits per byte of an n-gram model over its tokens."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Annotated

import numpy as np

from ..analysis.language_model import NgramModel
from ..encoding.encoder import Encoder
from ..encoding.text import as_bytes
from ..errors import InputError
from ..runtime.arguments import Range, Threads, checked
from ..runtime.arrays import Int64
from ..runtime.progress import Progress
from ..vocabulary.rules import SegmentationRule
from ..vocabulary.vocabulary import Vocabulary


@dataclass(frozen=True, eq=False)
class SegmentedTexts:
    """Texts as numbers of tokens.

    Attributes
    ----------
    numbers : list of ndarray of int64
        Each text: numbers 0 to 255 for single bytes, 256 + t for token t.
    lengths : ndarray of int64, shape (256 + tokens,)
        The bytes of each number.

    Examples
    --------
    >>> from partcover import Vocabulary
    >>> from partcover.studies.bits_per_byte import SegmentedTexts, segment_texts
    >>> vocabulary = Vocabulary(["hat", " that"], pretokenizer="gpt2")
    >>> texts: SegmentedTexts = segment_texts(vocabulary, ["that hat"])
    >>> texts.numbers[0].tolist(), texts.tokens, texts.bytes
    ([116, 256, 32, 256], 4, 8)
    """

    numbers: list[Int64]
    lengths: Int64

    @property
    def tokens(self) -> int:
        """Number of tokens."""
        return sum(map(len, self.numbers))

    @property
    def bytes(self) -> int:
        """Number of bytes."""
        return sum(int(self.lengths[text].sum()) for text in self.numbers)

    def model(self, order: int | None = None, context_bytes: int | None = None) -> NgramModel:
        """Trains an n-gram model on these texts.

        Parameters
        ----------
        order : int, optional
            One more than the tokens in a context; by default as many as `context_bytes` holds.
        context_bytes : int, optional
            The largest number of bytes in a context; one of the two has to be given.

        Raises
        ------
        InputError
            If neither limit is given, or one is out of range.

        Examples
        --------
        >>> from partcover import Vocabulary
        >>> from partcover.studies.bits_per_byte import segment_texts
        >>> texts = segment_texts(Vocabulary(["hat"], pretokenizer="gpt2"), ["a hat that hat"])
        >>> texts.model(order=3).size
        257
        """
        if order is None:
            if context_bytes is None:
                raise InputError("an n-gram model needs an order or a limit of bytes")
            order = context_bytes + 2  # the begin of a text has no bytes
        lengths = None if context_bytes is None else self.lengths
        return NgramModel.train(
            self.numbers, len(self.lengths), order, lengths=lengths, context_bytes=context_bytes
        )

    def bits_per_byte(self, model: NgramModel) -> float:
        """Returns the bits that these texts take for each of their bytes.

        Parameters
        ----------
        model : NgramModel
            The `model` of other texts, segmented by the same vocabulary.

        Returns
        -------
        float
            −log₂ of the probability of the texts, segmented as they are, and of their ends, over
            their bytes.  The model may give other segmentations of the texts a probability, too,
            so it is an upper bound of what the texts take under it.

        Examples
        --------
        >>> from partcover import Vocabulary
        >>> from partcover.studies.bits_per_byte import segment_texts
        >>> vocabulary = Vocabulary(["hat", " that"], pretokenizer="gpt2")
        >>> train = segment_texts(vocabulary, ["a hat that hat, " * 20])
        >>> test = segment_texts(vocabulary, ["that hat that"])
        >>> test.bits_per_byte(train.model(order=3))
        2.265...
        >>> test.bits_per_byte(train.model(context_bytes=4))
        1.992...
        """
        return model.bits(self.numbers) / self.bytes


@checked
def measure_texts(
    vocabulary: Vocabulary,
    train: Iterable[str | bytes],
    texts: Iterable[Iterable[str | bytes]],
    *,
    order: int,
    context_bytes: Annotated[int, Range(0, 2**31 - 1)],
    rule: SegmentationRule | None = None,
    threads: Threads = 1,
    progress: Progress | None = None,
) -> list[dict[str, float]]:
    """Trains two models on texts, and measures others by them.

    Parameters
    ----------
    vocabulary, rule, threads
        As for `segment_texts`.
    train : iterable of str or bytes
        The texts to train on.
    texts : iterable of iterable of str or bytes
        The texts to measure, in groups.
    order, context_bytes : int
        As for `SegmentedTexts.model`, each for one of the models.
    progress : Progress, optional
        Receives what begins.

    Returns
    -------
    list of dict
        For each group the ``bits_per_byte`` of the model with an order, and the
        ``bits_per_byte_same_context`` of the one with a limit of bytes.

    Examples
    --------
    >>> from partcover import Vocabulary
    >>> from partcover.studies.bits_per_byte import measure_texts
    >>> vocabulary = Vocabulary(["hat", " that"], pretokenizer="gpt2")
    >>> train = ["a hat that hat, " * 20]
    >>> measure_texts(vocabulary, train, [["that hat that"]], order=3, context_bytes=4)
    [{'bits_per_byte': 2.265..., 'bits_per_byte_same_context': 1.992...}]
    """
    progress = progress or Progress()
    progress.stage("tokenizing")
    known = segment_texts(vocabulary, train, rule=rule, threads=threads)
    progress.stage("training")
    by_tokens, by_bytes = known.model(order=order), known.model(context_bytes=context_bytes)
    progress.stage("measuring")
    return [
        {
            "bits_per_byte": test.bits_per_byte(by_tokens),
            "bits_per_byte_same_context": test.bits_per_byte(by_bytes),
        }
        for group in texts
        for test in (segment_texts(vocabulary, group, rule=rule, threads=threads),)
    ]


@checked
def segment_texts(
    vocabulary: Vocabulary,
    texts: Iterable[str | bytes],
    *,
    rule: SegmentationRule | None = None,
    threads: Threads = 1,
) -> SegmentedTexts:
    """Tokenizes texts, for a language model.

    Parameters
    ----------
    vocabulary : Vocabulary
        The tokens, over bytes, with their pre-tokenizer.
    texts : iterable of str or bytes
        The texts, each a sequence of its own.
    rule : str, optional
        The segmentation rule; by default the vocabulary's own.
    threads : int
        Number of threads.

    Raises
    ------
    InputError
        If the vocabulary is not over bytes or has no pre-tokenizer, a text does not come back from
        its tokens, or all texts are empty.

    Examples
    --------
    >>> from partcover import Vocabulary
    >>> from partcover.studies.bits_per_byte import segment_texts
    >>> vocabulary = Vocabulary(["hat", " hat"], pretokenizer="gpt2")
    >>> segment_texts(vocabulary, ["hat hat"]).tokens
    2
    """
    encoder = Encoder(vocabulary, rule=rule, threads=threads)
    ids = np.array(vocabulary.id_of, np.int64)
    order = np.argsort(ids)
    lengths = np.array([1] * 256 + [len(token) for token in vocabulary.tokens], np.int64)
    listed = [as_bytes(text, f"text {number}") for number, text in enumerate(texts, 1)]
    cut = []
    for text, encoded in zip(listed, encoder.encode_each(listed), strict=True):
        numbers = order[np.minimum(np.searchsorted(ids, encoded, sorter=order), len(ids) - 1)]
        known = np.array_equal(ids[numbers], encoded) and lengths[numbers].sum() == len(text)
        if not known or encoder.decode_bytes(encoded) != text:
            raise InputError(
                "bits per byte need the whole text, but this vocabulary does not decode to the "
                "text: it normalizes, or has an unknown token"
            )
        cut.append(numbers)
    if not any(map(len, cut)):
        raise InputError("there is no text to train the language model on, or to measure")
    return SegmentedTexts(cut, lengths)
