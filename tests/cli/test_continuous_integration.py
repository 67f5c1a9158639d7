"""The action of GitHub and the hook of pre-commit run the audit and end with its status."""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
from cli.helpers import TEXT
from shared.command_server import quick_command
from shared.documents import blocks, look_up

from partcover import Vocabulary

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "how-to" / "integrations" / "continuous-integration.md"
yaml = pytest.importorskip("yaml")
ACTION = yaml.safe_load((ROOT / "action.yml").read_text("utf-8"))
(HOOK,) = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text("utf-8"))
pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="scripts of bash")


@pytest.fixture(scope="module")
def command(tmp_path_factory):
    with quick_command(tmp_path_factory.mktemp("command")) as folder:
        yield folder


@pytest.fixture
def project(tmp_path):
    """A folder with a tokenizer and a text whose gap is some 40 %."""
    Vocabulary(["at", "th"], pretokenizer="gpt2").save(tmp_path / "v.json")
    (tmp_path / "text.txt").write_text(TEXT)
    return tmp_path


@pytest.fixture
def action(command, project):
    """Runs the script of the action as a runner does: its status, output and summary."""
    (step,) = ACTION["runs"]["steps"]
    tools = project / "tools"
    tools.mkdir()
    pipx = tools / "pipx"  # it would install what --spec names
    pipx.write_text('#!/bin/sh\ntest "$1 $2 $3" = "run --spec partcover" && shift 3 && exec "$@"\n')
    pipx.chmod(0o755)

    def run(**inputs):
        given = {name: each.get("default") for name, each in ACTION["inputs"].items()} | inputs
        environment = {
            name: given[value.removeprefix("${{ inputs.").removesuffix(" }}")]
            for name, value in step["env"].items()
        }
        path = os.pathsep.join([str(tools), str(command), os.environ["PATH"]])
        summary = project / "summary.md"
        environment |= {"GITHUB_STEP_SUMMARY": str(summary), "RUNNER_TEMP": str(project)}
        line = ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", step["run"]]
        done = subprocess.run(
            line,
            cwd=project,
            env={**os.environ, "PATH": path, **environment},
            capture_output=True,
            text=True,
        )
        return done.returncode, done.stderr, summary.read_text() if summary.exists() else ""

    return run


@pytest.mark.long
def test_the_action(action):
    given = {"tokenizer": "v.json", "text": "text.txt text.txt", "options": "--time-limit 0"}
    status, _, summary = action(**given, **{"max-gap": "99%"})
    assert (status, "gap" in summary) == (0, True)
    status, error, summary = action(**given, **{"max-gap": "0.1%"})
    assert (status, "gap" in summary) == (7, True)
    assert "above --max-gap 0.100%" in error
    status, error, after = action(**{**given, "tokenizer": "none.json"}, **{"max-gap": "1%"})
    assert (status, after) == (2, summary), "the tables of an earlier step are not shown again"
    assert "none.json: cannot be read" in error


def test_inputs_of_the_action_are_on_the_page():
    text = PAGE.read_text("utf-8")
    for name in ACTION["inputs"]:
        assert f"| `{name}` |" in text


def test_the_hook_is_a_command():
    uses = [yaml.safe_load(block.text) for block in blocks(PAGE) if block.language == "yaml"]
    (hook,) = [use[0]["hooks"][0] for use in uses if "hooks" in use[0]]
    assert hook["id"] == HOOK["id"]
    look_up(shlex.join([*HOOK["entry"].split(), *hook["args"]]))


@pytest.mark.long
def test_the_hook_runs(command, project, monkeypatch):
    """With the partcover that is here: pre-commit would build one of its own."""
    pytest.importorskip("pre_commit")
    for name in [name for name in os.environ if name.startswith("GIT_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("PRE_COMMIT_HOME", str(project / "home"))
    monkeypatch.setenv("PATH", os.pathsep.join([str(command), os.environ["PATH"]]))
    monkeypatch.delenv("PYTHONWARNINGS", raising=False)
    arguments = ["v.json", "text.txt", "--time-limit", "0", "--max-gap"]
    subprocess.run(["git", "init", "-q"], cwd=project, check=True)
    for share, status in (("99%", 0), ("1%", 1)):
        hook = {**HOOK, "language": "system", "args": [*arguments, share], "files": r"^v\.json$"}
        config = {"repos": [{"repo": "local", "hooks": [hook]}]}
        (project / ".pre-commit-config.yaml").write_text(yaml.safe_dump(config))
        subprocess.run(["git", "add", "."], cwd=project, check=True)
        line = [sys.executable, "-m", "pre_commit", "run", "--all-files", "--color", "never"]
        done = subprocess.run(line, cwd=project, capture_output=True, text=True)
        assert done.returncode == status, done.stdout + done.stderr
    assert "above --max-gap 1.000%" in done.stdout
