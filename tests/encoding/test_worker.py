"""Words are samples as the rule finds them, and the table of words is bounded."""

from __future__ import annotations

import random
from functools import partial

import numpy as np
import pytest
from encoding.cases import BYTES, SPACE_RUNS_STEPS
from hypothesis import given
from hypothesis import strategies as st
from shared.properties import tries

from partcover import Encoder, Vocabulary
from partcover.corpus.pretokenizers.character_kinds import character_kinds
from partcover.corpus.pretokenizers.pretokenizer import Pretokenizer
from partcover.corpus.pretokenizers.published_patterns import PATTERNS
from partcover.corpus.pretokenizers.rules import PRETOKENIZER_RULES
from partcover.encoding import worker
from partcover.encoding.worker import Worker
from partcover.kernels.encoding import _encoder
from partcover.kernels.words import _word_ends
from partcover.segmentation.cutters import cutter


@tries(300)
@given(BYTES, st.sampled_from([*PRETOKENIZER_RULES, SPACE_RUNS_STEPS]))
def test_words_end_where_the_rule_ends_them(text, name):
    [rule] = Pretokenizer.from_name("first-space" if name == "space-prefix" else name).rules
    words = rule.words(text.decode("utf-8", "surrogateescape"))
    ends = np.cumsum([len(word.encode("utf-8", "surrogateescape")) for word in words])
    assert _word_ends.word_ends(text, rule.finder, character_kinds()) == ends.tolist()


@pytest.mark.long
@pytest.mark.parametrize("name", PATTERNS)
def test_every_character_is_what_the_pattern_takes_it_for(name):
    rule, kinds = PRETOKENIZER_RULES[name], character_kinds()
    plane = [chr(c) for c in (*range(0xD800), *range(0xE000, 0x11000), *range(0x1D400, 0x1D800))]
    for form in ("{}", "a{}b", "{0}{0}A{0}", " {}1"):
        text = "\n".join(form.format(c) for c in plane)
        ends = np.cumsum([len(word.encode()) for word in rule.words(text)])
        assert _word_ends.word_ends(text.encode(), rule.finder, kinds) == ends.tolist()


def worker_of(vocabulary, name, cache=1 << 20):
    rules = Pretokenizer.from_name(name).rules
    lacks = np.zeros(256, bool)
    new_cache = partial(_encoder.WordCache, rules[0].finder, character_kinds(), b" ", cache)
    return Worker(rules, cutter(vocabulary), lacks, None, b" ", new_cache, drawn=False)


def test_words_are_kept_up_to_an_eighth_of_the_limit():
    vocabulary = Vocabulary([b"a" * 5, "ab"])
    ours = Encoder(vocabulary, "gpt2", "shortest_path")
    text = b"a" * 100_000 + b" " + b"ab" * 200 + b" " + b"b" * 998 + b" " + b"b" * 1000
    for cache, kept in ((7992, 2), (7999, 2), (8000, 2), (8008, 3), (800_000, 4)):
        one = worker_of(vocabulary, "gpt2", cache)
        for _ in range(3):
            assert one.numbers(text, 0).tolist() == ours.encode(text)
            assert len(one.cache) == kept
    assert ours.decode_bytes(ours.encode(text)) == text
    assert len(ours.encode(b"a" * 100_000)) == 20_000


@pytest.mark.long
def test_the_longest_word_that_is_kept():
    longest = b"a" * ((1 << 24) - 1)
    cache = _encoder.WordCache(_word_ends.WHOLE, character_kinds(), b" ", 1 << 30)
    for word, kept in ((longest, 1), (longest[:-1] + b"b", 2), (longest + b"a", 2), (b"a", 3)):
        for place in range(2):
            misses = 0 if place and len(word) < 1 << 24 else 1
            assert cache.find(word, 0, len(word)) == (len(word), misses)
            assert len(cache) == kept
            if misses:
                which = np.full(len(word), -2, np.int32)
                which[-1] = kept
                cache.add_pieces(np.array([0, len(word)]), np.frombuffer(word, np.uint8), which)
            assert cache.array_of_words(np.int32).tolist() == [256 + kept]


def test_without_a_table_nothing_is_kept():
    one = worker_of(Vocabulary(["ab"]), "gpt2", cache=0)
    one.numbers(b"ab abb " * 9, 0)
    nbytes = one.cache.nbytes
    one.numbers(b"ba bba " * 99, 0)
    assert len(one.cache) == 0
    assert one.cache.nbytes == nbytes


def test_the_table_is_bounded(monkeypatch):
    monkeypatch.setattr(worker, "SECTION", 1000)
    one = worker_of(Vocabulary(["ab"]), "first-space", cache=50_000)
    text = b" ".join(b"%d" % number for number in range(40_000))
    assert one.numbers(text, 0).tolist() == list(text)
    # 2,048 slots, and one section: how many of its words need a slot more depends on random keys
    assert one.cache.nbytes < 80_000


@pytest.mark.long
@pytest.mark.parametrize("rule", ["merges", "longest_match", "shortest_path"])
def test_words_that_are_tokens_are_found_whatever_their_length(rule):
    draw = random.Random(1)
    tokens = {bytes(draw.choices(b"ab", k=n)) for n in range(2, 300) for _ in range(3)}
    tokens |= {b" " + token for token in sorted(tokens)[::2]}
    vocabulary = Vocabulary(sorted(tokens, key=lambda token: (len(token), token)))
    words = [*tokens, *(token[: draw.randint(1, len(token))] for token in sorted(tokens))]
    text = b" ".join(draw.sample(words, len(words)))
    with_table = Encoder(vocabulary, "gpt2", rule)
    without = Encoder(vocabulary, "gpt2", rule, cache=0)
    for part in (text, text[:-1], b"ab", b"a", b" ab"):
        for _ in range(2):
            assert with_table.encode(part) == without.encode(part)


def test_words_are_kept_whatever_the_limit():
    for limit in (1 << 20, 1 << 33, 1 << 40, 1 << 62):
        cache = _encoder.WordCache(_word_ends.WHOLE, character_kinds(), b" ", limit)
        assert cache.find(b"abc", 0, 3) == (3, 1)
        assert len(cache) == 1
    cache = _encoder.WordCache(_word_ends.WHOLE, character_kinds(), b" ", 0)
    assert cache.find(b"abc", 0, 3) == (3, 1)
    assert len(cache) == 0


def test_words_of_many_pieces_that_are_known():
    words = [" " + chr(97 + n % 26) * 100 + chr(97 + n // 26) for n in range(90)]
    one = Encoder(Vocabulary(["zzy"]), "gpt2")
    short = one.encode_to_numpy("".join(words))
    assert one.encode_to_numpy("".join(words) * 40).tolist() == short.tolist() * 40
