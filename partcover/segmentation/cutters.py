"""Creates the kernel of a segmentation rule for a vocabulary."""

from __future__ import annotations

from functools import partial
from math import inf, isinf

from ..corpus import symbols as sym
from ..corpus.pretokenizers.words_within import WordsWithin
from ..errors import InputError
from ..kernels.segmentation._characters import characters, to_bytes
from ..kernels.training import _unigram
from ..runtime.arguments import checked
from ..runtime.arrays import Array, Float64, Int32, Int64, np
from ..vocabulary.rules import SegmentationRule
from ..vocabulary.vocabulary import Vocabulary
from .merge_cutter import merge_cutter
from .protocols import Cut, Draw
from .superword_cutter import SuperwordCutter
from .text_cutter import TextCutter
from .token_trie import NO_NUMBERS, TokenTrie, rows_of

# the parameter of `sampler` that each rule supports; "" for none
_PARAMETER: dict[str, str] = {
    "merges": "dropout",
    "character_merges": "dropout",
    "longest_match": "dropout",
    "likelihood": "alpha",
    "shortest_path": "alpha",
    "random_path": "",
}
# a longer path weighs 2^-_STEP of a shorter one: negligible even when multiplied by the number of
# segmentations of a word of 2^31 symbols; and 2^31 · _STEP fits into 64 bits
_STEP = 2**31 + 2**12
# of paths of the same length, one with one more byte without an id weighs 2^-_TIE of another:
# negligible in words of 4,000 symbols; and 2^19 of these bytes weigh more than a longer path
_TIE = 2**12


@checked
def cutter(
    vocabulary: Vocabulary,
    rule: SegmentationRule | None = None,
    *,
    names: Int64 | None = None,
    seed: int = 0,
    pretokenizer: str | None = None,
) -> Cut:
    """Returns the function that segments words into tokens of a vocabulary under a rule.

    Parameters
    ----------
    vocabulary : Vocabulary
        The tokens.
    rule : str, optional
        The segmentation rule; by default the vocabulary's own.  The table in
        `partcover.segmentation.segmentation` describes the rules.
    names : ndarray of int64, optional
        For integer symbols: those of the tokens, ascending; the data has indices into it, and
        ``len(names)`` for any other symbol.  For draws: all symbols of the words.
    seed : int
        Random seed of ``random_path``.
    pretokenizer : str, optional
        For ``superword_merges``: the pre-tokenizer of the words, by default the vocabulary's own;
        if it joins words to phrases, phrases are segmented into these words.

    Returns
    -------
    Cut
        A function of words as uint8 (bytes) or int32 (characters, or indices into `names`).
        O(symbols · longest token) time and O(longest word) memory.  ``priority`` takes a factor of
        log(word) more time, and so do the rules of merges for words in which they examine more
        than 64 pairs for each symbol, where they use a queue.  ``shortest_path`` takes O(symbols)
        if a longer prefix of a word never needs fewer tokens, as in a run of one symbol with
        tokens of every length; ``likelihood`` and ``random_path`` examine every occurrence of a
        token in this case too.

    Raises
    ------
    InputError
        If the rule is unknown, or is ``likelihood`` and the vocabulary has no scores.

    Examples
    --------
    >>> import numpy as np
    >>> from partcover import Vocabulary
    >>> from partcover.segmentation.cutters import cutter
    >>> cut = cutter(Vocabulary(["ab"]), "shortest_path")
    >>> which = np.empty(3, np.int32)
    >>> cut(np.frombuffer(b"abc", np.uint8), np.array([0, 3]), 0, 1, which)
    >>> which.tolist()
    [-2, 0, -1]
    """
    rule = rule or vocabulary.rule
    if rule == "random_path":
        return partial(sampler(vocabulary, rule, names=names, seed=seed), draws=NO_NUMBERS)
    if rule == "merges":
        return merge_cutter(TokenTrie(vocabulary, names), 0.0, seed, whole=True)
    if rule == "superword_merges":
        how = (pretokenizer or vocabulary.pretokenizer) if names is None else None
        return SuperwordCutter(TokenTrie(vocabulary, names), WordsWithin.joined_by(how))
    if rule == "character_merges":
        return partial(_character_merges(vocabulary, names, 0.0, seed), draws=NO_NUMBERS)
    if rule == "longest_match":
        return partial(_longest_match(TokenTrie(vocabulary, names), 0.0, seed), draws=NO_NUMBERS)
    if rule == "single_symbols":
        vocabulary = Vocabulary((), vocabulary.symbols, rule=rule)
    trie = TokenTrie(vocabulary, names)
    if rule == "likelihood" and vocabulary.sums != "word":
        return TextCutter(trie)
    if rule in ("shortest_path", "single_symbols"):
        return trie.segmenter.shortest_path
    if rule == "priority":
        return trie.priority
    scores, singles = trie.scores()
    links, listed = trie.listed(score=scores)
    return partial(trie.segmenter.likelihood, links=links, scores=listed, singles=singles)


@checked
def sampler(
    vocabulary: Vocabulary,
    rule: SegmentationRule | None = None,
    *,
    names: Int64 | None = None,
    seed: int = 0,
    dropout: float | None = None,
    alpha: float | None = None,
) -> Draw:
    """Returns the function that segments words at random under a rule, for subword regularization.

    Parameters
    ----------
    vocabulary : Vocabulary
        The tokens.
    rule : str, optional
        By default the vocabulary's own.

        ``merges`` and ``character_merges`` with `dropout` p: each time the next merge is chosen,
        every possible merge is left out with probability p; the word is finished when all are
        left out (BPE-dropout, Provilkov et al. 2020, Algorithm 1, one merge at a time as in
        Hugging Face's BPE).  With p > 0, a word that is a token has no precedence.

        ``longest_match`` with `dropout` p: each token that begins at a position is left out with
        probability p, then the longest of the others is taken (MaxMatch-dropout, Hiraoka 2022).
        The shortest token is kept where the single byte has no id.

        ``likelihood`` with `alpha`: the probability of a segmentation is proportional to
        exp(alpha · its sum of scores) (Kudo 2018, section 3.2, over all segmentations).

        ``shortest_path`` with `alpha`: it is proportional to exp(−alpha · its tokens).

        With a finite `alpha`, a byte without an id is a symbol of its own only where no token can
        cover it.

        ``random_path``: it is uniform over the segmentations with the fewest tokens, and among
        these with the fewest bytes without an id, as in ``shortest_path`` with an infinite `alpha`.
    names : ndarray of int64, optional
        As in `cutter`.
    seed : int
        Random seed, any integer, taken modulo 2^64.
    dropout : float
        A probability from 0 (the rule itself) to 1 (single symbols, or the tokens that are kept).
    alpha : float
        From 0 (all segmentations are equally likely) to infinity (for ``shortest_path``).

    Returns
    -------
    Draw
        Time and memory are those of `cutter`, except O(symbols · log(word) / (1 − p)) time for
        merges.  Random numbers have 53 bits.  Sums of weights have 53 bits and a separate
        exponent, so that the probability of a segmentation has a relative error of about
        2^-52 · symbols · longest token, for any number of segmentations.

    Raises
    ------
    InputError
        If the rule is unknown or cannot be drawn from, scores are missing, or `dropout` or
        `alpha` is missing, out of range, or not a parameter of the rule.

    Examples
    --------
    >>> import numpy as np
    >>> from partcover import Vocabulary
    >>> from partcover.segmentation.cutters import sampler
    >>> draw = sampler(Vocabulary(["ab"]), "longest_match", dropout=1, seed=3)
    >>> which = np.empty(2, np.int32)
    >>> draw(np.frombuffer(b"ab", np.uint8), np.array([0, 2]), 0, 1, which, np.array([0]))
    >>> which.tolist()
    [-1, -1]
    """
    rule = rule or vocabulary.rule
    parameter = _PARAMETER.get(rule)
    if parameter is None:
        raise InputError(
            f"rule {rule} has no random segmentations: use one of {', '.join(sorted(_PARAMETER))}"
        )
    for name, value in (("dropout", dropout), ("alpha", alpha)):
        if (value is None) == (name == parameter):
            raise InputError(
                f"rule {rule} {'needs' if name == parameter else 'does not use'} {name}"
            )
    if parameter == "dropout":
        assert dropout is not None
        if not 0 <= dropout <= 1:
            raise InputError(f"dropout is {dropout}: it must be a probability from 0 to 1")
        share = float(dropout)
        if rule == "character_merges":
            return _character_merges(vocabulary, names, share, seed)
        if rule == "merges":
            return merge_cutter(TokenTrie(vocabulary, names), share, seed, whole=not share)
        return _longest_match(TokenTrie(vocabulary, names), share, seed)
    if alpha is not None and not 0 <= float(alpha) <= (inf if rule == "shortest_path" else 1e300):
        raise InputError(f"alpha is {alpha}: it must be a number of at least 0")
    return _paths(TokenTrie(vocabulary, names), rule, inf if alpha is None else float(alpha), seed)


def _character_merges(
    vocabulary: Vocabulary, names: Int64 | None, dropout: float, seed: int
) -> Draw:
    if vocabulary.symbols != "bytes":
        return merge_cutter(TokenTrie(vocabulary, names), dropout, seed, whole=False)
    texts = [sym.text_of(token) for token in vocabulary]
    long = [(text, place) for place, text in enumerate(texts) if text and len(text) > 1]
    short = {ord(text): place for place, text in enumerate(texts) if text and len(text) == 1}
    merges = None
    if vocabulary.merges is not None:
        pairs = [(sym.text_of(a), sym.text_of(b)) for a, b in vocabulary.merges]
        merges = [(a, b) for a, b in pairs if a and b]
    merge = merge_cutter(
        TokenTrie(Vocabulary((text for text, _ in long), "chars", merges=merges), None),
        dropout,
        seed,
        whole=False,
    )
    tokens = np.array([place for _, place in long], np.int32)
    singles = np.full(max(short, default=-1) + 2, -1, np.int32)
    singles[list(short)] = list(short.values())

    def draw(
        data: Array,
        offsets: Int64,
        first: int,
        last: int,
        which: Int32,
        draws: Int64,
        *,
        seed: int = seed % 2**64,
    ) -> None:
        codes, starts = characters(data, offsets, first, last)
        chosen = np.empty(len(codes), np.int32)
        merge(codes, starts, 0, last - first, chosen, draws[first:last], seed=seed)
        to_bytes(codes, chosen, tokens, singles, which[offsets[first] : offsets[last]])

    return draw


def _longest_match(trie: TokenTrie, dropout: float, seed: int) -> Draw:
    return partial(
        trie.segmenter.longest_match,
        dropout=dropout,
        seed=seed % 2**64,
        names=trie.names,
        keeps=_lacking(trie.vocabulary).astype(np.uint8),
    )


def _lacking(vocabulary: Vocabulary) -> Array:
    """Returns whether each byte has no id; nothing if all have."""
    return np.array((vocabulary.ids or ())[:256], np.int64) < 0


def _paths(trie: TokenTrie, rule: SegmentationRule, alpha: float, seed: int) -> Draw:
    if rule == "likelihood":
        scores, singles = trie.scores()
    else:
        scores, singles = np.full(len(trie.vocabulary), -1.0), np.full(1, -1.0)

    def weights(scores: Float64) -> dict[str, Array]:
        if isinf(alpha):
            return {"part": np.ones(len(scores)), "power": np.full(len(scores), -_STEP)}
        if len(scores) and np.abs(scores * alpha).max() > 2**31:
            raise InputError(f"alpha is {alpha}: multiplied by the scores, this exceeds 2^31")
        found = np.empty(len(scores), [("part", np.float64), ("power", np.int64)])
        _unigram.exponentials(scores * alpha, found)
        return {"part": found["part"], "power": found["power"]}

    links, listed = trie.listed(**weights(scores))
    alone = weights(singles)
    lacking = np.flatnonzero(_lacking(trie.vocabulary))
    if len(lacking):
        # a byte without an id is alone only where no token has it, or no path is as short
        alone = weights(singles[np.minimum(np.arange(257), len(singles) - 1)])
        power = -_STEP - _TIE if isinf(alpha) else -_STEP
        alone["part"][lacking], alone["power"][lacking] = 1.0, power
    return partial(
        trie.segmenter.paths,
        links=links,
        weights=listed,
        singles=rows_of(**alone),
        seed=seed % 2**64,
        names=trie.names,
    )
