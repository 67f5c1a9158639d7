"""What an export measures, and where it is written."""

from __future__ import annotations

import errno
import os
import subprocess
import sys

import pytest
from interop.vocabularies import TOKENS

from partcover import InputError, Instance, Vocabulary, WordCounts, segment, trainers
from partcover.interop import export
from partcover.interop.format import Replay
from partcover.interop.registry import FORMATS
from partcover.interop.replay import Fidelity, built_in_words, measure
from partcover.runtime.files.locks import held_folder
from partcover.runtime.files.writing import in_place
from partcover.vocabulary.rules import SEGMENTATION_RULES


def test_what_differs_is_counted():
    """A library that cuts abc otherwise, into as many tokens, and has another special token."""
    vocabulary = Vocabulary(["ab", "bc"], special={"<s>": 300})
    cut = {b"abc": [b"ab", b"c"], b"ab": [b"ab"]}
    ids = dict(zip([*(bytes([b]) for b in range(256)), b"ab", b"bc"], range(258), strict=True))
    replay = Replay("it", lambda words: [cut[w] for w in words], lambda _: cut[b"abc"], ids.get,
                    {"<s>": 301}.get)  # fmt: skip
    corpus = WordCounts.from_counts({"abc": 3, "ab": 2})
    assert segment(corpus, vocabulary).of(0) == [b"a", b"bc"]
    measured = measure(replay, vocabulary, corpus, "abc")
    assert (measured["words"], measured["words_differing"]) == (2, 1)
    assert (measured["occurrences"], measured["occurrences_differing"]) == (5, 3)
    assert (measured["tokens"], measured["exported_tokens"], measured["ids_differing"]) == (8, 8, 1)
    assert (measured["text_tokens"], measured["exported_text_tokens"]) == (2, 2)
    assert measured["text_same"] is False
    cut[b"abc"] = [b"a", b"b", b"c"]
    names = ("list", "path", "it", "priority", "priority", None, None, (), ())
    longer = Fidelity(*names, **measure(replay, vocabulary, corpus, None))
    assert "+3 tokens (+37.500 %); 1 ids differ (it)" in longer.cost


def test_every_format_says_what_it_does_with_every_rule():

    for format_ in FORMATS.values():
        assert set(format_.rules) == set(SEGMENTATION_RULES), format_.name


def test_what_is_given_up_is_not_called_exact_where_nothing_shows_it(tmp_path):
    vocabulary = Vocabulary(["ab"], rule="longest_match", pretokenizer="none")
    result = export(vocabulary, tmp_path / "v.txt", "list", lossy=True)
    assert (result.words_differing, result.exact) == (0, False)
    assert result.verdict == "not exact, though identical in all words and texts that were compared"


@pytest.mark.long
def test_what_does_not_fit_together_is_refused(tmp_path):
    words = WordCounts.from_counts({"ab": 1}, "chars")
    with pytest.raises(InputError, match="the vocabulary is over bytes, the words are over chars"):
        export(Vocabulary(["ab"]), tmp_path / "v", "list", corpus=words)
    uses = {"vocab-merges": "merges", "priority-class": "priority", "gguf": "merges"}
    for name, rule in uses.items():
        clash = Vocabulary(["ab"], rule=rule, pretokenizer="gpt2", special=["ab"])
        with pytest.raises(InputError, match="both spelled 'ab': rename one of them"):
            export(clash, tmp_path / "v", name)
    with pytest.raises(InputError, match="cannot express ids"):
        export(Vocabulary(["ab"], ids=range(1, 258)), tmp_path / "v", "list")


@pytest.mark.long
def test_ids_that_only_decode_are_remarked(tmp_path):
    vocabulary = Vocabulary(
        ["ab"], rule="merges", pretokenizer="gpt2", decode_only={300: b"\xff", 301: b"ab"}
    )
    for name in ("tiktoken", "huggingface"):
        remarks = export(vocabulary, tmp_path / name, name, lossy=True).remarks
        assert "left out 2 ids that no text is encoded to" in remarks


@pytest.mark.long
def test_a_text_that_is_not_replayed_is_remarked(tmp_path):
    vocabulary = Vocabulary(["ab"], pretokenizer="gpt2")
    for name in ("list", "pathpiece"):
        result = export(vocabulary, tmp_path / name, name, text="abc")
        assert result.text_tokens is None
        assert any("the text was not compared" in remark for remark in result.remarks)
        assert not any("compared" in r for r in export(vocabulary, tmp_path / name, name).remarks)


def test_a_pipe_is_written_into_and_stays(tmp_path):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    with subprocess.Popen(["cat", pipe], stdout=subprocess.PIPE) as reader:
        assert export(Vocabulary(["ab", "cd"], pretokenizer="none"), pipe, "list").exact
        assert reader.communicate(timeout=600)[0] == b"ab\ncd\n"
    assert pipe.is_fifo()
    assert list(tmp_path.iterdir()) == [pipe]
    assert in_place(pipe)
    assert in_place("-")
    assert in_place("/dev/stdout")  # also where it is redirected to a file
    assert not in_place(tmp_path)


@pytest.mark.long
def test_standard_output(tmp_path):
    Vocabulary(["ab"], pretokenizer="none").save(tmp_path / "V.json")
    done = subprocess.run(
        [sys.executable, "-m", "partcover", "export", "V.json", "--to", "list", "-o", "-"],
        cwd=tmp_path, capture_output=True, check=True,
    )  # fmt: skip
    assert done.stdout == b"ab\n"
    assert b"exact: all" in done.stderr
    assert [path.name for path in tmp_path.iterdir()] == ["V.json"]


@pytest.mark.parametrize(
    ("name", "path", "message"),
    [
        ("list", "", "the path to write to is empty: name a file or folder"),
        ("list", ".", ".: is a directory; name a file to write"),
        ("list", "..", "..: is a directory; name a file to write"),
        ("list", "/", "/: is a directory; name a file to write"),
        (
            "priority-class",
            "-",
            "-: priority-class writes a folder, but this is a file: name another path",
        ),
        (
            "priority-class",
            "file",
            "file: priority-class writes a folder, but this is a file: name another path",
        ),
    ],
)
def test_targets_that_cannot_be_written(tmp_path, monkeypatch, name, path, message):
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    (tmp_path / "here" / "file").write_text("mine")
    with pytest.raises(InputError) as caught:
        export(Vocabulary(["ab"], pretokenizer="gpt2"), path, name, lossy=True)
    assert str(caught.value) == message
    assert [file.name for file in (tmp_path / "here").iterdir()] == ["file"]
    assert [file.name for file in tmp_path.iterdir()] == ["here"]


@pytest.mark.long
def test_a_folder_is_written_where_one_stands(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    vocabulary = Vocabulary(["ab"], rule="priority", pretokenizer="gpt2")
    assert export(vocabulary, ".", "priority-class").exact
    assert Vocabulary.load(".").tokens == vocabulary.tokens
    assert all(path.is_file() for path in tmp_path.iterdir())


def test_a_folder_of_another_format_is_left_alone(tmp_path):
    vocabulary = Vocabulary(["ab"], rule="priority", pretokenizer="gpt2")
    export(vocabulary, tmp_path / "f", "priority-class")
    before = sorted((tmp_path / "f").iterdir())
    message = "f: has a vocabulary in the format priority-class, which would be read instead of"
    for name in ("huggingface", "greedtok"):
        with pytest.raises(InputError, match=message):
            export(vocabulary, tmp_path / "f", name, lossy=True)
    assert sorted((tmp_path / "f").iterdir()) == before


def test_what_goes_wrong_names_the_path_that_was_asked_for(tmp_path, monkeypatch):
    def full(vocabulary, path):
        raise OSError(28, "No space left on device", str(path))

    def broken(vocabulary, path):
        raise InputError(f"{path}: cannot be written (so)")

    for write, message in ((full, "No space left on device"), (broken, "so")):
        changed = FORMATS["list"].__class__(**{**vars(FORMATS["list"]), "write": write})
        monkeypatch.setitem(FORMATS, "list", changed)
        with pytest.raises(InputError) as caught:
            export(Vocabulary(["ab"], pretokenizer="none"), tmp_path / "v.txt", "list")
        assert str(caught.value) == f"{tmp_path / 'v.txt'}: cannot be written ({message})"


def test_words_of_very_long_tokens_are_few(monkeypatch):
    monkeypatch.setattr("partcover.interop.replay._WORDS", 4000)
    words = [word for word, _ in built_in_words(Vocabulary([b"a" * 3000, *TOKENS]))]
    long = [word for word in words if len(word) > 256]
    assert b"a" * 3000 in long
    assert len(words) - len(long) > 2500
    assert 3000 < sum(map(len, long)) <= 2**15


def test_a_token_of_a_megabyte_is_in_no_built_in_word():
    token = b"ab" * 500_000  # its library would take hours for words of it
    words = [word for word, _ in built_in_words(Vocabulary([token, *TOKENS]))]
    assert max(map(len, words)) <= 2**15
    assert all(bytes(t) in words for t in Vocabulary(TOKENS))


def test_words_that_take_a_library_hours_are_not_given(tmp_path, monkeypatch):
    vocabulary = Vocabulary(["ab" * 200, "ab"], pretokenizer="none")
    words = WordCounts.from_counts({"ab" * 200: 1, "ab" * 300: 5, "abab": 7, "ba" * 150: 9})
    monkeypatch.setattr("partcover.interop.replay._MAX_LOOKUPS", 400 * 400 + 300 * 300)
    result = export(vocabulary, tmp_path / "v.txt", "list", corpus=words)
    assert (result.words, result.words_unread, result.occurrences) == (3, 1, 17)
    assert "1 more cannot be checked with the library" in result.cost


def test_marked_words_are_to_be_given(tmp_path):
    words = WordCounts.from_counts({"abab": 3, "ba": 2})
    trained = trainers.bpe(Instance(words, 3), end_of_word="_").recorded(words)
    vocabulary = trained.with_(pretokenizer="gpt2")
    for name in ("huggingface", "tiktoken", "list"):
        with pytest.raises(InputError, match="words that end in '_': give counted words"):
            export(vocabulary, tmp_path / name, name, lossy=True)
        with pytest.raises(InputError, match="'abab' does not"):
            export(vocabulary, tmp_path / name, name, corpus=words, lossy=True)
        marked = words.with_suffix("_")
        assert export(vocabulary, tmp_path / name, name, corpus=marked, lossy=True).words == 2


SMALL = Vocabulary(["ab"], rule="merges", pretokenizer="gpt2")


@pytest.mark.parametrize("there", [False, True])
@pytest.mark.parametrize("name", ["huggingface", "tiktoken-package"])
def test_a_full_disk_leaves_a_folder_as_it_was(tmp_path, monkeypatch, name, there):
    """The disk is full before the last file is written: none has its name then."""
    target, copied = tmp_path / "out", []
    if there:
        export(SMALL, target, name)
    before = {path: path.is_file() and path.read_bytes() for path in tmp_path.rglob("*")}

    def fills(source, file):
        copied.append(source)
        file.write(source.read())
        if len(copied) > 1:
            raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr("shutil.copyfileobj", fills)
    with pytest.raises(InputError, match=r"cannot be written \(No space left on device\)"):
        export(SMALL, target, name)
    assert len(copied) == 2
    assert {path: path.is_file() and path.read_bytes() for path in tmp_path.rglob("*")} == before


def test_two_exports_into_one_folder(tmp_path):
    with held_folder(tmp_path / "out"):
        with pytest.raises(
            InputError,
            match="out: another run is writing this file: wait for it",
        ):
            export(SMALL, tmp_path / "out", "huggingface")
        assert not list((tmp_path / "out").iterdir())


def test_what_a_killed_export_has_left_is_removed(tmp_path):
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / ".tokenizer.json.abcdefgh.partcover").write_text("half")
    (tmp_path / "out" / ".other").write_text("not ours")
    export(SMALL, tmp_path / "out", "huggingface")
    names = {path.name for path in (tmp_path / "out").iterdir()}
    assert {name for name in names if name.startswith(".")} == {".other"}
