"""How words were counted: in the first line of their file, and in all that is made of them."""

from __future__ import annotations

import json
import os
from dataclasses import replace
from enum import Enum

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from interop.cases import need

from partcover import (
    Corpora,
    Encoder,
    InputError,
    Instance,
    Vocabulary,
    WordCounts,
    greedtok,
    greedwmc,
    improve,
    solve,
)
from partcover.corpus.counting.head_and_tail import HeadAndTail
from partcover.corpus.counting.merge_counts import merge_counts
from partcover.corpus.files.holdout import split
from partcover.corpus.files.tsv import Header, format_header, parse_header
from partcover.interop import export
from partcover.interop.registry import FORMATS
from partcover.trainers import TRAINERS

TEXT = "the cat sat on the mat, and that is that: the hat, the bat and the rat\n" * 3
WORDS = WordCounts.from_texts([TEXT], pretokenizer="gpt2")
HEADER = "#partcover counts 1 "


@pytest.mark.long
@given(
    st.none() | st.text(min_size=1) | st.binary(min_size=1).map(os.fsdecode),
    st.none() | st.sampled_from(["bytes", "chars", "ints"]),
)
def test_a_header_is_read_as_it_was_written(name, symbols):
    line = format_header(Header(name, symbols))
    assert line.endswith(b"\n")
    assert line.isascii()
    assert line.count(b"\n") == 1
    assert b"\t" not in line
    assert b"\r" not in line
    assert parse_header(line[:-1]) == Header(name, symbols)


def test_the_header_is_the_one_that_is_documented():
    assert format_header(Header("gpt2", "bytes")) == (
        b"#partcover counts 1 pretokenizer=gpt2 symbols=bytes\n"
    )
    name = "space-prefix:_ \t%Ġ+digit"
    line = format_header(Header(name, "chars"))
    assert line.split()[3] == b"pretokenizer=space-prefix:_%20%09%25%C4%A0+digit"
    assert parse_header(line[:-1]) == Header(name, "chars")
    assert parse_header(b"#partcover counts 1") == Header()
    assert parse_header(b"#partcover counts 1 language=en symbols=ints") == Header(None, "ints")
    assert parse_header(b"#partcover counts 1 symbols=ints\t3") is None
    assert parse_header(b"the") is None


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("#partcover counts 2 symbols=bytes", "version '2' of counts files is not supported, the"),
        ("#partcover counts", "version '' of counts files"),
        ("#partcover counts 1 symbols=letters", "unknown symbols 'letters'"),
        ("#partcover counts 1 gpt2", "'gpt2' is not an entry of the"),
        ("#partcover counts 1 pretokenizer=", "'pretokenizer=' is not an entry of the"),
        (
            "#partcover counts 1 pretokenizer=a pretokenizer=b",
            "two different values: pretokenizer=a",
        ),
    ],
)
@pytest.mark.parametrize("symbols", ["bytes", "chars"])
def test_headers_that_are_refused(tmp_path, line, message, symbols):
    (tmp_path / "C.tsv").write_text(f"{line}\na\t1\n")
    with pytest.raises(InputError, match=message) as caught:
        WordCounts.load(tmp_path / "C.tsv", symbols)
    assert str(caught.value).startswith(f"{tmp_path / 'C.tsv'}:1: ")
    (tmp_path / "D.tsv").write_text(f"b\t1\n{line}\na\t1\n")
    with pytest.raises(InputError, match=r"D\.tsv:2: .*" + message):
        WordCounts.load(tmp_path / "D.tsv", symbols)


PIECES = [b"#partcover counts", b" 1", b" ", b"pretokenizer=", b"symbols=", b"bytes", b"ints", b"%",
          b"%C4", b"\t", b"\n", b"\r", b"1", b"a", b"\xff", b"\xef\xbb\xbf", b"\0"]  # fmt: skip


@given(
    st.lists(st.sampled_from(PIECES) | st.binary(max_size=3), max_size=12).map(b"".join),
    st.none() | st.sampled_from(["bytes", "chars", "ints"]),
)
def test_any_bytes_are_words_or_one_line(tmp_path_factory, content, symbols):
    path = tmp_path_factory.mktemp("w") / "C.tsv"
    path.write_bytes(content)
    try:
        words = WordCounts.load(path, symbols)
    except InputError:
        return
    assert symbols in (None, words.symbols)
    words.save(path)
    again = WordCounts.load(path)
    assert (list(again), again.pretokenizer) == (list(words), words.pretokenizer)


@pytest.mark.parametrize("symbols", ["bytes", "chars"])
def test_saved_words_say_how_they_were_counted(tmp_path, symbols):
    words = WordCounts.from_texts([TEXT], pretokenizer="gpt2+digit", symbols=symbols)
    words.save(tmp_path / "C.tsv")
    back = WordCounts.load(tmp_path / "C.tsv")
    assert (back.pretokenizer, back.symbols) == ("gpt2+digit", symbols)
    assert list(back) == list(words)
    lines = (tmp_path / "C.tsv").read_bytes().split(b"\n", 1)
    (tmp_path / "D.tsv").write_bytes(lines[1])
    again = WordCounts.load(tmp_path / "D.tsv", symbols)
    assert again.pretokenizer is None
    assert again.digest == back.digest == words.digest
    numbers = WordCounts.from_counts({(1, 2): 3}, "ints")
    numbers.save(tmp_path / "I.tsv")
    assert WordCounts.load(tmp_path / "I.tsv").to_dict() == {(1, 2): 3}
    with pytest.raises(InputError, match="words of integers can only be stored as TSV"):
        numbers.save(tmp_path / "I.parquet")


@pytest.mark.parametrize("symbols", ["bytes", "chars"])
@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_files_joined_and_marks_of_byte_order(tmp_path, symbols, end):
    head = f"#partcover counts 1 pretokenizer=gpt2 symbols={symbols}{end}"
    both = f"\ufeff{head}a\t1{end}{head}b\t2{end}a\t3"
    (tmp_path / "C.tsv").write_bytes(both.encode())
    words = WordCounts.load(tmp_path / "C.tsv")
    assert sorted(str(w) for w in words.to_dict()) == sorted(
        str(w) for w in (("a", "b") if symbols == "chars" else (b"a", b"b"))
    )
    assert (words.counts.tolist(), words.pretokenizer) == ([4, 2], "gpt2")
    (tmp_path / "C.tsv").write_bytes(f"\ufeffa\t1{end}".encode())
    assert WordCounts.load(tmp_path / "C.tsv", symbols).total_symbols == 1
    (tmp_path / "C.tsv").write_bytes((both + f"{end}{head.replace('gpt2', 'space')}").encode())
    with pytest.raises(
        InputError, match=r"C\.tsv:6: words counted with space, those above .* gpt2"
    ):
        WordCounts.load(tmp_path / "C.tsv")
    # whoever breaks the last line has the number of theirs
    (tmp_path / "C.tsv").write_bytes((both + f"{end}wrong").encode())
    with pytest.raises(InputError, match=r"C\.tsv:6: count is missing"):
        WordCounts.load(tmp_path / "C.tsv")


def test_symbols_are_those_of_the_file_and_not_others(tmp_path):
    (tmp_path / "C.tsv").write_text("#partcover counts 1 symbols=chars\né\t1\n")
    assert WordCounts.load(tmp_path / "C.tsv").to_dict() == {"é": 1}
    with pytest.raises(InputError, match="words are over chars, bytes were asked for"):
        WordCounts.load(tmp_path / "C.tsv", "bytes")
    (tmp_path / "C.tsv").write_text("é\t1\n#partcover counts 1 symbols=chars\n")
    with pytest.raises(InputError, match=r":2: the words are over chars, bytes were taken above"):
        WordCounts.load(tmp_path / "C.tsv")


@pytest.mark.parametrize(
    ("first", "later", "message"),
    [
        ("", "pretokenizer=gpt2", "words counted with gpt2, those above in an unknown way"),
        ("", "normalizer=NFC", "words of text normalized by NFC, those above by nothing"),
        (HEADER + "pretokenizer=gpt2\n", "pretokenizer=none", "counted with none, .* with gpt2"),
        (HEADER + "pretokenizer=gpt2\n", "normalizer=NFC", "by NFC, those above by nothing"),
        ("", "symbols=chars", "the words are over chars, bytes were taken above"),
    ],
)
def test_a_line_further_down_that_contradicts_the_first(tmp_path, first, later, message):
    path = tmp_path / "C.tsv"
    path.write_text(f"{first}hat\t1\n{HEADER}{later}\nhot\t1\n", newline="\n")
    line = rf"C\.tsv:{3 if first else 2}: .*{message}"
    for read in (
        WordCounts.load,
        lambda path: HeadAndTail.load(path, 1),
        lambda path: merge_counts([str(path)], f"{path}.merged.tsv", Header()),
    ):
        with pytest.raises(InputError, match=line):
            read(path)


def test_what_is_made_of_words_is_counted_alike(tmp_path):
    assert WORDS.most_frequent(3).pretokenizer == "gpt2"
    assert WORDS.weighted({b" the": 2}).pretokenizer == "gpt2"
    assert [part.pretokenizer for part in split(WORDS, 0.3)] == ["gpt2", "gpt2"]
    assert Corpora([WORDS, WORDS], [1, 1]).joined.pretokenizer == "gpt2"
    assert Corpora([WORDS, WordCounts.from_words(["a"])], [1, 1]).joined.pretokenizer is None
    with pytest.raises(InputError, match="different pre-tokenizers: gpt2, none"):
        Corpora([WORDS, WordCounts.from_texts(["a"], pretokenizer="none")], [1, 1])
    composed = WordCounts.from_texts(["a"], pretokenizer="gpt2", normalizer="NFC")
    for parts in (
        [composed, WordCounts.from_words(["a"])],
        [WordCounts.from_words(["a"]), composed],
    ):
        assert Corpora(parts, [1, 1]).joined.normalizer is None
    with pytest.raises(InputError, match="different normalizers"):
        Corpora([WORDS, composed], [1, 1])
    # words that no pre-tokenizer gives
    assert WORDS.with_suffix("</w>").pretokenizer is None
    assert WORDS.split_at([b"at"]).pretokenizer is None
    # that tokens are protected is in the instance
    instance = Instance(WORDS, 5, protected=["at"])
    assert instance.words.pretokenizer == "gpt2"
    instance.save(tmp_path / "I.json")
    assert Instance.load(tmp_path / "I.json").words.pretokenizer == "gpt2"
    data = json.loads((tmp_path / "I.json").read_text())
    with pytest.raises(InputError, match="'pretokenizer' must be a name"):
        Instance.from_json({**data, "pretokenizer": 3})
    assert WORDS.counted_with(None) is WORDS.counted_with("gpt2") is WORDS
    with pytest.raises(InputError, match="counted with gpt2, not with space"):
        WORDS.counted_with("space")
    assert WordCounts.from_words(["a"]).counted_with("space").pretokenizer == "space"
    with pytest.raises(InputError, match="unknown pre-tokenizer 'spaces'"):
        WordCounts.from_words(["a"]).counted_with("spaces")


def test_every_method_hands_it_on():
    instance = Instance(WORDS, 4)
    runs = {
        "greedtok": greedtok(instance),
        "greedwmc": greedwmc(instance),
        "improve": improve(instance, time_limit=0.2),
        "solve": solve(instance),
        "bpe with a mark": TRAINERS["bpe"].run(instance, end_of_word="</w>"),
    }
    for name, trainer in TRAINERS.items():
        if name in ("bpe", "wordpiece", "unigram", "pathpiece", "frequent", "bytes", "randtrain"):
            runs[name] = trainer.run(instance)
    assert len(runs) == 12
    assert {name: run.vocabulary.pretokenizer for name, run in runs.items()} == dict.fromkeys(
        runs, "gpt2"
    )
    unknown = greedtok(Instance(replace(WORDS, pretokenizer=None), 4)).vocabulary
    assert unknown.pretokenizer is None


@pytest.mark.parametrize("to", sorted(FORMATS))
def test_export_refuses_what_it_does_not_know_as_encode_does(tmp_path, to):
    rule = "priority" if to in ("priority-class", "greedtok") else "shortest_path"
    vocabulary = Vocabulary(["ab"], rule=rule)
    with pytest.raises(InputError) as there:
        export(vocabulary, tmp_path / "t", to, text="abc", lossy=True)
    with pytest.raises(InputError) as here:
        Encoder(vocabulary)
    assert str(there.value) == str(here.value)
    assert list(tmp_path.iterdir()) == []


def test_the_default_path_is_exact(run, tmp_path):
    need("tokenizers")
    (tmp_path / "book.txt").write_text(TEXT)
    assert run("count", "book.txt", "-o", "book.tsv")[0] == 0
    assert run("greedtok", "book.tsv", "-k", 8, "-o", "v.json")[0] == 0
    status, out, err = run(
        "export", "v.json", "--to", "huggingface", "-o", "hf", "--text", "book.txt"
    )
    assert (status, out[:6]) == (0, "exact:"), err
    fewest = Vocabulary.load(tmp_path / "v.json").provenance["tokens_shortest_path"]
    assert f"the text is tokenized identically: {fewest:,} tokens" in out
    from tokenizers import Tokenizer

    theirs = Tokenizer.from_file(str(tmp_path / "hf" / "tokenizer.json"))
    ids = theirs.encode(TEXT).ids
    assert len(ids) == fewest
    assert theirs.decode(ids) == TEXT
    assert run("encode", "v.json", "book.txt", "-o", "i.npy")[0] == 0
    # the same words of which nothing is known
    lines = (tmp_path / "book.tsv").read_bytes().split(b"\n", 1)[1]
    (tmp_path / "bare.tsv").write_bytes(lines)
    assert run("greedtok", "bare.tsv", "-k", 8, "-o", "w.json")[0] == 0
    status, _, err = run(
        "export", "w.json", "--to", "huggingface", "-o", "no", "--text", "book.txt"
    )
    assert (status, "does not name its pre-tokenizer" in err) == (2, True)
    assert not (tmp_path / "no").exists()
    assert run("greedtok", "bare.tsv", "-k", 8, "--pretokenizer", "gpt2", "-o", "x.json")[0] == 0
    assert Vocabulary.load(tmp_path / "x.json").pretokenizer == "gpt2"


@pytest.mark.parametrize(
    "command", [["greedtok"], ["greedwmc"], ["improve"], ["solve"], ["train", "--method", "bpe"]]
)
def test_commands_refuse_a_contradiction(run, tmp_path, command):
    WORDS.save(tmp_path / "C.tsv")
    Instance(WORDS, 2).save(tmp_path / "I.json")
    for corpus in ("C.tsv", "I.json"):
        line = [*command, corpus, "-k", 2, "-o", "v.json", "--quiet"]
        status, out, err = run(*line, "--pretokenizer", "space")
        assert (status, out) == (2, "")
        assert err == (
            f"partcover: {corpus}: the words were counted with gpt2, not with space; "
            "leave out --pretokenizer\n"
        )
        assert run(*line, "--pretokenizer", "gpt2")[0] == 0
        assert Vocabulary.load(tmp_path / "v.json").pretokenizer == "gpt2"


def test_characters_need_no_option(run, tmp_path):
    (tmp_path / "t.txt").write_text("été étés bête bêtes été")
    assert run("count", "t.txt", "--symbols", "chars", "-o", "C.tsv")[0] == 0
    status, out, _ = run("greedtok", "C.tsv", "-k", 2, "--json", "-o", "v.json")
    assert (status, json.loads(out)["symbols"]) == (0, "chars")
    status, _, err = run("greedtok", "C.tsv", "-k", 2, "--symbols", "bytes")
    assert (status, "C.tsv:1: the words are over chars, bytes were asked for" in err) == (2, True)
    assert run("inspect", "v.json", "C.tsv")[0] == 0


def test_words_held_out_are_counted_alike(run, tmp_path):
    WORDS.save(tmp_path / "C.tsv")
    WordCounts.from_texts([TEXT], pretokenizer="first-space").save(tmp_path / "H.tsv")
    status, _, err = run("compare", "C.tsv", "-k", 2, "--methods", "bytes", "--held-out", "H.tsv")
    assert (status, err) == (
        2,
        "partcover: the held-out words were counted with first-space, but the others with gpt2\n",
    )
    facts = json.loads(run("compare", "C.tsv", "-k", 2, "--methods", "bytes", "--json")[1])
    assert facts["pretokenizer"] == "gpt2"


def test_measuring_on_other_words_is_said(run, tmp_path):
    WORDS.save(tmp_path / "C.tsv")
    Vocabulary([" the", "at"], pretokenizer="cl100k").save(tmp_path / "V.json")
    remark = (
        "the vocabulary was made for pre-tokenizer cl100k; these words were counted with gpt2\n"
    )
    for line in (
        "verify C.tsv -k 2 --vocab V.json",
        "inspect V.json C.tsv",
        "compare C.tsv --vocab V.json --methods bytes",
        "export V.json --to list -o t --corpus C.tsv --lossy",
    ):
        status, _, err = run(*line.split())
        assert (status, remark in err) == (0, True), (line, err)
    Vocabulary([" the", "at"], pretokenizer="gpt2").save(tmp_path / "V.json")
    for line in ("compare C.tsv --vocab V.json", "inspect V.json C.tsv"):
        assert "counted with" not in run(*line.split())[2]


def test_a_list_of_tokens_is_over_the_symbols_of_the_words(run, tmp_path):
    WordCounts.from_words(["été", "bête"], "chars").save(tmp_path / "C.tsv")
    (tmp_path / "t.txt").write_text("té\nêt\n")
    status, out, _ = run("verify", "C.tsv", "-k", 2, "--vocab", "t.txt", "--json")
    assert (status, json.loads(out)["tokens"]) == (0, 2 + 3)


def test_a_mark_is_said_where_no_pretokenizer_is_written(tmp_path):
    vocabulary = Vocabulary(["Ġa"], rule="merges", pretokenizer="space-prefix")
    remarks = export(vocabulary.with_(rule="shortest_path"), tmp_path / "l", "list").remarks
    assert any("space-prefix (a Ġ in its words is a space in the text)" in r for r in remarks)
    need("tiktoken")
    remarks = export(vocabulary, tmp_path / "t", "tiktoken", lossy=True).remarks
    assert any("space-prefix (a Ġ in its words is a space in the text)" in r for r in remarks)


NAMES = ("gpt2", "NFC", "chars")
#: Names that hold a text, though `str` calls each by its place: Name.gpt2.
Name = Enum("Name", {name: name for name in NAMES}, type=str)


def test_members_of_an_enum_and_texts_of_numpy_are_texts(tmp_path):
    for splits, change, alphabet in (Name, map(np.str_, NAMES)):
        plain = WordCounts.from_counts({"gpt2": 3}, "chars", pretokenizer="gpt2", normalizer="NFC")
        other = WordCounts.from_counts(
            [(splits, np.int64(3))], alphabet, pretokenizer=splits, normalizer=change
        )
        for words, name in ((plain, "plain.tsv"), (other, "other.tsv")):
            words.save(tmp_path / name)
        assert (tmp_path / "other.tsv").read_text() == (tmp_path / "plain.tsv").read_text()
        assert repr(other.how) == repr(plain.how)
        bare = WordCounts.from_counts({"a": 1})
        assert bare.counted_with(splits).pretokenizer == "gpt2"
        # names that are known stay known as text
        WordCounts.from_texts(["a"], pretokenizer=splits, normalizer=change)
        again = WordCounts.from_texts(["a"], pretokenizer="gpt2", normalizer="NFC")
        assert repr(again.how) == repr(plain.how)


def test_what_has_no_words_is_refused_in_one_line():
    for nothing in (np.array("ab"), np.array(3)):
        for make in (WordCounts.from_texts, WordCounts.from_words, WordCounts.from_counts):
            with pytest.raises(InputError, match="are a ndarray: they must be"):
                make(nothing)
        with pytest.raises(InputError, match="is not a list of non-negative integers"):
            WordCounts.from_counts([(nothing, 1)], "ints")
        with pytest.raises(InputError, match="it must give a list of texts"):
            WordCounts.from_texts(["a"], pretokenizer=lambda _text: nothing)  # noqa: B023


def test_a_path_may_be_one_of_bytes(tmp_path):
    class InBytes:
        def __fspath__(self):
            return os.fsencode(tmp_path / "text.txt")

    (tmp_path / "text.txt").write_text("to be or not")
    words = WordCounts.from_files(tmp_path / "text.txt")
    assert WordCounts.from_files(InBytes()) == WordCounts.from_files([InBytes()]) == words
    (tmp_path / "text.txt").write_text("")
    with pytest.raises(InputError, match=r"text\.txt: the corpus is empty"):
        WordCounts.from_files([InBytes()])
