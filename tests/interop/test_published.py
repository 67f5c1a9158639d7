"""Published tokenizers give the ids of their own libraries; on the files that were fetched.

`python benchmarks/published/tokenizers_people_run.py --fetch` fetches them.
"""

from __future__ import annotations

from importlib import import_module
from pathlib import Path

import pytest

from partcover import Encoder, Vocabulary
from partcover.interop import export

with pytest.MonkeyPatch.context() as path:  # alone: tests have such names
    path.syspath_prepend(Path(__file__).parents[2] / "benchmarks" / "published")
    script = import_module("tokenizers_people_run")
PUBLISHED = {published.name: published for published in script.PUBLISHED}
FUZZED = 100_000
pytestmark = pytest.mark.slow


def read(name) -> Vocabulary:
    path = PUBLISHED[name].path
    if not path.exists():
        pytest.skip(f"{path.name} was not fetched")
    return Vocabulary.load(script.readable(PUBLISHED[name]))


@pytest.mark.parametrize("name", PUBLISHED)
def test_ids_are_those_of_the_own_library(name):
    vocabulary = read(name)
    if vocabulary.pretokenizer is None:
        pytest.skip("its pre-tokenizer is not known")
    try:
        own = script.own_encoder(PUBLISHED[name])
    except ImportError as error:
        pytest.skip(str(error))
    assert script.difference(vocabulary, own).startswith("equal")
    assert script.fuzz_difference(vocabulary, own, FUZZED) == "equal"


@pytest.mark.parametrize("name", PUBLISHED)
def test_bytes_that_are_not_utf8_come_back(name):
    vocabulary = read(name)
    if vocabulary.pretokenizer is None or vocabulary.normalizer is not None:
        pytest.skip("a text does not come back")
    encoder = Encoder(vocabulary)
    for text in script.fuzzed(2000):
        broken = text.encode()[1:-1] + b"\xe2\x80" + text.encode()[-3:-1]
        assert encoder.decode_bytes(encoder.encode(broken)) == broken


def test_gpt2s_own_files_are_written_and_read(tmp_path):
    pytest.importorskip("tokenizers")
    vocabulary = read("gpt2")
    assert export(vocabulary, tmp_path / "gpt2", "vocab-merges").exact
    for path in (tmp_path / "gpt2", tmp_path / "gpt2" / "merges.txt"):
        assert Vocabulary.load(path).with_(provenance={}) == vocabulary.with_(provenance={})


def test_tekken_is_written_and_read(tmp_path):
    pytest.importorskip("tiktoken")
    vocabulary = read("tekken")
    assert export(vocabulary, tmp_path / "t.json", "tekken").exact
    again = Vocabulary.load(tmp_path / "t.json")
    assert again.with_(provenance={}) == vocabulary.with_(provenance={})
