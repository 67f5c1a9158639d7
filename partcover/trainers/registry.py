"""Finds trainers by name: partcover's own, and those of other packages."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, MutableMapping
from typing import TYPE_CHECKING

from ..errors import InputError
from .trainer import DECLARED, Trainer

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

__all__ = ["GROUP", "TrainerRegistry"]

#: The entry point group in which another package names its trainers.
GROUP = "partcover.trainers"


class TrainerRegistry(MutableMapping[str, Trainer]):
    """Trainers by name: some that are given, and behind them those of other packages.

    Another package names each of its trainers in the entry point group ``partcover.trainers``:
    ``name = "package.module:function"``, where `function` is declared by `trainer` under that
    name.  It is imported when it is asked for.  A name that is given goes before theirs.

    Parameters
    ----------
    given : mapping of str to Trainer
        Trainers that are there already.

    Attributes
    ----------
    given : dict of str to Trainer
        These.

    Raises
    ------
    InputError
        When a trainer of another package is asked for that cannot be loaded, or that declares
        no trainer of its entry point's name.

    Examples
    --------
    >>> from partcover.trainers import TRAINERS
    >>> "bpe" in TRAINERS
    True
    >>> sorted(TRAINERS)[:3]
    ['bpe', 'bytes', 'convextok']
    """

    def __init__(self, given: Mapping[str, Trainer]) -> None:
        self.given = dict(given)
        self._loaded: dict[str, Trainer] = {}
        self._entry_points: dict[str, EntryPoint] | None = None

    @property
    def _others(self) -> dict[str, EntryPoint]:
        """The entry points of other packages, which are looked up once."""
        if self._entry_points is None:
            from importlib.metadata import entry_points  # slow, and only few commands need it

            self._entry_points = {entry.name: entry for entry in entry_points(group=GROUP)}
        return self._entry_points

    def __getitem__(self, name: str) -> Trainer:
        if name in self.given:
            return self.given[name]
        if name not in self._loaded:
            self._loaded[name] = _load(self._others[name])
        return self._loaded[name]

    def __setitem__(self, name: str, value: Trainer) -> None:
        self.given[name] = value

    def __delitem__(self, name: str) -> None:
        del self.given[name]

    def __contains__(self, name: object) -> bool:  # without loading it
        return name in self.given or name in self._others

    def __iter__(self) -> Iterator[str]:
        return iter(dict.fromkeys((*self.given, *sorted(self._others))))

    def __len__(self) -> int:
        return len(self.given.keys() | self._others.keys())


def _load(entry: EntryPoint) -> Trainer:
    """Imports another package's trainer."""
    package = f" of {entry.dist.name}" if entry.dist is not None else ""
    try:
        entry.load()
    except Exception as error:  # whatever that package's code raises
        raise InputError(
            f"the trainer {entry.name}{package} cannot be loaded "
            f"({entry.value}: {type(error).__name__}: {error})"
        ) from None
    if entry.name not in DECLARED:
        raise InputError(
            f"{entry.value}{package} declares no trainer {entry.name}: decorate it with "
            f'@partcover.trainers.trainer("{entry.name}", …)'
        )
    return DECLARED[entry.name]
