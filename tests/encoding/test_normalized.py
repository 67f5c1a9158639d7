"""Text that is normalized: counted, encoded, decoded, with places in the original."""

import json

import hypothesis.strategies as st
import numpy as np
import pytest
from hypothesis import example, given
from shared.properties import tries

from partcover import Encoder, InputError, Vocabulary, WordCounts, export
from partcover.corpus.normalizers.normalizer import Normalizer

STRIP = '{"type":"Strip","strip_left":true,"strip_right":true}'
NAMES = ["NFC", "NFKD+StripAccents+Lowercase", "Strip+NFKC", "BertNormalizer", "Nmt", "Strip",
         '{"type":"Prepend","prepend":"▁"}']  # fmt: skip
TEXTS = st.text(st.sampled_from("aB .É\u0301ﬁⅧ中\u200d👩\x00\n<s>") | st.characters(codec="utf-8"))


@tries(200)
@given(st.sampled_from(NAMES), TEXTS)
def test_ids_are_those_of_the_normalized_text(name, text):
    plain = Encoder(Vocabulary(["ab", "vi", " a", "é", "fi"]), "gpt2")
    encoder = Encoder(Vocabulary(["ab", "vi", " a", "é", "fi"], normalizer=name), "gpt2")
    want = Normalizer(name)(text)
    ids, offsets = encoder.encode_with_offsets(text, unit="chars")
    assert ids == encoder.encode(text) == plain.encode(want) == encoder.encode_batch([text])[0]
    assert encoder.decode(ids) == want
    # each token begins where the first of its characters comes from, and ends with the last
    done = Normalizer(name).changes(text)
    _, inside = plain.encode_with_offsets(want, unit="chars")
    assert offsets == [(done.begin[a], done.end[b - 1]) for a, b in inside]
    in_bytes = encoder.encode_with_offsets(text)[1]
    assert in_bytes == [(len(text[:a].encode()), len(text[:b].encode())) for a, b in offsets]


def test_special_tokens_are_found_before(tmp_path):
    vocabulary = Vocabulary(["ab"], special=["<S>"], normalizer="Lowercase+Strip")
    encoder = Encoder(vocabulary, "none")
    text = " AB <S> Ab"
    assert encoder.encode(text, special="parse") == [256, 257, 256]
    assert encoder.encode_with_offsets(text, special="parse")[1] == [(1, 3), (4, 7), (8, 10)]
    path = tmp_path / "text.txt"
    path.write_text(text)
    for special, want in (("parse", [256, 257, 256]), ("text", encoder.encode(text))):
        out = tmp_path / f"{special}.npy"
        assert encoder.encode_files(path, out, special=special).bytes == len(text)
        assert np.load(out).tolist() == want


@pytest.mark.long
@pytest.mark.parametrize("name", NAMES)
def test_counts_are_those_of_the_normalized_text(name, tmp_path):
    text = " The ﬁne CAFÉ, Ⅷ\u0301 中文\n" * 3000 + " end "
    path = tmp_path / "text.txt"
    path.write_text(text)
    want = WordCounts.from_texts([Normalizer(name)(text)], pretokenizer="gpt2")
    for threads in (1, 2):
        words = WordCounts.from_files(path, pretokenizer="gpt2", normalizer=name, threads=threads)
        assert words == want
        assert words.normalizer == name
    assert WordCounts.from_texts([text], pretokenizer="gpt2", normalizer=name) == want


def test_the_name_is_carried(tmp_path):
    words = WordCounts.from_texts(["The Cat"], pretokenizer="gpt2", normalizer="nfkc+lowercase")
    assert words.how == {"pretokenizer": "gpt2", "normalizer": "NFKC+Lowercase"}
    path = tmp_path / "words.tsv"
    words.save(path)
    assert path.read_text().startswith(
        "#partcover counts 1 pretokenizer=gpt2 symbols=bytes normalizer=NFKC+Lowercase\n"
    )
    assert WordCounts.load(path).how == words.how
    assert words.most_frequent(1).how == words.how
    path.write_text(path.read_text() + "#partcover counts 1 pretokenizer=gpt2\n")
    with pytest.raises(InputError, match="normalized by nothing"):
        WordCounts.load(path)
    vocabulary = Vocabulary(["ab"], pretokenizer="gpt2", normalizer=STRIP)
    vocabulary.save(tmp_path / "v.json")
    assert Vocabulary.load(tmp_path / "v.json") == vocabulary
    assert json.loads((tmp_path / "v.json").read_text())["version"] == 3
    assert Vocabulary(["ab"]).to_json()["version"] == 2
    with pytest.raises(InputError, match="unknown normalizer"):
        Encoder(Vocabulary(["ab"], normalizer="upper"), "gpt2")


def test_a_tokenizer_json_is_read_and_written(tmp_path):
    tokenizers = pytest.importorskip("tokenizers")
    vocabulary = Vocabulary(
        ["ab", "abc"], rule="merges", pretokenizer="gpt2", normalizer="NFKC+Lowercase"
    )
    path = tmp_path / "tokenizer.json"
    text = "ＡＢ abC ﬁ"
    result = export(vocabulary, path, "huggingface", text=text)
    assert result.exact
    back = Vocabulary.load(path)
    assert back.normalizer == "NFKC+Lowercase"
    library = tokenizers.Tokenizer.from_file(str(path))
    assert Encoder(back).encode(text) == library.encode(text).ids
    with pytest.raises(InputError, match="the normalizer NFKC"):
        export(vocabulary, tmp_path / "ranks.tiktoken", "tiktoken")


@pytest.mark.long
@tries(100)
@given(text=st.text(st.sampled_from("aBÉe\u0301 .,中\t"), max_size=20))
def test_bert_is_read_with_its_normalizer(text, tmp_path_factory):
    tokenizers = pytest.importorskip("tokenizers")
    characters = "abe.,中"
    pieces = ["[UNK]", *characters, *("##" + c for c in characters), "ab", "##ea", "##be"]
    vocab = {piece: number for number, piece in enumerate(pieces)}
    model = tokenizers.models.WordPiece(vocab, unk_token="[UNK]")
    tokenizer = tokenizers.Tokenizer(model)
    tokenizer.normalizer = tokenizers.normalizers.BertNormalizer()
    tokenizer.pre_tokenizer = tokenizers.pre_tokenizers.BertPreTokenizer()
    path = tmp_path_factory.mktemp("bert") / "tokenizer.json"
    tokenizer.save(str(path))
    vocabulary = Vocabulary.load(path)
    assert vocabulary.normalizer == "BertNormalizer"
    theirs = tokenizer.encode(text)
    ids, offsets = Encoder(vocabulary).encode_with_offsets(text, unit="chars")
    assert ids == theirs.ids
    assert all(text[a:b] or a == b for a, b in offsets)


@pytest.mark.long
@tries(200)
@given(
    st.sampled_from(
        [
            ["NFC"],
            ["NFD"],
            ["NFKC"],
            ["NFKD"],
            ["BertNormalizer"],
            ["NFKD", "StripAccents", "Lowercase", "NFC"],
            ["NFKC", "oc", "e"],
        ]
    ),
    st.text(
        "aeoczA\u0301\u0308\u0323\u0327éçåÅ\u212bắ\u1100\u1161\u11a8각ﬁ½ \u0344か\u3099", max_size=9
    ),
)
@example(["NFC"], "e\u0301\u0323z")
def test_places_are_those_of_the_library(names, text):
    tokenizers = pytest.importorskip("tokenizers")
    steps = [
        {"type": name}
        if name[0].isupper()
        else {"type": "Replace", "pattern": {"String": name}, "content": "xyz"}
        for name in names
    ]
    data = Normalizer({"type": "Sequence", "normalizers": steps}).to_json()
    alphabet = sorted(tokenizers.pre_tokenizers.ByteLevel.alphabet())
    model = {"type": "BPE", "vocab": {c: n for n, c in enumerate(alphabet)}, "merges": []}
    byte_level = {"type": "ByteLevel", "add_prefix_space": False, "use_regex": False,
                  "trim_offsets": False}  # fmt: skip
    own = tokenizers.Tokenizer.from_str(
        json.dumps({"version": "1.0", "model": model, "normalizer": data,
                    "pre_tokenizer": byte_level, "added_tokens": []})
    )  # fmt: skip
    vocabulary = Vocabulary([], pretokenizer="none", normalizer=Normalizer(data).name)
    _, offsets = Encoder(vocabulary).encode_with_offsets(text, unit="chars")
    assert offsets == own.encode(text).offsets
