"""White space beside added tokens, some of which are white space themselves."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from shared.properties import tries

from partcover import Encoder, Vocabulary

tokenizers = pytest.importorskip("tokenizers")


def added(path, *tokens):
    """A BPE model over bytes without merges, with added tokens of (text, flags)."""
    alphabet = sorted(tokenizers.pre_tokenizers.ByteLevel.alphabet())
    ids = {letter: number for number, letter in enumerate(alphabet)}
    own = tokenizers.Tokenizer(tokenizers.models.BPE(ids, []))
    own.pre_tokenizer = tokenizers.pre_tokenizers.ByteLevel(add_prefix_space=False)
    own.add_tokens(
        [
            tokenizers.AddedToken(text, normalized=False, **dict.fromkeys(flags, True))
            for text, flags in tokens
        ]
    )
    own.save(str(path))
    return own, Encoder(Vocabulary.load(path))


def test_a_token_inside_the_white_space_of_the_one_before(tmp_path):
    """The text behind it begins where it ends, not where that white space does."""
    own, encoder = added(tmp_path / "t.json", ("  ", ()), ("<m>", ["rstrip"]))
    assert own.encode("<m>   a").ids == encoder.encode("<m>   a") == [257, 256, 220, 64]
    ids, places = encoder.encode_with_offsets("<m>   a")
    assert (ids, places) == ([257, 256, 220, 64], [(0, 3), (3, 5), (5, 6), (6, 7)])


def test_a_token_that_the_one_before_includes(tmp_path):
    own, encoder = added(tmp_path / "t.json", ("\n", ["lstrip", "rstrip"]))
    assert own.encode("\n\n\na").ids == encoder.encode("\n\n\na") == [256, 64]


def test_in_normalized_text_a_remark_says_what_is_found_otherwise(tmp_path):
    own, _ = added(tmp_path / "t.json", ("<m>", ()))
    token = tokenizers.AddedToken("  ", normalized=True)
    own.normalizer = tokenizers.normalizers.Replace("  ", "")
    own.add_tokens([token])
    own.save(str(tmp_path / "t.json"))
    remarks = Vocabulary.load(tmp_path / "t.json").provenance["remarks"]
    assert any("nothing is left of the added token '  '" in remark for remark in remarks), remarks

    model = tokenizers.models.Unigram([("<unk>", 0.0), ("▁", -1.0), ("a", -1.0)], 0, False)
    own = tokenizers.Tokenizer(model)
    own.normalizer = tokenizers.normalizers.Replace(" ", "▁")
    own.add_tokens([tokenizers.AddedToken("<m>", normalized=True, lstrip=True)])
    own.save(str(tmp_path / "t.json"))
    vocabulary = Vocabulary.load(tmp_path / "t.json")
    assert own.encode("a <m>").ids == [2, 1, 3]
    assert Encoder(vocabulary).encode("a <m>") == [2, 3]
    assert any("includes the spaces beside it" in r for r in vocabulary.provenance["remarks"])


def test_a_remark_names_the_token_with_a_mark_that_is_written_later(tmp_path):
    model = tokenizers.models.Unigram([("<unk>", 0.0), ("▁", -1.0), ("x", -1.0)], 0, False)
    own = tokenizers.Tokenizer(model)
    own.pre_tokenizer = tokenizers.pre_tokenizers.Metaspace("▁", "never", False)
    own.add_special_tokens(["<unk>"])
    own.add_tokens([tokenizers.AddedToken("▁x", normalized=True)])
    own.save(str(tmp_path / "t.json"))
    encoder = Encoder(Vocabulary.load(tmp_path / "t.json"))
    assert own.encode("▁x").ids == encoder.encode("▁x") == [3]
    assert (own.encode(" x").ids, encoder.encode(" x")) == ([1, 2], [3])
    about = "the added token '▁x' has a space or ▁ in normalized text"
    assert any(remark.startswith(about) for remark in encoder.vocabulary.provenance["remarks"])


MADE = "the added token 'm' is a piece of the model, too"


def test_a_remark_names_the_token_that_the_model_makes_where_it_is_not_found(tmp_path):
    own, encoder = added(tmp_path / "t.json", ("m", ["single_word"]))
    assert own.encode("b m").ids == encoder.encode("b m")
    assert own.encode("mb").ids == [76, *encoder.encode("mb")]  # a byte has no second id here
    assert any(MADE in remark for remark in encoder.vocabulary.provenance["remarks"])


def test_a_remark_names_the_token_that_another_hides(tmp_path):
    own, encoder = added(tmp_path / "t.json", ("m", []), ("mn", ["single_word"]))
    assert own.encode("mnm").ids == [76, *encoder.encode("mnm")]
    assert any(MADE in remark for remark in encoder.vocabulary.provenance["remarks"])


@pytest.mark.parametrize(
    ("special", "token", "later", "hidden"),
    [
        ("<m>", "m", False, True),
        ("<m>", "m", True, False),
        ("lm", "mn", False, True),
        ("mnl", "mn", False, True),
        ("mn", "mnl", False, False),
        ("nn", "ml", False, False),
    ],
)
def test_a_remark_names_the_token_that_a_special_token_hides(
    tmp_path, special, token, later, hidden
):
    """Of tokens that begin at a place the longest is found, also where it is text."""
    scores = {"<unk>": 0.0} | dict.fromkeys("lmn<>", -2.0) | {token: -1.0}
    own = tokenizers.Tokenizer(tokenizers.models.Unigram([*scores.items()], 0, False))
    own.add_special_tokens(["<unk>", special])
    own.add_tokens([tokenizers.AddedToken(token, normalized=later)])
    own.save(str(tmp_path / "t.json"))
    own.encode_special_tokens = True
    encoder = Encoder(Vocabulary.load(tmp_path / "t.json"))
    texts = (special, token, special + token, special + "n", "n" + token)
    assert any(own.encode(text).ids != encoder.encode(text) for text in texts) == hidden
    about = f"the added token {token!r} is a piece of the model, too"
    assert any(about in r for r in encoder.vocabulary.provenance["remarks"]) == hidden


def of_a_piece(path, token, **steps):
    """A Unigram model with a special token that is a piece, too, and with an m."""
    model = tokenizers.models.Unigram([("<unk>", 0.0), (token, -1.0), ("m", -1.0)], 0, False)
    own = tokenizers.Tokenizer(model)
    for name, step in steps.items():
        setattr(own, name, step)
    own.add_special_tokens(["<unk>", token])
    own.save(str(path))
    return own, Encoder(Vocabulary.load(path))


def test_a_remark_names_the_token_that_the_normalizer_writes(tmp_path):
    """Where the pre-tokenizer splits it, no model makes it."""
    normal = tokenizers.normalizers.NFKC()
    own, encoder = of_a_piece(tmp_path / "t.json", "<m>", normalizer=normal)
    assert own.encode("<m>").ids == encoder.encode("<m>", special="parse") == [1]
    assert own.encode("＜m＞").ids == [1]
    assert encoder.encode("＜m＞", special="parse") == [0, 2, 0]
    remarks = encoder.vocabulary.provenance["remarks"]
    assert any("2 added tokens" in r and "of the model, too" in r for r in remarks)
    split = tokenizers.pre_tokenizers.Whitespace()
    own, encoder = of_a_piece(tmp_path / "t.json", "<m>", normalizer=normal, pre_tokenizer=split)
    assert own.encode("＜m＞").ids == encoder.encode("＜m＞", special="parse") == [0, 2, 0]
    remarks = encoder.vocabulary.provenance.get("remarks", ())
    assert not any("of the model, too" in remark for remark in remarks)


def test_a_remark_names_the_token_that_the_pre_tokenizer_writes(tmp_path):
    marked = tokenizers.pre_tokenizers.Metaspace()
    own, encoder = of_a_piece(tmp_path / "t.json", "▁", pre_tokenizer=marked)
    assert own.encode("m").ids == [1, 2]
    assert encoder.encode("m", special="parse") == [0, 2]
    made = MADE.replace("'m'", "'▁'")
    assert any(made in remark for remark in encoder.vocabulary.provenance["remarks"])


def test_a_remark_names_tokens_that_are_the_same_in_normalized_text(tmp_path):
    """The library keeps them in a table whose order is another one in each process."""
    own, _ = added(tmp_path / "t.json")
    own.normalizer = tokenizers.normalizers.Lowercase()
    own.add_tokens([tokenizers.AddedToken(text, normalized=True) for text in ("<M>", "<m>", "<n>")])
    own.save(str(tmp_path / "t.json"))
    encoder = Encoder(Vocabulary.load(tmp_path / "t.json"))
    assert own.encode("<m>").ids in ([256], [257])
    assert encoder.encode("<m>") == [256]
    about = [r for r in encoder.vocabulary.provenance["remarks"] if "in normalized text" in r]
    assert len(about) == 1
    assert about[0].startswith("the added tokens '<M>' and '<m>' are the same ")


@pytest.mark.parametrize("token", [("m", []), ("m", ["rstrip"]), ("<m>", ["single_word"])])
def test_no_remark_on_tokens_that_the_model_never_makes(tmp_path, token):
    own, encoder = added(tmp_path / "t.json", token)
    for text in ("m", "mb", "b m", "<m>b", "<m> "):
        assert own.encode(text).ids == encoder.encode(text)
    assert not any("of the model, too" in r for r in encoder.vocabulary.provenance["remarks"])


FLAGS = st.sets(st.sampled_from(["single_word", "rstrip"])).map(sorted)


@tries(200)
@given(
    st.dictionaries(st.sampled_from(["<m>", " ", "  ", "\n", " a", "a ", "m>"]), FLAGS, min_size=1),
    st.lists(
        st.lists(st.sampled_from(["<m>", "a", " ", "  ", "\n", "é"]), max_size=8).map("".join),
        max_size=5,
    ),
)
def test_ids_are_the_librarys(tmp_path_factory, tokens, texts):
    path = tmp_path_factory.getbasetemp() / "added.json"
    own, encoder = added(path, *tokens.items())
    for text in texts:
        assert encoder.encode(text) == own.encode(text).ids


def test_a_remark_says_what_is_skipped_as_a_special_token_of_the_same_text(tmp_path):
    own, _ = added(tmp_path / "t.json")
    own.normalizer = tokenizers.normalizers.Replace(tokenizers.Regex("^a"), "")
    own.add_special_tokens([tokenizers.AddedToken("<m>", normalized=False, special=True)])
    own.add_tokens([tokenizers.AddedToken(text, normalized=True) for text in ("a<m>", "a<n>")])
    own.save(str(tmp_path / "t.json"))
    vocabulary = Vocabulary.load(tmp_path / "t.json")
    ids = [256, 257, 258]
    assert own.decode(ids, skip_special_tokens=False) == Encoder(vocabulary).decode(ids)
    assert own.decode(ids, skip_special_tokens=True) == "<n>"
    remarks = vocabulary.provenance["remarks"]
    about = [remark for remark in remarks if "which is a special token" in remark]
    assert about[0].startswith("the added token 'a<m>' becomes '<m>', ")
    assert len(about) == 1


@pytest.mark.parametrize("flag", ["lstrip", "rstrip", "single_word"])
def test_a_remark_says_what_stands_beside_tokens_in_text_spelled_by_its_normalizer(tmp_path, flag):
    path = tmp_path / "t.json"
    own, _ = added(path)
    own.pre_tokenizer = tokenizers.pre_tokenizers.Sequence([])
    own.normalizer = tokenizers.normalizers.ByteLevel()
    own.add_tokens([tokenizers.AddedToken("<m>", normalized=True, **{flag: True})])
    data = json.loads(own.to_str())
    path.write_text(json.dumps({**data, "pre_tokenizer": None}), "utf-8")
    own = tokenizers.Tokenizer.from_file(str(path))
    encoder = Encoder(Vocabulary.load(path))
    assert own.encode(" <m> ").ids != encoder.encode(" <m> ")
    about = [r for r in encoder.vocabulary.provenance["remarks"] if "has Ġ for them" in r]
    assert len(about) == 1
    assert about[0].startswith("the added token '<m>' ")


def test_a_remark_says_that_an_unknown_token_is_no_added_token(tmp_path):
    path = tmp_path / "t.json"
    own = tokenizers.Tokenizer(tokenizers.models.WordPiece({"[UNK]": 0, "a": 1}, unk_token="[UNK]"))
    own.pre_tokenizer = tokenizers.pre_tokenizers.WhitespaceSplit()
    own.decoder = tokenizers.decoders.WordPiece()
    own.save(str(path))
    encoder = Encoder(Vocabulary.load(path))
    about = "the special token '[UNK]' is no added token"
    assert encoder.encode("b a") == own.encode("b a").ids == [0, 1]
    assert own.decode([0, 1], skip_special_tokens=True) == "[UNK] a"
    assert encoder.decode([0, 1], skip_special=True) == "a"
    assert any(about in remark for remark in encoder.vocabulary.provenance["remarks"])
    own.add_special_tokens(["[UNK]"])
    own.save(str(path))
    assert own.decode([0, 1], skip_special_tokens=True) == "a"
    remarks = Vocabulary.load(path).provenance["remarks"]
    assert not any(about in remark for remark in remarks)
