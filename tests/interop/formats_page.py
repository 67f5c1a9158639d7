"""What each format expresses, measured: the tables of docs/reference/formats.md.

    python tests/interop/formats_page.py

prints them; `test_formats_page.py` compares them with the page.
"""

from __future__ import annotations

import random
import tempfile
from pathlib import Path

from partcover import InputError, Vocabulary, WordCounts
from partcover.errors import MissingExtra
from partcover.interop import FORMATS, export

TOKENS = ["ab", "abc", "bc", "bcd", "cd", "abcd", "aa", "aaa", "the", " the", "Ġthe", "é", "12"]
TOKENS += [" a", "hé", "éa", "da", "dab", "bcdab", "abab", "Ġ"]
TEXT = "abcd the  thé 123 aaabcda  12,3 It's\n\n\tbcdabcd aé 😀 aaaa x"
MERGES = [("c", "d"), ("a", "b"), ("b", "cd"), ("a", "a"), ("ab", "cd"), ("d", "a")]
# each is made by merges of those before it, as in a trained BPE
MERGED = ["ab", "cd", "aa", "abcd", "th", "the", " t", "é", "12", "da", "bc", "dab", " a", "aaa"]
SCORES = [-1 - (7 * i % 11) / 4 for i in range(len(TOKENS))]

USES: dict[str, dict] = {
    "shortest_path": {},
    "random_path": {},
    "priority": {},
    "longest_match": {},
    "merges, by rank": {},
    "merges, as pairs": {"merges": MERGES},
    "character_merges, by rank": {},
    "character_merges, as pairs": {"merges": MERGES},
    "superword_merges, as pairs": {"merges": MERGES},
    "likelihood": {"scores": SCORES, "symbol_scores": {"a": -2.5}},
    "single_symbols": {},
}
# strings over the symbols of the tokens, and neighbouring copies of a token
_DRAW = random.Random(1)
_PARTS = ["a", "b", "c", "d", "abcd", "the", " ", "é"]
WORDS = WordCounts.from_words(
    ["ababab", *("".join(_DRAW.choices(_PARTS, k=_DRAW.randint(1, 8))) for _ in range(300))]
)
UNKNOWN = "?"  # the library is not installed
# the formats that hold no pre-tokenizer have no column in its table
WORDS_ONLY = ("tiktoken", "sage", "pathpiece", "list")
SPLITS = [
    "none",
    "gpt2",
    "cl100k",
    "o200k",
    "qwen2",
    "qwen3.5",
    "tekken",
    "deepseek",
    "first-space",
    "space",
    "digit",
    "space-prefix",
    "space-prefix:_",
    "space-prefix:<s>",
    "first-space+digit",
    "gpt2+phrases:4",
    "o200k+phrases",
    "first-space+phrases:2",
    "space-prefix+phrases:4",
    "deepseek+phrases:4",
]


def cell(name: str, vocabulary: Vocabulary) -> str:
    """``exact``, the nearest rule, ``approximate`` or ``no``; what is said is measured."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "out"
        try:
            result = export(vocabulary, path, name, corpus=WORDS, text=TEXT, lossy=True)
        except InputError:
            return "no"
        except MissingExtra:
            return UNKNOWN
        if result.exact:
            return "exact" if result.text_same is not None else "exact for words"
        if result.written_rule != result.rule:
            nearest = vocabulary.with_(rule=result.written_rule)
            again = export(nearest, path, name, corpus=WORDS, text=TEXT, lossy=True)
            return f"as {result.written_rule}" if again.exact else "approximate"
        return "approximate" if not result.given_up else "no"


def by_rule(name: str, use: str) -> str:
    rule = use.partition(",")[0]
    return cell(name, Vocabulary(TOKENS, rule=rule, pretokenizer=split_of(name), **USES[use]))


def by_split(name: str, split: str, tokens: list[str] = MERGED) -> str:
    rule = next(rule for rule, how in FORMATS[name].rules.items() if isinstance(how, str))
    return cell(name, Vocabulary(tokens, rule=rule, pretokenizer=split, **USES.get(rule, {})))


def split_of(name: str) -> str:
    """A pre-tokenizer that the format expresses: gpt2, cl100k, or none at all."""
    for split in ("gpt2", "cl100k"):
        if by_split(name, split, TOKENS).startswith("exact"):
            return split
    return "none"


def table(head: str, rows, measure, names) -> list[str]:
    lines = [f"| {head} | " + " | ".join(names) + " |", "|---" * (1 + len(names)) + "|"]
    for row in rows:
        lines.append(f"| {row} | " + " | ".join(measure(name, row) for name in names) + " |")
    return lines


if __name__ == "__main__":
    holding = [name for name in FORMATS if name not in WORDS_ONLY]
    print(*table("rule", USES, by_rule, FORMATS), sep="\n", end="\n\n")
    print(*table("pre-tokenizer", SPLITS, by_split, holding), sep="\n")
