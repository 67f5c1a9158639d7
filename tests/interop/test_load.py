"""Files that are no vocabularies: the file, the line and what is wrong are named."""

from __future__ import annotations

import base64

import pytest

from partcover import InputError
from partcover.interop import load_vocabulary


def b64(token):
    return base64.b64encode(token).decode()


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("tiktoken", f"{b64(b'a')} 0\n{b64(b'b')}\n", "{path}:2: a token in base64"),
        ("tiktoken", f"{b64(b'a')} 0\n!!! 1\n", "{path}:2: '!!!' is not base64"),
        ("tiktoken", f"{b64(b'a')} x\n", "{path}:1: the rank 'x' is no whole number"),
        ("tiktoken", f"{b64(b'a')} -1\n", "{path}:1: the rank '-1' is no whole number"),
        ("tiktoken", f"{b64(b'a')} 99999999999\n", "{path}:1: the rank"),
        ("tiktoken", f"{b64(b'a')} 0\n{b64(b'a')} 1\n", "{path}:2: token 'a' is given twice"),
        ("tiktoken", f"{b64(b'a')} 0\n{b64(b'b')} 0\n", "{path}:2: rank 0 is given twice"),
        ("tiktoken", "", "{path}: no ranks"),
        ("sage", "61\n6g\n", "{path}:2: '6g' is not bytes in hexadecimal"),
        ("sage", "61\n616\n", "{path}:2: '616' is not bytes"),
        ("sage", "61\n\n62\n", "{path}:2: '' is not bytes"),
        ("pathpiece", "61\n61\n", "{path}:2: token 'a' is given twice, first in line 1"),
        ("pathpiece", "", "{path}: no tokens"),
        ("greedtok", "xx\n", "{path}:1: 'xx' is not bytes"),
        ("list", "ab\nab\n", "{path}:2: token 'ab' is given twice, first in line 1"),
        ("list", "ab\na\\q\n", "{path}:2: a backslash must be followed"),
        ("list", b"ab\n\xff\xff\n", "{path}:2: not UTF-8"),
        ("sentencepiece", b"\x0a\xff", "{path}: not a sentencepiece model"),
        ("sentencepiece", b"", "{path}: not a sentencepiece model"),
    ],
)
def test_broken_files(tmp_path, name, content, message):
    path = tmp_path / "broken"
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    with pytest.raises(InputError) as caught:
        load_vocabulary(path, name)
    text = str(caught.value)
    assert text.startswith(message.format(path=path))
    assert "\n" not in text


def test_broken_folders_and_models(tmp_path):
    (tmp_path / "added_tokens.txt").write_text("6162\n")
    (tmp_path / "special_tokens_map.json").write_text('{"eos_token": "<eos>"}')
    with pytest.raises(InputError, match="eos_token is '<eos>', which added_tokens"):
        load_vocabulary(tmp_path)
    with pytest.raises(InputError, match="cannot be read"):
        load_vocabulary(tmp_path / "none", "tiktoken")
    model = pytest.importorskip("partcover.interop.sentencepiece.proto").model_proto()()
    model.pieces.add(piece="ab")
    model.trainer_spec.model_type = 3
    path = tmp_path / "m.model"
    path.write_bytes(model.SerializeToString())
    with pytest.raises(InputError, match="a sentencepiece model of words or characters"):
        load_vocabulary(path)
    model.trainer_spec.model_type = 1
    model.pieces.add(piece="ab")
    path.write_bytes(model.SerializeToString())
    with pytest.raises(InputError, match=r"m\.model: token 'ab' is given twice"):
        load_vocabulary(path)
