"""The instance library: what it claims is checked without a solver, and can be made again."""

from __future__ import annotations

import importlib.util
import json
import shutil
from pathlib import Path

import pytest

from partcover import InputError, Instance, solve
from partcover.cli.exit_status import EXIT_VERIFICATION
from partcover.instances import library
from partcover.instances.library import Best, Entry, entry, names

FOLDER = Path(__file__).parents[2] / "instances"
NAMES = sorted(path.stem for path in FOLDER.glob("*.json"))


def test_the_library_is_the_folder():
    assert names() == NAMES
    assert len(NAMES) >= 50
    proofs = {entry(name).best.certificate for name in NAMES}
    assert {path.name for path in FOLDER.glob("*.cert")} == proofs - {None}


@pytest.mark.long
@pytest.mark.parametrize("name", NAMES)
def test_claims_hold(name):
    assert entry(name).problems() == []


def test_a_proof_that_a_wheel_leaves_out_is_said(tmp_path, monkeypatch, run):
    for name in ("cycle-5.json", "cycle-5.cert", "cycle-7.json"):
        shutil.copy(FOLDER / name, tmp_path)
    monkeypatch.setattr(library, "_folder", lambda: tmp_path)
    with pytest.raises(InputError, match=r"wheels; it is the file instances/cycle-7\.cert of the"):
        entry("cycle-7").problems()
    status, out, error = run("instances", "check", "--json")
    assert status == 0
    assert json.loads(out) == {"checked": 1, "ok": True, "problems": {}, "left_out": ["cycle-7"]}
    assert "as wheels leave out their proofs: cycle-7\n" in error
    assert run("instances", "check", "cycle-7")[0] == EXIT_VERIFICATION


@pytest.mark.long
def test_small_optima_are_what_a_solver_finds():
    small = [
        e
        for e in map(entry, NAMES)
        if len(e.instance.words.data) <= 100 and e.best.proven and e.facts()["family"] != "digits"
    ]  # the digits of pi take CBC long
    for chosen in small[:10]:
        assert solve(chosen.instance, solver="cbc").tokens == chosen.best.tokens


@pytest.mark.long
def test_files_are_what_the_script_makes():
    pytest.importorskip("networkx")
    spec = importlib.util.spec_from_file_location("build", FOLDER / "build.py")
    build = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(build)
    made = 0
    for name, family, origin, instance in build.instances():
        there = entry(name).instance
        for part in ("words", "k", "candidates", "max_length", "min_count", "threshold"):
            assert there.to_json().get(part) == instance.to_json().get(part), (name, part)
        assert (there.source["family"], there.source["from"]) == (family, origin)
        made += 1
    assert made >= 50


@pytest.mark.long
def test_a_file_is_what_was_saved(tmp_path):
    for path in FOLDER.glob("*.json"):
        Instance.load(path).save(tmp_path / "again.json")
        assert (tmp_path / "again.json").read_text() == path.read_text()


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        ({"words_sha256": "0"}, "the words do not match words_sha256"),
        ({"tokens": 7}, "7 tokens are stated, but the vocabulary needs 8"),
        ({"vocabulary": ["heart", "pear"]}, "8 tokens are stated, but the vocabulary needs 9"),
        ({"vocabulary": ["heart", "pearl", "the"]}, "3 tokens, but k is 2"),
        ({"lower_bound": 9}, "the lower bound 9 is stated, but 8 is proven"),
        ({"proven": False}, "proven is false: 8 tokens, bound 8"),
        ({"certificate": None}, "the lower bound 8 is stated, but 4 is proven"),
        ({"certificate": "aaa.cert"}, "the certificate is about other words or counts"),
    ],
)
def test_a_false_claim_is_noticed(change, problem):
    data = entry("pearl-heart").instance.to_json()
    source = data["source"]
    source["best"] |= {key: value for key, value in change.items() if key in source["best"]}
    source |= {key: value for key, value in change.items() if key not in source["best"]}
    changed = Entry("pearl-heart")
    changed.__dict__["instance"] = Instance.from_json(data)
    assert problem in changed.problems()


def test_unknown_names_and_broken_claims():
    with pytest.raises(InputError, match="no instance 'scardy': did you mean scaredy"):
        entry("scardy")
    with pytest.raises(InputError, match=r"no instance '\.\./x': 'partcover instances list'"):
        entry("../x")
    good = entry("aaa").instance.source["best"]
    for bad in (None, {"tokens": 1}, {**good, "tokens": "1"}, {**good, "lower_bound": True}):
        with pytest.raises(InputError, match="'best'"):
            Best.from_json(bad)
    assert json.loads(json.dumps(good)) == good
