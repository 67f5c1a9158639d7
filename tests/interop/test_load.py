"""Files that are no vocabularies: the file, the line and what is wrong are named."""

from __future__ import annotations

import base64

import pytest
from interop.cases import need

from partcover import InputError, Vocabulary
from partcover.interop import export
from partcover.interop.ranks.tiktoken import PUBLISHED


def b64(token):
    return base64.b64encode(token).decode()


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("tiktoken", f"{b64(b'a')} 0\n{b64(b'b')}\n", "{path}:2: expected a token in base64"),
        ("tiktoken", f"{b64(b'a')} 0\n!!! 1\n", "{path}:2: '!!!' is not base64"),
        ("tiktoken", f"{b64(b'a')} x\n", "{path}:1: the rank 'x' is not a whole number"),
        ("tiktoken", f"{b64(b'a')} -1\n", "{path}:1: the rank '-1' is not a whole number"),
        ("tiktoken", f"{b64(b'a')} 99999999999\n", "{path}:1: the rank"),
        ("tiktoken", f"{b64(b'a')} 0\n{b64(b'a')} 1\n", "{path}:2: token 'a' is given twice"),
        ("tiktoken", f"{b64(b'a')} 0\n{b64(b'b')} 0\n", "{path}:2: rank 0 is given twice"),
        ("tiktoken", "", "{path}: there are no ranks"),
        ("sage", "61\n6g\n", "{path}:2: '6g' is not bytes in hexadecimal"),
        ("sage", "61\n616\n", "{path}:2: '616' is not bytes"),
        ("sage", "61\n\n62\n", "{path}:2: '' is not bytes"),
        ("pathpiece", "61\n61\n", "{path}:2: token 'a' is given twice, first in line 1"),
        ("pathpiece", "", "{path}: there are no tokens"),
        ("greedtok", "xx\n", "{path}:1: 'xx' is not bytes"),
        ("list", "ab\nab\n", "{path}:2: token 'ab' is given twice, first in line 1"),
        ("list", "ab\na\\q\n", "{path}:2: a backslash must be followed"),
        ("list", b"ab\n\xff\xff\n", "{path}:2: not UTF-8"),
        ("sentencepiece", b"\x0a\xff", "{path}: not a sentencepiece model"),
        ("sentencepiece", b"", "{path}: not a sentencepiece model"),
        ("rwkv", "", "{path}: there are no tokens"),
    ],
)
def test_broken_files(tmp_path, name, content, message):
    path = tmp_path / "broken"
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    with pytest.raises(InputError) as caught:
        Vocabulary.load(path, name)
    text = str(caught.value)
    assert text.startswith(message.format(path=path))
    assert "\n" not in text


def test_broken_folders_and_models(tmp_path):
    (tmp_path / "added_tokens.txt").write_text("6162\n")
    (tmp_path / "special_tokens_map.json").write_text('{"eos_token": "<eos>"}')
    with pytest.raises(InputError, match="eos_token is '<eos>', which added_tokens"):
        Vocabulary.load(tmp_path)
    with pytest.raises(InputError, match="cannot be read"):
        Vocabulary.load(tmp_path / "none", "tiktoken")
    pytest.importorskip("google.protobuf")
    model = pytest.importorskip("partcover.interop.sentencepiece.proto").model_proto()()
    model.pieces.add(piece="ab")
    model.trainer_spec.model_type = 3
    path = tmp_path / "m.model"
    path.write_bytes(model.SerializeToString())
    with pytest.raises(InputError, match="sentencepiece models of whole words are"):
        Vocabulary.load(path)
    model.trainer_spec.model_type = 1
    model.pieces.add(piece="ab")
    path.write_bytes(model.SerializeToString())
    with pytest.raises(InputError, match=r"m\.model: token 'ab' is given twice"):
        Vocabulary.load(path)


@pytest.mark.long
@pytest.mark.parametrize(
    ("format_", "library"),
    [
        ("huggingface", "tokenizers"),
        ("sentencepiece", "sentencepiece"),
        ("tiktoken", "tiktoken"),
        ("tiktoken-package", "tiktoken"),
        ("priority-class", "transformers"),
    ],
)
def test_a_file_is_recognised_whatever_its_name(tmp_path, format_, library):
    need(library)
    rule = {"sentencepiece": "character_merges", "priority-class": "priority"}.get(
        format_, "merges"
    )
    vocabulary = Vocabulary(["ab", "abc"], rule=rule, pretokenizer="none")
    written = tmp_path / ("v.json" if format_ == "huggingface" else "v")
    export(vocabulary, written, format_)
    path = written.rename(tmp_path / "tokenizer.model.v7m1")
    assert Vocabulary.load(path).provenance["format"] == format_
    assert Vocabulary.load(path).tokens == vocabulary.tokens


@pytest.mark.parametrize(
    "content", [b"\n", b"\n\x05abc", b"\n\nab\n\ncd", b"\n\x80\x80\x80\x80\x80\x80"]
)
def test_lines_are_no_sentencepiece_model(tmp_path, content):
    path = tmp_path / "lines"
    path.write_bytes(content)
    with pytest.raises(InputError, match=r"not recognized\. Name it with"):
        Vocabulary.load(path)


def test_a_folder_names_the_file_in_it_that_could_be_meant(tmp_path):
    with pytest.raises(InputError, match="this folder is not recognized as a tokenizer"):
        Vocabulary.load(tmp_path)
    (tmp_path / "a.txt").write_text("some text\n")
    (tmp_path / "small").write_text("YQ== 0\nYg== 1\nYWI= 2\n")
    with pytest.raises(InputError, match=r"name a file, as .*small$"):
        Vocabulary.load(tmp_path)


def test_partcovers_own_file_is_no_other_format(tmp_path):
    vocabulary = Vocabulary(["ab"], provenance={"model": {"type": "BPE"}})
    vocabulary.save(tmp_path / "v.json")
    assert Vocabulary.load(tmp_path / "v.json") == vocabulary
    with pytest.raises(InputError, match="cannot be read"):
        Vocabulary.load(tmp_path / "none")


def test_a_rank_file_may_hold_an_empty_token(tmp_path):
    """Whisper's ends with one, ``= 50256``."""
    lines = [b"%s %d" % (base64.b64encode(bytes([byte])), byte) for byte in range(256)]
    (tmp_path / "v.tiktoken").write_bytes(b"\n".join([*lines, b"aGE= 256", b"= 257"]) + b"\n")
    vocabulary = Vocabulary.load(tmp_path / "v.tiktoken")
    assert vocabulary.tokens == (b"ha",)
    assert vocabulary.decode_only == {257: b""}
    assert "no text can use the token 257, which is empty" in vocabulary.provenance["remarks"]
    whisper = next(special for name, _, special in PUBLISHED.values() if name == "multilingual")
    assert len(whisper) == 1608
    assert (whisper["<|endoftext|>"], whisper["<|su|>"]) == (50257, 50357)
    assert (whisper["<|0.00|>"], whisper["<|30.00|>"]) == (50364, 51864)
