"""Trains SaGe: drops tokens by what their contexts lose, through its authors' own package."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable
from os import PathLike, fspath
from pathlib import Path

from ..corpus.symbols import Token
from ..errors import InputError
from ..problem.instance import Instance
from ..problem.solution import Solution, Termination
from ..runtime import children
from ..runtime.arguments import Seconds, Seed, Threads
from ..runtime.progress import Progress
from ..vocabulary.vocabulary import Vocabulary
from .bpe import bpe
from .trainer import solution_of, trainer

__all__ = ["sage"]

_MISSING = 77  # exit status where the package, or what that needs, is not there
_BYTES = 256  # of the package's vocabularies: single bytes are in them

# the package writes logs, data and results below the working directory, seeds global generators
# and starts processes: it gets a process and a folder of its own
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
    asked = json.load(open("asked.json"))
    builder = SaGeVocabBuilder(
        full_vocab_schedule=asked["schedule"],
        embeddings_schedule=asked["schedule"],
        max_len=asked["longest"],
        workers_number=1,
        random_seed=asked["seed"],
    )
    builder.build_vocab(
        experiment_name="run",
        corpus_filepath="corpus.txt",
        vocabulary_filepath="start.vocab",
        partial_corpus_line_number=asked["thousands"],
    )
"""


def check_sage(instance: Instance, python: str | PathLike[str] | None = None) -> None:
    """Refuse what `sage` cannot honour, and that without its package.

    Raises
    ------
    InputError
        As that does.
    """
    if instance.symbols != "bytes":
        raise InputError(f"sage is for bytes, the words are over {instance.symbols}")
    _call(python or _default_python(), ["-c", _PROBE])


@trainer(
    "sage",
    about="drop what contexts miss least (needs sage-tokenizer)",
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
    """SaGe: from a larger vocabulary, drop the tokens whose loss their contexts mind least.

    Parameters
    ----------
    instance : Instance
        The words, over bytes, and the budget.  Tokens are counted over these words.
    time_limit : float, optional
        Seconds for the package; past it there is nothing to return, and the start's first k
        tokens are.
    seed : int
        Of the package, modulo 2^32.
    threads : int
        Of the count at the end; the package itself is run on one, to be repeatable.
    progress : Progress, optional
        Gets the stage ``sage_tokenizer`` as the package begins.
    python : path, optional
        The Python that has ``sage-tokenizer``; by default what the environment variable
        ``SAGE_PYTHON`` names, else this one.  The package insists on
        scipy 1.12 and so on NumPy 1, which OR-Tools does not go with: it needs an environment
        of its own (``python3.11 -m venv E``, ``E/bin/pip install sage-tokenizer``, and here
        ``E/bin/python``).
    text : path, optional
        Running text in UTF-8, a sentence a line: what SaGe is made for.  Without it each word
        is a line (several, where it has line feeds), repeated by its count; contexts then end
        with the word, and so the method's point, contexts across words, is lost.
    start : Vocabulary or path, optional
        The vocabulary to drop from, or its file.  By default BPE's, as in the paper.
    times : float
        Size of that default start, as a multiple of k.
    rounds : int
        In how many rounds tokens are dropped, sizes falling by one factor; embeddings are made
        anew in each.
    lines : int
        The most lines used.  Of a text the package draws them, in whole thousands; of counted
        words each has its part, rounded down.

    Returns
    -------
    Solution
        Method ``sage``, rule ``longest_match``, as the package cuts.  ``extra["contexts"]`` is
        ``text`` or ``words``, ``extra["left_out"]`` how many distinct words could not be lines
        (they are not UTF-8, or are too rare for `lines`), ``extra["nothing_left_to_gain"]`` that
        the words have no more than these tokens.

    Raises
    ------
    InputError
        If `python` does not have ``sage-tokenizer`` or what that needs; for symbols that are not
        bytes, options that cannot be honoured or are out of range, a given start that is no
        larger than k, no lines, or a run of the package that fails (as it does where no more tokens
        than k are in use).

    Notes
    -----
    Yehezkel and Pinter (2023), "Incorporating Context into Subword Vocabularies", by version 2 of
    their package, with its own defaults for word2vec.  A run is repeatable on one machine with
    one version of its libraries; embeddings are floating point, and nothing more is promised.
    """
    started = time.monotonic()
    python = python or _default_python()
    check_sage(instance, python)
    if not 1 < times < 1e6 or rounds < 1 or lines < 1:
        raise InputError(
            f"times is {times}, rounds {rounds}, lines {lines}: more than 1, at least 1 and at "
            "least 1 are expected"
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
        raise InputError(f"the start is over {start.symbols}, the words over bytes")
    if len(start) <= instance.k and not trained:
        raise InputError(
            f"the start has {len(start)} tokens, and {instance.k} are to be left: sage needs more"
        )
    left_out = 0
    kept: Iterable[Token] = start.tokens[: instance.k]
    # a start of our own that is no larger is all that the words, or the time, had
    if len(start) > instance.k:
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            left_out = _prepare(folder, instance, start, text, rounds, lines, seed)
            (progress or Progress()).stage("sage_tokenizer")
            try:
                kept = _run(folder, python, instance.k, time_limit, started)
            except subprocess.TimeoutExpired:
                termination = "time_limit"
            except KeyboardInterrupt:
                termination = "interrupted"
    vocabulary = Vocabulary(kept, "bytes", "sage", rule="longest_match")
    return solution_of(
        instance,
        vocabulary,
        started,
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
    """What the package reads, in a folder; how many words could not be lines."""
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
    asked = {
        "schedule": [n + _BYTES for n in (size, *sorted(sizes, reverse=True), k)],
        "longest": max(map(len, start)),
        "seed": seed % 2**32,
        "thousands": -(-lines // 1000),
    }
    (folder / "asked.json").write_text(json.dumps(asked))
    singles = (bytes([byte]) for byte in range(_BYTES))
    (folder / "start.vocab").write_text("".join(f"{token.hex()}\n" for token in (*singles, *start)))
    (folder / "run.py").write_text(_RUN)
    return left_out


def _write_words(instance: Instance, path: Path, lines: int) -> int:
    """The words as lines; how many have none."""
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
        raise InputError(f"no word is a line for sage: all {left_out} are not UTF-8 or too rare")
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


def _run(
    folder: Path, python: str | PathLike[str], k: int, time_limit: float | None, started: float
) -> list[bytes]:
    """Run the package in a folder; the tokens that it keeps."""
    left = None if time_limit is None else max(0.0, time_limit - (time.monotonic() - started))
    done = _call(python, ["run.py"], folder, left)
    said = (done.stderr.strip().splitlines() or ["no vocabulary"])[-1]
    found = folder / f"results/run/sage_vocabs/active_vocab_{k + _BYTES}.vocab"
    if done.returncode or not found.exists():
        raise InputError(
            f"sage_tokenizer failed ({said}): where fewer than {k} tokens of the start are in "
            "use, ask for fewer, or start from more"
        )
    tokens = [bytes.fromhex(line) for line in found.read_text().splitlines()]
    return [token for token in tokens if len(token) > 1]


def _call(
    python: str | PathLike[str],
    arguments: list[str],
    folder: Path | None = None,
    timeout: float | None = None,
) -> subprocess.CompletedProcess[str]:
    """Run the Python that is to have the package."""
    # strings hash alike in every run; text files are UTF-8 wherever this is
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
        said = done.stderr.strip().splitlines()
        raise InputError(
            f"SaGe needs 'sage-tokenizer', which {fspath(python)} does not have"
            f"{f' ({said[-1]})' if said else ''}: install it in an environment of its own, and "
            "name that one's Python by SAGE_PYTHON"
        )
    return done
