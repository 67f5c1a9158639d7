"""What sentencepiece does to a text is the same by the steps of the library."""

import json
from itertools import product

import hypothesis.strategies as st
import pytest
from hypothesis import given
from shared.properties import mixed, tries

from partcover import InputError, Vocabulary, export
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


@pytest.mark.long
def test_a_space_that_sentencepiece_puts_in_front_is_decoded_as_there(tmp_path):
    keys = ("add_dummy_prefix", "remove_extra_whitespaces", "escape_whitespaces")
    step = {"type": "SentencePiece", "precompiled_charsmap": "", "user_defined": []}
    step |= {**dict.fromkeys(keys, True), "treat_whitespace_as_suffix": False}
    use = {"rule": "character_merges", "pretokenizer": "first-space"}
    changes = ({}, {"remove_extra_whitespaces": False})
    marked = {"rule": "shortest_path", "pretokenizer": "space-prefix:▁"}
    for change, how in product(changes, (use, {**use, "rule": "merges"}, marked)):
        name = json.dumps({**step, **change})
        tokens = ["▁a", "▁ab"] if how is marked else [" a", " ab"]
        vocabulary = Vocabulary(tokens, normalizer=name, **how)
        remarks = export(vocabulary, tmp_path / "t.json", "huggingface").remarks
        assert not any(remark.startswith("decoding differs") for remark in remarks)
        assert Vocabulary.load(tmp_path / "t.json").decoding.front_spaces == 1
    name = json.dumps({**step, "treat_whitespace_as_suffix": True})
    with pytest.raises(InputError, match="a space behind a text"):
        export(Vocabulary([" a"], normalizer=name, **use), tmp_path / "n.json", "huggingface")
