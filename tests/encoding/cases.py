"""Texts, vocabularies and ways to draw for the tests of encoding."""

from __future__ import annotations

import json

from hypothesis import strategies as st
from oracles.encoding import words_of

from partcover import Vocabulary
from partcover.corpus.pretokenizers.phrases import with_phrases
from partcover.corpus.pretokenizers.published_patterns import DEEPSEEK, SPACE_RUNS
from partcover.corpus.pretokenizers.rules import PRETOKENIZER_RULES
from partcover.corpus.pretokenizers.steps.read import split_steps
from partcover.vocabulary.rules import SEGMENTATION_RULES

SPACE_RUNS_STEPS = json.dumps(split_steps([SPACE_RUNS]))
PHRASES_OF_STEPS = with_phrases(json.dumps(split_steps([DEEPSEEK[-1]])), 3)
NAMES = [*PRETOKENIZER_RULES, "space-prefix:_", "space-prefix:<s>", "space+digit", "gpt2+digit",
         "digit+gpt2", "space-prefix+digit", "first-space+o200k", SPACE_RUNS_STEPS,
         "gpt2+phrases:2", "o200k+phrases", "space-prefix:<s>+phrases:3",
         "first-space+phrases:4+digit",
         PHRASES_OF_STEPS]  # fmt: skip
BITS = [
    *[" ", " ", "  ", "\n", "\n\n", "\r\n", "\t", "a", "ab", "Bc", "DEF", "'s", "'LL", "'", "ſ"],
    *["'ſ", "'Re", "23", "4567", "٣", "½", "!", "/", "...", "\n/", "é", "e\u0301", "\u0301", "ñ"],
    *["中文", "。", "、字", "\u3000", "\xa0", "\u2003", "\x85", "\x1c", "\x1f", "\u200b", "Ġ", "_"],
    *["ǅ", "ʰ", "и", "Привет", "🙂", "\0", "\ufffd", "-", "foo bar", "<s>", "<", "abab", " ab"],
]
BROKEN = [b"\xff", b"\xe2\x82", b"\xc4", b"\xa0", b"\xed\xa0\x80", b"\xf0\x90", b"\xf4\x90\x80\x80"]
TEXT = st.lists(
    st.one_of(
        st.sampled_from(BITS).map(str.encode),
        st.sampled_from(BROKEN),
        st.characters(codec="utf-8").map(str.encode),
    ),
    max_size=20,
).map(b"".join)
BYTES = st.one_of(TEXT, st.binary(max_size=24))
SIZES = [0, 1, 700, 1 << 20]


@st.composite
def cases(draw):
    """A text, a vocabulary of substrings of its words, a pre-tokenizer and a rule."""
    text = draw(BYTES)
    name = draw(st.sampled_from(NAMES))
    flat = b"".join(words_of(text, name)) + b"abab \xc4\xa0a"
    spans = st.tuples(st.integers(0, len(flat) - 2), st.integers(2, 6))
    tokens = {flat[a : a + n] for a, n in draw(st.lists(spans, max_size=12))}
    tokens = sorted(token for token in tokens if len(token) > 1)
    ids = None
    if draw(st.booleans()):
        ids = draw(st.permutations(range(256 + len(tokens))))
        ids = [number * 300 for number in ids] if draw(st.booleans()) else ids
    scores = draw(st.lists(st.floats(-9, -1), min_size=len(tokens), max_size=len(tokens)))
    tokens = draw(st.permutations(tokens))
    return (
        text,
        Vocabulary(tokens, ids=ids, scores=scores),
        name,
        draw(st.sampled_from(SEGMENTATION_RULES)),
    )


STRENGTHS = {
    "merges": {"dropout": 0.4},
    "character_merges": {"dropout": 0.4},
    "longest_match": {"dropout": 0.4},
    "likelihood": {"alpha": 0.3},
    "shortest_path": {"alpha": 0.3},
    "random_path": {},
}
