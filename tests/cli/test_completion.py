"""What a shell completes: commands, options, their values, files."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys

import pytest

# what `partcover` is to the shells: this Python's, whatever else the PATH has
WRAPPER = f'#!/bin/sh\nexec "{sys.executable}" -m partcover "$@"\n'


@pytest.fixture
def environment(tmp_path):
    """An environment in which the shells find ``partcover``, and no settings of a person's."""
    program = tmp_path / "bin" / "partcover"
    program.parent.mkdir()
    program.write_text(WRAPPER)
    program.chmod(0o755)
    path = f"{program.parent}{os.pathsep}{os.environ['PATH']}"
    return {**os.environ, "PATH": path, "HOME": str(tmp_path), "XDG_CONFIG_HOME": str(tmp_path)}


@pytest.fixture
def shell(environment, tmp_path):
    """Runs a script in a shell, skipped where that is not installed; returns what it printed."""

    def run(name, *options, script):
        program = shutil.which(name)
        if program is None:
            pytest.skip(f"{name} is not installed")
        done = subprocess.run(
            [program, *options, "-c", script],
            cwd=tmp_path,
            env=environment,
            capture_output=True,
            text=True,
            timeout=600,
        )
        assert (done.returncode, done.stderr) == (0, "")
        return done.stdout.split("\n")

    return run


@pytest.fixture
def complete(run, monkeypatch):
    """What is offered after some words, the last of which is being written."""

    def words(line):
        monkeypatch.setenv("COMP_WORDS", line)
        monkeypatch.setenv("COMP_CWORD", str(line.count(" ")))
        monkeypatch.setenv("_PARTCOVER_COMPLETE", "bash_complete")
        status, out, err = run()
        assert (status, err) == (0, "")
        return out.split()

    return words


def test_words_are_completed(complete):
    assert complete("partcover gre") == ["plain,greedtok", "plain,greedwmc"]
    assert complete("partcover --ver") == ["plain,--version"]
    assert complete("partcover greedtok ") == ["file,"]
    assert complete("partcover greedtok C.tsv --max-l") == ["plain,--max-length"]
    assert complete("partcover greedtok C.tsv -o v") == ["file,v"]
    assert complete("partcover train C.tsv --method wo") == ["plain,wordpiece"]
    assert complete("partcover export v.json --to hu") == ["plain,huggingface"]
    assert complete("partcover import v.json --from pri") == ["plain,priority-class"]
    assert complete("partcover count --pretokenizer first-space+di") == ["plain,first-space+digit"]
    assert complete("partcover compare C.tsv --methods bpe,greedw") == ["plain,bpe,greedwmc"]
    assert complete("partcover instances s") == ["plain,show"]
    assert complete("partcover instances show papaya-i") == ["plain,papaya-impact"]
    assert complete("partcover records show persu") == ["plain,persuasion"]


@pytest.mark.long
def test_commands_are_completed_without_loading_them(environment):
    code = "import sys; from partcover.cli.main import main; sys.argv[1:] = []\ntry: main()\n"
    code += "finally: print([m for m in ('numpy', 'regex', 'rich') if m in sys.modules])"
    asked = {"COMP_WORDS": "partcover ", "COMP_CWORD": "1", "_PARTCOVER_COMPLETE": "bash_complete"}
    line = [sys.executable, "-c", code]
    done = subprocess.run(line, env=environment | asked, capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.split()[0] == "plain,audit"
    assert done.stdout.split("\n")[-2] == "[]"


def test_an_unknown_shell_is_one_line(run, monkeypatch):
    monkeypatch.setenv("_PARTCOVER_COMPLETE", "csh_source")
    status, out, err = run()
    assert (status, out) == (2, "")
    assert err.startswith("partcover: _PARTCOVER_COMPLETE=csh_source: use bash_source, zsh_source")


@pytest.mark.long
def test_bash(shell):
    lines = shell(
        "bash",
        "--norc",
        script='eval "$(_PARTCOVER_COMPLETE=bash_source partcover)"\n'
        "complete -p partcover\n"
        "COMP_WORDS=(partcover gre) COMP_CWORD=1\n"
        "_partcover_completion partcover\n"
        'echo "${COMPREPLY[@]}"',
    )
    assert lines == [
        "complete -o nosort -F _partcover_completion partcover",
        "greedtok greedwmc",
        "",
    ]


@pytest.mark.long
def test_zsh(shell):
    lines = shell(
        "zsh",
        "-f",
        script="compdef() { print $* }\n"  # what zsh's own completion would be told
        "compadd() { print -rl $completions }\n"
        "_describe() { print -rl $completions_with_descriptions }\n"
        'eval "$(_PARTCOVER_COMPLETE=zsh_source partcover)"\n'
        "words=(partcover gre) CURRENT=2\n"
        "_partcover_completion\n"
        "words=(partcover export v.json --to hu) CURRENT=5\n"
        "_partcover_completion",
    )
    assert lines == [
        "_partcover_completion partcover",
        "greedtok:Choose a vocabulary in seconds with the greedy method GreedTok.",
        "greedwmc:Choose a vocabulary with GreedWMC, whose tokens may overlap.",
        "huggingface",
        "",
    ]


@pytest.mark.long
def test_fish(shell):
    lines = shell(
        "fish",
        "--no-config",
        script="_PARTCOVER_COMPLETE=fish_source partcover | source\n"
        'complete --do-complete "partcover gre"',
    )
    assert [line.split("\t")[0] for line in lines] == ["greedtok", "greedwmc", ""]
