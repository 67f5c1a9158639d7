"""Files of commands: outputs are checked before work, are never inputs, and are saved first."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import click
import pytest
from cli.helpers import COMMANDS, TEXT, fails

from partcover import InputError
from partcover.cli.paths import GroupText, ReadablePath, WritablePath, check_apart, check_paths

OUTPUTS = [
    (name, option)
    for name, command in COMMANDS.items()
    for option in command.params
    if isinstance(option.type, WritablePath)
]
IDS = [f"{name} {option.opts[0]}" for name, option in OUTPUTS]
FULL = pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")


def arguments(name, command, source):
    """Arguments that a command takes, every file it reads being `source`."""
    words = name.split()
    for parameter in command.params:
        kind = parameter.type
        value = source if isinstance(kind, ReadablePath) else "1"
        if isinstance(kind, click.Choice):
            value = kind.choices[0]
        if isinstance(parameter, click.Argument):
            words.append(value)
        elif parameter.required and parameter.opts[0] != "--to":
            words += [parameter.opts[0], value]
    return [*words, "--to", "tiktoken"] if name == "export" else words


def reads(name):
    """The parameters by which a command reads files."""
    return [p for p in COMMANDS[name].params if isinstance(p.type, ReadablePath)]


@pytest.mark.parametrize(
    ("name", "option"),
    [
        pytest.param(name, option, id=id_)
        for (name, option), id_ in zip(OUTPUTS, IDS, strict=True)
        if reads(name)
    ],
)
def test_no_output_is_an_input(run, counts, tmp_path, name, option):
    """By its name, another path, a link and a hard link; and nothing is done."""
    os.link("C.tsv", "hard.tsv")
    (tmp_path / "soft.tsv").symlink_to("C.tsv")
    (tmp_path / "folder").mkdir()
    before = (tmp_path / "C.tsv").read_bytes()
    words = arguments(name, COMMANDS[name], "C.tsv")
    if "C.tsv" not in words:
        words += [reads(name)[0].opts[0], "C.tsv"]
    for other in ("C.tsv", "folder/../C.tsv", "hard.tsv", "soft.tsv"):
        result = run(*words, option.opts[0], other)
        fails(result, option.opts[0], other, "would overwrite an input", "name another file")
    assert (tmp_path / "C.tsv").read_bytes() == before


@pytest.mark.parametrize(("name", "option"), OUTPUTS, ids=IDS)
def test_every_output_is_checked_before_work(run, counts, name, option, monkeypatch):
    work = "it began to work"
    monkeypatch.setattr(COMMANDS[name], "callback", lambda **_: pytest.fail(work))
    words = arguments(name, COMMANDS[name], "C.tsv")
    fails(run(*words, option.opts[0], "no/such.out"), "no/such.out", "no folder no")
    fails(run(*words, option.opts[0], "x" * 300), "xxx", "cannot be written", "too long")


@pytest.mark.parametrize("name", [n for n, option in OUTPUTS if "--plot" in option.opts])
def test_the_ending_of_a_plot_is_checked_before_work(run, name):
    words = arguments(name, COMMANDS[name], "none.tsv")
    fails(run(*words, "--plot", "figure.doc"), "figure.doc: the file of a plot must end in .png")


@pytest.mark.long
@pytest.mark.parametrize(("name", "option"), OUTPUTS, ids=IDS)
def test_no_output_is_another(run, counts, tmp_path, name, option):
    others = [o for n, o in OUTPUTS if n == name and o is not option]
    for other in others:
        words = arguments(name, COMMANDS[name], "C.tsv")
        result = run(*words, option.opts[0], "same.svg", other.opts[0], "./same.svg")
        fails(result, "same.svg", "name another file")
        assert not (tmp_path / "same.svg").exists()


@pytest.mark.skipif(not Path("/dev/zero").exists(), reason="needs /dev/zero")
@pytest.mark.parametrize(
    "name",
    [name for name in COMMANDS if reads(name) and not isinstance(reads(name)[0].type, GroupText)],
)
def test_a_device_without_an_end_is_no_input(run, counts, tmp_path, name):
    (tmp_path / "zero").symlink_to("/dev/zero")
    words = arguments(name, COMMANDS[name], "zero")
    if "zero" not in words:
        words += [reads(name)[0].opts[0], "zero"]
    fails(run(*words), "zero: this device never ends: name a file")


@pytest.mark.parametrize("option", ["-o", "--group=x=1:", "--required="])
def test_no_file_has_a_zero_byte_in_its_name(run, counts, option):
    """No system passes it on, but whoever calls `main` may."""
    fails(run("greedtok", counts, "-k", "1", f"{option}a\0b"), "a\\x00b", "zero byte")


@pytest.mark.skipif(sys.platform != "linux", reason="names of files are UTF-8")
def test_names_that_are_not_utf8(run, tmp_path):
    text, words, saved = map(os.fsdecode, (b"\xe9.txt", b"\xe9.tsv", b"\xe9.json"))
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder" / text).write_text(TEXT)
    for arguments in (
        ("count", "folder", "-o", words, "--quiet"),
        ("greedtok", words, "-k", "2", "-o", saved, "--quiet"),
        ("import", saved, "-o", "v.json", "--quiet"),
        ("report", words, saved, "-o", "report.html", "--quiet"),
    ):
        status, _, error = run(*arguments)
        assert (status, error) == (0, "")
    manifest = json.loads((tmp_path / f"{words}.manifest.json").read_bytes())
    assert manifest["inputs"][0]["path"] == f"folder/{text}"
    assert json.loads((tmp_path / "v.json").read_bytes())["provenance"]["corpus"] == words
    assert "\\udce9.tsv" in (tmp_path / "report.html").read_text("utf-8")


def test_a_forgotten_file_name_is_not_the_next_option(run, counts, tmp_path):
    fails(run("greedtok", counts, "-k", "1", "-o", "--json"), "'--json' looks like an option")
    assert not (tmp_path / "--json").exists()
    assert run("greedtok", counts, "-k", "1", "-o", "./--json")[0] == 0
    assert (tmp_path / "--json").exists()


def test_special_files_are_no_files(run, counts):
    null = ("--events", "/dev/null", "-o", "/dev/null", "--write-certificate", "/dev/null")
    assert run("improve", counts, "-k", "3", *null, "--quiet")[0] == 0
    status, out, _ = run("greedtok", counts, "-k", "3", "-o", "-", "--quiet")
    assert (status, "tokens" in json.loads(out)) == (0, True)
    fails(run("greedtok", counts, "-k", "3", "-o", "-", "--json"), "both write to standard output")


def test_folders_of_inputs_are_not_written(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "here").mkdir()
    (tmp_path / "here" / "v.json").write_text("{}")
    source = click.Option(["--in", "source"], type=ReadablePath())
    target = click.Option(["-o", "target"], type=WritablePath("FOLDER"))
    with pytest.raises(InputError, match="it contains"):
        check_paths([source, target], {"source": "here/v.json", "target": "here"})
    check_paths([source, target], {"source": "v.json", "target": "here"})
    check_apart([("-o", "here/w.json")], [("--in", "here/v.json")])


def test_no_output_is_a_file_of_a_folder_that_is_read(run, counts, tmp_path):
    (tmp_path / "folder" / "deep").mkdir(parents=True)
    text = tmp_path / "folder" / "deep" / "text.txt"
    text.write_text(TEXT)
    run("greedtok", counts, "-k", "3", "-o", "V.json")
    for command_line in (("count", "folder"), ("encode", "V.json", "folder")):
        result = run(*command_line, "-o", "folder/deep/text.txt")
        fails(result, "folder/deep/text.txt", "would overwrite")
        assert text.read_text() == TEXT
    for _ in range(2):  # a name that is not read is no input, the second time either
        assert run("count", "folder", "-o", "folder/C.tsv", "--quiet")[0] == 0
    again = run("count", "folder", "--all-files", "-o", "folder/C.tsv", "--quiet")
    fails(again, "folder/C.tsv", "would overwrite")


def test_the_folder_of_a_tokenizer_is_an_input(run, counts, tmp_path):
    """Its file is not overwritten; another output may be there before."""
    pytest.importorskip("tokenizers")
    (tmp_path / "text.txt").write_text(TEXT)
    run("train", counts, "-k", "3", "--method", "bpe", "-o", "V.json")
    assert run("export", "V.json", "--to", "huggingface", "-o", "hf")[0] == 0
    before = (tmp_path / "hf" / "tokenizer.json").read_bytes()
    for command_line in (
        ("import", "hf"),
        ("export", "hf", "--to", "huggingface"),
        ("extend", "hf", "text.txt", "-m", "1"),
        ("encode", "hf", "text.txt"),
    ):
        fails(run(*command_line, "-o", "hf/tokenizer.json"), "hf/tokenizer.json", "would overwrite")
        assert (tmp_path / "hf" / "tokenizer.json").read_bytes() == before
        for _ in range(2):
            assert run(*command_line, "-o", "out.json")[0] == 0


def test_what_group_reads_is_an_input(run, counts, tmp_path):
    (tmp_path / "tokens.txt").write_text("the\n")
    command_line = ("greedtok", counts, "-k", "3", "--group", "few=2:tokens.txt")
    fails(run(*command_line, "-o", "tokens.txt"), "an input of --group")
    assert (
        run("greedtok", counts, "-k", "3", "--group", "few=2:2-4", "-o", "2-4", "--quiet")[0] == 0
    )


def partcover(*words, stdout=subprocess.PIPE, **environment):
    return subprocess.run(
        [sys.executable, "-m", "partcover", *map(str, words)],
        stdout=stdout,
        stderr=subprocess.PIPE,
        env={**os.environ, **environment},
    )


def cannot_be_printed(stderr, saved):
    """What is said is that it is saved, where it is, and that standard output is full."""
    lines = stderr.splitlines()
    assert lines[-1] == "partcover: standard output: No space left on device"
    assert not [line for line in lines if not line.startswith("partcover: ")]
    assert Path("saved.out").exists() == saved == ("partcover: wrote saved.out" in lines)
    assert not saved or Path("saved.out").stat().st_size


@pytest.mark.long
@FULL
@pytest.mark.parametrize(
    "command_line",
    [
        ("greedtok", "C.tsv", "-k", 3),
        ("improve", "C.tsv", "-k", 3, "--json"),
        ("solve", "C.tsv", "-k", 3, "--write-certificate", "P.cert"),
        ("compare", "C.tsv", "-k", 3, "--format", "csv"),
        ("inspect", "V.json", "C.tsv"),
        ("generate", "cycle", 4),
        ("solvers",),
        ("count", "text.txt"),
        ("worst", "-k", 1, "--words", 1, "--length", 3),
        ("--help",),
    ],
    ids=lambda command_line: command_line[0],
)
def test_output_that_cannot_be_printed_is_saved(run, counts, monkeypatch, command_line):
    run("greedtok", counts, "-k", 3, "-o", "V.json")
    saved = command_line[0] not in ("--help", "count")
    more = ("-o", "saved.out") if saved else ()
    with open("/dev/full", "w") as full:
        monkeypatch.setattr("sys.stdout", full)
        status, out, error = run(*command_line, *more)
    assert (status, out) == (2, "")
    cannot_be_printed(error, saved)


@pytest.mark.long
@FULL
def test_a_process_whose_output_cannot_be_printed_ends_with_one_line(run, counts):
    with open("/dev/full", "w") as full:
        done = partcover("greedtok", counts, "-k", 3, "-o", "saved.out", stdout=full)
    assert done.returncode == 2
    cannot_be_printed(done.stderr.decode(), True)


ENCODED = """
import os, sys
from partcover.cli.main import entry
for line in sys.stdin.read().splitlines():
    sys.argv = ["partcover", *line.split()]
    try: entry()
    except SystemExit as stop: assert stop.code == 0
    os.write(1, b"\\0")
    os.write(2, b"\\0")
"""


@pytest.mark.long
@pytest.mark.parametrize(
    "environment",
    [
        {"PYTHONIOENCODING": "latin-1"},
        {"PYTHONIOENCODING": "ascii"},
        {"LC_ALL": "C", "PYTHONUTF8": "0"},
        {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"},
    ],
    ids=str,
)
def test_any_encoding_of_standard_output(tmp_path, environment):
    (tmp_path / "C.tsv").write_text("déjàvu\t3\n日本語日本語\t5\n", encoding="utf-8")
    common = "greedtok C.tsv -k 2 -o V.json"
    command_lines = [
        *(f"{common} --{how}" for how in ("json", "format csv", "format markdown")),
        "improve C.tsv -k 2 --events E.jsonl",
        common,
    ]
    done = subprocess.run(
        [sys.executable, "-c", ENCODED],
        input="\n".join(command_lines).encode(),
        capture_output=True,
        env={**os.environ, **environment},
        cwd=tmp_path,
    )
    assert done.returncode == 0
    data, *texts, last = done.stdout.split(b"\0")
    assert (len(texts), all(texts), last) == (4, True, b"")
    remarks = done.stderr.split(b"\0")
    assert remarks == [*[b"partcover: wrote V.json\n"] * 3, b"", b"partcover: wrote V.json\n", b""]
    saved = json.loads((tmp_path / "V.json").read_text("utf-8"))
    assert json.loads(data)["vocabulary"] == saved["tokens"] == ["日本語日本語", "déjàvu"]


@pytest.mark.parametrize("command_line", [("solvers",), ("solvers", "--json")], ids=len)
def test_a_closed_pipe_is_no_error(run, monkeypatch, command_line):
    read, write = os.pipe()
    os.close(read)
    with os.fdopen(write, "w") as pipe:
        monkeypatch.setattr("sys.stdout", pipe)
        assert run(*command_line) == (0, "", "")


@pytest.mark.long
def test_a_process_whose_reader_has_gone_ends_without_an_error(counts):
    read, write = os.pipe()
    os.close(read)
    with os.fdopen(write, "wb") as pipe:
        for command_line in (("--help",), ("count", "text.txt")):
            done = partcover(*command_line, stdout=pipe)
            assert done.returncode == 0
            assert b"Traceback" not in done.stderr
            assert b"Exception" not in done.stderr
