"""Ids of extensions, their limits, and mistakes."""

from __future__ import annotations

from dataclasses import replace

import pytest

from partcover import (
    InputError,
    MergeCondition,
    Vocabulary,
    WordCounts,
    check_certificate,
    extend,
    extension_instances,
    lower_bound,
    prune,
)
from partcover.adaptation.base import adapted, text_of
from partcover.report.tables.adaptation import adaptation_remarks
from partcover.vocabulary.decoding import Decoding
from partcover.vocabulary.unknown import Unknown


def test_ids_stand_behind_all_others():
    base = Vocabulary(
        ["th", "at"],
        ids=[*range(10, 266), 7, 300],
        special={"<s>": 400, "</s>": 3},
        special_flags={"<s>": ["lstrip"]},
    )
    found = extend(base, WordCounts.from_counts({"that": 3, "hat": 2}), 2)
    assert found.new_ids == (401, 402)
    assert found.vocabulary.id_of[:258] == base.id_of
    assert found.vocabulary.special == base.special
    assert found.vocabulary.special_flags == base.special_flags
    assert found.vocabulary.provenance["base_size"] == 2


def test_fewer_are_added_where_no_more_help():
    found = extend(Vocabulary(["hat"]), WordCounts.from_counts({"that": 3}), 9)
    assert (found.new, found.tokens, found.lower_bound, found.asked) == ((b"that",), 3, 3, 9)


def test_tokens_that_save_most_are_first():
    found = extend(Vocabulary([]), WordCounts.from_counts({"cca": 3, "acca": 5}), 2)
    assert (found.new, found.gains) == ((b"cca", b"acca"), (6, 5))


def test_characters_that_save_most_are_added():
    words = WordCounts.from_counts({"é€": 3, "é": 9, "ü": 5, "€€": 2})
    found = extend(Vocabulary([], rule="character_merges", merges=[]), words, 2)
    assert (found.new, found.gains) == (("€".encode(), "é".encode()), (14, 12))


def test_a_base_without_any_score():
    base = Vocabulary([], rule="likelihood", scores=[])
    found = extend(base, WordCounts.from_counts({"that": 3, "hat": 2}), 1)
    assert (found.new, found.tokens, found.lower_bound) == ((b"hat",), 8, 8)


def test_characters_are_not_cut_where_bytes_have_no_id():
    listed = {byte: place for place, byte in enumerate(b"naive")}
    ids = [listed.get(byte, -1) for byte in range(256)]
    words = WordCounts.from_counts({"éè": 3, "éà": 3, "ïa": 1})
    found = extend(Vocabulary([], ids=ids), words, 3)
    assert found.tokens == found.lower_bound
    assert "éè".encode() in found.new
    for token in found.new:
        token.decode("utf-8")


def test_characters_are_not_cut_where_tokens_are_text():
    alike = [chr(point) for point in range(0x6700, 0x6740)]  # they begin with the same two bytes
    words = WordCounts.from_counts(dict.fromkeys(alike, 1) | {"ab": 1})
    for style, cut in (("bytes", True), ("sentencepiece", False)):
        decoding = Decoding(style, shown={"<s>": "?"})
        base = Vocabulary([], rule="likelihood", scores=[], special=["<s>"], decoding=decoding)
        found = extend(base, words, 2).vocabulary
        assert any(text_of(token) is None for token in found) is cut
        assert found.decoding == prune(found, words, 1).vocabulary.decoding == decoding


def test_no_merge_joins_a_byte_without_an_id():
    ids = [number if chr(number) in "ab" else -1 for number in range(256)]
    base = Vocabulary([], rule="character_merges", ids=ids, special={"?": 3},
                      unknown=Unknown("?", "character"), pretokenizer="none")  # fmt: skip
    found = extend(base, WordCounts.from_counts({"ab=ab=": 9, "=a": 5, "éb": 2}), 9)
    assert b"ab" in found.new
    assert "éb".encode() in found.new
    assert not any(b"=" in token for token in found.new)
    assert found.tokens >= found.lower_bound


def test_a_token_that_costs_the_other_corpus_is_left_out():
    base = Vocabulary(["bcd"], rule="longest_match")
    words, keep = ({"ab": 9, "xy": 1}, {"abcd": 1, "ab": 1})
    corpora = [WordCounts.from_counts(corpus) for corpus in (words, keep)]
    free = extend(base, corpora[0], 1, keep=corpora[1])
    assert (free.new, free.keep.before, free.keep.after) == ((b"ab",), 4, 4)
    alone = WordCounts.from_counts({"abcd": 2})
    held = extend(base, corpora[0], 1, keep=alone, at_most=0)
    assert (held.new, held.keep.after, held.limit) == ((b"xy",), 4, 4)


def test_likely_tokens_that_cost_the_other_corpus_are_left_out():
    base = Vocabulary(["cb", "dda"], "chars", rule="likelihood", scores=[-2.0, -2.0],
                      symbol_scores={"c": -50.0, "d": -1.0})  # fmt: skip
    words = WordCounts.from_counts({"ab": 1, "dc": 5, "cbb": 3}, "chars")
    keep = WordCounts.from_counts({"bbba": 4, "ddab": 4}, "chars")
    assert extend(base, words, 3).new == ("dc", "cbb", "ab")
    held = extend(base, words, 3, keep=keep, at_most=0)
    assert (held.new, held.keep.after, held.limit) == (("dc", "cbb"), 24, 24)
    assert (held.new_ids, held.ids.tolist()) == ((), [])


def test_likely_tokens_are_all_left_out_where_none_of_them_is_to_blame():
    """They only make unknown characters less likely."""
    base = Vocabulary(["bbbb", "baa", "ab"], rule="likelihood", scores=[-1.0, -2.0, -50.0],
                      symbol_scores={b"b": -20.0})  # fmt: skip
    words = WordCounts.from_counts({"ab": 2, "abbab": 5, "aaa": 2, "bbaa": 5})
    keep = WordCounts.from_counts({"baba": 1, "baab": 4, "abbbb": 2})
    free = extend(base, words, 3, keep=keep)
    assert free.keep.after > free.keep.before
    held = extend(base, words, 3, keep=keep, at_most=0)
    assert (held.new, held.keep.after) == ((), held.keep.before)


def test_a_vocabulary_with_more_old_tokens_than_it_has():
    words = WordCounts.from_counts({"hat": 2})
    new = extend(Vocabulary(["ha"]), words, 1).vocabulary
    false = new.with_(provenance={**new.provenance, "base_size": 3})
    with pytest.raises(InputError, match="2 tokens, but says that 3 of them are old"):
        extension_instances(false, words)


def test_a_certificate_of_merges_is_for_rules_of_merges():
    """Tokens that nothing else makes are of use to the other rules."""
    words = WordCounts.from_counts({"abc": 3, "abd": 1})
    found = extend(Vocabulary(["xy"]), words, 1)
    forged = lower_bound(replace(found.instance, merges=MergeCondition(()))).certificate
    assert forged.lower_bound > found.tokens
    _, bounded = extension_instances(found.vocabulary, words)
    assert bounded.merges is None
    check = check_certificate(bounded, forged)
    assert (check.ok, check.lower_bound) == (False, 0)
    assert "other candidates or conditions" in check.problems[0]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"m": 0}, "m is 0"),
        ({"m": 2**31}, "m is 2,147,483,648"),
        ({"words": WordCounts.from_counts({"hat": 1}, "chars")}, "is over chars"),
        ({"words": WordCounts.from_counts({"hat": 1}, pretokenizer="gpt2")}, "counted with gpt2"),
        (
            {"words": WordCounts.from_counts({"hat": 1}, pretokenizer="cl100k", normalizer="NFC")},
            "the tokenizer is for text not normalized, but the corpus is for text normalized by N",
        ),
        ({"base": Vocabulary(["ha"], provenance={"end_of_word": "</w>"})}, "words that end in '</"),
        ({"rule": "single_symbols"}, "uses no tokens"),
        ({"base": Vocabulary(["ha"], rule="superword_merges")}, "chooses them for the shortest"),
        ({"at_most": 0.1}, "none is given"),
        ({"keep_weight": 2}, "none is given"),
        ({"keep_weight": -1}, "from 0"),
        ({"at_most": -1}, "from 0"),
        ({"keep_weight": 1e-9}, "six decimals"),
        ({"keep": WordCounts.from_counts({"hat": 1}, "chars")}, "the corpus to keep is over chars"),
    ],
)
def test_mistakes(change, message):
    right = {
        "base": Vocabulary(["ha"], pretokenizer="cl100k"),
        "words": WordCounts.from_counts({"hat": 2}),
        "m": 1,
    }
    with pytest.raises(InputError, match=message):
        extend(**{**right, **change})


def test_the_mark_at_the_end_of_words_is_kept():
    for mark in ({}, {"end_of_word": "</w>"}):
        new = adapted(Vocabulary(["hat"]), Vocabulary(["th"], provenance=mark), "extend")
        assert ("end_of_word" in new.provenance) is bool(mark)
        assert new.end_of_word == mark.get("end_of_word")


def test_unreachable_tokens_of_the_base_are_named():
    merges = [("a", "b"), *(("b", end) for end in "cdefghijklm")]
    merges += [("a", f"b{end}") for end in "cdefghijklm"]  # after ab, which always merges first
    tokens = [a + b for a, b in merges]
    base = Vocabulary(tokens, rule="merges", merges=merges)
    (remark,) = adaptation_remarks(extend(base, WordCounts.from_counts({"abz": 5}), 1))
    assert remark.startswith("11 unreachable tokens in the base: abc, abd, ")
    assert remark.endswith(", abl, …")


def test_a_token_that_the_limit_rules_out_is_not_said_to_save_nothing():
    words, keep = ({b"ab": 5}, {b"abcd": 5})
    base = Vocabulary(["bcd"], rule="longest_match")
    given = {"keep": WordCounts.from_counts(keep), "at_most": 0}
    found = extend(base, WordCounts.from_counts(words), 1, **given)
    assert (found.tokens, found.lower_bound) == (10, 5)
    assert adaptation_remarks(found) == [
        "only 0 of 1 tokens added: the search found no more that help"
    ]
