"""GPT-2's pair of files."""

from __future__ import annotations

import gzip
import json

import pytest
from interop.cases import need
from interop.vocabularies import TEXT, made, same

from partcover import Encoder, InputError, Vocabulary
from partcover.interop import export, vocab_merges


def folder(path, **changes):
    need("tokenizers")
    vocabulary = made("merges-pairs", pretokenizer="gpt2", **changes)
    return vocabulary, export(vocabulary, path, "vocab-merges", text=TEXT)


def test_exact_there_and_back(tmp_path):
    vocabulary, result = folder(tmp_path / "g", special={"<|end|>": 700, "stop": 701})
    assert result.exact
    assert result.text_same
    for path in (tmp_path / "g", tmp_path / "g" / "vocab.json", tmp_path / "g" / "merges.txt"):
        same(Vocabulary.load(path), vocabulary)


@pytest.mark.parametrize("how", [{}, {"indent": 2, "ensure_ascii": False}, {"sort_keys": True}])
@pytest.mark.parametrize("head", ["#version: 0.2\n", "#version: 0.1 - by a trainer\r\n", ""])
@pytest.mark.parametrize("ended", [False, True])
def test_the_layout_stays(tmp_path, how, head, ended):
    _, _ = folder(tmp_path / "g", special={"<|end|>": 700})
    ids, merges = tmp_path / "g" / "vocab.json", tmp_path / "g" / "merges.txt"
    ids.write_text(json.dumps(json.loads(ids.read_text("utf-8")), **how), "utf-8")
    end = "\r\n" if "\r" in head else "\n"
    lines = merges.read_text("utf-8").splitlines()[1:]
    merges.write_bytes((head + end.join(lines) + end * ended).encode())
    vocabulary = Vocabulary.load(tmp_path / "g")
    vocabulary.save(tmp_path / "v.json")
    for number, read in enumerate((vocabulary, Vocabulary.load(tmp_path / "v.json"))):
        export(read, tmp_path / str(number), "vocab-merges")
        for file in (ids, merges):
            assert (tmp_path / str(number) / file.name).read_bytes() == file.read_bytes()
    damaged = {**vocabulary.provenance["origin"], "vocab": "{", "end": 3}
    with pytest.raises(InputError, match=r"the layout of its vocab\.json that is stored"):
        export(vocabulary.with_(provenance={"origin": damaged}), tmp_path / "x", "vocab-merges")


def test_odd_files_have_no_layout(tmp_path):
    folder(tmp_path / "g")
    ids = tmp_path / "g" / "vocab.json"
    data = json.loads(ids.read_text("utf-8"))
    for text in (json.dumps(data).encode("utf-16"), json.dumps({**data, "": "x"}).encode()):
        ids.write_bytes(text)
        vocabulary = Vocabulary.load(tmp_path / "g", "vocab-merges")
        assert vocabulary.provenance["origin"] == {}
        export(vocabulary, tmp_path / "to", "vocab-merges")
        written = (tmp_path / "to" / "vocab.json").read_text("utf-8")
        assert json.loads(written) == data


def test_the_names_do_not_matter(tmp_path):
    vocabulary, _ = folder(tmp_path / "g", special={"<|end|>": 700})
    (tmp_path / "g" / "tokenizer_config.json").unlink()
    for first, second in (("encoder.json", "vocab.bpe"), ("b-vocab.json", "b-merges.txt")):
        for old, new in (("vocab.json", first), ("merges.txt", second)):
            (tmp_path / new).write_bytes((tmp_path / "g" / old).read_bytes())
        for path in (tmp_path / first, tmp_path / second):
            read = Vocabulary.load(path)
            same(read, vocabulary)  # what looks like a special token is one
            assert "the files hold none" in read.provenance["remarks"][0]
    same(Vocabulary.load(tmp_path), vocabulary)


def test_ids_are_the_librarys(tmp_path):
    folder(tmp_path / "g")
    tokenizers = need("tokenizers")
    own = tokenizers.ByteLevelBPETokenizer.from_file(
        str(tmp_path / "g" / "vocab.json"), str(tmp_path / "g" / "merges.txt")
    )
    assert Encoder(Vocabulary.load(tmp_path / "g")).encode(TEXT) == own.encode(TEXT).ids


def test_added_tokens_have_the_ids_that_the_library_gives_them(tmp_path):
    folder(tmp_path / "g")
    tokenizers = need("tokenizers")
    own = tokenizers.ByteLevelBPETokenizer.from_file(
        str(tmp_path / "g" / "vocab.json"), str(tmp_path / "g" / "merges.txt")
    )
    own.add_tokens(["<y>", "<x>"])  # as transformers does, by their ids
    (tmp_path / "g" / "added_tokens.json").write_text('{"<x>": 900, "<y>": 800}')
    read = Vocabulary.load(tmp_path / "g")
    assert Encoder(read).encode("<x>ab<y>", special="parse") == own.encode("<x>ab<y>").ids
    assert "'<y>' has 269 there, and 800 in the file" in read.provenance["remarks"][-1]
    (tmp_path / "g" / "added_tokens.json").write_text('{"<x>": 900, "<y>": "a"}')
    with pytest.raises(InputError, match="the id of '<y>' is 'a'"):
        Vocabulary.load(tmp_path / "g")


@pytest.mark.parametrize(
    ("config", "remark"),
    [
        ({"tokenizer_class": "RobertaTokenizerFast"}, None),
        ({"tokenizer_class": "OtherTokenizer"}, "its class OtherTokenizer is unknown"),
    ],
)
def test_the_class_says_how_text_is_cut(tmp_path, config, remark):
    folder(tmp_path / "g")
    (tmp_path / "g" / "tokenizer_config.json").write_text(json.dumps(config))
    vocabulary = Vocabulary.load(tmp_path / "g")
    assert vocabulary.pretokenizer == "gpt2"
    remarks = vocabulary.provenance.get("remarks", [])
    assert remarks == [] if remark is None else remark in remarks[0]


def test_a_space_in_front_is_put_there(tmp_path):
    folder(tmp_path / "g")
    config = {"tokenizer_class": "GPT2Tokenizer", "add_prefix_space": True}
    (tmp_path / "g" / "tokenizer_config.json").write_text(json.dumps(config))
    encoder = Encoder(Vocabulary.load(tmp_path / "g"))
    assert encoder.encode("ab") == encoder.encode(" ab")


def test_another_pretokenizer_is_given_up(tmp_path):
    need("tokenizers")
    vocabulary = made("merges-pairs", pretokenizer="cl100k")
    with pytest.raises(InputError, match=r"the pre-tokenizer cl100k .* nearest is gpt2"):
        export(vocabulary, tmp_path / "g", "vocab-merges")
    assert not export(vocabulary, tmp_path / "g", "vocab-merges", lossy=True).exact


def test_files_that_are_cut_are_not_recognised(tmp_path):
    (tmp_path / "cut.gz").write_bytes(gzip.compress(b"#version: 0.2\ni n\n")[:-12])
    with pytest.raises(InputError, match=r"not recognized\. Name it with"):
        Vocabulary.load(tmp_path / "cut.gz")


@pytest.mark.long
@pytest.mark.parametrize("head", ['"bpe_simple_vocab_16e6.txt#version: 0.2', "#version: 0.2"])
def test_packed_merges_are_not_unpacked_without_end(tmp_path, monkeypatch, head):
    (tmp_path / "vocab.json").write_text('{"a": 0}')
    path = tmp_path / "merges.txt"
    path.write_bytes(gzip.compress(f"{head}\n".encode() + b"a" * (1 << 25), 1))
    with pytest.raises(InputError, match=rf"^{path}:2: expected the two parts of a merge"):
        Vocabulary.load(path)
    monkeypatch.setattr(vocab_merges, "_LARGEST", 1 << 16)
    path.write_bytes(gzip.compress(f"{head}\n".encode() + b"a a\n" * (1 << 15), 1))
    with pytest.raises(InputError, match=rf"^{path}: it has more than 65,536 bytes of merges"):
        Vocabulary.load(path)


def test_ends_of_words_in_tokens_of_text_are_refused_by_name(tmp_path):
    (tmp_path / "vocab.json").write_text('{"h": 0, "e</w>": 1, "he</w>": 2}')
    (tmp_path / "merges.txt").write_text("#version: 0.2\nh e</w>\n")
    with pytest.raises(
        InputError, match="its merges mark ends of words with </w>, like CLIP's, but"
    ):
        Vocabulary.load(tmp_path / "merges.txt")


@pytest.mark.parametrize(
    ("vocab", "merges", "message"),
    [
        ('{"a": 0}', None, r"merges\.txt: cannot be read \(it must be in the same folder as vocab"),
        (None, "#version: 0.2\na b\n", "vocab.json: cannot be read"),
        ('{"a": 0}', "#version: 0.2\na\n", r"merges\.txt:2: expected the two parts"),
        ('{"a": 0}', b"#version: 0.2\na \xff\n", r"merges\.txt:2: expected the two parts"),
        ('{"a": 0}', "#version: 0.2\na b\n", "vocab.json: "),
        ('{"a": -1}', "#version: 0.2\n", "vocab.json: the id of 'a' is -1"),
    ],
)
def test_broken_files(tmp_path, vocab, merges, message):
    if vocab is not None:
        (tmp_path / "vocab.json").write_text(vocab)
    if merges is not None:
        content = merges if isinstance(merges, bytes) else merges.encode()
        (tmp_path / "merges.txt").write_bytes(content)
    path = tmp_path / ("merges.txt" if vocab is None else "vocab.json")
    with pytest.raises(InputError, match=message):
        Vocabulary.load(path, "vocab-merges")
