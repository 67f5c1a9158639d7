"""JSON is written in the layout of a text, and what did not change as it stands there."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from shared.properties import tries

from partcover.interop.huggingface.layout import escapes, kept, parsed, rewritten

SPACE = st.text(" \t\n\r", max_size=3)
NUMBERS = ["0", "-0.0", "-3", "-3.0", "-2.5e-05", "-2.5E-5", "-11.928103450000", "1e3"]
TEXTS = st.text('ab"\\/é日😀\x01\n', max_size=4)


@st.composite
def spelled(draw, value):
    """Draws a text of a string, an object of ids, or a list of pieces and scores."""
    text = json.dumps(value, ensure_ascii=draw(st.booleans()))
    return text.replace("/", "\\/") if draw(st.booleans()) else text


@st.composite
def documents(draw):
    """Draws a JSON text, what is long in it, and a changed version of that."""
    regular = draw(st.booleans())
    gaps = [draw(SPACE) for _ in range(5)]

    def gap(place):
        return gaps[place] if regular else draw(SPACE)

    names = draw(st.lists(TEXTS, max_size=6, unique=True))
    fewer = draw(st.lists(st.sampled_from([*names, "new", "é", "\x7f"]), max_size=6, unique=True))
    if draw(st.booleans()):
        data = {name: number for number, name in enumerate(names)}
        more = {name: number for number, name in enumerate(fewer)}
        parts = [f"{draw(spelled(n))}{gap(0)}:{gap(1)}{number}" for n, number in data.items()]
    else:
        numbers = [draw(st.sampled_from(NUMBERS)) for _ in names]
        data = [[n, float(parsed(text))] for n, text in zip(names, numbers, strict=True)]
        more = [next((e for e in data if e[0] == name), [name, -1.25]) for name in fewer]
        parts = [
            f"[{gap(0)}{draw(spelled(n))}{gap(1)},{gap(0)}{number}{gap(1)}]"
            for n, number in zip(names, numbers, strict=True)
        ]
    begin, end = "{}" if isinstance(data, dict) else "[]"
    joined = f"{gap(2)},{gap(3)}".join(parts)
    inner = f"{begin}{gap(3)}{joined}{gap(2)}{end}"
    around = (
        f'{gap(4)}{{"a": {{"v"{gap(0)}:{gap(1)}{inner} , "w": [1.50,NaN]}},"b":"\\u00e9"}}{gap(4)}'
    )
    return around, data, more


@tries(600)
@given(documents(), st.booleans())
def test_what_is_kept_gives_the_text_again(document, escaped):
    text, data, more = document
    short = kept(text, {("a", "v"): data}, escaped=escaped)
    assert len(short) <= len(text)
    whole = parsed(short)
    same = {**whole, "a": {**whole["a"], "v": data}}
    assert rewritten(short, same, escaped=escaped) == text
    changed = {**whole, "a": {**whole["a"], "v": more}}
    written = rewritten(short, changed, escaped=escaped)
    assert parsed(written)["a"]["v"] == more
    assert written.endswith(text[text.index(', "w"') :])


@pytest.mark.parametrize("indent", [None, 0, 1, 4, "\t"])
@pytest.mark.parametrize("escaped", [False, True])
@pytest.mark.parametrize("separators", [None, (",", ":"), (" , ", " : ")])
def test_new_entries_are_laid_out_as_the_others(indent, escaped, separators):
    how = {"indent": indent, "ensure_ascii": escaped, "separators": separators}
    added = [{"id": 7, "content": "<é>", "special": True}, {"id": 8, "content": "b"}]
    data = {"added": added, "ids": {"a": 0, "é": 1, "日": 2}, "merges": [["a", "é"], ["é", "a"]]}
    changed = {
        "added": [*added, {"id": 9, "content": "ü"}],
        "ids": {"a": 0, "ö": 1, "日": 2, "ü": 3},
        "merges": [["a", "日"], ["é", "a"], ["ö", "ü"]],
    }
    text = json.dumps(data, **how)
    assert escapes(text) == escaped
    short = kept(text, {(key,): data[key] for key in ("ids", "merges")}, escaped=escaped)
    assert rewritten(short, changed, escaped=escaped) == json.dumps(changed, **how)


def test_only_two_entries_are_kept():
    data = {str(number): number for number in range(1000)}
    assert kept(json.dumps(data), {(): data}) == '{"0": 0, "1": 1}'


def test_much_white_space_is_not_repeated():
    """A gap of a megabyte would otherwise be written before each entry."""
    data = {"v": [[str(number), "x"] for number in range(1000)]}
    for gap in (" " * 10**6, "\n" * 300):
        text = json.dumps(data).replace(", ", f",{gap}", 2)
        short = kept(text, {("v",): data["v"]})
        assert rewritten(short, data) == text
        longer = {"v": [*data["v"], ["new", "x"]]}
        written = rewritten(short, longer)
        assert json.loads(written) == longer
        assert len(written) < len(text) + 100


def test_nesting_has_an_end():
    """Each level is read once more, so that a long text in many of them would take hours."""
    text = "[" * 200 + "1" + "]" * 200
    data = parsed(text.replace("1", "2"))
    assert parsed(rewritten(text, data)) == data


def test_half_a_pair_is_escaped():
    assert rewritten('{"a": "\\ud83d", "b":  1}', {"a": "\ud83d", "b": 2}) == (
        '{"a": "\\ud83d", "b":  2}'
    )
    assert rewritten('{"b":  1}', {"b": "\ud83d😀"}) == '{"b":  "\\ud83d😀"}'


@pytest.mark.parametrize("text", ["{", "", " ", "[1,]", '{"a"}', "nul"])
def test_what_is_no_json_is_refused(text):
    with pytest.raises(ValueError, match=r"Expecting|enclosed|delimiter|trailing comma"):
        rewritten(text, {"a": 1})
