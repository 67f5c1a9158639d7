"""Scores a vocabulary on texts: by the measures of the literature, and by its proven gap."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..analysis.gap import split_gap
from ..analysis.parity import Parity, parity
from ..analysis.reachability import unreachable_tokens
from ..analysis.scores import Scores, score_words
from ..analysis.word_borders import split_at_spaces
from ..bounds.lower_bound import lower_bound
from ..corpus import symbols as sym
from ..corpus.symbols import Token
from ..corpus.word_counts import WordCounts
from ..errors import InputError
from ..problem.bound import Bound
from ..problem.instance import Instance
from ..runtime.arguments import Seconds, Threads, checked, shown
from ..runtime.limits import RunLimits
from ..runtime.progress import Progress
from ..segmentation.segmentation import segment
from ..vocabulary.rules import SegmentationRule
from ..vocabulary.vocabulary import Vocabulary


@dataclass(frozen=True)
class VocabularyScores:
    """The scores of a vocabulary on one or several corpora.

    Attributes
    ----------
    size : int
        Number of tokens of two or more symbols.
    rule : str
        The segmentation rule that the scores are under.
    unreachable : tuple of token
        Tokens that no text ever contains under the vocabulary's own rule.
    corpora : dict of str to Scores
        The scores on each corpus.
    parities : tuple of Parity
        Of several corpora: how evenly they are served, per text, per word and, of text, per byte.
    is_interrupted : bool
        Whether Ctrl-C ended the search for a bound; corpora after that one have no gap.

    Examples
    --------
    >>> from partcover import Vocabulary, WordCounts, score_vocabulary
    >>> from partcover.studies.vocabulary_scores import VocabularyScores
    >>> texts = {"a": WordCounts.from_counts({"that": 3}), "b": WordCounts.from_counts({"it": 2})}
    >>> scores: VocabularyScores = score_vocabulary(Vocabulary(["th", "at"]), texts)
    >>> scores.corpora["b"].fertility, [each.per for each in scores.parities]
    (2.0, ['text', 'word', 'byte'])
    """

    size: int
    rule: SegmentationRule
    unreachable: tuple[Token, ...]
    corpora: dict[str, Scores]
    parities: tuple[Parity, ...]
    is_interrupted: bool = False

    def to_json(self) -> dict[str, Any]:
        """Returns the scores as a JSON object."""
        return {
            "size": self.size,
            "rule": self.rule,
            "unreachable": len(self.unreachable),
            "unreachable_tokens": [sym.to_json(token) for token in self.unreachable],
            "corpora": [
                {"corpus": name, **scores.to_json()} for name, scores in self.corpora.items()
            ],
            "parity": [each.to_json() for each in self.parities],
        }


@checked
def score_vocabulary(
    vocabulary: Vocabulary,
    corpora: Mapping[str, WordCounts],
    rule: SegmentationRule | None = None,
    *,
    time_limit: Seconds | None = 4.0,
    threads: Threads = 1,
    progress: Progress | None = None,
) -> VocabularyScores:
    """Scores a vocabulary on texts, which should not be those that it was made from.

    Parameters
    ----------
    vocabulary : Vocabulary
        The tokens.
    corpora : mapping of str to WordCounts
        The counted words of each text, by name, split by the vocabulary's own pre-tokenizer.
    rule : str, optional
        The segmentation rule; by default the vocabulary's own.
    time_limit : float, optional
        Seconds for the lower bounds of all corpora together; 0 skips them, None sets no limit.
    threads : int
        Number of threads.
    progress : Progress, optional
        Receives the events of the lower bounds.

    Returns
    -------
    VocabularyScores
        Exact counts; a gap is to a proven lower bound for the vocabulary's size and that one
        corpus.  Ctrl-C ends the search for bounds, and all else is there.

    Raises
    ------
    InputError
        If there is no corpus, one has no words, the symbols of words and vocabulary differ, or the
        vocabulary lacks what its rule needs.

    Examples
    --------
    >>> from partcover import Vocabulary, WordCounts, score_vocabulary
    >>> words = WordCounts.from_counts({"that": 3, "hat": 2, "cat": 2})
    >>> scores = score_vocabulary(Vocabulary(["th", "hat"], rule="priority"), {"six": words})
    >>> six = scores.corpora["six"]
    >>> six.tokens, six.gap.tokens_shortest_path, six.gap.lower_bound
    (17, 14, 10)
    """
    if not corpora:
        raise InputError("give at least one corpus to score the vocabulary on")
    for name, words in corpora.items():
        if not isinstance(words, WordCounts):
            raise InputError(f"{name!r} is {shown(words)}: it must be a WordCounts")
        if not len(words):
            raise InputError(f"{name}: the corpus is empty: it has no words")
    rule = rule or vocabulary.rule
    share = None if time_limit is None else time_limit / len(corpora)
    interrupted = False
    scored = {}
    for name, words in corpora.items():
        gap = None
        if time_limit != 0:
            if words.pretokenizer == "none":
                words = split_at_spaces(words, vocabulary)
            if not interrupted:
                proven = _lower_bound(
                    vocabulary, words, RunLimits(share, threads=threads), progress
                )
                interrupted = proven.termination == "interrupted"
                gap = split_gap(
                    proven.instance, vocabulary, int(proven.lower_bound), rule, threads=threads
                )
        scored[name] = score_words(vocabulary, words, rule, gap=gap, threads=threads)
    return VocabularyScores(
        len(vocabulary),
        rule,
        unreachable_tokens(vocabulary, threads=threads),
        scored,
        _parities(scored),
        interrupted,
    )


def _lower_bound(
    vocabulary: Vocabulary, words: WordCounts, limits: RunLimits, progress: Progress | None
) -> Bound:
    """Proves a lower bound for the vocabulary's size."""
    n_long = int(np.count_nonzero(np.diff(words.offsets) > 1))
    if len(vocabulary) >= n_long:  # it could hold every word, which is proven at once
        incumbent = words.total_count
    else:
        incumbent = segment(words, vocabulary, "shortest_path", threads=limits.threads).tokens
    return lower_bound(
        Instance(words, len(vocabulary)),
        incumbent=incumbent,
        time_limit=limits.time_limit,
        threads=limits.threads,
        progress=progress,
    )


def _parities(scored: dict[str, Scores]) -> tuple[Parity, ...]:
    """Returns how evenly several corpora are served: per text, per word, per byte."""
    if len(scored) < 2:
        return ()
    tokens = {name: scores.tokens for name, scores in scored.items()}
    words = {name: scores.total_count for name, scores in scored.items()}
    sizes = {name: scores.bytes for name, scores in scored.items() if scores.bytes is not None}
    parities = (parity(tokens), parity(tokens, words, per="word"))
    return (*parities, parity(tokens, sizes, per="byte")) if sizes else parities
