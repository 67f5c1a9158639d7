"""What messages repeat of an input: cut, and nothing in it that a terminal acts on."""

from __future__ import annotations

import json
import pickle
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from partcover import InputError
from partcover.errors import QUOTED, MissingExtra, message_line, printable, shorten

ESCAPE = "\x1b]0;owned\x07\x1b[2J\x9b31m\u202edlrow\u2066\u200f"
LONG = "x" * 60_000


@given(st.text(), st.integers(1, 40))
def test_short_texts_stay_and_long_ones_keep_both_ends(text, length):
    cut = shorten(text, length)
    assert len(cut) <= length
    if len(text) <= length:
        assert cut == text
    else:
        head, tail = cut[: -(length - 1) // 4 - 1], cut[len(cut) - (length - 1) // 4 :]
        assert text.startswith(head)
        assert text.endswith(tail)


@given(st.text())
def test_printable_text_is_seen_and_can_be_read_back(text):
    shown = printable(text)
    assert shown.isprintable()
    if "\\" not in text and text.isascii():
        assert shown.encode().decode("unicode_escape") == text


@given(st.lists(st.one_of(st.text(), st.text(min_size=150, max_size=500), st.just(ESCAPE))))
def test_a_message_is_one_short_line(parts):
    line = message_line(" ".join(f"{part!r} {part}" for part in parts))
    assert line.isprintable()
    assert len(line) <= 800


@given(st.text(alphabet="ab'\"\\ \n\u202e", min_size=QUOTED + 1).map(lambda text: text * 3))
def test_a_quotation_is_cut_and_what_follows_it_stays(text):
    line = message_line(f"F.tsv:12: token {text!r} is given twice, first in line 3: remove one")
    assert line.startswith("F.tsv:12: token ")
    assert line.endswith(" is given twice, first in line 3: remove one")
    assert len(line) < QUOTED + 80
    assert message_line(line) == line


def test_plain_messages_stay():
    for message in (
        "C.tsv:3: the count 'x' is not a whole number",
        "it's the authors' own: 'a' and \"b's\" are what is meant, " + "as is said here " * 12,
        "  seconds       incumbent           bound        gap  source",
    ):
        assert message_line(message) == message.rstrip()
    assert message_line("two\n  lines\r\nand a third\n") == "two lines and a third"


def test_a_path_keeps_its_line_number():
    line = message_line(f"{'/folder' * 600}/words.tsv:12: a tab is missing")
    assert line.endswith("/words.tsv:12: a tab is missing")
    assert len(line) == QUOTED + len(" a tab is missing")


def test_errors_are_such_lines_from_the_start():
    error = InputError(f"token {LONG!r}\nis {ESCAPE}")
    assert str(error).isprintable()
    assert len(str(error)) < 300
    assert str(pickle.loads(pickle.dumps(error))) == str(error)
    assert str(MissingExtra(LONG, "x", "this")).endswith("pip install 'partcover[x]'")


def hostile(text):
    """Command lines that repeat a text, by what is wrong; the files are in the folder."""
    word = text * 2
    return {
        "count": ("bound", "count.tsv", "-k", "1"),
        "token twice": ("verify", "C.tsv", "-k", "1", "--vocab", "twice.json"),
        "tokens of no word": ("verify", "C.tsv", "-k", "1", "--vocab", "other.json"),
        "weight twice": ("greedtok", "C.tsv", "-k", "1", "--weights", "weights.tsv"),
        "weight of no word": ("greedtok", "C.tsv", "-k", "1", "--weights", "weight.tsv"),
        "symbols": ("greedtok", "symbols.json"),
        "group": ("greedtok", "group.json"),
        "both": ("greedtok", "both.json"),
        "graph": ("reduce", "loop.txt", "-k", "1"),
        "no such command": (word,),
        "no such option": ("greedtok", f"--{word}"),
        "no whole number": ("greedtok", "C.tsv", "-k", word),
        "no budget": ("compare", "C.tsv", "-k", word),
        "no method": ("compare", "C.tsv", "-k", "1", "--methods", word),
        "no choice": ("greedtok", "C.tsv", "-k", "1", "--symbols", word),
        "no group": ("greedtok", "C.tsv", "-k", "1", "--group", word),
        "no file": ("greedtok", f"{word[:100]}/{text[:100]}", "-k", "1"),
        "no folder": ("greedtok", "C.tsv", "-k", "1", "-o", "/".join([text[:100]] * 38)),
        "long name": ("greedtok", word, "-k", "1"),
        "no family": ("generate", word, "3"),
        "no instance": ("instances", "show", word),
        "no experiment": ("reproduce", word, "C.tsv"),
        "no pre-tokenizer": ("count", "C.tsv", "--pretokenizer", word),
    }


@pytest.mark.long
@pytest.mark.parametrize("text", [LONG, ESCAPE * 20, f'it\'s "{ESCAPE}" ' * 300])
@pytest.mark.parametrize("wrong", hostile(""))
def test_error_lines_are_short_and_safe(run, tmp_path, text, wrong):
    (tmp_path / "C.tsv").write_text("abab\t3\nba\t1\n")
    (tmp_path / "count.tsv").write_text(f"ab\t{text}\n")
    escaped = text.replace("\r", "").replace("\n", "")
    (tmp_path / "weights.tsv").write_text(f"{escaped}\t2\n{escaped}\t2\n")
    (tmp_path / "weight.tsv").write_text(f"{escaped}\t2\n")
    for name, tokens in (("twice", [text, text]), ("other", [text])):
        (tmp_path / f"{name}.json").write_text(
            json.dumps({"version": 1, "symbols": "bytes", "tokens": tokens})
        )
    instance = {"version": 1, "symbols": "bytes", "words": [["abab", 3]], "k": 1}
    for name, more in (
        ("symbols", {"symbols": text}),
        ("group", {"groups": [{"name": text, "at_most": text}]}),
        ("both", {"required": [text], "forbidden": [text]}),
    ):
        (tmp_path / f"{name}.json").write_text(json.dumps({**instance, **more}))
    name = re.sub(r"\s", "", text)
    (tmp_path / "loop.txt").write_text(f"{name} {name}\n")
    status, out, error = run(*hostile(text)[wrong])
    assert status in (2, 6)
    assert error.endswith("\n")
    lines = error[:-1].split("\n")
    assert len(lines) <= 2, "of verify: what is wrong, each problem a line"
    for line in lines:
        assert line.isprintable()
        assert len(line) <= 900
    assert out.replace("\n", "").isprintable()


@pytest.mark.long
def test_names_of_files_and_words_in_remarks_and_results_are_safe(run, tmp_path):
    name = f"{ESCAPE}\n[b]"
    corpus, vocabulary, proof = (f"{name}{ending}" for ending in (".tsv", ".json", ".cert"))
    words = f"the\t30\nthat\t12\nand\t9\n[b]\t8\n{ESCAPE}\t5\nthe\x1b[31m\t2\n"
    (tmp_path / corpus).write_text(words)
    (tmp_path / f"{name}2.tsv").write_text(words)
    (tmp_path / f"{name}.txt").write_text(f"the {ESCAPE} and that\n")
    for command in (
        ("greedtok", corpus, "-k", 2, "-o", vocabulary),
        ("improve", corpus, "-k", 2, "--write-certificate", proof),
        ("verify", corpus, "-k", 2, "--vocab", vocabulary, "--certificate", proof),
        ("prices", corpus, "-k", 2, "--certificate", proof, "the\x1b[31m", ESCAPE),
        ("inspect", vocabulary, corpus, "--missing-words", "--diff", vocabulary),
        ("compare", corpus, "-k", "1,2", "--vocab", vocabulary, "--methods", "bpe", "--sets"),
        ("compare", corpus, "-k", 1, "--format", "markdown"),
        ("ratio", corpus, "-k", 1),
        ("count", f"{name}.txt", "-o", f"{name}3.tsv"),
    ):
        status, out, error = run(*command)
        assert status == 0
        for text in (out, error):
            assert text.replace("\n", "").isprintable()
