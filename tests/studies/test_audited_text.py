"""What an audit compares, and what it sets apart, are together what the encoder makes of text."""

from __future__ import annotations

import json
from collections import Counter
from itertools import combinations

import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st
from oracles.greedy import shortest_path
from shared.properties import tries

from partcover import (
    Encoder,
    InputError,
    Vocabulary,
    WordCounts,
    audit_tokenizer,
    check_certificate,
    segment,
)
from partcover.studies.audited_text import spelled, words_of_files
from partcover.vocabulary.unknown import Unknown

RULES = ["merges", "character_merges", "priority", "longest_match", "likelihood", "shortest_path"]
TOKENS = st.lists(
    st.one_of(st.text("abé", min_size=2, max_size=4), st.just("é")), unique=True, max_size=5
)
UNKNOWN = st.sampled_from(
    [Unknown("<?>"), Unknown("<?>", "character"), Unknown("<?>", "word"), Unknown("<?>", "word", 4)]
)


def lacking(tokens, known, rule, unknown, **use):
    """A vocabulary in which only some bytes have ids."""
    ids = [byte if byte in known.encode() else -1 for byte in range(256)]
    if rule == "likelihood":
        use["scores"] = [-len(token) / 4 for token in tokens]
        use["symbol_scores"] = {bytes([byte]): -0.5 for byte in known.encode()}
    ids += range(256, 256 + len(tokens))
    special = ["<?>", *use.pop("special", [])]
    return Vocabulary(tokens, rule=rule, ids=ids, special=special, unknown=unknown, **use)


def or_error(function, *arguments):
    """What a function returns, or the text of its error."""
    try:
        return function(*arguments)
    except InputError as error:
        return str(error)


def beside_unknown(word, encoder):
    """The parts of a word beside its unknown tokens."""
    ids, spans = encoder.encode_with_offsets(word)
    parts, begin = [], 0
    for number, (start, end) in zip(ids, spans, strict=True):
        if number == encoder.vocabulary.special["<?>"]:
            parts.append(word[begin:start])
            begin = end
    return [part for part in [*parts, word[begin:]] if part]


@pytest.mark.parametrize("rule", RULES)
@tries(60)
@given(
    counts=st.dictionaries(
        st.text("abé?!", min_size=1, max_size=7), st.integers(1, 3), min_size=1, max_size=4
    ),
    tokens=TOKENS,
    known=st.sampled_from(["", "a", "ab"]),
    unknown=UNKNOWN,
)
@example(counts={"aab?": 1, "b": 1}, tokens=["aab"], known="ab", unknown=Unknown("<?>"))
@example(counts={"abab": 1, "ababa": 2}, tokens=[], known="ab", unknown=Unknown("<?>", "word", 4))
def test_what_is_spelled_and_what_is_not(rule, counts, tokens, known, unknown):
    vocabulary = lacking(tokens, known, rule, unknown)
    words = WordCounts.from_counts(counts)
    encoder = Encoder(vocabulary, "none")
    own = {word: encoder.encode(word) for word, _ in words}
    number = vocabulary.special["<?>"]
    rest = Counter()
    for word, count in words:
        for part in beside_unknown(word, encoder):
            rest[part] += count
    without = Counter({word: count for word, count in words if number not in own[word]})
    found = or_error(spelled, words, vocabulary)
    if isinstance(found, str):
        assert "no token for any part" in found
        assert not rest or not without
        return
    total = sum(count * len(own[word]) for word, count in words)
    assert found.own.tokens + found.tokens == total
    assert found.words == words.total_count - without.total()
    parts = found.own.words.to_dict()
    assert parts in (rest, without)
    if parts == without != rest:  # where a part is a token that merging does not make
        assert rule == "merges"
    assert found.symbols == words.total_symbols - found.own.words.total_symbols
    assert all(number not in encoder.encode(part) for part in parts)
    # where nothing stands for it, what is unknown is an error there, and is left out all the same
    alone = spelled(words, vocabulary.with_(unknown=None, special={}))
    assert alone.tokens == 0
    if unknown == Unknown("<?>"):
        assert alone.own.words.to_dict() == parts


@tries(40)
@given(
    counts=st.dictionaries(
        st.text("ab?", min_size=1, max_size=5), st.integers(1, 3), min_size=1, max_size=3
    ),
    tokens=st.lists(st.text("ab", min_size=2, max_size=3), unique=True, min_size=1, max_size=3),
    unknown=UNKNOWN,
    rule=st.sampled_from(RULES),
)
def test_the_bound_holds_for_every_vocabulary_under_the_same_counting(
    counts, tokens, unknown, rule
):
    vocabulary = lacking(tokens, "ab", rule, unknown)
    words = WordCounts.from_counts(counts)
    encoder = Encoder(vocabulary, "none")
    own = sum(count * len(encoder.encode(word)) for word, count in words)
    number = vocabulary.special["<?>"]
    assume(not isinstance(or_error(spelled, words, vocabulary), str))
    found = audit_tokenizer(vocabulary, words, own_tokens=own, added=(), time_limit=1)
    assert found.rounding == 0
    assert found.tokens + found.unknown_tokens == found.own_tokens == own
    parts = [(part, count) for w, count in words for part in beside_unknown(w, encoder)]
    apart = sum(count * encoder.encode(word).count(number) for word, count in words)
    assume(apart == found.unknown_tokens)  # words are not left out as a whole
    texts = {w[i:j] for w, _ in parts for i in range(len(w)) for j in range(i + 2, len(w) + 1)}
    fewest = min(
        sum(count * len(shortest_path(part, chosen)) for part, count in parts)
        for chosen in combinations(texts, min(len(tokens), len(texts)))
    )
    assert found.own_lower_bound <= fewest + apart <= own
    assert check_certificate(found.bound.instance, found.bound.certificate).ok


def test_a_path_takes_no_symbol_without_a_token():
    # a and bcd would be fewer than ab, c and d: but a has no token
    vocabulary = lacking(["ab", "bcd"], "bcd", "longest_match", Unknown("<?>"))
    words = WordCounts.from_counts({"abcd": 2, "bcd": 1})
    found = audit_tokenizer(vocabulary, words, time_limit=0)
    assert (found.unknown, found.tokens, found.tokens_used) == (0, 7, 7)


FLAGS = st.lists(
    st.sampled_from(["lstrip", "rstrip", "single_word", "normalized"]), unique=True
).map(lambda flags: ["added", *flags])
METASPACE = '{"type":"Metaspace","replacement":"▁","prepend_scheme":"first","split":true}'


@pytest.mark.parametrize("how", ["gpt2", "first-space", "none", METASPACE])
@tries(60)
@given(
    texts=st.lists(st.text("abB  \n?é", max_size=20), min_size=1, max_size=3),
    tokens=TOKENS,
    special=st.dictionaries(st.text("aB \n?", min_size=1, max_size=3), FLAGS, max_size=3),
    rule=st.sampled_from(RULES),
    normalizer=st.sampled_from([None, "Lowercase"]),
    unknown=st.sampled_from([None, *map(Unknown, ["<?>"] * 3, ["run", "character", "word"])]),
)
def test_the_parts_sum_to_the_count(
    tmp_path_factory, how, texts, tokens, special, rule, normalizer, unknown
):
    folder = tmp_path_factory.getbasetemp() / "audited"
    folder.mkdir(exist_ok=True)
    paths = [folder / f"{place}.txt" for place in range(len(texts))]
    for path, text in zip(paths, texts, strict=True):
        path.write_bytes(text.encode())
    known = "ab \n▁" if unknown else "".join(map(chr, range(128)))
    use = {"special": [*special], "special_flags": special, "normalizer": normalizer}
    vocabulary = lacking(tokens, known, rule, unknown or Unknown("<?>"), pretokenizer=how, **use)
    own = Encoder(vocabulary).count_files(paths)
    found = or_error(words_of_files, vocabulary, paths)
    if isinstance(found, str):
        assert "empty: it has no words" in found
        return
    parts = or_error(spelled, found.words, vocabulary)
    if isinstance(parts, str):
        assert "no token for any part" in parts
        return
    assert sum(found.added.values()) + parts.own.tokens + parts.tokens == own
    encoder = Encoder(vocabulary)
    ids = [number for text in texts for number in encoder.encode(text.encode())]
    kept = {text: ids.count(vocabulary.special[text]) for text in special}
    assert found.added == {text: count for text, count in kept.items() if count}


def test_what_is_no_text_is_refused_as_elsewhere(tmp_path):
    added = {"special": ["x"], "special_flags": {"x": ["added"]}}
    vocabulary = Vocabulary(["ab"], pretokenizer="gpt2", **added)
    path = tmp_path / "words.tsv"
    WordCounts.from_counts({"ab": 2}).save(path)
    with pytest.raises(InputError, match="this is a counts file"):
        words_of_files(vocabulary, [path])
    path = tmp_path / "text.txt"
    path.write_text("xx")
    with pytest.raises(InputError, match="no words beside added tokens"):
        words_of_files(vocabulary, [path])
    path.write_text("ax ab")
    found = words_of_files(vocabulary, [path])
    assert (found.words.pretokenizer, found.added) == ("gpt2", {"x": 1})
    assert segment(found.words, vocabulary).tokens == 4 - 1


@tries(200)
@given(st.text("#ab▁é ", max_size=20), st.sampled_from([None, 4]))
def test_symbols_without_a_token_are_those_of_the_text(text, longest):
    """Not WordPiece's mark of words, and those that a word loses are counted."""
    marking = {"type": "BeginOfWord", "mark": "▁"}
    inside = {"type": "InsideWord", "mark": "▁", "prefix": "##", "begins": ["b"]}
    steps = [{"type": "WhitespaceSplit"}, marking, inside]
    pretokenizer = json.dumps({"type": "Sequence", "pretokenizers": steps})
    unknown = Unknown("<?>", "word", longest)
    tokens = ["▁a", "▁#", "▁é"]
    vocabulary = lacking(tokens, "b#", "longest_match", unknown, pretokenizer=pretokenizer)
    encoder = Encoder(vocabulary)
    assume(text.split())
    lost = [word for word in text.split() if 256 + len(tokens) in encoder.encode(word)]
    words = WordCounts.from_texts([text, "a"], pretokenizer=vocabulary.pretokenizer)
    found = spelled(words, vocabulary)
    assert found.symbols == sum(len(word.encode()) for word in lost)
    assert found.size + found.symbols == sum(len(word.encode()) for word in [*text.split(), "a"])
    assert (found.words, found.tokens) == (len(lost), len(lost))


@pytest.mark.parametrize("split", [True, False])
def test_a_mark_for_a_space_is_one_byte(split):
    pretokenizer = json.dumps({"type": "Metaspace", "prepend_scheme": "never", "split": split})
    text = "the  cat sat é"
    words = WordCounts.from_texts([text], pretokenizer=pretokenizer)
    audit = audit_tokenizer(Vocabulary(["▁c"], pretokenizer=pretokenizer), words, added=())
    assert audit.bytes == len(text.encode())
    assert audit.bytes_per_token == audit.bytes / audit.tokens
