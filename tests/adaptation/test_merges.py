"""Merges behind a vocabulary's own, in the libraries."""

from __future__ import annotations

from base64 import b64decode

import pytest

from partcover import Instance, Vocabulary, WordCounts, export, extend, trainers


def test_by_rank_whole_words_need_no_parents():
    base = Vocabulary(["th", "at"], rule="merges")
    found = extend(base, WordCounts.from_counts({"xyzzy": 9, "that": 1}), 1)
    assert (found.new, found.gains, found.tokens) == ((b"xyzzy",), (36,), 11)
    pairs = Vocabulary(["th"], rule="merges", merges=[("t", "h")])
    found = extend(pairs, WordCounts.from_counts({"xyzzy": 9}), 4)
    assert (found.tokens, len(found.new)) == (9, 4)


@pytest.mark.parametrize("rule", ["merges", "character_merges"])
def test_frequent_pairs_are_merged_whatever_the_time_limit(rule):
    base = Vocabulary(["th"], rule=rule, merges=[("t", "h")])
    found = extend(base, WordCounts.from_counts({"that": 9, "hat": 3, "é": 2}), 3, time_limit=0)
    assert len(found.new) == 3


BASE = ["th", " t", " th", "er", "he", " the", "in", "on"]
TEXT = "the other theorem on the theory of the northern theatre and of another thing"


@pytest.mark.long
@pytest.mark.parametrize(("by_rank", "name"), [(True, "tiktoken"), (False, "huggingface")])
def test_libraries_cut_alike_and_ids_stay(tmp_path, by_rank, name):
    pytest.importorskip("tiktoken" if by_rank else "tokenizers")
    words = WordCounts.from_texts([TEXT], pretokenizer="gpt2")
    base = Vocabulary(BASE, rule="merges", pretokenizer="gpt2", special=["<|end|>"])
    if not by_rank:
        learned = trainers.bpe(Instance(words.most_frequent(5), 8)).vocabulary
        base = learned.with_(special=["<|end|>"])
    found = extend(base, words, 6)
    path = tmp_path / ("new.tiktoken" if by_rank else "tokenizer.json")
    result = export(found.vocabulary, path, name, corpus=words, text=None if by_rank else TEXT)
    assert result.exact
    assert result.exported_tokens == found.tokens
    first = 256 + len(base) + 1  # the special token is between
    assert found.new_ids == tuple(range(first, first + 6))
    if by_rank:
        lines = dict(line.split() for line in path.read_bytes().splitlines())
        ranks = {b64decode(token): int(rank) for token, rank in lines.items()}
        assert [ranks[token] for token in found.new] == list(found.new_ids)


def test_merges_join_parts_of_characters_where_a_byte_has_no_id():
    # a byte that is in no text, as many files have none for 0xFF
    base = Vocabulary(
        ["th"], rule="merges", merges=[("t", "h")], ids=[*range(255), -1, 255], pretokenizer="gpt2"
    )
    words = WordCounts.from_counts({"aé": 2, "aè": 2, "aê": 2}, pretokenizer="gpt2")
    found = extend(base, words, 1)
    # of whole characters, a token would save four tokens of the eighteen
    assert found.vocabulary.tokens[1] == b"a\xc3"
    assert (found.tokens, found.lower_bound) == (12, 12)
