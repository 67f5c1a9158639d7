"""Edge cases that libraries' own tests, and reports of their users, name: asked of both sides.

Special tokens in a text, bytes that are no UTF-8, very long words, runs of white space, characters
in parts: each text goes to tiktoken and to tokenizers, with the same vocabulary as here.
"""

from __future__ import annotations

import itertools
import random

import pytest
from encoding.both import LONG, ODD, SCRIPTS, WHITE, loaded, rank_pair, ranks_of
from hypothesis import given
from hypothesis import strategies as st
from shared.properties import tries

from partcover import Encoder, InputError, Vocabulary
from partcover.corpus.pretokenizers.published_patterns import DEEPSEEK, PATTERNS

pytest.importorskip("tiktoken")
tokenizers = pytest.importorskip("tokenizers")
from tokenizers import decoders, models, pre_tokenizers  # noqa: E402

SPECIAL = ("<|a|>", "<|b|>", "|><|", "<|é日|>", "\n\n<|c|>")


@pytest.fixture(scope="module", params=["gpt2", "cl100k", "o200k", "qwen2", "tekken"])
def ranked(request, tmp_path_factory):
    """tiktoken's encoding of a published pattern, and the encoder."""
    return rank_pair(request.param, tmp_path_factory.mktemp("ranks"), SPECIAL)


def trained(name, folder):
    """tokenizers' byte-level BPE of a published pattern, and the encoder."""
    tokenizer = tokenizers.Tokenizer(models.BPE())
    splits = [
        pre_tokenizers.Split(tokenizers.Regex(pattern), "isolated")
        for pattern in (DEEPSEEK if name == "deepseek" else [PATTERNS[name]])
    ]
    level = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence([*splits, level])
    tokenizer.decoder = decoders.ByteLevel()
    trainer = tokenizers.trainers.BpeTrainer(
        vocab_size=700, initial_alphabet=pre_tokenizers.ByteLevel.alphabet(), show_progress=False
    )
    tokenizer.train_from_iterator([SCRIPTS], trainer)
    tokenizer.add_special_tokens(["<|a|>", "<|b|>"])
    return loaded(tokenizer, folder)


@pytest.fixture(scope="module", params=["gpt2", "cl100k", "o200k", "qwen2", "deepseek"])
def paired(request, tmp_path_factory):
    """tokenizers' BPE of a published pattern, and the encoder."""
    return trained(request.param, tmp_path_factory.mktemp("trained"))


PLACED = [
    "<|a|>", "<|a|><|b|>", "<|b|><|a|>", "<|a|><|a|><|b|><|b|>", "x<|a|>", "<|a|>x", "x<|a|>y",
    "a<|a|>b<|b|>c", " <|a|> ", "  <|a|>  <|b|>  ", "\n<|a|>\n", "<|a|", "|a|>", "<<|a|>>",
    "<|a<|b|>|>", "<|a|><|é日|>é日", "\n\n\n<|c|>\n\n<|c|>", "<|a|>\0<|b|>", "é<|a|>日",
    "don<|a|>'t", "", " ", "<|A|>", "<|a|>" * 50, "'<|a|>s", "1<|a|>2<|b|>345",
]  # fmt: skip


@pytest.mark.parametrize("text", PLACED)
def test_special_tokens_in_a_text(ranked, text):
    theirs, ours = ranked
    assert ours.encode(text) == theirs.encode_ordinary(text)
    for chosen in (
        {"<|a|>", "<|b|>"},
        {"<|b|>", "|><|"},
        {"<|é日|>", "\n\n<|c|>"},
        {"<|a|>"},
        set(),
    ):
        ids = ours.encode(text, special=chosen)
        assert ids == theirs.encode(text, allowed_special=chosen, disallowed_special=())
        assert ours.count(text, special=chosen) == len(ids)
        assert ours.decode(ids) == theirs.decode(ids) == text
        assert ours.encode_with_offsets(text, special=chosen)[0] == ids


def test_special_tokens_that_overlap(tmp_path):
    names = {"<|a|>": 300, "<|a|><|b|>": 301, "<|b|>": 302, "<|a": 303}
    ours = Encoder(Vocabulary([], special=names, pretokenizer="gpt2"))
    taken = {
        "<|a|><|b|>": [301], "<|a|><|a|><|b|>": [300, 301], "<|b|><|a|>": [302, 300],
        "<|a<|b|>": [303, 302], "<|a|><|b": [300, *b"<|b"],
    }  # fmt: skip
    flags = dict.fromkeys(("single_word", "lstrip", "rstrip", "normalized"), False)
    letters = sorted(pre_tokenizers.ByteLevel.alphabet())
    vocab = {letter: place for place, letter in enumerate(letters)}
    added = [{"id": n - 44, "content": name, "special": True, **flags} for name, n in names.items()]
    data = {"model": {"type": "BPE", "vocab": vocab, "merges": []}, "added_tokens": added}
    there, read = loaded(data | {"pre_tokenizer": {"type": "ByteLevel", "add_prefix_space": False,
                                                   "trim_offsets": False}}, tmp_path)  # fmt: skip
    for text, ids in taken.items():
        assert ours.encode(text, special="parse") == ids
        assert read.encode(text, special="parse") == there.encode(text).ids
        read_ids = there.encode(text).ids
        assert read.decode_bytes(read_ids).decode() == ours.decode(ids) == text
        assert read.decode(read_ids) == there.decode(read_ids, skip_special_tokens=False)
    with pytest.raises(InputError, match=r"'<\|a\|><\|b\|>' at byte 1"):
        ours.encode("x<|a|><|b|>", special="error")


@pytest.mark.long
@pytest.mark.parametrize("part", LONG)
def test_very_long_words(ranked, part):
    theirs, ours = ranked
    for around in ("{}", " {}", "{}\n", "x{} x", "\n{} "):
        text = around.format(part * 10_000)
        ids = theirs.encode(text)
        assert ours.encode_to_numpy(text).tolist() == ids
        assert ours.decode(ids) == text


@pytest.mark.long
@pytest.mark.parametrize("part", ["^", "0", "a", " a", "😀", " ", "\n", "ab1 \n"])
def test_a_hundred_thousand_times(ranked, part):
    theirs, ours = ranked
    text = part * 100_000
    ids = theirs.encode(text)
    assert ours.encode_to_numpy(text).tolist() == ids
    assert ours.count(text) == len(ids)
    assert ours.decode(ids) == text


@pytest.mark.long
@pytest.mark.parametrize("part", ["^", "0", "a", " a", "😀", " ", "\n", " \n"])
def test_long_words_in_tokenizers(paired, part):
    theirs, ours = paired
    text = part * 4_000
    assert ours.encode(text) == theirs.encode(text).ids


RUNS = [part * count for part in WHITE for count in (1, 2, 3, 7, 100, 1000)]


@pytest.mark.parametrize("around", ["{}", "a{}b", "a{}", "{}b", "1{}!", "!{}1", "'{}s"])
def test_runs_of_white_space(ranked, around):
    theirs, ours = ranked
    texts = [around.format(run) for run in RUNS]
    ids = theirs.encode_batch(texts)
    assert ours.encode_batch(texts) == ids
    assert [ours.encode(text) for text in texts] == ids
    assert ours.decode_batch(ids) == texts


@pytest.mark.parametrize("around", ["a{}b", "{}", "1{}!"])
def test_runs_of_white_space_in_tokenizers(paired, around):
    theirs, ours = paired
    texts = [around.format(run) for run in RUNS if len(run) <= 200]
    assert ours.encode_batch(texts) == [found.ids for found in theirs.encode_batch(texts)]


@pytest.mark.parametrize("text", ODD)
def test_odd_texts(ranked, text):
    theirs, ours = ranked
    ids = theirs.encode(text)
    assert ours.encode(text) == ours.encode(text.encode()) == ids
    assert ours.decode(ids) == theirs.decode(ids) == text
    found, spans = ours.encode_with_offsets(text, unit="chars")
    assert (found, [begin for begin, _ in spans]) == (ids, theirs.decode_with_offsets(ids)[1])


@pytest.mark.parametrize("text", ODD)
def test_odd_texts_in_tokenizers(paired, text):
    theirs, ours = paired
    there = theirs.encode(text)
    assert ours.encode_with_offsets(text, unit="chars") == (there.ids, there.offsets)
    assert ours.decode(there.ids) == theirs.decode(there.ids) == text


def test_bytes_of_every_token(ranked):
    theirs, ours = ranked
    for number in (*ranks_of("gpt2").values(), *ours.vocabulary.special.values()):
        assert ours.decode_bytes([number]) == theirs.decode_bytes([number])
        for errors in ("replace", "ignore", "backslashreplace"):
            assert ours.decode([number], errors) == theirs.decode([number], errors)


def test_any_ids_are_decoded_alike(ranked):
    theirs, ours = ranked
    numbers = [*range(256), 300, 400, 500, *ours.vocabulary.special.values()]
    parts = [number for byte in "é日😀".encode() for number in ours.encode(bytes([byte]))]

    @tries(300)
    @given(st.lists(st.sampled_from([*numbers, *parts * 20]), max_size=12))
    def compare(ids):
        assert ours.decode_bytes(ids) == theirs.decode_bytes(ids)
        for errors in ("replace", "ignore", "surrogateescape"):
            assert ours.decode(ids, errors) == theirs.decode(ids, errors)
            assert "".join(ours.decode_stream(ids, errors)) == theirs.decode(ids, errors)
        try:
            strict = theirs.decode(ids, "strict")
        except UnicodeDecodeError:
            with pytest.raises(InputError, match="is not UTF-8"):
                ours.decode(ids)
        else:
            assert ours.decode(ids) == strict

    compare()


WIDE = "aé日😀\u0301👨\u200d👩𝔾 é"


def shown_with_each(encoder, ids):
    """The text that comes with each id of a stream."""
    asked, shown = [], [""] * len(ids)
    for part in encoder.decode_stream(number for number in ids if not asked.append(number)):
        shown[len(asked) - 1] += part
    return shown


def test_streams_of_characters_in_parts(paired):
    theirs, ours = paired
    data = WIDE.encode()
    of_byte = [ours.encode(bytes([byte]))[0] for byte in range(256)]
    # every way to cut the text in two, each part in the tokens of its bytes or its own
    for at in range(len(data) + 1):
        for ids in (
            ours.encode(data[:at]) + ours.encode(data[at:]),
            [of_byte[byte] for byte in data[:at]] + ours.encode(data[at:]),
            ours.encode(data[:at]) + [of_byte[byte] for byte in data[at:]],
        ):
            stream = decoders.DecodeStream(skip_special_tokens=False)
            there = [stream.step(theirs, number) or "" for number in ids]
            here = shown_with_each(ours, ids)
            assert "".join(here) == "".join(there) == theirs.decode(ids) == WIDE
            # a token that ends in a part of a character is held back whole there
            both = zip(itertools.accumulate(here), itertools.accumulate(there), strict=True)
            assert all(early.startswith(late) for early, late in both)


def test_streams_with_special_tokens(paired):
    theirs, ours = paired
    text = "é<|a|>日<|b|><|a|>😀"
    ids = ours.encode(text, special="parse")
    for skip in (False, True):
        stream = decoders.DecodeStream(skip_special_tokens=skip)
        steps = [stream.step(theirs, number) for number in ids]
        whole = theirs.decode(ids, skip_special_tokens=skip)
        assert list(ours.decode_stream(ids, skip_special=skip)) == [part for part in steps if part]
        assert ours.decode(ids, skip_special=skip) == whole


@pytest.mark.long
def test_texts_of_everything(paired):
    theirs, ours = paired
    parts = [*WHITE, *LONG, *ODD, "<|a|>", "<|b|>", "hello", "World", "don't", "123"]
    draw = random.Random(0)
    texts = ["".join(draw.choices(parts, k=draw.randint(1, 12))) for _ in range(300)]
    texts += ["".join(pair) for pair in itertools.product(WHITE, repeat=2)]
    for text, there in zip(texts, theirs.encode_batch(texts), strict=True):
        found = ours.encode_with_offsets(text, special="parse", unit="chars")
        assert found == (there.ids, there.offsets)
    theirs.encode_special_tokens = True
    assert ours.encode_batch(texts) == [found.ids for found in theirs.encode_batch(texts)]
    theirs.encode_special_tokens = False  # the next test asks it, too
