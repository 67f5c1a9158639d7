"""How a vocabulary is used: rule, merges, scores, ids and special tokens, kept in its file."""

from __future__ import annotations

import json
import pickle
from enum import Enum
from functools import partial
from io import BytesIO
from types import MappingProxyType

import numpy as np
import pytest

from partcover import Encoder, InputError, Vocabulary
from partcover.adaptation.base import extended
from partcover.adaptation.prune import restricted
from partcover.vocabulary.subset import first_tokens

FULL = {
    "rule": "likelihood",
    "pretokenizer": "gpt2",
    "merges": [("a", "b"), ("ab", "c")],
    "scores": [-1.5, -2],
    "symbol_scores": {"a": -3.0},
    "ids": [*range(255, -1, -1), 300, 299],
    "special": {"<s>": 301},
    "decode_only": {305: b"a", 303: b"\xff!", 307: b""},
}


def test_all_of_it_survives_the_file(tmp_path):
    vocabulary = Vocabulary(["ab", "abc"], "bytes", "made", {"n": 1}, **FULL)
    vocabulary.save(tmp_path / "v.json")
    assert Vocabulary.load(tmp_path / "v.json") == vocabulary
    assert vocabulary.scores == (-1.5, -2.0)
    assert vocabulary.id_of[0] == 255


def test_ids_that_only_decode():
    vocabulary = Vocabulary(["ab"], decode_only={300: b"a", 299: "é".encode()}, special=["<s>"])
    assert vocabulary.special == {"<s>": 301}
    assert list(vocabulary.decode_only) == [299, 300]
    encoder = Encoder(vocabulary, "gpt2")
    assert encoder.encode("abé") == [256, 0xC3, 0xA9]
    assert encoder.decode([299, 256, 300]) == "éaba"
    assert list(encoder.decode_stream([299, 300])) == ["é", "a"]
    assert extended(vocabulary, [b"ba"]).id_of[256:] == (256, 302)
    smaller = restricted(vocabulary.with_(tokens=["ab", "abc"], special={}), [b"ab"], 1)
    assert smaller.decode_only == {257: "é".encode(), 258: b"a"}
    assert first_tokens(vocabulary, 0).decode_only == {}


def test_default_ids_follow_the_bytes():
    vocabulary = Vocabulary(["ab"], special=["<s>", "</s>"])
    assert vocabulary.id_of[255:] == (255, 256)
    assert vocabulary.special == {"<s>": 257, "</s>": 258}


def test_one_special_token_needs_no_list():
    assert Vocabulary([], special="<s>").special == {"<s>": 256}


def test_ids_may_be_numpys():
    vocabulary = Vocabulary(["ab"], ids=np.arange(257), special={"<s>": np.int64(300)})
    assert vocabulary == Vocabulary(["ab"], ids=range(257), special={"<s>": 300})
    assert json.loads(json.dumps(vocabulary.to_json()))["special"] == {"<s>": 300}


@pytest.mark.parametrize("content", ["[" * 99_999, '{"version": ' + "9" * 5000 + "}"])
def test_json_beyond_what_python_reads(tmp_path, content):
    (tmp_path / "v.json").write_text(content)
    with pytest.raises(InputError, match="cannot be read as JSON"):
        Vocabulary.load(tmp_path / "v.json")


def test_a_file_of_the_first_version_is_read(tmp_path):
    (tmp_path / "v.json").write_text(json.dumps({"version": 1, "tokens": ["ab"]}))
    assert Vocabulary.load(tmp_path / "v.json") == Vocabulary(["ab"])


def test_only_priority_is_read_otherwise_from_a_solution(tmp_path):
    rules = {"priority": "shortest_path", "merges": "merges", "longest_match": "longest_match"}
    for rule, read in rules.items():
        (tmp_path / "s.json").write_text(json.dumps({"vocabulary": ["ab"], "rule": rule}))
        assert Vocabulary.load(tmp_path / "s.json").rule == read
        (tmp_path / "v.json").write_text(json.dumps({"tokens": ["ab"], "rule": rule}))
        assert Vocabulary.load(tmp_path / "v.json").rule == rule


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"rule": "longest"}, "unknown rule 'longest'"),
        ({"scores": [-1.0]}, "1 scores for 2 tokens"),
        ({"scores": [-1.0, float("nan")]}, "a score is nan"),
        ({"scores": [-1.0, -1e300]}, "a score is -1e\\+300: it must be above -1e300"),
        ({"scores": None}, "likelihood needs scores"),
        ({"symbol_scores": {"ab": 1.0}}, "'ab' is not a single symbol"),
        ({"merges": [("ab", "x")]}, r"merge 'ab' \+ 'x': 'abx' is not a token"),
        ({"merges": [("a", "b"), ("a", "b")]}, "merge 'a' \\+ 'b' is given twice"),
        ({"ids": [1, 2]}, "2 ids: there must be 256"),
        ({"ids": [*range(256), 7, 300]}, "id 7 is given twice"),
        ({"ids": [*range(256), -1, 300]}, "id -1 is out of range"),
        ({"ids": [*range(256), 2**31, 300]}, "id 2147483648 is out of range"),
        ({"special": {"<s>": 299}}, "'<s>': id 299 is given twice"),
        ({"special": {"<s>": 400, "</s>": 400}}, "'</s>': id 400 is given twice"),
        ({"ids": ["a"] * 258}, "id 'a' is not a whole number"),
        ({"ids": [n + 0.9 for n in range(258)]}, r"id 0\.9 is not a whole number"),
        ({"ids": [True, *range(2, 259)]}, "id True is not a whole number"),
        ({"merges": ["a"]}, "merge 'a': it must be a pair of tokens"),
        ({"merges": ["ab"]}, "merge 'ab': it must be a pair of tokens"),
        ({"merges": [("a", "b", "c")]}, "it must be a pair of tokens"),
        ({"merges": [3]}, "merge 3: it must be a pair of tokens"),
        ({"special": {"<s>": "400"}}, "special token '<s>': id '400' is not a whole number"),
        ({"special": {"<s>": 2**31}}, "'<s>': id 2147483648 is out of range"),
        ({"special": {"": 400}}, "text that is not empty"),
        ({"special": ["<s>", "<s>"]}, "a special token is given twice"),
        ({"special": {"<\ud800>": 400}}, "has a lone surrogate"),
        ({"scores": [-1.0, 10**400]}, "a score is 1000"),
        ({"scores": [-1.0, "x"]}, "a score is x: it must be a finite"),
        ({"decode_only": {300: b"a"}}, "decode_only: id 300 is given twice"),
        ({"decode_only": {301: b"a"}}, "'<s>': id 301 is given twice"),
        ({"decode_only": {2**31: b"a"}}, "decode_only: id 2147483648 is out of range"),
        ({"decode_only": {"a": b"a"}}, "decode_only: id 'a' is not a whole number"),
        ({"decode_only": {400: "a"}}, "decode_only: id 400 is 'a', which is not"),
        ({"decode_only": [400]}, "decode_only is a list: it must be a mapping"),
    ],
)
def test_what_does_not_fit_is_named(changes, message):
    with pytest.raises(InputError, match=message):
        Vocabulary(["ab", "abc"], **{**FULL, **changes})


@pytest.mark.parametrize(
    ("data", "message"),
    [
        ({"version": 4}, "the version 4 of vocabulary files is not supported, the latest is 3"),
        ({"format": "other"}, "not a vocabulary file"),
        ({"format": None}, "not a vocabulary file"),
        ({"version": True}, "the version True of vocabulary files is not supported"),
        ({"provenance": [1]}, "'provenance' must be an object"),
        ({"scores": [10**400]}, "a score is 1000"),
        ({"merges": [["a"]]}, "'merges' must be a list of pairs"),
        ({"ids": "x"}, "'ids' is not valid in a vocabulary file"),
        ({"special": []}, None),
        ({"special": ["<s>"]}, "'special' must be an object"),
        ({"pretokenizer": 3}, "'pretokenizer' must be a name"),
        ({"normalizer": 3}, "'normalizer' must be a name"),
        ({"symbol_scores": [["a", "b"]]}, "'symbol_scores' must be a list"),
    ],
)
def test_a_damaged_file_names_itself(tmp_path, data, message):
    (tmp_path / "v.json").write_text(json.dumps({"tokens": ["ab"], **data}))
    if message is None:
        assert Vocabulary.load(tmp_path / "v.json") == Vocabulary(["ab"])
        return
    with pytest.raises(InputError, match=f"v.json: {message}"):
        Vocabulary.load(tmp_path / "v.json")


#: A token that `str` calls by its place: Token.FIRST.
Token = Enum("Token", {"FIRST": "ab"}, type=str)


def test_tokens_of_any_class_are_those_they_hold():
    for symbols in ("bytes", "chars"):
        plain = Vocabulary(["ab"], symbols)
        for token in (Token.FIRST, np.str_("ab"), np.bytes_(b"ab"), bytearray(b"ab")):
            assert token in plain
            other = Vocabulary([token], symbols)
            assert (other, repr(other.tokens)) == (plain, repr(plain.tokens))
    kept = Vocabulary(["ab"], decode_only={300: np.bytes_(b"x")}).decode_only
    assert repr(dict(kept)) == repr({300: b"x"})


def test_equal_vocabularies_have_one_hash():
    one, two = Vocabulary(["ab"], provenance={"a": 1}), Vocabulary([b"ab"], provenance={"a": 1})
    assert {one: 1}[two] == 1
    assert len({one, two, Vocabulary(["abc"])}) == 2


def test_provenance_is_kept_as_in_a_file(tmp_path):
    facts = {"n": np.int64(3), "x": [np.float32(0.5), (1, 2)], "m": MappingProxyType({"b": True})}
    for make in (partial(Vocabulary, ["ab"]), Vocabulary(["ab"]).with_):
        ours = make(provenance=facts)
        assert ours.provenance == {"n": 3, "x": [0.5, [1, 2]], "m": {"b": True}}
        ours.save(tmp_path / "v.json")
        assert Vocabulary.load(tmp_path / "v.json", "partcover") == ours
        assert pickle.loads(pickle.dumps(ours)) == ours
        facts["x"].append(4)
        assert ours.provenance["x"] == [0.5, [1, 2]]
        facts["x"].pop()
        for wrong, line in (({"a": tmp_path}, "PosixPath"), ({(1, 2): 3}, "keys must be")):
            with pytest.raises(InputError, match=f"provenance cannot be written as JSON: .*{line}"):
                make(provenance=wrong)


def test_what_cannot_be_saved_is_refused_in_one_line(tmp_path):
    ours = Vocabulary(["ab"], method="\ud800")
    with pytest.raises(InputError, match=r"v\.json: a lone surrogate U\+D800"):
        ours.save(tmp_path / "v.json")
    assert not [*tmp_path.iterdir()]
    with pytest.raises(InputError, match="path is a BytesIO: it must be text or a path"):
        ours.save(BytesIO())


def test_flags_of_special_tokens_of_any_class():
    named = Enum("Flag", {"ADDED": "added"}, type=str).ADDED

    def added(flags):
        return Vocabulary(["ab"], special={"ab": 256}, special_flags={"ab": flags}).special_flags

    for flags in (np.array(["added"]), {"added"}, iter(["added"]), [named], [np.str_("added")]):
        kept = added(flags)
        assert kept == {"ab": ("added",)}
        assert type(kept["ab"][0]) is str
    for flags in (np.array("added"), np.array(None), b"added", bytearray(b"added"), 7, None):
        with pytest.raises(InputError, match="special_flags of 'ab': it must be a list of flags"):
            added(flags)
    for flags in ([["added"]], np.array([["added", "lstrip"]]), [np.array(["added", "lstrip"])]):
        with pytest.raises(InputError, match=r"special_flags of 'ab': an? .* is not a flag: use"):
            added(flags)
