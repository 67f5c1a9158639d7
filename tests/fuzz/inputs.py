"""Makes the inputs of a target from its kept seeds, and tries them."""

from __future__ import annotations

import shutil
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from random import Random

from fuzz.mutation import changed
from fuzz.targets import SEEDS, TARGETS

from partcover.errors import MissingExtra, PartcoverError

SECONDS = 20  # of the processor: an input of some kilobytes that takes longer hangs


class Hang(BaseException):
    """Raised where reading an input takes too long; nothing catches it on the way."""


def seeds(target: str) -> list[Path]:
    """Returns the kept seeds of a target: files, or folders where a tokenizer is one."""
    return sorted(SEEDS.joinpath(target).iterdir())


def mutants(target: str, folder: Path, draw: Random) -> Iterator[Path]:
    """Yields the seeds as they are, then changed ones without end, each in the folder.

    Parameters
    ----------
    target : str
        A name in `TARGETS`.
    folder : Path
        Where inputs are written; the next takes the place of the last.
    draw : Random
        Draws the changes.
    """
    kept = seeds(target)
    for seed in kept:
        yield _copied(seed, folder)
    others: dict[str, list[bytes]] = {}
    for seed in kept:
        if seed.is_file():
            others.setdefault(seed.suffix, []).append(seed.read_bytes())
    while True:
        seed = draw.choice(kept)
        path = _copied(seed, folder)
        inside = sorted(file for file in path.rglob("*") if file.is_file())
        file = draw.choice(inside) if path.is_dir() else path
        for _ in range(draw.choice([1, 1, 1, 2, 3])):
            raw = changed(file.read_bytes(), file.name, draw, others.get(file.suffix, ()))
            file.write_bytes(raw)
        yield path


def _copied(seed: Path, folder: Path) -> Path:
    """Copies a seed into a folder that holds nothing else then."""
    for old in folder.iterdir():
        shutil.rmtree(old) if old.is_dir() else old.unlink()
    path = folder / seed.name
    shutil.copytree(seed, path) if seed.is_dir() else shutil.copyfile(seed, path)
    return path


def attempt(target: str, path: Path) -> None:
    """Reads an input; raises what is neither a result nor one line of refusal.

    Raises
    ------
    Hang
        After `SECONDS`.
    AssertionError
        If another file is there afterwards, or the line is none.
    """
    before, line = sorted(path.parent.rglob("*")), ""
    with limited():
        try:
            TARGETS[target](path)
        except MissingExtra:
            pass
        except PartcoverError as error:
            line = str(error)
    assert line.isprintable(), "a refusal is one line"
    assert sorted(path.parent.rglob("*")) == before, "reading writes nothing"


@contextmanager
def limited() -> Iterator[None]:
    """Raises `Hang` inside the block when the time is up, where there are such signals."""
    if not hasattr(signal, "setitimer"):
        yield
        return

    def stop(*_: object) -> None:
        raise Hang

    old = signal.signal(signal.SIGPROF, stop)
    signal.setitimer(signal.ITIMER_PROF, SECONDS)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, old)
