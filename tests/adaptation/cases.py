"""Tiny vocabularies of any rule, and corpora to adapt them to, each named by a number."""

from __future__ import annotations

import random
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import pairwise
from math import comb, perm

from oracles.adaptation import Plain, is_whole, pool_of
from oracles.greedy import all_candidates

from partcover import Vocabulary, WordCounts

MOST = 400  # vocabularies that brute force has to try, about
KINDS = (
    "shortest_path",
    "random_path",
    "longest_match",
    "priority",
    "merges",
    "ranks",
    "characters",
    "character_ranks",
    "likelihood",
)
RULES = {
    "ranks": "merges",
    "characters": "character_merges",
    "character_ranks": "character_merges",
}
ORDERED = ("priority", "ranks", "character_ranks")


@dataclass(frozen=True)
class Case:
    """A vocabulary, the words of a corpus and of one to keep, and what is asked for."""

    base: Vocabulary
    words: dict
    keep: dict | None
    weight: Fraction
    at_most: Fraction | None
    size: int

    @property
    def plain(self) -> Plain:
        return Plain.of(self.base)

    @property
    def whole(self) -> bool:
        """Whether tokens that cut a character are of no use."""
        base = self.base
        if base.symbols != "bytes":
            return False
        return base.rule == "character_merges" or -1 in base.id_of

    @property
    def objective(self) -> dict:
        """What a token of each word counts."""
        both = {word: count * self.weight.denominator for word, count in self.words.items()}
        for word, count in (self.keep or {}).items():
            if self.weight:
                both[word] = both.get(word, 0) + count * self.weight.numerator
        return both

    def counted(self, words: dict) -> WordCounts:
        return WordCounts.from_counts(words, self.base.symbols)


def extension_case(kind: str, number: int) -> Case:
    """A vocabulary to extend."""
    draw = random.Random(f"extend {kind} {number}")
    while True:
        texts = _words(draw, kind)
        kept = _words(draw, kind) if draw.randrange(2) else None
        case = _case(draw, kind, texts, kept, (0, 4))
        case = replace(case, size=draw.choice([1, 1, 2, 2, 3]))
        if _n_extensions(kind, case) <= MOST:
            return case


def _n_extensions(kind: str, case: Case) -> int:
    pool = len(pool_of(case.plain, case.objective, case.whole))
    if kind in ("merges", "characters"):
        pool = sum(max(0, len(case.plain.cut(word)) - 1) for word in case.objective)
    return (perm if kind in (*ORDERED, "merges", "characters") else comb)(pool, case.size)


def pruning_case(kind: str, number: int) -> Case:
    """A vocabulary to cut down."""
    draw = random.Random(f"prune {kind} {number}")
    while True:
        case = _case(draw, kind, _words(draw, kind), None, (2, 8))
        if len(case.base):
            return replace(case, size=draw.randint(1, len(case.base)))


def _words(draw: random.Random, kind: str) -> dict[str, int]:
    """Counted words, half of the time with periodic ones."""
    letters = draw.choice(["ab", "abc", "abcd"])
    if kind.startswith("character") or draw.randrange(8) == 0:
        letters = draw.choice(["aé", "aéß", "ab€"])
    chosen = [draw.choices(letters, k=draw.randint(1, 5)) for _ in range(draw.randint(1, 4))]
    if draw.randrange(2):
        root = draw.choices(letters, k=draw.randint(1, 3))
        chosen = [*chosen[:2], (6 * root)[: draw.randint(2, 6)]]
    most = draw.choice([1, 3, 9, 99, 10**9])
    counts: dict[str, int] = {}
    for letters_of_word in chosen:
        word = "".join(letters_of_word)
        counts[word] = counts.get(word, 0) + draw.randint(1, most)
    return counts


def _case(
    draw: random.Random, kind: str, texts: dict, kept: dict | None, sizes: tuple[int, int]
) -> Case:
    symbols = draw.choice(["bytes", "bytes", "bytes", "chars", "ints"])
    all_texts = {**texts, **(kept or {})}
    code = sorted({letter for text in all_texts for letter in text} | set("abcx"))

    def turned(text: str):
        if symbols == "bytes":
            return text.encode()
        return text if symbols == "chars" else tuple(map(code.index, text))

    base = _base(draw, kind, [turned(text) for text in all_texts], symbols, sizes)
    words, keep = ({turned(t): n for t, n in (c or {}).items()} for c in (texts, kept))
    at_most = None if kept is None else draw.choice([None, 0, Fraction(1, 10), Fraction(1, 3)])
    weight = Fraction(0) if kept is None else draw.choice([Fraction(0), Fraction(1, 2), 1, 3])
    return Case(base, words, None if kept is None else keep, Fraction(weight), at_most, 0)


def _base(
    draw: random.Random, kind: str, words: list, symbols: str, sizes: tuple[int, int]
) -> Vocabulary:
    """A vocabulary of some substrings, and of one text that occurs nowhere."""
    whole = kind.startswith("character") and symbols == "bytes"
    pool = [t for t in sorted(all_candidates(words)) if not whole or is_whole(t)]
    n_tokens = min(draw.randint(*sizes), len(pool))
    tokens = draw.sample(pool, n_tokens)
    odd = {"bytes": b"xx", "chars": "xx", "ints": (90, 90)}[symbols]
    if draw.randrange(4) == 0:
        tokens.insert(draw.randint(0, len(tokens)), odd)
    use: dict = {"rule": RULES.get(kind, kind)}
    if kind in ("merges", "characters"):
        tokens, use["merges"] = _merges(draw, words, symbols, whole, n_tokens)
    if kind == "likelihood":
        step = draw.choice([1.0, 0.25, 1e-3])
        use["scores"] = [-step * draw.randint(1, round(9 / step)) for _ in tokens]
        letters = sorted({word[i : i + 1] for word in words for i in range(len(word))})
        use["symbol_scores"] = {
            letter: -step * draw.randint(1, round(12 / step))
            for letter in letters
            if draw.randrange(6)
        }
    elif (
        kind in ("shortest_path", "random_path", "longest_match")
        and symbols == "bytes"
        and not draw.randrange(4)
    ):
        use["ids"] = [byte if byte < 0x80 else -1 for byte in range(256)]
        use["ids"] += range(300, 300 + len(tokens))
    elif symbols == "bytes" and draw.randrange(3) == 0:
        use["special"] = ["<s>"]
    return Vocabulary(tokens, symbols, **use)


def _merges(
    draw: random.Random, words: list, symbols: str, whole: bool, number: int
) -> tuple[list, list]:
    """Merges of any neighbours, some of which make what other merges make, too."""
    plain = Plain("character_merges" if whole else "merges", [], [])
    if whole:
        characters = {c.encode() for word in words for c in word.decode()}
        known = [c for c in sorted(characters) if len(c) > 1 and draw.randrange(2)]
        plain = replace(plain, tokens=known)
    for _ in range(number):
        neighbours = {pair for word in words for pair in pairwise(plain.cut(word))}
        if draw.randrange(3) == 0:  # what earlier merges hide, or never meet
            parts = [*plain.tokens, *(w[i : i + 1] for w in words for i in range(len(w)))]
            neighbours = {(a, b) for a in parts for b in parts if len(a + b) < 6}
        if whole:
            neighbours = {pair for pair in neighbours if all(map(is_whole, pair))}
        neighbours -= set(plain.merges or [])
        if not neighbours:
            break
        left, right = draw.choice(sorted(neighbours))
        tokens = dict.fromkeys([*plain.tokens, left + right])
        plain = replace(plain, tokens=[*tokens], merges=[*(plain.merges or []), (left, right)])
    return plain.tokens, plain.merges or []
