"""Published tokenizers give the ids of their own libraries; on the files that were fetched.

`python benchmarks/tokenizers_people_run.py --fetch` fetches them.
"""

from __future__ import annotations

import runpy
from pathlib import Path

import pytest

from partcover import InputError, Vocabulary, load_vocabulary
from partcover.interop import export

SCRIPT = runpy.run_path(
    str(Path(__file__).parents[2] / "benchmarks" / "tokenizers_people_run.py"), run_name="script"
)
PUBLISHED = {published.name: published for published in SCRIPT["PUBLISHED"]}
REFUSED = {"clip": "end words in </w>"}
pytestmark = pytest.mark.slow


def read(name) -> Vocabulary:
    path = PUBLISHED[name].path
    if not path.exists():
        pytest.skip(f"{path.name} was not fetched")
    return load_vocabulary(path)


@pytest.mark.parametrize("name", [name for name in PUBLISHED if name not in REFUSED])
def test_ids_are_those_of_the_own_library(name):
    vocabulary = read(name)
    if vocabulary.pretokenizer is None:
        pytest.skip("its pre-tokenizer is not known")
    try:
        own = SCRIPT["own_encoder"](PUBLISHED[name])
    except ImportError as error:
        pytest.skip(str(error))
    assert SCRIPT["difference"](vocabulary, own).startswith("equal")


@pytest.mark.parametrize("name", REFUSED)
def test_what_is_not_read_is_named(name):
    with pytest.raises(InputError, match=REFUSED[name]):
        read(name)


def test_gpt2s_own_files_are_written_and_read(tmp_path):
    pytest.importorskip("tokenizers")
    vocabulary = read("gpt2")
    assert export(vocabulary, tmp_path / "gpt2", "vocab-merges").exact
    for path in (tmp_path / "gpt2", tmp_path / "gpt2" / "merges.txt"):
        assert load_vocabulary(path).with_(provenance={}) == vocabulary.with_(provenance={})


def test_tekken_is_written_and_read(tmp_path):
    pytest.importorskip("tiktoken")
    vocabulary = read("tekken")
    assert export(vocabulary, tmp_path / "t.json", "tekken").exact
    again = load_vocabulary(tmp_path / "t.json")
    assert again.with_(provenance={}) == vocabulary.with_(provenance={})
