"""Whatever a file holds, importing it works or ends in one line of ours."""

import copy
import json
import os
import random

import pytest
from interop.cases import chosen, counted_words, need, whole

from partcover import InputError, PartcoverError, Vocabulary
from partcover.errors import MissingExtra
from partcover.interop.load import load_vocabulary
from partcover.interop.registry import FORMATS

TRIES = int(os.environ.get("PARTCOVER_FUZZ", "60"))  # for each format; more by hand
# what JSON may hold, as Python reads it, that nobody means
NASTY = [
    float("inf"), float("-inf"), float("nan"), 10**400, -(10**30), -1, 2**31, 2**63, 1e308, 0.5,
    None, True, "", " ", "\ud800", "\x00", "é" * 50, [], {}, [[]], [None], {"": None}, "a b c",
]  # fmt: skip
BYTES = [b"\xff", b"\xed\xa0\x80", b"\x00", b"\n", b"\t", b" ", b"9" * 500, b"-", b"\x80" * 12, b""]
FILES = {
    "huggingface": "hf",
    "priority_class": "pc",
    "sentencepiece": "v.model",
    "tiktoken": "v.tiktoken",
    "greedtok": "gt",
    "sage": "v.vocab",
    "pathpiece": "v.vocab",
    "list": "v.txt",
}
READABLE = [name for name, form in FORMATS.items() if form.read is not None]
RULES = ("shortest_path", "merges", "likelihood", "character_merges", "longest_match", "priority")


@pytest.fixture(scope="module")
def exported(tmp_path_factory):
    """Of each format some paths, as they are written."""
    words = counted_words()
    folder = tmp_path_factory.mktemp("exported")
    targets = {}

    def of(name):
        if name not in targets:
            targets[name] = []
            for rule in RULES:
                use = {"rule": rule, "pretokenizer": "gpt2", "special": {"<|end|>": 999}}
                if rule == "likelihood":
                    use["scores"] = [-1.5 - n for n in range(40)]
                    use["symbol_scores"] = {bytes([b]): -50.0 for b in range(256)}
                target = folder / name / rule / FILES.get(name, "v")
                target.parent.mkdir(parents=True)
                try:
                    vocabulary = whole(chosen(words, **{"rule": "shortest_path"} | use))
                except InputError:
                    vocabulary = chosen(words, pretokenizer="gpt2")
                try:
                    fitted, _ = FORMATS[name].adapt(vocabulary)
                    FORMATS[name].write(fitted, target)
                except (InputError, MissingExtra):
                    continue
                targets[name].append(target)
        return targets[name]

    return of


def places(data, path=()):
    """Where the values of JSON stand."""
    yield path
    if isinstance(data, dict):
        items = list(data.items())
    elif isinstance(data, list):
        items = list(enumerate(data))
    else:
        items = []
    for key, value in items:
        yield from places(value, (*path, key))


def change_json(text, draw):
    """JSON with some values replaced, dropped or given another key."""
    data = json.loads(text)
    for _ in range(draw.choice([1, 1, 2, 4])):
        where = draw.choice(list(places(data))[1:] or [()])
        if not where:
            return json.dumps(copy.copy(draw.choice(NASTY))).encode()
        inner = data
        for key in where[:-1]:
            inner = inner[key]
        action = draw.random()
        if action < 0.7:
            inner[where[-1]] = copy.deepcopy(draw.choice(NASTY))
        elif action < 0.85:
            del inner[where[-1]]
        elif isinstance(inner, dict):
            inner[draw.choice(["", "\ud800", "a b", "Ġ", "日"])] = inner.pop(where[-1])
        else:
            inner.append(copy.deepcopy(inner[where[-1]]))
    return json.dumps(data).encode()


def change_bytes(raw, draw):
    """Bytes with some changed, cut out, doubled or put in."""
    raw = bytearray(raw)
    for _ in range(draw.choice([1, 1, 2, 5])):
        at = draw.randrange(len(raw) + 1)
        length = draw.choice([0, 1, 1, 2, 8, 100])
        if draw.random() < 0.2:
            raw[at:at] = raw[at : at + length]
        else:
            raw[at : at + length] = draw.choice([*BYTES, bytes([draw.randrange(256)])])
    return bytes(raw)


def changed(raw, name, draw):
    if name.endswith(".json") and draw.random() < 0.8:
        return change_json(raw, draw)
    return change_bytes(raw, draw)


@pytest.mark.parametrize("name", READABLE)
def test_mutated_files_are_read_or_refused(exported, name):
    draw = random.Random(int(os.environ.get("PARTCOVER_FUZZ_SEED", "0")))
    if name == "sentencepiece":
        need("google.protobuf")
    targets = exported(name)
    assert targets
    refused = 0
    for _ in range(TRIES):
        target = draw.choice(targets)
        files = [p for p in sorted(target.rglob("*")) if p.is_file()] if target.is_dir() else []
        file = draw.choice(files) if files else target
        whole_ = file.read_bytes()
        try:
            file.write_bytes(changed(whole_, file.name, draw))
            for as_ in (name, None):
                try:
                    assert isinstance(load_vocabulary(target, as_), Vocabulary)
                except PartcoverError:
                    refused += 1
        finally:
            file.write_bytes(whole_)
    assert refused


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda data: data["added_tokens"][0].update(id=float("inf")), "the id of .* is inf, no"),
        (lambda data: data["model"]["vocab"][260].__setitem__(1, 10**400), "the score of "),
        (
            lambda data: data["model"]["vocab"][260].__setitem__(1, float("nan")),
            "is nan, no finite",
        ),
    ],
)
def test_numbers_beyond_their_range(exported, tmp_path, change, message):
    data = json.loads(exported("huggingface")[0].joinpath("tokenizer.json").read_bytes())
    change(data)
    path = tmp_path / "tokenizer.json"
    path.write_text(json.dumps(data))
    with pytest.raises(InputError, match=rf"^{path}: .*{message}"):
        load_vocabulary(path)


def test_a_piece_that_is_no_text(exported):
    need("google.protobuf")
    target = exported("sentencepiece")[0]
    raw = target.read_bytes()
    at = raw.index(b"<0xC0>")
    try:
        target.write_bytes(raw[:at] + b"<\xff\xfeC0>" + raw[at + 6 :])
        with pytest.raises(InputError, match=r"v\.model: (piece \d+, .*, is not UTF-8|not a sent)"):
            load_vocabulary(target)
    finally:
        target.write_bytes(raw)
