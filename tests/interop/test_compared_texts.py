"""What an exported tokenizer does with whole texts is compared, and told."""

from __future__ import annotations

import json

import pytest

from partcover import Vocabulary, export
from partcover.interop.compared_texts import built_in_texts, compare_texts
from partcover.interop.format import WholeTexts
from partcover.vocabulary.decoding import Decoding


def one(texts, there, **how):
    vocabulary = Vocabulary(["ab"], pretokenizer="none", special=["<s>"])
    return compare_texts(WholeTexts(there, **how), vocabulary, texts)


def test_each_difference_has_an_example():
    remark = one("xy", lambda text: [0])[0]
    assert remark.startswith("ids differ in 115 of 115 cases, for example for '':")

    def ids(text):
        data, found = text.encode(), []
        while data:
            found.append(256 if data.startswith(b"ab") else data[0])
            data = data[2 if found[-1] == 256 else 1 :]
        return found

    equal = one("xy", ids, decode=lambda ids: b"".join(
        b"ab" if n == 256 else bytes([n]) for n in ids).decode())  # fmt: skip
    assert equal == ["equal on 115 test texts: ids and decoding"]
    remarks = one("xy", ids, decode_bare=lambda ids: "!", offsets=lambda text: [(0, 0)])
    assert remarks[0] == "equal on 115 test texts: ids"
    assert remarks[1].startswith(
        "decoding differs in 115 of 115 cases, for example for '': '!' in the library, ''"
    )
    assert remarks[2].startswith("offsets differ in 115 of 115 cases")
    remarks = one(None, ids, parse=lambda text: [1], framed=lambda text: [9],
                  frame=lambda vocabulary: ([9], []))  # fmt: skip
    assert "templates differ in 113 of 114 cases" in remarks[1]
    remark = "special tokens differ in 1 of 1 cases, for example for 'a<s>b <s> c': [1] in"
    assert remark in remarks[2]
    unknown = Vocabulary(["ab"], pretokenizer="no such one")
    assert compare_texts(WholeTexts(ids), unknown, None) == []


def test_the_texts_are_the_same_each_time():
    vocabulary = Vocabulary(["ab", "é", b"\xff\xfe"], pretokenizer="space-prefix")
    assert built_in_texts(vocabulary) == built_in_texts(vocabulary)
    assert not any("Ġ" in text for text in built_in_texts(vocabulary.with_(tokens=["Ġab"])))


def test_a_decoder_that_is_not_ours_is_told(tmp_path):
    pytest.importorskip("tokenizers")
    vocabulary = Vocabulary(["ab", " ab"], pretokenizer="gpt2", decoding=Decoding(stripped=True))
    result = export(vocabulary, tmp_path / "t.json", "huggingface")
    assert result.exact
    assert "equal on 114 test texts: ids, offsets and templates" in result.remarks
    assert any(remark.startswith("decoding differs in ") for remark in result.remarks)


@pytest.mark.parametrize("role", ["bos", "eos", "pad"])
def test_a_sentencepiece_model_goes_back_into_its_file(tmp_path, role):
    pytest.importorskip("sentencepiece")
    from partcover.interop.sentencepiece.proto import BPE, CONTROL, UNKNOWN, new_model

    model = new_model()
    for number, (text, kind) in enumerate(
        [("<unk>", UNKNOWN), ("<go>", CONTROL), ("a", 1), ("b", 1), ("ab", 1), ("▁", 1)]
    ):
        model.pieces.add(piece=text, score=-number, type=kind)
    model.trainer_spec.model_type = BPE
    model.trainer_spec.unk_surface = "?"
    setattr(model.trainer_spec, f"{role}_piece", "<go>")
    setattr(model.trainer_spec, f"{role}_id", 1)
    model.normalizer_spec.name = "of its own"
    # fields that are not known here: the trainer's input, and what follows the specs
    data = model.SerializeToString() + b"\x12\x07\x0a\x05input" + b"\x22\x04\x0a\x02\x0a\x00"
    (tmp_path / "v.model").write_bytes(data)
    vocabulary = Vocabulary.load(tmp_path / "v.model")
    result = export(vocabulary, tmp_path / "same.model", "sentencepiece")
    assert "the file is the original one, byte for byte" in result.remarks
    assert (tmp_path / "same.model").read_bytes() == data
    more = vocabulary.with_(tokens=(*vocabulary.tokens, b"ba"), ids=(*vocabulary.id_of, 6))
    result = export(more, tmp_path / "w.model", "sentencepiece")
    assert "everything except the pieces is as in the original file" in result.remarks
    before, after = new_model(), new_model()
    before.ParseFromString(data)
    after.ParseFromString((tmp_path / "w.model").read_bytes())
    ids = {f"{other}_id" for other in ("bos", "eos", "pad")} - {f"{role}_id"}
    for key in ids:  # of pieces that are not there
        before.trainer_spec.ClearField(key)
        after.trainer_spec.ClearField(key)
    before.trainer_spec.vocab_size = after.trainer_spec.vocab_size
    before.trainer_spec.byte_fallback = False
    after.trainer_spec.byte_fallback = False
    before.ClearField("pieces")
    after.ClearField("pieces")
    assert before.SerializeToString() == after.SerializeToString()
    again = json.loads(json.dumps(vocabulary.to_json()))
    again["provenance"]["origin"]["sentencepiece"] = "!"
    with pytest.raises(ValueError, match="keeps of its sentencepiece model is damaged"):
        export(Vocabulary.from_json(again), tmp_path / "x.model", "sentencepiece")
