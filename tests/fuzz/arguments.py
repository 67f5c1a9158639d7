"""Makes arguments that nobody means, from the parameters that commands declare."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from random import Random

import click
from cli.helpers import COMMANDS

from partcover.cli.declared import CANDIDATES
from partcover.cli.main import cli
from partcover.cli.paths import WritablePath
from partcover.interop.registry import FORMATS

#: All commands by their names, and the groups, of which the outer one has none.
GROUPS = {name: cli.get_command(click.Context(cli), name) for name in ("instances", "records")}
NAMED = {"": cli, **GROUPS, **COMMANDS}
RARE = {"demo", "instances check"}  # take seconds where their arguments do not prevent it


def options(name: str) -> list[click.Option]:
    """Returns the options that a command declares."""
    return [each for each in NAMED[name].params if isinstance(each, click.Option)]


C = "C.tsv -k 2"
BOTH = "A.tsv B.tsv -k 2 --minimax"
CONDITIONS = [each.name for each in options("bound") if each.heading == CANDIDATES]
#: Lines of arguments of each command, on the files of a `Sandbox`. The first works, and with one
#: option more on one of them, so does every option.
LINES: dict[str, list[str]] = {
    "": ["--version"],
    "audit": ["bpe.json text.txt --time-limit 0", "bpe.json text.txt -o out.html"],
    "bound": [
        f"{C} --iterations 9",
        f"{C} -o p.cert --iterations 9",
        f"{C} --head 2 --iterations 2",
        BOTH,
    ],
    "claim": [f"{C} --baseline 9 --claimed 11%", "C.tsv --baseline V.json --claimed V.json"],
    "compare": [f"{C} --methods greedtok,bpe", f"{C} --methods greedtok --bound 0 --sets"],
    "count": ["text.txt", "text.txt -o out.tsv", "A.tsv B.tsv --merge"],
    "decode": ["V.json ids.txt", "V.json bare.bin"],
    "demo": [""],
    "encode": [
        "V.json text.txt",
        "V.json text.txt -o out.bin",
        "V.json text.txt -o out.json",
        "V.json text.txt --special text",
    ],
    "export": ["V.json --to list -o out.txt", "V.json --to huggingface -o out"],
    "extend": ["bpe.json text.txt -m 1", "bpe.json text.txt -m 1 --keep more.txt"],
    "formulations": [f"{C} --solvers highs"],
    "generate": ["cycle 5"],
    "greedtok": [C, BOTH],
    "greedwmc": [C],
    "import": ["bpe.json"],
    "improve": [
        C,
        BOTH,
        f"{C} --head 2",
        f"{C} -o v.json",
    ],
    "inspect": [
        "V.json C.tsv",
        "V.json C.tsv --diff bpe.json",
    ],
    "instances": ["--help"],
    "instances check": ["papaya-impact"],
    "instances list": [""],
    "instances show": ["papaya-impact"],
    "prices": [f"{C} --certificate {name}.cert banana" for name in ("P", *CONDITIONS)],
    "prune": ["bpe.json text.txt -k 1"],
    "ratio": [C],
    "records": ["--help"],
    "records check": ["record.json C.tsv -k 64 --vocab V.json", "emma C.tsv -k 64"],
    "records list": [""],
    "records run": ["record.json C.tsv -k 64"],
    "records show": ["persuasion", "record.json"],
    "reduce": [
        "graph.txt -k 2",
        "formula.cnf --problem max-2-sat -k 1",
        "--lift R.json S.json",
    ],
    "report": ["C.tsv V.json", "C.tsv V.json -o out.html"],
    "reproduce": ["tokens-per-word C.tsv -k 1", "d C.tsv -k 9", "all C.tsv -k 1 -o all.json"],
    "score": ["V.json text.txt --pretokenizer gpt2 --time-limit 0"],
    "solve": [
        C,
        BOTH,
        f"{C} --goal decision --threshold 9",
        f"{C} -o v.json",
    ],
    "solvers": [""],
    "train": [f"{C} --method bpe", f"{C} --method unigram", f"{C} --method convextok"],
    "verify": [
        f"{C} --vocab S.sol --model m.mps",
        f"{C} --certificate P.cert",
        f"{C} --certificate H.cert",
        f"{BOTH} --vocab V.json",
        "text.txt --vocab E.json --certificate E.cert",
    ],
    "worst": ["-k 1 --words 2 --length 3 --restarts 1"],
}
#: Values that work, by the option's name in Python, where its type does not say them.
FITTING: dict[str, list[str]] = {
    "at_most": ["1%"],
    "gap": ["50%", "0"],
    "max_gap": ["90%"],
    "candidates": ["tokens.txt", "V.json"],
    "certificate": ["P.cert", "E.cert"],
    "certificates": ["P.cert"],
    "corpus": ["C.tsv"],
    "diff": ["bpe.json"],
    "end_of_document": ["<s>"],
    "engine": ["threads", "processes"],
    "format_": ["huggingface", *FORMATS],
    "forbidden": ["tokens.txt"],
    "formulation": ["path", "occurrence", "wmc", "printed"],
    "groups": ["short=1:2-3", "some=1:tokens.txt"],
    "held_out": ["B.tsv"],
    "keep": ["more.txt"],
    "keep_weight": ["1/3"],
    "ks": ["1", "1,2"],
    "memory": ["1GB"],
    "method": ["greedtok", "bpe"],
    "methods": ["greedtok", "bpe,unigram,improve"],
    "model": ["m.mps"],
    "normalizer": ["NFC"],
    "protected": ["whole.txt"],
    "phrases": ["2", "all"],
    "pretokenizer": ["gpt2", "space-prefix+digit"],
    "reference": ["6", "4,5"],
    "rules": ["own", "longest"],
    "settings": ["shrink=0.8"],
    "solver": ["highs"],
    "solvers": ["highs"],
    "split": ["0.3", "30%"],
    "start": ["V.json"],
    "start_certificate": ["P.cert", "U.cert"],
    "text": ["text.txt"],
    "train": ["text.txt"],
    "vocab": ["V.json"],
    "vocabs": ["V.json"],
    "weights": ["weights.tsv"],
    "write_model": ["m.lp", "out.mps"],
}
TEXTS = [
    "", " ", "-", "--", "-x", "--nothing", "\x00", "a\x00b", "\x1b[2J", "\n", "a\nb", "\udcff",
    "é\U0010ffff", "\u202e", "%s%n", "{0}", "$(x)", "~", "*", "[", "{}", "[1]", "null", "a" * 300,
    "a" * 5000, "x=", "=", ":", "x=1:C.tsv", "x=-1:2-3", ",", "1,,2", "all", "bytes", "ints",
]  # fmt: skip
NUMBERS = [
    "0", "-0", "1", "-1", "-3", "3", "0.5", "-0.5", "1.0", "1e3", "1e999", "-1e999", "1e-400",
    "nan", "-nan", "inf", "-inf", "1_0", "0x10", "٣", "²", "true", "1-", "-", "2-1",
    "1-9999999999", str(2**31 - 1), str(2**31), str(2**32), str(2**63 - 1), str(2**63),
    str(-(2**63) - 1), "9" * 30, "9" * 5000, "1" + "0" * 30 + "GB",
]  # fmt: skip
PATHS = [
    ".", "..", "folder", "odd", "folder/", "./C.tsv", "nowhere", "nowhere/f.json", "C.tsv/x",
    "empty", "zeros", "loop", "dangling", "noise", "/dev/null", "/dev/full", "/dev/zero",
    "/dev/fd/99", "/proc/nothing/x", "C.tsv", "I.json", "V.json", "P.cert", "text.txt", "a.csv",
    "s3://a/b", "file:///a", "x" * 255 + ".json", "\udcff.tsv", "a\tb.json", "\x07.json",
]  # fmt: skip
HOSTILE = [*TEXTS, *NUMBERS, *PATHS]
UNLIMITED = {"gap"}  # where a time limit excludes a certificate


def fitting(option: click.Option) -> list[str | None]:
    """Returns values that an option takes on some of its lines; None is that of a flag."""
    kind = option.type
    if option.is_flag:
        return [None]
    if isinstance(kind, click.Choice):
        return list(kind.choices)
    if option.name in FITTING:
        return list(FITTING[option.name])
    if isinstance(kind, WritablePath):
        return {"FIGURE": ["out.svg"], "FOLDER": ["folder"], "DIR": ["folder"]}.get(
            kind.kind, ["new.json"]
        )
    if isinstance(kind, click.FloatRange | click.types.FloatParamType):
        return ["0", "0.5"]
    return ["2"] if isinstance(kind, click.types.IntParamType) else ["tokens.txt"]


def given(option: click.Option, value: str | None) -> list[str]:
    """Returns the arguments that give an option a value."""
    name = option.opts[-1]
    if value is None:
        return [name]
    return [f"{name}={value}"] if name.startswith("--") else [name, value]


def every_hostile(name: str) -> Iterator[list[str]]:
    """Yields lines of a command with each hostile value for each argument and option."""
    lines = itertools.cycle(LINES[name])
    for value in HOSTILE:
        line = next(lines).split()
        for at in range(len(line) + 1):
            yield complete(name, [*line[:at], value, *line[at + 1 :]])
    for option in options(name):
        for value in [] if option.is_flag else HOSTILE:
            yield complete(name, [*next(lines).split(), *given(option, value)])


def any_arguments(name: str, draw: Random) -> list[str]:
    """Returns a line of a command with arguments changed and options added at random."""
    line = draw.choice(LINES[name]).split()
    for _ in range(draw.choice([0, 0, 1, 2])):
        at = draw.randrange(len(line) + 1)
        line[at : at + draw.randrange(2)] = draw.choices(HOSTILE, k=draw.choice([0, 1, 1]))
    declared = options(name)
    for option in draw.sample(declared, min(len(declared), draw.choice([0, 1, 1, 2, 4]))):
        value = draw.choice(fitting(option))
        if value is not None and draw.random() < 0.6:
            value = draw.choice(HOSTILE)
        line += given(option, value)
    return complete(name, line)


def any_command(draw: Random) -> str:
    """Returns the name of a command, seldom one that takes long."""
    name = draw.choice(list(NAMED))
    return draw.choice(list(NAMED)) if name in RARE and draw.random() < 0.95 else name


def complete(name: str, line: Sequence[str]) -> list[str]:
    """Returns all arguments: the command, and a time limit where it may have one and has none."""
    takes = any(option.name == "time_limit" for option in options(name))
    has = name in UNLIMITED or any("time-limit" in each for each in line)
    return [*name.split(), *(["--time-limit", "0.1"] if takes and not has else []), *line]
