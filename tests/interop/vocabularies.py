"""A vocabulary for each rule, as exports to transformers are tried on."""

from __future__ import annotations

from partcover import Vocabulary

TOKENS = ["ab", "abc", "bc", "bca", "aa", "aaa", " a", " th", "the", "é", "Ġt", b"\xa9x", "12"]
TEXT = "abca  the théx 123٣4 a_b 12Ġx Ġ\n\n\tab' it's IT'S 😀 12,345 bcab."
SPLITS = [
    "none",
    "gpt2",
    "cl100k",
    "o200k",
    "first-space",
    "space",
    "digit",
    "space-prefix",
    "space-prefix:_",
    "space+digit",
    "first-space+digit",
    "space-prefix:▁+digit",
    "gpt2+digit",
]
USES = {
    "shortest_path": {},
    "longest_match": {},
    "merges": {},
    "merges-pairs": {"merges": [("a", "a"), ("b", "c"), ("a", "bc"), ("a", "b"), ("bc", "a")]},
    "likelihood": {
        "scores": [-1.5 - i / 7 for i in range(len(TOKENS))],
        "symbol_scores": {"a": -2.25, "b": -3.0},
    },
    "single_symbols": {},
    "priority": {},
}
EXACT = [name for name in USES if name != "priority"]


def made(use, **changes):
    facts = {"pretokenizer": "none", **USES[use], **changes}
    return Vocabulary(TOKENS, rule=use.partition("-")[0], **facts)


def same(read, written):
    assert read.with_(provenance={}) == written
