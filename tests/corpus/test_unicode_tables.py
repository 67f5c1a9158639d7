"""Every code point belongs to the same classes here as in the libraries that are installed.

The libraries' tables are of one version of Unicode and those here of another, so what is compared
is what Python's own, older table has.
"""

from __future__ import annotations

import json
import unicodedata

import pytest

from partcover.corpus.normalizers.normalizer import Normalizer
from partcover.corpus.pretokenizers.pretokenizer import Pretokenizer

CLASSES = [r"\w", r"\s", r"\d", r"\p{L}", r"\p{N}", r"\p{M}", r"\p{P}", r"\p{S}", r"\p{Lu}",
           r"\p{Lt}", r"\p{Lm}", r"\p{Lo}", r"\p{Ll}", r"\p{Han}"]  # fmt: skip
FORMS = ["NFC", "NFD", "NFKC", "NFKD", "Lowercase", "StripAccents", "BertNormalizer", "Nmt"]
#: A letter that was small up to Unicode 15.
OTHERWISE = {r"\p{Ll}": {"\u0295"}, r"\p{Lo}": {"\u0295"}}


def every():
    """The characters that Python's table has; one of private use stands for all."""
    points = (chr(p) for p in range(0xE001) if not 0xD800 <= p < 0xE000)
    above = (chr(p) for p in range(0xF900, 0xF0000))
    return [c for part in (points, above) for c in part if unicodedata.category(c) != "Cn"]


def split(pattern):
    return {"type": "Split", "pattern": {"Regex": pattern}, "behavior": "Removed", "invert": False}


@pytest.mark.long
@pytest.mark.parametrize("pattern", CLASSES)
def test_classes(pattern):
    tokenizers = pytest.importorskip("tokenizers")
    text = "".join(every())
    step = tokenizers.pre_tokenizers.Split(tokenizers.Regex(pattern), "removed")
    there = set("".join(piece for piece, _ in step.pre_tokenize_str(text)))
    here = set("".join(Pretokenizer.from_name(json.dumps(split(pattern))).split(text)))
    assert there ^ here <= OTHERWISE.get(pattern, set())
    assert 0 < len(there) < len(text)


@pytest.mark.long
@pytest.mark.parametrize("pattern", [p for p in CLASSES if p not in (r"\w", r"\s")])
def test_classes_of_tiktoken(pattern):
    tiktoken = pytest.importorskip("tiktoken")
    ranks = {bytes([byte]): byte for byte in range(256)}
    own = tiktoken.Encoding("own", pat_str=pattern, mergeable_ranks=ranks, special_tokens={})
    text = "".join(every())
    there = set(own.decode(own.encode_ordinary(text)))
    left = set("".join(Pretokenizer.from_name(json.dumps(split(pattern))).split(text)))
    assert there ^ (set(text) - left) <= OTHERWISE.get(pattern, set())


@pytest.mark.long
@pytest.mark.parametrize("form", FORMS)
def test_normalizers(form):
    normalizers = pytest.importorskip("tokenizers").normalizers
    text = "\n".join(every())
    there, here = getattr(normalizers, form)().normalize_str(text), Normalizer(form)(text)
    assert there == here
    assert here != text
