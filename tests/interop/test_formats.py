"""Formats of other libraries: each export replayed by its library, each import read back."""

from __future__ import annotations

import base64
import hashlib
import json
import os
import subprocess
import sys

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from interop.cases import WORDS, chosen, need

from partcover import InputError, Vocabulary, WordCounts, segment
from partcover.errors import MissingExtra
from partcover.interop import export, load_vocabulary
from partcover.interop import tiktoken as tiktoken_format
from partcover.interop.format import Replay
from partcover.interop.merge_ranks import bytes_of, characters_of, last_merges, pairs_are_needless
from partcover.interop.registry import FORMATS
from partcover.interop.replay import Fidelity, measure
from partcover.runtime.files import in_place

# tiktoken


def test_tiktoken_is_exact_for_merges(tmp_path, counted):
    need("tiktoken")
    vocabulary = chosen(counted, rule="merges", special={"<|end|>": 900})
    result = export(vocabulary, tmp_path / "v.tiktoken", "tiktoken", corpus=counted)
    assert result.exact
    assert result.tokens == result.exported_tokens == segment(counted, vocabulary).tokens
    assert any("<|end|> 900" in remark for remark in result.remarks)
    back = load_vocabulary(tmp_path / "v.tiktoken")
    assert (back.tokens, back.id_of, back.rule) == (vocabulary.tokens, vocabulary.id_of, "merges")
    assert back.pretokenizer is None
    assert "--pretokenizer" in back.provenance["remarks"][0]
    digest = hashlib.sha256((tmp_path / "v.tiktoken").read_bytes()).hexdigest()
    assert (back.provenance["source"], back.provenance["source_sha256"]) == ("v.tiktoken", digest)


@settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
@given(tokens=st.lists(st.text("abé", min_size=2, max_size=5), unique=True, max_size=9))
def test_tiktoken_on_generated_vocabularies(tmp_path, tokens):
    need("tiktoken")
    assert export(
        Vocabulary(tokens, rule="merges", pretokenizer="none"), tmp_path / "t", "tiktoken"
    ).exact


def test_tiktoken_keeps_ids_that_rise_and_gives_bytes_ranks(tmp_path):
    need("tiktoken")
    ids = [*range(1000, 1255), -1, 5, 7]
    vocabulary = Vocabulary(["ab", "abc"], rule="merges", ids=ids, pretokenizer="none")
    result = export(vocabulary, tmp_path / "t", "tiktoken")
    assert result.exact
    assert "byte 0xFF, which has no id, was given 1255" in result.remarks
    turned = vocabulary.with_(ids=[*ids[:256], 7, 5])
    with pytest.raises(InputError, match="ids in another order than the tokens"):
        export(turned, tmp_path / "u", "tiktoken")
    result = export(turned, tmp_path / "u", "tiktoken", lossy=True)
    assert not result.exact
    assert result.words_differing == 0
    assert result.ids_differing == 257


def test_tiktoken_refuses_other_rules_and_measures_the_loss(tmp_path, counted):
    need("tiktoken")
    vocabulary = chosen(counted)
    with pytest.raises(InputError, match=r"cannot express the rule shortest_path.*rule merges"):
        export(vocabulary, tmp_path / "t", "tiktoken", corpus=counted)
    assert not (tmp_path / "t").exists()
    result = export(vocabulary, tmp_path / "t", "tiktoken", corpus=counted, lossy=True)
    assert result.tokens == segment(counted, vocabulary).tokens
    assert result.exported_tokens == segment(counted, vocabulary, "merges").tokens
    assert result.exported_tokens > result.tokens


def test_pairs_are_dropped_where_they_change_nothing(tmp_path):
    need("tiktoken")
    # each token merges from its own symbols: without pairs the same
    needless = Vocabulary(
        ["ab", "abc", "de"],
        rule="merges",
        merges=[("a", "b"), ("ab", "c"), ("d", "e")],
        pretokenizer="none",
    )
    assert export(needless, tmp_path / "t", "tiktoken").exact
    # b + c comes first, so abc never merges from a + b; without pairs it would from a + bc
    needed = Vocabulary(
        ["bc", "ab", "abc"],
        rule="merges",
        merges=[("b", "c"), ("a", "b"), ("ab", "c")],
        pretokenizer="none",
    )
    with pytest.raises(InputError, match="which pairs merge"):
        export(needed, tmp_path / "t", "tiktoken")
    words = WordCounts.from_counts({"abc": 7})
    result = export(needed, tmp_path / "t", "tiktoken", corpus=words, lossy=True)
    assert (result.tokens, result.exported_tokens) == (14, 7)


@settings(max_examples=400, deadline=None)
@given(
    chosen=st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9)), max_size=9, unique=True),
    shuffle=st.permutations(range(9)) | st.just(range(9)),
    words=st.lists(st.text("ab日", min_size=1, max_size=14), max_size=6),
    rule=st.sampled_from(["merges", "character_merges"]),
)
def test_pairs_called_needless_are(chosen, shuffle, words, rule):
    """Also where several pairs make one token, and their order is any."""
    characters = rule == "character_merges"
    parts, pairs = ["a", "b", "日" if characters else "c"], []
    for left, right in chosen:
        pair = parts[left % len(parts)], parts[right % len(parts)]
        if pair not in pairs:
            pairs.append(pair)
            parts += [] if "".join(pair) in parts else ["".join(pair)]
    merges = [(a.encode(), b.encode()) for a, b in (pairs[i] for i in shuffle if i < len(pairs))]
    made = [part.encode() for part in parts if len(part) > 1]
    last = last_merges(merges, made, characters_of if characters else bytes_of)
    made.sort(key=lambda token: -1 if last[token] is None else last[token])
    tokens = ["日".encode(), *made] if characters else made
    vocabulary = Vocabulary(tokens, rule=rule, merges=merges)
    needless = pairs_are_needless(vocabulary)
    assert needless == (None not in last.values())
    if needless:
        counted = WordCounts.from_words({*words, "abab", "aaa", *parts})
        without = segment(counted, vocabulary.with_(merges=None))
        assert (segment(counted, vocabulary).which == without.which).all()


def test_pairs_that_are_needed():
    merges = [("b", "c"), ("a", "b")]
    for rule in ("merges", "character_merges"):
        for tokens, pairs in ((["ab", "bc"], merges), (["bc", "abc"], merges[:1]), (["abc"], [])):
            assert not pairs_are_needless(Vocabulary(tokens, rule=rule, merges=pairs))
    # a character is there from the start, or is to be merged
    for rule in ("merges", "character_merges"):
        alone = Vocabulary(["é"], rule=rule, merges=[])
        assert pairs_are_needless(alone) == (rule == "character_merges")


def test_sentencepiece_does_without_the_pairs_that_are_needed(tmp_path):
    need("sentencepiece")
    for rule in ("merges", "character_merges"):
        pairs = [("b", "c"), ("a", "b")]
        needed = Vocabulary(["ab", "bc"], rule=rule, merges=pairs, pretokenizer="none")
        with pytest.raises(InputError, match="which pairs merge"):
            export(needed, tmp_path / "v.model", "sentencepiece")


def rank_file(path, tokens):
    lines = [f"{base64.b64encode(t).decode()} {rank}\n" for rank, t in enumerate(tokens)]
    path.write_text("".join(lines))
    return path


def test_published_rank_files_are_known(tmp_path, monkeypatch):
    path = rank_file(tmp_path / "cl100k_base.tiktoken", [b"b", b"a", b"ab"])
    by_name = load_vocabulary(path)
    assert by_name.pretokenizer == "cl100k"
    assert by_name.special["<|endoftext|>"] == 100257
    assert "by the name alone" in by_name.provenance["remarks"][0]
    assert "254 of the 256 bytes have no rank" in by_name.provenance["remarks"]
    assert (by_name.id_of[97], by_name.id_of[98], by_name.id_of[256]) == (1, 0, 2)
    digest = hashlib.sha256(path.read_bytes()).hexdigest()
    known = {digest: ("o200k_base", "o200k", {"<|endoftext|>": 199999})}
    monkeypatch.setattr(tiktoken_format, "PUBLISHED", known)
    by_content = load_vocabulary(path)
    assert by_content.pretokenizer == "o200k"
    assert "SHA-256 is that of the published o200k_base" in by_content.provenance["remarks"][0]
    path.write_bytes(path.read_bytes() + b"\n")
    assert "by the name alone" in load_vocabulary(path).provenance["remarks"][0]


def test_ids_of_special_tokens_that_a_file_by_that_name_has_are_left_out(tmp_path):
    path = tmp_path / "r50k_base.tiktoken"
    path.write_text(f"{base64.b64encode(b'ab').decode()} 50256\n")
    found = load_vocabulary(path)
    assert (found.id_of[256], found.special, found.pretokenizer) == (50256, {}, "gpt2")


def test_what_differs_is_counted():
    """A library that cuts abc otherwise, into as many tokens, and has another special token."""
    vocabulary = Vocabulary(["ab", "bc"], special={"<s>": 300})
    cut = {b"abc": [b"ab", b"c"], b"ab": [b"ab"]}
    ids = dict(zip([*(bytes([b]) for b in range(256)), b"ab", b"bc"], range(258), strict=True))
    replay = Replay("it", lambda words: [cut[w] for w in words], lambda _: cut[b"abc"], ids.get,
                    {"<s>": 301}.get)  # fmt: skip
    corpus = WordCounts.from_counts({"abc": 3, "ab": 2})
    assert segment(corpus, vocabulary).of(0) == [b"a", b"bc"]
    found = measure(replay, vocabulary, corpus, "abc")
    assert (found["words"], found["words_differing"]) == (2, 1)
    assert (found["occurrences"], found["occurrences_differing"]) == (5, 3)
    assert (found["tokens"], found["exported_tokens"], found["ids_differing"]) == (8, 8, 1)
    assert (found["text_tokens"], found["exported_text_tokens"]) == (2, 2)
    assert found["text_same"] is False
    cut[b"abc"] = [b"a", b"b", b"c"]
    names = ("list", "path", "it", "priority", "priority", None, None, (), ())
    longer = Fidelity(*names, **measure(replay, vocabulary, corpus, None))
    assert "+3 tokens (+37.500 %); 1 ids differ (it)" in longer.cost


# files of lines


def test_greedtok_is_exact_but_for_neighbouring_copies(tmp_path):
    need("pcatt.greedy_encoder")
    words = WordCounts.from_words([w for w in WORDS if w.isascii() or w[0] == "Ġ"])
    vocabulary = chosen(words, 30, rule="priority", pretokenizer="gpt2")
    plain = WordCounts.from_counts({"the": 3, "cat": 1, "that": 1})
    result = export(vocabulary, tmp_path / "g", "greedtok", corpus=plain, text="the cat sat")
    assert result.exact
    back = load_vocabulary(tmp_path / "g")
    assert (back.tokens, back.id_of, back.rule, back.pretokenizer) == (
        vocabulary.tokens,
        vocabulary.id_of,
        "priority",
        "gpt2",
    )
    with pytest.raises(InputError, match="1 tokens that hold a NUL"):
        export(Vocabulary(["ab", "a\0"], rule="priority"), tmp_path / "h", "greedtok")
    # the authors' encoder takes two neighbouring copies of ab for one token: ba and abab, which
    # begin or end between them, are kept out
    words = WordCounts.from_counts({"ababab": 2})
    copies = Vocabulary(["ab", "abab"], rule="priority", pretokenizer="none")
    with pytest.raises(InputError, match="1 of 1 words"):
        export(copies, tmp_path / "g", "greedtok", corpus=words)
    result = export(copies, tmp_path / "g", "greedtok", corpus=words, lossy=True)
    assert (result.tokens, result.exported_tokens) == (4, 6)


def test_a_library_that_cannot_be_loaded_is_not_called_absent(tmp_path, monkeypatch):
    package = tmp_path / "pcatt"
    package.mkdir()
    (package / "__init__.py").write_text("raise ImportError('no libtbb')")
    for name in [name for name in sys.modules if name.partition(".")[0] == "pcatt"]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(MissingExtra, match=r"which cannot be loaded \(no libtbb\): install that"):
        export(Vocabulary(["ab"], rule="priority", pretokenizer="gpt2"), tmp_path / "g", "greedtok")
    assert not (tmp_path / "g").exists()


def test_greedtok_folder_as_its_authors_write_it(tmp_path):
    tokens = [b"<eos>", b" the", b"in", *(bytes([b]) for b in range(256))]
    (tmp_path / "added_tokens.txt").write_text("".join(t.hex() + "\n" for t in tokens))
    (tmp_path / "special_tokens_map.json").write_text('{"eos_token": "<eos>"}')
    (tmp_path / "tokenizer_config.json").write_text('{"tokenizer_class": "GreedTok"}')
    vocabulary = load_vocabulary(tmp_path)
    assert (vocabulary.tokens, vocabulary.special) == ((b" the", b"in"), {"<eos>": 0})
    assert vocabulary.id_of[:2] == (3, 4)
    assert vocabulary.id_of[256:] == (1, 2)
    assert (vocabulary.rule, vocabulary.pretokenizer) == ("priority", "gpt2")
    (tmp_path / "tokens.txt").write_text("c4 a0 74 \n69 6e \n")
    assert load_vocabulary(tmp_path / "tokens.txt", "greedtok").tokens == ("Ġt".encode(), b"in")
    (tmp_path / "special_tokens_map.json").write_text('{"pad_token": "a"}')
    vocabulary = load_vocabulary(tmp_path)  # a byte that is a special token is none
    assert (vocabulary.special, vocabulary.id_of[ord("a")]) == ({"a": 3 + ord("a")}, -1)


@pytest.mark.parametrize(
    ("name", "rule"), [("sage", "longest_match"), ("pathpiece", "shortest_path")]
)
def test_vocab_files(tmp_path, counted, name, rule):
    if name == "sage":
        need("sage_tokenizer.model")
    vocabulary = chosen(counted, rule=rule)
    vocabulary = vocabulary.with_(tokens=[*vocabulary, "abababababababababababab"])
    path = tmp_path / "v.vocab"
    assert export(vocabulary, path, name, corpus=counted).exact
    assert export(vocabulary, path, name).exact
    assert path.read_text().split("\n")[97] == "61"
    back = load_vocabulary(path, name)
    assert (back.tokens, back.id_of, back.rule) == (vocabulary.tokens, vocabulary.id_of, rule)
    gaps = vocabulary.with_(ids=[*range(256), *(300 + i for i in range(len(vocabulary)))])
    with pytest.raises(InputError, match="ids with gaps"):
        export(gaps, path, name)
    assert export(gaps, path, name, lossy=True).ids_differing == len(vocabulary)
    turned = Vocabulary(["ab", "bc"], rule=rule, ids=[*range(256), 900, 700], pretokenizer="none")
    export(turned, path, name, lossy=True)
    assert load_vocabulary(path, name).tokens == (b"bc", b"ab")  # in the order of their ids


def test_list(tmp_path, counted):
    vocabulary = Vocabulary(["a b", "a\tb", b"\xffa", "ab\\", " the", "é\n"], pretokenizer="none")
    path = tmp_path / "v.txt"
    assert export(vocabulary, path, "list").exact
    assert path.read_text() == "a b\na\\tb\n\\xFFa\nab\\\\\n the\né\\n\n"
    back = load_vocabulary(path)
    assert (back.tokens, back.rule) == (vocabulary.tokens, "shortest_path")
    with pytest.raises(InputError, match="a list holds no rule"):
        export(vocabulary.with_(rule="priority"), path, "list")


# mistakes


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
    model = pytest.importorskip("partcover.interop.sentencepiece_proto").model_proto()()
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


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("tokenizer_config.json", {"pattern": [5]}, r"the pattern \[5\] is no text"),
        ("special_tokens_map.json", {"x": "\ud800"}, r"x is '\\ud800', which added_tokens"),
        ("special_tokens_map.json", {"x": 5}, "x is 5, which added_tokens"),
    ],
)
def test_broken_greedtok_folders(tmp_path, name, content, message):
    (tmp_path / "added_tokens.txt").write_text("6162\n")
    (tmp_path / name).write_text(json.dumps(content))
    with pytest.raises(InputError, match=f"{name}: {message}"):
        load_vocabulary(tmp_path)


def test_a_pattern_that_is_no_text_of_utf_8_can_be_shown(tmp_path):
    (tmp_path / "added_tokens.txt").write_text("6162\n")
    (tmp_path / "tokenizer_config.json").write_text('{"pattern": "\\ud800"}')
    vocabulary = load_vocabulary(tmp_path)
    assert "its pattern is no pre-tokenizer here: \\ud800" in vocabulary.provenance["remarks"]


@pytest.mark.parametrize("front", [b"\n", b"\xef\xbb\xbf", b"\xef\xbb\xbf\r\n \n"])
def test_a_rank_file_is_known_behind_blank_lines_and_a_mark_of_byte_order(tmp_path, front):
    path = tmp_path / "ranks"
    path.write_bytes(front + rank_file(path, [b"a", b"ab"]).read_bytes())
    assert load_vocabulary(path).tokens == (b"ab",)


def test_every_format_says_what_it_does_with_every_rule():
    from partcover.vocabulary.rules import RULES

    for format_ in FORMATS.values():
        assert set(format_.rules) == set(RULES), format_.name


def test_what_is_given_up_is_not_called_exact_where_nothing_shows_it(tmp_path):
    vocabulary = Vocabulary(["ab"], rule="longest_match", pretokenizer="none")
    result = export(vocabulary, tmp_path / "v.txt", "list", lossy=True)
    assert (result.words_differing, result.exact) == (0, False)
    assert result.verdict == "not exact, though the same here"


def test_a_text_that_is_not_replayed_is_remarked(tmp_path):
    vocabulary = Vocabulary(["ab"], pretokenizer="gpt2")
    for name in ("list", "pathpiece"):
        result = export(vocabulary, tmp_path / name, name, text="abc")
        assert result.text_tokens is None
        assert any("the text was not replayed" in remark for remark in result.remarks)
        assert not any("replayed" in r for r in export(vocabulary, tmp_path / name, name).remarks)


def test_commands(run, tmp_path, counted):
    need("tiktoken")
    counted.save(tmp_path / "C.tsv")
    chosen(counted).save(tmp_path / "V.json")
    arguments = ("export", "V.json", "--to", "tiktoken", "--corpus", "C.tsv", "-o", "V.tiktoken")
    status, out, err = run(*arguments)
    assert (status, out) == (2, "")
    assert "--lossy" in err
    assert run(*arguments, "--rule", "merges")[0] == 0
    status, out, err = run(
        "import", "V.tiktoken", "--pretokenizer", "gpt2", "-o", "W.json", "--json"
    )
    assert (status, json.loads(out)["pretokenizer"]) == (0, "gpt2")
    status, out, _ = run("gap", "C.tsv", "--vocab", "W.json", "--json")
    data = json.loads(out)
    assert (status, data["rule"]) == (0, "merges")
    assert data["lower_bound"] <= data["tokens_shortest_path"] <= data["tokens"]
    status, out, _ = run("compare", "C.tsv", "--vocab", "W.json", "--json")
    rows = [row for row in json.loads(out)["rows"] if row["method"] == "W"]
    assert [(row["rule"], row["tokens"]) for row in rows] == [
        ("merges", data["tokens"]),
        ("shortest_path", data["tokens_shortest_path"]),
    ]
    status, out, err = run("import", "V.tiktoken", "--pretokenizer", "gpt3")
    assert (status, out) == (2, "")
    assert "unknown pre-tokenizer" in err


def test_gap_with_more_tokens_than_candidates(run, tmp_path):
    WordCounts.from_counts({"abc": 3, "ba": 2}).save(tmp_path / "C.tsv")
    tokens = [f"x{i}y" for i in range(90)]
    Vocabulary(["abc", *tokens], rule="longest_match", pretokenizer="none").save(
        tmp_path / "V.json"
    )
    status, out, _ = run("gap", "C.tsv", "--vocab", "V.json", "--json")
    data = json.loads(out)
    assert (status, data["k"], data["never_occur"], data["rule"]) == (0, 91, 90, "longest_match")
    assert (data["tokens"], data["tokens_shortest_path"], data["lower_bound"]) == (7, 7, 5)


# where it is written


def test_a_pipe_is_written_into_and_stays(tmp_path):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    with subprocess.Popen(["cat", pipe], stdout=subprocess.PIPE) as reader:
        assert export(Vocabulary(["ab", "cd"], pretokenizer="none"), pipe, "list").exact
        assert reader.communicate(timeout=60)[0] == b"ab\ncd\n"
    assert pipe.is_fifo()
    assert list(tmp_path.iterdir()) == [pipe]
    assert in_place(pipe)
    assert in_place("-")
    assert in_place("/dev/stdout")  # also where it is redirected to a file
    assert not in_place(tmp_path)


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
        ("list", "", "the name of the file or folder to write is empty"),
        ("list", ".", ".: is a directory; name a file to write"),
        ("list", "..", "..: is a directory; name a file to write"),
        ("list", "/", "/: is a directory; name a file to write"),
        ("priority-class", "-", "-: priority-class writes a folder, and this is none"),
        ("priority-class", "file", "file: priority-class writes a folder, and this is none"),
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


def test_a_folder_is_written_where_one_stands(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    vocabulary = Vocabulary(["ab"], rule="priority", pretokenizer="gpt2")
    assert export(vocabulary, ".", "priority-class").exact
    assert load_vocabulary(".").tokens == vocabulary.tokens
    assert all(path.is_file() for path in tmp_path.iterdir())


def test_a_folder_of_another_format_is_left_alone(tmp_path):
    vocabulary = Vocabulary(["ab"], rule="priority", pretokenizer="gpt2")
    export(vocabulary, tmp_path / "f", "priority-class")
    before = sorted((tmp_path / "f").iterdir())
    message = "f: holds a vocabulary in the format priority-class, which would be read in place"
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
