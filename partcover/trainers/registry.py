"""Finds trainers by name: partcover's own, and those of other packages."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..errors import InputError
from ..runtime.entry_points import EntryPointRegistry, load_entry_point, package_of
from .trainer import DECLARED, Trainer

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint


class TrainerRegistry(EntryPointRegistry[Trainer]):
    """Trainers by name: partcover's own, then those of other packages.

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
    ['boundlessbpe', 'bpe', 'bytes']
    """

    group = "partcover.trainers"

    def load(self, entry: EntryPoint) -> Trainer:
        """Imports another package's trainer, which is declared by that."""
        load_entry_point(entry, "trainer")
        if entry.name not in DECLARED:
            raise InputError(
                f"{entry.value}{package_of(entry)} declares no trainer {entry.name}: decorate it "
                f'with @partcover.trainers.trainer("{entry.name}", …)'
            )
        return DECLARED[entry.name]
