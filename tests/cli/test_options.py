"""Every command's options: each has an effect, a heading, one meaning; examples that run."""

from __future__ import annotations

import inspect
import json
import re
import shlex
import subprocess
import sys
from pathlib import Path

import click
import pytest
from cli.helpers import COMMANDS, TEXT, fails

from partcover import (
    Certificate,
    Corpora,
    Instance,
    Vocabulary,
    WordCounts,
    greedtok,
    lower_bound,
    solve,
)
from partcover.cli.command import Command
from partcover.cli.declared import declared
from partcover.cli.paths import ReadablePath, WritablePath
from partcover.instances.records import Record

# which commands make use of them: of threads, and of a seed
THREADS = {
    "count", "greedtok", "greedwmc", "improve", "train", "solve", "bound", "encode",
    "inspect", "score", "compare", "ratio", "formulations", "reproduce", "report", "demo",
    "audit", "claim", "extend", "prune", "verify", "records run",
}  # fmt: skip
SEED = {
    "generate", "improve", "train", "solve", "encode", "compare", "ratio", "formulations", "worst",
    "reproduce", "report", "demo", "records run",
}  # fmt: skip
NO_TABLE = {
    "count", "encode", "decode", "export", "import", "report", "instances check", "records check",
}  # fmt: skip


def names_of(command):
    return {name for option in command.params for name in option.opts if name.startswith("-")}


@pytest.mark.parametrize("name", COMMANDS)
def test_options_are_where_they_have_an_effect(name):
    names = names_of(COMMANDS[name])
    assert names >= {"--json", "--quiet", "-o"}
    assert ("--threads" in names) == (name in THREADS)
    assert ("--seed" in names) == (name in SEED)
    assert {"--wide"} <= names if name not in NO_TABLE else "--wide" not in names
    if name not in NO_TABLE:
        (form,) = [o for o in COMMANDS[name].params if "--format" in o.opts]
        assert set(form.type.choices) == {"table", "csv", "markdown", "json"}


def command_line_source(module):
    """The source of a command's module and of what it imports from partcover.cli."""
    modules = {module}
    for value in vars(module).values():
        if (getattr(value, "__module__", None) or "").startswith("partcover.cli."):
            modules.add(sys.modules[value.__module__])
    return "".join(map(inspect.getsource, modules))


@pytest.mark.parametrize("name", COMMANDS)
def test_offered_is_used(name):
    """What is offered is read by the module of the command, as `out.threads` and `out.seed`."""
    text = command_line_source(sys.modules[COMMANDS[name].callback.__module__])
    for option, used in (("--threads", "out.threads"), ("--seed", "out.seed")):
        if option in names_of(COMMANDS[name]):
            assert used in text or "out.run(" in text


def test_one_name_has_one_meaning():
    for name, command in COMMANDS.items():
        for option in command.params:
            names = set(option.opts)
            if names & {"--certificate", "--start", "--start-certificate", "--vocab"}:
                assert isinstance(option.type, ReadablePath), (name, names)
            if names & {"-o", "--write-certificate", "--write-model", "--events", "--plot"}:
                assert isinstance(option.type, WritablePath), (name, names)
            if option.name in ("corpus", "corpora", "vocabulary", "files", "file", "tokenizer"):
                assert isinstance(option.type, ReadablePath), (name, option.name)
            if option.metavar in ("FILE", "P.cert", "V.json", "C.tsv", "M.mps|M.lp"):
                assert isinstance(option.type, ReadablePath | WritablePath), (name, names)
    for name in ("bound", "improve", "solve"):
        assert "--gap" in names_of(COMMANDS[name])
    for name in ("solve", "improve"):
        assert {"--write-certificate", "--start"} <= names_of(COMMANDS[name])
    for name in ("verify", "compare", "prices"):
        assert "--certificate" in names_of(COMMANDS[name])


@pytest.mark.parametrize("text", ["٣", "1_0", "２", "-1_0", "0_1.5"])
def test_numbers_are_ascii_digits(text):
    """Python reads other digits and underscores, too."""
    tried = 0
    for command in COMMANDS.values():
        with click.Context(command) as context:
            for parameter in command.params:
                if isinstance(
                    parameter.type, click.types.IntParamType | click.types.FloatParamType
                ):
                    given = [text] if parameter.multiple or parameter.nargs != 1 else text
                    with pytest.raises(
                        click.BadParameter, match=r"is not a valid (integer|number)"
                    ):
                        parameter.type_cast_value(context, given)
                    tried += 1
    assert tried > 100


@pytest.mark.parametrize(
    ("line", "part"),
    [
        ("greedtok C.tsv -k 2 --group a=٣:2-3", "expected NAME=N:WHAT"),
        ("greedtok C.tsv -k 2 --group a=1:2-٣", "2-٣: cannot be read"),
        (f"greedtok C.tsv -k 2 --group a={'9' * 5000}:2-3", "limit is 99999999999999999999"),
        ("compare C.tsv -k ٣", "expected whole numbers and ranges separated by commas"),
        ("train C.tsv -k 2 --method unigram --option shrink=0_1", "shrink is '0_1'"),
        ("train C.tsv -k 2 --method unigram --option em_rounds=1_0", "em_rounds is '1_0'"),
        (
            "greedtok I.tsv -k 1 --symbols ints --required T.txt",
            "T.txt:1: '1 ٣' is not a word over",
        ),
        (
            "greedtok C.tsv D.tsv -k 1 --minimax --reference ٣,1",
            "whole numbers separated by commas",
        ),
        (
            "greedtok C.tsv D.tsv -k 1 --minimax --reference 9223372036854775808,1",
            "9223372036854775808 is too large: at most 9,223,372,036,854,775,807 (2^63 - 1)",
        ),
    ],
)
def test_numbers_within_texts(run, tmp_path, line, part):
    (tmp_path / "C.tsv").write_text("abc\t2\n")
    (tmp_path / "D.tsv").write_text("abd\t2\n")
    (tmp_path / "I.tsv").write_text("1 2 3\t2\n")
    (tmp_path / "T.txt").write_text("1 ٣\n")
    fails(run(*line.split()), part)


def test_options_that_a_command_does_not_have(run):
    for command, option in (("solvers", "--seed"), ("decode", "--seed"), ("decode", "--threads")):
        fails(run(command, option, 1), "No such option", option)
    fails(run("bound", "C.tsv", "--iteration", 1), "Did you mean", "--iterations")


CHOICES = [
    (name, option)
    for name, command in COMMANDS.items()
    for option in command.params
    if isinstance(option.type, click.Choice)
]


@pytest.mark.parametrize(("name", "option"), CHOICES, ids=lambda each: getattr(each, "name", each))
def test_a_choice_that_is_nearly_right_is_suggested(name, option):
    for choice in option.type.choices:
        for typed in (f"{choice}s", choice.upper()):
            if typed not in option.type.choices:
                with pytest.raises(click.BadParameter, match=f"did you mean {choice}\\?"):
                    option.type.convert(typed, option, None)
    every = re.escape(", ".join(map(repr, option.type.choices)))
    with pytest.raises(click.BadParameter, match=f"'§' is not one of {every}"):
        option.type.convert("§", option, None)


@pytest.mark.parametrize(
    ("line", "suggestion"),
    [
        ("export V.json -o out --to huggingfase", "huggingface"),
        ("import V.json --from tiktokn", "tiktoken"),
        ("count text.txt --pretokenizer O200K", "o200k"),
        ("count text.txt --pretokenizer space-prefix+digits", "digit"),
        ("count text.txt --normalizer stripaccent", "StripAccents"),
        ("compare C.tsv -k 2 --methods greedtok,gredwmc", "greedwmc"),
        ("compare C.tsv -k 2 --rules own,priorities", "priority"),
        ("solve C.tsv -k 2 --solver cpsat", "cp-sat"),
        ("solve C.tsv -k 2 --formulation paths", "path"),
        ("formulations C.tsv -k 2 --solvers higs", "highs"),
        ("greedtok C.tsv D.tsv -k 2 --minimax --reference byte", "bytes"),
        ("bound C.tsv -k 2 --head 2 --threads 2 --engine process", "processes"),
        ("generate cycles 5", "cycle"),
        ("reproduce token-per-words C.tsv", "tokens-per-word"),
        ("instances show papaya-inpact", "papaya-impact"),
        ("records show persuation", "persuasion"),
    ],
)
def test_a_name_that_is_nearly_right_is_suggested(run, counts, line, suggestion):
    Path("V.json").write_text('{"tokens": ["at"]}')
    Path("D.tsv").write_text("at\t1\n")
    fails(run(*line.split()), f": did you mean {suggestion}?")


@pytest.mark.parametrize("name", ["", *COMMANDS])
def test_help_fits_and_has_headings(run, name, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    status, out, _ = run(*name.split(), "--help")
    assert status == 0
    assert max(map(len, out.splitlines())) <= 80
    if not name:
        assert "..." not in out.partition("Options:")[2]
        for heading in (
            "Data:",
            "Choose a vocabulary:",
            "Prove",
            "Use a vocabulary:",
            "Adapt",
            "Study:",
        ):
            assert f"\n{heading}" in out
    else:
        assert "\nExamples:\n" in out
        assert "\nOutput:\n" in out


def files(run):
    """Writes the files that the examples name."""
    Path("book.txt").write_text(TEXT)
    for name in ("book", "small", "law", "de", "en", "fi", "large"):
        run("count", "book.txt", "--pretokenizer", "gpt2", "-o", f"{name}.tsv", "--quiet")
    words = WordCounts.load("book.tsv")
    Record("r", "a book", "", (), words.digest, len(words), 1).save("record.json")
    for name, k in (("v.json", 1000), ("other.json", 4)):
        greedtok(Instance(words, k)).recorded(words).save(name)
    solve(Instance(words, 1000)).certificate.save("p.cert")
    assert Certificate.load("p.cert").k == 1000
    own = greedtok(Instance(words, 1000)).extra["tokens_shortest_path"]
    found = lower_bound(Instance(Corpora([words, words], [own, own]), 1000), time_limit=0)
    found.certificate.save("m.cert")
    Path("graph.txt").write_text("a b\nb c\nb d\nc d\nd e\n")
    Path("F.cnf").write_text("p cnf 3 4\n1 2 0\n-1 3 0\n-2 -3 0\n1 -3 0\n")
    Path("cl100k_base.tiktoken").write_text("YQ== 0\nYg== 1\nYWI= 2\n")
    Vocabulary(["th", " the"], pretokenizer="gpt2").save("tokenizer.json")
    for folder in ("texts", "law"):
        Path(folder).mkdir()
        Path(folder, "book.txt").write_text(TEXT)
    for name in ("news.txt", "other.txt"):
        Path(name).write_text(TEXT)
    for name in ("small.json", "a.json", "b.json", "bpe.json"):
        Vocabulary(["th", " the"], pretokenizer="gpt2").save(name)
    extend = ("extend", "tokenizer.json", "law", "-m", 2, "-o", "new.json", "--quiet")
    run(*extend, "--write-certificate", "new.cert", "--time-limit", 0)
    run("compare", "book.tsv", "-k", 5, "-o", "rows.json", "--quiet")
    run("encode", "v.json", "book.txt", "-o", "book.npy", "--quiet")
    run("reduce", "graph.txt", "-k", 3, "-o", "I.json", "--quiet")
    run("solve", "I.json", "-o", "S.json", "--quiet")


@pytest.fixture
def place(made, tmp_path):
    """A folder with those files."""
    made(files, tmp_path)
    return tmp_path


NEEDS = {"huggingface": "tokenizers", "tiktoken": "tiktoken", "report": "jinja2"}
NEEDS |= {"all.parquet": "pyarrow", "--plot": "matplotlib"}
SMALLER = {
    "emma": "record.json",
    "emma.tsv": "book.tsv",
    "600": "0.5",
    " whale": " cat",
    "10%": "100%",
    "60": "0.5",
    "10": "3",
    "7": "4",
    "100,200": "2",
    "32000": "1",
}


@pytest.mark.long
@pytest.mark.parametrize(
    ("name", "line"),
    [
        (name, line)
        for name, command in COMMANDS.items()
        if name != "demo"  # which has a test of its own
        for line in dict.fromkeys(line for line, _ in command.examples)
    ],
)
def test_examples_run(run, place, name, line):
    program, *arguments = shlex.split(line.partition(" | ")[0])
    assert program == "partcover"
    for word, library in NEEDS.items():
        if word in arguments:
            pytest.importorskip(library)
    status, _, error = run(*(SMALLER.get(word, word) for word in arguments))
    assert status == 0, error


def test_examples_are_of_their_command():
    for name, command in COMMANDS.items():
        assert isinstance(command, Command)
        assert any(line.startswith(f"partcover {name} ") or line == f"partcover {name}"
                   for line, _ in command.examples)  # fmt: skip


@pytest.mark.long
def test_formats_of_a_table(run, place):
    status, out, _ = run("solvers", "--format", "csv")
    assert (status, out.splitlines()[0].split(",")[0]) == (0, "solver")
    assert run("solvers", "--format", "json")[1] == run("solvers", "--json")[1]
    assert run("solvers", "--format", "markdown")[1].startswith("| solver |")
    for file, first in (("t.csv", "solver"), ("t.md", "| solver"), ("t.json", "{")):
        assert run("solvers", "-o", file, "--quiet")[0] == 0
        assert (place / file).read_text().startswith(first)
    status, out, _ = run("greedtok", "book.tsv", "-k", 3, "--format", "csv")
    keys, values = (line.split(",") for line in out.splitlines())
    row = dict(zip(keys, values, strict=True))
    assert (status, row["method"], row["k"]) == (0, "greedtok", "3")
    data = json.loads(run("greedtok", "book.tsv", "-k", 3, "--json")[1])
    assert row["tokens"] == str(data["tokens"])


@pytest.mark.parametrize("name", COMMANDS)
def test_a_csv_is_one_or_refused(name):
    (option,) = [o for o in COMMANDS[name].params if "-o" in o.opts]
    if option.type.kind == "TABLE":
        assert option.type.convert("x.csv", option, None) == "x.csv"
    else:
        with pytest.raises(click.BadParameter, match="does not write CSV"):
            option.type.convert("x.csv", option, None)


@pytest.mark.parametrize("name", sorted(THREADS))
def test_threads_have_a_limit(name):
    """The one of Python: of more, a pool of processes cannot be made."""
    option = next(each for each in COMMANDS[name].params if each.name == "threads")
    with pytest.raises(click.BadParameter, match="1<=x<=1024"):
        option.type.convert(1025, option, None)


@pytest.mark.long
def test_without_docstrings_commands_are_refused():
    """Python with -OO leaves out what declares the options."""
    code = "from partcover.cli.main import main; main(['solvers'])"
    line = [sys.executable, "-OO", "-c", code]
    done = subprocess.run(line, capture_output=True, text=True, check=False)
    expected = "partcover: commands need their docstrings: run Python without -OO\n"
    assert (done.returncode, done.stdout, done.stderr) == (2, "", expected)


def test_a_docstring_declares():
    """Kinds, defaults, names for Python, headings, shared options and their groups, examples."""
    about, parameters, examples = declared(
        """Does something.

        More about it.

        Options:
        file <[C.tsv] = -: Counts.
        --top rows N>=0 = 10: Number
          of rows.
        --keep <FILE...: Text.
        --sort uses|gain (required): Order.
        Output:
        --short: Less.
        --time-limit SECONDS = 2: Time.
        --seed, plain
        $ partcover command  # what it
          does
        """
    )
    assert about == "Does something.\n\nMore about it."
    assert examples == [("partcover command", "what it does")]
    by_name = {each.name: each for each in parameters}
    assert list(by_name) == [
        "file",
        *["rows", "keep", "sort", "short", "time_limit", "seed", "json", "quiet"],
    ]
    assert (by_name["file"].default, by_name["file"].required) == ("-", False)
    rows, keep = by_name["rows"], by_name["keep"]
    assert (rows.opts, rows.help, rows.type.min) == (["--top"], "Number of rows.", 0)
    assert (keep.multiple, keep.help, by_name["sort"].required) == (True, "Text. Repeatable.", True)
    headings = {name: each.heading for name, each in by_name.items() if name != "file"}
    assert headings["short"] == headings["json"] == "Output"
    assert headings["time_limit"] == headings["seed"] == "Limits and execution"
    with pytest.raises(KeyError):
        declared("Does.\n\nOptions:\n--unknown")
