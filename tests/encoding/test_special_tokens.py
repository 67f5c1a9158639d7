"""Special tokens in a text are found as the libraries find them."""

from __future__ import annotations

import json
from enum import StrEnum

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from shared.properties import tries

from partcover import Encoder, InputError, Vocabulary
from partcover.encoding import worker
from partcover.interop import export
from partcover.runtime.processes import parallel

tokenizers = pytest.importorskip("tokenizers")
MANY = 300  # more tokens than a pattern lists
FLAGS = ["single_word", "lstrip", "rstrip", "normalized"]
NAMES = ["<s>", "<s>a", "s>", "BB", " x", "Éa", "<a b>", "aab"]
BYTE_LEVEL = {
    "type": "ByteLevel",
    "add_prefix_space": False,
    "trim_offsets": True,
    "use_regex": True,
}
PRE_TOKENIZERS = [
    BYTE_LEVEL,
    {**BYTE_LEVEL, "add_prefix_space": True},
    {
        "type": "Sequence",
        "pretokenizers": [
            {"type": "Metaspace", "replacement": "▁", "prepend_scheme": "first", "split": True},
            {**BYTE_LEVEL, "use_regex": False},
        ],
    },
]
NORMALIZERS = [None, {"type": "NFD"}, {"type": "Lowercase"}, {"type": "Prepend", "prepend": "a"}]
TEXTS = st.lists(
    st.sampled_from([*NAMES, *"ab é\n>_b", "e\u0301", "É", "\u3000", "\u2003", "日"]), max_size=12
).map("".join)
ENTRIES = st.lists(
    st.tuples(st.sampled_from(NAMES), st.lists(st.booleans(), min_size=5, max_size=5)),
    unique_by=lambda entry: entry[0],
    max_size=5,
)


def made(entries, pre_tokenizer=PRE_TOKENIZERS[0], normalizer=None):
    """Returns the content of a tokenizer.json."""
    letters = sorted(tokenizers.pre_tokenizers.ByteLevel.alphabet())
    vocab = {letter: place for place, letter in enumerate(letters)} | {"aa": 256, "Ġa": 257}
    added = [
        {"id": 300 + place, "content": name, "special": special}
        | dict(zip(FLAGS, flags, strict=True))
        for place, (name, (special, *flags)) in enumerate(entries)
    ]
    model = {"type": "BPE", "vocab": vocab, "merges": [["a", "a"], ["Ġ", "a"]]}
    return {
        "version": "1.0",
        "model": model,
        "added_tokens": [{**entry, "id": 258 + place} for place, entry in enumerate(added)],
        "pre_tokenizer": pre_tokenizer,
        "normalizer": normalizer,
        "decoder": BYTE_LEVEL,
    }


@pytest.mark.long
@tries(400)
@given(
    entries=ENTRIES,
    text=TEXTS,
    pre_tokenizer=st.sampled_from(PRE_TOKENIZERS),
    normalizer=st.sampled_from(NORMALIZERS),
)
def test_ids_are_those_of_tokenizers(tmp_path_factory, entries, text, pre_tokenizer, normalizer):
    data = made(entries, pre_tokenizer, normalizer)
    path = tmp_path_factory.getbasetemp() / "tokenizer.json"
    path.write_text(json.dumps(data))
    own = tokenizers.Tokenizer.from_str(json.dumps(data))
    encoder = Encoder(Vocabulary.load(path))
    there = own.encode(text, add_special_tokens=False)
    ids, places = encoder.encode_with_offsets(text, special="parse", unit="chars")
    assert ids == encoder.encode(text, special="parse") == there.ids
    last = 0
    for number, ours, (begin, end) in zip(ids, places, there.offsets, strict=True):
        if number >= 258 and normalizer is None:
            # theirs overlap where two special tokens take the same white space along
            assert ours == (max(begin, last), end)
        last = ours[1]
    own.encode_special_tokens = True  # those that are not special are found all the same
    there = own.encode(text, add_special_tokens=False).ids
    assert encoder.encode(text) == there
    assert encoder.encode_batch([text, "", text])[::2] == [there, there]
    assert encoder.count(text) == len(there)


def test_inside_a_special_token_that_is_text_no_added_one_is_found(tmp_path):
    special, added = [True] + [False] * 4, [False] * 5
    entries = [("<ab>", special), ("ab", added), ("b>c", added), ("-<", special), ("--", special)]
    (tmp_path / "t.json").write_text(json.dumps(made(entries)))
    own = tokenizers.Tokenizer.from_file(str(tmp_path / "t.json"))
    own.encode_special_tokens = True
    encoder = Encoder(Vocabulary.load(tmp_path / "t.json"))
    for text in ("x<ab>yab", "<ab>c", "ab>c<ab", "<ab><ab>b>c", "-<ab>", "--<ab>", "---<ab>"):
        assert encoder.encode(text) == own.encode(text, add_special_tokens=False).ids


def test_no_special_token_comes_in_unasked(tmp_path):
    (tmp_path / "t.json").write_text(json.dumps(made([("<s>", [True] + [False] * 4)])))
    vocabulary = Vocabulary.load(tmp_path / "t.json")
    encoder = Encoder(vocabulary)
    plain = encoder.encode("a<s>b")
    assert vocabulary.special["<s>"] not in plain
    assert encoder.decode(plain) == "a<s>b"
    assert encoder.encode("a<s>b", special=["<s>"])[1] == vocabulary.special["<s>"]
    assert encoder.encode("a<s>b", special=[]) == plain
    with pytest.raises(InputError, match="special: '<t>' is not a special token"):
        encoder.encode("a", special=["<t>"])


def test_added_tokens_that_are_not_special_are_found_in_any_case(tmp_path):
    entries = [("<s>", [True] + [False] * 4), ("   ", [False] * 5)]
    (tmp_path / "t.json").write_text(json.dumps(made(entries)))
    vocabulary = Vocabulary.load(tmp_path / "t.json")
    encoder, spaces = Encoder(vocabulary), vocabulary.special["   "]
    for text in ("a   b", b"a   b", "é   b", "a   b" * 100_000):
        ids = encoder.encode(text)
        assert ids.count(spaces) == len(text) // 5
        assert encoder.encode_to_numpy(text).tolist() == ids
        assert Encoder(vocabulary, threads=2).encode(text) == ids
        assert encoder.encode_batch([text])[0] == encoder.encode(text, special=["<s>"]) == ids
        assert encoder.encode_batch(["", "a", text])[2] == encoder.encode(text, special="error")
    (tmp_path / "a.txt").write_text("a   b<s>")
    encoder.encode_files(tmp_path / "a.txt", tmp_path / "a.npy")
    assert np.load(tmp_path / "a.npy").tolist() == encoder.encode("a   b<s>")
    with pytest.raises(InputError, match="the special token '<s>' at byte 4"):
        encoder.encode("   a<s>", special="error")


@pytest.mark.parametrize("gap", [0, 100, 900, 3000])
@pytest.mark.parametrize("mark", ["", "é", "日"])
@pytest.mark.parametrize("more", [0, MANY])
def test_tokens_are_found_behind_many_places_where_they_could_begin(gap, mark, more):
    names = ["<t>", "[t]", *map("<{}>".format, range(more))]
    flags = dict.fromkeys(names, ("added",))
    encoder = Encoder(Vocabulary(["ab"], special=names, special_flags=flags), "gpt2")
    text = ("<" + "x" * gap) * 60 + mark
    assert encoder.encode("ab") == [256]
    for token, number in [*encoder.vocabulary.special.items()][:2]:
        assert number not in encoder.encode(f"{text} {text}")
        assert encoder.encode(f"{text}{token}{text}").count(number) == 1
        assert encoder.encode(f"{text}[{token}").count(number) == 1


def test_added_tokens_are_found_in_what_the_normalizer_writes(tmp_path):
    entries = [("éé", [False] * 4 + [True])]  # normalized
    (tmp_path / "t.json").write_text(json.dumps(made(entries, normalizer={"type": "NFC"})))
    own = tokenizers.Tokenizer.from_file(str(tmp_path / "t.json"))
    encoder = Encoder(Vocabulary.load(tmp_path / "t.json"))
    for text in ("ae\u0301e\u0301b", "aééb", "aeb", "ae\u0301éb" * 100_000):
        ids = own.encode(text).ids
        assert encoder.encode(text) == encoder.encode_to_numpy(text).tolist() == ids
        assert encoder.encode_batch([text, "x"])[0] == ids


def test_no_thread_is_begun_for_the_short_text_between_two(monkeypatch):
    encoder = Encoder(Vocabulary(["ab"], special=["<s>"]), "gpt2", threads=2)
    text = "ab<s>" * 100
    monkeypatch.setattr(parallel, "Thread", None)
    assert encoder.encode(text, special="parse") == [256, 257] * 100
    with pytest.raises(TypeError):
        encoder.count("ab " * worker.PART, special="parse")


def test_decoding_gives_them_back_or_leaves_them_out(tmp_path):
    entries = [("<s>", [True] + [False] * 4), ("<t>", [False] * 5)]
    (tmp_path / "t.json").write_text(json.dumps(made(entries)))
    encoder = Encoder(Vocabulary.load(tmp_path / "t.json"))
    own = tokenizers.Tokenizer.from_file(str(tmp_path / "t.json"))
    ids = encoder.encode("a<s>é<t> b", special="parse")
    assert encoder.decode(ids) == own.decode(ids, skip_special_tokens=False) == "a<s>é<t> b"
    assert encoder.decode(ids, skip_special=True) == own.decode(ids) == "aé<t> b"


def test_flags_are_saved_and_written_back(tmp_path):
    entries = [(name, [place % 2 == 0, *(place >> bit & 1 == 1 for bit in range(4))])
               for place, name in enumerate(NAMES)]  # fmt: skip
    (tmp_path / "t.json").write_text(json.dumps(made(entries)))
    vocabulary = Vocabulary.load(tmp_path / "t.json")
    vocabulary.save(tmp_path / "v.json")
    assert Vocabulary.load(tmp_path / "v.json") == vocabulary
    for name, form in (("again.json", "huggingface"), ("pair", "vocab-merges")):
        assert export(vocabulary, tmp_path / name, form).exact
        again = Vocabulary.load(tmp_path / name)
        assert again.special_flags == vocabulary.special_flags
        assert again.special == vocabulary.special


@pytest.mark.parametrize("more", [0, MANY])
def test_ids_are_those_of_tiktoken(more):
    tiktoken = pytest.importorskip("tiktoken")
    names = {"<s>": 300, "<t>": 301, "é<": 302}
    others = {f"<{number}>": 303 + number for number in range(more)}
    ranks = {bytes([byte]): byte for byte in range(256)} | {b"aa": 256}
    special = names | others
    own = tiktoken.Encoding("t", pat_str=r"\S+|\s+", mergeable_ranks=ranks, special_tokens=special)
    split = '{"type": "Split", "pattern": {"Regex": "\\\\S+|\\\\s+"}}'
    encoder = Encoder(Vocabulary(["aa"], rule="merges", special=special, pretokenizer=split))

    @tries(200)
    @given(
        st.lists(st.sampled_from([*names, *"a <>é"]), max_size=12).map("".join),
        st.sets(st.sampled_from([*names])),
    )
    def compare(text, allowed):
        allowed |= others.keys()
        there = own.encode(text, allowed_special=allowed, disallowed_special=())
        assert encoder.encode(text, special=allowed) == there
        assert encoder.encode(text) == own.encode_ordinary(text)

    compare()


@pytest.mark.parametrize(
    ("flags", "message"),
    [
        ({"<t>": ["lstrip"]}, "'<t>' is not a special token"),
        ({"<s>": ["strip"]}, "'strip' is not a flag: use single_word"),
        ({"<s>": "lstrip"}, "it must be a list of flags"),
    ],
)
def test_wrong_flags(flags, message):
    with pytest.raises(InputError, match=f"special_flags.*{message}"):
        Vocabulary([], special=["<s>"], special_flags=flags)


class Marks(StrEnum):
    BEGIN = "<s>"


def test_special_tokens_may_be_members_of_an_enum():
    plain = Vocabulary(["ab"], special={"<s>": 300}, special_flags={"<s>": ["lstrip"]})
    named = Vocabulary(["ab"], special={Marks.BEGIN: 300}, special_flags={Marks.BEGIN: ["lstrip"]})
    assert named == plain
    assert set(map(type, named.special)) == {str}
    assert Vocabulary(["ab"], special=[Marks.BEGIN]).special == {"<s>": 257}
    ours = Encoder(named, "gpt2")
    for special in ("parse", [Marks.BEGIN], {Marks.BEGIN}):
        assert ours.encode("ab <s>", special=special) == [256, 300]
