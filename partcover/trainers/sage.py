"""Trains SaGe with its authors' own package: drops the tokens that contexts need least."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterable
from os import PathLike, fspath
from pathlib import Path
from typing import TYPE_CHECKING

from ..corpus.symbols import Token
from ..errors import InputError
from ..problem.instance import Instance
from ..problem.solution import Solution, Termination
from ..runtime.arguments import Seconds, Seed, Threads
from ..runtime.limits import Deadline
from ..runtime.progress import Progress
from ..vocabulary.vocabulary import Vocabulary
from .bpe import bpe
from .trainer import solution_of, trainer

if TYPE_CHECKING:
    from subprocess import CompletedProcess

_MISSING = 77  # exit status if the package, or a library that it needs, is not installed
_BYTES = 256  # single bytes are part of the package's vocabularies

# the package writes logs, data and results below the working directory, seeds global generators
# and starts processes, so it runs in a process and a folder of its own
_PROBE = """
import sys
try:
    import sage_tokenizer.SaGeVocabBuilder
except ImportError as error:
    print(error, file=sys.stderr)
    sys.exit(77)
"""
_RUN = """
import json
from sage_tokenizer.SaGeVocabBuilder import SaGeVocabBuilder

if __name__ == "__main__":
    options = json.load(open("options.json"))
    builder = SaGeVocabBuilder(
        full_vocab_schedule=options["schedule"],
        embeddings_schedule=options["schedule"],
        max_len=options["longest"],
        workers_number=1,
        random_seed=options["seed"],
    )
    builder.build_vocab(
        experiment_name="run",
        corpus_filepath="corpus.txt",
        vocabulary_filepath="start.vocab",
        partial_corpus_line_number=options["thousands"],
    )
"""


def check_sage(instance: Instance, python: str | PathLike[str] | None = None) -> None:
    """Checks that the words are bytes and that the package of `sage` is installed.

    Raises
    ------
    InputError
        As that does.
    """
    if instance.symbols != "bytes":
        raise InputError(f"sage needs words over bytes; these are over {instance.symbols}")
    _call(python or _default_python(), ["-c", _PROBE])


@trainer(
    "sage",
    about="SaGe: remove the tokens that contexts need least (needs sage-tokenizer)",
    requires=check_sage,
)
def sage(
    instance: Instance,
    *,
    time_limit: Seconds | None = None,
    seed: Seed = 0,
    threads: Threads = 1,
    progress: Progress | None = None,
    python: str | PathLike[str] | None = None,
    text: str | PathLike[str] | None = None,
    start: Vocabulary | str | PathLike[str] | None = None,
    times: float = 4.0,
    rounds: int = 4,
    lines: int = 1_000_000,
) -> Solution:
    """Trains SaGe: drops from a larger vocabulary the tokens that the context model needs least.

    Parameters
    ----------
    instance : Instance
        The words, over bytes, and the budget.  Tokens are counted over these words.
    time_limit : float, optional
        Seconds for the package; if it is not done by then, the first k tokens of the start are
        returned.
    seed : int
        Random seed of the package, modulo 2^32.
    threads : int
        Threads of the segmentation at the end; the package itself runs on one thread, so that
        runs can be repeated.
    progress : Progress, optional
        Gets the stage ``sage_tokenizer`` as the package begins.
    python : path, optional
        The Python that has ``sage-tokenizer``; by default what the environment variable
        ``SAGE_PYTHON`` names, else this one.  The package insists on scipy 1.12 and so on NumPy
        1, which OR-Tools does not support: it needs an environment of its own (``python3.11 -m
        venv E``, ``E/bin/pip install sage-tokenizer``, and here ``E/bin/python``).
    text : path, optional
        Running text in UTF-8, a sentence a line: what SaGe is made for.  Without it each word
        is a line (several, where it has line feeds), repeated by its count; contexts then end
        with the word, and so the point of the method, contexts across words, is lost.
    start : Vocabulary or path, optional
        The vocabulary to drop from, or its file.  By default BPE's, as in the paper.
    times : float
        Size of that default start, as a multiple of k.
    rounds : int
        Number of rounds in which tokens are dropped, each time by the same factor; embeddings
        are made anew in each.
    lines : int
        Number of lines used at most.  The package draws them from a text, in whole thousands; of
        counted words each has its share, rounded down.

    Returns
    -------
    Solution
        Method ``sage``, rule ``longest_match``, as in the package.  ``extra["contexts"]`` is
        ``text`` or ``words``, ``extra["left_out"]`` how many distinct words could not be lines
        (they are not UTF-8, or are too rare for `lines`), ``extra["nothing_left_to_gain"]`` that
        the words have no more than these tokens.

    Raises
    ------
    InputError
        If `python` does not have ``sage-tokenizer`` or what that needs; for symbols that are not
        bytes, options that are not supported or out of range, a given start that is no
        larger than k, no lines, or a run of the package that fails (as it does where no more tokens
        than k are in use).

    Examples
    --------
    >>> from partcover import Instance, trainers
    >>> trainers.sage(Instance({"low": 5}, 1, prefix=["lo"]))
    Traceback (most recent call last):
        ...
    partcover.errors.InputError: sage does not support prefix: leave it out for this method

    Notes
    -----
    Yehezkel and Pinter (2023), "Incorporating Context into Subword Vocabularies", by version 2 of
    their package, with its own defaults for word2vec.  A run can be repeated on one machine with
    one version of its libraries; embeddings are floating point, and more is not guaranteed.
    """
    deadline = Deadline(time_limit)
    python = python or _default_python()
    check_sage(instance, python)
    if not 1 < times < 1e6 or rounds < 1 or lines < 1:
        raise InputError(
            f"times is {times}, rounds {rounds}, lines {lines}: times must be more than 1, the "
            "others at least 1"
        )
    termination: Termination = "completed"
    trained = start is None
    if start is None:
        larger = bpe(
            instance.with_k(int(instance.k * times)), time_limit=time_limit, threads=threads
        )
        if larger.termination == "interrupted":
            raise KeyboardInterrupt
        start, termination = larger.vocabulary, larger.termination
    elif not isinstance(start, Vocabulary):
        start = Vocabulary.load(start)
    if start.symbols != "bytes":
        raise InputError(f"the start is over {start.symbols}, but the words are over bytes")
    if len(start) <= instance.k and not trained:
        raise InputError(
            f"the start has {len(start)} tokens, and {instance.k} are to remain: sage needs more"
        )
    left_out = 0
    tokens: Iterable[Token] = start.tokens[: instance.k]
    # BPE's tokens are no more than k where the words, or the time, had no more
    if len(start) > instance.k:
        import subprocess  # what starts other programs is imported where one is started
        import tempfile

        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            left_out = _prepare(folder, instance, start, text, rounds, lines, seed)
            (progress or Progress()).stage("sage_tokenizer")
            try:
                tokens = _run(folder, python, instance.k, deadline)
            except subprocess.TimeoutExpired:
                termination = "time_limit"
            except KeyboardInterrupt:
                termination = "interrupted"
    vocabulary = Vocabulary(tokens, "bytes", "sage", rule="longest_match")
    return solution_of(
        instance,
        vocabulary,
        deadline.seconds,
        termination=termination,
        threads=threads,
        extra={
            "size": len(vocabulary),
            "nothing_left_to_gain": termination == "completed" and len(vocabulary) < instance.k,
            "contexts": "words" if text is None else "text",
            "left_out": left_out,
            "start": start.method,
            "start_size": len(start),
        },
    )


def _prepare(
    folder: Path,
    instance: Instance,
    start: Vocabulary,
    text: str | PathLike[str] | None,
    rounds: int,
    lines: int,
    seed: int,
) -> int:
    """Writes what the package reads into a folder; returns how many words could not be lines."""
    left_out = 0
    if text is None:
        left_out = _write_words(instance, folder / "corpus.txt", lines)
    else:
        _copy_text(Path(text), folder / "corpus.txt")
    size, k = len(start), instance.k
    sizes = {round(size * (max(k, 1) / size) ** (step / rounds)) for step in range(1, rounds)} - {
        0,
        k,
        size,
    }
    options = {
        "schedule": [n + _BYTES for n in (size, *sorted(sizes, reverse=True), k)],
        "longest": max(map(len, start)),
        "seed": seed % 2**32,
        "thousands": -(-lines // 1000),
    }
    (folder / "options.json").write_text(json.dumps(options))
    singles = (bytes([byte]) for byte in range(_BYTES))
    (folder / "start.vocab").write_text("".join(f"{token.hex()}\n" for token in (*singles, *start)))
    (folder / "run.py").write_text(_RUN)
    return left_out


def _write_words(instance: Instance, path: Path, lines: int) -> int:
    """Writes the words as lines; returns how many of them have none."""
    total = instance.words.total_count
    left_out = written = 0
    with open(path, "w", encoding="utf-8", newline="\n") as file:
        for word, count in instance.words:
            assert isinstance(word, bytes)
            repeats = count if total <= lines else count * lines // total
            try:
                line = word.decode("utf-8")
            except UnicodeDecodeError:
                repeats = 0
            left_out += repeats == 0
            written += repeats
            for _ in range(repeats):
                file.write(f"{line}\n")
    if not written:
        raise InputError(f"sage has no words to use: all {left_out} are not UTF-8 or too rare")
    return left_out


def _copy_text(source: Path, path: Path) -> None:
    try:
        text = source.read_text(encoding="utf-8")
    except OSError as error:
        raise InputError(f"{source}: cannot be read ({error.strerror or error})") from None
    except UnicodeDecodeError:
        raise InputError(f"{source}: not UTF-8, which sage needs") from None
    if not text.strip():
        raise InputError(f"{source}: empty, there is no text for sage")
    path.write_text(text, encoding="utf-8")


def _default_python() -> str:
    return os.environ.get("SAGE_PYTHON") or sys.executable


def _run(folder: Path, python: str | PathLike[str], k: int, deadline: Deadline) -> list[bytes]:
    """Runs the package in a folder and returns the tokens that it keeps."""
    done = _call(python, ["run.py"], folder, deadline.left)
    message = (done.stderr.strip().splitlines() or ["no vocabulary"])[-1]
    vocabulary = folder / f"results/run/sage_vocabs/active_vocab_{k + _BYTES}.vocab"
    if done.returncode or not vocabulary.exists():
        raise InputError(
            f"sage_tokenizer failed ({message}): where fewer than {k} tokens of the start are in "
            "use, ask for fewer, or start from more"
        )
    tokens = [bytes.fromhex(line) for line in vocabulary.read_text().splitlines()]
    return [token for token in tokens if len(token) > 1]


def _call(
    python: str | PathLike[str],
    arguments: list[str],
    folder: Path | None = None,
    timeout: float | None = None,
) -> CompletedProcess[str]:
    """Runs the Python that has the package."""
    import shutil

    from ..runtime.processes import children

    # strings hash alike in every run; text files are UTF-8 in any locale
    environment = {**os.environ, "PYTHONHASHSEED": "0", "PYTHONUTF8": "1"}
    try:
        done = children.run(
            [Path(shutil.which(python) or python).absolute(), *arguments],
            cwd=folder,
            env=environment,
            timeout=timeout,
        )
    except OSError as error:
        raise InputError(f"python {fspath(python)}: cannot be run ({error.strerror})") from None
    if done.returncode == _MISSING:
        message = done.stderr.strip().splitlines()
        raise InputError(
            f"SaGe needs 'sage-tokenizer', which {fspath(python)} does not have"
            f"{f' ({message[-1]})' if message else ''}: install it in an environment of its own, "
            "and name that one's Python by SAGE_PYTHON"
        )
    return done
