"""Every command prints, and every file holds, what its schema and docs/reference/json.md say."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from cli import helpers
from cli.helpers import as_json
from shared.schemas import SCHEMAS, fault, keys

from partcover import (
    Corpora,
    GroupBudget,
    Instance,
    MergeCondition,
    Vocabulary,
    WordCounts,
    trainers,
)
from partcover.instances.records import Best, Record, Row
from partcover.vocabulary.decoding import Decoding
from partcover.vocabulary.unknown import Unknown

DOCS = Path(__file__).parents[2] / "docs"
LIBRARY = Path(__file__).parents[2] / "instances"
OWN = sorted(trainers.TRAINERS)
COMMANDS = [
    "count text.txt -o T.tsv",
    "greedtok C.tsv -k 2 -o V.json",
    "greedwmc C.tsv -k 2",
    "solve C.tsv -k 2 -o B.json --write-certificate P.cert",
    "solve C.tsv -k 2 --solver highs",
    "solve C.tsv -k 2 --goal size --threshold 28",
    "improve C.tsv -k 2",
    "train C.tsv -k 2 --method unigram",
    "bound C.tsv -k 2 --vocab V.json",
    "claim C.tsv --baseline V.json --claimed 30",
    "audit V.json text.txt --pretokenizer none",
    "extend V.json C.tsv -m 1 --keep C.tsv -o E.json --write-certificate E.cert",
    "verify C.tsv --vocab E.json --certificate E.cert",
    "prune V.json C.tsv -k 1",
    "verify C.tsv -k 2 --vocab B.json --certificate P.cert",
    "compare C.tsv -k 2 --methods greedtok,greedwmc,bpe --certificate P.cert --sets",
    "compare C.tsv -k 2 --methods greedtok,bpe",
    "ratio C.tsv -k 2",
    "inspect B.json C.tsv --missing-words --diff V.json",
    "score B.json C.tsv T.tsv",
    "prices C.tsv -k 2 --certificate P.cert love",
    "encode B.json text.txt --pretokenizer none -o ids.npy",
    "decode B.json ids.npy --pretokenizer none -o back.txt",
    "export B.json --to list --pretokenizer none -o tokens.txt",
    "import tokens.txt -o L.json",
    "count text.txt --pretokenizer gpt2 --phrases all -o P.tsv",
    "train P.tsv -k 2 --method superbpe -o P.json",
    "inspect P.json P.tsv",
    "score L.json text.txt --train text.txt --pretokenizer none",
    "formulations C.tsv -k 1 --solvers highs",
    "worst --method greedtok -k 1 --words 2 --length 3",
    "reduce graph.txt -k 1 -o I.json",
    "solve I.json -o S.json",
    "reduce --lift I.json S.json",
    "improve C.tsv T.tsv -k 2 --minimax -o M.json --write-certificate M.cert",
    "verify C.tsv T.tsv -k 2 --minimax --vocab M.json --certificate M.cert",
    "bound C.tsv -k 2 --head 2",
    "improve C.tsv -k 2 --head 2 -o H.json --write-certificate H.cert",
    "verify C.tsv -k 2 --vocab H.json --certificate H.cert",
    "reproduce d C.tsv -k 2",
    "instances list",
    "instances show aaa",
    "instances check aaa",
    "records list",
    "records show record.json",
    "records run record.json C.tsv -k 64",
    "records check record.json C.tsv -k 64 --vocab V.json",
    "solvers",
    "generate cycle 5 -o G.json",
    "greedtok C.tsv -k 2 --plan",
    "greedtok C.tsv T.tsv -k 2 --minimax",
    "solve C.tsv T.tsv -k 2 --minimax",
    "bound C.tsv -k 2 --vocab V.json",
    "bound C.tsv T.tsv -k 2 --minimax --vocab V.json",
    "encode B.json text.txt --pretokenizer none -o D.jsonl",
    "encode B.json text.txt --pretokenizer none --count",
    "score B.json L.json C.tsv",
    "compare C.tsv -k 2 --methods greedtok --held-out T.tsv",
    "compare C.tsv -k 2 --methods greedtok --split 0.3",
    "improve C.tsv -k 2 --time-limit 0 --events E.jsonl",
    "verify C.tsv -k 2 --certificate P.cert",
    "verify C.tsv -k 2 --vocab V.json",
    "report C.tsv B.json -o page.html",
    "reduce graph.txt -k 1 --problem vertex-cover-unary -o U.json",
    "reduce F.cnf --problem max-2-sat -k 1 -o F.json",
    "solve F.json -o FS.json",
    "reduce --lift F.json FS.json",
    "demo",
    *(f"train C.tsv -k 2 --method {name}" for name in OWN if name not in ("sage",)),
]


def command_of(line):
    """The name of the command in a line of `COMMANDS`."""
    first, *rest = line.split()
    inner = f"{first} {rest[0]}" if rest else first
    return inner if inner in helpers.COMMANDS else first


def faults_of_files(folder):
    """What is wrong with each file that the commands wrote, and which schemas they have."""
    faults, met = {}, set()
    for path in folder.iterdir():
        if path.suffix == ".jsonl":
            name = "encoded" if path.name == "D.jsonl" else "event"
            values = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
        elif path.suffix in (".json", ".cert"):
            values = [json.loads(path.read_text("utf-8"))]
            name = values[0].get("format", "").removeprefix("partcover-")
        else:
            continue
        if name in SCHEMAS:
            met.add(name)
            faults[path.name] = next(filter(None, (fault(value, name) for value in values)), None)
    return {name: what for name, what in faults.items() if what}, met


@pytest.mark.long
def test_output_and_files_are_as_the_schemas_say(run, tmp_path):
    for library in ("ortools", "networkx", "jinja2", "sentencepiece"):
        pytest.importorskip(library)
    words = {"cover": 2, "every": 3, "love": 3, "lover": 1, "recover": 1, "very": 2}
    counted = WordCounts.from_counts(words)
    counted.save(tmp_path / "C.tsv")
    most, least = (Best(number, "2026-01-31", "improve", 1.5) for number in (40, 11))
    row = Row(64, most, least, 1.5, {"bpe": 41})
    Record("r", "words", "", (), counted.digest, 6, 12, (row,)).save(tmp_path / "record.json")
    (tmp_path / "text.txt").write_text("love every lover\n")
    (tmp_path / "graph.txt").write_text("a b\nb c\n")
    (tmp_path / "F.cnf").write_text("p cnf 2 2\n1 2 0\n-1 2 0\n")
    faults = {}
    for line in COMMANDS:
        status, printed = as_json(run(*line.split(), "--json", "--quiet"))
        assert status == 0, line
        if wrong := fault(printed, "commands", command_of(line)):
            faults[line] = wrong
    assert faults == {}
    faults, met = faults_of_files(tmp_path)
    assert faults == {}
    assert met == SCHEMAS.keys() - {"commands"}


def test_every_command_with_json_has_a_schema_and_is_run():
    named = {name for name, command in helpers.COMMANDS.items() if "--json" in options_of(command)}
    assert named <= SCHEMAS["commands"]["$defs"].keys()
    assert named == {command_of(line) for line in COMMANDS}


def options_of(command):
    return {name for option in command.params for name in option.opts}


def test_every_key_is_on_the_page():
    """What is printed is in json.md and ratios.md, what files hold in files.md."""
    page = (DOCS / "reference" / "json.md").read_text("utf-8") + (
        DOCS / "concepts" / "ratios.md"
    ).read_text("utf-8")
    named = set(re.findall(r"`(?:\w+\.)?(\w+)`", page))
    assert sorted(set(keys(SCHEMAS["commands"])) - named) == []
    page = (DOCS / "reference" / "files.md").read_text("utf-8") + (
        DOCS / "concepts" / "certificates.md"
    ).read_text("utf-8")
    named = set(re.findall(r"\w+", page))
    for name in SCHEMAS.keys() - {"commands"}:
        assert sorted(set(keys(SCHEMAS[name])) - named) == [], name


def test_the_schemas_are_schemas():
    validator = pytest.importorskip("jsonschema").Draft202012Validator
    for schema in SCHEMAS.values():
        validator.check_schema(schema)


@pytest.mark.parametrize(
    ("data", "wrong"),
    [
        ({"ids": 3}, None),
        ({"ids": "3"}, "commands['ids']: '3' is not of type 'integer'"),
        ({}, "commands: 'ids' is a required property"),
        ({"ids": 3, "id": 3}, "commands: Additional properties are not allowed"),
    ],
)
def test_what_is_not_as_the_schema_says_is_found(data, wrong):
    found = fault(data, "commands", "decode")
    assert found is wrong if wrong is None else str(found).startswith(wrong)


@pytest.mark.long
def test_the_files_of_the_library_are_as_the_schemas_say():
    """Also with cuts and branches; the largest are left out, whose prices are long lists."""
    small = [path for path in LIBRARY.iterdir() if path.stat().st_size < 30_000]
    kinds = {".json": "instance", ".cert": "certificate"}
    faults = {p.name: fault(json.loads(p.read_text("utf-8")), kinds[p.suffix])
              for p in small if p.suffix in kinds}  # fmt: skip
    assert len(faults) > 100
    for path in (LIBRARY / "records").glob("*.json"):
        faults[path.name] = fault(json.loads(path.read_text("utf-8")), "record")
    assert {name: what for name, what in faults.items() if what} == {}


def test_what_is_no_record_is_found():
    best = Best(40, "2026-01-31", "improve", 1.5, "words-64.json")
    row = Row(64, best, best, 1.5, {"bpe": 41})
    data = Record("words", "words", "", ("none",), WORDS.digest, 2, 5, (row,)).to_json()
    assert fault(data, "record") is None
    data["rows"][0]["tokens"]["file"] = "../words.json"
    assert "does not match" in str(fault(data, "record"))
    data["rows"][0]["k"] = 65
    assert "[0]['k']: 65 is not one of" in str(fault(data, "record"))


WORDS = WordCounts.from_counts({"that": 3, "hat": 2}, pretokenizer="gpt2", normalizer="NFC")
VOCABULARIES = [
    Vocabulary(
        ["at", "th"],
        rule="likelihood",
        scores=[-1.5, -2],
        symbol_scores={"a": -3},
        sums="text",
        ids=[-1, *range(255), 300, 301],
        special={"<s>": 400},
        special_flags={"<s>": ["lstrip"]},
        unknown=Unknown("<s>", "word", 9),
        decode_only={500: b"x"},
        decoding=Decoding("sentencepiece", 1, "##", True, {"<s>": "-"}),
        pretokenizer="none",
        normalizer="NFC",
    ),
    Vocabulary(["at"], rule="merges", merges=[("a", "t")], provenance={"k": 1}),
]
INSTANCES = [
    Instance(
        WORDS,
        3,
        ["at", "th", "hat", "that"],
        required=["at"],
        forbidden=["th"],
        prefix=["at"],
        groups=[GroupBudget("g", 1, ["hat"]), GroupBudget("long", 1, None, 3, 4)],
        threshold=9,
        source={"from": "a test"},
    ),
    Instance(WORDS, 1, max_length=4, min_count=2, protected=["at"]),
    Instance(WORDS, 1, merges=MergeCondition([("a", "t")])),
    Instance(Corpora([WORDS, WORDS], [3, 4], ["one", "two"]), 1),
]


@pytest.mark.parametrize(
    ("name", "made"), [("vocabulary", VOCABULARIES), ("instance", INSTANCES)], ids=str
)
def test_files_with_everything_that_they_can_hold(name, made):
    data = [each.to_json() for each in made]
    assert [fault(each, name) for each in data] == [None] * len(made)
    assert set().union(*data) == SCHEMAS[name]["properties"].keys()
