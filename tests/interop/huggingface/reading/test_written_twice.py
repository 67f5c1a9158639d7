"""What a normalizer writes at the start of a text, where its pattern matches nothing."""

from __future__ import annotations

import pytest

from partcover import Encoder, Vocabulary

tokenizers = pytest.importorskip("tokenizers")
ABOUT = "which may match nothing at the start of a text"


def read(path, patterns, later=()):
    """A BPE model over bytes, without merges, whose normalizer replaces patterns by (content)."""
    alphabet = sorted(tokenizers.pre_tokenizers.ByteLevel.alphabet())
    ids = {letter: number for number, letter in enumerate(alphabet)}
    own = tokenizers.Tokenizer(tokenizers.models.BPE(ids, []))
    own.pre_tokenizer = tokenizers.pre_tokenizers.ByteLevel(add_prefix_space=True)
    own.normalizer = tokenizers.normalizers.Sequence(
        [
            *(
                tokenizers.normalizers.Replace(tokenizers.Regex(pattern), content)
                for pattern, content in patterns
            ),
            *later,
        ]
    )
    own.save(str(path))
    return own, Vocabulary.load(path)


@pytest.mark.parametrize("pattern", ["^", "a|^", "a*", "(?=<)"])
def test_a_remark_says_that_the_library_writes_it_twice(tmp_path, pattern):
    own, vocabulary = read(tmp_path / "t.json", [(pattern, "Z")])
    there = own.encode("<").ids
    assert own.encode("<").tokens[:4] == ["Ġ", "Z", "Z", "<"]
    assert Encoder(vocabulary).encode("<") == [there[0], *there[2:]]
    about = [remark for remark in vocabulary.provenance["remarks"] if ABOUT in remark]
    assert len(about) == 1
    assert about[0] == (
        f"its normalizer replaces {pattern!r}, {ABOUT}: there the library may write the "
        "replacement twice, or fail, in ByteLevel"
    )


def test_a_remark_names_the_step_that_does_so(tmp_path):
    lower = tokenizers.normalizers.Lowercase()
    own, vocabulary = read(tmp_path / "t.json", [("^", "Z"), ("b", "c")], [lower])
    with pytest.raises(BaseException, match="index out of bounds"):
        own.encode("a")
    assert any(remark.endswith("in Lowercase") for remark in vocabulary.provenance["remarks"])


@pytest.mark.parametrize("pattern", [("^a", "Z"), ("^", ""), ("a(?=b)", "Z"), (r"\A +", "Z")])
def test_no_remark_where_nothing_is_written_for_nothing(tmp_path, pattern):
    own, vocabulary = read(tmp_path / "t.json", [pattern])
    for text in ("a", "ab", "  a", "<"):
        assert Encoder(vocabulary).encode(text) == own.encode(text).ids
    assert not any(ABOUT in remark for remark in vocabulary.provenance.get("remarks", ()))
