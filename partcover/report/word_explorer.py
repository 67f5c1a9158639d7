"""Collects the data with which a page segments words: words, vocabularies, prices, steps."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from ..bounds.price_report import price_report
from ..corpus import symbols as sym
from ..corpus.normalizers.normalizer import Normalizer
from ..corpus.pretokenizers.words_within import WordsWithin
from ..corpus.symbols import Token
from ..corpus.word_counts import WordCounts
from ..errors import InputError
from ..exact.solve import solve
from ..heuristics.greedy import greedtok
from ..problem.certificates.certificate import Certificate
from ..problem.instance import Instance
from ..runtime.arrays import Int64
from ..runtime.limits import RunLimits
from ..segmentation.segmentation import Segmentation, segment
from ..segmentation.text_cutter import in_32_bits
from ..vocabulary.rules import SegmentationRule
from ..vocabulary.vocabulary import Vocabulary

_TELLING = 120  # words in which the vocabularies differ that are shown
_PRICED = 40  # words that are shown with their prices
_COMPETING = 12  # tokens that are shown over one of these words
_STEP_WORDS, _STEP_SYMBOLS, _STEP_K = 60, 2_000, 40  # the largest instance shown step by step
_STEP_LIMITS = RunLimits(10.0)


class Letters:
    """Writes symbols as single characters, which a script in a browser compares.

    Parameters
    ----------
    symbols : {"bytes", "chars", "ints"}
        The alphabet.
    used : iterable of token
        All words and tokens that will be written, for an alphabet of integers.

    Notes
    -----
    A byte becomes the character of its number, a character stays itself, and the integers in use
    become U+0100 and on, in ascending order.
    """

    def __init__(self, symbols: sym.Symbols, used: Sequence[Token] = ()) -> None:
        self.symbols = symbols
        numbers = sorted({n for word in used if isinstance(word, tuple) for n in word})
        self._letter = {n: chr(0x100 + i) for i, n in enumerate(numbers)}

    def write(self, token: Token) -> str:
        """Returns a token as one character for each symbol."""
        if isinstance(token, bytes):
            return token.decode("latin-1")
        if isinstance(token, str):
            return token
        return "".join(self._letter[n] for n in token)

    @property
    def names(self) -> dict[str, str]:
        """The integer behind each character that stands for one."""
        return {letter: str(n) for n, letter in self._letter.items()}


def sample_words(words: WordCounts, size: int, seed: int) -> WordCounts:
    """Samples words: half of them are the most frequent ones, half are drawn from the others.

    Parameters
    ----------
    words : WordCounts
        The corpus.
    size : int
        The number of words.
    seed : int
        Random seed of the draw, in which every other word is equally likely.

    Returns
    -------
    WordCounts
        `words` itself if it has no more than `size`.
    """
    if len(words) <= size:
        return words
    order = sorted(words, key=lambda pair: (-pair[1], pair[0]))
    head = size - size // 2
    drawn = np.random.default_rng(seed % 2**64).choice(len(order) - head, size // 2, replace=False)
    return words.subset(order[:head] + [order[head + int(i)] for i in sorted(drawn)])


def telling_words(words: WordCounts, pieces: Sequence[Int64], size: int) -> list[int]:
    """Returns the words in which vocabularies differ most, or which cost one vocabulary most.

    Parameters
    ----------
    words : WordCounts
        The corpus.
    pieces : sequence of ndarray of int64, shape (words,)
        The number of tokens of each word under each vocabulary.
    size : int
        The number of words to return, at most.

    Returns
    -------
    list of int
        Indices of words, ordered by tokens.  For several vocabularies: the count of a word times
        the difference of its largest and smallest number of tokens.  For one vocabulary: the count
        of a word times its tokens beyond the first.  Ties go to the first word.

    Examples
    --------
    >>> import numpy as np
    >>> from partcover import WordCounts
    >>> from partcover.report.word_explorer import telling_words
    >>> words = WordCounts.from_counts({"ab": 9, "abc": 2, "abcd": 5})
    >>> telling_words(words, [np.array([1, 1, 2]), np.array([1, 3, 1])], 2)
    [2, 1]
    """
    table = np.stack(pieces)
    lowest = table.min(axis=0) if len(pieces) > 1 else 1
    stake = words.counts * (table.max(axis=0) - lowest)
    order = np.argsort(-stake, kind="stable")[:size]
    return [int(i) for i in order if stake[i] > 0]


def explore(
    words: WordCounts,
    vocabularies: Mapping[str, Vocabulary],
    *,
    cuts: Mapping[str, Segmentation] | None = None,
    prices: tuple[Instance, Certificate] | None = None,
    size: int = 2_000,
    seed: int = 0,
) -> dict[str, Any]:
    """Returns the data of the word explorer.

    Parameters
    ----------
    words : WordCounts
        The corpus.  For a large one a sample is shown, and `sampled` is true.
    vocabularies : mapping of name to Vocabulary
        The vocabularies, over the same symbols as the words.
    cuts : mapping of name to Segmentation, optional
        The words as each vocabulary segments them, if this is known already.
    prices : (Instance, Certificate), optional
        Prices to show for the most frequent words.
    size, seed : int
        The size and the random seed of the sample (see `sample_words`).

    Returns
    -------
    dict
        JSON: ``words`` (pairs of word and count), ``sampled``, ``of``, ``pretokenizer``,
        ``normalizer`` (its steps), ``lead`` (what a word after a space begins with), ``names``,
        ``methods``, ``telling`` (the words of `telling_words`, in the form of ``words``),
        ``differing`` (the number of words, distinct and counted, that become different numbers of
        tokens), ``prices``.

    Raises
    ------
    InputError
        If a vocabulary is over other symbols than the words.
    """
    for name, vocabulary in vocabularies.items():
        if vocabulary.symbols != words.symbols:
            raise InputError(
                f"{name}: its tokens are over {vocabulary.symbols}, but the words are over "
                f"{words.symbols}. Use a vocabulary over {words.symbols}"
            )
    if cuts is None:
        cuts = {name: segment(words, vocabulary) for name, vocabulary in vocabularies.items()}
    pieces = [cut.pieces for cut in cuts.values()]
    telling = [] if not pieces else telling_words(words, pieces, _TELLING)
    told = [(words.word(i), int(words.counts[i])) for i in telling]
    shown = sample_words(words, size, seed)
    ranked = sorted({*shown, *told}, key=lambda pair: (-pair[1], pair[0]))
    tokens = [token for vocabulary in vocabularies.values() for token in vocabulary]
    letters = Letters(words.symbols, [word for word, _ in ranked] + tokens)
    write = letters.write
    return {
        "symbols": words.symbols,
        "words": [[write(word), count] for word, count in ranked],
        "sampled": len(shown) < len(words),
        "of": len(words),
        "total": words.total_count,
        "pretokenizer": words.pretokenizer,
        "normalizer": None if words.normalizer is None else Normalizer(words.normalizer).steps,
        "lead": _lead(shown),
        "names": letters.names,
        "methods": [
            _method(name, vocabulary, cuts[name].tokens, letters)
            | _within(vocabulary, words.pretokenizer, [word for word, _ in ranked], letters)
            for name, vocabulary in vocabularies.items()
        ],
        "telling": [[write(word), count] for word, count in told],
        "differing": _differing(words, pieces),
        "prices": {} if prices is None else _prices(*prices, ranked, letters),
    }


def _method(name: str, vocabulary: Vocabulary, tokens: int, letters: Letters) -> dict[str, Any]:
    """Returns a vocabulary in the form that the page's script reads."""
    write = letters.write
    method: dict[str, Any] = {
        "name": name,
        "rule": vocabulary.rule,
        "symbols": vocabulary.symbols,
        "tokens": [write(token) for token in vocabulary],
        "corpus_tokens": tokens,
    }
    if vocabulary.merges is not None:
        method["merges"] = [[write(a), write(b)] for a, b in vocabulary.merges]
    if vocabulary.scores is not None:
        method["scores"] = list(vocabulary.scores)
        singles = vocabulary.symbol_scores.items()
        method["symbol_scores"] = {write(symbol): score for symbol, score in singles}
        if vocabulary.sums != "word":
            every = (bytes([byte]) for byte in range(256))
            method["symbol_scores"] = {write(b): vocabulary.symbol_score(b) for b in every}
        if vocabulary.sums == "text32":
            method["narrow"] = True
            method["scores"] = _narrow(method["scores"])
            singles = method["symbol_scores"]
            method["symbol_scores"] = dict(zip(singles, _narrow(singles.values()), strict=True))
    return method


def _narrow(scores: Iterable[float]) -> list[float]:
    return list(map(float, in_32_bits(np.array([*scores], np.float64))))


def _within(
    vocabulary: Vocabulary, pretokenizer: str | None, phrases: Sequence[Token], letters: Letters
) -> dict[str, Any]:
    """Returns the rule that splits phrases into words, and their sizes if the script lacks it."""
    if vocabulary.rule != "superword_merges":
        return {}
    within = WordsWithin.joined_by(pretokenizer or vocabulary.pretokenizer)
    rules = within.rules
    if rules is None:
        return {}
    sizes = {}
    if rules.name.startswith("{"):
        cut = {letters.write(phrase): within.of(phrase) for phrase in phrases}
        sizes = {phrase: list(map(len, words)) for phrase, words in cut.items() if len(words) > 1}
    mark = rules.rules[0].mark or " "
    return {"within": {"rule": rules.name, "mark": mark, "sizes": sizes}}


def _differing(words: WordCounts, pieces: Sequence[Int64]) -> dict[str, int]:
    """Returns how many words, distinct and counted, have different numbers of tokens."""
    if len(pieces) < 2:
        return {"words": 0, "counted": 0}
    table = np.stack(pieces)
    different = table.min(axis=0) != table.max(axis=0)
    return {"words": int(different.sum()), "counted": int(words.counts[different].sum())}


def _lead(words: WordCounts) -> str:
    """Returns the mark with which at least 30 % of the counted words begin, or an empty string."""
    if words.symbols == "ints":
        return ""
    for mark in (" ", "Ġ", "▁"):
        begin = sym.to_token(mark, words.symbols)
        count = sum(count for word, count in words if word[: len(begin)] == begin)
        if count * 10 >= 3 * words.total_count:
            return begin.decode("latin-1") if isinstance(begin, bytes) else mark
    return ""


def _prices(
    instance: Instance,
    certificate: Certificate,
    ranked: Sequence[tuple[Token, int]],
    letters: Letters,
) -> dict[str, Any]:
    """Returns the prices of the most frequent words, with the tokens in them."""
    if all(leaf.prices is None for leaf, _, _ in certificate.leaves()):
        return {}  # a time limit ended the bound before it had any
    chosen = [word for word, _ in ranked if 1 < len(word) <= 100][:_PRICED]
    return {
        letters.write(word.word): {
            "prices": [round(price, 4) for price in word.prices],
            "tokens": [
                [letters.write(token), reward, round(worth, 4), best]
                for token, reward, worth, best in word.tokens[:_COMPETING]
            ],
        }
        for word in price_report(instance, certificate, chosen)
    }


def steps(
    instance: Instance,
    answer: Vocabulary | None = None,
    *,
    limits: RunLimits = _STEP_LIMITS,
) -> dict[str, Any]:
    """Runs GreedTok token by token, and finds the optimum to compare with.

    Parameters
    ----------
    instance : Instance
        At most 60 words, 2,000 symbols and 40 tokens to choose.
    answer : Vocabulary, optional
        The vocabulary to compare with; by default the one that `solve` returns.
    limits : RunLimits
        Time limit, random seed and threads of `solve`.

    Returns
    -------
    dict
        JSON: ``symbols``, ``names``, ``counts``, ``greedy`` (for each number of tokens: the token
        taken, the words in pieces, the tokens needed, the same with the fewest pieces) and
        ``best`` (its tokens, the words in pieces, the tokens needed, whether proven).

    Raises
    ------
    InputError
        If the instance is larger.
    """
    words = instance.words
    if len(words) > _STEP_WORDS or len(words.data) > _STEP_SYMBOLS or instance.k > _STEP_K:
        raise InputError(
            f"an instance with {len(words):,} words, {len(words.data):,} symbols and "
            f"k = {instance.k} is too large to show step by step: the limits are {_STEP_WORDS} "
            f"words, {_STEP_SYMBOLS:,} symbols and k = {_STEP_K}"
        )
    proven = None
    if answer is None:
        solution = solve(
            instance,
            time_limit=limits.time_limit,
            seed=limits.seed,
            threads=limits.threads,
        )
        answer, proven = solution.vocabulary, solution.status == "optimal"
    if answer is None:
        raise InputError("no vocabulary was found to show")
    greedy = greedtok(instance).vocabulary
    order = () if greedy is None else greedy.tokens
    letters = Letters(words.symbols, [*(word for word, _ in words), *order, *answer])

    pieces, tokens = _pieces(words, answer.tokens, "shortest_path", letters)
    return {
        "symbols": words.symbols,
        "names": letters.names,
        "counts": words.counts.tolist(),
        "k": instance.k,
        "greedy": [_step(words, order[:j], letters) for j in range(len(order) + 1)],
        "best": {
            "chosen": [letters.write(token) for token in answer],
            "pieces": pieces,
            "tokens": tokens,
            "proven": proven,
        },
    }


def _step(words: WordCounts, tokens: Sequence[Token], letters: Letters) -> dict[str, Any]:
    """Returns GreedTok's last token, and the words as segmented by all of its tokens so far."""
    pieces, needed = _pieces(words, tokens, "priority", letters)
    return {
        "token": letters.write(tokens[-1]) if tokens else None,
        "pieces": pieces,
        "tokens": needed,
        "fewest": _pieces(words, tokens, "shortest_path", letters)[1],
    }


def _pieces(
    words: WordCounts, tokens: Sequence[Token], rule: SegmentationRule, letters: Letters
) -> tuple[list[list[str]], int]:
    """Returns the words in pieces, and the tokens needed."""
    cut = segment(words, Vocabulary(tokens, words.symbols), rule)
    return [list(map(letters.write, cut.of(i))) for i in range(len(words))], cut.tokens
