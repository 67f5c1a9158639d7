"""docs/json.md names every key that a command prints."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from cli.helpers import as_json

from partcover import WordCounts

PAGE = Path(__file__).parents[2] / "docs" / "json.md"
# what is in these is named by the user or the solvers
OPEN = {"policy", "cuts_by_kind", "special", "seconds", "termination", "domains", "source"}
OPEN |= {"versions", "input", "options", "ratios"}
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
    "gap C.tsv --vocab V.json --certificate P.cert",
    "audit V.json text.txt --pretokenizer none",
    "extend V.json C.tsv -m 1 --keep C.tsv -o E.json --write-certificate E.cert",
    "verify C.tsv --vocab E.json --certificate E.cert",
    "prune V.json C.tsv -k 1",
    "verify C.tsv -k 2 --vocab B.json --certificate P.cert",
    "compare C.tsv -k 2 --methods greedtok,greedwmc,bpe --certificate P.cert --sets",
    "compare C.tsv -k 2 --methods greedtok,bpe --targets 2.5 --unigram-objective",
    "ratio C.tsv -k 2",
    "inspect B.json C.tsv --audit --diff V.json",
    "inspect B.json C.tsv T.tsv --scores",
    "prices C.tsv -k 2 --certificate P.cert love",
    "encode B.json text.txt --pretokenizer none -o ids.npy",
    "decode B.json ids.npy --pretokenizer none -o back.txt",
    "export B.json --to list --pretokenizer none -o tokens.txt",
    "import tokens.txt -o L.json",
    "count text.txt --pretokenizer gpt2 --phrases all -o P.tsv",
    "train P.tsv -k 2 --method superbpe -o P.json",
    "inspect P.json P.tsv",
    "inspect L.json text.txt --scores --train text.txt --pretokenizer none",
    "formulations C.tsv -k 1 --solvers highs",
    "worst --method greedtok -k 1 --words 2 --length 3",
    "reduce graph.txt -k 1 -o I.json",
    "solve I.json -o S.json",
    "reduce --lift I.json S.json",
    "domains C.tsv T.tsv -k 2",
    "improve C.tsv T.tsv -k 2 --minimax -o M.json --write-certificate M.cert",
    "verify C.tsv T.tsv -k 2 --minimax --vocab M.json --certificate M.cert",
    "bound C.tsv -k 2 --head 2",
    "improve C.tsv -k 2 --head 2 -o H.json --write-certificate H.cert",
    "verify C.tsv -k 2 --vocab H.json --certificate H.cert",
    "reproduce d C.tsv -k 2",
    "instances list",
    "instances show aaa",
    "instances check aaa",
    "solvers",
    "generate cycle 5 -o G.json",
]


def keys(value):
    if isinstance(value, list):
        for item in value:
            yield from keys(item)
    elif isinstance(value, dict):
        for key, item in value.items():
            yield key
            if key not in OPEN:
                yield from keys(item)


@pytest.mark.long
def test_every_key_is_on_the_page(run, tmp_path):
    for library in ("ortools", "networkx"):
        pytest.importorskip(library)
    words = {"cover": 2, "every": 3, "love": 3, "lover": 1, "recover": 1, "very": 2}
    WordCounts.from_counts(words).save(tmp_path / "C.tsv")
    (tmp_path / "text.txt").write_text("love every lover\n")
    (tmp_path / "graph.txt").write_text("a b\nb c\n")
    page = PAGE.read_text("utf-8") + PAGE.with_name("ratios.md").read_text("utf-8")
    named = set(re.findall(r"`(?:\w+\.)?(\w+)`", page))
    missing = {}
    for command in COMMANDS:
        status, printed = as_json(run(*command.split(), "--json", "--quiet"))
        assert status == 0, command
        if unknown := sorted({*keys(printed)} - named):
            missing[command] = unknown
    assert missing == {}
