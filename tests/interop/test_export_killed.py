"""An export that ends in the middle leaves nothing beside its target."""

import os
import signal
import subprocess
import sys
from dataclasses import replace

import pytest

from partcover import InputError, Vocabulary
from partcover.interop.export import export
from partcover.interop.registry import FORMATS

# stops where the draft is written and about to be replayed, and says so
PROGRAM = """
import sys, time
from dataclasses import replace
from partcover.cli import main as cli
from partcover.interop import registry

def wait(path):
    print("replaying", flush=True)
    time.sleep(60)

name, target = sys.argv[1:]
registry.FORMATS[name] = replace(registry.FORMATS[name], replay=wait)
sys.argv = ["partcover", "export", "v.json", "--to", name, "-o", target, "--lossy"]
cli.entry()
"""


@pytest.mark.long
@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM, signal.SIGINT])
@pytest.mark.parametrize("name", ["huggingface", "tiktoken"])
@pytest.mark.parametrize("there", [False, True])
def test_a_killed_export(tmp_path, name, number, there):
    work, temporary = tmp_path / "work", tmp_path / "tmp"
    work.mkdir()
    temporary.mkdir()
    vocabulary = Vocabulary(["ab", "abab"], rule="merges", pretokenizer="gpt2")
    vocabulary.save(work / "v.json")
    target = work / "out"
    if there:
        if name == "huggingface":
            target.mkdir()
            (target / "tokenizer.json").write_text("what was there")
        else:
            target.write_text("what was there")
    before = {path: path.is_file() and path.read_bytes() for path in work.rglob("*")}
    process = subprocess.Popen(
        [sys.executable, "-c", PROGRAM, name, "out"],
        cwd=work,
        env={**os.environ, "TMPDIR": str(temporary)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stdout.readline() == "replaying\n", process.stderr.read()
    process.send_signal(number)
    _, errors = process.communicate(timeout=600)
    assert process.returncode == (-9 if number == signal.SIGKILL else 130), errors
    assert {path: path.is_file() and path.read_bytes() for path in work.rglob("*")} == before
    if number != signal.SIGKILL:
        assert not list(temporary.iterdir())


def test_a_target_that_cannot_be_written_is_said_before_the_replay(tmp_path, monkeypatch):
    vocabulary = Vocabulary(["ab"], rule="merges", pretokenizer="gpt2")
    form = FORMATS["huggingface"]
    monkeypatch.setitem(FORMATS, form.name, replace(form, replay=pytest.fail))
    with pytest.raises(InputError, match=r"cannot be written \(no folder"):
        export(vocabulary, tmp_path / "nowhere/out", "huggingface", lossy=True)
    with pytest.raises(InputError, match=r"cannot be written \(File name too long"):
        export(vocabulary, tmp_path / ("x" * 300), "huggingface", lossy=True)
    assert not list(tmp_path.iterdir())
