"""Whatever a file holds, importing it works or ends in one line of ours."""

import json
import os
import random

import pytest
from fuzz.mutation import changed
from interop.cases import chosen, counted_words, need, whole

from partcover import InputError, PartcoverError, Vocabulary
from partcover.errors import MissingExtra
from partcover.interop.registry import FORMATS

TRIES = int(os.environ.get("PARTCOVER_FUZZ", "60"))  # for each format; more by hand
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
                    FORMATS[name].write(FORMATS[name].adapt(vocabulary, []), target)
                except (InputError, MissingExtra):
                    continue
                targets[name].append(target)
        return targets[name]

    return of


@pytest.mark.long
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
                    assert isinstance(Vocabulary.load(target, as_), Vocabulary)
                except PartcoverError:
                    refused += 1
        finally:
            file.write_bytes(whole_)
    assert refused


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (
            lambda data: data["added_tokens"][0].update(id=float("inf")),
            "the id of .* is inf, which",
        ),
        (lambda data: data["model"]["vocab"][260].__setitem__(1, 10**400), "the score of "),
        (
            lambda data: data["model"]["vocab"][260].__setitem__(1, float("nan")),
            "is nan, which is not a finite",
        ),
    ],
)
def test_numbers_beyond_their_range(exported, tmp_path, change, message):
    data = json.loads(exported("huggingface")[0].joinpath("tokenizer.json").read_bytes())
    change(data)
    path = tmp_path / "tokenizer.json"
    path.write_text(json.dumps(data))
    with pytest.raises(InputError, match=rf"^{path}: .*{message}"):
        Vocabulary.load(path)


def test_a_piece_that_is_no_text(exported):
    need("google.protobuf")
    target = exported("sentencepiece")[0]
    raw = target.read_bytes()
    at = raw.index(b"<0xC0>")
    try:
        target.write_bytes(raw[:at] + b"<\xff\xfeC0>" + raw[at + 6 :])
        with pytest.raises(InputError, match=r"v\.model: (piece \d+, .*, is not UTF-8|not a sent)"):
            Vocabulary.load(target)
    finally:
        target.write_bytes(raw)
