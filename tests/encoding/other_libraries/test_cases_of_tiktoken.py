"""The cases of tiktoken's own tests, asked of tiktoken and of `Encoder` with the same ranks.

Inputs and expected values are those of https://github.com/openai/tiktoken (tests/, MIT license).
Its tests load vocabularies from the network; here a small one for the same pattern is trained on
the spot.  `benchmarks/published/published_cases.py` compares the ids that its tests state, with the
real files.  Each test names the test of tiktoken's that it is of.
"""

from __future__ import annotations

import pickle

import pytest
from encoding.both import rank_pair, ranks_of
from hypothesis import given
from hypothesis import strategies as st
from shared.properties import tries

from partcover import Encoder, InputError, Vocabulary

pytest.importorskip("tiktoken")
PATTERNS = ["gpt2", "cl100k", "o200k"]  # of r50k_base and p50k_base, cl100k_base, o200k_base
END, PREFIX, MIDDLE = SPECIAL = ("<|endoftext|>", "<|fim_prefix|>", "<|fim_middle|>")
EVERY = st.characters(codec="utf-8") | st.sampled_from([*" \n\r\t'0aé日😀\u0301", *SPECIAL])
TEXTS = st.lists(EVERY, max_size=12).map("".join)


@pytest.fixture(scope="module", params=PATTERNS)
def pair(request, tmp_path_factory):
    """Both sides: tiktoken's encoding and the encoder."""
    return rank_pair(request.param, tmp_path_factory.mktemp("ranks"), SPECIAL)


@pytest.mark.parametrize(
    "text",
    [
        # test_encoding.py: test_simple, test_basic_encode, test_encode_empty, test_simple_regex
        *["hello world", "", " \x850", "rer", "'rer", "today\n ", "today\n \n", "today\n  \n"],
        # test_basic_roundtrip
        *["hello", "hello ", "hello  ", " hello", " hello ", " hello  ", "请考试我的软件！12345"],
        # test_offsets.py: test_basic_offsets
        *["我非常渴望与人工智能一起工作", "நடிகர் சூர்யா", " Ġ除"],
        # test_encode_surrogate_pairs
        "👍",
        # test_simple_repeated
        *("0" * count for count in range(1, 18)),
    ],
)
def test_texts(pair, text):
    theirs, ours = pair
    ids = ours.encode(text)
    assert ids == theirs.encode(text) == theirs.encode_ordinary(text)
    assert ours.encode(text, special="error") == ours.encode(text, special="parse") == ids
    assert ours.decode(ids) == theirs.decode(ids) == text
    assert ours.decode_bytes(ids) == theirs.decode_bytes(ids) == text.encode()
    assert ours.count(text) == len(ids)


def test_a_special_token_behind_a_space(pair):  # test_simple
    theirs, ours = pair
    text = "hello <|endoftext|>"
    ids = ours.encode(text, special="parse")
    assert ids == theirs.encode(text, allowed_special="all")
    assert ids == [*ours.encode("hello "), theirs.eot_token]


def test_every_single_token(pair):  # test_simple, test_single_token_roundtrip
    theirs, ours = pair
    whole = Encoder(ours.vocabulary, "none")
    seen = 0
    for number in range(theirs.n_vocab):
        try:
            piece = theirs.decode_single_token_bytes(number)
        except KeyError:
            with pytest.raises(InputError, match="is not in the vocabulary"):
                ours.decode_bytes([number])
            continue
        seen += 1
        assert ours.decode_bytes([number]) == piece
        special = "parse" if number in ours.vocabulary.special.values() else "text"
        found = whole.encode(piece, special=special)
        assert found == [theirs.encode_single_token(piece)] == [number]
    assert seen == len(ranks_of("gpt2")) + len(SPECIAL)


@pytest.mark.long
def test_a_million_letters(pair):  # test_large_repeated
    theirs, ours = pair
    text = "x" * 1_000_000
    assert ours.encode_to_numpy(text).tolist() == theirs.encode(text)


@pytest.mark.long
@pytest.mark.parametrize("part", ["^", "0", "a", "'s", " ", "\n"])
def test_catastrophically_repetitive(pair, part):  # test_catastrophically_repetitive
    theirs, ours = pair
    for text in (part * 10_000, " " + part * 10_000, " " + part * 10_000 + "\n"):
        ids = ours.encode(text)
        assert ids == theirs.encode(text)
        assert ours.decode(ids) == text


def test_bytes_that_are_no_utf8(pair):  # test_encode_bytes, test_hyp_encode_bytes
    theirs, ours = pair

    @tries(200)
    @given(st.binary())
    def compare(text):
        assert ours.decode_bytes(ours.encode(text)) == text
        ids = theirs._encode_bytes(text)
        assert ours.decode_bytes(ids) == theirs.decode_bytes(ids) == text
        for errors in ("replace", "ignore", "backslashreplace", "surrogateescape"):
            assert ours.decode(ids, errors) == theirs.decode(ids, errors)

    compare()
    for count in range(10):
        text = b"\x80" * count
        assert ours.decode_bytes(ours.encode(text)) == text
        assert ours.encode(text) == theirs._encode_bytes(text)
    broken = ours.encode(b"a\xe6")
    with pytest.raises(UnicodeDecodeError):
        theirs.decode(broken, "strict")
    with pytest.raises(InputError, match="byte 1 of the decoded text is not UTF-8"):
        ours.decode(broken, "strict")


@pytest.mark.parametrize("text", ["\ud83d\udc4d", "\ud83d", "a\ude00 \ud83db"])
def test_surrogates(pair, text):  # test_encode_surrogate_pairs
    # tiktoken joins pairs and replaces others; here that is for the caller to ask for
    theirs, ours = pair
    with pytest.raises(InputError, match="surrogate"):
        ours.encode(text)
    mended = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    assert ours.encode(mended) == theirs.encode(text)


def test_round_trips_of_any_text(pair):  # test_hyp_roundtrip, test_hyp_special_ordinary
    theirs, ours = pair

    @tries(300)
    @given(TEXTS)
    def compare(text):
        ids = ours.encode(text)
        assert ids == theirs.encode_ordinary(text) == theirs.encode(text, disallowed_special=())
        assert ours.decode(ids) == theirs.decode(ids) == text
        parsed = ours.encode(text, special="parse")
        assert parsed == theirs.encode(text, allowed_special="all")
        assert ours.decode(parsed) == theirs.decode(parsed) == text

    compare()


SOME = "<|endoftext|> hello <|fim_prefix|>"


def test_special_tokens_that_are_refused(pair):  # test_special_token
    theirs, ours = pair
    for disallowed in ({}, {"disallowed_special": "all"}):
        with pytest.raises(ValueError, match="disallowed special token"):
            theirs.encode(SOME, **disallowed)
    with pytest.raises(InputError, match=r"has the special token '<\|endoftext\|>' at byte 0"):
        ours.encode(SOME, special="error")
    with pytest.raises(InputError, match=r"text 2: .*'<\|endoftext\|>' at byte 0"):
        ours.encode_batch(["", SOME], special="error")


@pytest.mark.parametrize(
    ("allowed", "found"),
    [
        (set(), set()),
        ("all", {END, PREFIX, MIDDLE}),
        ({PREFIX}, {PREFIX}),
        ({END}, {END}),
        ({MIDDLE}, {MIDDLE}),
    ],
    ids=["none", "all", "prefix", "end", "middle"],
)
@pytest.mark.parametrize("text", [SOME, SOME + " there <|fim_middle|>"])
def test_special_tokens_that_are_allowed(pair, text, allowed, found):  # test_special_token
    theirs, ours = pair
    ids = ours.encode(text, special="parse" if allowed == "all" else allowed)
    assert ids == theirs.encode(text, allowed_special=allowed, disallowed_special=())
    if allowed == "all":
        assert ids == theirs.encode(text, allowed_special="all", disallowed_special="all")
    of_text = {name for name, number in ours.vocabulary.special.items() if number in ids}
    assert of_text == {name for name in found if name in text}
    assert ours.decode(ids) == theirs.decode(ids) == text


def test_batches(pair):  # test_batch_encode, test_hyp_batch_roundtrip
    theirs, ours = pair
    for texts in (["hello world"], ["hello world", "goodbye world"]):
        ids = ours.encode_batch(texts)
        assert ids == theirs.encode_batch(texts) == theirs.encode_ordinary_batch(texts)
        assert ids == [ours.encode(text) for text in texts]

    @tries(100)
    @given(st.lists(TEXTS))
    def compare(texts):
        ids = ours.encode_batch(texts, special="parse")
        assert ids == theirs.encode_batch(texts, allowed_special="all")
        assert ours.decode_batch(ids) == theirs.decode_batch(ids) == texts

    compare()


@pytest.mark.parametrize(
    "text",
    [
        *["hello world", "hello world<|endoftext|> green cow", "我非常渴望与人工智能一起工作"],
        *["நடிகர் சூர்யா", " Ġ除"],
    ],
)
def test_offsets(pair, text):  # test_basic_offsets
    theirs, ours = pair
    ids, spans = ours.encode_with_offsets(text, unit="chars", special="parse")
    assert theirs.decode_with_offsets(ids) == (text, [begin for begin, _ in spans])


def test_offsets_of_any_tokens(pair):  # test_hyp_offsets
    theirs, ours = pair
    numbers = [*ours.vocabulary.special.values(), *ranks_of("gpt2").values()]

    @tries(300)
    @given(st.lists(st.sampled_from(numbers), min_size=1, max_size=20))
    def compare(drawn):
        text = ours.decode(drawn, "ignore")
        assert text == theirs.decode(drawn, "ignore")
        ids, spans = ours.encode_with_offsets(text, unit="chars", special="parse")
        assert theirs.decode_with_offsets(ids) == (text, [begin for begin, _ in spans])

    compare()


def test_pickled(pair):  # test_pickle.py: test_pickle
    theirs, ours = pair
    special = {"<|pickle|>": 100_000}
    for encoder in (ours, Encoder(ours.vocabulary.with_(special=special))):
        again = pickle.loads(pickle.dumps(encoder))
        assert again.encode("hello world") == theirs.encode("hello world")
    assert again.encode("<|pickle|>", special="parse") == [100_000]
    assert Vocabulary.from_json(again.vocabulary.to_json()) == again.vocabulary
