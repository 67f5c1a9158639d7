"""Every instance in ``instances/`` loads, and its stated optimum is the optimum."""

from __future__ import annotations

from pathlib import Path

import pytest

from partcover import Instance, Vocabulary, solve, verify

FILES = sorted(Path(__file__).parents[1].glob("instances/*.json"))


def test_there_are_instances():
    assert len(FILES) >= 5


@pytest.mark.parametrize("path", FILES, ids=lambda p: p.stem)
def test_stated_optimum(path):
    instance = Instance.load(path)
    stated = instance.source["optimum"]
    tokens = [tuple(t) if isinstance(t, list) else t for t in stated["vocabulary"]]
    found = verify(instance, Vocabulary(tokens, instance.symbols))
    assert found.ok
    assert found.tokens == stated["tokens"]
    solution = solve(instance)
    assert (solution.status, solution.tokens) == ("optimal", stated["tokens"])


def test_a_file_is_what_was_saved(tmp_path):
    for path in FILES:
        Instance.load(path).save(tmp_path / "again.json")
        assert (tmp_path / "again.json").read_text() == path.read_text()
