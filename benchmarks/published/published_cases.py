"""Checks the ids that tiktoken's and tokenizers' own tests state, with the published files.

    python benchmarks/published/tokenizers_people_run.py --fetch        once: packages into a cache
    python benchmarks/published/published_cases.py [--verbose]

The files are those of `published_tokenizers.py`.  Each case is a literal of a test: a text and its
ids, tokens or offsets, or ids and their text.  The cases are those of

* https://github.com/openai/tiktoken, tests/ (MIT license),
* https://github.com/huggingface/tokenizers, tokenizers/tests and bindings/python/tests (Apache
  License 2.0); where a test changes a tokenizer, so is the file here.

The script prints how many of them hold here, and those that do not.  A case whose file is not in
the cache is not counted.  The other cases of those tests need no published file: they are in
`tests/`, in files named ``test_*cases_of_*.py``.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache as kept
from pathlib import Path
from typing import Any

from published_tokenizers import PUBLISHED, readable

from partcover import Encoder, Vocabulary


@dataclass(frozen=True)
class Case:
    """What a test states of a tokenizer.

    Attributes
    ----------
    source : str
        The test.
    name : str
        The tokenizer, as in `PUBLISHED`.
    given : str, bytes or list of int
        A text; bytes that are one word; or ids.
    expected : object
        What is stated.
    what : str
        ``ids``, ``tokens`` (as the file spells them), ``offsets`` or ``parts`` (of the text, as the
        offsets cut it) of a text; the ``text`` of ids, or its parts as they come (``stream``).
    change : dict
        What the test changes in the file: ``prefix`` (`add_prefix_space`), ``added`` tokens with
        their flags, and ``parts`` of the file.
    differs : str
        Why another result is documented here.
    """

    source: str
    name: str
    given: Any
    expected: Any
    what: str = "ids"
    change: Mapping[str, Any] = field(default_factory=dict)
    differs: str = ""


# docs/reference/formats.md, "What is read back"
MADE = "an added token that merges make too is an ordinary token here"


def _tiktoken() -> list[Case]:
    hello, end = "hello world", "hello <|endoftext|>"
    cases = [
        Case("test_encoding.py test_simple", name, given, expected, what)
        for name, ids in (("r50k_base", [31373, 995]), ("cl100k_base", [15339, 1917]))
        for given, expected, what in (
            (hello, ids, "ids"),
            (ids, hello, "text"),
            (end, [ids[0], 220, 50256 if name == "r50k_base" else 100257], "ids"),
        )
    ]
    cases += [
        Case("test_encoding.py test_simple", name, range(10_000), None, "single")
        for name in ("r50k_base", "p50k_base", "cl100k_base", "o200k_base")
    ]
    zeros = [
        [15], [405], [830], [2388], [20483], [10535], [24598], [8269], [10535, 830], [8269, 405],
        [8269, 830], [8269, 2388], [8269, 20483], [8269, 10535], [8269, 24598], [25645],
        [8269, 10535, 830],
    ]  # fmt: skip
    cases += [
        Case("test_encoding.py test_simple_repeated", "r50k_base", "0" * count, ids)
        for count, ids in enumerate(zeros, 1)
    ]
    regex = {
        "rer": [38149], "'rer": [2351, 81], "today\n ": [31213, 198, 220],
        "today\n \n": [31213, 27907], "today\n  \n": [31213, 14211],
    }  # fmt: skip
    cases += [
        Case("test_encoding.py test_simple_regex", "cl100k_base", text, ids)
        for text, ids in regex.items()
    ]
    cases += [
        Case("test_encoding.py test_basic_encode", "p50k_base", hello, [31373, 995]),
        Case("test_encoding.py test_basic_encode", "cl100k_base", " \x850", [220, 126, 227, 15]),
        Case("test_encoding.py test_encode_empty", "r50k_base", "", []),
        Case("test_encoding.py test_encode_bytes", "cl100k_base", b" \xec\x8b\xa4\xed", [62085]),
        Case("test_encoding.py test_encode_surrogate_pairs", "cl100k_base", "👍", [9468, 239, 235]),
    ]
    offsets = {
        hello: [0, 5],
        "hello world<|endoftext|> green cow": [0, 5, 11, 24, 30],
        "我非常渴望与人工智能一起工作": [0, 1, 2, 3, 3, 4, 4, 5, 6, 7, 8, 8, 9, 10, 11, 12, 13],
        "நடிகர் சூர்யா": [0, 0, 1, 1, 2, 3, 4, 4, 5, 6, 7, 8, 8, 9, 9, 10, 11, 12, 12],
        " Ġ除": [0, 1],
    }
    return cases + [
        Case("test_offsets.py test_basic_offsets", "cl100k_base", text, places, "begins")
        for text, places in offsets.items()
    ]


def _gpt2() -> list[Case]:
    source = "tests/added_tokens.rs "
    masked, dancing = "I saw a <mask> 😺", "I like dancing"
    plain: dict[str, Any] = {"prefix": False}

    def added(*names: str, prefix: bool = False, **flags: bool) -> dict[str, Any]:
        return {"prefix": prefix, "added": dict.fromkeys(names, flags)}

    left, right = added("<mask>", prefix=True, lstrip=True), added("<mask>", rstrip=True)
    saw = ["ĠI", "Ġsaw", "Ġa"]
    order = ["I", "Ġlike", "Ġ", "danc", "ing"], ["I", "Ġl", "ike", "Ġ", "danc", "ing"]
    cases = [
        Case(
            source + "lstrip_tokens", "gpt2", masked, [*saw, " <mask>", "ĠðŁĺ", "º"], "tokens",
            left,
        ),
        Case(
            source + "lstrip_tokens", "gpt2", masked,
            [(0, 1), (1, 5), (5, 7), (7, 14), (14, 16), (15, 16)], "offsets", left,
        ),
        Case(
            source + "rstrip_tokens", "gpt2", masked,
            ["I", "Ġsaw", "Ġa", "Ġ", "<mask> ", "ðŁĺ", "º"], "tokens", right,
        ),
        Case(
            source + "rstrip_tokens", "gpt2", masked, [*saw, "Ġ", "<mask> ", "ĠðŁĺ", "º"], "tokens",
            right | {"prefix": True},
        ),
        Case(
            source + "single_word_tokens", "gpt2", dancing, ["I", "Ġlike", "Ġdancing"], "tokens",
            added("ing", single_word=True),
        ),
        Case(
            source + "single_word_tokens", "gpt2", dancing, ["I", "Ġlike", "Ġd", "anc", "ing"],
            "tokens", added("ing"), MADE,
        ),
        Case(
            source + "overlapping_tokens", "gpt2", dancing, order[0], "tokens",
            added("danc", "nci", "ing"),
        ),
        Case(
            source + "overlapping_tokens", "gpt2", dancing, order[1], "tokens",
            added("nci", "danc", "ing", "ike"), MADE,
        ),
    ]  # fmt: skip
    source, fronted = "tests/offsets.rs ", {"prefix": True}
    cases += [
        Case(
            source + "byte_level_basic", "gpt2", "Hello there, how are you?",
            ["Hello", " there", ",", " how", " are", " you", "?"], "parts", fronted,
        ),
        Case(
            source + "byte_level_unicode", "gpt2", "i⭢j", ["i", *["⭢"] * 3, "j"], "parts", fronted
        ),
        Case(
            source + "byte_level_double_sequence", "gpt2", "My name is Anthony",
            [(0, 2), (2, 7), (7, 10), (10, 18)], "offsets", fronted,
        ),
        Case(
            source + "byte_level_double_sequence", "gpt2", "What is my name?",
            [(0, 4), (4, 7), (7, 10), (10, 15), (15, 16)], "offsets", fronted,
        ),
    ]  # fmt: skip
    source = "bindings/test_tokenizer.py "
    thai = [19567, 255, 19567, 109]
    return [
        *cases,
        Case(
            source + "test_encode_add_special_tokens", "gpt2", "My name is John",
            ["ĠMy", "Ġname", "Ġis", "ĠJohn"], "tokens", fronted,
        ),
        Case(
            source + "test_from_pretrained_revision", "gpt2", "Hey there dear friend!",
            ["Hey", "Ġthere", "Ġdear", "Ġfriend", "!"], "tokens", plain,
        ),
        Case(source + "test_decode_stream_fallback", "gpt2", "อั", thai),
        Case(source + "test_decode_stream_fallback", "gpt2", thai, "อั", "text"),
        Case(source + "test_decode_stream_fallback", "gpt2", thai, ["อ", "ั"], "stream"),
    ]  # fmt: skip


def _llama() -> list[Case]:
    letters = [32, 426, 356, 423, 469, 435, 480, 473, 358, 622]
    korean = [80690, 98, 167, 121, 243, 102457, 113]
    source, name = "tests/stream.rs test_decode_stream_step_no_panic", "llama3"
    skipped = "bindings/test_tokenizer.py test_decode_skip_special_tokens"
    said = [2846, 40, 40, 40]
    cases = [
        Case(source, name, letters, ["A", *(f" {letter}" for letter in "BCDEFGHIJ")], "stream"),
        Case(source, name, korean, [*"삥뽕빵"], "stream"),
        Case(skipped, "llama3_1", said, "'mIII", "text"),
        Case(skipped, "llama3_1", [40, *said], ["I", "'m", "I", "I", "I"], "stream"),
    ]
    mark = {"type": "Metaspace", "replacement": "▁", "prepend_scheme": "first", "split": False}
    flags = {"lstrip": True, "rstrip": True, "special": False, "normalized": True}
    change = {
        "parts": {"normalizer": None, "pre_tokenizer": mark}, "added": {"<REPR_END>": flags}
    }  # fmt: skip
    source, rest = "bindings/test_tokenizer.py test_splitting", "inform<s>. Hey.       ."
    tokens = ["<s>", ".", "▁Hey", ".", "▁▁▁▁▁▁", "▁."]
    return [
        # the package's file is not the one whose ids the test states
        *cases,
        Case(source, "llama2", "<REPR_END>" + rest, ["<REPR_END>", "in", "form", *tokens], "tokens",
             change),
        Case(source, "llama2", rest, ["▁inform", *tokens], "tokens", change),
    ]  # fmt: skip


def _bert() -> list[Case]:
    john, masked = "My name is John", "Yesterday I saw a [MASK] far away"
    names = ["my", "name", "is"]
    source = "bindings/test_encoding.py test_word_to_tokens"
    formats = "bindings/test_tokenizer.py test_encode_formats"
    basic = "implementations/test_bert_wordpiece.py test_basic_encode"
    split = "tests/offsets.rs split_on_added_tokens_bert"
    return [
        Case(basic, "bert", john, [2026, 2171, 2003, 2198]),
        Case(basic, "bert", "pair", [3940]),
        Case(basic, "bert", john, [*names, "john"], "tokens"),
        Case(basic, "bert", john, [(0, 2), (3, 7), (8, 10), (11, 15)], "offsets"),
        Case(formats, "bert", "my name is john", [*names, "john"], "tokens"),
        Case(formats, "bert", "My name is Georges", [*names, "georges"], "tokens"),
        Case(source, "bert", "I love HuggingFace", ["i", "love", "hugging", "##face"], "tokens"),
        Case(source, "bert", "Do you?", ["do", "you", "?"], "tokens"),
        Case(
            "bindings/test_tokenizer.py test_from_pretrained_revision", "bert",
            "Hey there dear friend!", ["hey", "there", "dear", "friend", "!"], "tokens",
        ),
        Case(
            split, "bert", masked, ["yesterday", "i", "saw", "a", "[MASK]", "far", "away"], "tokens"
        ),
        Case(
            split, "bert", masked,
            [(0, 9), (10, 11), (12, 15), (16, 17), (18, 24), (25, 28), (29, 33)], "offsets",
        ),
    ]  # fmt: skip


CASES = [*_tiktoken(), *_gpt2(), *_llama(), *_bert()]


@kept
def _path(name: str) -> Path:
    published = next(one for one in PUBLISHED if one.name == name)
    return readable(published) if published.path.exists() else published.path


def _changed(data: dict[str, Any], change: Mapping[str, Any]) -> dict[str, Any]:
    """Returns the content of a file that is changed as a test changes the tokenizer."""
    data = data | change.get("parts", {})
    if "prefix" in change:
        data["pre_tokenizer"]["add_prefix_space"] = change["prefix"]
    flags = dict.fromkeys(("single_word", "lstrip", "rstrip", "normalized"), False)
    vocab = data["model"]["vocab"]
    free = 1 + max([*vocab.values(), *(entry["id"] for entry in data["added_tokens"])])
    for name, own in change.get("added", {}).items():
        entry = {"id": vocab.get(name, free), "content": name, "special": True, **flags, **own}
        data["added_tokens"].append(entry)
        free += name not in vocab
    return data


@kept
def _read(name: str, change: str) -> tuple[Vocabulary, dict[str, int]]:
    """Returns the vocabulary of a file, changed, and the ids of tokens as the file spells them."""
    path = _path(name)
    if path.suffix == ".txt":
        pieces = path.read_text("utf-8").split("\n")
        return Vocabulary.load(path), {piece: place for place, piece in enumerate(pieces)}
    if path.suffix != ".json":
        return Vocabulary.load(path), {}
    data = _changed(json.loads(path.read_text("utf-8")), json.loads(change))
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "tokenizer.json")
        file.write_text(json.dumps(data), "utf-8")
        vocabulary = Vocabulary.load(file)
    added = {entry["content"]: entry["id"] for entry in data["added_tokens"]}
    return vocabulary, data["model"]["vocab"] | added


def _single(vocabulary: Vocabulary, ids: range) -> list[int]:
    """Returns the ids that are not what their bytes are encoded to."""
    whole = Encoder(vocabulary, "none")
    return [number for number in ids if whole.encode(whole.decode_bytes([number])) != [number]]


def outcome(case: Case) -> tuple[Any, Any]:
    """Returns what is found here and what is expected."""
    vocabulary, spelled = _read(case.name, json.dumps(case.change))
    if case.what == "single":
        return _single(vocabulary, case.given), []
    encoder = Encoder(vocabulary, "none" if isinstance(case.given, bytes) else None)
    if case.what == "text":
        return encoder.decode(case.given), case.expected
    if case.what == "stream":
        return list(encoder.decode_stream(case.given)), case.expected
    ids, spans = encoder.encode_with_offsets(case.given, unit="chars", special="parse")
    if case.what == "offsets":
        return spans, case.expected
    if case.what == "begins":
        return [begin for begin, _ in spans], case.expected
    if case.what == "parts":
        return [case.given[begin:end] for begin, end in spans], case.expected
    if case.what == "tokens":
        return ids, [spelled.get(token, spelled.get(token.strip())) for token in case.expected]
    return ids, case.expected


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--verbose", action="store_true", help="Show each case.")
    verbose = parser.parse_args().verbose
    held = asked = documented = 0
    missing = set()
    for case in CASES:
        if not _path(case.name).exists():
            missing.add(case.name)
            continue
        found, expected = outcome(case)
        asked += 1
        held += found == expected
        documented += found != expected and bool(case.differs)
        if verbose or found != expected:
            why = f" ({case.differs})" if case.differs else ""
            verdict = "holds" if found == expected else f"{found}, not {expected}{why}"
            print(f"{case.source}: {case.name}, {case.given!r:.60}: {verdict}")
    print(f"{held} of {asked} published cases hold, {documented} differ as documented")
    if missing:
        print(f"not in the cache: {', '.join(sorted(missing))}")
    if held + documented < asked:
        sys.exit(1)


if __name__ == "__main__":
    main()
