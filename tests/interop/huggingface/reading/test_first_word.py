"""Metaspace that marks the first word alone, where a normalizer changes what a text begins with."""

from __future__ import annotations

import pytest

from partcover import Encoder, Vocabulary

tokenizers = pytest.importorskip("tokenizers")
N, P = tokenizers.normalizers, tokenizers.pre_tokenizers
LETTERS = [*"ab#1▁é½ßx⁄2´=\u0301\u0338日", "▁a", "▁b"]
TEXTS = [
    " ab",
    "\nab",
    "\u200bab",
    "\x1cß",
    "\u0301a",
    "  a",
    "½",
    "#",
    "≠",
    "日",
    "´a",
    "aab",
    "ab",
]


def loaded(path, normalizer, *before, scheme="first"):
    """The library's tokenizer, partcover's, and whether a remark says that they may differ."""
    pieces = [("<unk>", 0.0), *((letter, -1.0 - n / 64) for n, letter in enumerate(LETTERS))]
    own = tokenizers.Tokenizer(tokenizers.models.Unigram(pieces, 0, False))
    if normalizer is not None:
        own.normalizer = normalizer
    own.pre_tokenizer = P.Sequence([*before, P.Metaspace(prepend_scheme=scheme)])
    own.save(str(path))
    vocabulary = Vocabulary.load(path)
    remarks = vocabulary.provenance["remarks"]
    remarked = any("in front of the first word alone" in remark for remark in remarks)
    return own, Encoder(vocabulary), remarked


@pytest.mark.parametrize(
    ("normalizer", "before"),
    [
        (N.Strip(), []),
        (N.BertNormalizer(), []),
        (N.BertNormalizer(clean_text=False), []),
        (N.Nmt(), []),
        (N.StripAccents(), []),
        (N.Sequence([N.NFC(), N.Replace("a", "")]), []),
        (N.Replace("  ", "x"), []),
        (N.Replace(tokenizers.Regex("a+"), "b"), []),
        (N.Replace("  ", " "), [P.Metaspace("#", split=False)]),
        (N.NFKC(), [P.Digits()]),
        (N.NFKC(), [P.WhitespaceSplit()]),
        (N.NFD(), [P.BertPreTokenizer()]),
        (N.Prepend("x"), [P.Punctuation()]),
        (N.BertNormalizer(False, True, False, False), [P.WhitespaceSplit()]),
    ],
    ids=str,
)
def test_where_ids_differ_a_remark_says_so(tmp_path, normalizer, before):
    own, encoder, remarked = loaded(tmp_path / "t.json", normalizer, *before)
    assert remarked
    assert any(encoder.encode(text) != own.encode(text).ids for text in TEXTS)


@pytest.mark.parametrize(
    ("normalizer", "before", "scheme"),
    [
        (None, [P.Digits()], "first"),
        (N.Strip(left=False), [], "first"),
        (N.NFKC(), [], "first"),
        (N.Prepend("x"), [], "first"),
        (N.Replace(" ", "▁"), [], "first"),
        (N.Replace(tokenizers.Regex(" {2,}"), "▁"), [], "first"),
        (N.BertNormalizer(False, True, False, False), [], "first"),
        (N.Strip(left=False), [P.Digits()], "first"),
        (N.Strip(), [P.Digits()], "always"),
        (N.Nmt(), [], "never"),
    ],
    ids=str,
)
def test_where_they_do_not_there_is_none(tmp_path, normalizer, before, scheme):
    own, encoder, remarked = loaded(tmp_path / "t.json", normalizer, *before, scheme=scheme)
    assert not remarked
    for text in TEXTS:
        assert encoder.encode(text) == own.encode(text).ids


def test_without_words_there_is_none(tmp_path):
    """An unknown pre-tokenizer has its own remark."""
    own, _, _ = loaded(tmp_path / "t.json", N.Strip())
    own.pre_tokenizer = P.Sequence([P.ByteLevel(), P.UnicodeScripts(), P.Metaspace()])
    model = tokenizers.models.BPE(
        {letter: n for n, letter in enumerate(P.ByteLevel.alphabet())}, []
    )
    own.model = model
    own.save(str(tmp_path / "t.json"))
    remarks = Vocabulary.load(tmp_path / "t.json").provenance["remarks"]
    assert any("does not have its pre-tokenizer" in remark for remark in remarks)
    assert not any("first word" in remark for remark in remarks)
