"""Tries readers on changed files, each in a process of its own with little memory.

    python tests/fuzz/run.py --tries 10000              every reader in turn
    python tests/fuzz/run.py certificate --seed 7       one of them, other changes
    python tests/fuzz/run.py counts --guided            guided by coverage (pip install atheris)

An input that is neither read nor refused in one line is kept below --keep, and the exit status
is 1.  Put into the reader's folder in `seeds/`, it is tried by the tests from then on.
"""

from __future__ import annotations

import argparse
import shutil
import subprocess
import sys
import tempfile
import time
import traceback
from itertools import islice
from pathlib import Path
from random import Random

sys.path.insert(0, str(Path(__file__).parents[1]))

from fuzz.inputs import SECONDS, attempt, mutants
from fuzz.mutation import changed
from fuzz.targets import SEEDS, TARGETS

COMMANDS = "commands"  # the target that is no reader
MEMORY = 4 << 30  # bytes of address space


def main() -> int:
    """Runs each target in a process of its own; returns the exit status."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument(
        "targets", nargs="*", metavar="TARGET", help=", ".join((*TARGETS, COMMANDS))
    )
    parser.add_argument("--tries", type=int, default=3000, help="for each (3000)")
    parser.add_argument("--seed", type=int, default=0, help="of the changes (0)")
    parser.add_argument("--keep", type=Path, default=Path("fuzz-found"), help="(fuzz-found)")
    parser.add_argument("--guided", action="store_true", help="by coverage, with atheris")
    parser.add_argument("--inside", type=Path, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.inside is not None:
        work = guided if arguments.guided else at_random
        if arguments.targets[0] == COMMANDS:
            work = command_lines
        return work(arguments.targets[0], arguments.inside, arguments.tries, arguments.seed)
    status = 0
    for target in arguments.targets or (*TARGETS, COMMANDS):
        with tempfile.TemporaryDirectory() as folder:
            command = [sys.executable, __file__, target, "--inside", folder]
            command += ["--tries", str(arguments.tries), "--seed", str(arguments.seed)]
            done = subprocess.run(command + ["--guided"] * arguments.guided, check=False)
            if done.returncode:
                status = 1
                arguments.keep.mkdir(parents=True, exist_ok=True)
                kept = arguments.keep / f"{target}-{time.time_ns()}"
                shutil.copytree(folder, kept, symlinks=True)
                print(f"{target}: exit status {done.returncode}, the input is in {kept}")
    return status


def at_random(target: str, folder: Path, tries: int, seed: int) -> int:
    """Tries changed seeds; returns 1 at the first defect."""
    limit_memory()
    for path in islice(mutants(target, folder, Random(seed)), tries):
        try:
            attempt(target, path)
        except BaseException:
            traceback.print_exc()
            return 1
    print(f"{target}: {tries:,} inputs", flush=True)
    return 0


def command_lines(_: str, folder: Path, tries: int, seed: int) -> int:
    """Tries commands with arguments that nobody means; returns 1 at the first defect."""
    from fuzz.arguments import any_arguments, any_command  # a second, for this target alone
    from fuzz.sandbox import Sandbox

    limit_memory()
    draw = Random(seed)
    folder.joinpath("sandbox").mkdir()
    sandbox = Sandbox(folder / "sandbox")
    for _ in range(tries):
        arguments = any_arguments(any_command(draw), draw)
        try:
            sandbox.attempt(arguments)
        except BaseException:
            traceback.print_exc()
            print(arguments, file=sys.stderr)
            return 1
    print(f"{COMMANDS}: {tries:,} command lines", flush=True)
    return 0


def guided(target: str, folder: Path, tries: int, seed: int) -> int:
    """Tries inputs that reach new branches, with libFuzzer; files alone, no folders."""
    import atheris

    atheris.instrument_all()
    kept = [path for path in sorted((SEEDS / target).iterdir()) if path.is_file()]
    names = sorted({path.suffix for path in kept})
    corpus = folder.parent / f"{folder.name}-corpus"  # the ending in front of the bytes
    corpus.mkdir()
    for path in kept:
        corpus.joinpath(path.name).write_bytes(
            bytes([names.index(path.suffix)]) + path.read_bytes()
        )

    def one(data: bytes) -> None:
        for old in folder.iterdir():
            old.unlink()
        path = folder / f"input{names[data[0] % len(names)] if data else ''}"
        path.write_bytes(data[1:])
        attempt(target, path)

    def change(data: bytes, size: int, chance: int) -> bytes:
        draw = Random(chance)
        if not data or draw.random() < 0.3:
            return bytes(atheris.Mutate(data, size))
        ending = names[data[0] % len(names)]
        return (data[:1] + changed(data[1:], f"input{ending}", draw))[:size]

    options = [f"-runs={tries}", f"-timeout={SECONDS}", f"-seed={seed + 1}"]
    options += [f"-rss_limit_mb={MEMORY >> 20}", "-max_len=40000", f"-artifact_prefix={folder}/"]
    atheris.Setup([sys.argv[0], *options, str(corpus)], one, custom_mutator=change)
    try:
        atheris.Fuzz()
    finally:
        shutil.rmtree(corpus, ignore_errors=True)
    return 0


def limit_memory() -> None:
    """Limits the memory of this process, where the system can."""
    try:
        import resource
    except ImportError:
        return
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))


if __name__ == "__main__":
    sys.exit(main())
