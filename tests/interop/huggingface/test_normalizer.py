"""What sentencepiece does to a text is the same by the steps of the library."""

from itertools import product

import hypothesis.strategies as st
import pytest
from hypothesis import given
from shared.properties import mixed, tries

from partcover.corpus.normalizers.normalizer import Normalizer
from partcover.interop.huggingface.normalizer import as_steps

FLAGS = ("add_dummy_prefix", "remove_extra_whitespaces", "escape_whitespaces")
TEXTS = mixed("ab   ▁\t日", st.characters(codec="utf-8"), 12)


@pytest.mark.parametrize("flags", [*product([False, True], repeat=3)], ids=str)
@tries(60)
@given(text=TEXTS)
def test_steps_do_the_same(flags, text):
    ours = Normalizer({"type": "SentencePiece", **dict(zip(FLAGS, flags, strict=True))})
    lost = []
    name = as_steps(ours.name, lost)
    assert lost == []
    assert (text if name is None else Normalizer(name)(text)) == ours(text)
